// Ports: what the runtime does for the effects of an object's lifecycle (`LifecyclePorts`).
//
// Invariants:
//   PORTS-1. No external call begins unless its deadline lies before the end of the shard's lease (P10); a long call is canceled when
//       the lease ends.
//   PORTS-2. An effect acts for the incarnation it was started for; what it learns goes to the actor before it resolves.
//   PORTS-3. What must not be repeated is listed under its shard, acknowledged, before it is sent (P13).
import { type Objects, referenceTo } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Clock,
  ErrorCode,
  type JsonObject,
  SLOWEST_PACE,
  TerminalError,
  TransientError,
  TroupeError,
  toErrorData,
} from '../../bus/mod.ts';
import type { Child, Claimant, Kind, KnownDependency, OperationRequest } from '../../machines/kind.ts';
import {
  type CompletedLookup,
  type Dependency,
  type LabelPatch,
  type LifecyclePorts,
  type LongCall,
  type LongCallOptions,
  type Measurement,
  type ObjectVersion,
  Readiness,
  type ResourceOwner,
  type UserEvent,
} from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Reference } from '../../machines/request.ts';
import { workTraceparent } from '../base/change-trace.ts';
import { alignedPause, jitter } from '../base/clock.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import type { Incarnation, ObjectHost } from '../object/object-context.ts';
import type { Registry } from '../object/registry.ts';
import { mayBeDone, mayLand } from './call-failures.ts';
import {
  ensureChildren,
  mark,
  type Owner,
  ownerAmong,
  patchObjectSpec,
  patchReferencedStatus,
  removeChildren,
} from './children.ts';
import type { OwnershipResolver } from './ownership.ts';
import { type Reservations, reservationName } from './reservations.ts';
import type { UnreportedChildren } from './unreported-children.ts';

/** Dependencies that all ports of a host share. */
export interface PortsDeps {
  readonly objects: Objects;
  readonly registry: Registry;
  readonly clock: Clock;
  /** Longest time an external call may take, in milliseconds. */
  readonly callMs: number;
  /**
   * Maximum time after its deadline at which a request may still take effect in an external system, in milliseconds.
   */
  readonly lateEffectMs: number;
  readonly reservations: Reservations;
  readonly ownership: OwnershipResolver;
  readonly unreported: UnreportedChildren;
  /** Counts something that happened to an object. */
  recordMetric(object: KubeObject, measurement: Measurement): void;
}

type Other = Pick<Reference, 'kind' | 'name' | 'namespace'>;

/** Kept free between the deadline of a call and the end of the lease, in milliseconds: clocks drift, packets linger. */
const LEASE_MARGIN_MS = 200;
/** Longest pause before a long call begins, in milliseconds: `inDoubtUntil` is counted from then. A later call is not sent. */
const BEGIN_WITHIN_MS = 2_000;
/** Below this much time a call is not worth beginning; the lease is about to be renewed, or lost. */
const LEAST_CALL_MS = 100;

/** The ports of one object. */
export class ObjectPorts implements LifecyclePorts {
  readonly #deps: PortsDeps;
  readonly #key: string;
  readonly #actor: ObjectActor | undefined;

  /** @param actor  undefined: the object is not hosted here any more */
  constructor(deps: PortsDeps, key: string, actor: ObjectActor | undefined) {
    this.#deps = deps;
    this.#key = key;
    this.#actor = actor;
  }

  now(): number {
    return this.#deps.clock.now();
  }

  random(): number {
    return this.#deps.clock.random();
  }

  jitter(delayMs: number): number {
    return jitter(delayMs, this.#deps.clock);
  }

  alignToInterval(intervalMs: number): number {
    return alignedPause(intervalMs, this.#deps.clock);
  }

  pause(delayMs: number, signal: AbortSignal): Promise<void> {
    return this.#deps.clock.sleep(delayMs, signal);
  }

  object(): KubeObject {
    return this.#living().incarnation.object;
  }

  dependencies(): readonly Dependency[] {
    return this.#living().actor.dependencies();
  }

  call(operation: string, extra: object = {}): Promise<unknown> {
    return settled(() => this.#external(operation, { ...extra, deadlineAt: this.#deadline() }));
  }

  callOnce(operation: string, extra: object = {}, completedLookup?: CompletedLookup): Promise<unknown> {
    return settled(async () => {
      const latestAt = this.#deadline();
      const until = latestAt + this.#deps.lateEffectMs;
      const own = completedLookup && this.#reservationFor(completedLookup);
      const reserved = completedLookup && this.#reserve(completedLookup, until);
      reserved?.catch(() => undefined); // it is awaited below
      const { actor, incarnation, kind } = this.#living();
      const { reservations } = this.#deps;
      const call = async (): Promise<unknown> => {
        const sequence = await reserved;
        try {
          return await this.#external(operation, { ...extra, deadlineAt: this.#deadline(latestAt) });
        } catch (error) {
          // The request cannot take effect any more. Others may have looked before its result existed.
          if (own !== undefined && sequence !== undefined && !mayLand(error))
            await (mayBeDone(error) ? reservations.end(own.name, sequence, own.asker) : reservations.release(sequence));
          throw error;
        }
      };
      return this.#once(until, call, kind.life.intent?.(requestOf(actor, incarnation)));
    });
  }

  intents(): readonly JsonObject[] {
    if (!this.#isHosted(this.#actor)) return [];
    const uid = this.#actor.object?.metadata.uid;
    return this.#actor.host.createJournal
      .intents(this.#key)
      .flatMap(({ uid: theirs, what }) => (theirs === uid && what !== undefined ? [what as JsonObject] : []));
  }

  discardIntents(): void {
    if (this.#isHosted(this.#actor)) this.#actor.host.createJournal.discardIntents(this.#key);
  }

  callLong(operation: string, { extra = {}, signal, onProgress, inDoubtForMs }: LongCallOptions): Promise<unknown> {
    return settled(() => {
      const { clock } = this.#deps;
      this.#deadline(); // not worth beginning otherwise
      const { kind, host } = this.#living();
      // mutant: held-outlives-lease [].2 drop
      const until = AbortSignal.any([signal, host.leaseSignal]);
      const beginBy = clock.now() + BEGIN_WITHIN_MS;
      const call = async (): Promise<unknown> => {
        until.throwIfAborted();
        // mutant: held-sent-too-late if -> false
        if (clock.now() >= beginBy) throw new TransientError(`'${operation}' could not begin in time`);
        // mutant: held-after-lease drop
        this.#deadline(); // until it was listed the lease may have ended, unheard of
        const held: Omit<LongCall, keyof OperationRequest> = {
          signal: until,
          progress: onProgress,
          beginBy,
          validUntil: () => this.#leaseLimit(host, 0),
        };
        return this.#external(operation, { ...extra, ...held });
      };
      if (inDoubtForMs === undefined) return call();
      if (inDoubtForMs > (kind.life.inDoubtForMs ?? 0)) {
        throw new TerminalError(`the lifecycle of kind '${kind.kind}' states no 'inDoubtForMs' of ${inDoubtForMs} ms`);
      }
      // mutant: held-landing-counts-early +.1 -> clock.now()
      // mutant: held-landing-not-listed + -> $1
      return this.#once(beginBy + inDoubtForMs, call);
    });
  }

  addOwnFinalizer(): Promise<void> {
    const { objects } = this.#deps;
    return this.#write((object, { actor, kind }) =>
      objects.addFinalizers(actor.resource, referenceTo(object), kind.fieldManagers.finalizer, [kind.finalizer]),
    );
  }

  removeOwnFinalizer(): Promise<void> {
    return settled(async () => {
      const { actor, incarnation, kind } = this.#living();
      const free = actor.freeGuards();
      await actor.write((object) =>
        this.#deps.objects.removeFinalizers(actor.resource, object, [...free, kind.finalizer], {
          exact: free.length > 0,
        }),
      );
      // With the object, its claims have ended; while others still hold it, it needs none any more.
      await actor.endClaims(incarnation.uid, { all: true });
    });
  }

  claim(withdrawnUids: readonly string[]): void {
    if (this.#isHosted(this.#actor)) this.#actor.claim(withdrawnUids);
  }

  watchOwner(withdrawnUids: readonly string[], conflictingOwner: ResourceOwner): void {
    if (this.#isHosted(this.#actor)) this.#actor.watchOwner(withdrawnUids, conflictingOwner);
  }

  endClaims(): Promise<void> {
    return settled(() => {
      const { actor, incarnation } = this.#living();
      return actor.endClaims(incarnation.uid, { all: false });
    });
  }

  conflictingOwner(
    externalId: string,
    { isIdFromOtherWriter, isMade, completedLookup, isLeaving }: Parameters<LifecyclePorts['conflictingOwner']>[1],
  ): Promise<ResourceOwner | undefined> {
    return settled(async () => {
      const { ownership, reservations, lateEffectMs } = this.#deps;
      const deadlineAt = this.#deadline();
      const until = deadlineAt + lateEffectMs;
      const taken = completedLookup === undefined ? [] : [await this.#reserve(completedLookup, until)];
      const { actor, incarnation, kind, host } = this.#living();
      const request = { ...requestOf(actor, incarnation), deadlineAt };
      const system = await ownership.systemOf(kind, request);
      let owner: ResourceOwner | undefined;
      // A recorded id that was not found just now is checked first: without access to it there is no reservation.
      const isThere = async (): Promise<boolean> =>
        completedLookup !== undefined ||
        (await this.#external('observe', { id: externalId, deadlineAt })) !== undefined;
      if (system !== undefined && (await isThere())) {
        // The recorded owner is read while the reservation is held, so that no earlier read is used (RESERVATIONS-5).
        const own: CompletedLookup = { name: JSON.stringify([system, externalId]), at: Number.POSITIVE_INFINITY };
        taken.push(await this.#reserve(own, until));
        const asking = ownership.of({
          kind,
          request,
          externalId,
          isIdFromOtherWriter,
          isMade,
          system,
          isLeaving: isLeaving === true,
        });
        host.calls.add(this.#key, asking);
        owner = await asking;
      }
      if (owner !== undefined) await Promise.all(taken.map((sequence) => reservations.release(sequence)));
      host.settleDispute(this.#key);
      return owner;
    });
  }

  recordId(id: string | null, applied?: JsonObject): Promise<void> {
    return this.#write((object, { actor }) => this.#deps.objects.recordId(actor.resource, object, id, applied));
  }

  applyStatus(manager: string, status: JsonObject): Promise<void> {
    return this.#write((object, { actor }) => this.#deps.objects.applyStatus(actor.resource, object, manager, status));
  }

  storeStatus(manager: string, status: JsonObject): Promise<void> {
    return this.#write((object, { actor }) => this.#deps.objects.storeStatus(actor.resource, object, manager, status));
  }

  patchSpec(manager: string, spec: JsonObject): Promise<void> {
    return this.#write((object, { actor }) => this.#deps.objects.patchSpec(actor.resource, object, manager, spec));
  }

  removeAnnotations(names: readonly string[]): Promise<void> {
    return this.#write((object, { actor }) => this.#deps.objects.removeAnnotations(actor.resource, object, names));
  }

  setOwnerReference(manager: string, other: Other): Promise<void> {
    return settled(() => {
      const { actor } = this.#living();
      const owners = [ownerAmong(this.#deps, this.#owner(), other)];
      return actor.write((object) =>
        this.#deps.objects.mark(actor.resource, referenceTo(object), manager, { labels: {}, owners }),
      );
    });
  }

  patchObjectSpec(other: ObjectVersion, manager: string, spec: JsonObject): Promise<void> {
    return settled(() => {
      const writing = patchObjectSpec(this.#deps, this.#owner(), other, manager, spec);
      this.#living().host.calls.addWrite(this.#key, writing);
      return writing;
    });
  }

  patchReferencedStatus(other: Other, manager: string, status: JsonObject): Promise<void> {
    return settled(() => patchReferencedStatus(this.#deps, this.#owner(), other, manager, status));
  }

  labelReferenced(other: Other, marks: LabelPatch): Promise<void> {
    return settled(() => mark(this.#deps, this.#owner(), other, marks));
  }

  ensureChildren(more?: readonly Child[]): Promise<readonly string[]> {
    return settled(() => ensureChildren(this.#deps, this.#owner(), more));
  }

  removeChildren(
    more?: readonly Pick<Child, 'kind' | 'name' | 'namespace'>[],
    options?: { readonly isDetached?: boolean },
  ): Promise<{ readonly gone: boolean }> {
    return settled(() => removeChildren(this.#deps, this.#owner(), more, options));
  }

  recordEvents(events: readonly UserEvent[]): void {
    if (this.#isHosted(this.#actor)) for (const each of events) this.#actor.report(each);
  }

  recordMetrics(measures: readonly Measurement[]): void {
    const object = this.#isHosted(this.#actor) ? this.#actor.object : undefined;
    if (object !== undefined) for (const each of measures) this.#deps.recordMetric(object, each);
  }

  #isHosted(actor: ObjectActor | undefined): actor is ObjectActor {
    return actor?.host.hosts(actor) === true;
  }

  /** @throws {AbsentError} the object is not hosted here any more, or has no life of its own */
  #living(): {
    readonly actor: ObjectActor;
    readonly incarnation: Incarnation;
    readonly kind: Kind;
    readonly host: ObjectActor['host'];
  } {
    const actor = this.#actor;
    const incarnation = this.#isHosted(actor) ? actor.incarnation() : undefined;
    if (actor === undefined || incarnation === undefined)
      throw new AbsentError(`'${this.#key}' is not hosted here any more`);
    const { kind } = incarnation;
    if (kind === undefined) throw new AbsentError(`'${this.#key}' has no life of its own`);
    return { actor, incarnation, kind, host: actor.host };
  }

  #owner(): Owner {
    const { actor, incarnation, kind, host } = this.#living();
    const isAlive = (): boolean => host.hosts(actor) && actor.object?.metadata.uid === incarnation.uid;
    const onChildGone = (): void => actor.missChild();
    return { actor, object: incarnation.object, kind, isAlive, onChildGone, signal: host.leaseSignal };
  }

  /** Writes the object (PORTS-2). */
  #write(
    run: (object: KubeObject, living: { readonly actor: ObjectActor; readonly kind: Kind }) => Promise<KubeObject>,
  ): Promise<void> {
    return settled(() => {
      const living = this.#living();
      return living.actor.write((object) => run(object, living));
    });
  }

  /** Time that is surely some time before the end of the lease, also if the clock is set back until then (P10). */
  #leaseLimit(host: ObjectHost, marginMs: number): number {
    const now = this.#deps.clock.now();
    // mutant: deadline-by-even-clock * -> $1
    return now + (host.leaseEndsAt() - now - marginMs) * SLOWEST_PACE;
  }

  #deadline(latestAt = Number.POSITIVE_INFINITY): number {
    const { clock, callMs } = this.#deps;
    const now = clock.now();
    const limit = this.#actor === undefined ? 0 : this.#leaseLimit(this.#actor.host, LEASE_MARGIN_MS);
    // mutant: call-after-lease ().2 drop
    const deadlineAt = Math.min(now + callMs, limit, latestAt);
    if (deadlineAt - now < LEAST_CALL_MS)
      throw new TransientError('the lease of the shard ends too soon to begin a call');
    return deadlineAt;
  }

  /** Runs an operation of the adapter for the object as it is now. */
  #external(name: string, extra: object): Promise<unknown> {
    const { actor, incarnation, kind, host } = this.#living();
    const operation = kind.operations[name];
    if (operation === undefined) throw new TypeError(`kind '${kind.kind}' has no operation '${name}'`);
    const call = operation({ ...requestOf(actor, incarnation), ...extra } as never);
    host.calls.add(this.#key, call);
    return call;
  }

  /** Lists what must not be repeated, and then sends it (PORTS-3), for the same incarnation and under the same lease (PORTS-2). */
  #once<Output>(inDoubtUntil: number, call: () => Promise<Output>, what?: JsonObject): Promise<Output> {
    const { incarnation, host } = this.#living();
    const { uid } = incarnation;
    const send = async (): Promise<Output> => {
      if (this.#living().incarnation.uid !== uid) throw new AbsentError(`'${this.#key}' is another one by now`);
      return call();
    };
    // mutant: intents-never-recorded ().4 drop
    return host.createJournal.run(this.#key, inDoubtUntil, send, what && { uid, what });
  }

  /** The reservation of the lookup's name, and the object that requests it (RESERVATIONS-1). */
  #reservationFor({ name }: CompletedLookup) {
    const { actor, incarnation, kind } = this.#living();
    const mayWrite = (): boolean => this.#isHosted(actor);
    return { name: reservationName(kind, name), asker: { holder: this.#key, uid: incarnation.uid, mayWrite } };
  }

  async #reserve(completedLookup: CompletedLookup, until: number): Promise<number> {
    const { name, asker } = this.#reservationFor(completedLookup);
    return this.#deps.reservations.take(name, { ...asker, until, lookedAt: completedLookup.at });
  }
}

/** Object and dependencies in a request. */
function requestOf(actor: ObjectActor, { object }: Incarnation): Omit<OperationRequest, 'deadlineAt'> {
  const dependencies: Record<string, KnownDependency> = {};
  const versions: string[] = [];
  for (const { kind, name, namespace, answer } of actor.dependencies()) {
    if (answer?.version !== undefined) versions.push(answer.version);
    if (answer === undefined || answer.readiness === Readiness.Absent || answer.externalId === undefined) continue;
    const isElsewhere = namespace !== undefined && namespace !== object.metadata.namespace;
    dependencies[isElsewhere ? `${kind}/${namespace}/${name}` : `${kind}/${name}`] = {
      id: answer.externalId,
      ready: answer.readiness === Readiness.Ready,
      ...(answer.attributes !== undefined && { attributes: answer.attributes }),
    };
  }
  const claimants = [...actor.claims.attributed()].flatMap(({ from, attributes }): Claimant[] =>
    attributes === undefined ? [] : [{ ...from, attributes }],
  );
  return {
    object,
    dependencies,
    ...(claimants.length > 0 && { claimants }),
    traceparent: workTraceparent(object),
    ...(versions.length > 0 && { credentialsVersion: versions.join() }),
  };
}

/** Runs it; it rejects with plain error data, as state machines expect. */
export async function settled<Output>(run: () => Output | Promise<Output>): Promise<Output> {
  try {
    return await run();
  } catch (error) {
    // A write that the API server rejects as invalid is our defect or a race, rather than a fault of the spec: it is
    // retried, and visible.
    const data = toErrorData(error);
    throw error instanceof TroupeError ? data : { ...data, code: ErrorCode.Transient };
  }
}
