// Lifecycle of an object that is reconciled in attempts, for kinds: the state machine, and the type of an attempt. The
// attempts write the whole status, independent of its earlier writers.
import type { SnapshotFrom } from 'xstate';
import { retryOf } from '../annotations.ts';
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
import { type EffectRun, effectsOver, equipped } from '../statechart.ts';
import {
  backoffMs,
  type ReconcileAttemptInput,
  type ReconcileLoopContext,
  type ReconcileLoopView,
  type Verdict,
} from './context.ts';
import { reconcileLoopMachine } from './machine.ts';

/** Input of an attempt. */
export interface ReconcileAttempt {
  readonly ports: LifecyclePorts;
  /** As it was known when the pass began. */
  readonly object: KubeObject;
  readonly dependencies: readonly Dependency[];
  /** Notes of the last attempt; empty for the first one of a lifecycle. */
  readonly notes: JsonObject;
  /** The own finalizer is stored: a pass that finds it missing says `guard` before it does what may leave something behind. */
  readonly owned: boolean;
  /**
   * Holders in the view: one known to hold it no longer is left out, though its finalizer may still be on the object.
   */
  readonly heldBy: readonly string[];
  /** Signal that is aborted when the lifecycle ends here: the lease is lost, or the process closes. */
  readonly signal: AbortSignal;
}

export interface ReconcileLoopOptions
  extends Pick<Lifecycle, 'wakesOn' | 'externalId' | 'intent' | 'isReflected' | 'hintFor'> {
  /**
   * Message in the status of an object that is not settled, for people; undefined or empty if there is none. With it
   * the object is summarized by its view (`Lifecycle.summarize`).
   */
  problemMessage?(object: KubeObject): string | undefined;
  view(object: KubeObject): ReconcileLoopView;
  /**
   * Checks the state, does the next step, and writes the status. Attempts are repeated: one without differences does
   * nothing. It rejects with `ErrorData`; a write on an object that was changed meanwhile is a `conflict`, and another
   * attempt is made.
   */
  reconcile(pass: ReconcileAttempt): Promise<Verdict>;
  /**
   * Whether an earlier lifecycle may have sent a request that must not be repeated, without a record; never by default.
   */
  mayHaveUnrecordedCreate?(object: KubeObject): boolean;
  /** Reason of the Event about failed attempts. */
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
    view: (object) => retriable(view(object), object),
    // Passes write what there is to say.
    statusKey: () => undefined,
    status: () => [],
    failureStatus: () => [],
    mayHaveUnrecordedCreate,
    // A passivated lifecycle would miss a check that is due at a time.
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

/** A settled object is checked again when the user asks for it. */
function retriable(seen: ReconcileLoopView, object: KubeObject): ReconcileLoopView {
  const retry = retryOf(object);
  return retry === undefined ? seen : { ...seen, basis: JSON.stringify([seen.basis, retry]), retry };
}

function glanceOf(
  { owned, settled }: ReconcileLoopView,
  problemMessage: () => string | undefined,
): StatusSummary | undefined {
  // A kind with problem messages stores its finalizer before the first check.
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
