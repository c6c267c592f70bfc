// State machines of one object: its lifecycle, while it is active, and its deletion guard.
//
// Invariants:
//   OBJECT-MACHINES-5. A passivated lifecycle never keeps its machine: events that it would ignore are not delivered,
//       and any other event starts it again, as in a new process, in its former state (I9). The difference is not
//       visible from outside. A deleted object that
//       waits for its users sees them go by their claims alone.
import type { Logger } from 'pino';
import type { AnyStateMachine } from 'xstate';
import { type Address, type Clock, internTexts, internUid, type JsonObject } from '../../bus/mod.ts';
import { type Claims, freeByTable, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import type { Kind } from '../../machines/kind.ts';
import {
  type Dependency,
  type HoldersByFinalizer,
  type Lifecycle,
  Tag,
  type UserEvent,
} from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Claim } from './claims-table.ts';
import { DeletionGuardInstance } from './deletion-guard-instance.ts';
import { LifecycleInstance, type MachineState, viewed } from './lifecycle-instance.ts';
import { textOf } from './machine-input.ts';
import type { StatusThrottle } from './status-throttle.ts';
import type { StatusWrite } from './status-writer.ts';

export interface ObjectMachinesDeps {
  readonly address: Address;
  readonly key: string;
  /** None: the object is only guarded. */
  readonly kind: Kind | undefined;
  /** With their effects. */
  readonly machines: { of(life: Lifecycle): AnyStateMachine; readonly guard: AnyStateMachine };
  readonly clock: Clock;
  readonly turns: StatusThrottle;
  readonly log: () => Logger;
  /** Current object, as far as known; undefined if it is deleted. */
  readonly object: () => KubeObject | undefined;
  readonly dependencies: () => readonly Dependency[];
  readonly claims: () => Claims;
  /** Holders of the object, if it is being deleted. */
  readonly holders: (object: KubeObject) => HoldersByFinalizer | undefined;
  /** Time until which requests of an earlier lifecycle may still take effect, in milliseconds since the epoch (P13). */
  readonly inDoubtUntil: () => number;
  /** Another object has recorded the same external id. */
  readonly isOwnershipDisputed: () => boolean;
  /** Writes for the incarnation that it is given. */
  readonly writeStatus: (uid: string) => StatusWrite;
  /** The life is in another state. */
  readonly onState: (from: string, to: MachineState) => void;
  /** Called after the lifecycle has processed an event, since others may have to be notified of the result. */
  readonly onStep: () => void;
  readonly onUserEvent: (news: UserEvent) => void;
  /** Runs what may throw and has no caller: what a timer or the end of an effect leads to (I11). */
  readonly supervise: <Result>(act: () => Result) => Result | undefined;
}

/** The state of an object whose code has failed. */
export const QUARANTINED = 'quarantined';
const NO_TAGS: ReadonlySet<string> = new Set();
const QUARANTINED_TAGS: ReadonlySet<string> = new Set([Tag.Failing]);
/** State of an object that has a deletion guard alone, and needs nothing. */
const GUARDED: MachineState = { state: 'idle', tags: new Set([Tag.Settled]), cause: 'lifecycle.started', reported: {} };

export class ObjectMachines {
  readonly #deps: ObjectMachinesDeps;
  #life: LifecycleInstance | undefined;
  #guard: DeletionGuardInstance | undefined;
  #isAlive = false;
  #state = '';
  #tags: ReadonlySet<string> = NO_TAGS;
  /** The claims and the object as the guard was last told of them. */
  #reported = '';
  /** A deleted object as its passivated lifecycle last saw it; empty for others. */
  #restedOn = '';

  constructor(deps: ObjectMachinesDeps) {
    this.#deps = deps;
  }

  /** State of the lifecycle, also if it is passivated; empty without one. */
  get state(): string {
    return this.#state;
  }

  get tags(): ReadonlySet<string> {
    return this.#tags;
  }

  /** Availability in the lifecycle, ahead of the status; undefined: only the status counts. */
  get isAvailable(): boolean | undefined {
    return this.#life?.isAvailable;
  }

  get isPassivated(): boolean {
    return this.#isAlive && this.#life === undefined && this.#deps.kind !== undefined;
  }

  /** An incarnation is there. */
  begin(): void {
    this.#isAlive = true;
    if (this.#deps.kind === undefined) this.#enter(GUARDED);
    this.sendClaims();
    this.wake();
  }

  /** The incarnation is deleted, or its shard has another host. */
  end(): void {
    this.#isAlive = false;
    this.#life?.stop();
    this.#life = undefined;
    this.#guard?.stop();
    this.#guard = undefined;
    this.#state = '';
    this.#tags = NO_TAGS;
    this.#reported = '';
    this.#restedOn = '';
  }

  /** The code of the kind has failed: no machine runs until `begin`. @returns the state of the lifecycle */
  suspend(): string {
    const from = this.#state;
    this.end();
    if (this.#deps.object() !== undefined) {
      this.#state = QUARANTINED;
      this.#tags = QUARANTINED_TAGS;
    }
    return from;
  }

  /**
   * The object is about to become `next`: a passivated lifecycle is activated with its former view, if it would see a
   * difference.
   */
  expect(next: KubeObject): void {
    const { kind, clock, object } = this.#deps;
    const known = object();
    if (!this.isPassivated || kind === undefined || known === undefined) return;
    const now = clock.now();
    const text = (seen: KubeObject): string => JSON.stringify(kind.life.view(this.#held(seen), now));
    // mutant: resting-life-sleeps-on if -> false
    if (text(next) !== text(known)) this.wake();
    else this.#shareCommon(next);
  }

  /** Starts the machine of a new or passivated lifecycle. */
  wake(): void {
    const {
      address: _,
      kind,
      machines,
      writeStatus,
      inDoubtUntil,
      isOwnershipDisputed,
      onState: __,
      ...deps
    } = this.#deps;
    const object = deps.object();
    // An effect of the guard may have found that the shard has another host (SHARD-HOST-6): nothing starts after the
    // end.
    if (kind === undefined || object === undefined || this.#life !== undefined || !this.#isAlive) return;
    const chart = new LifecycleInstance(
      {
        ...deps,
        life: kind.life,
        machine: machines.of(kind.life),
        object: () => {
          const now = deps.object();
          return now && this.#held(now);
        },
        inDoubtUntil: inDoubtUntil(),
        isOwnershipDisputed: isOwnershipDisputed(),
        writeStatus: writeStatus(object.metadata.uid),
        onState: (state) => this.#enter(state),
        onQuiet: () => deps.supervise(() => this.#passivateIfIdle()),
        onFault: this.#onFault,
      },
      this.#held(object),
    );
    this.#life = chart;
    chart.start();
  }

  sendObject(): void {
    const object = this.#deps.object();
    if (object === undefined) return;
    this.#life?.sendObject(this.#held(object));
    this.#reported = '';
    this.sendClaims();
  }

  /**
   * @param change.isReplaced  what the object was built on is another one by now
   * @param change.isNews the lifecycle must process it; a passivated lifecycle is activated only for these
   */
  sendDependencies({ isReplaced, isNews }: { readonly isReplaced: boolean; readonly isNews: boolean }): void {
    if ((isReplaced || isNews) && this.isPassivated) this.wake();
    this.#life?.sendDependencies();
    if (isReplaced) this.#life?.sendRelationsChanged();
  }

  sendOwnerReleased(): void {
    this.#life?.sendOwnerReleased();
  }

  /** A dependent's attributes may have changed. @param before  former attributes; undefined if none */
  sendClaimantAttributes(before: JsonObject | undefined, claim: Claim | undefined): void {
    const { kind, object } = this.#deps;
    const said = claim?.attributes;
    if (JSON.stringify(before) === JSON.stringify(said)) return;
    const now = object();
    if (before === undefined && claim !== undefined && said !== undefined && now !== undefined) {
      if (kind?.life.isReflected?.(now, { ...claim.from, attributes: said }) === true) return;
    }
    if (this.isPassivated) this.wake();
    this.#life?.sendRelationsChanged();
  }

  /**
   * Notifies the guard of the first and the last claim of each finalizer; while the object is being deleted, of all.
   */
  sendClaims(): void {
    const { key, kind, machines, clock } = this.#deps;
    const object = this.#deps.object();
    if (object === undefined || !this.#isAlive) return;
    const claims = this.#deps.claims();
    const text = textOf(claims, object);
    if (text === this.#reported) return;
    this.#reported = text;
    const guarded = this.#guarded(object);
    if (this.#guard !== undefined) this.#guard.report(guarded, claims);
    else if (needsGuarding({ object: guarded, claims })) {
      const guard = new DeletionGuardInstance(
        {
          key,
          machine: machines.guard,
          clock,
          // An object without a lifecycle has the state of its guard.
          onState: (state) => void (kind === undefined && this.#enter(state)),
          onDone: () => {
            if (this.#guard === guard) this.#guard = undefined;
          },
          onFault: this.#onFault,
        },
        guarded,
        claims,
      );
      this.#guard = guard;
      guard.start();
    }
    if (object.metadata.deletionTimestamp === undefined) return;
    // mutant: charts-miss-last-user &&.3 -> false
    if (this.#life !== undefined) this.#life.tellIfNew(this.#held(object));
    else if (
      kind !== undefined &&
      this.isPassivated &&
      viewed(kind.life, this.#held(object), this.#deps) !== this.#restedOn
    )
      this.wake();
  }

  /** Guards of ours on the deleted object that are no longer needed. */
  freeGuards(): readonly string[] {
    const object = this.#deps.object();
    return object === undefined ? [] : freeByTable({ object: this.#guarded(object), claims: this.#deps.claims() });
  }

  /** The object as its lifecycle sees it: free finalizers of ours do not hold it any more (I2 by the table). */
  #held(object: KubeObject): KubeObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) return object;
    const free = freeByTable({ object: this.#guarded(object), claims: this.#deps.claims() });
    // mutant: free-finalizers-hold if -> true
    if (free.length === 0) return object;
    const left = finalizers.filter((finalizer) => !free.includes(finalizer));
    return { ...object, metadata: { ...object.metadata, finalizers: left } };
  }

  #guarded({ metadata }: KubeObject): GuardView {
    const { uid, deletionTimestamp, finalizers = [] } = metadata;
    const own = this.#deps.kind?.finalizer;
    const deleting = deletionTimestamp !== undefined;
    return { uid, deleting, finalizers, leaves: deleting && own !== undefined && finalizers.includes(own) };
  }

  readonly #onFault = (error: unknown): void => {
    this.#deps.supervise(() => {
      throw error;
    });
  };

  #passivateIfIdle(): void {
    const object = this.#deps.object();
    if (!this.#isAlive || object === undefined || this.#life?.canPassivate !== true) return;
    this.#restedOn = object.metadata.deletionTimestamp === undefined ? '' : this.#life.viewText;
    this.#life.stop();
    this.#life = undefined;
    this.#shareCommon(object);
  }

  /** Tens of thousands of passivated objects may be kept for long: their common parts are shared. */
  #shareCommon(object: KubeObject): void {
    internTexts(object as unknown as JsonObject);
    const metadata = object.metadata as { uid: string };
    metadata.uid = internUid(this.#deps.address, metadata.uid);
  }

  /** Says whether it was in another state before. */
  #enter(now: MachineState): boolean {
    const from = this.#state;
    this.#tags = now.tags;
    if (now.state === from) return false;
    this.#state = now.state;
    this.#deps.onState(from, now);
    return true;
  }
}
