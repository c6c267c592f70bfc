// Operations of an adapter for an object that represents one external resource. Types only.
import type { OperationRequest } from '../kind.ts';
import type { LongCallRequest } from '../lifecycle.ts';
import type { JsonObject } from '../object.ts';

/** An external resource as an adapter saw it. */
export interface Observation {
  readonly id: string;
  /**
   * Attributes for the comparison by the next update. They are kept and sent: those that the kind reads from the
   * external system's response, by a list of them, never the whole response.
   */
  readonly attributes: JsonObject;
  /** What `status.resource` says of it; empty for a kind without one. */
  readonly resource: JsonObject;
  /** Meets the kind's criterion for Available=True. */
  readonly available: boolean;
  /** Further `status.resource` fields that only the creator knows: recorded with the id. */
  readonly applied?: JsonObject;
  /** The external system is still working: time until another poll is useful, in milliseconds. */
  readonly pollAfterMs?: number;
}

/** Outcome of one update. */
export interface UpdateOutcome {
  /** Something was sent, so observe again. */
  readonly changed: boolean;
  /** The resource has no content yet: `delegate`, or else `fill`, is to bring it. */
  readonly empty?: boolean;
  /** Fields of the spec that were not as specified, and were sent. */
  readonly fields?: readonly string[];
  /** Fields of the spec that differ and were not repaired, for an update that only reports. */
  readonly left?: readonly string[];
  /** Notes for users about a resource that stays as it is, in addition to its being up to date. No secret. */
  readonly statusNotes?: readonly string[];
  /** Fields of the spec that are not as the resource is, and cannot be brought to it. */
  readonly unappliedFields?: readonly string[];
  /** Further `status.resource` fields from now on, which only this update knows. */
  readonly applied?: JsonObject;
  /** Messages of what a step waits for. Another pass is made when a dependency changes. */
  readonly waiting?: readonly string[];
  /**
   * References, as `<Kind>/<name>`, that the resource was just seen not to rest on, though the spec says so: what of them is being
   * deleted is let go (P1).
   */
  readonly unused?: readonly string[];
  /** It is in use by an object that no longer refers to this one: only polls show what that object does next. */
  readonly used?: boolean;
  /** Time until another update is useful, in milliseconds, whatever the observation says. */
  readonly pollAfterMs?: number;
}

/** Result of a lookup. */
export interface Found {
  readonly matches: readonly Observation[];
  readonly exact: boolean;
  readonly completedLookup?: string;
  /** It is what an earlier create was to make, as the object was then. */
  readonly earlier?: boolean;
  /** It is what a create was to make whose result is not recorded, as the object still is. */
  readonly intended?: boolean;
  /**
   * For an object that is being deleted: what else was found, and cannot be what its create made, with the reason. It is none of the
   * matches, and stays. For people, without secrets.
   */
  readonly unlike?: readonly string[];
}

/**
 * Each operation may be run twice; each throws TransientError or TerminalError (bus/errors.ts), never a secret in its
 * message.
 */
export type ResourceOperations = {
  /**
   * Looks up a resource that an earlier, interrupted create may have left behind. `exact` is false when a reference was
   * not known yet and the lookup left it out: no match then proves that there is none, a match proves nothing.
   * `completedLookup` is equal for all objects whose lookups may find the same resource: they create it, or adopt it,
   * one at a time. A deletion removes the match: there is none that differs from what the object's create asked for (`unlike`).
   *
   * @param request.intents  of creates whose result is not recorded: what one of them was to make comes before what the object
   *   would have now
   */
  find(request: OperationRequest & { readonly intents?: readonly JsonObject[] }): Promise<Found>;
  /**
   * Name of the external system of the object's credentials, equal for all objects that reach it in the same way:
   * within it an id of the kind is one resource. Only the credentials are read. A kind without it lets objects share
   * resources.
   */
  identify?(request: OperationRequest): Promise<string>;
  /** Finds what `spec.import` names; undefined: nothing matches the filter yet. @throws {TerminalError} no such id; several matches */
  import(request: OperationRequest): Promise<Observation | undefined>;
  create(request: OperationRequest): Promise<Observation>;
  /** Reads by id; undefined if it is deleted. */
  observe(request: OperationRequest & { readonly id: string }): Promise<Observation | undefined>;
  /**
   * Runs the kind's update steps on the observation. With `report` nothing is changed, and differences are reported
   * (`left`).
   */
  update(
    request: OperationRequest & { readonly observation: Observation; readonly report?: boolean },
  ): Promise<UpdateOutcome>;
  /**
   * Requests the external system to fetch the content of an empty resource itself. Undefined: it cannot, and `fill`
   * must transfer it. Otherwise the reason to wait, and the time until the next observation.
   */
  delegate?(request: OperationRequest & { readonly id: string }): Promise<UpdateOutcome | undefined>;
  /** Brings the content of an empty resource; one that is not empty any more is left as it is. Ends when `signal` is aborted. */
  fill?(request: LongCallRequest & { readonly id: string }): Promise<unknown>;
  /** Requests the deletion, once. Succeeds if the resource is deleted already. */
  remove(request: OperationRequest & { readonly id: string }): Promise<void>;
  /**
   * Polls the resource, and reports (`progress`) each difference from `observation` and from the last report, or the
   * deletion. Ends when `signal` is aborted, or with the failure of a poll. Sends only reads. Without it `observe` is
   * called in its place (`ExternalResourceOptions.watches`).
   */
  watch?(request: WatchRequest): Promise<unknown>;
};

/** Report of a watch about a changed resource. */
export type WatchUpdate = { readonly observation: Observation } | { readonly gone: true };

/** Request of `watch`: polls until the signal is aborted. */
export interface WatchRequest extends Omit<LongCallRequest, 'progress'> {
  readonly progress: (news: WatchUpdate) => void;
  readonly id: string;
  /** As it was seen last; undefined: nothing is known of it. */
  readonly observation?: Observation | undefined;
  /** Interval of the first polls, in milliseconds; later ones may be longer. */
  readonly pollAfterMs: number;
}
