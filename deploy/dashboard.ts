// The dashboard, as Grafana imports it, from the table in panels.ts.
import { type Panel, ROWS, type Row } from './panels.ts';

/** As the variable of that name says. */
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
/** Grafana's grid. */
const COLUMNS = 24;
const FIGURE = { w: 4, h: 4 };
const GRAPH = { w: 12, h: 8 };
const FILLED = 30;

export function dashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const row of ROWS) {
    panels.push({ ...rowOf(row), id: panels.length + 1, gridPos: { x: 0, y, w: COLUMNS, h: 1 } });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of row.panels) {
      const { w, h } = panel.shows === 'figure' ? FIGURE : GRAPH;
      if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
      panels.push({ ...panelOf(panel), id: panels.length + 1, gridPos: { x, y, w, h } });
      [x, height] = [x + w, Math.max(height, h)];
    }
    y += height;
  }
  const board = {
    uid: 'troupe',
    title: 'Troupe',
    description: 'Objects, what they wait for, clouds, the bus and the pods. How to read it: deploy/operating.md.',
    tags: ['troupe'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: variables() },
    panels,
  };
  return `${JSON.stringify(board, undefined, 2)}\n`;
}

function variables(): readonly object[] {
  const query = (name: string, label: string, expression: string): object => ({
    type: 'query',
    name,
    label,
    datasource: DATASOURCE,
    query: { query: expression, refId: name },
    definition: expression,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    current: { text: ['All'], value: ['$__all'] },
  });
  return [
    { type: 'datasource', name: 'datasource', label: 'Prometheus', query: 'prometheus' },
    query('namespace', 'Namespace', 'label_values(troupe_info, namespace)'),
    query('pod', 'Pod', 'label_values(troupe_info{namespace=~"$namespace"}, pod)'),
  ];
}

function rowOf({ title }: Row): object {
  return { type: 'row', title, collapsed: false, panels: [] };
}

function panelOf({ title, description, shows = 'lines', unit, steps, queries }: Panel): object {
  const isFigure = shows === 'figure';
  const [yellow, red] = steps ?? [];
  const thresholds = {
    mode: 'absolute',
    steps: [
      { color: 'green', value: null },
      ...(yellow === undefined ? [] : [{ color: 'yellow', value: yellow }]),
      ...(red === undefined ? [] : [{ color: 'red', value: red }]),
    ],
  };
  const isStacked = shows === 'areas';
  const custom = {
    lineWidth: 1,
    fillOpacity: isStacked ? FILLED : 0,
    showPoints: 'never',
    stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
  };
  return {
    type: isFigure ? 'stat' : 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit, ...(isFigure ? { thresholds } : { min: 0, custom }) },
      overrides: [],
    },
    options: isFigure
      ? { colorMode: 'value', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(isFigure && { instant: true }),
    })),
  };
}
