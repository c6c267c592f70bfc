// Work that must not run beside other work on the same thing: one after the other, in the order it was asked for.
//
// Invariant: a caller that gives up while waiting leaves the queue immediately, with its place and its paths.

import { Code, StatusError } from '../base/status.ts';
import { mayOverlap } from './windows-path.ts';

/** Caller such as a signal. One without abort events is checked when the lock is free. */
export interface Caller {
  readonly aborted: boolean;
  addEventListener?(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

interface Entry {
  /** Undefined: it is about all of the lane. */
  readonly path: string | undefined;
  /** Undefined once it holds the lock. */
  begin: (() => void) | undefined;
}

const PATHS = 'paths';

export class KeyedMutex {
  /** Queues by key, in FIFO order. */
  readonly #lines = new Map<string, Set<Entry>>();

  /**
   * Runs `work` when all that was asked for before in this lane has ended, however long that takes.
   *
   * @param caller work without a waiting caller is not started; started work is not stopped
   * @throws {StatusError} `CANCELLED`: it was not begun
   */
  run<T>(lane: string, caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#run(lane, undefined, caller, work);
  }

  /** The same for a path: it runs beside work on other paths, unless one lies in the other. */
  runAt<T>(path: string, caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#run(PATHS, path, caller, work);
  }

  async #run<T>(lane: string, path: string | undefined, caller: Caller, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(lane) ?? new Set();
    this.#lines.set(lane, line);
    const turn = Promise.withResolvers<void>();
    const entry: Entry = { path, begin: turn.resolve };
    const giveUp = (): void => {
      // mutant: lane-place-kept drop
      if (caller.aborted && entry.begin !== undefined) turn.reject(notBegun());
    };
    line.add(entry);
    caller.addEventListener?.('abort', giveUp);
    giveUp();
    advance(line);
    try {
      await turn.promise;
      if (caller.aborted) throw notBegun();
      return await work();
    } finally {
      caller.removeEventListener?.('abort', giveUp);
      line.delete(entry);
      if (line.size === 0) this.#lines.delete(lane);
      else advance(line);
    }
  }
}

/** Begins what nothing before it is in the way of. */
function advance(line: ReadonlySet<Entry>): void {
  const before: Entry[] = [];
  for (const entry of line) {
    const isFree = before.every((other) => !isInTheWay(other, entry));
    if (isFree) {
      entry.begin?.();
      entry.begin = undefined;
    }
    // Without paths each entry blocks all behind it.
    if (entry.path === undefined) return;
    before.push(entry);
  }
}

function isInTheWay({ path: one }: Entry, { path: other }: Entry): boolean {
  return one === undefined || other === undefined || mayOverlap(one, other);
}

function notBegun(): StatusError {
  return new StatusError(Code.Cancelled, 'the caller is gone; the call was not started');
}
