// Invalid messages in the mailbox: another client wrote them, and they would come back at each replay.
import type { Logger } from 'pino';
import {
  type ActorSubject,
  type Clock,
  type Mailbox,
  type MailboxMessage,
  mailboxSubject,
  toErrorData,
} from '../../bus/mod.ts';
import { RateLimitedWarning } from '../base/rate-limited-warning.ts';

export interface RejectedMessagesDeps {
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  readonly log: Logger;
}

export class RejectedMessages {
  readonly #deps: RejectedMessagesDeps;
  readonly #warning: RateLimitedWarning;
  #count = 0;

  constructor(deps: RejectedMessagesDeps) {
    this.#deps = deps;
    this.#warning = new RateLimitedWarning('mail that cannot be understood is ignored, and taken away', deps);
  }

  /** Number of rejected messages. */
  get count(): number {
    return this.#count;
  }

  /** Logs and removes a message. Only the holder of the address's lease may call it. Never rejects. */
  async take(subject: ActorSubject, { sequence }: Pick<MailboxMessage, 'sequence'>): Promise<void> {
    const { mailbox, log } = this.#deps;
    this.#count += 1;
    this.#warning.report({ subject: mailboxSubject(subject, mailbox.shards), sequence });
    try {
      await mailbox.remove(sequence);
    } catch (error) {
      // It comes back at the next replay.
      log.debug({ sequence, error: toErrorData(error).message }, 'mail that cannot be understood stays');
    }
  }
}
