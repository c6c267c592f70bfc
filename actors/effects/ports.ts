// Ports of the runtime for its state machines: the effects of deletion guards, and those of lifecycles
// (`LifecyclePorts`).
//
// Invariants:
//   PORTS-1. No external call starts unless its deadline lies before the end of the shard's lease (P10); a long call is
//       always notified of the lease's end.
//   PORTS-2. An effect acts for the incarnation it was started for; what it learns goes to the actor before it resolves.
//   PORTS-3. What must not be repeated is listed under its shard, acknowledged, before it is sent (P13).
//   PORTS-4. An apply takes no guard off: it states what its field manager may own of what is stored, claimed or not (P3, I3).
import { type AnyStateMachine, fromPromise } from 'xstate';
import { compareVersions, type Objects } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Clock,
  ConflictError,
  ErrorCode,
  type JsonObject,
  type Mailbox,
  TerminalError,
  TransientError,
  TroupeError,
  toErrorData,
  UnknownOutcomeError,
} from '../../bus/mod.ts';
import { auditPauseMs, deletionGuardMachine, type GuardInput, guardBackoffMs } from '../../machines/deletion-guard.ts';
import { equipped } from '../../machines/equipped.ts';
import type { Child, Claimant, Kind, KnownDependency, OperationRequest } from '../../machines/kind.ts';
import {
  type CompletedLookup,
  type Lifecycle,
  type LifecyclePorts,
  type LongCall,
  type Measurement,
  Readiness,
  type ResourceOwner,
} from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { workTraceparent } from '../base/change-trace.ts';
import type { Incarnation, ObjectActor } from '../object/object-actor.ts';
import type { Registry } from '../object/registry.ts';
import { Audits } from './audit.ts';
import {
  ensureChildren,
  mark,
  ownerAmong,
  patchObjectSpec,
  patchReferencedStatus,
  removeChildren,
} from './children.ts';
import { type CreateJournal, mayBeDone } from './create-journal.ts';
import { OwnershipResolver } from './ownership.ts';
import { Reservations, reservationName } from './reservations.ts';

export interface EffectsDeps {
  objects: Objects;
  registry: Registry;
  clock: Clock;
  /** The actor of an address that this process hosts. */
  actor: (key: string) => ObjectActor | undefined;
  /** When the lease on the actor's shard ends, milliseconds since the epoch. */
  leaseEndsAt: (key: string) => number;
  /** Aborted when the lease on the actor's shard is lost, or given up. */
  leaseSignal: (key: string) => AbortSignal;
  /** Notes an external call that is under way on behalf of an actor. */
  track: (key: string, call: Promise<unknown>) => void;
  /** Notes a write to the API server that is under way on behalf of an actor. */
  trackWrite: (key: string, write: Promise<unknown>) => void;
  /** Longest time an external call may take, in milliseconds. */
  callMs: number;
  /**
   * Maximum time after its deadline at which a request may still take effect in an external system, in milliseconds.
   */
  lateEffectMs: number;
  mailbox: Mailbox;
  /** Managed namespaces; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** Counts something that happened to an object. */
  measure: (object: KubeObject, measurement: Measurement) => void;
  /** It was found out whose the resource of an object is that another one had recorded, too. */
  settleDispute: (key: string) => void;
  /** Create journal of the actor's shard; undefined: the shard is not held any more. */
  createJournal: (key: string) => CreateJournal | undefined;
}

/** The machines with all their effects, shared by all actors of a host. */
export interface Machines {
  readonly guard: AnyStateMachine;
  of(life: Lifecycle): AnyStateMachine;
}

/** Kept free between the deadline of a call and the end of the lease, in milliseconds: clocks drift, packets linger. */
const LEASE_MARGIN_MS = 200;
/** Time within which a long call must start, in milliseconds: the doubt about its effect is counted from then. */
const BEGIN_WITHIN_MS = 2_000;
/** Below this much time a call is not worth beginning; the lease is about to be renewed, or lost. */
const LEAST_CALL_MS = 100;

interface Found {
  readonly actor: ObjectActor;
  readonly incarnation: Incarnation;
}

export function provideEffects(deps: EffectsDeps): Machines {
  const { objects, registry, clock } = deps;
  const audits = new Audits({ objects, registry });
  const turns = new Reservations({ mailbox: deps.mailbox, clock, objects, registry });
  const rivals = new OwnershipResolver({ objects, registry, namespaces: deps.namespaces, clock });

  const find = (key: string): Found => {
    const actor = deps.actor(key);
    const incarnation = actor?.incarnation();
    if (actor === undefined || incarnation === undefined) throw new AbsentError(`'${key}' is not hosted here any more`);
    return { actor, incarnation };
  };
  const living = (key: string): Found & { readonly kind: Kind } => {
    const found = find(key);
    if (found.incarnation.kind === undefined) throw new AbsentError(`'${key}' has no life of its own`);
    return { ...found, kind: found.incarnation.kind };
  };
  const owner = (key: string): Parameters<typeof ensureChildren>[1] => {
    const { actor, incarnation, kind } = living(key);
    const isAlive = (): boolean => deps.actor(key) === actor && actor.incarnation()?.uid === incarnation.uid;
    return { actor, object: incarnation.object, kind, isAlive };
  };
  const reference = ({ object }: Incarnation): { namespace: string; name: string; uid: string } => ({
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    uid: object.metadata.uid,
  });
  const deadline = (key: string, latestAt = Number.POSITIVE_INFINITY): number => {
    const now = clock.now();
    // mutant: call-after-lease ().2 drop
    const deadlineAt = Math.min(now + deps.callMs, deps.leaseEndsAt(key) - LEASE_MARGIN_MS, latestAt);
    if (deadlineAt - now < LEAST_CALL_MS)
      throw new TransientError('the lease of the shard ends too soon to begin a call');
    return deadlineAt;
  };
  /** Runs an operation of the adapter for the object as it is now. */
  const external = (key: string, name: string, extra: object): Promise<unknown> => {
    const { actor, incarnation, kind } = living(key);
    const operation = kind.operations[name];
    if (operation === undefined) throw new TypeError(`kind '${kind.kind}' has no operation '${name}'`);
    const call = operation({ ...requestOf(actor, incarnation), ...extra } as never);
    deps.track(key, call);
    return call;
  };
  /** Lists what must not be repeated, and makes it then (PORTS-3), for the same incarnation and under the same lease (PORTS-2). */
  const once = <Output>(
    key: string,
    inDoubtUntil: number,
    call: () => Promise<Output>,
    what?: JsonObject,
  ): Promise<Output> => {
    const createJournal = deps.createJournal(key);
    const { uid } = living(key).incarnation;
    if (createJournal === undefined) throw new AbsentError(`'${key}' is not hosted here any more`);
    const send = async (): Promise<Output> => {
      if (deps.createJournal(key) !== createJournal || living(key).incarnation.uid !== uid)
        throw new AbsentError(`'${key}' is another one by now`);
      return call();
    };
    // mutant: intents-never-recorded ().4 drop
    return createJournal.run(key, inDoubtUntil, send, what && { uid, what });
  };
  /** Reservation of the lookup, and its request (RESERVATIONS-1). */
  const turnFor = (key: string, { name }: CompletedLookup) => {
    const { incarnation, kind } = living(key);
    const mayWrite = (): boolean => deps.actor(key) !== undefined && clock.now() < deps.leaseEndsAt(key);
    return { name: reservationName(kind, name), asker: { holder: key, uid: incarnation.uid, mayWrite } };
  };
  const takeTurn = (key: string, completedLookup: CompletedLookup, until: number): Promise<number> => {
    const { name, asker } = turnFor(key, completedLookup);
    return turns.take(name, { ...asker, until, lookedAt: completedLookup.at });
  };
  /** Runs a write; its answer is known to the actor before the effect resolves (PORTS-2), a lost race is read again. */
  const write = async (key: string, run: (now: Incarnation) => Promise<KubeObject>): Promise<void> => {
    const { actor, incarnation } = find(key);
    const written = run(incarnation);
    deps.trackWrite(key, written);
    try {
      const answer = await written;
      actor.accept(answer, { own: true });
      // Another writer was faster, or the API server is behind its messages: it is read before another write.
      // mutant: older-answer-ignored drop
      if (isOlder(answer, actor.incarnation())) await refresh(deps, actor);
    } catch (error) {
      // mutant: lost-race-with-old-object drop
      if (error instanceof AbsentError || error instanceof ConflictError) await refresh(deps, actor);
      throw error;
    }
  };
  /** Whether the finalizers are on the object, as the actor knows it by now. */
  const retains = (key: string, finalizers: readonly string[]): boolean =>
    finalizers.some((finalizer) => deps.actor(key)?.incarnation()?.object.metadata.finalizers?.includes(finalizer));

  const guard = equipped(deletionGuardMachine, {
    actors: {
      storeGuards: effect(async ({ key, finalizers }: GuardInput) => {
        const { actor, incarnation } = find(key);
        const held = [...actor.claims.held(incarnation.uid)];
        const managers = new Set(held.filter(([name]) => finalizers.includes(name)).map(([, { manager }]) => manager));
        const outcomes = await Promise.allSettled(
          [...managers].map((manager) => {
            const wanted = held.filter(([, claim]) => claim.manager === manager).map(([finalizer]) => finalizer);
            const own = registry.guardsOf(actor.address, manager);
            return write(key, (now) => {
              // Each field manager states all fields that it owns: a missing finalizer would be removed. The table may
              // lack claims.
              const { finalizers: stored = [], resourceVersion } = now.object.metadata;
              // mutant: guard-off-by-apply () -> []
              const kept = stored.filter((finalizer) => own.includes(finalizer) && !wanted.includes(finalizer));
              // Another one of several hosts may have stored one meanwhile.
              const exactly = own.length > 1 ? { resourceVersion } : {};
              const object = { ...reference(now), ...exactly };
              return objects.addFinalizers(actor.resource, object, manager, [...kept, ...wanted]);
            });
          }),
        );
        // Not before all have ended: what is still on its way would be written once more.
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
        const missing = held.some(([name]) => finalizers.includes(name) && !retains(key, [name]));
        // mutant: guard-taken-at-once drop
        if (missing) throw new TransientError('somebody takes the finalizers away as soon as they are stored');
      }),
      releaseGuards: effect(async ({ key, finalizers }: GuardInput) => {
        const { actor } = find(key);
        // mutant: guard-off-changed-object : -> false
        await write(key, ({ object }) => objects.removeFinalizers(actor.resource, object, finalizers, { exact: true }));
        if (retains(key, finalizers)) throw new TransientError('somebody stores the finalizers again');
      }),
      auditGuards: effect(({ key, finalizers }: GuardInput) => {
        const { actor, incarnation } = find(key);
        return audits.guards(actor, incarnation, finalizers);
      }),
    },
    delays: {
      guardBackoff: ({ context }) => jitter(guardBackoffMs(context), clock),
      auditPause: ({ context }) => together(auditPauseMs(context), clock),
    },
  });

  const ports: LifecyclePorts = {
    now: () => clock.now(),
    random: () => clock.random(),
    object: (key) => find(key).incarnation.object,
    dependencies: (key) => find(key).actor.dependencies(),
    call: settled((key: string, operation: string, extra: object = {}) =>
      external(key, operation, { ...extra, deadlineAt: deadline(key) }),
    ),
    callOnce: settled(async (key: string, operation: string, extra: object = {}, completedLookup?: CompletedLookup) => {
      const latestAt = deadline(key);
      const until = latestAt + deps.lateEffectMs;
      const own = completedLookup && turnFor(key, completedLookup);
      const turn = completedLookup && takeTurn(key, completedLookup, until);
      turn?.catch(() => undefined); // it is awaited below
      const { actor, incarnation, kind } = living(key);
      const call = async (): Promise<unknown> => {
        const sequence = await turn;
        try {
          return await external(key, operation, { ...extra, deadlineAt: deadline(key, latestAt) });
        } catch (error) {
          // The request cannot take effect any more. Others may have looked before its result existed.
          if (own !== undefined && sequence !== undefined && !mayLand(error))
            await (mayBeDone(error) ? turns.end(own.name, sequence, own.asker) : turns.release(sequence));
          throw error;
        }
      };
      return once(key, until, call, kind.life.intent?.(requestOf(actor, incarnation)));
    }),
    intents(key) {
      const uid = deps.actor(key)?.incarnation()?.uid;
      const intents = deps.createJournal(key)?.intents(key) ?? [];
      return intents.flatMap(({ uid: theirs, what }) =>
        theirs === uid && what !== undefined ? [what as JsonObject] : [],
      );
    },
    discardIntents: (key) => deps.createJournal(key)?.disown(key),
    callLong: settled((key: string, operation: string, { extra = {}, signal, onProgress, inDoubtForMs }) => {
      deadline(key); // not worth beginning otherwise
      // mutant: held-outlives-lease [].2 drop
      const until = AbortSignal.any([signal, deps.leaseSignal(key)]);
      const beginBy = clock.now() + BEGIN_WITHIN_MS;
      const call = (): Promise<unknown> => {
        until.throwIfAborted();
        // mutant: held-sent-too-late if -> false
        if (clock.now() >= beginBy) throw new TransientError(`'${operation}' could not begin in time`);
        // mutant: held-after-lease drop
        deadline(key); // until it was listed the lease may have ended, unheard of
        const held: Omit<LongCall, keyof OperationRequest> = {
          signal: until,
          progress: onProgress,
          beginBy,
          validUntil: () => deps.leaseEndsAt(key),
        };
        return external(key, operation, { ...extra, ...held });
      };
      if (inDoubtForMs === undefined) return call();
      const { kind, life } = living(key).kind;
      if (inDoubtForMs > (life.inDoubtForMs ?? 0)) {
        throw new TerminalError(`the life of kind '${kind}' states no 'inDoubtForMs' of ${inDoubtForMs} ms`);
      }
      // mutant: held-landing-counts-early +.1 -> clock.now()
      // mutant: held-landing-not-listed + -> $1
      return once(key, beginBy + inDoubtForMs, call);
    }),
    addOwnFinalizer: settled((key: string) => {
      const { actor, kind } = living(key);
      return write(key, (now) =>
        objects.addFinalizers(actor.resource, reference(now), kind.fieldManagers.finalizer, [kind.finalizer]),
      );
    }),
    removeOwnFinalizer: settled(async (key: string) => {
      const { actor, incarnation, kind } = living(key);
      const free = actor.freeGuards();
      await write(key, ({ object }) =>
        objects.removeFinalizers(actor.resource, object, [...free, kind.finalizer], { exact: free.length > 0 }),
      );
      // With the object, its claims have ended; while others still hold it, it needs none any more.
      await actor.endClaims(incarnation.uid, { all: true });
    }),
    claim: (key, withdrawnUids) => deps.actor(key)?.claim(withdrawnUids),
    conflictingOwner: settled(
      async (key: string, externalId: string, { isIdFromOtherWriter, isMade, completedLookup, isLeaving }) => {
        const deadlineAt = deadline(key);
        const until = deadlineAt + deps.lateEffectMs;
        const taken = completedLookup === undefined ? [] : [await takeTurn(key, completedLookup, until)];
        const { actor, incarnation, kind } = living(key);
        const request = { ...requestOf(actor, incarnation), deadlineAt };
        const system = await rivals.systemOf(kind, request);
        let conflictingOwner: ResourceOwner | undefined;
        // A recorded id that was not found just now is checked first: without access to it there is no reservation.
        const isThere = async (): Promise<boolean> =>
          completedLookup !== undefined ||
          (await external(key, 'observe', { id: externalId, deadlineAt })) !== undefined;
        if (system !== undefined && (await isThere())) {
          // The recorded owner is read while the reservation is held, so that no earlier read is used (RESERVATIONS-5).
          const own: CompletedLookup = { name: JSON.stringify([system, externalId]), at: Number.POSITIVE_INFINITY };
          taken.push(await takeTurn(key, own, until));
          const asking = rivals.of({
            kind,
            request,
            externalId,
            isIdFromOtherWriter,
            isMade,
            isLeaving: isLeaving === true,
            system,
          });
          deps.track(key, asking);
          conflictingOwner = await asking;
        }
        if (conflictingOwner !== undefined) await Promise.all(taken.map((sequence) => turns.release(sequence)));
        deps.settleDispute(key);
        return conflictingOwner;
      },
    ),
    watchOwner: (key, withdrawnUids, conflictingOwner) => deps.actor(key)?.follow(withdrawnUids, conflictingOwner),
    endClaims: settled((key: string) => {
      const { actor, incarnation } = find(key);
      return actor.endClaims(incarnation.uid, { all: false });
    }),
    recordId: settled((key: string, id: string | null, applied?: JsonObject) => {
      const { actor } = living(key);
      return write(key, ({ object }) => objects.recordId(actor.resource, object, id, applied));
    }),
    applyStatus: settled((key: string, manager, status) => {
      const { actor } = living(key);
      return write(key, ({ object }) => objects.applyStatus(actor.resource, object, manager, status));
    }),
    storeStatus: settled((key: string, manager, status) => {
      const { actor } = living(key);
      return write(key, ({ object }) => objects.storeStatus(actor.resource, object, manager, status));
    }),
    patchSpec: settled((key: string, manager, spec) => {
      const { actor } = living(key);
      return write(key, ({ object }) => objects.patchSpec(actor.resource, object, manager, spec));
    }),
    labelReferenced: settled((key: string, other, marks) => mark({ objects, registry }, owner(key), other, marks)),
    patchReferencedStatus: settled((key: string, other, manager: string, status: JsonObject) =>
      patchReferencedStatus({ objects, registry }, owner(key), other, manager, status),
    ),
    patchObjectSpec: settled((key: string, other, manager: string, spec: JsonObject) => {
      const written = patchObjectSpec({ objects, registry }, owner(key), other, manager, spec);
      deps.trackWrite(key, written);
      return written;
    }),
    setOwnerReference: settled((key: string, manager: string, other) => {
      const { actor } = living(key);
      const owners = [ownerAmong({ registry }, owner(key), other)];
      return write(key, (now) => objects.mark(actor.resource, reference(now), manager, { labels: {}, owners }));
    }),
    recordMetrics(key, measures) {
      const object = deps.actor(key)?.incarnation()?.object;
      if (object !== undefined) for (const each of measures) deps.measure(object, each);
    },
    recordEvents(key, news) {
      for (const each of news) deps.actor(key)?.report(each);
    },
    removeAnnotations: settled((key: string, names: readonly string[]) => {
      const { actor } = living(key);
      return write(key, ({ object }) => objects.removeAnnotations(actor.resource, object, names));
    }),
    ensureChildren: settled((key: string, more?: readonly Child[]) =>
      ensureChildren({ objects, registry }, owner(key), more),
    ),
    removeChildren: settled((key: string, more?: Parameters<LifecyclePorts['removeChildren']>[1]) =>
      removeChildren({ objects, registry }, owner(key), more),
    ),
    jitter: (delayMs) => jitter(delayMs, clock),
    alignToInterval: (pauseMs) => together(pauseMs, clock),
    pause: (delayMs, signal) => clock.sleep(delayMs, signal),
  };

  const provided = new Map<Lifecycle, AnyStateMachine>();
  return {
    guard,
    of(life) {
      const known = provided.get(life);
      if (known !== undefined) return known;
      const machine = life.provide(ports);
      provided.set(life, machine);
      return machine;
    },
  };
}

/** Whether what was asked for may be there, or come. */
function mayLand(error: unknown): boolean {
  return (
    !(error instanceof TroupeError) ||
    error instanceof UnknownOutcomeError ||
    toErrorData(error).inDoubtUntil !== undefined
  );
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

export interface RefreshDeps {
  readonly objects: Pick<Objects, 'get'>;
  readonly mailbox: Pick<Mailbox, 'epoch' | 'startAnew'>;
}

/** Whether what is known of the object is of a later version. */
function isOlder({ metadata }: KubeObject, known: Incarnation | undefined): boolean {
  return known !== undefined && compareVersions(metadata.resourceVersion, known.object.metadata.resourceVersion) < 0;
}

/**
 * Reads the object of an actor afresh; "not found" is knowledge too (P6). One that is older than what was known before it was read is
 * that of an API server that was restored from a backup: what was learned of it is void, here and everywhere (P11).
 */
export async function refresh({ objects, mailbox }: RefreshDeps, actor: ObjectActor): Promise<void> {
  const { namespace, name } = actor.address;
  const { id } = mailbox.epoch();
  const known = actor.incarnation();
  const soughtUid = actor.goneUid;
  const object = await objects.get(actor.resource, namespace, name);
  // mutant: older-read-believed if -> false
  if (object !== undefined && isOlder(object, known)) await mailbox.startAnew(id);
  else if (object !== undefined) actor.accept(object, { own: false, soughtUid });
  else if (known !== undefined) actor.acceptGone(known.uid, known.object.metadata.resourceVersion);
  else actor.tidy();
}

/** Pollers with the same interval poll at the same moments, so that one list serves all. */
function together(pauseMs: number, clock: Clock): number {
  if (!Number.isFinite(pauseMs) || pauseMs <= 0) return pauseMs;
  const now = clock.now();
  return Math.ceil((now + pauseMs / 2) / pauseMs) * pauseMs - now;
}

function jitter(delayMs: number, clock: Clock): number {
  return delayMs * (0.75 + clock.random() / 2);
}

function effect<Input, Output>(
  run: (input: Input) => Output | Promise<Output>,
): ReturnType<typeof fromPromise<Output, Input>> {
  const settle = settled(async (input: Input) => run(input));
  return fromPromise<Output, Input>(({ input }) => settle(input));
}

/** The same, rejecting with plain error data, as the charts expect. */
function settled<Given extends readonly unknown[], Output>(
  run: (...given: Given) => Output | Promise<Output>,
): (...given: Given) => Promise<Output> {
  return async (...given) => {
    try {
      return await run(...given);
    } catch (error) {
      // A write that the API server rejects as invalid is our defect or a race, rather than a fault of the spec: it is
      // retried, and visible.
      const data = toErrorData(error);
      throw error instanceof TroupeError ? data : { ...data, code: ErrorCode.Transient };
    }
  };
}
