// Zoom buttons. A picture never gets so small that its text could not be read.
import { html, type TemplateResult } from 'lit-html';
import { SIGNS } from './kind-icons.ts';
import { icon } from './parts.ts';

export interface ZoomBar {
  /** Label of the current zoom, as `100 %`. */
  readonly label: string;
  /** Undefined: it cannot be larger, or smaller. */
  readonly onIn: (() => void) | undefined;
  readonly onOut: (() => void) | undefined;
  readonly onFit: () => void;
}

export function zoomBar({ label, onIn, onOut, onFit }: ZoomBar): TemplateResult {
  return html`<div class="zoom" role="group" aria-label="Zoom">
    <button type="button" data-zoom="out" aria-label="Zoom out" title="Zoom out (−)" ?disabled=${onOut === undefined} @click=${onOut}>−</button>
    <span class="num">${label}</span>
    <button type="button" data-zoom="in" aria-label="Zoom in" title="Zoom in (+)" ?disabled=${onIn === undefined} @click=${onIn}>+</button>
    <button type="button" data-zoom="fit" aria-label="Fit" title="Fit (0)" @click=${onFit}>${icon(SIGNS.fit)}</button>
  </div>`;
}
