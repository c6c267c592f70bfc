// A shard that this process holds: its lease, its actors, what they work with, and the calls under way for them.
//
// Invariants:
//   SHARD-1. Until `ended` resolves, a call may still change something outside: a takeover always waits for
//       it (P10).
//   SHARD-2. A call without a response may take effect until `inDoubtUntil`: nothing is ever created again
//       before.

import type { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import { type Clock, type Lease, toErrorData } from '../../bus/mod.ts';
import { CreateJournal } from '../effects/create-journal.ts';
import { ReservationSweeper } from '../effects/reservations.ts';
import { Outbox } from '../mailbox/outbox.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import type { ObjectHost } from '../object/object-context.ts';
import { type DeferredAnswers, type LocalDeliveryDeps, ShardAnswers } from './local-delivery.ts';

/** Maximum number of deletions that a shard remembers: an older watch leader may still report those objects. */
const GONE_LIMIT = 1_000;

export interface Shard extends ObjectHost {
  readonly number: number;
  readonly lease: Lease;
  /** Number of the takeover in this process, ascending; shards of one takeover share it. */
  readonly turn: number;
  readonly answers: ShardAnswers;
  readonly createJournal: CreateJournal;
  readonly sweep: ReservationSweeper;
  readonly actors: Map<string, ObjectActor>;
  readonly calls: InFlightCalls;
  /** Version of the API server at the takeover; undefined until it was read. */
  floor: string | undefined;
  /** Up to which version it is known that there is no object, by key of actors that were forgotten (P6). */
  readonly gone: Map<string, string>;
  live: boolean;
  /** Aborted when the shard is given up. */
  readonly ended: AbortController;
  /** Whether the lease has ended, noticed or not. What is not done for that is never done here: the shard lapses (SHARD-HOST-6). */
  isOver(): boolean;
}

/** Services of a host for all its shards. */
export type HostServices = Pick<
  ObjectHost,
  | 'registry'
  | 'machines'
  | 'objects'
  | 'mailbox'
  | 'trace'
  | 'clock'
  | 'log'
  | 'throttle'
  | 'isOwnershipDisputed'
  | 'settleDispute'
  | 'supervise'
  | 'reread'
  | 'currentIncarnation'
  | 'report'
> & {
  readonly callMs: number;
  readonly lateEffectMs: number;
  readonly inFlight: FairSemaphore;
  readonly here: LocalDeliveryDeps;
  readonly later: DeferredAnswers;
};

/**
 * A shard of which nothing is known yet.
 *
 * @param given.onLapse  told that the shard must be given up and taken over afresh: its lease ended unnoticed (SHARD-HOST-6)
 */
export function openShard(
  {
    number,
    lease,
    onLapse,
    turn,
  }: Pick<Shard, 'number' | 'lease' | 'turn'> & { readonly onLapse: (number: number) => void },
  services: HostServices,
): Shard {
  const { mailbox, clock, log, inFlight, here, later, callMs, lateEffectMs } = services;
  const onTrouble = (message: string): void => log.warn(message);
  const endsAt = (): number => lease.endsAt();
  const outbox = new Outbox({ mailbox, clock, inFlight, endsAt, onTrouble });
  const actors: Shard['actors'] = new Map();
  const createJournal = new CreateJournal({
    mailbox,
    clock,
    callMs,
    lateEffectMs,
    shard: number,
    lease,
    onTrouble,
    actor: (key) => actors.get(key),
  });
  const ended = new AbortController();
  const isOver = (): boolean => {
    if (clock.now() < lease.endsAt()) return false;
    // mutant: host-never-lapses drop
    onLapse(number);
    return true;
  };
  return {
    ...services,
    number,
    lease,
    turn,
    outbox,
    createJournal,
    actors,
    ended,
    isOver,
    answers: new ShardAnswers({ ...here, outbox, later }),
    sweep: new ReservationSweeper({ mailbox, clock }),
    calls: new InFlightCalls(clock),
    leaseEndsAt: endsAt,
    leaseSignal: ended.signal,
    hosts: (object) => !ended.signal.aborted && !isOver() && actors.get(object.key) === object,
    floor: undefined,
    gone: new Map(),
    live: false,
  };
}

/** There is nothing left of the actor but up to when it was known (P6). */
export function forgetActor({ actors, gone }: Shard, { key, knownVersion }: ObjectActor): void {
  actors.delete(key);
  gone.delete(key);
  gone.set(key, knownVersion);
  if (gone.size > GONE_LIMIT) gone.delete(gone.keys().next().value as string);
}

/** External calls, and writes to the API server, under way on behalf of the actors of a shard. */
export class InFlightCalls {
  readonly #clock: Clock;
  readonly #underWay = new Map<Promise<unknown>, string>();
  readonly #writes = new Map<Promise<unknown>, string>();
  /** Time until which requests may still take effect, by actor; milliseconds since the epoch. */
  readonly #inDoubtUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of entries. */
  get size(): number {
    return this.#underWay.size + this.#writes.size + this.#inDoubtUntil.size;
  }

  /** Notes a call for the actor `key`. */
  add(key: string, call: Promise<unknown>): void {
    this.#underWay.set(call, key);
    call.then(
      () => this.#underWay.delete(call),
      (error: unknown) => {
        this.#underWay.delete(call);
        this.#undecided(key, toErrorData(error).inDoubtUntil);
      },
    );
  }

  /** Notes a write for the actor `key`. A stale host's write fails, so a takeover does not wait for it. */
  addWrite(key: string, write: Promise<unknown>): void {
    this.#writes.set(write, key);
    const end = (): boolean => this.#writes.delete(write);
    write.then(end, end);
  }

  /** Resolves when no external call is under way any more. */
  async ended(): Promise<void> {
    // mutant: calls-not-waited-for ().1 -> []
    await Promise.allSettled(this.#underWay.keys());
  }

  /** Resolves when neither a call nor a write of an actor is under way any more: it would make what is under way again (I8). */
  async quiet(key: string): Promise<void> {
    const waited = [...this.#underWay, ...this.#writes].filter(([, owner]) => owner === key);
    await Promise.allSettled(waited.map(([each]) => each));
  }

  /** Time until which requests of the actor may still take effect, in milliseconds since the epoch; 0: none can. */
  inDoubtUntil(key: string): number {
    return this.#inDoubtUntil.get(key) ?? 0;
  }

  #undecided(key: string, inDoubtUntil: number | undefined): void {
    const now = this.#clock.now();
    for (const [other, at] of this.#inDoubtUntil) if (at <= now) this.#inDoubtUntil.delete(other);
    // mutant: calls-forget-landing if -> false
    if (inDoubtUntil !== undefined && inDoubtUntil > now)
      this.#inDoubtUntil.set(key, Math.max(inDoubtUntil, this.#inDoubtUntil.get(key) ?? 0));
  }
}
