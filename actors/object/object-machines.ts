// State machines of one object: its lifecycle, while it is active, and its deletion guard.
//
// Invariants:
//   OBJECT-MACHINES-5. A passivated lifecycle never keeps its machine: events that it would ignore are not delivered,
//       and any other event starts it again, as in a new process, in its former state (I9). The difference is not
//       visible from outside. A deleted object that
//       waits for its users sees them go by their claims alone.
import { internTexts, internUid, type JsonObject } from '../../bus/mod.ts';
import { freeByTable, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import { Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type Claim, textOf } from './claims-table.ts';
import {
  DeletionGuardInstance,
  type GuardListener,
  LifecycleInstance,
  type LifecycleListener,
  viewed,
} from './machine-instance.ts';
import type { MachineState, ObjectContext } from './object-context.ts';

/** The state of an object whose code has failed. */
export const QUARANTINED = 'quarantined';
const NO_TAGS: ReadonlySet<string> = new Set();
const QUARANTINED_TAGS: ReadonlySet<string> = new Set([Tag.Failing]);
/** State of an object that has a deletion guard alone, and needs nothing. */
const GUARDED: MachineState = { state: 'idle', tags: new Set([Tag.Settled]), cause: 'lifecycle.started', reported: {} };

export class ObjectMachines implements GuardListener, LifecycleListener {
  readonly #context: ObjectContext;
  #life: LifecycleInstance | undefined;
  #guard: DeletionGuardInstance | undefined;
  #isAlive = false;
  #state = '';
  #tags: ReadonlySet<string> = NO_TAGS;
  /** The claims and the object as the guard was last told of them. */
  #reported = '';
  /** A deleted object as its passivated lifecycle last saw it; empty for others. */
  #restedOn = '';

  constructor(context: ObjectContext) {
    this.#context = context;
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
    return this.#isAlive && this.#life === undefined && this.#context.kind !== undefined;
  }

  /** An incarnation is there. */
  begin(): void {
    this.#isAlive = true;
    if (this.#context.kind === undefined) this.onState(GUARDED);
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
    if (this.#context.object !== undefined) {
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
    const { kind, clock, object: known } = this.#context;
    if (!this.isPassivated || kind === undefined || known === undefined) return;
    const now = clock.now();
    const text = (seen: KubeObject): string => JSON.stringify(kind.life.view(this.#held(seen), now));
    // mutant: resting-life-sleeps-on if -> false
    if (text(next) !== text(known)) this.wake();
    else this.#shareCommon(next);
  }

  /** Starts the machine of a new or passivated lifecycle. */
  wake(): void {
    const { kind, object } = this.#context;
    // An effect of the guard may have found that the shard has another host (SHARD-HOST-6): nothing starts after the
    // end.
    if (kind === undefined || object === undefined || this.#life !== undefined || !this.#isAlive) return;
    const chart = new LifecycleInstance(this.#context, this, kind, this.#held(object));
    this.#life = chart;
    chart.start();
  }

  sendObject(): void {
    const object = this.#context.object;
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
    const { kind, object: now } = this.#context;
    const said = claim?.attributes;
    if (JSON.stringify(before) === JSON.stringify(said)) return;
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
    const { kind, object } = this.#context;
    if (object === undefined || !this.#isAlive) return;
    const claims = this.#context.claimed();
    const text = textOf(claims, object);
    if (text === this.#reported) return;
    this.#reported = text;
    const guarded = this.#guarded(object);
    if (this.#guard !== undefined) this.#guard.report(guarded, claims);
    else if (needsGuarding({ object: guarded, claims })) {
      this.#guard = new DeletionGuardInstance(this.#context, this, guarded, claims);
      this.#guard.start();
    }
    if (object.metadata.deletionTimestamp === undefined) return;
    // mutant: charts-miss-last-user &&.3 -> false
    if (this.#life !== undefined) this.#life.tellIfNew(this.#held(object));
    else if (
      kind !== undefined &&
      this.isPassivated &&
      viewed(kind.life, this.#held(object), this.#context) !== this.#restedOn
    )
      this.wake();
  }

  /** Guards of ours on the deleted object that are no longer needed. */
  freeGuards(): readonly string[] {
    const object = this.#context.object;
    return object === undefined ? [] : freeByTable({ object: this.#guarded(object), claims: this.#context.claimed() });
  }

  /** The object as its lifecycle sees it: free finalizers of ours do not hold it any more (I2 by the table). */
  #held(object: KubeObject): KubeObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) return object;
    const free = freeByTable({ object: this.#guarded(object), claims: this.#context.claimed() });
    // mutant: free-finalizers-hold if -> true
    if (free.length === 0) return object;
    const left = finalizers.filter((finalizer) => !free.includes(finalizer));
    return { ...object, metadata: { ...object.metadata, finalizers: left } };
  }

  #guarded({ metadata }: KubeObject): GuardView {
    const { uid, deletionTimestamp, finalizers = [] } = metadata;
    const own = this.#context.kind?.finalizer;
    const deleting = deletionTimestamp !== undefined;
    return { uid, deleting, finalizers, leaves: deleting && own !== undefined && finalizers.includes(own) };
  }

  /** The object as its lifecycle sees it. */
  get held(): KubeObject | undefined {
    const { object } = this.#context;
    return object && this.#held(object);
  }

  /** An object without a lifecycle has the state of its guard. */
  onGuardState(state: MachineState): void {
    if (this.#context.kind === undefined) this.onState(state);
  }

  onGuardDone(guard: DeletionGuardInstance): void {
    if (this.#guard === guard) this.#guard = undefined;
  }

  onQuiet(): void {
    this.#context.supervise(() => this.#passivateIfIdle());
  }

  onFault(error: unknown): void {
    this.#context.supervise(() => {
      throw error;
    });
  }

  #passivateIfIdle(): void {
    const object = this.#context.object;
    if (!this.#isAlive || object === undefined || this.#life?.canPassivate !== true) return;
    this.#restedOn = object.metadata.deletionTimestamp === undefined ? '' : this.#life.viewText;
    this.#life.stop();
    this.#life = undefined;
    this.#context.onPassivated();
    this.#shareCommon(object);
  }

  /** Tens of thousands of passivated objects may be kept for long: their common parts are shared. */
  #shareCommon(object: KubeObject): void {
    internTexts(object as unknown as JsonObject);
    const metadata = object.metadata as { uid: string };
    metadata.uid = internUid(this.#context.address, metadata.uid);
  }

  /** @returns whether it was in another state before */
  onState(now: MachineState): boolean {
    const from = this.#state;
    this.#tags = now.tags;
    if (now.state === from) return false;
    this.#state = now.state;
    this.#context.reportTransition(from, now);
    return true;
  }
}
