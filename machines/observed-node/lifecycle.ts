// The life of an object that shows something of a node, as a kind has it: what is read, and what the status makes of it.
import type { AnyMachineSnapshot, SnapshotFrom } from 'xstate';
import type { Lifecycle, LifecyclePorts, PortsOf, Step, UserEvent } from '../lifecycle.ts';
import { Tag } from '../lifecycle.ts';
import type { JsonObject, KubeObject } from '../object.ts';
import { type EffectRun, effectsOver, equipped } from '../statechart.ts';
import {
  type EffectInput,
  type FailurePauses,
  type FurnishOutput,
  failurePauseMs,
  type ObservedView,
  type ReadingInput,
  type ReadOutput,
  type StoreOutput,
  WATCH_PAUSE_MS,
  type WatchInput,
  type WatchOutput,
} from './context.ts';
import { observedNodeMachine } from './machine.ts';

/** Status after a reading. */
export interface Judgement {
  readonly status: JsonObject;
  /** It says something else than what is stored. */
  readonly isChanged: boolean;
  /** Told when it is stored. */
  readonly news: readonly UserEvent[];
  /** Polling interval of the node from then on, in milliseconds. */
  readonly pollAfterMs: number;
  /** After so long it is read again in any case, in milliseconds. */
  readonly rereadAfterMs: number;
}

export interface ObservedNodeOptions<Reading> {
  /** Field manager of the status. */
  readonly manager: string;
  /** Changes with what the status says, and is short: it is kept of every object. */
  fingerprint(status: JsonObject | undefined): string;
  /** @param now  milliseconds since the epoch */
  judge(object: KubeObject, reading: Reading, now: number): Judgement;
  /** Whether the status says how the node is, of the object as it is now. */
  isJudged(object: KubeObject): boolean;
  /** Makes what goes with a reading; nothing unless stated. @returns messages of what is not there yet */
  furnish?(ports: LifecyclePorts, reading: Reading): Promise<readonly string[]>;
  /** Before it is tried again. */
  readonly failurePauses: FailurePauses;
  /** Event about a node that cannot be read, in spite of retries. */
  readonly unreadable: Pick<UserEvent, 'type' | 'reason'>;
}

type Snapshot = SnapshotFrom<typeof observedNodeMachine>;

/** Number of consecutive failed attempts before a report. */
const TOLD_AFTER = 3;

/** The kind offers the operations `read` and `watch`. */
export function observedNodeLife<Reading>(options: ObservedNodeOptions<Reading>): Lifecycle {
  return {
    machine: observedNodeMachine,
    provide: (portsOf) => provide(portsOf, options),
    view: ({ metadata, status }): ObservedView => ({
      generation: metadata.generation ?? 0,
      deleting: metadata.deletionTimestamp !== undefined,
      says: options.fingerprint(status),
    }),
    // The status is stored as a whole by an effect: others wrote it before, and write some of it still.
    statusKey: () => undefined,
    status: () => [],
    failureStatus: () => [],
    mayHaveUnrecordedCreate: () => false,
    // While it watches a node, only its watch reports changes.
    canPassivate: (snapshot) => !snapshot.hasTag(Tag.Available),
    wakesOn: (before, now) => JSON.stringify(before) !== JSON.stringify(now),
    summarize: (object) => (options.isJudged(object) ? { tags: [Tag.Settled, Tag.Available], message: '' } : undefined),
    stepDetails: (snapshot) => ({ error: snapshot.hasTag(Tag.Failing) ? contextOf(snapshot).error : undefined }),
    userEvents: () => (step) => unreadable(step, options.unreadable),
  };
}

function contextOf(snapshot: AnyMachineSnapshot): Snapshot['context'] {
  return (snapshot as Snapshot).context;
}

/** Told once; a system that is away for all is not told of at each object. */
function unreadable({ to }: Step, said: Pick<UserEvent, 'type' | 'reason'>): UserEvent | undefined {
  const { failures, error } = contextOf(to);
  if (!to.hasTag(Tag.Failing) || failures !== TOLD_AFTER || error === undefined || error.fault !== undefined) {
    return undefined;
  }
  return { ...said, message: error.message };
}

function provide<Reading>(portsOf: PortsOf, options: ObservedNodeOptions<Reading>): typeof observedNodeMachine {
  const { manager, judge, furnish = async () => [], failurePauses } = options;

  const effect = effectsOver(portsOf);

  const read = async ({ ports }: EffectRun<EffectInput>): Promise<ReadOutput> => {
    const at = ports.now(); // a step has no later time
    return { reading: (await ports.call('read')) as JsonObject, at };
  };

  const store = async ({ ports, input: { reading } }: EffectRun<ReadingInput>): Promise<StoreOutput> => {
    const { status, isChanged, news, pollAfterMs, rereadAfterMs } = judge(
      ports.object(),
      reading as unknown as Reading,
      ports.now(),
    );
    if (isChanged) {
      await ports.storeStatus(manager, status);
      ports.recordEvents(news);
    }
    return { pollAfterMs, rereadAfterMs };
  };

  return equipped(observedNodeMachine, {
    actors: {
      read: effect(read),
      furnish: effect(
        async ({ ports, input: { reading } }: EffectRun<ReadingInput>): Promise<FurnishOutput> => ({
          waiting: await furnish(ports, reading as unknown as Reading),
        }),
      ),
      store: effect(store),
      watch: effect(({ ports, input: { key: _, ...extra }, signal }: EffectRun<WatchInput>) => {
        const watching = ports.callLong('watch', { extra, signal, onProgress: () => undefined });
        return watching as Promise<WatchOutput>;
      }),
    },
    actions: { claim: ({ context: { key } }) => portsOf(key).claim([]) },
    delays: {
      rereadPause: ({ context }) => portsOf(context.key).jitter(context.rereadAfterMs),
      watchPause: ({ context }) => portsOf(context.key).jitter(WATCH_PAUSE_MS),
      failurePause: ({ context }) => portsOf(context.key).jitter(failurePauseMs(context, failurePauses)),
    },
  });
}
