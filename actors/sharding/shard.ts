// State of a hosted shard.
import type { Bus, Clock, Lease } from '../../bus/mod.ts';
import type { Semaphore } from '../base/semaphore.ts';
import { CreateJournal } from '../effects/create-journal.ts';
import { ReservationSweeper } from '../effects/reservations.ts';
import { Outbox } from '../mailbox/outbox.ts';
import type { ObjectActor, ObjectActorDeps } from '../object/object-actor.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { type DeferredAnswers, type HandOverDeps, ShardAnswers } from './local-delivery.ts';

/** Maximum number of deletions that a shard remembers: an older watch leader may still report those objects. */
const GONE_LIMIT = 1_000;

export interface Shard {
  readonly lease: Lease;
  readonly onLapse: (number: number) => void;
  /** Number of the takeover in this process, ascending; shards of one takeover share it. */
  readonly turn: number;
  readonly outbox: Outbox;
  readonly answers: ShardAnswers;
  readonly createJournal: CreateJournal;
  readonly sweep: ReservationSweeper;
  /** The same for all its actors. */
  readonly deps: ObjectActorDeps;
  readonly actors: Map<string, ObjectActor>;
  readonly calls: InFlightCalls;
  /** Version of the API server at the takeover; undefined until it was read. */
  floor: string | undefined;
  /** Up to which version it is known that there is no object, by key of actors that were forgotten (P6). */
  readonly gone: Map<string, string>;
  live: boolean;
  /** Aborted when the shard is given up. */
  readonly ended: AbortController;
}

/** Publishers of its actors. */
export type ShardParts = Pick<Shard, 'outbox' | 'answers' | 'createJournal'>;

export interface ShardDeps {
  readonly bus: Pick<Bus, 'mailbox'>;
  readonly clock: Clock;
  readonly callMs: number;
  readonly lateEffectMs: number;
  /** Shared with other shards. */
  readonly inFlight: Semaphore;
  readonly here: HandOverDeps;
  readonly later: DeferredAnswers;
  readonly onTrouble: (message: string) => void;
  readonly actorDeps: (parts: ShardParts) => ObjectActorDeps;
}

/** A shard of which nothing is known yet. */
export function openShard(
  { number, lease, onLapse, turn }: Pick<Shard, 'lease' | 'onLapse' | 'turn'> & { readonly number: number },
  { bus: { mailbox }, clock, inFlight, here, later, onTrouble, actorDeps, ...call }: ShardDeps,
): Shard {
  const outbox = new Outbox({ mailbox, clock, inFlight, endsAt: () => lease.endsAt(), onTrouble });
  const answers = new ShardAnswers({ ...here, outbox, later });
  const actors: Shard['actors'] = new Map();
  const createJournal = new CreateJournal({
    ...call,
    ...{ mailbox, clock, shard: number, lease, onTrouble },
    actor: (key) => actors.get(key),
  });
  return {
    ...{ lease, onLapse, turn, outbox, answers, createJournal },
    deps: actorDeps({ outbox, answers, createJournal }),
    actors,
    sweep: new ReservationSweeper({ mailbox, clock }),
    calls: new InFlightCalls(clock),
    floor: undefined,
    gone: new Map(),
    live: false,
    ended: new AbortController(),
  };
}

/** There is nothing left of the actor but up to when it was known (P6). */
export function forgetActor({ actors, gone }: Shard, { key, knownVersion }: ObjectActor): void {
  actors.delete(key);
  gone.delete(key);
  gone.set(key, knownVersion);
  if (gone.size > GONE_LIMIT) gone.delete(gone.keys().next().value as string);
}
