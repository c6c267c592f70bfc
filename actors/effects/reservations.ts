// Reservations: the right to create or adopt a resource for which several objects have the same lookup, one holder at a
// time. A reservation is a last value on the bus, named after the lookup, and its first writer holds it.
//
// Invariants:
//   RESERVATIONS-1. Nothing is created, and nothing found is recorded, without a reservation that the bus has
//       acknowledged: it is written by compare-and-swap, and never after the end of the lease.
//   RESERVATIONS-2. A reservation always lasts until its holder has recorded something or is deleted, according to the
//       API server, or until its time has passed, by which its requests have taken effect (P13). Before that there is
//       no other holder.
//   RESERVATIONS-3. A new holder always looks up the resource after the end of the former reservation: the former
//       holder's resource is found.
//   RESERVATIONS-4. A value always stays for as long as an earlier lookup may be used, unless it is certain that
//       nothing was created: the host of its shard removes it then.
//   RESERVATIONS-5. Before an existing resource is recorded, a reservation named after its id is always taken too: of
//       two objects that found it by different lookups one checks the owner after the other has recorded it.
import { createHash } from 'node:crypto';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import {
  type Clock,
  ConflictError,
  type JsonObject,
  type Mailbox,
  parseAddressKey,
  type ReservationSubject,
  type Timer,
} from '../../bus/mod.ts';
import type { Registry } from '../object/registry.ts';
import { CLOCK_SKEW_MS } from './create-journal.ts';
import { recordedBy } from './ownership.ts';

export interface TurnsDeps {
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  readonly objects: Pick<Objects, 'get'>;
  readonly registry: Registry;
}

/** Request for a reservation. */
export interface ReservationRequest {
  /** Key of the actor, and the incarnation. */
  readonly holder: string;
  readonly uid: string;
  /** Time by which all its requests have taken effect, in milliseconds since the epoch. */
  readonly until: number;
  /** Start of the lookup that is used, in milliseconds since the epoch. */
  readonly lookedAt: number;
  /** Whether it may still be written for (RESERVATIONS-1). */
  readonly mayWrite: () => boolean;
}

interface Turn {
  readonly holder: string;
  readonly uid: string;
  readonly until: number;
}

/** Maximum number of lost races before it is retried later. */
const TRIES = 3;

export class Reservations {
  readonly #deps: TurnsDeps;
  /** Times at which reservations of others were found to be over, by sequence. */
  readonly #overSince = new Map<number, number>();

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /**
   * @returns where it is, for `release`
   * @throws {ConflictError} there is another holder, or there was at the lookup: look again
   */
  async take(name: string, request: ReservationRequest): Promise<number> {
    const { mailbox } = this.#deps;
    const subject = subjectOf(name);
    const { holder, uid, until } = request;
    let sequence = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      if (!request.mayWrite()) throw new ConflictError('the lease has ended');
      // mutant: turns-for-two ().3 -> $ === 0 ? undefined : $
      const publication = await mailbox.publish(subject, { holder, uid, until }, sequence);
      if (publication.kind === 'stored') return publication.sequence;
      const last = await mailbox.last(subject);
      sequence = last?.sequence ?? 0;
      if (last !== undefined) await this.#checkOver(parseTurn(last.payload), last.sequence, request);
    }
    throw new ConflictError('others look for the same');
  }

  /**
   * Ends a reservation under which something may have been created: the next holder looks it up afterwards
   * (RESERVATIONS-3).
   */
  async end(
    name: string,
    sequence: number,
    { holder, uid, mayWrite }: Omit<ReservationRequest, 'until' | 'lookedAt'>,
  ): Promise<void> {
    const { clock, mailbox } = this.#deps;
    if (!mayWrite()) return; // it expires, as it does when this fails
    await mailbox.publish(subjectOf(name), { holder, uid, until: clock.now() }, sequence).catch(() => undefined);
  }

  /** Releases an unused reservation: nothing was created, so no waiting is needed. */
  async release(sequence: number): Promise<void> {
    await this.#deps.mailbox.remove(sequence).catch(() => undefined); // it expires
  }

  /** @throws {ConflictError} it is not over, or was not at the lookup (RESERVATIONS-3) */
  async #checkOver(turn: Turn | undefined, sequence: number, { holder, lookedAt }: ReservationRequest): Promise<void> {
    if (turn === undefined || turn.holder === holder) return;
    const { clock } = this.#deps;
    const over = this.#overSince.get(sequence) ?? (await this.#overAt(turn));
    if (over === undefined) throw new ConflictError(`'${turn.holder}' is making what this looks for`);
    this.#overSince.set(sequence, over);
    for (const [known, at] of this.#overSince) if (at < clock.now() - OVER_FOR_MS) this.#overSince.delete(known);
    // mutant: turns-trust-early-look if -> false
    if (lookedAt < over) throw new ConflictError(`'${turn.holder}' may have made what this looks for`);
  }

  /** Since when it is known to be over; undefined: it is not. */
  async #overAt({ holder, uid, until }: Turn): Promise<number | undefined> {
    const { clock, objects, registry } = this.#deps;
    const endsAt = until + CLOCK_SKEW_MS;
    if (clock.now() >= endsAt) return endsAt;
    const address = parseAddressKey(holder);
    const kind = address && registry.kind(address);
    if (address === undefined || kind === undefined) return clock.now();
    const object = await objects.get(kind, address.namespace, address.name);
    const isOver = object === undefined || object.metadata.uid !== uid || recordedBy(kind, object) !== undefined;
    return isOver ? clock.now() : undefined;
  }
}

/** Time after which knowledge about an ended reservation is dropped, in milliseconds. */
const OVER_FOR_MS = 60_000;
/** Between two looks for turns that are over, in milliseconds at least. */
const SWEEP_MS = 10_000;

/** Removes expired reservations of a shard (RESERVATIONS-4). */
export class ReservationSweeper {
  readonly #deps: Pick<TurnsDeps, 'mailbox' | 'clock'>;
  readonly #turns = new Map<string, { readonly sequence: number; readonly endsAt: number }>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: Pick<TurnsDeps, 'mailbox' | 'clock'>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#turns.size;
  }

  heard({ name }: ReservationSubject, payload: JsonObject, sequence: number): void {
    const endsAt = (parseTurn(payload)?.until ?? 0) + CLOCK_SKEW_MS;
    this.#turns.set(name, { sequence, endsAt });
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#turns.clear();
  }

  #wake(): void {
    const { clock } = this.#deps;
    if (this.#timer !== undefined || this.#closed || this.#turns.size === 0) return;
    const first = Math.min(...[...this.#turns.values()].map(({ endsAt }) => endsAt));
    this.#timer = clock.setTimeout(() => void this.#sweep(), Math.max(SWEEP_MS, first - clock.now()));
  }

  async #sweep(): Promise<void> {
    const { clock, mailbox } = this.#deps;
    const now = clock.now();
    const over = [...this.#turns].filter(([, { endsAt }]) => endsAt <= now);
    for (const [name, turn] of over) {
      if (this.#closed) return;
      try {
        await mailbox.remove(turn.sequence);
        if (this.#turns.get(name) === turn) this.#turns.delete(name);
      } catch {
        break; // the next run removes it
      }
    }
    this.#timer = undefined;
    this.#wake();
  }
}

/** Name of the reservation for a lookup, among the objects of a kind. */
export function reservationName(
  { realm, plural }: { readonly realm: string; readonly plural: string },
  completedLookup: string,
): string {
  return createHash('sha256')
    .update(JSON.stringify([realm, plural, completedLookup]))
    .digest('hex')
    .slice(0, 32);
}

function subjectOf(name: string): ReservationSubject {
  return { topic: 'reservation', name };
}

/** Undefined: it has no holder. */
function parseTurn({ holder, uid, until }: JsonObject): Turn | undefined {
  if (typeof holder !== 'string' || typeof uid !== 'string' || typeof until !== 'number') return undefined;
  return { holder, uid, until };
}
