// Where the processor time of this process goes: a sampled profile, summed up by part of the source and by function.
import type { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Between two samples, in microseconds. */
const INTERVAL_US = 1_000;

/** Shares of the busy time of the main thread, largest first. */
export interface Profile {
  readonly busyMs: number;
  readonly byPart: readonly (readonly [part: string, share: number])[];
  readonly byFunction: readonly (readonly [name: string, share: number])[];
}

const FUNCTIONS = 40;

export class Profiler {
  #session: Session | undefined;

  /** Begins, unless it has begun. */
  async start(): Promise<void> {
    if (this.#session !== undefined) return;
    const { Session } = await import('node:inspector/promises'); // not part of what is measured
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await session.post('Profiler.start');
    this.#session = session;
  }

  async stop(): Promise<Profile | undefined> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return undefined;
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
    const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    const parts = new Map<string, number>();
    const functions = new Map<string, number>();
    let busyUs = 0;
    for (const [index, id] of (profile.samples ?? []).entries()) {
      const spentUs = profile.timeDeltas?.[index] ?? 0;
      const frame = nodes.get(id)?.callFrame;
      if (frame === undefined || frame.functionName === '(idle)') continue;
      busyUs += spentUs;
      // What Node and V8 do by themselves is counted for whoever made them do it.
      let part = partOf(frame.url);
      for (let up = parents.get(id); part === undefined && up !== undefined; up = parents.get(up))
        part = partOf(nodes.get(up)?.callFrame.url ?? '');
      add(parts, part ?? (frame.functionName.startsWith('(') ? frame.functionName : 'node'), spentUs);
      const file = frame.url.startsWith('file:') ? fileURLToPath(frame.url).replace(ROOT, '') : frame.url;
      add(functions, `${frame.functionName || '(anonymous)'} ${file}:${frame.lineNumber + 1}`, spentUs);
    }
    const shares = (sums: ReadonlyMap<string, number>): [string, number][] =>
      [...sums]
        .sort(([, a], [, b]) => b - a)
        .map(([name, spentUs]) => [name, Math.round((1_000 * spentUs) / busyUs) / 1_000]);
    return { busyMs: busyUs / 1_000, byPart: shares(parts), byFunction: shares(functions).slice(0, FUNCTIONS) };
  }
}

/** The folder of the source, two deep, or the package. Undefined: Node's own. */
function partOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url).replace(ROOT, '');
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (name !== undefined) return name;
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, 2).join('/');
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}
