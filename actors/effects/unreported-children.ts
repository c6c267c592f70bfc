// Children that the API server has, and of which their owner was not told yet.
//
// Invariants:
//   UNREPORTED-CHILDREN-1. A child that is there while the answer to its owner's claim is still `absent` is always read again, with
//       backoff, until there is another answer. If it is deleted before any watch saw it, nothing is ever reported (SHARD-HOST-5):
//       the answer stays the same, and the owner would be available without it for ever.
//   UNREPORTED-CHILDREN-2. At most one such series of reads is under way for each child of an incarnation.
import type { Objects, Resource } from '../../adapters/kubernetes/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';

export interface UnreportedChildrenDeps {
  readonly objects: Pick<Objects, 'get'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** A child, as its owner made it or saw it. */
export interface SeenChild {
  /** Identifies the owner's incarnation and the child. */
  readonly id: string;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** Whether its owner is still here, and still has the answer that there is no such child. */
  readonly isUnreported: () => boolean;
  /** Called when it was deleted. */
  readonly onGone: () => void;
  /** Aborted when the owner is not hosted here any more. */
  readonly signal: AbortSignal;
}

/** Before the first read and before each later one at most, in milliseconds. Nearly always the answer comes earlier. */
const PAUSES = { firstMs: 5_000, limitMs: 600_000 };

export class UnreportedChildren {
  readonly #deps: UnreportedChildrenDeps;
  readonly #ids = new Set<string>();

  constructor(deps: UnreportedChildrenDeps) {
    this.#deps = deps;
  }

  /** Reads the child again until it is reported to its owner, or deleted. Never rejects. */
  async follow(child: SeenChild): Promise<void> {
    const { id, resource, namespace, name, onGone, signal } = child;
    const { objects, clock } = this.#deps;
    const isUnreported = (): boolean => {
      try {
        return child.isUnreported();
      } catch {
        return true; // the code of the owner's kind fails; this may pass
      }
    };
    // mutant: unreported-child-read-twice ||.1 drop
    if (this.#ids.has(id) || !isUnreported()) return;
    this.#ids.add(id);
    let isGone = false;
    for (let times = 1; !isGone; times++) {
      await clock.sleep(growingPauseMs(times, PAUSES), signal);
      // mutant: reported-child-read-on ||.2 drop
      if (signal.aborted || !isUnreported()) break;
      isGone = await objects.get(resource, namespace, name).then(
        (present) => present === undefined,
        () => false, // the API server is away: the next read may tell
      );
    }
    this.#ids.delete(id);
    // It may have been reported during the read.
    if (isGone && !signal.aborted && isUnreported()) onGone();
  }
}
