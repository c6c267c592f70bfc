// One object beside whatever else is shown: its summary, chart, history, messages, and itself.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Chart, Inspected, RecentEvent, Step, Tree } from '../wire.ts';
import { ChartMap, ChartView, type Where } from './chart.ts';
import { asEvent, historyPanel } from './history-panel.ts';
import { familyOf, iconOf, SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { messagesPanel } from './messages-panel.ts';
import { differencesIn, type Form, objectPanel } from './object-panel.ts';
import { copyButton, icon, onTabKey, pill, type ViewDeps, whyCommand } from './parts.ts';
import { server } from './server.ts';
import { PANELS, type Panel, type State } from './state.ts';
import { summary } from './summary.ts';
import { clock, countdown, duration, eventLabel } from './text.ts';
import type { StatusColor } from './tones.ts';

/** Pause after which news is read again, in milliseconds. It doubles with each failure. */
const AGAIN_MS = 700;
const DOUBLINGS = 3;
/** Steps that are named as the way to where it is. */
const LAST = 4;
const TITLES: Readonly<Record<Panel, string>> = {
  summary: 'Summary',
  chart: 'Chart',
  history: 'History',
  messages: 'Messages',
  object: 'Object',
};

export class Inspector {
  readonly #deps: ViewDeps;
  readonly #machines = new Map<string, Promise<Chart>>();
  readonly #chartView: ChartView;
  #chart: Chart | undefined;
  #chartName = '';
  #key = '';
  #answer: Inspected | undefined;
  #problem: string | undefined;
  /** Failures in a row. */
  #failures = 0;
  /** Identifies the last request, from its planning to its answer. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #form: Form = 'diff';

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#chartView = new ChartView(() => deps.onUpdate());
  }

  /** The chart in its layout, for where there is room; undefined: it is not there yet. */
  chart({ chosen, at }: State): TemplateResult | undefined {
    this.#follow(chosen);
    const where = this.#where(at);
    if (this.#chart === undefined) return undefined;
    this.#chartView.show(this.#chart, where);
    return html`${this.#chartView.element}`;
  }

  /** @param landscape  of all namespaces @param isPhone  the chart is shown here */
  view(state: State, landscape: Landscape, isPhone: boolean): TemplateResult | typeof nothing {
    const { chosen, panel, at } = state;
    if (chosen === '') return nothing;
    this.#follow(chosen);
    const { model, change } = this.#deps;
    const tree = landscape.byKey.get(chosen);
    const named = tree ?? model.named(chosen);
    const now = at || model.now();
    const since = tree === undefined || tree.since === 0 ? '' : `for ${duration(now - tree.since)}`;
    const count = differencesIn(this.#answer, tree)?.count ?? 0;
    return html`<aside class="inspector" aria-label="${named.kind} ${named.name}">
      <header>
        <div class="idt f-${familyOf(named)}">
          <span class="t">${icon(iconOf(named))}</span>
          <div class="grow">
            <p class="dim cut">${named.kind}${named.namespace === '' ? '' : html` in <bdi>${named.namespace}</bdi>`}</p>
            <h2><bdi>${named.name}</bdi></h2>
          </div>
          ${copyButton(location.href, 'Copy link', { of: 'link' })} ${copyButton(whyCommand(named), 'Copy command')}
          <button type="button" class="ib" aria-label="Close" title="Close (Esc)" @click=${() => change({ chosen: '', inGroup: false })}>${icon(SIGNS.x)}</button>
        </div>
        <p class="now" aria-live="polite">${pill(tree?.tone ?? 'absent')} <code>${tree?.state ?? ''}</code> <span class="dim num">${since}</span></p>
      </header>
      <div class="tabs" role="tablist" aria-label="About it" @keydown=${onTabKey}>
        ${PANELS.map(
          (name) => html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-selected=${name === panel}
            aria-controls="panel"
            tabindex=${name === panel ? 0 : -1}
            @click=${() => change({ panel: name })}
          >
            ${TITLES[name]}${name === 'object' && count > 0 ? html`<i>${count}<span> diff</span></i>` : nothing}
          </button>`,
        )}
      </div>
      <div class="panel-of" data-panel=${panel} id="panel" role="tabpanel" aria-labelledby="tab-${panel}" tabindex="0">
        ${this.#problem === undefined ? this.#panel(state, landscape, tree, isPhone) : html`<p class="bad" role="alert">${this.#problem}</p>`}
      </div>
    </aside>`;
  }

  #panel(state: State, landscape: Landscape, tree: Tree | undefined, isPhone: boolean): TemplateResult {
    const { panel, at } = state;
    const { model } = this.#deps;
    const answer = this.#answer;
    if (panel === 'chart') return this.#chartPanel(state, isPhone);
    if (panel === 'history') return historyPanel(this.#events(), at, (event) => this.#toneOf(event), this.#deps);
    if (panel === 'summary') {
      if (tree === undefined) return html`<p class="quiet">${model.isLoaded ? 'It is not there.' : 'Reading…'}</p>`;
      return summary({ ...this.#deps, landscape, tree, answer, now: at || model.now(), at });
    }
    if (answer === undefined) return html`<p class="quiet" role="status">Reading…</p>`;
    if (panel === 'messages') return messagesPanel(answer, this.#key, this.#deps);
    const onForm = (form: Form): void => {
      this.#form = form;
      this.#deps.onUpdate();
    };
    return objectPanel(answer, tree, this.#form, onForm, this.#deps);
  }

  /** Stored steps, and later ones. */
  #events(): readonly RecentEvent[] {
    const kept = this.#answer?.history ?? [];
    const last = kept.at(-1)?.at ?? 0;
    const heard = this.#deps.model.stepsOf(this.#key).filter((step) => step.at > last);
    return [...kept, ...heard.map(asEvent)];
  }

  #toneOf({ at, type, data }: RecentEvent): StatusColor | undefined {
    if (type === 'call') return undefined;
    if (type === 'deleted') return 'deleting';
    return (
      this.#deps.model.stepsOf(this.#key).find((step) => step.at === at)?.tone ??
      (data['failure'] === undefined ? undefined : 'failing')
    );
  }

  #chartPanel(state: State, isPhone: boolean): TemplateResult {
    const { change } = this.#deps;
    const where = this.#where(state.at);
    const chart = this.#chart;
    const map = chart && new ChartMap(chart);
    const ways = map?.ways(map.pathOf(where.state)) ?? [];
    const left = where.retryAt - where.now;
    return html`
      ${isPhone || state.view !== 'objects' ? html`<div class="inline-chart">${this.chart(state) ?? html`<p class="quiet" role="status">Reading…</p>`}</div>` : nothing}
      ${chart === undefined ? nothing : this.#chartView.inside()}
      <section class="sec"><h3>How it came here</h3>
        ${where.steps.length === 0 ? html`<p>Nothing is kept of that.</p>` : nothing}
        <ol class="came">${where.steps
          .slice(-LAST)
          .toReversed()
          .map(
            ({
              at,
              from,
              to,
              cause,
              failure,
            }) => html`<li><button type="button" class="num" title="Show everything as it was then" @click=${() => change({ at })}>${clock(at)}</button>
              <div><code><span class="dim">${from || 'new'} →</span> <b>${to || 'gone'}</b></code><p class="dim">${eventLabel(cause) || 'at once'}${failure === undefined ? '' : `, ${failure}`}</p></div></li>`,
          )}</ol>
      </section>
      <section class="sec"><h3>What leads on</h3>
        <table class="tb"><thead><tr><th scope="col">Event</th><th scope="col">Next state</th></tr></thead>
        <tbody>${ways.map(
          ({ event, to }) =>
            html`<tr><td class=${event.startsWith('after ') ? 'accent' : ''}>${event}${event.startsWith('after ') && left > 0 ? `, ${countdown(left)}` : ''}</td><td><code>${map?.nameOf(to)}</code></td></tr>`,
        )}</tbody></table>
      </section>
      ${map === undefined ? nothing : html`<section class="sec"><h3>Machine</h3><p>${this.#chartName}: ${map.outer.length} states, ${map.inside} inside. Choose a state to see its inside here.</p></section>`}
    `;
  }

  #where(at: number): Where {
    const { model } = this.#deps;
    const tree = model.treeAt(this.#key, at);
    const heard = model.stepsOf(this.#key);
    const kept = (this.#answer?.history ?? [])
      .filter(({ type }) => type === 'transition')
      .map((event) => stepOf(this.#key, event));
    const known = new Set(heard.map((step) => step.at));
    const steps = [...kept.filter((step) => !known.has(step.at)), ...heard].sort((one, other) => one.at - other.at);
    return {
      state: tree?.state ?? '',
      tone: tree?.tone ?? 'absent',
      since: tree?.since ?? 0,
      steps: at === 0 ? steps : steps.filter((step) => step.at <= at),
      retryAt: at === 0 ? (tree?.retryAt ?? 0) : 0,
      now: at || model.now(),
    };
  }

  /** Reads the object when it is chosen, and again when it or an object that it waits for changes. */
  #follow(key: string): void {
    const { model } = this.#deps;
    if (key !== this.#key) {
      this.#key = key;
      this.#answer = undefined;
      this.#problem = undefined;
      this.#chart = undefined;
      this.#chartName = '';
      this.#failures = 0;
      this.#read(0);
    } else if (this.#timer === undefined && this.#isStale()) {
      this.#read(AGAIN_MS * 2 ** Math.min(this.#failures, DOUBLINGS));
    }
    const kind = model.named(key).kind;
    const machine = this.#answer?.machine ?? model.hello?.kinds.find((each) => each.kind === kind)?.machine ?? '';
    if (machine !== '' && machine !== this.#chartName) {
      this.#chartName = machine;
      void this.#readChart(machine, key);
    }
  }

  #isStale(): boolean {
    if (this.#failures > 0 || this.#answer === undefined) return true;
    const { at, causes, chain } = this.#answer;
    const { model } = this.#deps;
    if (model.isChangedSince(at, [this.#key, ...chain.map(({ key }) => key)])) return true;
    return causes.length > 0 && model.isOld(at);
  }

  async #readChart(machine: string, key: string): Promise<void> {
    const known = this.#machines.get(machine) ?? server.machine(machine);
    this.#machines.set(machine, known);
    try {
      const chart = await known;
      if (key === this.#key) this.#chart = chart;
      this.#deps.onUpdate();
    } catch (error) {
      this.#machines.delete(machine);
      if (key === this.#key) this.#fail(error as Error);
    }
  }

  #read(delayMs: number): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      server.object(this.#key).then(
        (answer) => {
          if (timer !== this.#timer) return;
          this.#timer = undefined;
          this.#answer = answer;
          this.#problem = undefined;
          this.#failures = 0;
          // A chart that could not be read is read again.
          if (this.#chart === undefined) this.#chartName = '';
          this.#deps.onUpdate();
        },
        (error: Error) => {
          if (timer !== this.#timer) return;
          this.#timer = undefined;
          this.#fail(error);
        },
      );
    }, delayMs);
    this.#timer = timer;
  }

  #fail({ message }: Error): void {
    this.#failures += 1;
    // Facts of the feed are shown whatever else can be read.
    if (this.#deps.model.awaySince === 0) this.#problem = message;
    this.#deps.onUpdate();
  }
}

function stepOf(key: string, { at, data }: RecentEvent): Step {
  const text = (name: string): string => String(data[name] ?? '');
  const failure = text('failure');
  return {
    key,
    at,
    from: text('from'),
    to: text('to'),
    cause: text('cause'),
    tone: 'busy',
    ...(failure !== '' && { failure }),
  };
}
