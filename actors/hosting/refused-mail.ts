// Mail that nobody can understand: somebody else wrote it, and being stored it would come back at each replay.
import type { Logger } from 'pino';
import { type Clock, type Mail, type Mailbox, type MailSubject, mailSubject, toErrorData } from '../../bus/mod.ts';

export interface RefusedMailDeps {
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two lines of the log, in milliseconds: whoever floods the bus must not fill the disk. */
const LOG_PAUSE_MS = 1_000;

export class RefusedMail {
  readonly #deps: RefusedMailDeps;
  #count = 0;
  #told = 0;
  #quietUntil = 0;

  constructor(deps: RefusedMailDeps) {
    this.#deps = deps;
  }

  /** How many messages were refused so far. */
  get count(): number {
    return this.#count;
  }

  /** Tells of it, and takes it away. Only who holds the lease on the address may. Never rejects. */
  async take(subject: MailSubject, { sequence }: Pick<Mail, 'sequence'>): Promise<void> {
    const { mailbox, clock, log } = this.#deps;
    this.#count += 1;
    const now = clock.now();
    if (now >= this.#quietUntil) {
      const others = this.#count - this.#told - 1;
      const fields = { subject: mailSubject(subject, mailbox.shards), sequence, ...(others > 0 && { others }) };
      log.warn(fields, 'mail that cannot be understood is ignored, and taken away');
      this.#told = this.#count;
      this.#quietUntil = now + LOG_PAUSE_MS;
    }
    try {
      await mailbox.remove(sequence);
    } catch (error) {
      // It comes back at the next replay.
      log.debug({ sequence, error: toErrorData(error).message }, 'mail that cannot be understood stays');
    }
  }
}
