// Cache of node memories in the process, of limited size: the least recently used one is dropped.
import type { Memory } from './node-memory.ts';

/** With more nodes than this, some are polled more often. */
const LIMIT = 20_000;

export class Memories {
  readonly #byHost = new Map<string, Memory>();

  /** @param uid  of the host */
  of(uid: string): Memory | undefined {
    return this.#byHost.get(uid);
  }

  keep(uid: string, memory: Memory | undefined): void {
    this.#byHost.delete(uid);
    if (memory === undefined) return;
    this.#byHost.set(uid, memory);
    if (this.#byHost.size <= LIMIT) return;
    const [oldest] = this.#byHost.keys();
    if (oldest !== undefined) this.#byHost.delete(oldest);
  }
}
