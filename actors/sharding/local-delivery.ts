// Local delivery: objects that this process watches, and answers between its objects, are delivered in memory. They are
// also published for other processes, some of them later: a value replaced before its publication costs nothing.
//
// Invariants:
//   LOCAL-DELIVERY-1. Deliver only to active actors: their shard is live, its lease has not ended (SHARD-HOST-2,
//       SHARD-HOST-6), and the message is about the current incarnation. Otherwise nothing is delivered, and the caller
//       publishes immediately.
//   LOCAL-DELIVERY-2. A state of an object is delivered locally only after a message about its incarnation, so new
//       objects never are: the next watch leader finds in the mailbox all objects that may have to be ended
//       (FIRST-START-2, SHARD-HOST-5). A state older than the known one changes nothing (OBJECT-ACTOR-1, P6).
//   LOCAL-DELIVERY-3. An end is handed over only if the one value that mail has of the object is known to its actor, which deletes it (P5):
//       nothing of the object is left on its way, and no tombstone is needed.
//   LOCAL-DELIVERY-4. The publication of a negative answer may be delayed, unless the stored one is positive, or may
//       be: an answer of an earlier host to a claimant older than this shard is unknown here. An answer dropped with
//       its shard is given again by its successor, which answers all claims at its start. No answer ever overtakes a
//       message: positive answers are only published, and come after it.
import { type Address, addressKey, type Clock, type JsonObject } from '../../bus/mod.ts';
import { Readiness } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { Coalescer } from '../mailbox/coalescer.ts';
import type { Outbox } from '../mailbox/outbox.ts';
import type { Answer, AnswerSink } from '../object/answers.ts';
import type { ObjectActor } from '../object/object-actor.ts';

/** Local delivery for the watch. */
export interface LocalDelivery {
  /** @returns whether the object's actor here knows it now; others may be notified later */
  object(to: Address, object: KubeObject): boolean;
  /**
   * @param sequence  of the value that mail has of the object
   * @returns whether the actor here knows it now, and removes the value from the mailbox: no publication is needed
   */
  gone(to: Address, gone: { readonly uid: string; readonly resourceVersion: string }, sequence: number): boolean;
}

/** Delivery without local actors. */
export const NO_LOCAL_ACTORS: LocalDelivery = { object: () => false, gone: () => false };

export interface HandOverDeps {
  /** The actor if there is one, its shard is live, and its lease has not ended. */
  readonly actor: (key: string) => ObjectActor | undefined;
  /** Whether the bus can have nothing of the one for the other that was not heard or said here. */
  readonly hasCompleteHistory: (from: string, to: string) => boolean;
  /** Hands something to an actor that was found so, whatever that throws. */
  readonly settle: (actor: ObjectActor, deliver: () => void) => void;
}

export function localDelivery({ actor: find, settle }: Omit<HandOverDeps, 'hasCompleteHistory'>): LocalDelivery {
  return {
    object(to, object) {
      const actor = find(addressKey(to));
      const { uid } = object.metadata;
      // mutant: hand-over-untold || -> $1.1 === undefined
      if (actor?.isAnnouncedAs(uid) !== true || actor.incarnation()?.uid !== uid) return false;
      settle(actor, () => actor.accept(object, { own: false }));
      return true;
    },
    gone(to, { uid, resourceVersion }, sequence) {
      const actor = find(addressKey(to));
      // mutant: hand-over-end-early if -> $1 === undefined
      if (actor?.isAnnouncedAs(uid, sequence) !== true) return false;
      settle(actor, () => actor.acceptGone(uid, resourceVersion));
      return true;
    },
  };
}

export interface AnswersDeps extends HandOverDeps {
  readonly outbox: Pick<Outbox, 'say' | 'forget' | 'standing'>;
  /** Shared with other shards: what waits is published when all of them are quiet. */
  readonly later: DeferredAnswers;
}

/** After a shard was given up its outbox is closed, and its answers are not published any more. */
export type DeferredAnswers = Coalescer<() => void>;

export function deferredAnswers(clock: Clock): DeferredAnswers {
  return new Coalescer({ clock, publish: (say) => say() });
}

/** The answers of a shard. */
export class ShardAnswers implements AnswerSink {
  readonly #deps: AnswersDeps;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  say(answer: Answer): void {
    const { outbox, later, hasCompleteHistory } = this.#deps;
    const standing = outbox.standing(subjectOf(answer));
    // mutant: hand-over-earlier-promise ?:.2 -> true
    // mutant: hand-over-retraction-waits ?:.3 -> true
    const isNothingPromised = (): boolean =>
      standing === undefined
        ? hasCompleteHistory(addressKey(answer.from), addressKey(answer.to))
        : isOpen(standing['readiness']);
    if (isOpen(answer.mail.readiness) && isNothingPromised() && this.#localDelivery(answer)) {
      later.put(keyOf(answer), () => this.#publish(answer));
      return;
    }
    // mutant: hand-over-stale-answer drop
    later.drop(keyOf(answer));
    this.#publish(answer);
  }

  forget(from: Address, to: Address): void {
    // mutant: hand-over-ended-claim drop
    this.#deps.later.drop(keyOf({ from, to }));
    this.#deps.outbox.forget(subjectOf({ from, to }));
  }

  #publish(answer: Answer): void {
    const { mail, traceparent } = answer;
    void this.#deps.outbox.say(subjectOf(answer), mail as unknown as JsonObject, undefined, traceparent);
  }

  /** In another turn than the answering step, since the receiver may answer back. */
  #localDelivery({ from, to, mail, traceparent }: Answer): boolean {
    const { actor: find, settle } = this.#deps;
    // mutant: hand-over-another-incarnation === -> $1 !== undefined
    const isThere = (actor: ObjectActor | undefined): actor is ObjectActor => actor?.incarnation()?.uid === mail.to;
    if (!isThere(find(addressKey(to)))) return false;
    queueMicrotask(() => {
      const actor = find(addressKey(to));
      // A host without a lease is silent (OBJECT-ACTOR-2).
      // mutant: hand-over-given-up-shard if -> $1
      if (!isThere(actor) || find(addressKey(from)) === undefined) return;
      settle(actor, () => actor.receiveAnswer(from, mail, undefined, traceparent));
    });
    return true;
  }
}

/** Negative answer: no object acts on it, and waiting ones continue to wait. */
function isOpen(readiness: unknown): boolean {
  return readiness === Readiness.Pending || readiness === Readiness.Absent;
}

function subjectOf({ from, to }: Pick<Answer, 'from' | 'to'>): {
  readonly to: Address;
  readonly topic: 'ready';
  readonly from: Address;
} {
  return { to, topic: 'ready', from };
}

function keyOf({ from, to }: Pick<Answer, 'from' | 'to'>): string {
  return `${addressKey(from)} ${addressKey(to)}`;
}
