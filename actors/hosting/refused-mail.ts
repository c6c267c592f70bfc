// Mail that nobody can understand: somebody else wrote it, and being stored it would come back at each replay.
import type { Logger } from 'pino';
import { type Clock, type Mail, type Mailbox, type MailSubject, mailSubject, toErrorData } from '../../bus/mod.ts';
import { SparseWarning } from '../telling/sparse-warning.ts';

export interface RefusedMailDeps {
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  readonly log: Logger;
}

export class RefusedMail {
  readonly #deps: RefusedMailDeps;
  readonly #warning: SparseWarning;
  #count = 0;

  constructor(deps: RefusedMailDeps) {
    this.#deps = deps;
    this.#warning = new SparseWarning('mail that cannot be understood is ignored, and taken away', deps);
  }

  /** How many messages were refused so far. */
  get count(): number {
    return this.#count;
  }

  /** Tells of it, and takes it away. Only who holds the lease on the address may. Never rejects. */
  async take(subject: MailSubject, { sequence }: Pick<Mail, 'sequence'>): Promise<void> {
    const { mailbox, log } = this.#deps;
    this.#count += 1;
    this.#warning.tell({ subject: mailSubject(subject, mailbox.shards), sequence });
    try {
      await mailbox.remove(sequence);
    } catch (error) {
      // It comes back at the next replay.
      log.debug({ sequence, error: toErrorData(error).message }, 'mail that cannot be understood stays');
    }
  }
}
