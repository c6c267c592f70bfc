// What a host keeps of each shard that it holds.
import type { Lease } from '../../bus/mod.ts';
import type { Underway } from '../effects/underway.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { ObjectActor, ObjectActorDeps } from '../object/object-actor.ts';
import type { Calls } from './calls.ts';

export interface Shard {
  readonly lease: Lease;
  readonly onLapse: (number: number) => void;
  readonly outbox: Outbox;
  readonly underway: Underway;
  /** The same for all its actors. */
  readonly deps: ObjectActorDeps;
  readonly actors: Map<string, ObjectActor>;
  readonly calls: Calls;
  /** What the API server had when the shard was taken over; undefined until it was read. */
  floor: string | undefined;
  /** Up to which version it is known that there is no object, by key of actors that were forgotten (P6). */
  readonly gone: Map<string, string>;
  live: boolean;
  /** Aborted when the shard is given up. */
  readonly ended: AbortController;
}
