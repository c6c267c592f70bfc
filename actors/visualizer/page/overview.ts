// All objects as cards of groups, with ribbons for the claims between them. Names where they fit, tiles where they do not: text is never
// made smaller to fit.
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { columnsOf, type Link, linksOf } from './card-columns.ts';
import { card, heightOf, type Level } from './cards.ts';
import type { Group } from './groups.ts';
import { keyOf, moveByArrow, onHover } from './hover.ts';
import type { Landscape } from './landscape.ts';
import type { ViewDeps } from './parts.ts';
import { type Box, ribbonsOf } from './ribbons.ts';
import type { State } from './state.ts';
import { counted } from './text.ts';
import { Tip } from './tip.ts';
import { BAD } from './tones.ts';
import { zoomBar } from './zoom-bar.ts';

/** Widths in pixels: of a column of names, of the first column, of the gutter, and around all. */
const [NAME, FIRST, GUTTER, MARGIN] = [152, 340, 54, 18];
const CARD_GAP = 18;
/** More than these are a map. */
const TILES = 1_200;
/** Scales to choose from. */
const SCALES = [1, 1.25, 1.5] as const;

interface Shape {
  readonly level: Level;
  readonly columns: readonly (readonly Group[])[];
  readonly widths: readonly number[];
}

export class Overview {
  readonly element = document.createElement('div');
  readonly #deps: ViewDeps;
  readonly #scroll = document.createElement('div');
  readonly #frame = document.createElement('div');
  readonly #tip = new Tip();
  #landscape: Landscape | undefined;
  #state: State | undefined;
  #shape: Shape | undefined;
  #boxes: ReadonlyMap<string, Box> = new Map();
  #links: readonly Link[] = [];
  /** Size that the last picture was made for. */
  #size = '';
  #scale = 1;
  /** Chosen by the user; undefined: what fits. */
  #level: Level | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.element.className = 'overview';
    this.#scroll.className = 'scroll';
    this.#scroll.tabIndex = -1;
    this.element.append(this.#scroll, this.#frame, this.#tip.element);
    new ResizeObserver(() => {
      if (sizeOf(this.#scroll) !== this.#size) deps.onUpdate();
    }).observe(this.#scroll);
    this.#scroll.addEventListener('scroll', () => this.#tip.hide(), { passive: true });
    this.#scroll.addEventListener('click', (event) => {
      const key = keyOf(event.target);
      if (key === undefined || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      deps.change({ chosen: key });
    });
    this.element.addEventListener('keydown', (event) => {
      if (moveByArrow(this.#scroll, event)) event.preventDefault();
    });
    onHover(this.#scroll, (key) => this.#light(key));
  }

  /** Tells if there are more objects than cards can show. */
  static isTooMuch({ trees }: Landscape): boolean {
    return trees.length > TILES;
  }

  /** As large as fits. */
  reset(): void {
    this.#scale = 1;
    this.#level = undefined;
  }

  update(landscape: Landscape, state: State): void {
    const isNew = landscape.shape !== this.#landscape?.shape;
    this.#landscape = landscape;
    this.#state = state;
    if (isNew) this.#links = linksOf(landscape.groupOf, landscape.needs);
    // Without a place in the page nothing has a size, and what is drawn by it would be drawn again.
    if (this.element.isConnected) this.#draw();
    else queueMicrotask(() => this.#draw());
  }

  #draw(): void {
    const [landscape, state] = [this.#landscape, this.#state];
    if (landscape === undefined || state === undefined) return;
    this.#size = sizeOf(this.#scroll);
    this.#shape = this.#shapeOf(landscape, state);
    const { level, columns, widths } = this.#shape;
    render(
      html`<div class="canvas ${level} ${landscape.hits === undefined ? '' : 'searching'}" .style=${`zoom: ${level === 'names' ? this.#scale : 1}`}>
        <svg class="ribbons" aria-hidden="true">${this.#ribbons(landscape)}</svg>
        <div class="cols" .style=${`grid-template-columns: ${widths.map((width, index) => (index === 0 && widths.length > 2 ? `${width}px` : 'minmax(0, 1fr)')).join(' ')}`}>
          ${columns.map(
            (groups, index) => html`<div>
              ${repeat(
                groups,
                ({ id }) => id,
                (group) => this.#card(landscape, state, group, level, widths[index] ?? NAME),
              )}
            </div>`,
          )}
        </div>
        <svg class="ribbons links" aria-hidden="true"></svg>
      </div>`,
      this.#scroll,
    );
    render(this.#around(landscape, level), this.#frame);
    for (const each of this.#scroll.querySelectorAll('.card')) {
      if (each.querySelector('[data-key][tabindex="0"]') !== null) continue;
      const first = each.querySelector<HTMLElement>('[data-key]');
      if (first !== null) first.tabIndex = 0;
    }
    this.#measure();
  }

  #card(landscape: Landscape, state: State, group: Group, level: Level, width: number): TemplateResult {
    const { change } = this.#deps;
    const isFolded = state.folded.includes(group.id);
    return card(landscape, group, {
      level,
      columns: namesAcross(width),
      isFolded,
      chosen: state.chosen,
      onFold: () => {
        const others = state.folded.filter((id) => id !== group.id);
        change({ folded: isFolded ? others : [...others, group.id] });
      },
      onOpen: () => change({ group: group.id }),
      named: (key) => this.#deps.model.named(key),
    });
  }

  /** The richest level that fits, unless the user chose another one. */
  #shapeOf(landscape: Landscape, state: State): Shape {
    const { clientWidth, clientHeight } = this.#scroll;
    const width = clientWidth || innerWidth;
    const height = clientHeight || innerHeight - 160;
    const shape = (level: Level): Shape & { readonly height: number } => {
      const scale = level === 'names' ? this.#scale : 1;
      const inside = width / scale - 2 * MARGIN;
      const count = Math.min(
        landscape.groups.length,
        inside > 1_750 ? 4 : inside > (level === 'tiles' ? 860 : 1_130) ? 3 : inside > 620 ? 2 : 1,
      );
      const gutter = GUTTER * (count - 1);
      const first = count > 2 && level === 'names' ? FIRST : (inside - gutter) / count;
      const other = count > 1 ? (inside - gutter - first) / (count - 1) : first;
      const widths = Array.from({ length: count }, (_, index) => (index === 0 ? first : other));
      const heightIn = (group: Group, column: number): number => {
        const across = widths[column] ?? other;
        const isFolded = state.folded.includes(group.id);
        return CARD_GAP + heightOf(landscape, group, { level, columns: namesAcross(across), width: across, isFolded });
      };
      const columns = columnsOf(landscape.groups, this.#links, count, heightIn);
      const heights = columns.map((groups, index) => groups.reduce((sum, group) => sum + heightIn(group, index), 0));
      return { level, columns, widths, height: Math.max(0, ...heights) * scale };
    };
    if (this.#level !== undefined) return shape(this.#level);
    const names = shape('names');
    return names.height <= height ? names : shape('tiles');
  }

  /** Measures the cards, and redraws the ribbons if they have moved. */
  #measure(): void {
    const canvas = this.#scroll.querySelector('.canvas');
    const shape = this.#shape;
    if (canvas === null || shape === undefined) return;
    const scale = shape.level === 'names' ? this.#scale : 1;
    const base = canvas.getBoundingClientRect();
    const boxes = new Map<string, Box>();
    for (const each of canvas.querySelectorAll<HTMLElement>('.card')) {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      const inside = (value: number, from: number): number => Math.round((value - from) / scale);
      boxes.set(each.dataset['group'] ?? '', {
        left: inside(left, base.left),
        right: inside(right, base.left),
        top: inside(top, base.top),
        bottom: inside(bottom, base.top),
      });
    }
    if (isAlike(boxes, this.#boxes)) return;
    this.#boxes = boxes;
    this.#draw();
  }

  #ribbons(landscape: Landscape): readonly TemplateResult[] {
    const columns = this.#shape?.columns.map((groups) => groups.map(({ id }) => id)) ?? [];
    const name = (id: string): string => landscape.groups.find((group) => group.id === id)?.name ?? '';
    const drawn = ribbonsOf(this.#links, columns, this.#boxes).map((ribbon) => ({
      ribbon,
      ...heatOf(landscape, ribbon.link),
    }));
    return [
      ...drawn.map(
        ({ ribbon: { path, width }, tone }) =>
          svg`<path class="ribbon" d=${path} stroke-width=${width}></path>${
            tone === '' ? nothing : svg`<path class=${`ribbon hot ${tone}`} d=${path}></path>`
          }`,
      ),
      ...drawn.map(({ ribbon: { link, x, y }, tone, hot }) => {
        const all = link.needed.length;
        const text = hot === 0 ? String(all) : `${hot}/${all}`;
        const wide = 12 + text.length * 6.6;
        return svg`<g class=${`count ${tone}`} transform=${`translate(${x} ${y})`}>
          <title>${`${name(link.to)} claims ${counted(all, 'object')} of ${name(link.from)}; ${hot} not available`}</title>
          <rect x=${-wide / 2} y="-8.5" width=${wide} height="17" rx="8.5"></rect>
          <text y="4" text-anchor="middle">${text}</text>
        </g>`;
      }),
    ];
  }

  #around(landscape: Landscape, level: Level): TemplateResult {
    const drawn = [...landscape.needs.values()].reduce((sum, { length }) => sum + length, 0);
    const at = SCALES.indexOf(this.#scale as (typeof SCALES)[number]);
    const set = (scale: number, level: Level | undefined): void => {
      this.#scale = scale;
      this.#level = level;
      this.#draw();
    };
    return html`
      <p class="note">${this.#sample(landscape)}${counted(landscape.claims, 'claim')} in all${landscape.claims > drawn ? `; ${landscape.claims - drawn} follow from others and are not drawn` : ''}.</p>
      ${zoomBar({
        label: level === 'tiles' ? 'Tiles' : `${Math.round(this.#scale * 100)} %`,
        onIn:
          level === 'names' && at === SCALES.length - 1
            ? undefined
            : () => (level === 'tiles' ? set(1, 'names') : set(SCALES[at + 1] ?? 1, 'names')),
        onOut: () => {
          if (level === 'tiles') this.#deps.change({ layout: 'map' });
          else if (at > 0) set(SCALES[at - 1] ?? 1, 'names');
          else set(1, 'tiles');
        },
        onFit: () => {
          set(1, undefined);
          this.#deps.change({ layout: 'auto' });
        },
      })}
    `;
  }

  /** Explanation of the numbers at a ribbon, for the first ribbon that has two. */
  #sample(landscape: Landscape): TemplateResult | typeof nothing {
    const link = this.#links.find((each) => heatOf(landscape, each).hot > 0);
    if (link === undefined) return nothing;
    const { hot, tone } = heatOf(landscape, link);
    const all = link.needed.length;
    return html`<b class="sample num ${tone}">${hot}/${all}</b> of ${all} claims between two groups, ${hot} wait. `;
  }

  /** Direct neighbors stay, the others dim; claims appear as lines. */
  #light(key: string | undefined): void {
    const [landscape, canvas] = [this.#landscape, this.#scroll.querySelector('.canvas')];
    if (landscape === undefined || canvas === null) return;
    const tree = key === undefined ? undefined : landscape.byKey.get(key);
    for (const each of canvas.querySelectorAll('.near')) each.classList.remove('near');
    canvas.classList.toggle('hovering', tree !== undefined);
    const lines = canvas.querySelector<SVGSVGElement>('.links');
    if (tree === undefined || lines === null) {
      this.#tip.hide();
      if (lines !== null) render(nothing, lines);
      return;
    }
    const needs = landscape.needs.get(tree.key) ?? [];
    const dependents = this.#deps.model.dependentsOf(tree.key);
    const drawn = dependents.filter((each) => landscape.needs.get(each)?.includes(tree.key));
    const elements = new Map(
      [...canvas.querySelectorAll<HTMLElement>('[data-key]')].map((each) => [each.dataset['key'] ?? '', each]),
    );
    const own = elements.get(tree.key);
    if (own === undefined) return;
    for (const each of [tree.key, ...needs, ...drawn]) elements.get(each)?.classList.add('near');
    const base = canvas.getBoundingClientRect();
    const scale = this.#shape?.level === 'names' ? this.#scale : 1;
    const line = (from: HTMLElement | undefined, to: HTMLElement | undefined, isBad: boolean): TemplateResult =>
      from === undefined || to === undefined
        ? svg``
        : svg`<path class=${isBad ? 'bad' : ''} d=${curve(from.getBoundingClientRect(), to.getBoundingClientRect(), base, scale)}></path>`;
    render(
      svg`${needs.map((need) => line(elements.get(need), own, landscape.byKey.get(need)?.tone !== 'available'))}
        ${drawn.map((each) => line(own, elements.get(each), BAD.has(tree.tone)))}`,
      lines as unknown as HTMLElement,
    );
    this.#tip.show(tree, landscape, dependents, own.getBoundingClientRect());
  }
}

/** Number of claims whose dependency is not available, and the worst tone. */
function heatOf({ byKey }: Landscape, link: Link): { readonly hot: number; readonly tone: string } {
  const off = link.needed.flatMap((key) => byKey.get(key) ?? []).filter(({ tone }) => tone !== 'available');
  return {
    hot: off.length,
    tone: off.length === 0 ? '' : off.some(({ tone }) => BAD.has(tone)) ? 'failing' : 'waiting',
  };
}

/** Size of an element inside its borders. */
export function sizeOf({ clientWidth, clientHeight }: Element): string {
  return `${clientWidth} ${clientHeight}`;
}

function namesAcross(width: number): number {
  return Math.max(1, Math.floor((width - 12) / NAME));
}

/** From the right of one to the left of another; beside both where they stand below each other. */
function curve(from: DOMRect, to: DOMRect, base: DOMRect, scale: number): string {
  const isBelow = Math.abs(from.left - to.left) < 40;
  const isAhead = from.left < to.left;
  const x1 = isBelow || !isAhead ? from.left + 3 : Math.min(from.right, from.left + 150);
  const x2 = isBelow || isAhead ? to.left + 3 : Math.min(to.right, to.left + 150);
  const [y1, y2] = [from.top + from.height / 2, to.top + to.height / 2];
  const bend = isBelow ? -26 : Math.max(30, Math.abs(x2 - x1) / 2) * (isAhead ? 1 : -1);
  const place = (x: number, y: number): string =>
    `${Math.round((x - base.left) / scale)} ${Math.round((y - base.top) / scale)}`;
  return `M${place(x1, y1)}C${place(x1 + bend, y1)} ${place(x2 + (isBelow ? bend : -bend), y2)} ${place(x2, y2)}`;
}

function isAlike(one: ReadonlyMap<string, Box>, other: ReadonlyMap<string, Box>): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([id, box]) => {
    const known = other.get(id);
    return (
      known !== undefined &&
      known.left === box.left &&
      known.top === box.top &&
      known.right === box.right &&
      known.bottom === box.bottom
    );
  });
}
