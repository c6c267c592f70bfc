// Keyboard shortcuts of the whole page, except in text fields.
import { keyOf } from './hover.ts';
import { copy } from './parts.ts';
import { type LAYOUTS, type State, VIEWS } from './state.ts';

export interface KeyDeps {
  readonly state: () => State;
  readonly change: (part: Partial<State>) => void;
  /** Keys of what is shown, in the order of the list. */
  readonly shown: () => readonly string[];
  /** Keys of what is looked for. */
  readonly hits: () => readonly string[];
  readonly step: (direction: 1 | -1) => void;
  /** The command of the chosen object. Undefined if none is chosen, and as for `commandOn`. */
  readonly command: () => string | undefined;
  readonly showKeys: () => void;
}

const LAYOUT_KEYS: Readonly<Record<string, (typeof LAYOUTS)[number]>> = { g: 'graph', l: 'list', m: 'map' };
const ZOOM_KEYS: Readonly<Record<string, string>> = { '+': 'in', '=': 'in', '-': 'out', '0': 'fit' };

export function listenToKeys(deps: KeyDeps): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const isTyping =
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement;
    const isDone = isTyping ? typed(event, target as HTMLElement, deps) : pressed(event, deps);
    if (isDone) event.preventDefault();
  });
}

function typed({ key }: KeyboardEvent, target: HTMLElement, { hits, state, change }: KeyDeps): boolean {
  if (key === 'Escape') {
    target.blur();
    if (state().text !== '') change({ text: '' });
    return true;
  }
  if (key !== 'Enter' || !target.matches('[type=search]')) return false;
  const found = hits();
  const next = found[(found.indexOf(state().chosen) + 1) % Math.max(1, found.length)];
  if (next !== undefined) change({ chosen: next });
  return true;
}

function pressed(event: KeyboardEvent, { state, change, shown, step, command, showKeys }: KeyDeps): boolean {
  const { key } = event;
  const view = VIEWS[Number(key) - 1];
  const layout = LAYOUT_KEYS[key];
  const zoom = ZOOM_KEYS[key];
  if (key === 'Escape') return closeOrClear(state(), change);
  if (key === '/') document.querySelector<HTMLElement>('[type=search]')?.focus();
  else if (key === '?') showKeys();
  else if (key === 'j' || key === 'k') walk(shown(), state().chosen, key === 'j' ? 1 : -1, change);
  else if (key === '[') step(-1);
  else if (key === ']') step(1);
  else if (key === '.') change({ at: 0 });
  else if (key === 'c') {
    const text = command();
    if (text !== undefined) void copy(text);
  } else if (key === 'Enter') {
    const own = keyOf(event.target);
    if (own === undefined || event.target instanceof HTMLAnchorElement) return false;
    change({ chosen: own });
  } else if (view !== undefined) change({ view });
  else if (layout !== undefined) change({ view: 'objects', layout });
  else if (zoom !== undefined)
    document.querySelector<HTMLButtonElement>(`[data-zoom=${zoom}]:not([disabled])`)?.click();
  else return false;
  return true;
}

/** Closes what is open, then clears what is looked for. */
function closeOrClear({ chosen, group, text, tones }: State, change: KeyDeps['change']): boolean {
  if (chosen !== '') change({ chosen: '', inGroup: false });
  else if (text !== '' || tones.length > 0) change({ text: '', tones: [] });
  else if (group !== '') change({ group: '' });
  else return false;
  return true;
}

function walk(shown: readonly string[], chosen: string, direction: 1 | -1, change: KeyDeps['change']): void {
  const index = shown.indexOf(chosen);
  const next = shown[index < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, index + direction))];
  if (next !== undefined) change({ chosen: next });
}
