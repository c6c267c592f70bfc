// Messages on the way from an object to its root cause, in the order in which they were stored.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Messages } from '../wire.ts';
import { wayTo } from './causes.ts';
import type { Landscape } from './landscape.ts';
import { sayingOf } from './messages-panel.ts';
import type { ViewDeps } from './parts.ts';
import { server } from './server.ts';
import type { State } from './state.ts';
import { clock, parted } from './text.ts';

const [ROW, TOP, LEFT] = [34, 62, 110] as const;
/** Least and largest distance of lifelines, in pixels. */
const [NARROW, WIDE] = [190, 300] as const;
/** Objects side by side. */
const LIFELINES = 6;
/** Pause after which news is read, in milliseconds. */
const AGAIN_MS = 1_000;

const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['claim', 'an object needs another one'],
  ['pending', 'the other one is not ready yet'],
  ['ready', 'it is available: the claimant continues'],
  ['object', 'the object as Kubernetes has it'],
];

/** The objects whose messages are shown: the way to a root cause, or the neighbors of one without. */
export function lifelinesOf(
  chosen: string,
  { causes, byKey }: Landscape,
  dependentsOf: (key: string) => readonly string[],
): readonly string[] {
  const [worst] = [...causes.blockedBy].find(([, blocked]) => blocked.length > 0) ?? [];
  const from = chosen || (worst === undefined ? '' : (farthest(causes.blockedBy.get(worst) ?? [], worst, byKey) ?? ''));
  if (from === '') return [];
  const needsOf = (key: string): readonly string[] => byKey.get(key)?.needs ?? [];
  const roots = causes.rootsOf.get(from) ?? [];
  const root = worst !== undefined && roots.includes(worst) ? worst : roots[0];
  const way = root === undefined ? [from] : wayTo(root, from, needsOf).toReversed();
  const room = LIFELINES - way.length;
  if (room <= 0) return way.slice(-LIFELINES);
  const needs = needsOf(from)
    .filter((key) => byKey.has(key) && !way.includes(key))
    .slice(0, Math.ceil(room / 2));
  const dependents = dependentsOf(from)
    .filter((key) => !way.includes(key))
    .slice(0, room - needs.length);
  return root === undefined || root === from ? [...needs, ...way, ...dependents] : way;
}

/** One object that a root cause blocks, far from the cause. */
function farthest(blocked: readonly string[], root: string, byKey: Landscape['byKey']): string | undefined {
  const needsOf = (key: string): readonly string[] => byKey.get(key)?.needs ?? [];
  const ways = blocked.slice(0, 40).map((key) => wayTo(root, key, needsOf));
  return ways.toSorted((one, other) => other.length - one.length)[0]?.[0];
}

export class MessagesView {
  readonly #deps: ViewDeps;
  #asked = '';
  #answer: Messages | undefined;
  #problem: string | undefined;
  #readAt = 0;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view({ chosen }: State, landscape: Landscape): TemplateResult {
    const { model } = this.#deps;
    const lines = lifelinesOf(chosen, landscape, (key) => model.dependentsOf(key));
    if (lines.length === 0) {
      return html`<div class="empty"><h2>Messages</h2><p class="dim">Nothing waits. Choose an object, and its messages with its dependencies and dependents are shown here.</p>
        <p><button type="button" class="btn" @click=${() => this.#deps.change({ view: 'objects', layout: 'list' })}>Choose one of the list</button></p></div>`;
    }
    this.#read(lines);
    if (this.#problem !== undefined) return html`<p class="bad" role="alert">${this.#problem}</p>`;
    if (this.#answer === undefined) return html`<p class="quiet" role="status">Reading…</p>`;
    const { letters, problem } = this.#answer;
    if (problem !== undefined) return html`<p class="quiet">${problem}</p>`;
    const shown = letters.filter(({ from, to }) => lines.includes(to) && (from === '' || lines.includes(from)));
    return html`<div class="messages">
      <header><h2>Messages</h2><p class="dim">The last value of each subject among ${lines.length} objects, as the bus holds it${chosen === '' ? ': the way to the worst root cause' : ''}.</p></header>
      <div class="scroll" tabindex="0" role="region" aria-label="Messages in the order of time">${this.#diagram(lines, shown)}</div>
      <dl class="words">${WORDS.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`)}</dl>
    </div>`;
  }

  #diagram(lines: readonly string[], letters: Messages['letters']): TemplateResult {
    const { model, change } = this.#deps;
    const room = (document.querySelector('#stage')?.clientWidth ?? 0) - LEFT - 60;
    const column = Math.max(NARROW, Math.min(WIDE, Math.floor(room / lines.length)));
    const [width, height] = [LEFT + lines.length * column, TOP + letters.length * ROW + 24];
    const x = (key: string): number => LEFT + column * (lines.indexOf(key) + 0.5);
    return html`<svg class="sequence" width=${width} height=${height} role="group" aria-label=${`${letters.length} messages among ${lines.length} objects`}>
      ${lines.map((key) => {
        const { kind, name } = model.named(key);
        const tone = model.trees.get(key)?.tone ?? 'absent';
        return svg`<g class=${tone}>
          <line class="life" x1=${x(key)} x2=${x(key)} y1=${TOP - 14} y2=${height}></line>
          <g class="actor" tabindex="0" role="button" @click=${() => change({ chosen: key })}
            @keydown=${({ key: pressed }: KeyboardEvent) => {
              if (pressed === 'Enter') change({ chosen: key });
            }}>
            <rect x=${x(key) - 84} y="6" width="168" height="42" rx="8"></rect>
            <text class="name" text-anchor="middle" x=${x(key)} y="24">${shortened(name)}</text>
            <text class="kind" text-anchor="middle" x=${x(key)} y="40"> ${kind}</text>
          </g>
        </g>`;
      })}
      ${letters.map((letter, index) => {
        const y = TOP + index * ROW + 16;
        const [from, to] = [letter.from === '' ? x(letter.to) - NARROW * 0.42 : x(letter.from), x(letter.to)];
        const forward = to > from ? 1 : -1;
        return svg`<g class=${`letter ${letter.topic}`}>
          <title>${JSON.stringify(letter.payload)}</title>
          <line x1=${from} x2=${to - forward * 2} y1=${y} y2=${y}></line>
          <path d=${`M${to} ${y}l${-forward * 8} -4v8z`}></path>
          <text text-anchor="middle" x=${(from + to) / 2} y=${y - 5}>${sayingOf(letter)}</text>
          <text class="when" x="6" y=${y + 4}>${clock(letter.at)}</text>
        </g>`;
      })}
      ${letters.length === 0 ? svg`<text x=${LEFT} y=${TOP + 12}>No messages among them are kept.</text>` : nothing}
    </svg>`;
  }

  #read(lines: readonly string[]): void {
    const asked = lines.join();
    if (asked === this.#asked && Date.now() - this.#readAt < AGAIN_MS) return;
    if (asked !== this.#asked) this.#answer = undefined;
    this.#asked = asked;
    this.#readAt = Date.now();
    server.messages(lines).then(
      (answer) => {
        if (asked !== this.#asked) return;
        const isNew = JSON.stringify(answer) !== JSON.stringify(this.#answer);
        this.#answer = answer;
        this.#problem = undefined;
        if (isNew) this.#deps.onUpdate();
      },
      (error: Error) => {
        this.#problem = error.message;
        this.#deps.onUpdate();
      },
    );
  }
}

function shortened(name: string): string {
  const [first, last] = parted(name);
  return name.length > 24 ? `${first.slice(0, Math.max(1, 23 - last.length))}…${last}` : name;
}
