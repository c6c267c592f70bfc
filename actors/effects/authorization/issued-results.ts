// Issued results of operations in this process: evidence for ids and observations in later requests.
//
// Invariants:
//   ISSUED-RESULTS-1. Nothing is witnessed but what an operation answered for this very incarnation; of several matches none is its own, nor
//       is what was found by an intent: only who asked knows of that (REQUEST-AUTHORIZER-1).
import { createHash } from 'node:crypto';
import type { Clock } from '../../../bus/mod.ts';

/** Time without use after which a result is dropped, in milliseconds. */
const WITNESSED_MS = 10 * 60_000;
/** Incarnations that are remembered; beyond, the oldest go. */
const INCARNATIONS = 10_000;
/** Number of observations kept for one id. */
const OBSERVATIONS = 8;

interface Entry {
  readonly ids: Map<string, Set<string>>;
  at: number;
}

export class IssuedResults {
  readonly #clock: Pick<Clock, 'now'>;
  /** Entries by uid, the most recently used last. */
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @param answer  what an operation returned, or told of as progress */
  note(uid: string, answer: unknown): void {
    for (const seen of observationsIn(answer)) {
      const entry = this.#entries.get(uid) ?? { ids: new Map(), at: 0 };
      entry.at = this.#clock.now();
      this.#entries.delete(uid);
      this.#entries.set(uid, entry);
      const known = entry.ids.get(seen.id) ?? new Set();
      entry.ids.set(seen.id, known);
      const digest = digestOf(seen);
      known.delete(digest);
      known.add(digest);
      for (const oldest of known) if (known.size > OBSERVATIONS) known.delete(oldest);
    }
    this.#forget();
  }

  /** An operation answered with this id. */
  knows(uid: string, id: string): boolean {
    return this.#entries.get(uid)?.ids.has(id) === true;
  }

  /** An operation answered with just this. */
  saw(uid: string, observation: { readonly id: string }): boolean {
    return this.#entries.get(uid)?.ids.get(observation.id)?.has(digestOf(observation)) === true;
  }

  #forget(): void {
    const before = this.#clock.now() - WITNESSED_MS;
    for (const [uid, { at }] of this.#entries) {
      if (at > before && this.#entries.size <= INCARNATIONS) return;
      this.#entries.delete(uid);
    }
  }
}

/** Observations are identified by their id; a lookup proves one only if nothing else matches. */
function observationsIn(answer: unknown): readonly { readonly id: string }[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const { id, observation, matches, earlier } = answer as {
    readonly id?: unknown;
    readonly observation?: unknown;
    readonly matches?: unknown;
    readonly earlier?: unknown;
  };
  if (typeof id === 'string') return [answer as { readonly id: string }];
  // mutant: witness-takes-several === -> $1 >= $2
  // mutant: witness-of-intent-removes && -> $1
  if (Array.isArray(matches)) return matches.length === 1 && earlier !== true ? observationsIn(matches[0]) : [];
  return observationsIn(observation);
}

/** Digest of the JSON value: it has been on the bus. */
function digestOf(observation: object): string {
  return createHash('sha256').update(JSON.stringify(observation)).digest('base64url');
}
