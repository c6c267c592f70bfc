// The objects as a graph: what is needed on the left, who needs it on the right.
import type { Tree } from '../wire.ts';
import { type GraphNode, layout, pathOf, pointsOf, truncateToWidth } from './layout.ts';
import type { Model } from './model.ts';
import { labelOf, StatusColor } from './tones.ts';
import { element, signElement, textElement, Zoomable } from './zoom.ts';

const WIDTH = 178;
const HEIGHT = 38;
const FONT = '500 12.5px system-ui, sans-serif';
/** After a change of what refers to what, so that many become one layout, in milliseconds. */
const CALM_MS = 150;

interface Drawn {
  readonly group: SVGGElement;
  /** What it is called, to whoever hears it and whoever points at it. */
  readonly title: SVGTitleElement;
  tree: Tree | undefined;
  tone: string;
  x: number;
  y: number;
}

interface Line {
  readonly path: SVGPathElement;
  readonly from: string;
  readonly to: string;
}

export interface GraphDeps {
  readonly model: Model;
  /** Called with a key, or an empty one for none. */
  readonly onChoose: (key: string) => void;
}

export class Graph {
  readonly element = document.createElement('div');
  readonly #deps: GraphDeps;
  readonly #zoom = new Zoomable('Objects, and what they refer to');
  readonly #lines = element('g', { class: 'lines' });
  readonly #boxes = element('g', { class: 'boxes' });
  readonly #drawn = new Map<string, Drawn>();
  readonly #drawnLines: Line[] = [];
  #shape = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #size = { width: 0, height: 0 };
  #chosen = '';
  #wanted: readonly Tree[] = [];
  #isBusy = false;

  constructor(deps: GraphDeps) {
    this.#deps = deps;
    this.element.className = 'graph';
    this.#zoom.ground.append(this.#lines, this.#boxes);
    this.element.append(
      this.#zoom.svg,
      zoomButtons(this.#zoom, () => this.#showAll()),
    );
    // As when what is chosen takes a part of the width.
    new ResizeObserver(() => {
      if (!this.#zoom.isMoved) this.#showNear();
    }).observe(this.#zoom.svg);
    this.#zoom.svg.addEventListener('click', ({ target }) => {
      if (target === this.#zoom.svg) deps.onChoose('');
    });
  }

  update(trees: readonly Tree[], chosen: string): void {
    this.#wanted = trees;
    const shape = trees.map(({ key, needs }) => `${key}>${needs.join()}`).join(';');
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#timer ??= setTimeout(() => void this.#arrange(), this.#drawn.size === 0 ? 0 : CALM_MS);
    }
    for (const tree of trees) this.#paint(tree.key, tree);
    if (chosen !== this.#chosen) {
      this.#choose(chosen);
      if (!this.#zoom.isMoved) this.#showNear();
    }
  }

  async #arrange(): Promise<void> {
    this.#timer = undefined;
    if (this.#isBusy) {
      this.#timer = setTimeout(() => void this.#arrange(), CALM_MS);
      return;
    }
    this.#isBusy = true;
    const graph = this.#graphOf(this.#wanted);
    try {
      this.#place(await layout(graph));
    } finally {
      this.#isBusy = false;
    }
  }

  /** Only what is shown; and what is referred to, and not there. */
  #graphOf(trees: readonly Tree[]): GraphNode {
    const shown = new Set(trees.map(({ key }) => key));
    const edges = trees.flatMap(({ key, needs }) =>
      needs
        .filter((need) => this.#isShown(need, shown))
        .map((need) => ({ id: `${need}>${key}`, sources: [need], targets: [key] })),
    );
    const nodes = new Set([...shown, ...edges.flatMap(({ sources }) => sources)]);
    return {
      id: 'all',
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'RIGHT',
        'elk.edgeRouting': 'SPLINES',
        'elk.spacing.nodeNode': '10',
        'elk.spacing.componentComponent': '24',
        'elk.layered.spacing.nodeNodeBetweenLayers': '56',
        'elk.layered.spacing.edgeNodeBetweenLayers': '14',
        'elk.layered.nodePlacement.strategy': 'SIMPLE',
        'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
        'elk.aspectRatio': '1.7',
      },
      children: [...nodes].map((id) => ({ id, width: WIDTH, height: HEIGHT })),
      edges,
    };
  }

  #isShown(key: string, shown: ReadonlySet<string>): boolean {
    return shown.has(key) || (!key.startsWith('core.') && !this.#deps.model.trees.has(key));
  }

  #place({ children = [], edges = [], width = 0, height = 0 }: GraphNode): void {
    const first = this.#drawn.size === 0;
    const grew = width > this.#size.width || height > this.#size.height;
    this.#size = { width, height };
    const there = new Set(children.map(({ id }) => id));
    for (const [key, { group }] of this.#drawn) {
      if (there.has(key)) continue;
      group.remove();
      this.#drawn.delete(key);
    }
    for (const { id, x = 0, y = 0 } of children) {
      this.#paint(
        id,
        this.#wanted.find(({ key }) => key === id),
        { x, y },
      );
    }
    this.#lines.replaceChildren();
    this.#drawnLines.length = 0;
    for (const edge of edges) {
      const path = element('path', { class: 'line', d: splineOf(pointsOf(edge)) });
      this.#drawnLines.push({ path, from: edge.sources[0] ?? '', to: edge.targets[0] ?? '' });
      this.#lines.append(path);
    }
    this.#choose(this.#chosen);
    if (first || (grew && !this.#zoom.isMoved)) this.#showNear();
  }

  #showAll(): void {
    this.#zoom.show({ x: 0, y: 0, ...this.#size });
  }

  /** The chosen one with what it needs and who needs it, or all. */
  #showNear(): void {
    const near = [...this.#drawn.values()].filter(({ group }) => group.classList.contains('near'));
    if (near.length === 0) {
      this.#showAll();
      return;
    }
    const [left, top] = [Math.min(...near.map(({ x }) => x)), Math.min(...near.map(({ y }) => y))];
    const [right, bottom] = [Math.max(...near.map(({ x }) => x)), Math.max(...near.map(({ y }) => y))];
    this.#zoom.show({ x: left, y: top, width: right - left + WIDTH, height: bottom - top + HEIGHT });
  }

  #paint(key: string, tree: Tree | undefined, place?: { readonly x: number; readonly y: number }): void {
    const known = this.#drawn.get(key);
    if (known === undefined && place === undefined) return;
    const drawn = known ?? this.#make(key);
    if (place !== undefined) {
      Object.assign(drawn, place);
      drawn.group.style.transform = `translate(${place.x}px, ${place.y}px)`;
    }
    const tone = tree?.tone ?? 'absent';
    if (drawn.tree === tree && known !== undefined) return;
    drawn.tree = tree;
    const named = tree ?? this.#deps.model.named(key);
    drawn.title.textContent = [`${named.kind} ${named.name}`, labelOf(tone), tree?.said ?? '']
      .filter(Boolean)
      .join(', ');
    if (drawn.tone === tone) return;
    if (drawn.tone !== '') drawn.group.classList.remove(drawn.tone);
    drawn.group.classList.add(tone);
    drawn.group.querySelector('use')?.setAttribute('href', `#tone-${tone}`);
    // Seen as it happens, but not all of it at the first sight.
    if (drawn.tone !== '') flash(drawn.group);
    drawn.tone = tone;
  }

  #make(key: string): Drawn {
    const { kind, name } = this.#deps.model.named(key);
    const group = element('g', { class: 'box', tabindex: '0', role: 'button' });
    const said = name;
    const title = element('title', {});
    group.append(
      title,
      element('rect', { width: WIDTH, height: HEIGHT, rx: 8 }),
      signElement(StatusColor.Unseen, { x: 12, y: 13 }),
      textElement(truncateToWidth(said, FONT, WIDTH - 44), { x: 34, y: 16.5, class: 'name' }),
      textElement(kind, { x: 34, y: 30, class: 'kind' }),
    );
    const choose = (): void => this.#deps.onChoose(key);
    group.addEventListener('click', choose);
    group.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose();
    });
    this.#boxes.append(group);
    const drawn: Drawn = { group, title, tree: undefined, tone: '', x: 0, y: 0 };
    this.#drawn.set(key, drawn);
    return drawn;
  }

  /** The chosen one with all that it needs, and all who need it, stands out. */
  #choose(chosen: string): void {
    this.#chosen = chosen;
    const near = new Set<string>();
    const walk = (next: (key: string) => readonly string[]): void => {
      const open = [chosen];
      const seen = new Set(open);
      for (const key of open) {
        near.add(key);
        for (const other of next(key)) {
          if (seen.has(other)) continue;
          seen.add(other);
          open.push(other);
        }
      }
    };
    const isOn = chosen !== '' && this.#drawn.has(chosen);
    if (isOn) {
      walk((key) => this.#drawnLines.filter(({ to }) => to === key).map(({ from }) => from));
      walk((key) => this.#drawnLines.filter(({ from }) => from === key).map(({ to }) => to));
    }
    this.element.classList.toggle('choosing', isOn);
    for (const [key, { group }] of this.#drawn) {
      group.classList.toggle('near', near.has(key));
      group.classList.toggle('chosen', key === chosen);
      if (key === chosen) group.setAttribute('aria-pressed', 'true');
      else group.removeAttribute('aria-pressed');
    }
    for (const { path, from, to } of this.#drawnLines) {
      path.classList.toggle('near', isOn && near.has(from) && near.has(to));
    }
  }
}

/** ELK's splines are cubic curves: a start, then three points each. */
function splineOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [start, ...others] = points;
  if (start === undefined) return '';
  if (others.length % 3 !== 0) return pathOf(points);
  const curves = others.map(({ x, y }, index) => `${index % 3 === 0 ? 'C' : ''}${x.toFixed(1)} ${y.toFixed(1)}`);
  return `M${start.x.toFixed(1)} ${start.y.toFixed(1)}${curves.join(' ')}`;
}

function flash(group: SVGGElement): void {
  group.classList.remove('flash');
  // A class that is put back within one frame is no change, unless the layout is asked for between.
  void group.getBoundingClientRect();
  group.classList.add('flash');
}

/** Larger, smaller, all: for whoever has no wheel. */
export function zoomButtons(zoomable: Zoomable, showAll: () => void): HTMLElement {
  const bar = document.createElement('div');
  bar.className = 'zoom';
  const add = (label: string, sign: string, act: () => void): void => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = label;
    button.setAttribute('aria-label', label);
    button.textContent = sign;
    button.addEventListener('click', act);
    bar.append(button);
  };
  add('Enlarge', '+', () => zoomable.enlarge(1.3));
  add('Reduce', '−', () => zoomable.enlarge(1 / 1.3));
  add('Show all', '⤢', showAll);
  return bar;
}
