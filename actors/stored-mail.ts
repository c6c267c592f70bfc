// The last values in an object's mailbox: known by their places, so that each goes when nobody needs it any more (P5).
import type { Logger } from 'pino';
import type { Mailbox } from '../bus/mod.ts';

export interface StoredMailDeps {
  readonly mailbox: Pick<Mailbox, 'remove'>;
  readonly log: () => Logger;
}

export class StoredMail {
  readonly #deps: StoredMailDeps;
  /** Sequences of what goes with the object: its own mail, and answers by who answered. */
  readonly #own = new Map<string, number>();
  /** Sequences of claims, by claimant: they stay as long as they hold, whether there is an object or not. Undefined: none. */
  #claims: Map<string, number> | undefined;

  constructor(deps: StoredMailDeps) {
    this.#deps = deps;
  }

  /** Nothing is there that would go with the object. */
  get isEmpty(): boolean {
    return this.#own.size === 0;
  }

  noteObject(sequence: number): void {
    this.#own.set('', sequence);
  }

  noteAnswer(from: string, sequence: number): void {
    this.#own.set(from, sequence);
  }

  noteClaim(claimant: string, sequence: number): void {
    this.#claims ??= new Map();
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

  /** The object is gone: what lies there for nobody goes; claims stay for its successor. */
  sweep(): void {
    for (const [from, sequence] of this.#own) void this.#remove(from, sequence);
    this.#own.clear();
  }

  async #remove(from: string, sequence: number): Promise<void> {
    try {
      await this.#deps.mailbox.remove(sequence);
    } catch (error) {
      const { log } = this.#deps;
      log().debug({ err: error, from }, 'a last value could not be deleted; it is deleted when it is read again');
    }
  }
}
