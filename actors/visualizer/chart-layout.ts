// Places of the states of a machine in its drawing: one place each, in any state of an object. Machines of the bundled adapters
// have theirs in `chart-layouts.json`, which is generated; those of others are laid out when they are first asked for.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ChartLayout, ChartNode, LaidArrow } from './wire.ts';

/** As they are generated: with what they were made from. */
export type KeptLayouts = Readonly<Record<string, ChartLayout & { readonly madeFrom: string }>>;

export const LAYOUTS_FILE = new URL('chart-layouts.json', import.meta.url);

const HEIGHT = 38;
const [LEAST, CHARACTER, PADDING] = [108, 7.3, 30] as const;
const [GAP, MARGIN, FRAME_HEAD] = [14, 16, 24] as const;
/** Share of all states: a state with this share of sources may be entered from anywhere, one with this share of targets may lead anywhere. */
const [ENTERED, GOES] = [0.4, 0.6] as const;
/** Below this number all arrows are drawn. */
const FEW = 4;

/** The life itself: of a machine with regions the first. */
export function lifeOf(root: ChartNode): ChartNode {
  return root.type === 'parallel' ? (root.states[0] ?? root) : root;
}

/** Outermost state of the lifecycle that contains a path; undefined: none. */
export function outerOf(life: ChartNode, path: string): ChartNode | undefined {
  return life.states.find((state) => path === state.path || path.startsWith(`${state.path}.`));
}

/** Those that are kept, as far as they are of this machine as it is. @throws {Error} it cannot be laid out */
export async function layoutOf(name: string, root: ChartNode): Promise<ChartLayout> {
  const kept = keptLayouts()[name];
  if (kept === undefined || kept.madeFrom !== sumOf(root)) return laidOut(root);
  const { madeFrom: _, ...layout } = kept;
  return layout;
}

let read: KeptLayouts | undefined;

function keptLayouts(): KeptLayouts {
  read ??= JSON.parse(readFileSync(LAYOUTS_FILE, 'utf8')) as KeptLayouts;
  return read;
}

/** The text of the file, for machines by name. */
export async function layoutsText(machines: readonly (readonly [name: string, root: ChartNode])[]): Promise<string> {
  const all: Record<string, ChartLayout & { madeFrom: string }> = {};
  for (const [name, root] of machines) all[name] = { madeFrom: sumOf(root), ...(await laidOut(root)) };
  const lines = Object.entries(all).map(([name, layout]) => `  ${JSON.stringify(name)}: ${JSON.stringify(layout)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Checksum of all inputs of the layout. */
function sumOf(root: ChartNode): string {
  const life = lifeOf(root);
  const said = life.states.map(({ path, name, states }) => [path, name, states.length]);
  const text = JSON.stringify([said, life.initial, edgesOf(life)]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

type Edge = readonly [from: string, to: string];

/** Between outermost states, each once. */
function edgesOf(life: ChartNode): readonly Edge[] {
  const found = new Map<string, Edge>();
  const visit = (outer: ChartNode, state: ChartNode): void => {
    for (const { target } of state.transitions) {
      const to = outerOf(life, target);
      if (to !== undefined && to !== outer) found.set(`${outer.path} ${to.path}`, [outer.path, to.path]);
    }
    for (const inner of state.states) visit(outer, inner);
  };
  for (const outer of life.states) visit(outer, outer);
  return [...found.values()];
}

/** Those that all or nearly all may enter, in whatever state an object is. */
function enteredFromAnywhere(life: ChartNode, edges: readonly Edge[]): ReadonlySet<string> {
  const own = new Set(life.transitions.flatMap(({ target }) => outerOf(life, target)?.path ?? []));
  const least = Math.max(FEW, life.states.length * ENTERED);
  for (const { path } of life.states) if (edges.filter(([, to]) => to === path).length >= least) own.add(path);
  own.delete(life.initial);
  return own;
}

async function laidOut(root: ChartNode): Promise<ChartLayout> {
  const life = lifeOf(root);
  const edges = edgesOf(life);
  const anywhere = enteredFromAnywhere(life, edges);
  const least = Math.max(FEW, life.states.length * GOES);
  const leaving = (path: string): number => edges.filter(([from]) => from === path).length;
  const goesAnywhere = new Set(life.states.map(({ path }) => path).filter((path) => leaving(path) >= least));
  // A life begins where it was left, which may be anywhere; drawn is where a new one begins.
  const [first] = edges
    .flatMap(([from, to]) => (from === life.initial ? [to] : []))
    .toSorted((one, other) => leaving(other) - leaving(one));
  const drawn = edges.filter(([from, to]) =>
    from === life.initial ? to === first : !anywhere.has(to) && !goesAnywhere.has(from),
  );
  const linked = new Set(drawn.flat());
  /** Those in the frame at the side: all of them may be entered from anywhere, and lead nowhere that is drawn. */
  const aside = life.states.filter(({ path }) => anywhere.has(path) && !linked.has(path));
  const main = life.states.filter((state) => !aside.includes(state));
  const laid = await elk({
    id: 'life',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.spacing.nodeNode': '28',
      'elk.spacing.edgeNode': '16',
      'elk.spacing.edgeEdge': '12',
      'elk.layered.spacing.nodeNodeBetweenLayers': '44',
      'elk.layered.spacing.edgeNodeBetweenLayers': '16',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.padding': `[top=${MARGIN},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
    },
    children: main.map(({ path, name }) => ({ id: path, width: widthOf(name), height: HEIGHT })),
    edges: drawn.map(([from, to]) => ({ id: `${from}>${to}`, sources: [from], targets: [to] })),
  });
  const states: Record<string, readonly [number, number, number, number]> = {};
  for (const { id, x = 0, y = 0, width = 0, height = 0 } of laid.children ?? []) {
    states[id] = [round(x), round(y), round(width), round(height)];
  }
  const arrows = (laid.edges ?? []).map(({ sources, targets, sections = [] }): LaidArrow => {
    const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    return [sources[0] ?? '', targets[0] ?? '', points.map(({ x, y }) => [round(x), round(y)] as const)];
  });
  let [width, height] = [round(laid.width ?? 0), round(laid.height ?? 0)];
  let frame: ChartLayout['frame'];
  if (aside.length > 0) {
    const wide = Math.max(...aside.map(({ name }) => widthOf(name)));
    const left = width + GAP;
    for (const [index, { path }] of aside.entries()) {
      states[path] = [left + GAP, MARGIN + FRAME_HEAD + GAP + index * (HEIGHT + GAP), wide, HEIGHT];
    }
    const high = FRAME_HEAD + GAP + aside.length * (HEIGHT + GAP);
    frame = [left, MARGIN, wide + 2 * GAP, high];
    width = left + wide + 2 * GAP + MARGIN;
    height = Math.max(height, MARGIN * 2 + high);
  }
  return {
    width,
    height,
    states,
    arrows,
    anywhere: [...anywhere],
    goesAnywhere: [...goesAnywhere],
    ...(frame !== undefined && { frame }),
  };
}

/** Enough for the name in any font that the page may have. */
function widthOf(name: string): number {
  return Math.max(LEAST, Math.ceil(name.length * CHARACTER + PADDING));
}

function round(value: number): number {
  return Math.round(value);
}

interface ElkNode {
  readonly id: string;
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly layoutOptions?: Readonly<Record<string, string>>;
  readonly children?: readonly ElkNode[];
  readonly edges?: readonly {
    readonly id: string;
    readonly sources: readonly string[];
    readonly targets: readonly string[];
    readonly sections?: readonly {
      readonly startPoint: { readonly x: number; readonly y: number };
      readonly endPoint: { readonly x: number; readonly y: number };
      readonly bendPoints?: readonly { readonly x: number; readonly y: number }[];
    }[];
  }[];
}

/** Loaded when it is needed: it is large. */
async function elk(graph: ElkNode): Promise<ElkNode> {
  const Elk = createRequire(import.meta.url)('elkjs/lib/elk.bundled.js') as new () => {
    layout(graph: ElkNode): Promise<ElkNode>;
  };
  return new Elk().layout(graph);
}
