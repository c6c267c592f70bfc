// What this process knows already does not come back to it: what it watches, and what its objects answer each other, is handed
// over in memory. What others may need is published all the same, some of it later: a value that is replaced before
// it was published costs nothing.
//
// Invariants:
//   LOCAL-DELIVERY-1. Only to actors that act: their shard is live, its lease has not ended (SHARD-HOST-2, SHARD-HOST-6), and what is handed over is about the
//       incarnation that lives there. Otherwise nothing is taken, and the caller publishes at once.
//   LOCAL-DELIVERY-2. A state of an object is handed over only after mail told of its incarnation: no birth is, so whoever leads the watch
//       next finds in the mail whatever may have to be ended (FIRST-START-2, SHARD-HOST-5). Older than what is known changes nothing (OBJECT-ACTOR-1, P6).
//   LOCAL-DELIVERY-3. An end is handed over only if the one value that mail has of the object is known to its actor, which deletes it (P5):
//       nothing of the object is left on its way, and no tombstone is needed.
//   LOCAL-DELIVERY-4. An answer that promises nothing may wait for its publication, unless what stands on the bus promises something, or may:
//       what an earlier host said to who lives here longer than this shard is known to nobody here. One that was dropped with its shard is given again by its successor, who answers all claims when it begins. No answer
//       overtakes mail: those that promise something are mail only, and come after it.
import { type Address, addressKey, type Clock, type JsonObject } from '../../bus/mod.ts';
import { Readiness } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { Coalescer } from '../mailbox/coalescer.ts';
import type { Outbox } from '../mailbox/outbox.ts';
import type { Answer, AnswerSink } from '../object/answer.ts';
import type { ObjectActor } from '../object/object-actor.ts';

/** Where the watch hands over what it sees. */
export interface LocalDelivery {
  /** @returns whether whoever lives here knows it now; others may be told later */
  object(to: Address, object: KubeObject): boolean;
  /**
   * @param sequence  of the value that mail has of the object
   * @returns whether whoever lived here knows it now, and takes the value out of the mail: nobody need be told
   */
  gone(to: Address, gone: { readonly uid: string; readonly resourceVersion: string }, sequence: number): boolean;
}

/** Where nobody lives. */
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

/** Of a shard that was given up the outbox is closed: its answers are published no more. */
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

  /** Not in the turn of the step that answers: who is answered may answer back. */
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

/** It promises nothing: nobody acts on it, and whoever waits goes on waiting. */
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
