// Present problems by root cause, the one that blocks most first, with advice; beside them the health of services, the
// running processes, and the rates.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Problem, Problems, ServiceView, Severity, Tree } from '../wire.ts';
import { headlineOf } from './headline.ts';
import type { Landscape } from './landscape.ts';
import { copyButton, kindChips, objectLink, pill, sign, type ViewDeps, whyCommand } from './parts.ts';
import { server } from './server.ts';
import type { State } from './state.ts';
import { sentence } from './summary.ts';
import { clock, counted, duration } from './text.ts';
import { StatusColor } from './tones.ts';

/** Cards that are shown at first. */
const SHOWN = 30;
/** Pause between two requests, in milliseconds. It doubles while the server fails or keeps its answer. */
const AGAIN_MS = 1_500;
const DOUBLINGS = 3;
/** Rates are those of so long, in milliseconds. */
const RATE_MS = 60_000;
const TITLES: Readonly<Record<Severity, string>> = { person: 'Needs you', retrying: 'Retrying', waiting: 'Waiting' };
const TONES: Readonly<Record<Severity, StatusColor>> = {
  person: StatusColor.Failed,
  retrying: StatusColor.Failing,
  waiting: StatusColor.Waiting,
};

/** One problem, or several that are the same with different objects. */
export interface ProblemCard {
  readonly problem: Problem;
  /** Keys of the objects that it lies with. */
  readonly keys: readonly string[];
  readonly waiting: readonly string[];
}

/** Those that say the same of objects of one kind are one card. */
export function cardsOf(
  problems: readonly Problem[],
  named: (key: string) => Pick<Tree, 'kind' | 'name'>,
): readonly ProblemCard[] {
  const cards = new Map<string, { problem: Problem; keys: string[]; waiting: Set<string> }>();
  for (const problem of problems) {
    const { key, severity, namespace, summary, advice } = problem;
    const { kind, name } = key === '' ? { kind: '', name: '' } : named(key);
    const id = [severity, namespace, kind, without(summary, name), without(advice, name)].join('\n');
    const card = cards.get(id) ?? { problem, keys: [], waiting: new Set<string>() };
    cards.set(id, card);
    if (key !== '') card.keys.push(key);
    for (const each of problem.waiting) card.waiting.add(each);
  }
  return [...cards.values()].map(({ problem, keys, waiting }) => ({ problem, keys, waiting: [...waiting] }));
}

/** Text without a name as a word. */
function without(text: string, name: string): string {
  if (name === '') return text;
  return text
    .split(name)
    .reduce((all, part) => `${all}${/[\w-]$/.test(all) || /^[\w-]/.test(part) ? name : ''}${part}`);
}

export class ProblemsView {
  readonly #deps: ViewDeps;
  #answer: Problems | undefined;
  #failure: string | undefined;
  /** Requests in a row that failed, or that brought the same answer. */
  #vain = 0;
  #readAt = 0;
  #isReading = false;
  #shown = SHOWN;
  #count: number | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  /** Number of cards that the view found last; undefined: it was not read. */
  get count(): number | undefined {
    return this.#count;
  }

  view({ namespace, text, tones }: State, landscape: Landscape): TemplateResult {
    this.#read();
    if (this.#failure !== undefined && this.#answer === undefined)
      return html`<p class="bad" role="alert">${this.#failure}</p>`;
    if (this.#answer === undefined) return html`<p class="quiet" role="status">Reading…</p>`;
    const { model } = this.#deps;
    const { at, problems, notes } = this.#answer;
    const isWanted = (problem: Problem): boolean => {
      if (namespace !== '' && problem.namespace !== namespace) return false;
      if (text.trim() === '' && tones.length === 0) return true;
      return landscape.hits?.has(problem.key) === true || problem.waiting.some((key) => landscape.hits?.has(key));
    };
    const shown = problems.filter(isWanted);
    const cards = cardsOf(shown, (key) => model.named(key));
    this.#count = cards.length;
    const waiting = new Set(shown.flatMap((problem) => problem.waiting));
    const needed = cards.filter(({ problem }) => problem.severity === 'person').length;
    const waitsOn = new Map<string, number>();
    for (const card of cards) for (const key of card.waiting) waitsOn.set(key, (waitsOn.get(key) ?? 0) + 1);
    const [first] = cards;
    const alone = (card: ProblemCard): number => card.waiting.filter((key) => waitsOn.get(key) === 1).length;
    return html`${
      this.#failure === undefined
        ? nothing
        : html`<p class="bad" role="alert">Reading the problems failed: ${this.#failure}. These are the problems at ${clock(at, { fraction: false })}.</p>`
    }<div class="prob">
      <div>
        ${
          cards.length === 0 && notes.length === 0
            ? html`<h2 class="title well">${sign(StatusColor.Available)} No problems</h2><p class="lead">${counted(landscape.trees.length, 'object')}, and nothing waits for anybody.</p>`
            : html`<h2 class="title num">${counted(cards.length, 'root cause')}, ${counted(waiting.size, 'object')} wait${waiting.size === 1 ? 's' : ''}</h2>
              <p class="lead">${needed === 0 ? 'None of them needs you.' : `${needed} need${needed === 1 ? 's' : ''} you.`} ${first !== undefined && alone(first) > 0 ? `Fixing the first lets ${counted(alone(first), 'object')} continue at once.` : ''}</p>`
        }
        ${notes.map(({ summary, advice }) => html`<article class="pc failing"><div class="in"><p class="hd">${pill(StatusColor.Failing, 'Around all objects')}</p><h3><bdi>${summary}</bdi></h3>${advice === '' ? nothing : html`<p class="do">${sentence(advice)}</p>`}</div></article>`)}
        ${cards.slice(0, this.#shown).map((card) => this.#card(card, alone(card), landscape))}
        ${
          cards.length > this.#shown
            ? html`<p><button type="button" class="btn" @click=${() => {
                this.#shown += SHOWN;
                this.#deps.onUpdate();
              }}>Show ${Math.min(SHOWN, cards.length - this.#shown)} more of ${cards.length - this.#shown}</button></p>`
            : nothing
        }
      </div>
      ${this.#side(this.#answer)}
    </div>`;
  }

  #card({ problem, keys, waiting }: ProblemCard, alone: number, landscape: Landscape): TemplateResult {
    const { model, change } = this.#deps;
    const { severity, summary, advice, namespace } = problem;
    const [key = ''] = keys;
    const tree = landscape.byKey.get(key) ?? model.trees.get(key);
    const group = landscape.groupOf.get(key)?.name;
    const tone = severity === 'person' && tree?.tone === StatusColor.Failing ? StatusColor.Failing : TONES[severity];
    const left = tree === undefined || tree.retryAt === 0 ? undefined : tree.retryAt - model.now();
    const trees = waiting.flatMap((each) => model.trees.get(each) ?? []);
    const named = key === '' ? undefined : model.named(key);
    const { title, detail } = headlineOf(summary, named === undefined ? '' : `${named.kind}/${named.name}`);
    return html`<article class="pc ${tone}" data-problem=${key}>
      <div class="in">
        <div class="hd">
          ${pill(tone, TITLES[severity])} ${key === '' ? nothing : objectLink(model, key, (chosen) => change({ chosen, panel: 'summary' }))}
          <span>${named === undefined ? namespace : html`${named.kind}${namespace === '' ? '' : html` in <bdi>${namespace}</bdi>`}${group === undefined || group === namespace ? '' : html`, <bdi>${group}</bdi>`}`}</span>
          ${keys.length > 1 ? html`<b class="num">×${keys.length}</b>` : nothing}
          <span class="grow"></span>${tree === undefined || tree.since === 0 ? nothing : html`<span class="num">since ${clock(tree.since, { fraction: false })}</span>`}
        </div>
        <h3><bdi>${title}</bdi></h3>
        ${advice === '' ? nothing : html`<p class="do"><bdi>${sentence(advice)}</bdi></p>`}
        ${
          keys.length > 1
            ? html`<details class="alike"><summary>The same with ${counted(keys.length - 1, 'other')}</summary>${kindChips(
                keys.slice(1).flatMap((each) => model.trees.get(each) ?? []),
                change,
              )}</details>`
            : nothing
        }
        ${
          waiting.length === 0
            ? html`<p class="dim small">Nothing else waits for it.</p>`
            : html`<div class="blast">
                <p class="big num">${waiting.length}<small>blocked</small></p>
                <div>${kindChips(trees, change)}<p class="dim small">${alone === waiting.length ? 'Nothing else holds them.' : `${alone} wait for this alone, ${waiting.length - alone} for another root cause too.`}</p></div>
              </div>`
        }
      </div>
      <div class="ft">
        ${detail === '' ? nothing : html`<code class="told cut" title=${detail}><bdi>${detail}</bdi></code>`}
        ${tree !== undefined && tree.attempts > 1 ? html`<span class="num">${tree.attempts} attempts</span>` : nothing}
        <span class="grow"></span>
        ${left === undefined ? html`<span>${severity === 'person' ? 'not tried again until it changes' : ''}</span>` : html`<b class="num accent">${left > 0 ? `next attempt in ${duration(Math.ceil(left / 1_000) * 1_000)}` : 'trying again now'}</b>`}
        ${named === undefined ? nothing : copyButton(whyCommand(named), 'Copy command', { isWide: true })}
      </div>
    </article>`;
  }

  #side({ services, leases }: Problems): TemplateResult {
    const holders = new Map<string, number>();
    for (const { holder } of leases) holders.set(holder, (holders.get(holder) ?? 0) + 1);
    const { model } = this.#deps;
    const from = model.now() - RATE_MS;
    const lately = model.steps.slice(-5_000).filter(({ at }) => at > from);
    const failed = lately.filter(({ failure }) => failure !== undefined).length;
    const calls = services.reduce((sum, service) => sum + service.calls, 0);
    const rate = (count: number, ms: number): string => `${(count / (ms / 1_000)).toFixed(1)} /s`;
    return html`<aside class="side" aria-label="Services and processes">
      <section><h3>Services in the last 5 minutes</h3>
        ${services.length === 0 ? html`<p class="dim">None was called.</p>` : services.map(serviceRow)}
      </section>
      <section><h3>Runs on</h3>
        ${holders.size === 0 ? html`<p class="dim">No process hosts actors.</p>` : html`<dl class="facts">${[...holders].map(([holder, count]) => html`<dt><bdi>${holder}</bdi></dt><dd class="num">${counted(count, 'lease')}</dd>`)}</dl>`}
      </section>
      <section><h3>Rates</h3>
        <dl class="facts num"><dt>Changes</dt><dd>${rate(lately.length, RATE_MS)}</dd><dt>Failed attempts</dt><dd>${rate(failed, RATE_MS)}</dd><dt>Calls</dt><dd>${rate(calls, 300_000)}</dd></dl>
      </section>
    </aside>`;
  }

  /** Reads until the answer is newer than the last change; the page is drawn every second. */
  #read(): void {
    const { model, onUpdate } = this.#deps;
    const { at } = this.#answer ?? { at: 0 };
    const isCurrent = this.#failure === undefined && !model.isChangedSince(at) && !model.isOld(at);
    if (this.#isReading || isCurrent) return;
    if (Date.now() - this.#readAt < AGAIN_MS * 2 ** Math.min(this.#vain, DOUBLINGS)) return;
    this.#isReading = true;
    this.#readAt = Date.now();
    server
      .problems()
      .then(
        (answer) => {
          this.#vain = answer.at === this.#answer?.at ? this.#vain + 1 : 0;
          this.#answer = answer;
          this.#failure = undefined;
        },
        (error: Error) => {
          this.#vain += 1;
          this.#failure = error.message;
        },
      )
      .finally(() => {
        this.#isReading = false;
        onUpdate();
      });
  }
}

function serviceRow({ service, calls, failed, last, spans }: ServiceView): TemplateResult {
  const most = Math.max(1, ...spans.map((span) => span.calls));
  return html`<div class="svc">
    <b class="cut"><bdi>${service}</bdi></b>
    <svg viewBox="0 0 ${spans.length * 4} 22" preserveAspectRatio="none" aria-hidden="true">${spans.map(
      (span, index) => {
        const height = span.calls === 0 ? 0 : 2 + Math.sqrt(span.calls / most) * 20;
        return svg`<rect class=${span.failed > 0 ? 'bad' : ''} x=${index * 4} width="3" y=${22 - height} height=${height}></rect>`;
      },
    )}</svg>
    <span class="num">${failed > 0 ? html`<b class="bad">${failed} failed</b> <span class="dim">of ${calls}, ${last}</span>` : html`<span class="dim">${counted(calls, 'call')}</span>`}</span>
  </div>`;
}
