// The page: what the address says, drawn from what the feed tells.
import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { Tree } from '../wire.ts';
import { Graph } from './graph.ts';
import { Inspector } from './inspector.ts';
import { ObjectList } from './list.ts';
import { ObjectMap } from './map.ts';
import { MessagesView } from './messages.ts';
import { Model, passes } from './model.ts';
import { type Html, onTabKey, sign, type ViewDeps } from './parts.ts';
import { ProblemsView } from './problems.ts';
import { follow, server } from './server.ts';
import { fromHash, LAYOUTS, type State, toHash, VIEWS, type ViewName } from './state.ts';
import { clock, counted } from './text.ts';
import { Timeline } from './timeline.ts';
import { BAD, type StatusColor, TONES } from './tones.ts';

/** More than that are a map unless somebody wants them as a graph. */
const GRAPH_LIMIT = 160;
/** More than that are no graph. */
const GRAPH_MOST = 600;
/** So often durations go on while nothing happens, in milliseconds. */
const TICK_MS = 1_000;
const TITLES: Readonly<Record<ViewName, string>> = {
  objects: 'Objects',
  timeline: 'Timeline',
  messages: 'Messages',
  problems: 'Problems',
};
const THEME = 'troupe-theme';

const model = new Model();
let state = fromHash(location.hash);
let isDrawn = false;
let historyAsked: Promise<void> | undefined;

const root = document.querySelector<HTMLElement>('#app') as HTMLElement;
root.replaceChildren();
const deps: ViewDeps = { model, change, onUpdate: draw };
const inspector = new Inspector(deps);
const timeline = new Timeline(deps);
const messages = new MessagesView(deps);
const problems = new ProblemsView(deps);
const onChoose = (chosen: string): void => change({ chosen });
const pictures = {
  graph: new Graph({ model, onChoose }),
  map: new ObjectMap({ onChoose }),
  list: new ObjectList({ now: () => state.at || model.now(), onChoose }),
};

/** Another view, filter or object; the address says it. What is typed or moved leaves no trail of its own. */
function change(part: Partial<State>): void {
  const next = { ...state, ...part };
  const isTyped = next.text !== state.text || next.at !== state.at;
  if (toHash(next) !== toHash(state)) history[isTyped ? 'replaceState' : 'pushState'](null, '', toHash(next));
  state = next;
  draw();
}

/** Soon, and once for whatever happens until then. */
function draw(): void {
  if (isDrawn) return;
  isDrawn = true;
  requestAnimationFrame(() => {
    isDrawn = false;
    render(page(), root);
  });
}

function page(): Html {
  const { view, at } = state;
  if ((at !== 0 || view === 'timeline') && historyAsked === undefined) void readHistory();
  const all = model.all(at);
  const known = all.filter((tree) => passes(tree, state));
  const bad = known.filter(({ tone }) => BAD.has(tone)).length;
  const shown = state.tones.length === 0 ? known : known.filter(({ tone }) => state.tones.includes(tone));
  return html`
    <a class="skip" href="#stage" @click=${skip}>Skip to the objects</a>
    <header class="top">
      <h1><img src="/page/icon.svg" alt="" width="24" height="24" />Troupe</h1>
      <nav class="tabs" role="tablist" aria-label="Views" @keydown=${onTabKey}>
        ${VIEWS.map(
          (name) => html`<button
            type="button"
            role="tab"
            id="view-${name}"
            aria-selected=${name === view}
            aria-controls="stage"
            tabindex=${name === view ? 0 : -1}
            @click=${() => change({ view: name })}
          >
            ${TITLES[name]}${name === 'problems' && bad > 0 ? html` <b class="badge">${bad}</b>` : ''}
          </button>`,
        )}
      </nav>
      <input
        type="search"
        class="search"
        placeholder="Filter  /"
        aria-label="Filter by name, kind, state or message"
        .value=${live(state.text)}
        @input=${({ target }: Event) => change({ text: (target as HTMLInputElement).value })}
      />
      <button type="button" class="icon" aria-label="Light or dark" title="Light or dark" @click=${turnTheme}>◐</button>
      <button type="button" class="icon" aria-label="Keys" title="Keys (?)" @click=${showKeys}>?</button>
    </header>
    ${filters(all, known)}
    ${model.problem === undefined ? '' : html`<p class="trouble" role="status">${model.problem}</p>`}
    <main class="${state.chosen === '' ? '' : 'with-inspector'}">
      <section class="stage" id="stage" role="tabpanel" aria-labelledby="view-${view}" tabindex="-1">${stage(shown)}</section>
      ${inspector.view(state)}
    </main>
    ${scrubber()}
    <dialog id="keys" aria-label="Keys">${keys()}</dialog>
  `;
}

function stage(shown: readonly Tree[]): Html {
  switch (state.view) {
    case 'objects':
      return objects(shown);
    case 'timeline':
      return timeline.view(withGone(shown), state);
    case 'messages':
      return messages.view(state);
    case 'problems':
      return problems.view(state);
  }
}

/** A timeline also tells of those that are gone by now. */
function withGone(shown: readonly Tree[]): readonly Tree[] {
  const there = new Set(shown.map(({ key }) => key));
  const others = new Set(model.steps.map(({ key }) => key));
  const gone = [...others].filter((key) => !there.has(key) && !model.trees.has(key)).map((key) => model.named(key));
  return [...shown, ...gone.filter((tree) => passes(tree, state) && state.tones.length === 0)];
}

function objects(shown: readonly Tree[]): Html {
  if (shown.length === 0) {
    const isFiltered = model.trees.size > 0;
    return html`<p class="quiet" role="status">
      ${isFiltered ? 'nothing matches the filter' : model.problem === undefined ? 'there are no objects yet' : ''}
    </p>`;
  }
  const wanted = state.layout === 'auto' ? (shown.length <= GRAPH_LIMIT ? 'graph' : 'map') : state.layout;
  if (wanted === 'graph' && shown.length > GRAPH_MOST) {
    return html`<p class="quiet">${counted(shown.length, 'object')} are too many for a graph: filter them, or look at the map</p>`;
  }
  const picture = pictures[wanted];
  picture.update(shown, state.chosen);
  return html`${picture.element}`;
}

function filters(all: readonly Tree[], known: readonly Tree[]): Html {
  const namespaces = [...new Set(all.map(({ namespace }) => namespace))].filter(Boolean).sort();
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  const counts = new Map<StatusColor, number>();
  for (const { tone } of known) counts.set(tone, (counts.get(tone) ?? 0) + 1);
  const select = (label: string, name: 'namespace' | 'kind', values: readonly string[]): Html => html`<label
    ><span>${label}</span>
    <select .value=${live(state[name])} @change=${({ target }: Event) => change({ [name]: (target as HTMLSelectElement).value })}>
      <option value="">all</option>
      ${values.map((value) => html`<option value=${value} ?selected=${value === state[name]}>${value}</option>`)}
    </select></label
  >`;
  return html`<section class="filters" aria-label="Filters">
    ${select('Namespace', 'namespace', namespaces)} ${select('Kind', 'kind', kinds)}
    <div class="chips" role="group" aria-label="States">
      ${TONES.filter(({ tone }) => counts.has(tone) || state.tones.includes(tone)).map(
        ({ tone, label, meaning }) => html`<button
          type="button"
          class="chip ${tone}"
          title=${meaning}
          aria-pressed=${state.tones.includes(tone)}
          @click=${() => change({ tones: toggled(state.tones, tone) })}
        >
          ${sign(tone)}${label} <b>${(counts.get(tone) ?? 0).toLocaleString('en')}</b>
        </button>`,
      )}
    </div>
    ${
      state.view === 'objects'
        ? html`<div class="chips layouts" role="group" aria-label="Layout">
          ${LAYOUTS.map(
            (name) =>
              html`<button type="button" class="chip" aria-pressed=${state.layout === name} @click=${() => change({ layout: name })}>${name}</button>`,
          )}
        </div>`
        : ''
    }
  </section>`;
}

/** Goes back to any moment that is known. */
function scrubber(): Html {
  const { at } = state;
  const now = model.now();
  const from = Math.min(model.since, now - 1);
  const isLive = at === 0;
  const lost = model.historyIs === 'truncated' ? ', what was before is not kept here' : '';
  return html`<footer class="scrubber ${isLive ? '' : 'back'}">
    <button type="button" class="live" aria-pressed=${isLive} @click=${() => change({ at: 0 })}>
      <span class="lamp" aria-hidden="true"></span>Live
    </button>
    <button type="button" class="icon" aria-label="The step before" title="The step before ([)" @click=${() => step(-1)}>‹</button>
    <input
      type="range"
      min="0"
      max="1000"
      step="1"
      aria-label="Moment"
      aria-valuetext=${isLive ? 'now' : clock(at)}
      .value=${live(isLive ? '1000' : String(Math.round(((at - from) / (now - from)) * 1_000)))}
      @pointerdown=${() => readHistory()}
      @input=${({ target }: Event) => {
        void readHistory();
        const share = Number((target as HTMLInputElement).value) / 1_000;
        change({ at: share >= 1 ? 0 : from + share * (now - from) });
      }}
    />
    <button type="button" class="icon" aria-label="The next step" title="The next step (])" @click=${() => step(1)}>›</button>
    <output title=${`known since ${clock(from)}${lost}`}>${isLive ? clock(now, { fraction: false }) : clock(at)}</output>
  </footer>`;
}

/** To the step before or after, of the chosen object if there is one. */
async function step(direction: 1 | -1): Promise<void> {
  await readHistory();
  const steps = state.chosen === '' ? model.steps : model.stepsOf(state.chosen);
  const from = state.at || Number.POSITIVE_INFINITY;
  const next = direction === 1 ? steps.find(({ at }) => at > from) : steps.findLast(({ at }) => at < from);
  if (next !== undefined) change({ at: next.at });
  else if (direction === 1) change({ at: 0 });
}

/** Once, when somebody looks back. */
async function readHistory(): Promise<void> {
  if (model.hello?.keepsHistory === false) return;
  historyAsked ??= server.history(0).then(
    (steps) => model.takeHistory(steps),
    () => {
      // Without what is kept there is still what was heard since.
      model.historyIs = 'none';
    },
  );
  await historyAsked;
  draw();
}

function toggled(tones: readonly StatusColor[], tone: StatusColor): readonly StatusColor[] {
  return tones.includes(tone) ? tones.filter((each) => each !== tone) : [...tones, tone];
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#stage')?.focus();
}

// --- light and dark, keys -----------------------------------------------------------------------------------------------

function turnTheme(): void {
  const { dataset } = document.documentElement;
  const shown = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const theme = shown === 'dark' ? 'light' : 'dark';
  dataset['theme'] = theme;
  keepTheme(theme);
}

function keepTheme(theme: string): void {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // Where nothing may be kept it holds until the page is closed.
  }
}

function readTheme(): void {
  try {
    const theme = localStorage.getItem(THEME);
    if (theme !== null) document.documentElement.dataset['theme'] = theme;
  } catch {
    // As above.
  }
}

function keys(): Html {
  const all: readonly (readonly [string, string])[] = [
    ['/', 'filter'],
    ['1 to 4', 'objects, timeline, messages, problems'],
    ['j, k', 'next object, object before'],
    ['[, ]', 'step before, next step'],
    ['l', 'live'],
    ['Esc', 'close what is open'],
    ['+, −, arrows', 'enlarge, reduce, move a picture that has the focus'],
    ['?', 'these keys'],
  ];
  return html`<h2>Keys</h2>
    <dl>${all.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <form method="dialog"><button>Close</button></form>`;
}

function showKeys(): void {
  document.querySelector<HTMLDialogElement>('#keys')?.showModal();
}

/** The object after or before the chosen one, of those that are shown. */
function walk(direction: 1 | -1): void {
  const shown = model
    .all(state.at)
    .filter((tree) => passes(tree, state) && (state.tones.length === 0 || state.tones.includes(tree.tone)));
  const index = shown.findIndex(({ key }) => key === state.chosen);
  const next = shown[index < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, index + direction))];
  if (next !== undefined) change({ chosen: next.key });
}

function onKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyping =
    (target instanceof HTMLInputElement && target.type !== 'range') || target instanceof HTMLSelectElement;
  if (key === 'Escape') {
    if (isTyping) target.blur();
    else if (state.chosen !== '') change({ chosen: '' });
    return;
  }
  if (ctrlKey || metaKey || altKey || isTyping) return;
  const view = VIEWS[Number(key) - 1];
  if (key === '/') document.querySelector<HTMLElement>('.search')?.focus();
  else if (key === '?') showKeys();
  else if (key === 'j') walk(1);
  else if (key === 'k') walk(-1);
  else if (key === '[') void step(-1);
  else if (key === ']') void step(1);
  else if (key === 'l') change({ at: 0 });
  else if (view !== undefined) change({ view });
  else return;
  event.preventDefault();
}

// --- the beginning ---------------------------------------------------------------------------------------------------------

readTheme();
addEventListener('popstate', () => {
  state = fromHash(location.hash);
  draw();
});
addEventListener('hashchange', () => {
  state = fromHash(location.hash);
  draw();
});
addEventListener('keydown', onKey);
setInterval(draw, TICK_MS);
follow({
  onForest(forest) {
    model.takeForest(forest);
    // What happened while the server was away is among what is kept.
    if (historyAsked !== undefined) {
      historyAsked = undefined;
      void readHistory();
    }
    draw();
  },
  onChanges(changes) {
    model.takeChanges(changes);
    draw();
  },
  onTrouble(what) {
    model.problem = what;
    draw();
  },
});
server.hello().then(
  (hello) => {
    model.hello = hello;
    draw();
  },
  (error: Error) => {
    model.problem = error.message;
    draw();
  },
);
draw();
