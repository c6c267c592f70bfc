// The layout of graphs, by ELK in a worker: the page never waits for it.
// https://eclipse.dev/elk/reference.html

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A node as ELK takes it, and gives it back with its place. */
export interface GraphNode {
  readonly id: string;
  width?: number;
  height?: number;
  x?: number;
  y?: number;
  children?: GraphNode[];
  edges?: GraphEdge[];
  labels?: GraphLabel[];
  layoutOptions?: Readonly<Record<string, string>>;
}

export interface GraphLabel {
  text: string;
  width: number;
  height: number;
  x?: number;
  y?: number;
}

export interface GraphEdge {
  readonly id: string;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  labels?: GraphLabel[];
  sections?: readonly {
    readonly startPoint: Point;
    readonly endPoint: Point;
    readonly bendPoints?: readonly Point[];
  }[];
  /** The node that its coordinates are relative to. */
  container?: string;
}

interface Asked {
  resolve(graph: GraphNode): void;
  reject(error: Error): void;
}

const asked = new Map<number, Asked>();
let worker: Worker | undefined;
let last = 0;

/** @throws {Error} ELK cannot lay it out */
export function layout(graph: GraphNode): Promise<GraphNode> {
  worker ??= begin();
  const id = ++last;
  const { promise, resolve, reject } = Promise.withResolvers<GraphNode>();
  asked.set(id, { resolve, reject });
  worker.postMessage({ id, cmd: 'layout', graph, layoutOptions: {}, options: {} });
  return promise;
}

/** The page's own policy lets one script be a worker, whose path its import map knows. */
function begin(): Worker {
  const path = new URL(import.meta.resolve('elkjs')).pathname;
  const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('troupe', {
    createScriptURL: (url) => {
      if (url !== path) throw new TypeError(`'${url}' is no worker of this page`);
      return url;
    },
  });
  const made = new Worker((policy?.createScriptURL(path) ?? path) as string);
  made.addEventListener('message', ({ data }: MessageEvent<{ id: number; data?: GraphNode; error?: unknown }>) => {
    const question = asked.get(data.id);
    asked.delete(data.id);
    if (data.error === undefined && data.data !== undefined) question?.resolve(data.data);
    else question?.reject(new Error(messageOf(data.error)));
  });
  made.postMessage({ id: 0, cmd: 'register', algorithms: ['layered'] });
  return made;
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | undefined)?.message ?? error);
}

/** As browsers with Trusted Types have it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** A path through points, its corners rounded. */
export function pathOf(points: readonly Point[], radius = 6): string {
  const [first, ...others] = points;
  if (first === undefined) return '';
  let path = `M${round(first.x)} ${round(first.y)}`;
  for (const [index, point] of others.entries()) {
    const next = others[index + 1];
    const before = points[index] as Point;
    if (next === undefined) {
      path += `L${round(point.x)} ${round(point.y)}`;
      continue;
    }
    const from = towards(point, before, radius);
    const to = towards(point, next, radius);
    path += `L${round(from.x)} ${round(from.y)}Q${round(point.x)} ${round(point.y)} ${round(to.x)} ${round(to.y)}`;
  }
  return path;
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Points of an edge, in the order in which it leads. */
export function pointsOf({ sections = [] }: GraphEdge): readonly Point[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);
}

let canvas: CanvasRenderingContext2D | null | undefined;

/** How wide a text is drawn, in pixels. */
export function widthOf(text: string, font: string): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (canvas == null) return text.length * 7;
  canvas.font = font;
  return canvas.measureText(text).width;
}

/** As much of a text as fits, with an ellipsis where something is left out. */
export function truncateToWidth(text: string, font: string, width: number): string {
  if (widthOf(text, font) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}
