// The life of an object that is looked after pass by pass, as a kind has it: the chart, and what a pass is. The status is the
// passes' to write: whole, whoever wrote it before.
import { fromPromise, type SnapshotFrom } from 'xstate';
import { equipped } from '../equipped.ts';
import { type Dependency, type Glance, type Life, type LifePorts, type Step, Tag } from '../life.ts';
import type { JsonObject, KubeObject } from '../object.ts';
import {
  backoffMs,
  type EffectInput,
  type PassInput,
  type UpkeepContext,
  type UpkeepView,
  type Verdict,
} from './context.ts';
import { upkeepMachine } from './machine.ts';

/** What a pass works with. */
export interface Pass {
  readonly ports: LifePorts;
  readonly key: string;
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

export interface UpkeepOptions extends Pick<Life, 'isNews' | 'externalId' | 'intent' | 'shows' | 'advise'> {
  /**
   * What the status of an object that is not settled says, for people; undefined or empty: nothing. With it the object looks by its
   * view (`Life.glance`).
   */
  complaint?(object: KubeObject): string | undefined;
  view(object: KubeObject): UpkeepView;
  /**
   * Looks at what is there, does the next thing, and has the status say so. Passes are repeated: one that finds everything as it
   * is to be does nothing. It rejects with `ErrorData`; what it writes on an object that was changed meanwhile is a `conflict`, and
   * another pass is made.
   */
  tend(pass: Pass): Promise<Verdict>;
  /** Whether an earlier life may have asked for what must not be repeated, and not recorded it; never unless stated. */
  mayHaveBegun?(object: KubeObject): boolean;
  /** Reason of the Event that tells of passes that fail. */
  readonly failure: string;
}

/** A failure that may pass is news when it comes so often in a row. */
const TOLD_ATTEMPTS = 2;

export function upkeepLife({
  view,
  tend,
  mayHaveBegun = () => false,
  complaint,
  failure,
  ...more
}: UpkeepOptions): Life {
  return {
    ...more,
    machine: upkeepMachine,
    provide: (ports) => provide(ports, tend),
    view,
    // Passes write what there is to say.
    saying: () => undefined,
    status: () => [],
    trouble: () => [],
    mayHaveBegun,
    // A look that is due at a time would be forgotten by who rests.
    isSpent: (snapshot) => (snapshot as Snapshot).context.lookMs === undefined,
    told: (snapshot) => ({ error: (snapshot as Snapshot).context.error }),
    ...(complaint !== undefined && { glance: (object: KubeObject) => glanceOf(view(object), () => complaint(object)) }),
    news: () => (step) => {
      const { error, attempts } = (step.to as Snapshot).context;
      if (error === undefined || !hasFailed(step)) return undefined;
      const isNews = step.to.hasTag(Tag.Refused) || attempts === TOLD_ATTEMPTS;
      return isNews ? { type: 'Warning', reason: failure, message: error.message } : undefined;
    },
  };
}

function glanceOf({ owned, settled }: UpkeepView, complaint: () => string | undefined): Glance | undefined {
  // A kind with a complaint is guarded before its first look.
  if (!owned) return undefined;
  return settled ? { tags: [Tag.Settled], message: '' } : { tags: [Tag.Waiting], message: complaint() ?? '' };
}

type Snapshot = SnapshotFrom<typeof upkeepMachine>;

function hasFailed({ cause, to }: Step): boolean {
  return cause.type.startsWith('xstate.error.') && to.hasTag(Tag.Failing);
}

function provide(ports: LifePorts, tend: UpkeepOptions['tend']): typeof upkeepMachine {
  const effect = (run: (key: string) => Promise<void>) =>
    fromPromise<void, EffectInput>(({ input: { key } }) => run(key));
  return equipped(upkeepMachine, {
    actors: {
      guardSelf: effect((key) => ports.guardSelf(key)),
      tend: fromPromise<Verdict, PassInput>(({ input: { key, ...given }, signal }) =>
        tend({ ports, key, object: ports.object(key), signal, ...given }),
      ),
      unclaim: effect((key) => ports.unclaim(key)),
      releaseSelf: effect((key) => ports.releaseSelf(key)),
    },
    actions: { claim: ({ context: { key, yielded } }) => ports.claim(key, yielded) },
    delays: { backoff: ({ context }: { context: UpkeepContext }) => ports.jitter(backoffMs(context)) },
  });
}
