// Card beside the object under the pointer.
import { html, nothing, render } from 'lit-html';
import type { Tree } from '../wire.ts';
import type { Landscape } from './landscape.ts';
import { sign } from './parts.ts';
import { counted } from './text.ts';

const WIDTH = 300;
const GAP = 8;

export class Tip {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'tip';
    this.element.setAttribute('aria-hidden', 'true');
  }

  /** @param square  of the object, in the window */
  show(tree: Tree, landscape: Landscape, dependents: readonly string[], square: DOMRect): void {
    const needs = tree.needs.flatMap((need) => landscape.byKey.get(need) ?? []);
    const off = needs.filter(({ tone }) => tone !== 'available').length;
    render(
      html`<h4>${sign(tree.tone)}<bdi>${tree.kind} ${tree.name}</bdi></h4>
        ${tree.said === '' ? nothing : html`<p><bdi>${tree.said}</bdi></p>`}
        <dl>
          <dt>Needs</dt><dd>${needs.length === 0 ? 'nothing' : `${counted(needs.length, 'object')}, ${off === 0 ? 'all' : `${off} not`} available`}</dd>
          <dt>Needed by</dt><dd>${counted(dependents.length, 'object')}</dd>
          ${tree.addresses.length === 0 ? nothing : html`<dt>Address</dt><dd><code>${tree.addresses.join(', ')}</code></dd>`}
          ${tree.id === '' ? nothing : html`<dt>ID</dt><dd><code>${tree.id}</code></dd>`}
        </dl>`,
      this.element,
    );
    this.element.classList.add('shown');
    const height = this.element.offsetHeight;
    const below = square.bottom + GAP + height < innerHeight;
    const { style } = this.element;
    style.left = `${Math.max(GAP, Math.min(innerWidth - WIDTH - GAP, square.left + 16))}px`;
    style.top = `${below ? square.bottom + GAP : Math.max(GAP, square.top - GAP - height)}px`;
  }

  hide(): void {
    this.element.classList.remove('shown');
  }
}
