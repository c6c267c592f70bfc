// The effects of the statecharts: what the runtime provides to `machines/`.
//
// Invariants:
//   E1. No external call begins unless its deadline lies before the end of the shard's lease (P10).
//   E2. An effect acts for the incarnation it was started for; what it learns goes to the actor before it resolves.
//   E3. A create is listed under its shard, acknowledged, before it is sent (P13).
import { fromPromise } from 'xstate';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Clock,
  ConflictError,
  ErrorCode,
  TransientError,
  TroupeError,
  toErrorData,
} from '../../bus/mod.ts';
import {
  auditPauseMs,
  type GuardContext,
  type GuardInput,
  guardBackoffMs,
  guardMachine,
} from '../../machines/guard.ts';
import type {
  KnownDependency,
  KubeObject,
  ManagedKind,
  ManagedOperations,
  Observation,
  OperationRequest,
  UpdateOutcome,
} from '../../machines/kind.ts';
import { externalIdOf, Readiness } from '../../machines/life.ts';
import { managedMachine } from '../../machines/managed.ts';
import {
  backoffMs,
  type EffectInput,
  type RecordOutput,
  removalPauseMs,
  settlePauseMs,
} from '../../machines/managed-context.ts';
import type { Life, ObjectActor } from '../object/object-actor.ts';
import type { Registry } from '../object/registry.ts';
import { Audits } from './audit.ts';
import { disown, ensureOwned } from './owned.ts';
import type { Underway } from './underway.ts';

export interface EffectsDeps {
  objects: Objects;
  registry: Registry;
  clock: Clock;
  /** The actor of an address that this process hosts. */
  actor: (key: string) => ObjectActor | undefined;
  /** When the lease on the actor's shard ends, milliseconds since the epoch. */
  leaseEndsAt: (key: string) => number;
  /** Notes an external call that is under way on behalf of an actor. */
  track: (key: string, call: Promise<unknown>) => void;
  /** Longest time an external call may take, in milliseconds. */
  callMs: number;
  /** For how long after its deadline a foreign system may still do what it was asked for, in milliseconds. */
  lateMs: number;
  /** What the actor's shard has under way that must not be repeated; undefined: the shard is not held any more. */
  underway: (key: string) => Underway | undefined;
}

/** Kept free between the deadline of a call and the end of the lease, in milliseconds: clocks drift, packets linger. */
const LEASE_MARGIN_MS = 200;
/** Below this much time a call is not worth beginning; the lease is about to be renewed, or lost. */
const LEAST_CALL_MS = 100;

/** The machines with all their effects, shared by all actors of this process. */
export function provideEffects(deps: EffectsDeps): { managed: typeof managedMachine; guarded: typeof guardMachine } {
  const { objects, registry, clock } = deps;
  const audits = new Audits({ objects, registry });

  const find = (key: string): { actor: ObjectActor; life: Life } => {
    const actor = deps.actor(key);
    const life = actor?.life();
    if (actor === undefined || life === undefined) throw new AbsentError(`'${key}' is not hosted here any more`);
    return { actor, life };
  };
  const managed = (key: string): { actor: ObjectActor; life: Life; kind: ManagedKind } => {
    const { actor, life } = find(key);
    if (life.kind === undefined) throw new AbsentError(`'${key}' has no life of its own`);
    return { actor, life, kind: life.kind };
  };
  const reference = ({ object }: Life): { namespace: string; name: string; uid: string } => ({
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    uid: object.metadata.uid,
  });
  const deadline = (key: string, latestAt = Number.POSITIVE_INFINITY): number => {
    const now = clock.now();
    const deadlineAt = Math.min(now + deps.callMs, deps.leaseEndsAt(key) - LEASE_MARGIN_MS, latestAt);
    if (deadlineAt - now < LEAST_CALL_MS)
      throw new TransientError('the lease of the shard ends too soon to begin a call');
    return deadlineAt;
  };
  /** Runs an operation of the adapter for the object as it is now. */
  const external = async <Output>(
    key: string,
    run: (operations: ManagedOperations, request: OperationRequest) => Promise<Output>,
    latestAt?: number,
  ): Promise<Output> => {
    const { actor, life, kind } = managed(key);
    const dependencies: Record<string, KnownDependency> = {};
    let credentialsVersion: string | undefined;
    for (const dependency of actor.dependencies()) {
      const { answer } = dependency;
      if (dependency.neededFor === 'always') credentialsVersion = answer?.version;
      if (answer === undefined || answer.readiness === Readiness.Absent || answer.externalId === undefined) continue;
      dependencies[`${dependency.kind}/${dependency.name}`] = {
        id: answer.externalId,
        ready: answer.readiness === Readiness.Ready,
        ...(answer.attributes !== undefined && { attributes: answer.attributes }),
      };
    }
    const call = run(kind.operations, {
      object: life.object,
      dependencies,
      deadlineAt: deadline(key, latestAt),
      traceId: life.uid.replaceAll('-', ''),
      ...(credentialsVersion !== undefined && { credentialsVersion }),
    });
    deps.track(key, call);
    return call;
  };
  /** Runs a write; its answer is known to the actor before the effect resolves (E2), a lost race is read again. */
  const write = async (key: string, run: (life: Life) => Promise<KubeObject>): Promise<void> => {
    const { actor, life } = find(key);
    try {
      actor.accept(await run(life), { own: true });
    } catch (error) {
      if (error instanceof AbsentError || error instanceof ConflictError) await refresh(objects, actor);
      throw error;
    }
  };
  const own = ({ externalId }: EffectInput): string => {
    if (externalId === undefined) throw new TransientError('the external id is not known yet');
    return externalId;
  };

  /** Whether the finalizers are on the object, as the actor knows it by now. */
  const carries = (key: string, finalizers: readonly string[]): boolean =>
    finalizers.some((finalizer) => deps.actor(key)?.life()?.object.metadata.finalizers?.includes(finalizer));

  const guardActors = {
    storeGuards: effect(async ({ key, finalizers }: GuardInput) => {
      const { actor, life } = find(key);
      const held = [...actor.claims.held(life.uid)];
      const managers = new Set(held.filter(([name]) => finalizers.includes(name)).map(([, { manager }]) => manager));
      const outcomes = await Promise.allSettled(
        [...managers].map((manager) => {
          // Each field manager states all that it owns.
          const all = held.filter(([, claim]) => claim.manager === manager).map(([finalizer]) => finalizer);
          return write(key, (now) => objects.addFinalizers(actor.resource, reference(now), manager, all));
        }),
      );
      // Not before all have ended: what is still on its way would be written once more.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      const missing = held.some(([name]) => finalizers.includes(name) && !carries(key, [name]));
      if (missing) throw new TransientError('somebody takes the finalizers away as soon as they are stored');
    }),
    releaseGuards: effect(async ({ key, finalizers }: GuardInput) => {
      const { actor } = find(key);
      await write(key, ({ object }) => objects.removeFinalizers(actor.resource, object, finalizers, { exact: true }));
      if (carries(key, finalizers)) throw new TransientError('somebody stores the finalizers again');
    }),
    auditGuards: effect(({ key, finalizers }: GuardInput) => {
      const { actor, life } = find(key);
      return audits.guards(actor, life, finalizers);
    }),
  };

  const guardDelays = {
    guardBackoff: ({ context }: { context: GuardContext }) => jitter(guardBackoffMs(context), clock),
    auditPause: ({ context }: { context: GuardContext }) => together(auditPauseMs(context), clock),
  };

  return {
    guarded: guardMachine.provide({ actors: guardActors, delays: guardDelays }),
    managed: managedMachine.provide({
      actors: {
        ...guardActors,
        guardSelf: effect(({ key }: EffectInput) => {
          const { actor, kind } = managed(key);
          return write(key, (life) =>
            objects.addFinalizers(actor.resource, reference(life), kind.fieldManagers.finalizer, [kind.finalizer]),
          );
        }),
        releaseSelf: effect(async ({ key }: EffectInput) => {
          const { actor, life, kind } = managed(key);
          await write(key, ({ object }) =>
            objects.removeFinalizers(actor.resource, object, [kind.finalizer], { exact: false }),
          );
          // With the object, its claims have ended; while others still hold it, it needs none any more.
          await actor.unclaim(life.uid, { all: true });
        }),
        record: effect<EffectInput, RecordOutput>(
          async ({ key, externalId }: EffectInput) => {
            const { actor, life } = managed(key);
            const stored = externalIdOf(life.object);
            // Recorded by somebody else, and seen before this: an id is never overwritten by another (I4).
            if (externalId !== undefined && stored !== undefined && stored !== externalId)
              return { kind: 'lost', externalId: stored };
            // The answer to the write was lost, not the write.
            if (stored === externalId) return { kind: 'stored' };
            await write(key, ({ object }) => objects.recordId(actor.resource, object, externalId ?? null));
            return { kind: 'stored' };
          },
          async ({ key, externalId }, error) => {
            // Somebody else wrote the object meanwhile; the actor has read it again.
            const stored = externalIdOf(deps.actor(key)?.life()?.object ?? {});
            if (!(error instanceof ConflictError) || stored === undefined) throw error;
            return stored === externalId ? { kind: 'stored' } : { kind: 'lost', externalId: stored };
          },
        ),
        unclaim: effect(({ key }: EffectInput) => {
          const { actor, life } = find(key);
          return actor.unclaim(life.uid, { all: false });
        }),
        find: effect(({ key }: EffectInput) => {
          const at = clock.now(); // it tells of no later time
          return external(key, async (operations, asked) => ({ ...(await operations.find(asked)), at }));
        }),
        import: effect(({ key }: EffectInput) => external(key, (operations, asked) => operations.import(asked))),
        create: effect(({ key }: EffectInput) => {
          const deadlineAt = deadline(key);
          const underway = deps.underway(key);
          if (underway === undefined) throw new AbsentError(`'${key}' is not hosted here any more`);
          const call = (): Promise<Observation> =>
            external(key, (operations, asked) => operations.create(asked), deadlineAt);
          return underway.run(key, deadlineAt + deps.lateMs, call);
        }),
        observe: effect((input: EffectInput) =>
          external(input.key, (operations, asked) => operations.observe({ ...asked, id: own(input) })),
        ),
        update: effect<EffectInput, UpdateOutcome>(async ({ key, observation }) => {
          // Every step runs, even when another one failed.
          const [owning, updating] = await Promise.allSettled([
            ensureOwned({ objects, registry }, managed(key)),
            external(key, (operations, asked) => {
              if (observation === undefined) throw new TransientError('nothing was observed yet');
              return operations.update({ ...asked, observation });
            }),
          ]);
          if (updating.status === 'rejected') throw updating.reason;
          if (owning.status === 'rejected') throw owning.reason;
          const { waiting = [], ...outcome } = updating.value;
          return { ...outcome, waiting: [...owning.value, ...waiting] };
        }),
        disown: effect(({ key }: EffectInput) => disown({ objects, registry }, managed(key))),
        remove: effect((input: EffectInput) =>
          external(input.key, (operations, asked) => operations.remove({ ...asked, id: own(input) })),
        ),
      },
      actions: {
        claim: ({ context }) => deps.actor(context.key)?.claim(context.yielded),
      },
      delays: {
        ...guardDelays,
        settlePause: ({ context }) => together(settlePauseMs(context), clock),
        removalPause: ({ context }) => together(removalPauseMs(context), clock),
        backoff: ({ context }) => jitter(backoffMs(context), clock),
        resync: ({ context }) => {
          const life = deps.actor(context.key)?.life();
          // A life that has looked itself counts its period from now; one that began settled, from the last look.
          const fresh = context.observation === undefined ? context.object.resyncInMs : undefined;
          return fresh ?? life?.kind?.resyncAfterMs(life.object, clock.random) ?? Number.POSITIVE_INFINITY;
        },
      },
    }),
  };
}

/** Reads the object of an actor afresh; "not found" is knowledge too (P6). */
export async function refresh(objects: Objects, actor: ObjectActor): Promise<void> {
  const { namespace, name } = actor.address;
  const known = actor.life();
  const object = await objects.get(actor.resource, namespace, name);
  if (object !== undefined) actor.accept(object, { own: false });
  else if (known !== undefined) actor.acceptGone(known.uid, known.object.metadata.resourceVersion);
}

/** Whoever looks at something in the same rhythm looks at the same moment, so that one list serves all. */
function together(pauseMs: number, clock: Clock): number {
  if (!Number.isFinite(pauseMs) || pauseMs <= 0) return pauseMs;
  const now = clock.now();
  return Math.ceil((now + pauseMs / 2) / pauseMs) * pauseMs - now;
}

function jitter(delayMs: number, clock: Clock): number {
  return delayMs * (0.75 + clock.random() / 2);
}

/** An effect that rejects with plain error data, as the machines expect. */
function effect<Input, Output>(
  run: (input: Input) => Output | Promise<Output>,
  rescue?: (input: Input, error: unknown) => Promise<Output>,
): ReturnType<typeof fromPromise<Output, Input>> {
  return fromPromise<Output, Input>(async ({ input }) => {
    try {
      try {
        return await run(input);
      } catch (error) {
        if (rescue === undefined) throw error;
        return await rescue(input, error);
      }
    } catch (error) {
      // What the API server refuses as invalid is our defect or a race, not the user's spec: tried again, and seen.
      const data = toErrorData(error);
      throw error instanceof TroupeError ? data : { ...data, code: ErrorCode.Transient };
    }
  });
}
