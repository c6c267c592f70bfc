// What the page shows: the address says it, so that every view is a link.
import { StatusColor } from './tones.ts';

export const VIEWS = ['objects', 'timeline', 'messages', 'problems'] as const;
export type ViewName = (typeof VIEWS)[number];
export const PANELS = ['chart', 'why', 'history', 'mail', 'object'] as const;
export type Panel = (typeof PANELS)[number];
export const LAYOUTS = ['auto', 'graph', 'map', 'list'] as const;
export type Layout = (typeof LAYOUTS)[number];

export interface State {
  readonly view: ViewName;
  readonly layout: Layout;
  readonly namespace: string;
  readonly kind: string;
  readonly tones: readonly StatusColor[];
  readonly text: string;
  /** Key of the chosen object; empty: none. */
  readonly chosen: string;
  readonly panel: Panel;
  /** The moment that is looked at, milliseconds since the epoch; 0: now. */
  readonly at: number;
}

const START: State = {
  view: 'objects',
  layout: 'auto',
  namespace: '',
  kind: '',
  tones: [],
  text: '',
  chosen: '',
  panel: 'chart',
  at: 0,
};

/** The inverse of `toHash`; what makes no sense is left out. */
export function fromHash(hash: string): State {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const one = <Value extends string>(name: string, all: readonly Value[], otherwise: Value): Value =>
    all.find((value) => value === said.get(name)) ?? otherwise;
  const known = new Set<string>(Object.values(StatusColor));
  return {
    view: one('view', VIEWS, START.view),
    layout: one('layout', LAYOUTS, START.layout),
    namespace: said.get('namespace') ?? '',
    kind: said.get('kind') ?? '',
    tones: (said.get('state') ?? '').split(',').filter((tone): tone is StatusColor => known.has(tone)),
    text: said.get('q') ?? '',
    chosen: said.get('object') ?? '',
    panel: one('panel', PANELS, START.panel),
    at: Number(said.get('at')) || 0,
  };
}

export function toHash(state: State): string {
  const said = new URLSearchParams();
  const put = (name: string, value: string, otherwise: string): void => {
    if (value !== otherwise) said.set(name, value);
  };
  put('view', state.view, START.view);
  put('layout', state.layout, START.layout);
  put('namespace', state.namespace, '');
  put('kind', state.kind, '');
  put('state', state.tones.join(), '');
  put('q', state.text, '');
  put('object', state.chosen, '');
  if (state.chosen !== '') put('panel', state.panel, START.panel);
  put('at', String(Math.round(state.at)), '0');
  return `#${said}`;
}
