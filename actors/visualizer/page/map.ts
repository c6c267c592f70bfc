// Thousands of objects at a glance: a square each, by group, those with problems first.
import { html, render, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import type { Group } from './groups.ts';
import { reveal } from './hover.ts';
import { type Landscape, treesOf } from './landscape.ts';
import {
  type Look,
  type Painted,
  type Palette,
  paint,
  paletteOf,
  type Squares,
  squareAt,
  squaresOf,
} from './map-paint.ts';
import { sizeOf } from './overview.ts';
import { spoken, tally, type ViewDeps } from './parts.ts';
import type { State } from './state.ts';
import { counted, grouped } from './text.ts';
import { Tip } from './tip.ts';
import { BAD, rankOf, tallyOf } from './tones.ts';
import { zoomBar } from './zoom-bar.ts';

/** Widths in pixels: of a card at least, between two, around the squares, and around all. */
const [LEAST, GAP, PADDING, MARGIN] = [226, 10, 11, 18];
const HEAD = 46;
/** Height above and below the cards, in pixels. */
const AROUND = 96;
/** Scales of squares, of which the largest that fits is taken. */
const SCALES = [2, 1.5, 1] as const;

interface Section {
  readonly group: Group;
  readonly trees: readonly Tree[];
  /** Width of the squares in pixels at scale 1. */
  readonly width: number;
  readonly squares: Squares;
}

export class ObjectMap {
  readonly element = document.createElement('div');
  readonly #deps: ViewDeps;
  readonly #scroll = document.createElement('div');
  readonly #tip = new Tip();
  readonly #said = document.createElement('p');
  readonly #probe = document.createElement('i');
  readonly #frame = document.createElement('div');
  #landscape: Landscape | undefined;
  #chosen = '';
  /** Size that the last picture was made for. */
  #size = '';
  #order: { readonly shape: string; readonly ids: readonly string[] } = { shape: '', ids: [] };
  #sections: readonly Section[] = [];
  #palette: Palette = new Map();
  #theme = '';
  /** Content of each canvas. */
  readonly #painted = new WeakMap<HTMLCanvasElement, Painted>();
  /** Size of squares, as a multiple of their minimum. */
  #scale = 1;
  /** Position of the keyboard cursor among the objects. */
  #cursor = -1;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.element.className = 'map';
    this.#scroll.className = 'scroll';
    this.#scroll.tabIndex = 0;
    this.#scroll.setAttribute('role', 'group');
    this.#scroll.setAttribute('aria-label', 'Objects as squares: arrows move, Enter opens');
    this.#said.className = 'hidden';
    this.#said.setAttribute('aria-live', 'polite');
    this.element.append(this.#scroll, this.#frame, this.#tip.element, this.#said);
    this.#probe.hidden = true;
    document.body.append(this.#probe);
    new ResizeObserver(() => {
      if (sizeOf(this.#scroll) !== this.#size) deps.onUpdate();
    }).observe(this.#scroll);
    this.#scroll.addEventListener('pointermove', (event) => this.#point(event));
    this.#scroll.addEventListener('pointerleave', () => this.#tip.hide());
    this.#scroll.addEventListener('click', (event) => {
      const found = this.#found(event);
      if (found !== undefined) deps.change({ chosen: found.tree.key });
    });
    this.#scroll.addEventListener('keydown', (event) => this.#onKey(event));
  }

  update(landscape: Landscape, { chosen }: State): void {
    this.#landscape = landscape;
    this.#chosen = chosen;
    // Without a place in the page nothing has a size, and what is drawn by it would be drawn again.
    if (this.element.isConnected) this.#draw();
    else queueMicrotask(() => this.#draw());
  }

  #draw(): void {
    const landscape = this.#landscape;
    if (landscape === undefined) return;
    this.#size = sizeOf(this.#scroll);
    const theme = `${document.documentElement.dataset['theme'] ?? ''} ${matchMedia('(prefers-color-scheme: dark)').matches}`;
    if (theme !== this.#theme) {
      this.#theme = theme;
      this.#palette = paletteOf(this.#probe);
    }
    const columns = this.#arranged(landscape);
    const { groups, trees, by } = landscape;
    const bad = groups.filter(({ keys }) => keys.some((key) => BAD.has(landscape.byKey.get(key)?.tone ?? 'available')));
    render(
      html`<header class="map-head">
          <h2 class="num">${counted(trees.length, 'object')}${groups.length > 1 ? ` in ${grouped(groups.length)} ${by === 'project' ? 'groups' : `${by}s`}` : ''}</h2>
          <p class="dim">${bad.length === 0 ? '' : `${counted(bad.length, by === 'project' ? 'group' : by)} with problems, those first. `}A square is an object; open a group to see names and claims.</p>
        </header>
        <div class="dens" .style=${`grid-template-columns: repeat(${columns.length}, minmax(0, 1fr))`}>
          ${columns.map(
            (sections) =>
              html`<div>${repeat(
                sections,
                ({ group }) => group.id,
                (section) => this.#section(section),
              )}</div>`,
          )}
        </div>`,
      this.#scroll,
    );
    render(
      zoomBar({
        label: 'Map',
        onIn: () => this.#deps.change({ layout: 'graph' }),
        onOut: undefined,
        onFit: () => this.#deps.change({ layout: 'auto' }),
      }),
      this.#frame,
    );
    this.#paint();
  }

  /** In columns: the worst first along the top, then each where the least is. Where a group is stays while states change. */
  #arranged(landscape: Landscape): readonly (readonly Section[])[] {
    const width = (this.#scroll.clientWidth || innerWidth) - 2 * MARGIN;
    const count = Math.max(1, Math.min(landscape.groups.length, Math.floor((width + GAP) / (LEAST + GAP))));
    const room = this.#inside(count, width);
    if (this.#order.shape !== landscape.shape) {
      const worst = (group: Group): readonly [number, number] => {
        const [first] = tallyOf(treesOf(landscape, group));
        return first === undefined ? [99, 0] : [rankOf(first[0]), -first[1]];
      };
      const ids = landscape.groups
        .map((group) => ({ group, worst: worst(group) }))
        .sort(
          (one, other) =>
            one.worst[0] - other.worst[0] ||
            one.worst[1] - other.worst[1] ||
            other.group.keys.length - one.group.keys.length,
        )
        .map(({ group }) => group.id);
      this.#order = { shape: landscape.shape, ids };
    }
    const byId = new Map(landscape.groups.map((group) => [group.id, group]));
    const groups = this.#order.ids.flatMap((id) => byId.get(id) ?? []);
    const high = (this.#scroll.clientHeight || innerHeight) - AROUND;
    const fits = (scale: number): boolean =>
      stacked(groups, count, room / scale, scale).every(({ height }) => height <= high);
    this.#scale = SCALES.find(fits) ?? 1;
    const before = new Map(this.#sections.map((section) => [section.group.id, section]));
    const columns = stacked(groups, count, room / this.#scale, this.#scale).map(({ of }) =>
      of.map((group): Section => {
        const trees = treesOf(landscape, group);
        const width = room / this.#scale;
        const last = before.get(group.id);
        // Most groups are as they were.
        const isSame = last?.group === group && last.width === width && isAlike(last.trees, trees);
        return isSame ? last : { group, trees, width, squares: squaresOf(trees, width) };
      }),
    );
    this.#sections = columns.flat();
    return columns;
  }

  #inside(count: number, width: number): number {
    return Math.floor((width - GAP * (count - 1)) / count) - 2 * PADDING;
  }

  #section({ group, trees }: Section): TemplateResult {
    const counts = tallyOf(trees);
    const text = counts.map(([tone, count]) => `${count} ${tone}`).join(', ');
    return html`<section class="dt ${counts.some(([tone]) => BAD.has(tone)) ? 'hot' : ''}" aria-label=${group.name || 'Cluster-scoped'}>
      ${guard(
        [text, group.name],
        () => html`<header>
        <h3><button type="button" class="head" tabindex="-1" @click=${() => this.#deps.change({ group: group.id, layout: 'graph' })}><bdi class="cut">${group.name}</bdi></button></h3>
        <span class="dim num">${grouped(trees.length)}</span>${tally(trees, 3)}
      </header>`,
      )}
      <canvas data-group=${group.id} role="img" aria-label=${`${group.name}: ${text}`}></canvas>
    </section>`;
  }

  #paint(): void {
    const landscape = this.#landscape;
    if (landscape === undefined) return;
    const canvases = new Map(
      [...this.#scroll.querySelectorAll<HTMLCanvasElement>('canvas')].map((each) => [
        each.dataset['group'] ?? '',
        each,
      ]),
    );
    const isAway = ({ key }: Tree): boolean => landscape.hits?.has(key) === false;
    for (const { group, squares, width } of this.#sections) {
      const canvas = canvases.get(group.id);
      if (canvas === undefined) continue;
      const chosen = squares.trees.some(({ key }) => key === this.#chosen) ? this.#chosen : '';
      const look: Look = { width, scale: this.#scale, palette: this.#palette, chosen };
      this.#painted.set(canvas, paint(canvas, squares, look, isAway, this.#painted.get(canvas)));
    }
  }

  #found({ target, clientX, clientY }: MouseEvent): { readonly tree: Tree; readonly square: DOMRect } | undefined {
    if (!(target instanceof HTMLCanvasElement)) return undefined;
    const section = this.#sections.find(({ group }) => group.id === target.dataset['group']);
    const { left, top } = target.getBoundingClientRect();
    const tree = section && squareAt(section.squares, (clientX - left) / this.#scale, (clientY - top) / this.#scale);
    return tree === undefined ? undefined : { tree, square: new DOMRect(clientX - 8, clientY - 8, 16, 16) };
  }

  #point(event: PointerEvent): void {
    const found = this.#found(event);
    if (found === undefined || this.#landscape === undefined) {
      this.#tip.hide();
      this.#scroll.classList.remove('pointing');
      return;
    }
    this.#scroll.classList.add('pointing');
    this.#tip.show(found.tree, this.#landscape, this.#deps.model.dependentsOf(found.tree.key), found.square);
  }

  #onKey(event: KeyboardEvent): void {
    const all = this.#sections.flatMap(({ squares, group }) =>
      squares.trees.map((tree, index) => ({ tree, group, index, squares })),
    );
    const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -all.length, End: all.length }[
      event.key
    ];
    if (event.key === 'Enter') {
      const at = all[this.#cursor];
      if (at !== undefined) this.#deps.change({ chosen: at.tree.key });
      return;
    }
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#cursor = Math.max(0, Math.min(all.length - 1, this.#cursor + move));
    const at = all[this.#cursor];
    if (at === undefined || this.#landscape === undefined) return;
    this.#said.textContent = spoken(at.tree, at.tree.tone);
    const canvas = [...this.#scroll.querySelectorAll<HTMLCanvasElement>('canvas')].find(
      (each) => each.dataset['group'] === at.group.id,
    );
    const [x, y] = at.squares.places[at.index] ?? [0, 0];
    if (canvas === undefined) return;
    const square = (): DOMRect => {
      const { left, top } = canvas.getBoundingClientRect();
      return new DOMRect(left + x * this.#scale, top + y * this.#scale, 8, 8);
    };
    reveal(this.#scroll, square());
    this.#tip.show(at.tree, this.#landscape, this.#deps.model.dependentsOf(at.tree.key), square());
  }
}

/** Groups in columns, each where the least is. Heights are those without states, so that nothing moves when they change. */
function stacked(
  groups: readonly Group[],
  count: number,
  inside: number,
  scale: number,
): readonly { readonly height: number; readonly of: readonly Group[] }[] {
  const columns = Array.from({ length: count }, () => ({ height: 0, of: [] as Group[] }));
  for (const group of groups) {
    const column = columns.reduce((best, each) => (each.height < best.height - 1 ? each : best));
    column.of.push(group);
    column.height += HEAD + Math.ceil((group.keys.length * 81) / Math.max(1, inside - 18)) * scale;
  }
  return columns;
}

function isAlike(one: readonly Tree[], other: readonly Tree[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
