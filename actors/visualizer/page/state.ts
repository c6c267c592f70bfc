// State of the page in its address, so that every view is a link.
import { GROUPINGS, type Grouping } from './groups.ts';
import { StatusColor } from './tones.ts';

export const VIEWS = ['objects', 'timeline', 'messages', 'problems'] as const;
export type ViewName = (typeof VIEWS)[number];
export const PANELS = ['summary', 'chart', 'history', 'messages', 'object'] as const;
export type Panel = (typeof PANELS)[number];
export const LAYOUTS = ['auto', 'graph', 'list', 'map'] as const;
export type Layout = (typeof LAYOUTS)[number];
export const COLUMNS = [
  'state',
  'name',
  'kind',
  'namespace',
  'group',
  'id',
  'address',
  'age',
  'since',
  'message',
] as const;
export type Column = (typeof COLUMNS)[number];

export interface State {
  readonly view: ViewName;
  readonly layout: Layout;
  /** Grouping of objects; empty: the default. */
  readonly by: Grouping | '';
  readonly namespace: string;
  readonly tones: readonly StatusColor[];
  /** Terms that are looked for. */
  readonly text: string;
  /** Id of the group that is open; empty: none. */
  readonly group: string;
  /** Ids of the groups that are folded. */
  readonly folded: readonly string[];
  /** Key of the chosen object; empty: none. */
  readonly chosen: string;
  /** The chosen object is shown in its group, and not among its neighbors. */
  readonly inGroup: boolean;
  readonly panel: Panel;
  /** The column that the list is sorted by. */
  readonly sort: Column;
  readonly isDescending: boolean;
  /** The moment that is looked at, milliseconds since the epoch; 0: now. */
  readonly at: number;
  /** The range that the timeline and the history show, milliseconds since the epoch; 0: what fits. */
  readonly from: number;
  readonly to: number;
}

export const START: State = {
  view: 'objects',
  layout: 'auto',
  by: '',
  namespace: '',
  tones: [],
  text: '',
  group: '',
  folded: [],
  chosen: '',
  inGroup: false,
  panel: 'summary',
  sort: 'state',
  isDescending: false,
  at: 0,
  from: 0,
  to: 0,
};

/** Part of a list, in which a comma is no part of a value. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The inverse of `toHash`; what makes no sense is left out. */
export function fromHash(hash: string): State {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const one = <Value extends string, Other>(name: string, all: readonly Value[], otherwise: Other): Value | Other =>
    all.find((value) => value === said.get(name)) ?? otherwise;
  const list = (name: string): readonly string[] => (said.get(name) ?? '').split(',').filter(Boolean);
  const instant = (name: string): number => Math.max(0, Number(said.get(name)) || 0);
  const known = new Set<string>(Object.values(StatusColor));
  const sort = said.get('sort') ?? START.sort;
  return {
    view: one('view', VIEWS, START.view),
    layout: one('layout', LAYOUTS, START.layout),
    by: one('by', GROUPINGS, START.by),
    namespace: said.get('namespace') ?? '',
    tones: list('state').filter((tone): tone is StatusColor => known.has(tone)),
    text: said.get('q') ?? '',
    group: said.get('group') ?? '',
    folded: list('folded').map(decoded),
    chosen: said.get('object') ?? '',
    inGroup: said.get('near') === 'group',
    panel: one('panel', PANELS, START.panel),
    sort: COLUMNS.find((column) => column === sort.replace(/^-/, '')) ?? START.sort,
    isDescending: sort.startsWith('-'),
    at: instant('at'),
    from: instant('from'),
    to: instant('to'),
  };
}

export function toHash(state: State): string {
  const said = new URLSearchParams();
  const put = (name: string, value: string, otherwise = ''): void => {
    if (value !== otherwise) said.set(name, value);
  };
  put('view', state.view, START.view);
  put('layout', state.layout, START.layout);
  put('by', state.by);
  put('namespace', state.namespace);
  put('state', state.tones.join());
  put('q', state.text);
  put('group', state.group);
  put('folded', state.folded.map(encodeURIComponent).join());
  put('object', state.chosen);
  put('near', state.inGroup ? 'group' : '');
  if (state.chosen !== '') put('panel', state.panel, START.panel);
  put('sort', `${state.isDescending ? '-' : ''}${state.sort}`, START.sort);
  put('at', String(state.at), '0');
  put('from', String(Math.round(state.from)), '0');
  put('to', String(Math.round(state.to)), '0');
  return `#${said}`;
}
