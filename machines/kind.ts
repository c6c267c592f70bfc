// Type of a kind of objects for the runtime. Types only: a kind is data, and its lifecycle is in `lifecycle.ts`.
import type { Lifecycle } from './lifecycle.ts';
import type { JsonObject, KubeObject } from './object.ts';
import type { Child, Reference } from './request.ts';

export type { Child, Claimant, KnownDependencies, KnownDependency, OperationRequest, Reference } from './request.ts';

/** Location of a kind's objects, and the parts of an object that its actor keeps. */
export interface Resource {
  /** Short name of the API group, first part of an actor's address. */
  readonly realm: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** CamelCase. */
  readonly kind: string;
  readonly plural: string;
  /** `Namespaced` unless said otherwise. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Only metadata is ever asked for: the content is none of the actors' business. */
  readonly metadataOnly?: boolean;
  readonly retains?: RetainedMetadata;
}

/**
 * Metadata of an object that its actor keeps beside spec, status and the common fields. Empty by default; a name that
 * ends with `*` means all names with that prefix.
 */
export interface RetainedMetadata {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** Keys of `data`. No secret: what an actor carries travels on the bus. */
  readonly data?: readonly string[];
  /** Members of the status, and the field manager by which they count (`recorded`). */
  readonly recorded?: { readonly manager: string; readonly members: readonly string[] };
}

/** Public state of an object for its dependents. */
export interface PublicState {
  /** It may be built on. */
  readonly ready: boolean;
  /** Id of its external resource; undefined if it is not known yet. For a kind without ids, the object's name. */
  readonly id?: string | undefined;
  /** Published attributes beside the id. No secret. */
  readonly attributes?: JsonObject | undefined;
}

/** A kind that others refer to, as far as that takes. Alone it has no life here: its objects are watched. */
export interface ReferencedKind extends Resource {
  /**
   * Public state of the object for its dependents.
   *
   * @param isAvailable availability in the lifecycle, ahead of the status; undefined: it has none here
   */
  publicState(object: KubeObject, isAvailable?: boolean): PublicState;
}

/** A kind whose objects live here. */
export interface Kind extends ReferencedKind {
  /** The kind's own finalizer; empty: it needs none, as it leaves nothing behind. */
  readonly finalizer: string;
  /** All finalizers that its objects put on others; the own one, for most. */
  readonly guards: readonly string[];
  /** Field managers of server-side apply by purpose; the lifecycle names those of the status. */
  readonly fieldManagers: {
    readonly finalizer: string;
    /** Owns the guard finalizers that objects of this kind put on others. */
    readonly guards: string;
    /** Owns what is applied to children; that of guards unless stated, as it has to be where a child is guarded by its owner. */
    readonly children?: string;
  };
  /** Its operations look at more of the status than the id, and must not be shown an old one. */
  readonly readsStatus?: boolean;
  /** Whether its operations look at what it carries beside the spec (`retains`); they do unless stated. */
  readonly readsRetained?: boolean;
  /** Whether its objects may refer to other namespaces: the audit of their claims then covers all namespaces. */
  readonly allowsCrossNamespace?: boolean;
  /** All references of an object, in the order in which they are reported. */
  references(object: KubeObject): readonly Reference[];
  /** Objects that this one creates for itself, and that are deleted before its external resource. */
  children(object: KubeObject): readonly Child[];
  readonly life: Lifecycle;
  /** Operations of the adapter for its objects, by name; called by the effects of the lifecycle. */
  readonly operations: Operations;
}

/**
 * Operations of an adapter for an object, by name. Each may run twice; it throws TransientError or TerminalError
 * (bus/errors.ts), never a secret in its message, and returns plain data. Beside the common part of a request, an
 * operation may need more (an id, an observation): its effect provides it.
 */
export type Operations = Readonly<Record<string, Operation>>;
/** Operation of an adapter: receives an `OperationRequest` with members of its own, and returns plain data. */
export type Operation = (request: never) => Promise<unknown>;
