// One object: its chart, why it waits, what happened to it, its mail, and itself.
import { html } from 'lit-html';
import type { ChartNode, Inspected, MessageView, RecentEvent, Step, Tree } from '../wire.ts';
import { Chart } from './chart.ts';
import { type Html, objectLink, onTabKey, pill, sign, type ViewDeps } from './parts.ts';
import { server } from './server.ts';
import { PANELS, type Panel, type State } from './state.ts';
import { clock, duration, eventLabel } from './text.ts';

/** What has happened meanwhile is read again after a pause, in milliseconds. */
const AGAIN_MS = 700;
const TITLES: Readonly<Record<Panel, string>> = {
  chart: 'Chart',
  why: 'Why',
  history: 'History',
  mail: 'Mail',
  object: 'Object',
};

export class Inspector {
  readonly #deps: ViewDeps;
  readonly #machines = new Map<string, Promise<ChartNode>>();
  #key = '';
  #answer: Inspected | undefined;
  #problem: string | undefined;
  #chart: Chart | undefined;
  #drawn = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seen: Tree | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view({ chosen, panel, at }: State): Html {
    if (chosen === '') return '';
    this.#follow(chosen);
    const { model, change } = this.#deps;
    const tree = model.treeAt(chosen, at);
    const named = tree ?? model.named(chosen);
    const since = tree === undefined || tree.since === 0 ? '' : `for ${duration((at || model.now()) - tree.since)}`;
    return html`<aside class="inspector" aria-label="The chosen object">
      <header>
        <div>
          <p class="dim">${named.kind}${named.namespace === '' ? '' : html` in ${named.namespace}`}</p>
          <h2><bdi>${named.name}</bdi></h2>
        </div>
        <button type="button" class="icon" aria-label="Close" title="Close (Esc)" @click=${() => change({ chosen: '' })}>×</button>
      </header>
      <p class="summary" aria-live="polite">
        ${pill(tree?.tone ?? 'absent')} <code>${tree?.state ?? ''}</code> <span class="dim">${since}</span>
      </p>
      ${tree?.said ? html`<p class="said"><bdi>${tree.said}</bdi></p>` : ''}
      <div class="tabs" role="tablist" @keydown=${onTabKey}>
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
            ${TITLES[name]}
          </button>`,
        )}
      </div>
      <div class="panel ${panel}" id="panel" role="tabpanel" aria-labelledby="tab-${panel}" tabindex="0">
        ${this.#problem === undefined ? this.#panel(panel, at, tree) : html`<p class="bad" role="alert">${this.#problem}</p>`}
      </div>
    </aside>`;
  }

  #panel(panel: Panel, at: number, tree: Tree | undefined): Html {
    const answer = this.#answer;
    if (panel === 'chart') return this.#chartPanel(at, tree);
    if (panel === 'history') return this.#history(at);
    if (answer === undefined) return html`<p class="quiet">reading</p>`;
    if (panel === 'why') return this.#why(answer);
    if (panel === 'mail') return this.#mail(answer);
    return answer.object === undefined ? html`<p class="quiet">it is gone</p>` : objectView(answer.object);
  }

  #chartPanel(at: number, tree: Tree | undefined): Html {
    const { model } = this.#deps;
    const machine =
      this.#answer?.machine ?? model.hello?.kinds.find(({ kind }) => kind === model.named(this.#key).kind)?.machine;
    this.#chart ??= new Chart('The statechart of the object');
    if (machine !== undefined && machine !== this.#drawn) {
      this.#drawn = machine;
      this.#draw(machine).catch((error: Error) => this.#fail(error));
    }
    const step = model.stepAt(this.#key, at || Number.POSITIVE_INFINITY) ?? (at === 0 ? this.#lastKept() : undefined);
    this.#chart.show({
      state: tree?.state ?? '',
      from: step?.from ?? '',
      cause: step?.cause ?? '',
      at: step?.at ?? 0,
    });
    const ways = this.#chart.ways.filter(({ event }) => event !== '');
    return html`${this.#chart.element}
      <div class="ways">
        ${step === undefined ? '' : html`<p>${stepView(step)}</p>`}
        <ul aria-label="What leads on">
          ${ways.map(({ event, to }) => html`<li><span>${event}</span> <span class="dim">→</span> <code>${to}</code></li>`)}
        </ul>
      </div>`;
  }

  /** Its last transition before the page was opened. */
  #lastKept(): Step | undefined {
    const last = this.#answer?.history.findLast(({ type }) => type === 'transition');
    if (last === undefined) return undefined;
    const text = (name: string): string => String(last.data[name] ?? '');
    return { key: this.#key, at: last.at, from: text('from'), to: text('to'), cause: text('cause'), tone: 'busy' };
  }

  async #draw(machine: string): Promise<void> {
    const known = this.#machines.get(machine) ?? server.machine(machine);
    this.#machines.set(machine, known);
    known.catch(() => this.#machines.delete(machine));
    await this.#chart?.draw(await known);
    this.#deps.onUpdate();
  }

  #why({ chain, causes }: Inspected): Html {
    if (causes.length === 0 && chain.length === 0) return html`<p class="quiet">it waits for nothing</p>`;
    const { model, change } = this.#deps;
    const [root, ...others] = causes;
    return html`
      ${root === undefined ? '' : html`<section class="cause"><h3>Root cause</h3><p><bdi>${root.summary}</bdi></p><p class="advice">${root.advice}</p></section>`}
      <ol class="chain">
        ${chain.map(
          ({ depth, key, standing, said }) => html`<li class="depth-${Math.min(depth, 9)}">
            ${objectLink(model, key, (chosen) => change({ chosen }))} <em>${standing}</em>
            ${said === '' ? '' : html`<p class="dim"><bdi>${said}</bdi></p>`}
          </li>`,
        )}
      </ol>
      ${others.map(({ summary, advice }) => html`<section class="cause other"><p><bdi>${summary}</bdi></p><p class="advice">${advice}</p></section>`)}
    `;
  }

  #history(at: number): Html {
    const { model, change } = this.#deps;
    const reported: readonly RecentEvent[] = this.#answer?.history ?? model.stepsOf(this.#key).map(asHappening);
    if (reported.length === 0) return html`<p class="quiet">nothing is kept of what happened</p>`;
    const moves = reported.filter(({ type }) => type !== 'call').map((each) => each.at);
    const current = moves.filter((moment) => moment <= (at || Number.POSITIVE_INFINITY)).at(-1);
    return html`<ol class="history">
      ${reported.toReversed().map((each) => {
        const next = moves.find((moment) => moment > each.at);
        const lasted = each.type === 'call' ? '' : duration((next ?? model.now()) - each.at);
        return html`<li class="${each.type} ${each.type !== 'call' && each.at === current ? 'current' : ''}">
          <button type="button" title="Show everything as it was then" @click=${() => change({ at: each.at })}>${clock(each.at)}</button>
          <div>${happeningView(each)}</div>
          <span class="number dim">${lasted}</span>
        </li>`;
      })}
    </ol>`;
  }

  #mail({ mail, mailTrouble }: Inspected): Html {
    if (mailTrouble !== undefined) return html`<p class="quiet">${mailTrouble}</p>`;
    if (mail.length === 0) return html`<p class="quiet">no mail</p>`;
    return html`<ul class="mail">
      ${mail.map((letter) => this.#letter(letter))}
    </ul>`;
  }

  #letter({ topic, from, to, at, payload }: MessageView): Html {
    const { model, change } = this.#deps;
    const isFrom = to === this.#key;
    const other = isFrom ? from : to;
    const { kind, name } = model.named(other);
    return html`<li>
      <details>
        <summary>
          <b>${topic}</b>
          <span>${isFrom ? 'from' : 'to'} ${other === '' ? 'the watch' : html`<span class="dim">${kind}</span> <bdi>${name}</bdi>`}</span>
          <span class="dim number">${clock(at, { fraction: false })}</span>
        </summary>
        ${other === '' ? '' : objectLink(model, other, (chosen) => change({ chosen }))}
        <pre tabindex="0">${JSON.stringify(payload, undefined, 2)}</pre>
      </details>
    </li>`;
  }

  /** Asks for the object when it is chosen, and again when something happens to it. */
  #follow(key: string): void {
    const tree = this.#deps.model.trees.get(key);
    if (key !== this.#key) {
      this.#key = key;
      this.#answer = undefined;
      this.#problem = undefined;
      this.#chart = undefined;
      this.#drawn = '';
      this.#seen = tree;
      this.#read(0);
    } else if (tree !== this.#seen) {
      this.#seen = tree;
      this.#read(AGAIN_MS);
    }
  }

  #read(delayMs: number): void {
    if (this.#timer !== undefined && delayMs > 0) return;
    clearTimeout(this.#timer);
    const key = this.#key;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      server.object(key).then(
        (answer) => {
          if (key !== this.#key) return;
          this.#answer = answer;
          this.#problem = undefined;
          this.#deps.onUpdate();
        },
        (error: Error) => {
          if (key === this.#key) this.#fail(error);
        },
      );
    }, delayMs);
  }

  #fail({ message }: Error): void {
    this.#problem = message;
    this.#deps.onUpdate();
  }
}

function asHappening({ at, from, to, cause, failure }: Step): RecentEvent {
  return {
    at,
    type: to === '' ? 'deleted' : 'transition',
    traceId: '',
    data: { from, to, cause, ...(failure !== undefined && { failure }) },
  };
}

function stepView({ from, to, cause, at }: Step): Html {
  return html`<code>${from || 'new'}</code> → <code>${to || 'gone'}</code> <span class="dim">on ${eventLabel(cause)}, ${clock(at)}</span>`;
}

function happeningView({ type, data }: RecentEvent): Html {
  const text = (name: string): string => (data[name] === undefined || data[name] === null ? '' : String(data[name]));
  if (type === 'call') {
    const status = text('status');
    const isBad = status === '' || Number(status) >= 400;
    return html`<span class=${isBad ? 'bad' : ''}>${text('method')} ${text('path')} <b>${status || 'no answer'}</b></span>
      <small>${text('service')}, ${duration(Number(data['durationMs'] ?? 0))}${data['requestId'] === undefined ? '' : html`, <code>${text('requestId')}</code>`}</small>`;
  }
  if (type === 'deleted') return html`<b>gone</b> <small>from ${text('from')}</small>`;
  const failure = text('failure') || text('error');
  return html`<code>${text('to') || type}</code> <small>${eventLabel(text('cause'))}</small>
    ${failure === '' ? '' : html`<small class="bad">${sign('failing')} ${failure}</small>`}`;
}

/** An object as YAML people would write it, in parts that open and close. */
function objectView(object: Readonly<Record<string, unknown>>): Html {
  const conditions = ((object['status'] as { conditions?: unknown } | undefined)?.conditions ?? []) as readonly Record<
    string,
    unknown
  >[];
  const parts = ['spec', 'status', 'metadata'].filter((name) => object[name] !== undefined);
  return html`
    ${
      Array.isArray(conditions) && conditions.length > 0
        ? html`<table class="conditions">
            <thead><tr><th scope="col">Condition</th><th scope="col">Status</th><th scope="col">Reason</th></tr></thead>
            <tbody>
              ${conditions.map(
                ({ type, status, reason, message }) => html`<tr>
                  <th scope="row">${String(type)}</th><td>${String(status)}</td>
                  <td>${String(reason ?? '')}<p class="dim"><bdi>${String(message ?? '')}</bdi></p></td>
                </tr>`,
              )}
            </tbody>
          </table>`
        : ''
    }
    ${parts.map(
      (name) =>
        html`<details ?open=${name !== 'metadata'}><summary>${name}</summary><pre tabindex="0">${yaml(object[name], 0)}</pre></details>`,
    )}
  `;
}

function yaml(value: unknown, depth: number): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}[]\n`;
    return value.map((item) => `${indent}- ${yaml(item, depth + 1).trimStart()}`).join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return `${indent}{}\n`;
    return entries
      .map(([key, part]) => {
        const isNested = typeof part === 'object' && part !== null && Object.keys(part).length > 0;
        return isNested
          ? `${indent}${key}:\n${yaml(part, depth + 1)}`
          : `${indent}${key}: ${yaml(part, 0).trimStart()}`;
      })
      .join('');
  }
  return `${indent}${typeof value === 'string' ? quoted(value) : String(value)}\n`;
}

/** As YAML has it: in quotes where it would be read as something else. */
function quoted(text: string): string {
  const isPlain =
    /^[A-Za-z0-9/._][^\n:#]*$/.test(text) && !/^(true|false|null|yes|no|~|[\d.]+)$/i.test(text) && text.trim() === text;
  return isPlain ? text : JSON.stringify(text);
}
