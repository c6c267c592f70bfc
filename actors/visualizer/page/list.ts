// The objects as a table, of which only what is seen is drawn.
import { html, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import { sign } from './parts.ts';
import { duration } from './text.ts';
import { labelOf } from './tones.ts';

const ROW = 34;
/** Rows beyond what is seen, for whoever scrolls. */
const SPARE = 12;

export interface ListDeps {
  readonly now: () => number;
  readonly onChoose: (key: string) => void;
}

export class ObjectList {
  readonly element = document.createElement('div');
  readonly #deps: ListDeps;
  #trees: readonly Tree[] = [];
  #chosen = '';

  constructor(deps: ListDeps) {
    this.#deps = deps;
    this.element.className = 'list';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', 'Objects');
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true });
  }

  update(trees: readonly Tree[], chosen: string): void {
    if (chosen !== this.#chosen && chosen !== '') this.#reveal(trees.findIndex(({ key }) => key === chosen));
    this.#trees = trees;
    this.#chosen = chosen;
    this.#draw();
  }

  #reveal(index: number): void {
    const { scrollTop, clientHeight } = this.element;
    const top = index * ROW;
    if (index < 0 || (top >= scrollTop && top + 2 * ROW <= scrollTop + clientHeight)) return;
    this.element.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
    const last = Math.min(this.#trees.length, Math.ceil((scrollTop + (clientHeight || 800)) / ROW) + SPARE);
    const seen = this.#trees.slice(first, last);
    const now = this.#deps.now();
    const gap = (rows: number) =>
      rows === 0 ? '' : html`<tr class="gap" aria-hidden="true"><td colspan="4" height=${rows * ROW}></td></tr>`;
    render(
      html`<table aria-rowcount=${this.#trees.length}>
        <thead>
          <tr><th scope="col">Object</th><th scope="col">State</th><th scope="col">For</th><th scope="col">Says</th></tr>
        </thead>
        <tbody>
          ${gap(first)}
          ${repeat(
            seen,
            ({ key }) => key,
            ({ key, kind, name, namespace, tone, state, since, said }, index) => html`<tr
              class=${key === this.#chosen ? 'chosen' : ''}
              aria-rowindex=${first + index + 1}
              @click=${() => this.#deps.onChoose(key)}
            >
              <th scope="row">
                <a href="#object=${encodeURIComponent(key)}" @click=${(event: Event) => event.preventDefault()}
                  ><span class="dim">${kind}</span> <bdi>${name}</bdi></a
                ><small>${namespace}</small>
              </th>
              <td class=${tone}>${sign(tone)} ${labelOf(tone)} <small>${state}</small></td>
              <td class="number">${since === 0 ? '' : duration(now - since)}</td>
              <td class="said"><bdi>${said}</bdi></td>
            </tr>`,
          )}
          ${gap(this.#trees.length - last)}
        </tbody>
      </table>`,
      this.element,
    );
  }
}
