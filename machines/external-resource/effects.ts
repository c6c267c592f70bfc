// The effects of the chart, over what the runtime does for it. Each rejects with plain error data, as the chart expects.

import type { LifecyclePorts, PortsOf, StatusPart } from '../lifecycle.ts';
import type { ErrorData, KubeObject } from '../object.ts';
import { type EffectRun, effectsOver, equipped } from '../statechart.ts';
import { faultIn } from './answers.ts';
import {
  type AnnounceInput,
  backoffMs,
  type ChildrenInput,
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
import type { ResourceOperations, UpdateOutcome, WatchUpdate } from './operations.ts';
import { onlyChanges, pollBackoff, relookMs, resyncMs } from './polling.ts';

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
  portsOf: PortsOf,
  { ambiguity, watches, announced, externalId: storedIn = externalIdOf, recording }: EffectOptions,
): typeof externalResourceMachine {
  type Called = Exclude<keyof ResourceOperations, 'watch' | 'identify' | 'fill'>;
  type Answer<Name extends Called> = Awaited<ReturnType<NonNullable<ResourceOperations[Name]>>>;
  const checked = async <Name extends Called>(operation: Name, answer: Promise<unknown>): Promise<Answer<Name>> => {
    const given = await answer;
    const fault = faultIn(operation, given);
    if (fault !== undefined) throw transient(`the adapter answered '${operation}' with nonsense: ${fault}`);
    return given as Answer<Name>;
  };
  const call = <Name extends Called>(ports: LifecyclePorts, operation: Name, extra?: object): Promise<Answer<Name>> =>
    checked(operation, ports.call(operation, extra));
  const effect = effectsOver(portsOf);

  const find = async ({ ports }: EffectRun<EffectInput>): Promise<FindOutput> => {
    const at = ports.now(); // a step has no later time
    const intents = ports.intents();
    return { ...(await call(ports, 'find', intents.length > 0 ? { intents } : {})), at, ambiguity };
  };

  const resolveOwnership = async ({ ports, input }: EffectRun<OwnershipInput>): Promise<OwnershipOutput> => {
    const { isIdFromOtherWriter, isMade, completedLookup, isLeaving } = input;
    const at = ports.now();
    return {
      conflictingOwner: await ports.conflictingOwner(idOf(input), {
        isIdFromOtherWriter,
        isMade,
        completedLookup,
        isLeaving,
      }),
      at,
    };
  };

  const record = async ({
    ports,
    input: { externalId, observation },
  }: EffectRun<EffectInput>): Promise<RecordOutput> => {
    const stored = storedIn(ports.object());
    // Recorded by another writer, and read before this: an id is never overwritten by another (I4).
    if (externalId !== undefined && stored !== undefined && stored !== externalId)
      // mutant: stored-id-overwritten -> await ports.recordId(null);
      return { kind: 'lost', externalId: stored };
    // The answer to the write was lost, not the write.
    if (stored === externalId) return { kind: 'stored' };
    try {
      const part = recording?.(ports.object(), externalId);
      if (part === undefined) await ports.recordId(externalId ?? null, observation?.applied);
      else await ports.applyStatus(part.manager, part.status);
      return { kind: 'stored' };
    } catch (error) {
      // Another writer changed the object meanwhile; it has been read again.
      if ((error as ErrorData).code !== 'conflict') throw error;
      const now = storedIn(ports.object());
      if (now === undefined) throw error;
      return now === externalId ? { kind: 'stored' } : { kind: 'lost', externalId: now };
    }
  };

  /** Ends when it is aborted, or with the failure of a poll. */
  const lookAgain = async (
    { ports, input }: Pick<EffectRun<WatchInput>, 'ports' | 'input'>,
    pollAfterMs: number,
    signal: AbortSignal,
    report: (news: WatchUpdate) => void,
  ) => {
    const take = onlyChanges(input.observation, report);
    for (let looks = 1; ; looks += 1) {
      await ports.pause(ports.alignToInterval(pollBackoff(pollAfterMs, looks)), signal);
      if (signal.aborted) return;
      take(await call(ports, 'observe', { id: idOf(input) }));
    }
  };

  const watch = async ({ ports, input, signal }: EffectRun<WatchInput>): Promise<never> => {
    const { observation, pollAfterMs, parent } = input;
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
        await ports.callLong('watch', {
          extra,
          signal,
          onProgress: (news) => report(news as unknown as WatchUpdate),
        });
      } else await lookAgain({ ports, input }, pollAfterMs, signal, report);
      // mutant: ended-watch-waited-for -> await new Promise(() => undefined);
      throw transient('the watch of the resource has ended');
    } catch (error) {
      throw { ...(error as ErrorData), heldMs: ports.now() - beganAt } satisfies WatchFailure;
    }
  };

  const update = async ({ ports, input: { observation, report } }: EffectRun<UpdateInput>): Promise<UpdateOutcome> => {
    if (report === true && observation !== undefined) return call(ports, 'update', { observation, report });
    const updateResource = (): Promise<UpdateOutcome> => {
      if (observation === undefined) throw transient('nothing was observed yet');
      return call(ports, 'update', { observation });
    };
    // Every step runs, even when another one failed.
    const [children, updating] = await Promise.allSettled([ports.ensureChildren(), updateResource()]);
    if (updating.status === 'rejected') throw updating.reason;
    // Before anything else that may fail: what was applied is applied again otherwise.
    const { waiting = [], applied, ...outcome } = updating.value;
    if (applied !== undefined && observation !== undefined) await ports.recordId(observation.id, applied);
    if (children.status === 'rejected') throw children.reason;
    return { ...outcome, waiting: [...children.value, ...waiting] };
  };

  const announce = async ({ ports, input: { step } }: EffectRun<AnnounceInput>): Promise<void> => {
    const said = announced?.(ports.object(), step, ports.now());
    if (said === undefined) throw transient('the kind says nothing of what it brings');
    // It stands there already.
    if (JSON.stringify(said.status) === JSON.stringify(said.stored)) return;
    await ports.applyStatus(said.manager, said.status);
  };

  const fill = ({ ports, input, signal }: EffectRun<FillInput>): Promise<unknown> =>
    ports.callLong('fill', {
      extra: { id: idOf(input) },
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) input.parent.send({ type: 'content.progressed', progress } satisfies ContentProgressed);
      },
    });

  return equipped(externalResourceMachine, {
    actors: {
      addOwnFinalizer: effect(({ ports }) => ports.addOwnFinalizer()),
      removeOwnFinalizer: effect(({ ports }) => ports.removeOwnFinalizer()),
      endClaims: effect(({ ports }) => ports.endClaims()),
      record: effect(record),
      find: effect(find),
      resolveOwnership: effect(resolveOwnership),
      import: effect(({ ports }) => call(ports, 'import')),
      create: effect(({ ports, input }: EffectRun<CreateInput>) =>
        checked('create', ports.callOnce('create', {}, input.completedLookup)),
      ),
      observe: effect(({ ports, input }: EffectRun<EffectInput>) => call(ports, 'observe', { id: idOf(input) })),
      watch: effect(watch),
      update: effect(update),
      announce: effect(announce),
      delegate: effect(({ ports, input }: EffectRun<EffectInput>) => call(ports, 'delegate', { id: idOf(input) })),
      fill: effect(fill),
      remove: effect(({ ports, input }: EffectRun<EffectInput>) => call(ports, 'remove', { id: idOf(input) })),
      removeChildren: effect(({ ports, input }: EffectRun<ChildrenInput>) =>
        ports.removeChildren([], { isDetached: input.isDetached }),
      ),
    },
    actions: {
      claim: ({ context: { key, withdrawnUids } }) => portsOf(key).claim(withdrawnUids),
      watchOwner: ({ context: { key, withdrawnUids, conflictingOwner } }) => {
        if (conflictingOwner !== undefined) portsOf(key).watchOwner(withdrawnUids, conflictingOwner);
      },
      discardIntents: ({ context: { key } }) => portsOf(key).discardIntents(),
    },
    delays: {
      repassPause: ({ context }) => portsOf(context.key).alignToInterval(repassPauseMs(context)),
      backoff: ({ context }) => portsOf(context.key).jitter(backoffMs(context)),
      relook: ({ context }) => portsOf(context.key).jitter(relookMs(context)),
      resync: ({ context }) => resyncMs(context, portsOf(context.key).random()),
    },
  });
}

function idOf({ externalId }: EffectInput): string {
  if (externalId === undefined) throw transient('the external id is not known yet');
  return externalId;
}

function transient(message: string): ErrorData {
  return { code: 'transient', message };
}
