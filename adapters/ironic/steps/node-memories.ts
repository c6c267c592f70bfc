// What a process remembers of nodes between passes, of so many of them at most: who was quiet for longest is forgotten.
import type { Memory } from './node-memory.ts';

/** Of an Ironic with more nodes some are looked at more often. */
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
