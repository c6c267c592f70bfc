// Objects as nodes with the claims between them: dependencies on the left, dependents on the right. Laid out by ELK in its worker;
// always at full size, and scrolled where it is larger than its place.
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import { keyOf, moveByArrow, onHover, reveal } from './hover.ts';
import { familyOf, iconOf } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { type GraphNode, layout, pointsOf } from './layout.ts';
import type { GraphItem, Shown } from './neighbors.ts';
import { following, hrefOf, icon, middle, sign, type ViewDeps } from './parts.ts';
import { counted, countedKind } from './text.ts';
import { Tip } from './tip.ts';
import { BAD, labelOf, rankOf } from './tones.ts';
import { zoomBar } from './zoom-bar.ts';

const [WIDTH, HEIGHT, STACK] = [192, 40, 48] as const;
const SCALES = [1, 1.25, 1.5, 2] as const;
/** After a change of what refers to what, so that many become one layout, in milliseconds. */
const CALM_MS = 150;

export class NodeGraph {
  readonly element = document.createElement('div');
  readonly #deps: ViewDeps;
  readonly #scroll = document.createElement('div');
  readonly #frame = document.createElement('div');
  readonly #tip = new Tip();
  #landscape: Landscape | undefined;
  #shown: Shown = { items: [], edges: [] };
  #lone: readonly string[] = [];
  #chosen = '';
  #shape = '';
  #laid: GraphNode | undefined;
  /** Shape that was laid out last, or cannot be. */
  #laidShape = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure = '';
  #scale = 1;

  constructor(deps: ViewDeps, label: string) {
    this.#deps = deps;
    this.element.className = 'node-graph';
    this.#scroll.className = 'scroll';
    this.#scroll.tabIndex = 0;
    this.#scroll.setAttribute('role', 'group');
    this.#scroll.setAttribute('aria-label', label);
    this.element.append(this.#scroll, this.#frame, this.#tip.element);
    this.element.addEventListener('keydown', (event) => {
      if (moveByArrow(this.#scroll, event)) event.preventDefault();
    });
    this.#scroll.addEventListener('scroll', () => this.#tip.hide(), { passive: true });
    onHover(this.#scroll, (key) => this.#light(key));
    this.#scroll.addEventListener('click', (event) => {
      const key = keyOf(event.target);
      if (key === undefined || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      deps.change({ chosen: key });
    });
  }

  /** @param lone  keys of objects without claims here, below the others */
  update(landscape: Landscape, shown: Shown, chosen: string, lone: readonly string[] = []): void {
    this.#landscape = landscape;
    this.#shown = shown;
    this.#chosen = chosen;
    this.#lone = lone;
    const shape = `${shown.items.map(({ id, keys }) => `${id}*${keys.length}`).join()} ${shown.edges.map(({ from, to }) => `${from}>${to}`).join()}`;
    if (shape !== this.#shape) {
      const isFirst = this.#laid === undefined;
      this.#shape = shape;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#arrange(), isFirst ? 0 : CALM_MS);
    }
    this.#draw();
  }

  async #arrange(): Promise<void> {
    const shape = this.#shape;
    const { items, edges } = this.#shown;
    try {
      const laid = await layout(graphOf(items, edges));
      if (shape !== this.#shape) return;
      this.#laid = laid;
      this.#failure = '';
    } catch (error) {
      if (shape !== this.#shape) return;
      this.#failure = (error as Error).message;
    }
    this.#laidShape = shape;
    this.#draw();
    const chosen = this.#scroll.querySelector('.node.sel');
    if (chosen !== null) reveal(this.#scroll, chosen.getBoundingClientRect());
  }

  #draw(): void {
    const [landscape, laid] = [this.#landscape, this.#laid];
    if (landscape === undefined) return;
    const places = new Map((laid?.children ?? []).map((node) => [node.id, node]));
    const { width = 0, height = 0 } = laid ?? {};
    const isBusy = this.#laidShape !== this.#shape;
    const placed = this.#shown.items.filter(({ id }) => places.has(id));
    this.element.ariaBusy = String(isBusy);
    render(
      html`${this.#failure === '' ? nothing : html`<p class="bad" role="alert">${this.#failure}</p>`}
        ${isBusy && placed.length === 0 ? html`<p class="laying quiet" role="status">Arranging ${counted(this.#shown.items.length, 'object')}…</p>` : nothing}
        <div class="graph ${landscape.hits === undefined ? '' : 'searching'}" .style=${`width: ${width}px; height: ${height}px; zoom: ${this.#scale}`}>
          <svg class="edges" width=${width} height=${height} aria-hidden="true">${this.#edges(landscape, laid)}</svg>
          ${repeat(
            placed,
            ({ id }) => id,
            (item) => this.#node(landscape, item, places.get(item.id)),
          )}
        </div>
        ${
          this.#lone.length === 0
            ? nothing
            : html`<section class="lone"><h3>Without claims in this group</h3>
                <div>${repeat(
                  this.#lone,
                  (key) => key,
                  (key) => this.#node(landscape, { id: key, keys: [key], isOuter: false }, undefined),
                )}</div>
              </section>`
        }`,
      this.#scroll,
    );
    const at = SCALES.indexOf(this.#scale as (typeof SCALES)[number]);
    const set = (index: number) => (): void => {
      this.#scale = SCALES[index] ?? 1;
      this.#draw();
    };
    render(
      html`<p class="legend" aria-hidden="true"><span class="failing"><i></i>from a root cause</span><span class="waiting"><i></i>waits</span><span><i></i>available</span></p>
        ${zoomBar({
          label: `${Math.round(this.#scale * 100)} %`,
          onIn: at < SCALES.length - 1 ? set(at + 1) : undefined,
          onOut: at > 0 ? set(at - 1) : undefined,
          onFit: set(0),
        })}`,
      this.#frame,
    );
  }

  #node(
    landscape: Landscape,
    { id, keys, isOuter }: GraphItem,
    place: GraphNode | undefined,
  ): TemplateResult | typeof nothing {
    const trees = keys.flatMap((key) => landscape.byKey.get(key) ?? []);
    const worst = trees.toSorted((one, other) => rankOf(one.tone) - rankOf(other.tone))[0];
    const style = place === undefined ? '' : `transform: translate(${place.x ?? 0}px, ${place.y ?? 0}px)`;
    const css = `${isOuter ? 'outer' : ''} ${id === this.#chosen ? 'sel' : ''} ${place === undefined ? 'loose' : ''}`;
    if (worst === undefined) return this.#missing(id, css, style);
    const isAway = landscape.hits !== undefined && !keys.some((key) => landscape.hits?.has(key));
    return html`${guard([worst, keys.length, css, style, isAway], () =>
      keys.length > 1
        ? stack(trees, worst, style, isAway, this.#deps)
        : html`<a
            class="node ${worst.tone} f-${familyOf(worst)} ${css} ${isAway ? 'away' : ''}"
            data-key=${worst.key}
            href=${hrefOf(worst.key)}
            .style=${style}
            aria-current=${id === this.#chosen ? 'true' : 'false'}
            >${face(worst)}<span class="what"
              ><span class="line"><b>${middle(worst.name)}</b>${isOuter ? html`<em>${landscape.groupOf.get(worst.key)?.name}</em>` : nothing}</span
              ><small class="cut"> ${worst.kind}</small></span
            >${worst.tone === 'available' ? nothing : sign(worst.tone)}<span class="hidden">, ${labelOf(worst.tone)}</span></a
          >`,
    )}`;
  }

  /** Node of a missing object. */
  #missing(key: string, css: string, style: string): TemplateResult {
    const named = this.#deps.model.named(key);
    return html`<a class="node absent f-${familyOf(named)} ${css}" data-key=${key} href=${hrefOf(key)} .style=${style}
      >${face(named)}<span class="what"><b>${middle(named.name)}</b><small class="cut">${named.kind}, ${labelOf('absent').toLowerCase()}</small></span>${sign('absent')}</a
    >`;
  }

  #edges(landscape: Landscape, laid: GraphNode | undefined): readonly TemplateResult[] {
    const toneOf = (id: string): string => {
      const keys = this.#shown.items.find((item) => item.id === id)?.keys ?? [];
      const tones = keys.map((key) => landscape.byKey.get(key)?.tone);
      if (tones.includes(undefined) || tones.includes('failed')) return 'bad failed';
      if (tones.some((tone) => tone !== undefined && BAD.has(tone))) return 'bad failing';
      return tones.every((tone) => tone === 'available') ? '' : 'wait';
    };
    const edges = (laid?.edges ?? []).map((edge) => ({ edge, tone: toneOf(edge.sources[0] ?? '') }));
    // Failing edges are drawn on top.
    edges.sort((one, other) => one.tone.length - other.tone.length);
    return edges.map(({ edge, tone }) => {
      const points = pointsOf(edge);
      const { x = 0, y = 0 } = points.at(-1) ?? {};
      const ends = `${edge.sources[0]}\n${edge.targets[0]}`;
      return svg`<g class=${tone} data-edge=${ends}><path class="need" d=${splineOf(points)}></path><path class="tip-of" d=${`M${x} ${y}l-6-3.2v6.4z`}></path></g>`;
    });
  }

  #light(key: string | undefined): void {
    const graph = this.#scroll.querySelector('.graph');
    const landscape = this.#landscape;
    if (graph === null || landscape === undefined) return;
    for (const each of graph.querySelectorAll('.near')) each.classList.remove('near');
    const tree = key === undefined ? undefined : landscape.byKey.get(key);
    graph.classList.toggle('hovering', tree !== undefined);
    const own = [...graph.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.dataset['key'] === key);
    if (tree === undefined || own === undefined) {
      this.#tip.hide();
      return;
    }
    own.classList.add('near');
    const near = new Set<string>();
    for (const edge of graph.querySelectorAll<SVGElement>('[data-edge]')) {
      const ends = (edge.dataset['edge'] ?? '').split('\n');
      if (!ends.includes(tree.key)) continue;
      edge.classList.add('near');
      for (const end of ends) near.add(end);
    }
    for (const each of graph.querySelectorAll<HTMLElement>('.node')) {
      if (near.has(each.dataset['key'] ?? each.dataset['stack'] ?? '')) each.classList.add('near');
    }
    this.#tip.show(tree, landscape, this.#deps.model.dependentsOf(tree.key), own.getBoundingClientRect());
  }
}

function face(tree: Pick<Tree, 'kind' | 'key'>): TemplateResult {
  return html`<span class="t">${icon(iconOf(tree))}</span>`;
}

function stack(
  trees: readonly Tree[],
  worst: Tree,
  style: string,
  isAway: boolean,
  { change }: ViewDeps,
): TemplateResult {
  const text = `kind:${worst.kind}`;
  return html`<a
    class="node stack ${worst.tone} f-${familyOf(worst)} ${isAway ? 'away' : ''}"
    data-stack=${`stack ${worst.kind}`}
    href="#layout=list&q=${text}"
    .style=${style}
    @click=${following(() => change({ layout: 'list', text, chosen: '' }))}
    >${face(worst)}<span class="what"
      ><b>${countedKind(trees.length, worst.kind)}</b
      ><small class="cut">${trees
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}${trees.length > 3 ? '…' : ''}</small></span
    >${worst.tone === 'available' ? nothing : sign(worst.tone)}<span class="hidden">, ${labelOf(worst.tone)}</span></a
  >`;
}

function graphOf(items: readonly GraphItem[], edges: Shown['edges']): GraphNode {
  return {
    id: 'all',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'SPLINES',
      'elk.layered.mergeEdges': 'true',
      'elk.spacing.nodeNode': '10',
      'elk.spacing.componentComponent': '20',
      'elk.spacing.edgeNode': '6',
      'elk.spacing.edgeEdge': '4',
      'elk.layered.spacing.nodeNodeBetweenLayers': '48',
      'elk.layered.spacing.edgeNodeBetweenLayers': '12',
      // Denser than others, with fewer crossings.
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.padding': '[top=8,left=8,bottom=8,right=8]',
    },
    children: items.map(({ id, keys }) => ({ id, width: WIDTH, height: keys.length > 1 ? STACK : HEIGHT })),
    edges: edges.map(({ from, to }) => ({ id: `${from}>${to}`, sources: [from], targets: [to] })),
  };
}

/** ELK's splines are cubic curves: a start, then three points each. */
function splineOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [start, ...others] = points;
  if (start === undefined) return '';
  const isCubic = others.length % 3 === 0;
  const parts = others.map(({ x, y }, index) => {
    const command = isCubic ? (index % 3 === 0 ? 'C' : '') : 'L';
    return `${command}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return `M${start.x.toFixed(1)} ${start.y.toFixed(1)}${parts.join(' ')}`;
}
