// Hosts the actors of the shards that this process holds leases for.
//
// Invariants:
//   SHARD-HOST-1. The actors of a shard act only after its replay is complete and the API server was read once (OBJECT-ACTOR-2, P12).
//   SHARD-HOST-2. When a lease is lost, its actors stop immediately; their running requests change nothing any more.
//       After its end, noticed or not, no message is processed and no effect starts.
//   SHARD-HOST-3. A change of the mailbox's epoch ends all shards: nothing learned before it is used (P11).
//   SHARD-HOST-4. However many actors begin, leases are renewed and mail is read in between: a host never loses its leases to its
//       own start, or it would begin again for ever, and objects would never get to where the last values lead (I9).
//   SHARD-HOST-5. An object that was read from the API server without a message about it is always read again, with
//       backoff, until there is one: if it is deleted before any watch saw it, its end is never reported
//       (FIRST-START-2).
//   SHARD-HOST-6. A host that drops a message, or an effect, because a lease has ended always gives the shard up, even
//       if the lease turns out to have been renewed: its next host learns the dropped state again.
import type { Logger } from 'pino';
import { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import { compareVersions, type Objects } from '../../adapters/kubernetes/mod.ts';
import {
  type Address,
  addressKey,
  type Bus,
  type Clock,
  type Lease,
  type MailboxMessage,
  type MailboxSubject,
  shardOf,
  shardOfKey,
  shardOfMail,
} from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import type { Measurement } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { readAll } from '../base/list-all.ts';
import type { RecordEvent } from '../base/record-event.ts';
import { machinesWith } from '../effects/machines.ts';
import { recordedBy } from '../effects/ownership.ts';
import { deliveryOf } from '../mailbox/messages.ts';
import { ObjectActor } from '../object/object-actor.ts';
import type { ObjectContext } from '../object/object-context.ts';
import type { Registry } from '../object/registry.ts';
import { StatusThrottle, unthrottled } from '../object/status-writer.ts';
import { writeFailureStatus } from './failure-status.ts';
import {
  type DeferredAnswers,
  deferredAnswers,
  type LocalDelivery,
  type LocalDeliveryDeps,
  localDelivery,
} from './local-delivery.ts';
import { Quarantine } from './quarantine.ts';
import { RejectedMessages } from './rejected-messages.ts';
import { currentIncarnation, rereadObject } from './reread.ts';
import { forgetActor, type HostServices, openShard, type Shard } from './shard.ts';
import { Subscriptions } from './subscriptions.ts';

export interface HostDeps {
  bus: Bus;
  objects: Objects;
  registry: Registry;
  /** Managed namespaces; undefined: all. */
  namespaces: readonly string[] | undefined;
  clock: Clock;
  log: Logger;
  /** Longest time an external call may take, in milliseconds. */
  callMs: number;
  /**
   * Maximum time after its deadline at which a request may still take effect in an external system, in milliseconds.
   */
  lateEffectMs: number;
  /** Tells users what happened to their objects. */
  report: RecordEvent;
  /** Counts what happened to an object, where that is counted. */
  recordMetric?: (object: KubeObject, measurement: Measurement) => void;
}

/** Load of a host. */
export interface ShardHostLoad {
  /** Hosted shards by phase; `all` is the number in the deployment, on any pod. */
  readonly shards: Readonly<Record<'live' | 'opening' | 'closing' | 'all', number>>;
  readonly queues: {
    /** Last values that are being published, or wait for it. */
    readonly mail: number;
    /** Answers that may wait before they are published. */
    readonly answers: number;
    /** Number of waiting statuses that say that an object waits. */
    readonly statuses: number;
  };
}

/**
 * Delay before an object without a message is read again for the first time, in milliseconds, and maximum delay before
 * each later read.
 */
const UNTOLD_PAUSES = { firstMs: 30_000, limitMs: 600_000 };
/**
 * Maximum number of actors that are created or started in one turn of the event loop (SHARD-HOST-4): some milliseconds,
 * on a slow machine too.
 */
const SLICE = 25;
/** Publications of all shards under way at a time. */
const PUBLICATIONS = 256;

/** Several shards taken over together share one read of the API server and one subscription. */
export class ShardHost {
  readonly #deps: HostDeps;
  readonly #shards = new Map<number, Shard>();
  /** Shards that were closed, and whose external calls have not all ended. */
  readonly #closing = new Map<number, Promise<unknown>>();
  readonly #subscriptions: Subscriptions;
  readonly #services: HostServices;
  readonly #throttle: StatusThrottle;
  readonly #later: DeferredAnswers;
  #takeovers = 0;
  /** Objects whose external id another one had recorded, too, when they were read. */
  readonly #contested = new Set<string>();
  readonly #quarantine: Quarantine<ObjectContext>;
  readonly #refused: RejectedMessages;
  readonly #here: LocalDeliveryDeps = {
    // mutant: hand-over-after-lease ?: -> $1.1.1?.actors.get($2.1)
    actor: (key) => (this.#shardByKey(key)?.live === true ? this.#actorByKey(key) : undefined),
    // An older shard had answered all that there was before the other came, and of one that came with it all was heard.
    hasCompleteHistory: (from, to) => (this.#shardByKey(from)?.turn ?? 0) <= (this.#shardByKey(to)?.turn ?? -1),
    settle: (actor, deliver) => {
      const shard = this.#shardByKey(actor.key);
      if (shard !== undefined) this.#settle(shard, actor, deliver);
    },
  };
  /** For who watches the API server in this process. */
  readonly localDelivery: LocalDelivery = localDelivery(this.#here);

  constructor(deps: HostDeps) {
    this.#deps = deps;
    const { bus, objects, registry, clock, log, report, callMs, lateEffectMs, namespaces } = deps;
    const { mailbox, trace } = bus;
    const throttle = new StatusThrottle({ clock });
    this.#throttle = throttle;
    this.#refused = new RejectedMessages({ mailbox, clock, log });
    this.#later = deferredAnswers(clock);
    this.#subscriptions = new Subscriptions({ mailbox, onTrouble: (message) => log.debug(message) });
    this.#quarantine = new Quarantine({
      clock,
      log,
      report,
      writeFailureStatus,
      resume: (object) => this.#resume(object),
      calls: ({ key }) => this.#shardByKey(key)?.calls,
    });
    const machines = machinesWith({
      registry,
      clock,
      callMs,
      lateEffectMs,
      mailbox,
      namespaces,
      objects: unthrottled(objects, throttle),
      recordMetric: deps.recordMetric ?? (() => undefined),
      actor: (key) => this.#actorByKey(key),
    });
    this.#services = {
      registry,
      machines,
      objects,
      mailbox,
      trace,
      clock,
      log,
      throttle,
      report,
      callMs,
      lateEffectMs,
      here: this.#here,
      later: this.#later,
      inFlight: new FairSemaphore(PUBLICATIONS),
      isOwnershipDisputed: (key) => this.#contested.has(key),
      settleDispute: (key) => void this.#contested.delete(key),
      supervise: (object, act) => this.#quarantine.run(object, act),
      reread: (object) => void this.#reread(object),
      currentIncarnation: (object) => currentIncarnation(object, () => this.#shardByKey(object.key) !== undefined),
    };
  }

  /** Number of hosted objects by state. */
  countByState(): ReadonlyMap<string, number> {
    const countByState = new Map<string, number>();
    for (const { actors } of this.#shards.values()) {
      for (const { state } of actors.values())
        if (state !== '') countByState.set(state, (countByState.get(state) ?? 0) + 1);
    }
    return countByState;
  }

  /** Hosted objects. */
  *hostedObjects(): Iterable<Pick<ObjectActor, 'address' | 'state' | 'tags'>> {
    for (const { actors } of this.#shards.values()) yield* actors.values();
  }

  get load(): ShardHostLoad {
    const shards = [...this.#shards.values()];
    const live = shards.filter((shard) => shard.live).length;
    return {
      shards: { live, opening: shards.length - live, closing: this.#closing.size, all: this.#deps.bus.mailbox.shards },
      queues: {
        mail: shards.reduce((sum, { outbox }) => sum + outbox.underWay, 0),
        answers: this.#later.size,
        statuses: this.#throttle.waiting,
      },
    };
  }

  /** Number of mailbox messages that could not be parsed. */
  get rejectedMessages(): number {
    return this.#refused.count;
  }

  /** Number of remembered entries about objects and their publications. */
  get remembered(): number {
    let size = this.#quarantine.size + this.#later.size;
    for (const { actors, outbox, calls, sweep, createJournal } of this.#shards.values())
      size += actors.size + outbox.size + calls.size + sweep.size + createJournal.unknownLists;
    return size;
  }

  get shards(): readonly number[] {
    return [...this.#shards.keys()];
  }

  /**
   * Takes over shards whose leases this process has just got. Goes no further once `signal` is aborted: the caller closes
   * what was opened.
   *
   * @param onLapse  told of a shard that must be given up and taken over afresh: its lease ended unnoticed (SHARD-HOST-6)
   * @throws {TransientError} the API server or the bus is away; the shards are closed again, their leases not released
   */
  async open(
    leases: ReadonlyMap<number, Lease>,
    signal: AbortSignal,
    onLapse: (number: number) => void,
  ): Promise<void> {
    const { log } = this.#deps;
    const opened = new Map<number, Shard>();
    this.#takeovers += 1;
    const turn = this.#takeovers;
    for (const [number, lease] of leases) {
      const shard = openShard({ number, lease, onLapse, turn }, this.#services);
      opened.set(number, shard);
      this.#shards.set(number, shard);
    }
    const numbers = [...leases.keys()];
    try {
      // In parallel: a failure of one during the wait for the other would be unhandled.
      const [, present] = await Promise.all([this.#subscribe(numbers, opened), this.#list(opened, signal)]);
      await this.#begin(opened, present, signal);
      if (signal.aborted) return;
      const actors = [...opened.values()].reduce((sum, shard) => sum + shard.actors.size, 0);
      log.info({ shards: numbers.length, actors }, 'shards taken over');
      void this.#readUntold(opened, signal);
    } catch (error) {
      for (const [number, shard] of opened) if (this.#shards.get(number) === shard) void this.close(number);
      throw error;
    }
  }

  /**
   * Stops all actors of a shard immediately. The caller holds the lease, and must release it only when this resolves: a
   * running external call must have taken effect, or failed, before another host starts one (P10). The same holds for
   * every concurrent caller.
   */
  async close(number: number): Promise<void> {
    const shard = this.#shards.get(number);
    if (shard !== undefined) {
      this.#shards.delete(number);
      shard.outbox.close();
      shard.sweep.close();
      // Those of other shards go out when it is quiet, those of closed ones never.
      if (this.#shards.size === 0) this.#later.clear();
      shard.ended.abort();
      for (const actor of shard.actors.values()) this.#end(actor);
      this.#subscriptions.closeUnused();
      const closing = Promise.all([this.#closing.get(number), this.#ended(shard)]).finally(() => {
        if (this.#closing.get(number) === closing) this.#closing.delete(number);
      });
      this.#closing.set(number, closing);
    }
    // mutant: host-closes-before-calls-end drop
    await this.#closing.get(number);
  }

  async #ended({ calls, createJournal }: Shard): Promise<void> {
    await calls.ended();
    await createJournal.close();
  }

  /** The claims tables may have become complete. */
  recheckClaims(): void {
    for (const { actors, live } of this.#shards.values())
      if (live) for (const actor of actors.values()) this.#quarantine.run(actor, () => actor.recheckClaims());
  }

  async #subscribe(shards: readonly number[], opened: ReadonlyMap<number, Shard>): Promise<void> {
    const isHeld = (number: number): boolean => this.#shards.get(number) === opened.get(number);
    await this.#subscriptions.open({
      shards,
      isHeld,
      onMail: (mail) => this.#onMail(mail, isHeld),
      onUnreadable: (about) => this.#onUnreadable(about, isHeld),
    });
  }

  /**
   * Objects of all shards in the API server, and the time of the read (P6, P12). @returns the keys of existing objects
   */
  async #list(opened: ReadonlyMap<number, Shard>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const present = new Set<string>();
    const first = new Map<string, Address>();
    const pause = this.#pauses(signal);
    const floor = await readAll(this.#deps, async (address, object) => {
      const number = shardOf(address, this.#deps.bus.mailbox.shards);
      this.#contest(first, address, object);
      const shard = opened.get(number);
      if (shard === undefined || this.#shards.get(number) !== shard) return;
      present.add(addressKey(address));
      const actor = this.#actor(shard, address);
      this.#settle(shard, actor, () => actor.accept(object, { own: false }));
      await pause();
    });
    for (const shard of opened.values()) shard.floor = floor;
    return present;
  }

  /** @param first  the first object that was read, by kind and external id */
  #contest(first: Map<string, Address>, address: Address, object: KubeObject): void {
    const kind = this.#deps.registry.kind(address);
    const externalId = kind && recordedBy(kind, object);
    if (externalId === undefined) return;
    const [id, key] = [`${address.realm}/${address.plural}/${externalId}`, addressKey(address)];
    const other = first.get(id);
    if (other === undefined) first.set(id, address);
    // Those of one namespace may share it.
    else if (kind?.life.shares === true && other.namespace === address.namespace) return;
    else
      for (const each of [addressKey(other), key]) if (this.#shardByKey(each) !== undefined) this.#contested.add(each);
  }

  /** A shard that was closed meanwhile is skipped (SHARD-HOST-2). */
  async #begin(opened: ReadonlyMap<number, Shard>, present: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const pause = this.#pauses(signal);
    const isOpen = (number: number): boolean => !signal.aborted && this.#shards.get(number) === opened.get(number);
    for (const [number, shard] of opened) {
      if (!isOpen(number)) continue;
      this.#endAbsent(new Map([[number, shard]]), present);
      shard.createJournal.begin(shard.actors.values());
      shard.live = true;
      // mutant: host-replay-never-over drop
      shard.outbox.replayed();
      for (const [key, actor] of [...shard.actors]) {
        // Forgotten by now, when its last mail was taken back.
        if (isOpen(number) && shard.actors.get(key) === actor) this.#quarantine.run(actor, () => actor.start());
        await pause();
      }
    }
  }

  /** Awaited after each actor: the event loop continues with other work periodically (SHARD-HOST-4). */
  #pauses(signal: AbortSignal): () => Promise<void> {
    let count = 0;
    return async () => {
      // mutant: host-begins-all-at-once %.2 -> 1_000_000 * $
      if (++count % SLICE === 0) await this.#deps.clock.sleep(0, signal);
    };
  }

  /** Runs until there are messages about all objects read, or the shards have other hosts (SHARD-HOST-5). */
  async #readUntold(opened: ReadonlyMap<number, Shard>, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const ours = new Map(opened);
    for (let times = 1; ; times++) {
      await clock.sleep(growingPauseMs(times, UNTOLD_PAUSES), signal);
      for (const [number, shard] of ours) if (this.#shards.get(number) !== shard) ours.delete(number);
      const actors = [...ours.values()].flatMap((shard) => [...shard.actors.values()]);
      if (signal.aborted || !actors.some(({ isUnannounced }) => isUnannounced)) return;
      try {
        this.#endAbsent(ours, await this.#list(ours, signal));
      } catch (error) {
        log.debug({ err: error }, 'reading objects without a message failed; will retry');
      }
    }
  }

  /**
   * An object in the mailbox that is older than the list and not in it is deleted: its tombstone was lost, or is on its
   * way.
   */
  #endAbsent(opened: ReadonlyMap<number, Shard>, present: ReadonlySet<string>): void {
    for (const [number, shard] of opened) {
      if (this.#shards.get(number) !== shard) continue;
      for (const [key, actor] of shard.actors) {
        const known = actor.incarnation()?.object.metadata;
        const isOlder = known === undefined || compareVersions(known.resourceVersion, shard.floor ?? '0') <= 0;
        // mutant: list-ends-newer &&.2 -> true
        if (!present.has(key) && isOlder)
          this.#settle(shard, actor, () => actor.acceptGone(known?.uid, shard.floor ?? '0'));
      }
    }
  }

  #onMail(mail: MailboxMessage, isOurs: (number: number) => boolean): void {
    const about = mail.subject;
    const number = shardOfMail(about, this.#deps.bus.mailbox.shards);
    const shard = this.#shards.get(number);
    if (shard === undefined || !isOurs(number)) return;
    // A suspended process receives old messages before the end of its lease: a removal would affect another host.
    // mutant: host-mail-after-lease drop
    if (shard.isOver()) return;
    if ('name' in about) {
      shard.sweep.heard(about, mail.payload, mail.sequence);
      return;
    }
    if ('shard' in about) {
      shard.createJournal.heard(mail.payload, mail.sequence);
      return;
    }
    if ('from' in about) {
      const author = this.#shards.get(shardOf(about.from, this.#deps.bus.mailbox.shards));
      author?.outbox.heard(about, mail.payload, mail.sequence);
    }
    const deliver = deliveryOf(about, mail);
    if (deliver === undefined) void this.#refused.take(about, mail);
    else {
      const actor = this.#actor(shard, about.to);
      this.#settle(shard, actor, () => deliver(actor));
    }
  }

  /** An unreadable claim may hold the object: the table is incomplete (P8). */
  #onUnreadable(about: MailboxSubject, isOurs: (number: number) => boolean): void {
    if (!('from' in about) || about.topic !== 'claim') return;
    const number = shardOfMail(about, this.#deps.bus.mailbox.shards);
    const shard = this.#shards.get(number);
    if (shard === undefined || !isOurs(number) || shard.isOver()) return;
    const actor = this.#actor(shard, about.to);
    this.#settle(shard, actor, () => actor.missClaim(about.from));
  }

  /** Hands mail to an actor, and forgets the actor when there is nothing left of it. */
  #settle(shard: Shard, actor: ObjectActor, deliver: () => void): void {
    this.#quarantine.run(actor, deliver);
    if (shard.live && actor.idle) {
      this.#end(actor);
      forgetActor(shard, actor);
    }
  }

  #actor(shard: Shard, address: Address): ObjectActor {
    const key = addressKey(address);
    const known = shard.actors.get(key);
    if (known !== undefined) return known;
    const actor = new ObjectActor(shard, address);
    shard.actors.set(key, actor);
    if (shard.live) {
      this.#quarantine.run(actor, () => {
        // An object that the API server lacked at the takeover does not exist, whatever older messages say (P6).
        // mutant: old-mail-revives drop
        actor.acceptGone(undefined, shard.gone.get(key) ?? shard.floor ?? '0');
        actor.start();
      });
    }
    return actor;
  }

  /** The actor acts no more. */
  #end(actor: ObjectContext): void {
    actor.stop();
    this.#quarantine.forget(actor);
    this.#contested.delete(actor.key);
  }

  /** A held actor begins again, if it still lives here. */
  #resume(held: ObjectContext): void {
    const shard = this.#shardByKey(held.key);
    const actor = shard?.actors.get(held.key);
    if (shard === undefined || actor !== held) this.#end(held);
    else if (shard.live) this.#settle(shard, actor, () => actor.start());
  }

  async #reread(object: ObjectContext): Promise<void> {
    const { key } = object;
    const isHere = (): boolean => this.#shardByKey(key)?.actors.get(key) === object;
    await rereadObject(object, isHere);
    const shard = this.#shardByKey(key);
    const actor = shard?.actors.get(key);
    if (shard !== undefined && actor === object) this.#settle(shard, actor, () => undefined);
  }

  #shardByKey(key: string): Shard | undefined {
    return this.#shards.get(shardOfKey(key, this.#deps.bus.mailbox.shards));
  }

  /** Actor of an effect. After a suspension the effect continues before the lease's end is noticed (SHARD-HOST-2). */
  #actorByKey(key: string): ObjectActor | undefined {
    const shard = this.#shardByKey(key);
    // mutant: host-acts-after-lease || -> $1
    return shard === undefined || shard.isOver() ? undefined : shard.actors.get(key);
  }
}
