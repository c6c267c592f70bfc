// The statechart of an object, drawn from its machine: where it is lights up, and where it came from shows on the way.
import type { ChartArrow, ChartNode } from '../wire.ts';
import { zoomButtons } from './graph.ts';
import { type Box, type GraphEdge, type GraphNode, layout, type Point, pathOf, pointsOf, widthOf } from './layout.ts';
import { eventLabel } from './text.ts';
import { element, textElement, Zoomable } from './zoom.ts';

const NAME_FONT = '500 13px system-ui, sans-serif';
const LABEL_FONT = '11px system-ui, sans-serif';
const LINE = 14;
/** Events named at one arrow; the others are counted. */
const EVENTS = 3;

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly events: readonly string[];
  readonly group: SVGGElement;
}

export interface Where {
  /** As the trace names it: of several regions the first is the life itself. Empty: not known. */
  readonly state: string;
  readonly from: string;
  readonly cause: string;
  /** Changes with each transition. */
  readonly at: number;
}

export class Chart {
  readonly element = document.createElement('div');
  readonly #zoom: Zoomable;
  readonly #states = new Map<string, SVGGElement>();
  readonly #boxes = new Map<string, Box>();
  readonly #arrows: Arrow[] = [];
  readonly #whole = document.createElement('button');
  #machine: ChartNode | undefined;
  /** What is drawn of it, or about to be. */
  #shape = '';
  #isWhole = false;
  #where: Where = { state: '', from: '', cause: '', at: 0 };

  constructor(label: string) {
    this.element.className = 'statechart';
    this.#zoom = new Zoomable(label);
    this.#whole.type = 'button';
    this.#whole.className = 'chip whole';
    this.#whole.addEventListener('click', () => {
      this.#isWhole = !this.#isWhole;
      void this.#arrange();
    });
    const buttons = zoomButtons(this.#zoom, () => this.#showAll());
    this.element.append(this.#zoom.svg, this.#whole, buttons);
    this.#label();
    new ResizeObserver(() => {
      if (!this.#zoom.isMoved) this.#showAll();
    }).observe(this.#zoom.svg);
  }

  /** @throws {Error} the chart cannot be laid out */
  async draw(machine: ChartNode): Promise<void> {
    if (machine === this.#machine) return;
    this.#machine = machine;
    await this.#arrange();
  }

  #label(): void {
    this.#whole.textContent = this.#isWhole ? 'Where it is' : 'All states';
    this.#whole.setAttribute('aria-pressed', String(this.#isWhole));
  }

  /** Draws the machine with the superstates open that the object is in, or with all. */
  async #arrange(): Promise<void> {
    const machine = this.#machine;
    if (machine === undefined) return;
    this.#label();
    const seen = this.#isWhole ? machine : folded(machine, this.#pathOf(this.#where.state));
    const shape = pathsOf(seen).join();
    if (shape === this.#shape) return;
    this.#shape = shape;
    const laid = await layout(graphOf(seen, { isNamed: this.#isWhole }));
    if (shape !== this.#shape) return;
    this.#zoom.ground.replaceChildren();
    this.#states.clear();
    this.#boxes.clear();
    this.#arrows.length = 0;
    const [boxes, lines] = [element('g', {}), element('g', { class: 'arrows' })];
    this.#zoom.ground.append(boxes, lines);
    this.#drawStates(seen, laid, { x: 0, y: 0 }, boxes);
    for (const edge of edgesBelow(laid)) this.#drawArrow(edge, lines);
    this.#light();
    this.#showAll();
  }

  /** What leads away from where it is: events, and the states that they lead to. */
  get ways(): readonly { readonly event: string; readonly to: string }[] {
    const machine = this.#machine;
    const active = this.#pathOf(this.#where.state);
    if (machine === undefined || active === '') return [];
    const found = new Map<string, string>();
    const visit = (state: ChartNode): void => {
      if (state.path !== '' && active !== state.path && !active.startsWith(`${state.path}.`)) return;
      state.states.forEach(visit);
      for (const { event, target } of state.transitions) {
        // What an inner state does with an event goes first.
        if (target !== state.path && !found.has(eventLabel(event))) found.set(eventLabel(event), target);
      }
    };
    visit(machine);
    const region = machine.type === 'parallel' ? `${machine.states[0]?.name}.` : '';
    return [...found].map(([event, to]) => ({ event, to: to.startsWith(region) ? to.slice(region.length) : to }));
  }

  show(where: Where): void {
    const isNew = where.at !== this.#where.at && this.#where.at !== 0;
    this.#where = where;
    void this.#arrange();
    this.#light();
    if (!isNew) return;
    for (const { group } of this.#arrows.filter((arrow) =>
      isTaken(arrow, this.#pathOf(where.from), this.#pathOf(where.state), where.cause),
    )) {
      group.classList.remove('taken');
      void group.getBoundingClientRect();
      group.classList.add('taken');
    }
  }

  #showAll(): void {
    const all = this.#boxes.get('');
    if (all !== undefined) this.#zoom.show(all, 1.1);
  }

  /** The first region of a parallel machine is the life, whose states are named without it. */
  #pathOf(state: string): string {
    const [region] = this.#machine?.states ?? [];
    if (this.#machine?.type !== 'parallel' || region === undefined || state === '') return state;
    return `${region.name}.${state}`;
  }

  #light(): void {
    const active = this.#pathOf(this.#where.state);
    for (const [path, group] of this.#states) {
      const isActive = active !== '' && (active === path || active.startsWith(`${path}.`));
      group.classList.toggle('active', isActive && path !== '');
      const isFolded = isActive && path !== '' && ![...this.#states.keys()].some((each) => each.startsWith(`${path}.`));
      group.classList.toggle('leaf', isFolded);
      if (isFolded) group.setAttribute('aria-current', 'true');
      else group.removeAttribute('aria-current');
    }
    for (const arrow of this.#arrows) {
      const isWay = active !== '' && (active === arrow.from || active.startsWith(`${arrow.from}.`));
      arrow.group.classList.toggle('way', isWay);
    }
  }

  #drawStates(
    state: ChartNode,
    { x = 0, y = 0, width = 0, height = 0, children = [] }: GraphNode,
    at: Point,
    ground: SVGGElement,
  ): void {
    const place = { x: at.x + x, y: at.y + y };
    this.#boxes.set(state.path, { ...place, width, height });
    const isLeaf = state.states.length === 0;
    const group = element('g', { class: `state ${state.type}${isLeaf ? '' : ' outer'}`, 'data-path': state.path });
    this.#states.set(state.path, group);
    if (state.path !== '') {
      const title = element('title', {});
      title.textContent = [state.name, state.description].filter(Boolean).join(': ');
      const rect = element('rect', { ...place, width, height, rx: isLeaf ? 8 : 12 });
      group.append(title, rect);
      const left = place.x + 12;
      if (isLeaf) {
        group.append(
          textElement(state.name, { x: place.x + width / 2, y: place.y + height / 2 + 4.5, class: 'middle' }),
        );
      } else group.append(textElement(state.name, { x: left, y: place.y + 18, class: 'outer-name' }));
      if (state.type === 'final')
        group.append(
          element('rect', {
            x: place.x + 3,
            y: place.y + 3,
            width: width - 6,
            height: height - 6,
            rx: 6,
            class: 'inner',
          }),
        );
    }
    ground.append(group);
    for (const child of state.states) {
      const laid = children.find(({ id }) => id === idOf(child.path));
      if (laid !== undefined) this.#drawStates(child, laid, place, ground);
      if (child.path === state.initial && laid !== undefined) ground.append(entry(place, laid));
    }
  }

  #drawArrow(edge: GraphEdge & { events?: readonly string[] }, ground: SVGGElement): void {
    const points = pointsOf(edge);
    const group = element('g', { class: 'arrow' });
    const events = edge.events ?? [];
    const title = element('title', {});
    title.textContent = events.map((event) => event || 'at once, under a condition').join(', ');
    group.append(title, element('path', { d: pathOf(points), class: 'way-line' }), head(points));
    for (const { text, x = 0, y = 0, width } of edge.labels ?? []) {
      for (const [index, line] of text.split('\n').entries()) {
        group.append(textElement(line, { x: x + width / 2, y: y + 11 + index * LINE, class: 'label middle' }));
      }
    }
    ground.append(group);
    const [from = '', to = ''] = [edge.sources[0], edge.targets[0]].map((id) => pathIn(id ?? ''));
    this.#arrows.push({ from, to, events, group });
  }
}

/** Whether a transition went along an arrow, as far as that can be told: it may lead into a state or out of one. */
function isTaken({ from, to, events }: Arrow, left: string, entered: string, cause: string): boolean {
  const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
  return isWithin(left, from) && isWithin(entered, to) && (events.includes(eventLabel(cause)) || events.includes(''));
}

/** ELK takes no empty id. */
function idOf(path: string): string {
  return `state:${path}`;
}

function pathIn(id: string): string {
  return id.slice('state:'.length);
}

/** With superstates closed that the active state is not in: what leads to their states leads to them. */
function folded(machine: ChartNode, active: string): ChartNode {
  const isOpen = ({ path, type }: ChartNode): boolean =>
    path === '' || type === 'parallel' || active === path || active.startsWith(`${path}.`) || !path.includes('.');
  const shown = new Set<string>();
  const note = (state: ChartNode): void => {
    shown.add(state.path);
    if (isOpen(state)) state.states.forEach(note);
  };
  note(machine);
  const seenAs = (path: string): string => {
    let seen = path;
    while (!shown.has(seen)) seen = seen.slice(0, Math.max(0, seen.lastIndexOf('.')));
    return seen;
  };
  const below = ({ states, transitions }: ChartNode): readonly ChartArrow[] => [
    ...transitions,
    ...states.flatMap(below),
  ];
  const fold = (state: ChartNode): ChartNode => {
    const isFolded = state.states.length > 0 && !isOpen(state);
    const transitions = (isFolded ? below(state) : state.transitions).map((arrow) => ({
      ...arrow,
      target: seenAs(arrow.target),
    }));
    return { ...state, transitions, states: isFolded ? [] : state.states.map(fold) };
  };
  return fold(machine);
}

function pathsOf({ path, states }: ChartNode): readonly string[] {
  return [path, ...states.flatMap(pathsOf)];
}

/** @param isNamed  arrows show their events, which takes room */
function graphOf(machine: ChartNode, { isNamed }: { readonly isNamed: boolean }): GraphNode {
  const edges: (GraphEdge & { events: readonly string[] })[] = [];
  const below = (state: ChartNode): GraphNode => {
    edges.push(...arrowsOf(state, isNamed));
    if (state.states.length === 0) {
      return { id: idOf(state.path), width: Math.max(64, widthOf(state.name, NAME_FONT) + 30), height: 34 };
    }
    return {
      id: idOf(state.path),
      children: state.states.map(below),
      layoutOptions: {
        'elk.padding': state.path === '' ? '[top=8,left=8,bottom=8,right=8]' : '[top=34,left=18,bottom=16,right=16]',
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${Math.ceil(widthOf(state.name, NAME_FONT)) + 40},0)`,
      },
    };
  };
  const root = below(machine);
  return {
    ...root,
    edges,
    layoutOptions: {
      ...root.layoutOptions,
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.json.edgeCoords': 'ROOT',
      'elk.json.shapeCoords': 'PARENT',
      'elk.spacing.nodeNode': '24',
      'elk.spacing.edgeLabel': '3',
      'elk.spacing.edgeNode': '14',
      'elk.spacing.edgeEdge': '8',
      'elk.layered.spacing.nodeNodeBetweenLayers': '34',
      'elk.layered.spacing.edgeNodeBetweenLayers': '14',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    },
  };
}

/** One arrow to each other state, whatever number of events leads there. What stays where it is is no arrow. */
function arrowsOf(
  { path, transitions }: ChartNode,
  isNamed: boolean,
): readonly (GraphEdge & { events: readonly string[] })[] {
  const events = new Map<string, string[]>();
  for (const { target, event } of transitions) {
    if (target === path) continue;
    const known = events.get(target) ?? [];
    const name = eventLabel(event);
    if (!known.includes(name)) known.push(name);
    events.set(target, known);
  }
  return [...events].map(([target, named]) => {
    const said = named.filter((event) => event !== '');
    const lines = said.slice(0, EVENTS);
    if (said.length > EVENTS) lines.push(`+ ${said.length - EVENTS}`);
    const text = lines.join('\n');
    const label = {
      text,
      width: Math.max(...lines.map((line) => widthOf(line, LABEL_FONT)), 0) + 6,
      height: lines.length * LINE,
    };
    return {
      id: `${path}>${target}`,
      sources: [idOf(path)],
      targets: [idOf(target)],
      events: named,
      ...(isNamed && lines.length > 0 && { labels: [label] }),
    };
  });
}

function* edgesBelow(node: GraphNode): Generator<GraphEdge> {
  yield* node.edges ?? [];
  for (const child of node.children ?? []) yield* edgesBelow(child);
}

/** A dot beside the state that a compound begins with. */
function entry(parent: Point, { x = 0, y = 0 }: GraphNode): SVGElement {
  const dot = element('g', { class: 'initial' });
  const [left, top] = [parent.x + x - 7, parent.y + y + 17];
  dot.append(element('circle', { cx: left, cy: top, r: 3 }));
  return dot;
}

/** The head of an arrow, at its last point. */
function head(points: readonly Point[]): SVGElement {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return element('g', {});
  const angle = (Math.atan2(last.y - before.y, last.x - before.x) * 180) / Math.PI;
  return element('path', {
    d: 'M0 0L-7 -3.6V3.6z',
    transform: `translate(${last.x} ${last.y}) rotate(${angle})`,
    class: 'head',
  });
}
