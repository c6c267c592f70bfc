// A picture that can be moved and enlarged: by wheel, pinch, drag, keyboard and buttons.
import { select } from 'd3-selection';
import { type ZoomBehavior, zoom, zoomIdentity } from 'd3-zoom';
import type { Box } from './layout.ts';

const SVG = 'http://www.w3.org/2000/svg';
const LEAST = 0.05;
const MOST = 4;
/** Around what is shown, in pixels. */
const MARGIN = 24;
const STEP = 60;

export class Zoomable {
  /** To be put into the page. */
  readonly svg: SVGSVGElement;
  /** Where the picture goes. */
  readonly ground: SVGGElement;
  readonly #zoom: ZoomBehavior<SVGSVGElement, unknown>;
  #isMoved = false;

  constructor(label: string) {
    this.svg = element('svg', { class: 'picture', role: 'group', 'aria-label': label, tabindex: '0' });
    this.ground = element('g', {});
    this.svg.append(this.ground);
    this.#zoom = zoom<SVGSVGElement, unknown>()
      .scaleExtent([LEAST, MOST])
      .on('zoom', ({ transform, sourceEvent }) => {
        this.ground.setAttribute('transform', transform.toString());
        if (sourceEvent !== null && sourceEvent !== undefined) this.#isMoved = true;
      });
    select(this.svg).call(this.#zoom).on('dblclick.zoom', null);
    this.svg.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Whether somebody has moved the picture himself. */
  get isMoved(): boolean {
    return this.#isMoved;
  }

  /** Shows a part of the picture, as large as it may be. */
  show({ x, y, width, height }: Box, most = 1): void {
    const { width: wide, height: high } = this.svg.getBoundingClientRect();
    if (wide === 0 || high === 0 || width === 0) return;
    const scale = Math.max(LEAST, Math.min(most, (wide - 2 * MARGIN) / width, (high - 2 * MARGIN) / height));
    const left = (wide - width * scale) / 2 - x * scale;
    const top = (high - height * scale) / 2 - y * scale;
    this.#zoom.transform(select(this.svg), zoomIdentity.translate(left, top).scale(scale));
    this.#isMoved = false;
  }

  enlarge(times: number): void {
    this.#zoom.scaleBy(select(this.svg), times);
    this.#isMoved = true;
  }

  #onKey(event: KeyboardEvent): void {
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [STEP, 0],
      ArrowRight: [-STEP, 0],
      ArrowUp: [0, STEP],
      ArrowDown: [0, -STEP],
    };
    const move = moves[event.key];
    if (event.target !== this.svg || event.ctrlKey || event.metaKey || event.altKey) return;
    if (move !== undefined) {
      this.#zoom.translateBy(select(this.svg), ...move);
      this.#isMoved = true;
    } else if (event.key === '+' || event.key === '=') this.enlarge(1.25);
    else if (event.key === '-') this.enlarge(0.8);
    else return;
    event.preventDefault();
  }
}

/** An SVG element with its attributes. */
export function element<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** An SVG text. */
export function textElement(text: string, attributes: Readonly<Record<string, string | number>>): SVGTextElement {
  const made = element('text', attributes);
  made.textContent = text;
  return made;
}

/** The sign of a tone, 12 pixels wide unless scaled. */
export function signElement(tone: string, { x, y, size = 12 }: { x: number; y: number; size?: number }): SVGUseElement {
  return element('use', { href: `#tone-${tone}`, x, y, width: size, height: size, class: 'sign' });
}
