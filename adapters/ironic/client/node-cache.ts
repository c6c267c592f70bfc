// Nodes as this process saw them last, for the next operation on their hosts: what was answered just now is not asked for again.
//
// Invariants:
//   IRONIC-NODE-CACHE-1. A cached node is returned only to a caller that knows the revision of that very entry. A
//       caller that has sent a request to the node since, in this process or another, knows none or another one.
//   IRONIC-NODE-CACHE-2. It is handed over once, and soon after it was seen or not at all.
//   IRONIC-NODE-CACHE-3. Nothing is kept of hosts for which nothing is done.
import type { Clock, Timer } from '../../../bus/time.ts';
import type { HostNode } from '../../../machines/bare-metal-host/outcome.ts';
import { type IronicNode, revisionOf } from './node-answer.ts';

export interface CachedNode {
  readonly node: IronicNode;
  /** When it was asked for, or told by a list, milliseconds since the epoch. */
  readonly at: number;
}

/** Later than this, in milliseconds, it is looked at again: what waits for an Ironic that is quick is looked at as often. */
const FRESH_MS = 3_000;

export class NodeCache {
  readonly #clock: Clock;
  /** Entries by uid of the host, the oldest first. */
  readonly #byHost = new Map<string, CachedNode>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param uid  of the host */
  keep(uid: string, sight: CachedNode): void {
    this.#byHost.delete(uid);
    this.#byHost.set(uid, sight);
    this.#arm();
  }

  /** @param known  the node as the host knows it. @returns undefined: it has to be asked for */
  take(uid: string, known: HostNode | undefined): CachedNode | undefined {
    const sight = this.#byHost.get(uid);
    this.#byHost.delete(uid);
    if (sight === undefined || known?.revision === undefined || this.#isOver(sight)) return undefined;
    return known.id === sight.node['uuid'] && known.revision === revisionOf(sight.node) ? sight : undefined;
  }

  close(): void {
    this.#byHost.clear();
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #isOver({ at }: CachedNode): boolean {
    return this.#clock.now() - at >= FRESH_MS;
  }

  #arm(): void {
    if (this.#byHost.size === 0) return;
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      for (const [uid, sight] of this.#byHost) if (this.#isOver(sight)) this.#byHost.delete(uid);
      this.#arm();
    }, FRESH_MS);
  }
}
