// In-memory disk with configurable failures. After a stop, what a killed process or a power cut leaves is read
// back. It does not reorder writes within a file beyond leaving gaps of zeros, and its folder is one.
import { basename } from 'node:path';
import type { Files } from '../../../../../adapters/simulated/kubernetes/storage/files.ts';

/** Fate of an operation: `short` writes a part and fails, `stop` does a part and never returns. */
export type Fate = 'works' | 'fails' | 'short' | 'stop';

interface Content {
  live: Buffer;
  /** Synced content of the disk. */
  lasting: Buffer;
}

export interface Disk {
  readonly files: Files;
  /** Number of operations so far. */
  operations(): number;
  /** Resolves when an operation was met by `stop`. */
  readonly stopped: Promise<void>;
  /** Content that the next process finds; `choose` gives a whole number below its argument. */
  after(kind: 'kill' | 'power cut', choose: (below: number) => number): Map<string, Buffer>;
}

/** @param fateOf  of the operation with this number, from 0 */
export function simulatedDisk(
  found: ReadonlyMap<string, Buffer>,
  fateOf: (operation: number) => Fate = () => 'works',
): Disk {
  const names = new Map<string, Content>();
  for (const [name, bytes] of found) names.set(name, { live: bytes, lasting: bytes });
  let lastingNames = new Map(names);
  /** Renames since the directory was synced. */
  let renamings: ((names: Map<string, Content>) => void)[] = [];
  let operations = 0;
  let isStopped = false;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();

  const meet = async (part: () => void, whole: () => void): Promise<void> => {
    const fate = fateOf(operations++);
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (isStopped) await new Promise<never>(() => undefined);
    if (fate === 'short' || fate === 'stop') part();
    if (fate === 'stop') {
      isStopped = true;
      stop();
      await new Promise<never>(() => undefined);
    }
    if (fate !== 'works') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    whole();
  };
  const nothing = (): void => undefined;
  const rearrange = (change: (names: Map<string, Content>) => void): void => {
    change(names);
    renamings.push(change);
  };
  const at = (path: string): Content => {
    const content = names.get(basename(path)) ?? { live: Buffer.alloc(0), lasting: Buffer.alloc(0) };
    if (!names.has(basename(path))) rearrange((all) => void all.set(basename(path), content));
    return content;
  };

  return {
    stopped,
    operations: () => operations,
    files: {
      take: async () => nothing,
      async open(path) {
        await meet(nothing, () => at(path));
        const content = at(path);
        return {
          async write(bytes, position) {
            const put = (length: number): void => {
              const end = Math.max(content.live.length, position + length);
              const next = Buffer.alloc(end);
              content.live.copy(next);
              bytes.copy(next, position, 0, length);
              content.live = next;
            };
            await meet(
              () => put(bytes.length >> 1),
              () => put(bytes.length),
            );
            return bytes.length;
          },
          truncate: (length) =>
            meet(nothing, () => {
              content.live = content.live.subarray(0, length);
            }),
          sync: () =>
            meet(nothing, () => {
              content.lasting = content.live;
            }),
          chunks: async function* () {
            await meet(nothing, nothing);
            for (let from = 0; from < content.live.length; from += 100) yield content.live.subarray(from, from + 100);
          },
          close: async () => undefined,
        };
      },
      syncFolder: () =>
        meet(nothing, () => {
          lastingNames = new Map(names);
          renamings = [];
        }),
      async list() {
        await meet(nothing, nothing);
        return [...names.keys()];
      },
      rename: (from, to) =>
        meet(nothing, () => {
          const content = at(from);
          rearrange((all) => {
            all.set(basename(to), content);
            all.delete(basename(from));
          });
        }),
      remove: (path) => meet(nothing, () => rearrange((all) => void all.delete(basename(path)))),
    },
    after(kind, choose) {
      if (kind === 'kill') return new Map([...names].map(([name, { live }]) => [name, live]));
      const left = new Map(lastingNames);
      for (const change of renamings) if (choose(2) === 0) change(left);
      return new Map([...left].map(([name, content]) => [name, survivor(content, choose)]));
    },
  };
}

/** Unsynced content after a crash: nothing, a part, or all except some blocks. */
function survivor({ live, lasting }: Content, choose: (below: number) => number): Buffer {
  if (!live.subarray(0, lasting.length).equals(lasting)) return choose(2) === 0 ? live : lasting;
  const unsafe = live.length - lasting.length;
  const end = lasting.length + choose(unsafe + 1);
  if (choose(2) === 0 || unsafe === 0) return live.subarray(0, end);
  const gap = Buffer.from(live);
  gap.fill(0, lasting.length + choose(unsafe), live.length - choose(2));
  return gap;
}
