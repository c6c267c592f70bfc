// References and children of an object, and requests to an adapter for it. Types only.
import type { JsonObject, KubeObject } from './object.ts';

/** A reference of an object to another one. */
export interface Reference {
  /** Kind of the other, CamelCase; `Secret` for credentials. */
  readonly kind: string;
  readonly name: string;
  /** That of the object unless the contract says otherwise (`Kind.allowsCrossNamespace`). */
  readonly namespace?: string;
  /** Finalizers that the other must carry while this object exists; empty: not guarded. */
  readonly finalizers: readonly string[];
  /**
   * Time at which it must be ready: `always` for all external requests (credentials), `create` until the object is
   * built, `import` until then, for lookups only, `update` for a later step, which waits for it itself, `never` for a
   * child (`Kind.children`), which is only watched.
   */
  readonly neededFor: 'always' | 'create' | 'import' | 'update' | 'never';
  /**
   * Attributes of this use for the dependency: *as device vdb*. Its operations see them (`OperationRequest.claimants`).
   * No secret.
   */
  readonly attributes?: JsonObject;
  /** Whether the object has always referred to it: by a field that is required and cannot be changed. */
  readonly fixed?: boolean;
  /** This resource is part of the dependency's resource: without that one it neither exists nor can be looked up. */
  readonly isContainedIn?: boolean;
}

/** A Kubernetes object that an object makes, follows and removes. */
export interface Child {
  /** CamelCase. */
  readonly kind: string;
  readonly name: string;
  /** That of its owner unless stated. Elsewhere it has no owner reference: the API server forbids it. */
  readonly namespace?: string;
  /** Applied content: `spec`, `data` ... . Additions of the API server or other writers are no difference. */
  readonly content: JsonObject;
  /** Labels that it is to have, among others. Its kind carries them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Its owner is its controller, where it has no other one. */
  readonly isControlled?: true;
  /** An earlier spec asked for it, and this one does not: it is deleted if its owner has made it. */
  readonly isUnwanted?: true;
  /** Reaction to a difference; `keep`: it is created, and its later content belongs to others. */
  readonly onDrift: 'apply' | 'replace' | 'keep';
}

/** Dependent of an object, with its attributes. */
export interface Claimant {
  readonly realm: string;
  readonly plural: string;
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly attributes: JsonObject;
}

/** Known data of an existing dependency. */
export interface KnownDependency {
  readonly id: string;
  /** It may be built on. What has been built already may need it longer. */
  readonly ready: boolean;
  readonly attributes?: JsonObject;
}

/** The references whose external id is known, by `<Kind>/<name>`, or `<Kind>/<namespace>/<name>` elsewhere. */
export type KnownDependencies = Readonly<Record<string, KnownDependency>>;

/** Common part of every operation's request. Plain data: it may be sent over the bus. Contains no secret. */
export interface OperationRequest {
  readonly object: KubeObject;
  readonly dependencies: KnownDependencies;
  /** Those who refer to the object and say something of it (`Reference.attributes`). */
  readonly claimants?: readonly Claimant[];
  /**
   * Changes whenever a Secret that the object refers to may have changed, so that a cached session is checked. Undefined:
   * unknown.
   */
  readonly credentialsVersion?: string;
  /** No external call may be running after this: milliseconds since the epoch. */
  readonly deadlineAt: number;
  /** W3C Trace Context of what the object does for the change that caused this. */
  readonly traceparent: string;
}
