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

/** Points of an edge, in the order in which it leads. */
export function pointsOf({ sections = [] }: GraphEdge): readonly Point[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);
}
