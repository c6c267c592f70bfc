// The memory that what others send may take while it is read, in the process as a whole.
//
// Invariants:
//   HTTP-RESPONSE-MEMORY-1. All holdings together never exceed the whole.
//   HTTP-RESPONSE-MEMORY-2. No owner of a reservation (its namespace, its system) ever gets more than the remaining
//       part: a single owner has half, each of `n` owners the (n + 1)th part, and as much stays free for the next
//       owner.
//   HTTP-RESPONSE-MEMORY-3. What is released is free again, however the call ended.
import { TransientError } from '../../bus/errors.ts';

/** Memory that is reserved for one call, or one list with all its pages. */
export interface Holding {
  /** Reserves this much more, in bytes. @throws {TransientError} it is not available now */
  grow(bytes: number): void;
  /** Changes the reservation to this size, in bytes. @throws {TransientError} as `grow` */
  hold(bytes: number): void;
  /** Gives it all back. A second call does nothing. */
  release(): void;
}

/** A pod has 512 MiB (deploy/chart), of which V8 takes 256 for objects; in bytes. */
const WHOLE = 96 * 1024 * 1024;

export class AnswerMemory {
  readonly #whole: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(whole = WHOLE) {
    this.#whole = whole;
  }

  /** @param owners  by whom it is held; each has a share of its own */
  open(owners: readonly string[]): Holding {
    let held = 0;
    let isOpen = true;
    const grow = (bytes: number): void => {
      if (!isOpen) throw new Error('this holding was released');
      const left = this.#whole - this.#used - bytes;
      // mutant: answer-memory-of-one drop
      for (const owner of owners) if ((this.#held.get(owner) ?? 0) + bytes > left) throw busy();
      if (left < 0) throw busy();
      held += bytes;
      this.#add(owners, bytes);
    };
    return {
      grow,
      hold: (bytes) => {
        if (bytes > held) return grow(bytes - held);
        this.#add(owners, bytes - held);
        held = bytes;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#add(owners, -held);
      },
    };
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used;
  }

  #add(owners: readonly string[], bytes: number): void {
    this.#used += bytes;
    for (const owner of owners) {
      const held = (this.#held.get(owner) ?? 0) + bytes;
      if (held === 0) this.#held.delete(owner);
      else this.#held.set(owner, held);
    }
  }
}

/** Without `retryAfterMs`, which would delay all callers of the same system. */
function busy(): TransientError {
  return new TransientError('it takes more memory than is free for it now; see whether what answers is the service');
}
