// Who told whom what: the messages among the chosen object and those next to it, in the order in which they were stored.
import { html, svg } from 'lit-html';
import type { Messages, MessageView } from '../wire.ts';
import type { Html, ViewDeps } from './parts.ts';
import { server } from './server.ts';
import type { State } from './state.ts';
import { clock } from './text.ts';

const COLUMN = 190;
const ROW = 34;
const TOP = 58;
/** Actors side by side. */
const ACTORS = 9;
/** What happened meanwhile is read after a pause, in milliseconds. */
const AGAIN_MS = 1_000;

export class MessagesView {
  readonly #deps: ViewDeps;
  #asked = '';
  #answer: Messages | undefined;
  #problem: string | undefined;
  #readAt = 0;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view({ chosen }: State): Html {
    if (chosen === '') {
      return html`<p class="quiet">choose an object: the messages among it and those that it needs, or that need it, are shown here</p>`;
    }
    const actors = this.#actors(chosen);
    this.#read(actors);
    if (this.#problem !== undefined) return html`<p class="bad" role="alert">${this.#problem}</p>`;
    if (this.#answer === undefined) return html`<p class="quiet">reading</p>`;
    const { letters, problem } = this.#answer;
    if (problem !== undefined) return html`<p class="quiet">${problem}</p>`;
    const shown = letters.filter(({ from, to }) => actors.includes(to) && (from === '' || actors.includes(from)));
    return html`<div class="messages">
      <p class="dim">The last value of each subject, as the bus holds it.</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Messages in the order of time">${this.#diagram(actors, shown)}</div>
    </div>`;
  }

  /** The chosen one in the middle, what it needs on the left, who needs it on the right. */
  #actors(chosen: string): readonly string[] {
    const { model } = this.#deps;
    const needs = (model.trees.get(chosen)?.needs ?? []).slice(0, ACTORS / 2);
    const dependents = model.dependentsOf(chosen).slice(0, ACTORS - 1 - needs.length);
    return [...new Set([...needs, chosen, ...dependents])];
  }

  #diagram(actors: readonly string[], letters: readonly MessageView[]): Html {
    const { model, change } = this.#deps;
    const [width, height] = [(actors.length + 1) * COLUMN, TOP + letters.length * ROW + 24];
    const x = (key: string): number => COLUMN * (actors.indexOf(key) + 1);
    return html`<svg class="sequence" width=${width} height=${height} role="group" aria-label=${`${letters.length} messages among ${actors.length} objects`}>
      ${actors.map((key) => {
        const { kind, name } = model.named(key);
        return svg`<g>
          <line class="life" x1=${x(key)} x2=${x(key)} y1=${TOP - 12} y2=${height}></line>
          <g class="actor" tabindex="0" role="button" @click=${() => change({ chosen: key })}
            @keydown=${({ key: pressed }: KeyboardEvent) => {
              if (pressed === 'Enter') change({ chosen: key });
            }}>
            <title>${`${kind}/${name}`}</title>
            <rect x=${x(key) - 84} y="6" width="168" height="38" rx="8"></rect>
            <text class="name middle" x=${x(key)} y="22">${shortened(name)}</text>
            <text class="kind middle" x=${x(key)} y="37">${kind}</text>
          </g>
        </g>`;
      })}
      ${letters.map((letter, index) => {
        const y = TOP + index * ROW + 16;
        const [from, to] = [letter.from === '' ? x(letter.to) - COLUMN * 0.55 : x(letter.from), x(letter.to)];
        const forward = to > from ? 1 : -1;
        return svg`<g class=${`letter ${letter.topic}`}>
          <title>${JSON.stringify(letter.payload)}</title>
          <line x1=${from} x2=${to - forward * 2} y1=${y} y2=${y}></line>
          <path d=${`M${to} ${y}l${-forward * 8} -4v8z`}></path>
          <text class="middle" x=${(from + to) / 2} y=${y - 5}>${saying(letter)}</text>
          <text class="when" x="6" y=${y + 4}>${clock(letter.at)}</text>
        </g>`;
      })}
    </svg>`;
  }

  #read(actors: readonly string[]): void {
    const asked = actors.join();
    if (asked === this.#asked && Date.now() - this.#readAt < AGAIN_MS) return;
    if (asked !== this.#asked) this.#answer = undefined;
    this.#asked = asked;
    this.#readAt = Date.now();
    server.messages(actors).then(
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

/** What a message says, in a word or two. */
function saying({ topic, payload }: MessageView): string {
  const said = topic === 'ready' ? (payload['readiness'] ?? payload['standing']) : undefined;
  if (topic === 'claim') return payload['ended'] === undefined ? 'claim' : 'claim ended';
  return said === undefined ? topic : String(said);
}

function shortened(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}
