// What an object refers to and makes, and what is asked of an adapter for it. Types only.
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
   * When it must be ready: `always` for whatever is done outside (credentials), `create` until the object is built,
   * `import` until then, for what is only looked up, `update` for a step after that, which waits for it by itself,
   * `never` for a child (`Kind.children`), which is only followed.
   */
  readonly neededFor: 'always' | 'create' | 'import' | 'update' | 'never';
  /** What the other is told of this use of it: *as device vdb*. Its operations see it (`OperationRequest.claimants`). No secret. */
  readonly attributes?: JsonObject;
  /** Whether the object has always referred to it: by a field that is required and cannot be changed. */
  readonly fixed?: boolean;
  /** What this object stands for is a part of what the other one does: without that there is none, and nobody to ask for it. */
  readonly isContainedIn?: boolean;
}

/** A Kubernetes object that an object makes, follows and removes. */
export interface Child {
  /** CamelCase. */
  readonly kind: string;
  readonly name: string;
  /** That of its owner unless stated. Elsewhere it has no owner reference: the API server forbids it. */
  readonly namespace?: string;
  /** What is applied: `spec`, `data` ... . What the API server, or somebody else, adds beside it is no difference. */
  readonly content: JsonObject;
  /** Labels that it is to have, among others. Its kind carries them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Its owner is its controller, where it has no other one. */
  readonly isControlled?: true;
  /** What happens to one that is not as it should be; `keep`: it is made, and what it says then is others' to say. */
  readonly onDrift: 'apply' | 'replace' | 'keep';
}

/** Who refers to an object, and what it says of that. */
export interface Claimant {
  readonly realm: string;
  readonly plural: string;
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly attributes: JsonObject;
}

/** What is known of a dependency that exists. */
export interface KnownDependency {
  readonly id: string;
  /** It may be built on. What has been built already may need it longer. */
  readonly ready: boolean;
  readonly attributes?: JsonObject;
}

/** The references whose external id is known, by `<Kind>/<name>`, or `<Kind>/<namespace>/<name>` elsewhere. */
export type KnownDependencies = Readonly<Record<string, KnownDependency>>;

/** What every operation of an adapter is told. Plain data: it may travel over the bus. Holds no secret. */
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
