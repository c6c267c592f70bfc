// The effects of the chart, over what the runtime does for it. Each rejects with plain error data, as the chart expects.
import { fromPromise } from 'xstate';
import { equipped } from '../equipped.ts';
import type { LifecyclePorts, StatusPart } from '../lifecycle.ts';
import type { ErrorData, KubeObject } from '../object.ts';
import { faultIn } from './answers.ts';
import {
  type AnnounceInput,
  backoffMs,
  type ContentProgressed,
  type CreateInput,
  type EffectInput,
  type FillInput,
  type FillStep,
  type FindOutput,
  type Observed,
  type OwnershipInput,
  type OwnershipOutput,
  type RecordOutput,
  repassPauseMs,
  type UpdateInput,
  type WatchFailure,
  type WatchInput,
} from './context.ts';
import { externalResourceMachine } from './machine.ts';
import type { Observation, ResourceOperations, UpdateOutcome, WatchUpdate } from './operations.ts';
import { onlyChanges, pollBackoff, relookMs } from './polling.ts';
import { resyncMs } from './resync.ts';

export interface EffectOptions {
  /** Message about an object that several resources match: adopting one of them would be a guess. */
  readonly ambiguity: string;
  /** The adapter offers `watch`; without it the resource is observed in the same rhythm, one by one. */
  readonly watches: boolean;
  readonly announced?: Announced | undefined;
  /** The external id that the status of an object names. */
  readonly externalId?: (object: KubeObject) => string | undefined;
  /** Status part of a field manager that records an id, if that is not `status.id`. */
  readonly recording?: (object: KubeObject, id: string | undefined) => Omit<StatusPart, 'stored'>;
}

/** Status of a content transfer; see `ExternalResourceOptions.filling`. */
export type Announced = (object: KubeObject, step: FillStep, now: number) => StatusPart;

/** The external id that the status of `object` names. */
export function externalIdOf({ status }: Pick<KubeObject, 'status'>): string | undefined {
  const id = status?.['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export function withEffects(
  ports: LifecyclePorts,
  { ambiguity, watches, announced, externalId: storedIn = externalIdOf, recording }: EffectOptions,
): typeof externalResourceMachine {
  type Called = Exclude<keyof ResourceOperations, 'watch' | 'identify' | 'fill'>;
  type Answer<Name extends Called> = Awaited<ReturnType<NonNullable<ResourceOperations[Name]>>>;
  const checked = async <Name extends Called>(key: string, operation: Name, answer: unknown): Promise<Answer<Name>> => {
    const fault = faultIn(operation, await answer);
    if (fault !== undefined) throw transient(`the adapter of '${key}' answered '${operation}' with nonsense: ${fault}`);
    return answer as Answer<Name>;
  };
  const call = <Name extends Called>(key: string, operation: Name, extra?: object): Promise<Answer<Name>> =>
    checked(key, operation, ports.call(key, operation, extra));

  const find = async ({ key }: EffectInput): Promise<FindOutput> => {
    const at = ports.now(); // a step has no later time
    const intents = ports.intents(key);
    return { ...(await call(key, 'find', intents.length > 0 ? { intents } : {})), at, ambiguity };
  };

  const resolveOwnership = async ({
    key,
    externalId,
    isIdFromOtherWriter,
    isMade,
    completedLookup,
    isLeaving,
  }: OwnershipInput): Promise<OwnershipOutput> => {
    const at = ports.now();
    return {
      conflictingOwner: await ports.conflictingOwner(key, idOf({ key, externalId }), {
        isIdFromOtherWriter,
        isMade,
        completedLookup,
        isLeaving,
      }),
      at,
    };
  };

  const record = async ({ key, externalId, observation }: EffectInput): Promise<RecordOutput> => {
    const stored = storedIn(ports.object(key));
    // Recorded by another writer, and read before this: an id is never overwritten by another (I4).
    if (externalId !== undefined && stored !== undefined && stored !== externalId)
      // mutant: stored-id-overwritten -> await ports.recordId(key, null);
      return { kind: 'lost', externalId: stored };
    // The answer to the write was lost, not the write.
    if (stored === externalId) return { kind: 'stored' };
    try {
      const part = recording?.(ports.object(key), externalId);
      if (part === undefined) await ports.recordId(key, externalId ?? null, observation?.applied);
      else await ports.applyStatus(key, part.manager, part.status);
      return { kind: 'stored' };
    } catch (error) {
      // Another writer changed the object meanwhile; it has been read again.
      if ((error as ErrorData).code !== 'conflict') throw error;
      const now = storedIn(ports.object(key));
      if (now === undefined) throw error;
      return now === externalId ? { kind: 'stored' } : { kind: 'lost', externalId: now };
    }
  };

  /** Ends when it is aborted, or with the failure of a poll. */
  const lookAgain = async (
    input: WatchInput,
    pollAfterMs: number,
    signal: AbortSignal,
    report: (news: WatchUpdate) => void,
  ) => {
    const take = onlyChanges(input.observation, report);
    for (let looks = 1; ; looks += 1) {
      await ports.pause(ports.alignToInterval(pollBackoff(pollAfterMs, looks)), signal);
      if (signal.aborted) return;
      take(await call(input.key, 'observe', { id: idOf(input) }));
    }
  };

  const watch = async (input: WatchInput, signal: AbortSignal): Promise<never> => {
    const { key, observation, pollAfterMs, parent } = input;
    const beganAt = ports.now();
    const report = (news: WatchUpdate): void => {
      // A late report was read before later requests.
      // mutant: late-watch-counts drop
      if (signal.aborted) return;
      const seen = 'gone' in news ? undefined : news.observation;
      parent.send({ type: 'observed', observation: seen } satisfies Observed);
    };
    try {
      if (pollAfterMs === undefined) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else if (watches) {
        const extra = { id: idOf(input), observation, pollAfterMs };
        await ports.callLong(key, 'watch', {
          extra,
          signal,
          onProgress: (news) => report(news as unknown as WatchUpdate),
        });
      } else await lookAgain(input, pollAfterMs, signal, report);
      // mutant: ended-watch-waited-for -> await new Promise(() => undefined);
      throw transient('the watch of the resource has ended');
    } catch (error) {
      throw { ...(error as ErrorData), heldMs: ports.now() - beganAt } satisfies WatchFailure;
    }
  };

  const update = async ({ key, observation, report }: UpdateInput): Promise<UpdateOutcome> => {
    if (report === true && observation !== undefined) return call(key, 'update', { observation, report });
    const updateResource = (): Promise<UpdateOutcome> => {
      if (observation === undefined) throw transient('nothing was observed yet');
      return call(key, 'update', { observation });
    };
    // Every step runs, even when another one failed.
    const [children, updating] = await Promise.allSettled([ports.ensureChildren(key), updateResource()]);
    if (updating.status === 'rejected') throw updating.reason;
    // Before anything else that may fail: what was applied is applied again otherwise.
    const { waiting = [], applied, ...outcome } = updating.value;
    if (applied !== undefined && observation !== undefined) await ports.recordId(key, observation.id, applied);
    if (children.status === 'rejected') throw children.reason;
    return { ...outcome, waiting: [...children.value, ...waiting] };
  };

  const announce = async ({ key, step }: AnnounceInput): Promise<void> => {
    const said = announced?.(ports.object(key), step, ports.now());
    if (said === undefined) throw transient('the kind says nothing of what it brings');
    // It stands there already.
    if (JSON.stringify(said.status) === JSON.stringify(said.stored)) return;
    await ports.applyStatus(key, said.manager, said.status);
  };

  const fill = ({ parent, ...input }: FillInput, signal: AbortSignal): Promise<unknown> =>
    ports.callLong(input.key, 'fill', {
      extra: { id: idOf(input) },
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) parent.send({ type: 'content.progressed', progress } satisfies ContentProgressed);
      },
    });

  return equipped(externalResourceMachine, {
    actors: {
      addOwnFinalizer: effect(({ key }) => ports.addOwnFinalizer(key)),
      removeOwnFinalizer: effect(({ key }) => ports.removeOwnFinalizer(key)),
      endClaims: effect(({ key }) => ports.endClaims(key)),
      record: effect(record),
      find: effect(find),
      resolveOwnership: fromPromise<OwnershipOutput, OwnershipInput>(({ input }) => resolveOwnership(input)),
      import: effect(({ key }) => call(key, 'import')),
      create: fromPromise<Observation, CreateInput>(({ input: { key, completedLookup } }) =>
        checked(key, 'create', ports.callOnce(key, 'create', {}, completedLookup)),
      ),
      observe: effect((input) => call(input.key, 'observe', { id: idOf(input) })),
      watch: fromPromise<never, WatchInput>(({ input, signal }) => watch(input, signal)),
      update: fromPromise<UpdateOutcome, UpdateInput>(async ({ input }) => update(input)),
      announce: fromPromise<void, AnnounceInput>(({ input }) => announce(input)),
      delegate: effect((input) => call(input.key, 'delegate', { id: idOf(input) })),
      fill: fromPromise<unknown, FillInput>(({ input, signal }) => fill(input, signal)),
      remove: effect((input) => call(input.key, 'remove', { id: idOf(input) })),
      removeChildren: effect(({ key }) => ports.removeChildren(key)),
    },
    actions: {
      claim: ({ context: { key, withdrawnUids } }) => ports.claim(key, withdrawnUids),
      follow: ({ context: { key, withdrawnUids, conflictingOwner } }) => {
        if (conflictingOwner !== undefined) ports.watchOwner(key, withdrawnUids, conflictingOwner);
      },
      disown: ({ context: { key } }) => ports.discardIntents(key),
    },
    delays: {
      repassPause: ({ context }) => ports.alignToInterval(repassPauseMs(context)),
      backoff: ({ context }) => ports.jitter(backoffMs(context)),
      relook: ({ context }) => ports.jitter(relookMs(context)),
      resync: ({ context }) => resyncMs(context, ports.random()),
    },
  });
}

function effect<Output>(
  run: (input: EffectInput) => Promise<Output>,
): ReturnType<typeof fromPromise<Output, EffectInput>> {
  return fromPromise<Output, EffectInput>(async ({ input }) => run(input));
}

function idOf({ externalId }: EffectInput): string {
  if (externalId === undefined) throw transient('the external id is not known yet');
  return externalId;
}

function transient(message: string): ErrorData {
  return { code: 'transient', message };
}
