// The page: what the address says, drawn from what the feed tells.
import { html, nothing, render } from 'lit-html';
import { filterBar, keysDialog, showKeys, tabBar, titleOf, topBar } from './frame.ts';
import { HistoryBar } from './history-bar.ts';
import { Inspector } from './inspector.ts';
import { listenToKeys } from './keyboard.ts';
import { SIGNS } from './kind-icons.ts';
import { type Landscape, Landscapes } from './landscape.ts';
import { sorted } from './list.ts';
import { MessagesView } from './messages.ts';
import { Model } from './model.ts';
import { emptyView, noMatch, ObjectsView, shapeOf } from './objects-view.ts';
import { type Html, icon, type ViewDeps, whyCommand } from './parts.ts';
import { ProblemsView } from './problems.ts';
import { follow, server } from './server.ts';
import { fromHash, type Layout, type State, toHash } from './state.ts';
import { counted, duration } from './text.ts';
import { readTheme } from './theme.ts';
import { Timeline } from './timeline.ts';
import { labelOf } from './tones.ts';

/** Interval at which durations are redrawn, in milliseconds. */
const TICK_MS = 1_000;
/** Changes per second above which painting is throttled, and the least time between two paints, in milliseconds. */
const [BUSY_RATE, BUSY_MS] = [200, 120] as const;
/** Least time between two announcements, in milliseconds. */
const SAY_MS = 5_000;
/** Delay before the history is read, in milliseconds. */
const HISTORY_MS = 700;
/** Pause before a history that could not be read is read again, in milliseconds. */
const HISTORY_AGAIN_MS = 5_000;
/** Width beside the slider of the history, in pixels. */
const BESIDE = { desktop: 470, phone: 150 } as const;

const model = new Model();
let state = fromHash(location.hash);
let isDrawn = false;
let drawnAt = 0;
let historyAsked: Promise<void> | undefined;
/** Times of recent changes. */
let lately: number[] = [];

const root = document.querySelector<HTMLElement>('#app') as HTMLElement;
const phone = matchMedia('(max-width: 760px)');
root.replaceChildren();
const deps: ViewDeps = { model, change, onUpdate: draw };
const landscapes = new Landscapes(model);
/** Landscape of all namespaces, whatever is shown. */
const whole = new Landscapes(model);
const objects = new ObjectsView(deps);
const inspector = new Inspector(deps);
const timeline = new Timeline(deps);
const messages = new MessagesView(deps);
const problems = new ProblemsView(deps);
const historyBar = new HistoryBar({ ...deps, readHistory, state: () => state });
const announced = { roots: new Set<string>(), at: 0, text: '', isFirst: true };

/** Another view, filter or object; the address says it. What is typed or moved leaves no trail of its own. */
function change(part: Partial<State>): void {
  const next = { ...state, ...part };
  const isTyped = next.text !== state.text || next.at !== state.at || next.from !== state.from;
  if (toHash(next) !== toHash(state)) history[isTyped ? 'replaceState' : 'pushState'](null, '', toHash(next));
  state = next;
  draw();
}

/** Soon, and once for whatever happens until then; seldom where much happens. */
function draw(): void {
  if (isDrawn) return;
  isDrawn = true;
  const wait = lately.length > BUSY_RATE ? drawnAt + BUSY_MS - performance.now() : 0;
  const paint = (): number =>
    requestAnimationFrame(() => {
      isDrawn = false;
      drawnAt = performance.now();
      render(page(), root);
    });
  if (wait > 0) setTimeout(paint, wait);
  else paint();
}

function page(): Html {
  const isPhone = phone.matches;
  const { view, at, chosen, namespace } = state;
  if ((at !== 0 || view === 'timeline') && historyAsked === undefined) void readHistory();
  const landscape = landscapes.at(state);
  const all = namespace === '' ? landscape : whole.at({ ...state, namespace: '', by: '', text: '', tones: [] });
  const used = [...model.trees.values()].map((tree) => tree.namespace);
  const namespaces = [...new Set([...used, namespace])].filter(Boolean).sort();
  const body = stage(landscape, isPhone);
  // The view counts what the server found, repeats folded.
  const count = (view === 'problems' ? problems.count : undefined) ?? landscape.causes.blockedBy.size;
  announce(landscape);
  const tree = all.byKey.get(chosen);
  const named = chosen === '' ? undefined : { ...model.named(chosen), label: labelOf(tree?.tone ?? 'absent') };
  document.title = titleOf(state, named, count);
  const isBack = at !== 0 && chosen === '';
  const beside = isPhone ? BESIDE.phone : BESIDE.desktop;
  const width = innerWidth - (at === 0 ? beside : isPhone ? 28 : 32);
  return html`
    <a class="skip" href="#stage" @click=${skip}>Skip to the objects</a>
    ${topBar(state, landscape, namespaces, count, deps)} ${filterBar(state, landscape, layoutOf(landscape, isPhone), deps)}
    ${trouble()}
    <main class="${chosen !== '' || (isBack && !isPhone) ? 'with' : ''}">
      <section class="stage" id="stage" role="tabpanel" aria-labelledby="view-${view}" tabindex="-1">${body}</section>
      ${chosen !== '' ? inspector.view(state, all, isPhone) : isBack && !isPhone ? historyBar.around(state) : nothing}
    </main>
    ${historyBar.view(state, Math.max(160, width))} ${tabBar(state, count, deps)} ${keysDialog()}
    <p class="hidden" aria-live="polite">${announced.text}</p>
  `;
}

function stage(landscape: Landscape, isPhone: boolean): Html {
  if (!model.isLoaded || landscape.trees.length === 0) {
    if (state.view === 'objects' || !model.isLoaded) return emptyView(state, deps);
  }
  const none = landscape.hits?.size === 0 ? noMatch(state, deps) : nothing;
  switch (state.view) {
    case 'objects': {
      const chart = state.chosen !== '' && state.panel === 'chart' && !isPhone ? inspector.chart(state) : undefined;
      return html`${none}${chart ?? objects.view(landscape, state, isPhone)}`;
    }
    case 'timeline':
      return html`${none}${timeline.view(landscape, state)}`;
    case 'messages':
      return messages.view(state, landscape);
    case 'problems':
      return html`${none}${problems.view(state, landscape)}`;
  }
}

/** Layout of the objects as the user chooses it. */
function layoutOf(landscape: Landscape, isPhone: boolean): Layout {
  const shape = shapeOf(state, landscape, isPhone);
  return shape === 'list' || shape === 'home' ? 'list' : shape === 'map' ? 'map' : 'graph';
}

function trouble(): Html {
  if (model.awaySince !== 0) {
    return html`<p class="trouble" role="status">${icon(SIGNS.warn)} The server does not answer for ${duration(Date.now() - model.awaySince)}; connecting again. What is shown is as it was then.</p>`;
  }
  return model.problem === undefined
    ? nothing
    : html`<p class="trouble" role="status">${icon(SIGNS.warn)} ${model.problem}</p>`;
}

/** Announces new root causes to screen readers, one sentence at a time. */
function announce({ causes, byKey }: Landscape): void {
  if (!model.isLoaded || state.at !== 0) return;
  const now = Date.now();
  const fresh = [...causes.blockedBy.keys()].filter((key) => !announced.roots.has(key));
  if (announced.isFirst || fresh.length === 0) {
    announced.isFirst = false;
    announced.roots = new Set(causes.blockedBy.keys());
    return;
  }
  if (now - announced.at < SAY_MS) return;
  announced.at = now;
  announced.roots = new Set(causes.blockedBy.keys());
  const [first = ''] = fresh;
  const { kind, name } = model.named(first);
  const label = labelOf(byKey.get(first)?.tone ?? 'absent').toLowerCase();
  announced.text = `${kind} ${name} is ${label}${fresh.length > 1 ? `, and ${counted(fresh.length - 1, 'other')}` : ''}.`;
}

/** Reads the history once after each snapshot, and again after a failure. */
async function readHistory(): Promise<void> {
  if (model.hello?.keepsHistory === false) return;
  historyAsked ??= server.history(0).then(
    (steps) => model.takeHistory(steps),
    () => {
      // Without what is kept there is still what was heard since.
      model.historyIs = 'none';
      const failed = historyAsked;
      setTimeout(() => {
        if (historyAsked !== failed) return;
        historyAsked = undefined;
        void readHistory();
      }, HISTORY_AGAIN_MS);
    },
  );
  await historyAsked;
  draw();
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#stage')?.focus();
}

// --- the beginning ---------------------------------------------------------------------------------------------------------

readTheme();
for (const type of ['popstate', 'hashchange'] as const) {
  addEventListener(type, () => {
    state = fromHash(location.hash);
    draw();
  });
}
phone.addEventListener('change', draw);
addEventListener('resize', draw);
listenToKeys({
  state: () => state,
  change,
  shown: () => {
    const landscape = landscapes.at(state);
    const { trees, hits } = landscape;
    return sorted(hits === undefined ? trees : trees.filter(({ key }) => hits.has(key)), landscape, state).map(
      ({ key }) => key,
    );
  },
  hits: () => [...(landscapes.at(state).hits ?? [])],
  step: (direction) => historyBar.step(direction),
  command: () => (state.chosen === '' ? undefined : whyCommand(model.named(state.chosen))),
  showKeys,
});
setInterval(() => {
  const from = Date.now() - TICK_MS;
  lately = lately.filter((at) => at > from);
  draw();
}, TICK_MS);
follow({
  onSnapshot(snapshot) {
    model.takeSnapshot(snapshot);
    model.awaySince = 0;
    // The history includes events during a lost connection.
    historyAsked = undefined;
    setTimeout(() => void readHistory(), HISTORY_MS);
    draw();
  },
  onChanges(changes) {
    model.takeChanges(changes);
    const now = Date.now();
    for (let index = 0; index < changes.trees.length; index++) lately.push(now);
    if (lately.length > 2 * BUSY_RATE) lately = lately.slice(-2 * BUSY_RATE);
    draw();
  },
  onTrouble(what) {
    model.problem = what;
    draw();
  },
  onAway() {
    if (model.awaySince === 0) model.awaySince = Date.now();
    draw();
  },
  onThere() {
    model.awaySince = 0;
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
