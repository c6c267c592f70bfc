// The life of an object that is looked after pass by pass, as a kind has it: the chart, and what a pass is. The status is the
// passes' to write: whole, whoever wrote it before.
import type { SnapshotFrom } from 'xstate';
import { type EffectRun, effectsOver, equipped } from '../effect.ts';
import {
  type Dependency,
  type Lifecycle,
  type LifecyclePorts,
  type PortsOf,
  type StatusSummary,
  type Step,
  Tag,
} from '../lifecycle.ts';
import type { JsonObject, KubeObject } from '../object.ts';
import {
  backoffMs,
  type ReconcileAttemptInput,
  type ReconcileLoopContext,
  type ReconcileLoopView,
  type Verdict,
} from './context.ts';
import { reconcileLoopMachine } from './machine.ts';

/** What a pass works with. */
export interface ReconcileAttempt {
  readonly ports: LifecyclePorts;
  /** As it was known when the pass began. */
  readonly object: KubeObject;
  readonly dependencies: readonly Dependency[];
  /** Of the pass before; empty for the first one of a life. */
  readonly notes: JsonObject;
  /** The own finalizer is stored: a pass that finds it missing says `guard` before it does what may leave something behind. */
  readonly owned: boolean;
  /** As the view has it: who is known to hold it no more is left out, though his finalizer may be on the object still. */
  readonly heldBy: readonly string[];
  /** Aborted when the life ends here: the lease is lost, or the process closes. */
  readonly signal: AbortSignal;
}

export interface ReconcileLoopOptions
  extends Pick<Lifecycle, 'wakesOn' | 'externalId' | 'intent' | 'isReflected' | 'hintFor'> {
  /**
   * What the status of an object that is not settled says, for people; undefined or empty: nothing. With it the object looks by its
   * view (`Lifecycle.glance`).
   */
  problemMessage?(object: KubeObject): string | undefined;
  view(object: KubeObject): ReconcileLoopView;
  /**
   * Looks at what is there, does the next thing, and has the status say so. Passes are repeated: one that finds everything as it
   * is to be does nothing. It rejects with `ErrorData`; what it writes on an object that was changed meanwhile is a `conflict`, and
   * another pass is made.
   */
  reconcile(pass: ReconcileAttempt): Promise<Verdict>;
  /** Whether an earlier life may have asked for what must not be repeated, and not recorded it; never unless stated. */
  mayHaveUnrecordedCreate?(object: KubeObject): boolean;
  /** Reason of the Event that tells of passes that fail. */
  readonly failure: string;
}

/** A failure that may pass is news when it comes so often in a row. */
const TOLD_ATTEMPTS = 2;

export function reconcileLoop({
  view,
  reconcile,
  mayHaveUnrecordedCreate = () => false,
  problemMessage,
  failure,
  ...more
}: ReconcileLoopOptions): Lifecycle {
  return {
    ...more,
    machine: reconcileLoopMachine,
    provide: (portsOf) => provide(portsOf, reconcile),
    view,
    // Passes write what there is to say.
    statusKey: () => undefined,
    status: () => [],
    failureStatus: () => [],
    mayHaveUnrecordedCreate,
    // A look that is due at a time would be forgotten by who rests.
    canPassivate: (snapshot) => (snapshot as Snapshot).context.lookMs === undefined,
    stepDetails: (snapshot) => ({ error: (snapshot as Snapshot).context.error }),
    ...(problemMessage !== undefined && {
      summarize: (object: KubeObject) => glanceOf(view(object), () => problemMessage(object)),
    }),
    userEvents: () => (step) => {
      const { error, attempts } = (step.to as Snapshot).context;
      if (error === undefined || !hasFailed(step)) return undefined;
      const isNews = step.to.hasTag(Tag.Terminal) || attempts === TOLD_ATTEMPTS;
      return isNews ? { type: 'Warning', reason: failure, message: error.message } : undefined;
    },
  };
}

function glanceOf(
  { owned, settled }: ReconcileLoopView,
  problemMessage: () => string | undefined,
): StatusSummary | undefined {
  // A kind with a complaint is guarded before its first look.
  if (!owned) return undefined;
  return settled ? { tags: [Tag.Settled], message: '' } : { tags: [Tag.Waiting], message: problemMessage() ?? '' };
}

type Snapshot = SnapshotFrom<typeof reconcileLoopMachine>;

function hasFailed({ cause, to }: Step): boolean {
  return cause.type.startsWith('xstate.error.') && to.hasTag(Tag.Failing);
}

function provide(portsOf: PortsOf, reconcile: ReconcileLoopOptions['reconcile']): typeof reconcileLoopMachine {
  const effect = effectsOver(portsOf);
  return equipped(reconcileLoopMachine, {
    actors: {
      addOwnFinalizer: effect(({ ports }) => ports.addOwnFinalizer()),
      reconcile: effect(({ ports, input: { key: _, ...given }, signal }: EffectRun<ReconcileAttemptInput>) =>
        reconcile({ ports, object: ports.object(), signal, ...given }),
      ),
      endClaims: effect(({ ports }) => ports.endClaims()),
      removeOwnFinalizer: effect(({ ports }) => ports.removeOwnFinalizer()),
    },
    actions: { claim: ({ context: { key, withdrawnUids } }) => portsOf(key).claim(withdrawnUids) },
    delays: {
      backoff: ({ context }: { context: ReconcileLoopContext }) => portsOf(context.key).jitter(backoffMs(context)),
    },
  });
}
