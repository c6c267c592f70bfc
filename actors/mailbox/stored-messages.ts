// Last values in an object's mailbox, by sequence, so that each is deleted when it is no longer needed (P5).
import type { Logger } from 'pino';
import type { Mailbox } from '../../bus/mod.ts';
import { CompactMap } from '../base/compact-map.ts';

export interface StoredMessagesDeps {
  readonly mailbox: Pick<Mailbox, 'remove'>;
  readonly log: Logger;
}

/** Key of the message about the object itself, beside the keys of those that answer it. */
const OBJECT = '';

export class StoredMessages {
  readonly #deps: StoredMessagesDeps;
  readonly #key: string;
  /** Sequences of values that are deleted with the object: its own messages, and answers by their senders. */
  readonly #own = new CompactMap<number>();
  /** Sequences of claims, by claimant: they stay as long as they hold, whether there is an object or not. Undefined: none. */
  #claims: CompactMap<number> | undefined;

  /** @param key  of whose mailbox it is */
  constructor(deps: StoredMessagesDeps, key: string) {
    this.#deps = deps;
    this.#key = key;
  }

  /** Nothing is there that would go with the object. */
  get isEmpty(): boolean {
    return this.#own.size === 0;
  }

  noteObject(sequence: number): void {
    this.#own.set(OBJECT, sequence);
  }

  noteAnswer(from: string, sequence: number): void {
    this.#own.set(from, sequence);
  }

  /** An answer to an incarnation that was replaced. */
  dropAnswer(from: string): void {
    const sequence = this.#own.get(from);
    this.#own.delete(from);
    if (sequence !== undefined) void this.#remove(from, sequence);
  }

  noteClaim(claimant: string, sequence: number): void {
    this.#claims ??= new CompactMap();
    this.#claims.set(claimant, sequence);
  }

  /** The tombstone of a claim has been read. */
  endClaim(claimant: string, sequence: number): void {
    this.#claims?.delete(claimant);
    void this.#remove(claimant, sequence);
  }

  /** A claim that holds no more, of which there is no tombstone. */
  dropClaim(claimant: string): void {
    const sequence = this.#claims?.get(claimant);
    if (sequence !== undefined) this.endClaim(claimant, sequence);
  }

  /**
   * Called after the object's deletion: values without a reader are deleted; claims on it stay for its successor. Answers
   * alone show which claims of the object are left: the next host reads them unless all have ended (P12).
   *
   * @param areEnded  whether the ends of these claims are stored
   */
  sweep(areEnded: Promise<boolean>): void {
    const own = [...this.#own];
    this.#own.clear();
    for (const [from, sequence] of own) if (from === OBJECT) void this.#remove(from, sequence);
    void areEnded.then((ended) => {
      // mutant: answers-gone-before-claims if -> true
      if (ended) for (const [from, sequence] of own) if (from !== OBJECT) void this.#remove(from, sequence);
    });
  }

  async #remove(from: string, sequence: number): Promise<void> {
    const { mailbox, log } = this.#deps;
    try {
      await mailbox.remove(sequence);
    } catch (error) {
      log.debug(
        { err: error, to: this.#key, from },
        'a last value could not be deleted; it is deleted when it is read again',
      );
    }
  }
}
