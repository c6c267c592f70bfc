// From a change in memory to one that nothing takes back: the changes of one turn, and those that come while others are
// being written, are written together.
//
// Invariants:
//   KSIM-SETTLEMENT-1. Changes are shown in their order, each when the journal has it.
//   KSIM-SETTLEMENT-2. When the journal fails, every change that it does not have is undone, the last one first, and none is shown.
//   KSIM-SETTLEMENT-3. A caller that waits for a failed journal reads the store as the journal has it, before the next write.
import type { Change } from './history.ts';

export interface Entry {
  /** Name of the collection. */
  readonly key: string;
  readonly change: Change;
}

/** Keeps changes across a crash. */
export interface Journal {
  /**
   * Called with all changes since the last call, one call at a time.
   *
   * @throws {Error} none of the changes is kept; the message says what, where and what to do
   */
  write(entries: readonly Entry[]): Promise<void>;
  /** Waits for as long as a journal that failed is not written. */
  pause(): Promise<void>;
}

export interface SettlementDeps<E extends Entry> {
  readonly journal: Journal;
  readonly show: (entry: E) => void;
  /** Takes a change back. */
  readonly undo: (entry: E) => void;
  /** Tells of a change that was taken back. */
  readonly tellUndone: (entry: E) => void;
}

export interface Settlement<E extends Entry> {
  add(entry: E): void;
  settled(): Promise<Error | undefined> | undefined;
  /** Waits for the journal, and gives it nothing from then on. */
  close(): Promise<void>;
}

interface Batch<E> {
  readonly entries: E[];
  readonly outcome: Promise<Error | undefined>;
  readonly end: (outcome: Error | undefined) => void;
}

function newBatch<E>(): Batch<E> {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  return { entries: [], outcome: promise, end: resolve };
}

export function settlement<E extends Entry>({ journal, show, undo, tellUndone }: SettlementDeps<E>): Settlement<E> {
  let waiting = newBatch<E>();
  let writing: Batch<E> | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  const fail = (error: Error): void => {
    const failed = [...(writing?.entries ?? []), ...waiting.entries].reverse();
    const batches = [writing, waiting];
    writing = undefined;
    waiting = newBatch();
    for (const entry of failed) undo(entry);
    // KSIM-SETTLEMENT-3: the caller that awaits the outcome continues before what the followers put off until their next microtask.
    for (const batch of batches) batch?.end(error);
    for (const entry of failed) tellUndone(entry);
  };

  const writeAll = async (): Promise<void> => {
    await new Promise<void>((resolve) => void setImmediate(resolve)); // the end of the task
    while (waiting.entries.length > 0) {
      const batch = waiting;
      writing = batch;
      waiting = newBatch();
      try {
        await journal.write(batch.entries);
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
        if (closed) break;
        await journal.pause(); // followers write again at once what was undone
        continue;
      }
      writing = undefined;
      for (const entry of batch.entries) show(entry);
      batch.end(undefined);
    }
    running = undefined; // before the last outcome is delivered, so that the next write does not wait for ever
  };

  return {
    add(entry) {
      waiting.entries.push(entry);
      if (running !== undefined || closed) return;
      running = writeAll();
    },
    settled: () => (waiting.entries.length > 0 ? waiting.outcome : writing?.outcome),
    async close() {
      closed = true;
      await running;
    },
  };
}
