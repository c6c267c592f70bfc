// What an adapter does for an object that stands for one external resource. Types only.
import type { OperationRequest } from '../kind.ts';
import type { LongCallRequest } from '../lifecycle.ts';
import type { JsonObject } from '../object.ts';

/** An external resource as an adapter saw it. */
export interface Observation {
  readonly id: string;
  /**
   * What the next update compares with. It is kept, and travels: those attributes of what the foreign system returned that
   * the kind reads, by a list of them, never its answer as a whole.
   */
  readonly attributes: JsonObject;
  /** What `status.resource` says of it; empty for a kind without one. */
  readonly resource: JsonObject;
  /** Meets the kind's criterion for Available=True. */
  readonly available: boolean;
  /** What `status.resource` says of it beyond that, and only whoever made it knows: recorded with the id. */
  readonly applied?: JsonObject;
  /** The foreign system is still at work: worth another look after so many milliseconds. */
  readonly pollAfterMs?: number;
}

/** What came of one update pass. */
export interface UpdateOutcome {
  /** Something was sent, so observe again. */
  readonly changed: boolean;
  /** The resource has no content yet: `delegate`, or else `fill`, is to bring it. */
  readonly empty?: boolean;
  /** Fields of the spec that were not as specified, and were sent. */
  readonly fields?: readonly string[];
  /** Of a pass that was only to report: fields of the spec that are not as specified, and were left so. */
  readonly left?: readonly string[];
  /** What people are told of a resource that stays as it is: said beside that it is up to date. No secret. */
  readonly statusNotes?: readonly string[];
  /** Fields of the spec that are not as the resource is, and cannot be brought to it. */
  readonly unappliedFields?: readonly string[];
  /** What `status.resource` says from now on, and nobody but this pass knows. */
  readonly applied?: JsonObject;
  /** Messages of what a step waits for. Another pass is made when a dependency changes. */
  readonly waiting?: readonly string[];
  /**
   * References, as `<Kind>/<name>`, that the resource was just seen not to rest on, though the spec says so: what of them is being
   * deleted is let go (P1).
   */
  readonly unused?: readonly string[];
  /** It is shown in use by somebody who does not refer to the object any more: what that does next is seen by looking only. */
  readonly used?: boolean;
  /** Another pass is worth while after so many milliseconds, whatever the observation says. */
  readonly pollAfterMs?: number;
}

/** What a look-up found. */
export interface Found {
  readonly matches: readonly Observation[];
  readonly exact: boolean;
  readonly completedLookup?: string;
  /** It is what an earlier create was to make, as the object was then. */
  readonly earlier?: boolean;
  /** It is what a create was to make whose result is not recorded, as the object still is. */
  readonly intended?: boolean;
}

/**
 * Each operation may be run twice; each throws TransientError or TerminalError (bus/errors.ts), never a secret in its
 * message.
 */
export type ResourceOperations = {
  /**
   * Looks for a resource that an earlier, interrupted create may have left behind. `exact` is false when a reference
   * was not known yet and the look-up left it out: no match then proves that there is none, a match proves nothing. `completedLookup`
   * is the same for all objects whose look-ups may find the same resource: they make it, or take it, one at a time.
   *
   * @param request.intents  of creates whose result is not recorded: what one of them was to make comes before what the object
   *   would have now
   */
  find(request: OperationRequest & { readonly intents?: readonly JsonObject[] }): Promise<Found>;
  /**
   * Names the foreign system that the credentials of the object lead to, the same for all who reach it in the same way: within it
   * an id of the kind is one resource. Asks nobody but for the credentials. A kind without it lets objects share what they find.
   */
  identify?(request: OperationRequest): Promise<string>;
  /** Finds what `spec.import` names; undefined: nothing matches the filter yet. @throws {TerminalError} no such id; several matches */
  import(request: OperationRequest): Promise<Observation | undefined>;
  create(request: OperationRequest): Promise<Observation>;
  /** Reads by id; undefined when it is gone. */
  observe(request: OperationRequest & { readonly id: string }): Promise<Observation | undefined>;
  /**
   * Runs the kind's update steps on what was observed. With `report` nothing is changed: what differs is told (`left`).
   */
  update(
    request: OperationRequest & { readonly observation: Observation; readonly report?: boolean },
  ): Promise<UpdateOutcome>;
  /**
   * Asks the foreign system to fetch the content of an empty resource itself. Undefined: it cannot, and `fill` is to bring it.
   * Otherwise what is waited for then, and for how long, before the resource is looked at again.
   */
  delegate?(request: OperationRequest & { readonly id: string }): Promise<UpdateOutcome | undefined>;
  /** Brings the content of an empty resource; one that is not empty any more is left as it is. Ends when `signal` is aborted. */
  fill?(request: LongCallRequest & { readonly id: string }): Promise<unknown>;
  /** Asks for the deletion, once. A resource that is gone already is fine. */
  remove(request: OperationRequest & { readonly id: string }): Promise<void>;
  /**
   * Looks at the resource now and then, and tells (`progress`) what is not as `observation` and what was told
   * since, or that it is gone. Ends when `signal` is aborted, or with the failure of a look. Makes nothing but reads. An adapter
   * without it is asked to `observe` in its place (`ExternalResourceOptions.watches`).
   */
  watch?(request: WatchRequest): Promise<unknown>;
};

/** What a watch tells of a resource that is not as it was known any more. */
export type WatchUpdate = { readonly observation: Observation } | { readonly gone: true };

export interface WatchRequest extends Omit<LongCallRequest, 'progress'> {
  readonly progress: (news: WatchUpdate) => void;
  readonly id: string;
  /** As it was seen last; undefined: nothing is known of it. */
  readonly observation?: Observation | undefined;
  /** Between the first looks, in milliseconds; later ones may be rarer. */
  readonly pollAfterMs: number;
}
