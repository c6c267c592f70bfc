// The life of an external resource, as a kind has it: the chart, and what a kind says in its status of where it stands.
import type { AnyMachineSnapshot, SnapshotFrom } from 'xstate';
import { retryOf } from '../annotations.ts';
import {
  type HoldersByFinalizer,
  type Lifecycle,
  Readiness,
  type ResourceOwner,
  type StatusPart,
  type Step,
  Tag,
} from '../lifecycle.ts';
import type { ErrorData, KubeObject } from '../object.ts';
import { faultInView } from './answers.ts';
import {
  type ContentTransfer,
  credentials,
  isChildStill,
  isThere,
  nextNeeded,
  type ResourceContext,
  ResourceTag,
  type ResourceView,
} from './context.ts';
import { type Announced, externalIdOf, withEffects } from './effects.ts';
import { externalResourceMachine } from './machine.ts';
import type { Observation } from './operations.ts';
import { isPostponed } from './outcomes.ts';
import { doneGenerationOf, type TransitionView, UserEventDetector } from './user-events.ts';

/** State of an object's lifecycle, for its status. */
export interface ResourceState {
  /** Generation of the object that this concerns; it may have been edited since. */
  readonly generation: number;
  /** Tags of the current state. */
  readonly tags: ReadonlySet<string>;
  /** External id: as recorded, or as just learned. */
  readonly externalId: string | undefined;
  /** Last successful observation of this lifecycle. */
  readonly observation: Pick<Observation, 'resource' | 'available'> | undefined;
  /** References that are needed now and are not ready, in the order of the contract. */
  readonly awaited: readonly { readonly kind: string; readonly name: string; readonly exists: boolean }[];
  /** Finalizers of others that hold a deleted object. */
  readonly heldBy: readonly string[];
  /** Holders under the finalizers, if known. */
  readonly holders?: HoldersByFinalizer | undefined;
  /** State of the content transfer; undefined if the resource is not known to be empty. */
  readonly filling?: ContentTransfer | undefined;
  /** Messages of an update step that waits. */
  readonly waiting: readonly string[];
  /** Whether drift is reported and not repaired. */
  readonly reporting: boolean;
  /** Fields that are not as specified and were left so; undefined: it was not looked for them, or the spec was not brought there. */
  readonly left: readonly string[] | undefined;
  /** Notes about a resource that stays as it is. */
  readonly statusNotes: readonly string[];
  /** Children that are being deleted before the resource, and are still there. */
  readonly leaving: readonly { readonly kind: string; readonly name: string }[];
  /** The error that the object is backing off from, or failed with. */
  readonly error: ErrorData | undefined;
  /** Another object that has what this one would have. */
  readonly conflictingOwner: ResourceOwner | undefined;
  /** Whether the external resource of `status.id` was found deleted, and is being created again. */
  readonly vanished: boolean;
}

/** Options of `externalResourceLife`: how a kind reads an object and renders its status. */
export interface ExternalResourceOptions
  extends Pick<
    Lifecycle,
    | 'hintFor'
    | 'unappliedFields'
    | 'shares'
    | 'isReflected'
    | 'isBuiltOnReplaced'
    | 'isContradicted'
    | 'intent'
    | 'summarize'
  > {
  /** @param now  milliseconds since the epoch */
  view(object: KubeObject, now: number): ResourceView;
  /** Status part of the kind's field manager. `object` is the stored one. */
  status(standing: ResourceState, object: KubeObject, now: number): StatusPart;
  /** External id that the object owns exclusively. Without it objects may share a resource. */
  recorded?(object: KubeObject): string | undefined;
  /** Whether a create may have been sent for the object whose id is not recorded. Cheap: asked of all objects at once. */
  mayHaveUnrecordedCreate(object: KubeObject): boolean;
  /** The external id that the status of the object names, where that is not `status.id`. */
  externalId?(object: KubeObject): string | undefined;
  /** Status part once this is the id, or there is none, if that is not `status.id`. */
  recording?(object: KubeObject, id: string | undefined): Omit<StatusPart, 'stored'>;
  /**
   * For a kind whose resources are created empty, and filled by the operations `delegate` and `fill`: status of the
   * transfer, stored at each step, before the next one.
   */
  readonly announced?: Announced;
  /** Status parts of the kind's other field managers, written first. */
  readonly beside?: (standing: ResourceState, object: KubeObject, now: number) => readonly StatusPart[];
  /** Message about an object that several resources match. */
  readonly ambiguity: string;
  /** Its adapter offers `watch`; otherwise what is waited for is looked at by `observe`, object by object. */
  readonly watches?: boolean;
}

type Snapshot = SnapshotFrom<typeof externalResourceMachine>;

/**
 * Lifecycle of an object that represents one external resource with an id.
 *
 * @example const life = externalResourceLife({ view, status, mayHaveUnrecordedCreate, ambiguity: 'several lamps match' });
 */
export function externalResourceLife({
  view,
  status,
  recorded,
  externalId = externalIdOf,
  recording,
  mayHaveUnrecordedCreate,
  ambiguity,
  watches = false,
  announced,
  shares,
  beside = () => [],
  hintFor,
  unappliedFields,
  isReflected,
  isBuiltOnReplaced,
  isContradicted,
  intent,
  summarize,
}: ExternalResourceOptions): Lifecycle {
  return {
    machine: externalResourceMachine,
    provide: (ports) =>
      withEffects(ports, { ambiguity, watches, announced, externalId, ...(recording !== undefined && { recording }) }),
    view(object, now, holders) {
      const seen = view(object, now);
      const fault = faultInView(seen);
      if (fault !== undefined) throw new TypeError(`the view of the object is nonsense: ${fault}`);
      const retry = retryOf(object);
      return { ...seen, ...(holders && { holders }), ...(retry !== undefined && { retry }) };
    },
    statusKey: saying,
    status(snapshot, object, now) {
      const standing = resourceStateOf(snapshot as Snapshot);
      return [...beside(standing, object, now), status(standing, object, now)];
    },
    ...(recorded !== undefined && { recorded }),
    externalId,
    mayHaveUnrecordedCreate,
    failureStatus: (object, error, now) => [status(troubled(object, externalId(object), error), object, now)],
    canPassivate,
    stepDetails: (snapshot) => {
      const { error, externalId } = snapshot.context as ResourceContext;
      return { error, externalId };
    },
    userEvents(object) {
      const news = new UserEventDetector(doneGenerationOf(object), hintFor);
      return (step: Step) => news.hear(step as unknown as TransitionView);
    },
    ...(shares !== undefined && { shares }),
    ...(hintFor !== undefined && { hintFor }),
    ...(unappliedFields !== undefined && { unappliedFields }),
    ...(isReflected !== undefined && { isReflected }),
    ...(isBuiltOnReplaced !== undefined && { isBuiltOnReplaced }),
    ...(isContradicted !== undefined && { isContradicted }),
    ...(intent !== undefined && { intent }),
    ...(summarize !== undefined && { summarize }),
  };
}

/** Lifecycle state for the status of an object. */
export function resourceStateOf({ context, tags }: Pick<Snapshot, 'context' | 'tags'>): ResourceState {
  const { object, externalId, observation, waiting, error, vanished, dependencies, conflictingOwner, filling } =
    context;
  const { applied, left, statusNotes } = context;
  return {
    generation: object.generation,
    tags,
    externalId,
    observation,
    awaited: awaitedBy({ context, tags }),
    heldBy: tags.has(Tag.Held) ? object.finalizers.filter((finalizer) => finalizer !== object.finalizer) : [],
    holders: object.holders,
    filling,
    waiting,
    reporting: object.reporting !== undefined,
    // A pass that was to change things has left nothing, once all is done.
    left: applied === object.generation ? (left ?? []) : undefined,
    statusNotes: tags.has(Tag.Settled) ? statusNotes : [],
    leaving: tags.has(ResourceTag.AwaitsChildren) ? dependencies.filter(isChildStill) : [],
    error: tags.has(Tag.Failing) && !isPostponed(context) ? error : undefined,
    conflictingOwner: tags.has(ResourceTag.Taken) ? conflictingOwner : undefined,
    vanished,
  };
}

/** Without a wait, the state of dependencies does not matter for this object. */
function awaitedBy({ context, tags }: Pick<Snapshot, 'context' | 'tags'>): ResourceState['awaited'] {
  if (!tags.has(Tag.AwaitsDependencies)) return [];
  const next = tags.has(Tag.Deleting) ? credentials(context) : nextNeeded(context);
  const unready = next.filter((dependency) => !isThere(dependency, context));
  // While an answer is missing nothing is reported: it may be `ready`.
  const answered = unready.flatMap(({ kind, name, answer }) =>
    answer === undefined ? [] : [{ kind, name, exists: answer.readiness !== Readiness.Absent }],
  );
  return answered.length === unready.length ? answered : [];
}

/** Without a chart. What was known of the availability stays known. */
function troubled(object: KubeObject, externalId: string | undefined, error: ErrorData): ResourceState {
  const { deletionTimestamp, generation = 0 } = object.metadata;
  return {
    generation,
    tags: new Set([Tag.Failing, deletionTimestamp === undefined ? ResourceTag.AwaitsChange : Tag.Deleting]),
    externalId,
    observation: undefined,
    awaited: [],
    heldBy: [],
    waiting: [],
    reporting: false,
    left: undefined,
    statusNotes: [],
    leaving: [],
    error,
    conflictingOwner: undefined,
    vanished: false,
  };
}

/** Waiting is reported once its reason is known; a wait for a single call or write is not reported. */
function saying(snapshot: AnyMachineSnapshot): string | undefined {
  const { context, tags, value } = snapshot as Snapshot;
  if (tags.has(Tag.Busy)) return undefined;
  const { awaited, heldBy, holders, generation, conflictingOwner, waiting, filling, left, statusNotes } =
    resourceStateOf({
      context,
      tags,
    });
  if (tags.has(Tag.AwaitsDependencies) && awaited.length === 0) return undefined;
  if (tags.has(Tag.Held) && heldBy.length === 0) return undefined;
  const holding = heldBy.length > 0 && holders;
  return JSON.stringify([
    ...[value.lifecycle, awaited, heldBy, holding, generation, conflictingOwner, waiting, filling],
    ...[left, statusNotes],
  ]);
}

function canPassivate(snapshot: AnyMachineSnapshot, now: number): boolean {
  const { withdrawnUids, inDoubtUntil, externalId, available, object } = (snapshot as Snapshot).context;
  return (
    withdrawnUids.length === 0 &&
    inDoubtUntil <= now &&
    // A dependency that is being deleted waits for what has no resource.
    // mutant: refused-sleeps-on drop
    externalId !== undefined &&
    externalId === object.externalId &&
    available === object.available
  );
}
