// Repeated parts of the state machine: actions and guards with their part of the event, and the steps that several states take in the
// same way: looking up the resource, and resolving its ownership.
import {
  contendInput,
  type FindOutput,
  type Observed,
  type OwnershipOutput,
  type ResourceContext,
  type WatchFailure,
} from './context.ts';
import type { Observation } from './operations.ts';
import type { DependenciesChanged, ObjectChanged } from './setup.ts';

type Of<Event> = { event: Event };
type Answer<Output> = Of<{ output: Output }>;
type Stored = { context: ResourceContext };

// Parts of events.
const failure = ({ event }: Of<{ error: unknown }>) => event;
const found = ({ event }: Answer<FindOutput>) => event.output;
const verdict = ({ event }: Answer<OwnershipOutput>) => event.output;
const observed = ({ event }: Answer<Observation | undefined>) => ({ observation: event.output });
const seen = ({ event }: Of<Observed>) => event;
const object = ({ event }: Of<ObjectChanged>) => event;
const dependencies = ({ event }: Of<DependenciesChanged>) => event;

// Inputs of effects.
export const ofObject = ({ context: { key } }: Stored) => ({ key });
export const ofResource = ({ context: { key, externalId } }: Stored) => ({ key, externalId });
export const ofRecord = ({ context: { key, externalId, observation } }: Stored) => ({ key, externalId, observation });

export const noteFailure = {
  type: 'noteFailure',
  params: failure,
} as const;
export const countUnwatchedOf = {
  type: 'countUnwatched',
  params: ({ event }: { event: { error: unknown } }) => event.error as WatchFailure,
} as const;
export const isTerminal = { type: 'isTerminal', params: failure } as const;
export const isLacking = { type: 'isLacking', params: failure } as const;
export const noteLack = { type: 'noteLack', params: failure } as const;
export const isLostRace = { type: 'isLostRace', params: failure } as const;
export const refusedOrNot = [
  // mutant: terminal-tried-again drop
  { guard: isTerminal, target: '#failed', actions: noteFailure },
  { target: '#backingOff', actions: noteFailure },
] as const;
export const foundNone = { type: 'foundNone', params: found } as const;
export const foundNothingYet = {
  type: 'foundNothingYet',
  params: found,
} as const;
export const awaitLanding = { type: 'awaitLanding', params: found } as const;
export const mayCreate = { type: 'mayCreate', params: found } as const;
export const noteAmbiguous = {
  type: 'noteAmbiguous',
  params: found,
} as const;
export const hasOwner = { type: 'hasOwner', params: verdict } as const;
export const hasEarlierRival = {
  type: 'hasEarlierRival',
  params: verdict,
} as const;
export const mustTakeBack = {
  type: 'mustTakeBack',
  params: verdict,
} as const;
export const mayStillLand = {
  type: 'mayStillLand',
  params: verdict,
} as const;
export const noteOwner = { type: 'noteOwner', params: verdict } as const;
export const awaitRivalsLanding = {
  type: 'awaitLanding',
  params: verdict,
} as const;
export const foundOne = { type: 'foundOne', params: found } as const;
export const foundMany = { type: 'foundMany', params: found } as const;
export const takeFound = { type: 'takeFound', params: found } as const;
export const noteClear = { type: 'noteClear', params: found } as const;
export const lostReservation = {
  type: 'lostReservation',
  params: failure,
} as const;
export const wasFound = {
  type: 'wasFound',
  params: observed,
} as const;
export const wasReplaced = {
  type: 'wasReplaced',
  params: observed,
} as const;
export const takeObserved = {
  type: 'takeObservation',
  params: ({ event }: Answer<Observation | undefined>) => ({ observation: event.output as Observation }),
} as const;
/** Observation reported by a watch. */
export const wasSeen = { type: 'wasFound', params: seen } as const;
export const wasSeenGone = { type: 'wasGone', params: seen } as const;
export const wasSeenUnrecorded = {
  type: 'wasFoundUnrecorded',
  params: seen,
} as const;
export const takeSeen = {
  type: 'takeObservation',
  params: ({ event }: { event: Observed }) => ({ observation: event.observation as Observation }),
} as const;
export const storeObject = { type: 'storeObject', params: object } as const;
export const storeDependencies = {
  type: 'storeDependencies',
  params: dependencies,
} as const;
export const isNewGeneration = {
  type: 'isNewGeneration',
  params: object,
} as const;
export const isUnsettled = { type: 'isUnsettled', params: object } as const;
/** The running lookup concerns an id that the object no longer has. */
export const anewIfUsurped = {
  guard: { type: 'isIdReplaced', params: object },
  target: '#claiming',
  actions: storeObject,
} as const;
export const isNewCredentials = {
  type: 'isNewCredentials',
  params: dependencies,
} as const;
export const wereChildrenGone = {
  type: 'wereChildrenGone',
  params: ({ event }: Answer<{ readonly gone: boolean }>) => event.output,
} as const;
export const areChildrenNowGone = {
  type: 'areChildrenNowGone',
  params: dependencies,
} as const;
/** As `isNewGeneration`, for an object that is being deleted anyway. */
export const isEdited = {
  type: 'isNewGeneration',
  params: ({ event }: { event: ObjectChanged }) => ({ object: { ...event.object, deleting: false } }),
} as const;
export const anewIfEdited = [
  { guard: isNewGeneration, target: '#claiming', actions: storeObject },
  { actions: storeObject },
] as const;
export const anewIfUnsettled = [
  { guard: isNewGeneration, target: '#claiming', actions: storeObject },
  { guard: isUnsettled, target: '#claiming', actions: storeObject },
  { actions: storeObject },
] as const;

/** Transitions after a lookup, by its result. */
interface AfterLook<
  One extends string,
  Many extends string,
  None extends readonly object[],
  Later extends string,
  Unclear extends string,
  OnError,
> {
  /** Exactly one resource: it is taken. */
  readonly one: One;
  /** Several. */
  readonly many: Many;
  /** Nothing, and nothing is on its way; and whatever else is to be decided by then. */
  readonly none: None;
  /** Nothing, and a create without an answer may still take effect. */
  readonly later: Later;
  /** The look was not exact. */
  readonly unclear: Unclear;
  readonly onError: OnError;
}

/** Looks up the resource by its spec. */
export function look<
  const Id extends string,
  const One extends string,
  const Many extends string,
  const None extends readonly object[],
  const Later extends string,
  const Unclear extends string,
  const OnError,
>(id: Id, { one, many, none, later, unclear, onError }: AfterLook<One, Many, None, Later, Unclear, OnError>) {
  return {
    id,
    src: 'find',
    input: ofObject,
    onDone: [
      { guard: foundOne, target: one, actions: takeFound },
      { guard: foundMany, target: many, actions: noteAmbiguous },
      ...none,
      { guard: foundNothingYet, target: later, actions: awaitLanding },
      { target: unclear },
    ],
    onError,
  } as const;
}

/** Transitions after the ownership of a resource was resolved. */
interface AfterVerdict<
  Later extends string,
  Lost extends string,
  Undo extends readonly string[],
  Others extends readonly object[],
> {
  /** The object is being deleted. */
  readonly isLeaving?: true;
  /** Another object has it, and a create without an answer may still take effect; or it was not found out. */
  readonly later: Later;
  /** Another object is about to create it. */
  readonly lost: Lost;
  /** Actions that forget what was found, for both of them. */
  readonly undo: Undo;
  /** All else, in the order in which it is decided. */
  readonly others: Others;
}

/** Resolves the ownership of the found or recorded resource. */
export function askOwner<
  const Id extends string,
  const Later extends string,
  const Lost extends string,
  const Undo extends readonly string[],
  const Others extends readonly object[],
>(id: Id, { isLeaving, later, lost, undo, others }: AfterVerdict<Later, Lost, Undo, Others>) {
  const leaving = isLeaving === true ? { isLeaving } : {};
  return {
    id,
    src: 'resolveOwnership',
    input: ({ context }: Stored) => ({ ...contendInput(context), ...leaving }),
    onDone: [{ guard: mayStillLand, target: later, actions: [...undo, awaitRivalsLanding] }, ...others],
    onError: [
      { guard: lostReservation, target: lost, actions: undo },
      { target: later, actions: [...undo, noteFailure] },
    ],
  } as const;
}
