// What the runtime must know of a kind of objects. Types only: a kind is data, and its life is in `life.ts`.
import type { Lifecycle } from './lifecycle.ts';
import type { JsonObject, KubeObject } from './object.ts';
import type { Child, Reference } from './request.ts';

export type { Child, Claimant, KnownDependencies, KnownDependency, OperationRequest, Reference } from './request.ts';

/** Where the objects of a kind are, and what of an object its actor carries. */
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
 * What of an object its actor carries beside spec, status and what every object has. Nothing of these unless named; a name that
 * ends with `*` stands for all that begin with what is before it.
 */
export interface RetainedMetadata {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** Keys of `data`. No secret: what an actor carries travels on the bus. */
  readonly data?: readonly string[];
  /** Members of the status, and the field manager by which they count (`recorded`). */
  readonly recorded?: { readonly manager: string; readonly members: readonly string[] };
}

/** What those who refer to an object are told of it. */
export interface PublicState {
  /** It may be built on. */
  readonly ready: boolean;
  /** Names what it stands for outside; without one it is not known yet. A kind without ids says its name. */
  readonly id?: string | undefined;
  /** What is made known beyond the id. No secret. */
  readonly attributes?: JsonObject | undefined;
}

/** A kind that others refer to, as far as that takes. Alone it has no life here: its objects are watched. */
export interface ReferencedKind extends Resource {
  /**
   * How the object stands for those who refer to it.
   *
   * @param isAvailable  what its life says, ahead of the status; undefined: it has none here
   */
  publicState(object: KubeObject, isAvailable?: boolean): PublicState;
}

/** A kind whose objects live here. */
export interface Kind extends ReferencedKind {
  /** The kind's own finalizer; empty: it needs none, as it leaves nothing behind. */
  readonly finalizer: string;
  /** All finalizers that its objects put on others; the own one, for most. */
  readonly guards: readonly string[];
  /** Field managers of server-side apply, by what they own; those of the status are named by the life. */
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
  /** Whether its objects may refer to those of other namespaces: who may refer to what is asked of all of them then. */
  readonly allowsCrossNamespace?: boolean;
  /** All references of an object, in the order in which they are reported. */
  references(object: KubeObject): readonly Reference[];
  /** The objects that this one makes for itself, and that go before what it stands for does. */
  children(object: KubeObject): readonly Child[];
  readonly life: Lifecycle;
  /** What its adapter does for its objects, by name; called by the effects of the life. */
  readonly operations: Operations;
}

/**
 * What an adapter does for an object, by name. Each may be run twice; it throws TransientError or TerminalError
 * (bus/errors.ts), never a secret in its message, and answers with plain data. Beside what every request has, an operation may
 * ask for more (an id, an observation): the effect that calls it knows.
 */
export type Operations = Readonly<Record<string, Operation>>;
export type Operation = (request: never) => Promise<unknown>;
