// Answers of one object to its claims (actors/README.md, "The protocol").
import type { Address } from '../../bus/mod.ts';
import type { Readiness } from '../../machines/lifecycle.ts';
import type { AnswerMessage } from '../mailbox/messages.ts';
import { answerFingerprint, answerTo, type Claimed } from './answer.ts';
import type { Claim, ClaimsTable } from './claims-table.ts';

/** The answer of `from` to the claim of `to`. */
export interface Answer {
  readonly from: Address;
  readonly to: Address;
  readonly mail: AnswerMessage;
  /** Trace context of the change that caused the answer. */
  readonly traceparent: string;
}

/** Brings answers to claimants; the same for all objects of a shard. */
export interface AnswerSink {
  say(answer: Answer): void;
  /** The claim has ended: nothing is answered to it any more. */
  forget(from: Address, to: Address): void;
}

export class AnswerPublisher {
  readonly #out: AnswerSink;
  readonly #from: Address;
  /** Fingerprint of the inputs of the last answers: while it is unchanged, so are they. */
  #basis = '';

  constructor(out: AnswerSink, from: Address) {
    this.#out = out;
    this.#from = from;
  }

  /** Forgets the last answers, so that the next ones are published in any case. */
  reset(): void {
    this.#basis = '';
  }

  /** Whether the answers to all claims may differ from the last ones. Notes that they are given now. */
  isNews(claims: ClaimsTable, claimed: Claimed | undefined): boolean {
    const basis = claims.size === 0 ? '' : answerFingerprint(claimed);
    if (basis === this.#basis) return false;
    this.#basis = basis;
    return true;
  }

  /** @param goneUid  the incarnation that was seen go, when there is no object */
  say(claim: Claim, claimed: Claimed | undefined, goneUid: string | undefined, traceparent: string): Readiness {
    const mail = answerTo(claim, claimed, goneUid);
    this.#out.say({ from: this.#from, to: claim.from, mail, traceparent });
    return mail.readiness;
  }

  forget(to: Address): void {
    this.#out.forget(this.#from, to);
  }
}
