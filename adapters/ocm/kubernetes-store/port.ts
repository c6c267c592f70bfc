// The Kubernetes API as the store needs it: objects followed by a watch, and written for a user. Types only.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Resource } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';

/** A user and its groups. */
export interface User {
  readonly user: string;
  readonly groups: readonly string[];
}

export interface Place {
  readonly resource: Resource;
  readonly namespace: string;
}

export interface WriteOptions {
  /** Whose rights decide; undefined: those of the account of this process. */
  readonly as: User | undefined;
  /** Everything is checked and nothing stored. */
  readonly dryRun?: boolean;
}

/** Why nothing was written, as far as it is known. */
export type Refusal =
  /** There is no such object, or not this incarnation of it. */
  | { readonly kind: 'absent' }
  /** The object has changed since, or the name is taken. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'forbidden' }
  /** Field by field what is wrong, as the API server says it. */
  | { readonly kind: 'invalid'; readonly causes: readonly { readonly field: string; readonly message: string }[] }
  | Unavailable
  /** The write was sent, and may have had its effect. `message` is for the log. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The API server cannot be asked now. `message` is for the log. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly retryAfterMs: number | undefined;
  readonly message: string;
}

export type Written = { readonly kind: 'object'; readonly object: KubeObject } | Refusal;
export type Removed = Written | { readonly kind: 'gone' };

export interface ObjectListener {
  /** All objects; a known one that is not among them is deleted as of `resourceVersion`. */
  onList(objects: readonly KubeObject[], resourceVersion: string): void;
  onChange(object: KubeObject): void;
  /** As it was last; its resourceVersion is that of the deletion. */
  onGone(object: KubeObject): void;
}

/** Implemented in adapters/kubernetes. */
export interface DelegatedObjects {
  /** Follows the objects of a resource in a namespace until `signal` is aborted. */
  follow(place: Place, listener: ObjectListener, signal: AbortSignal): void;
  get(place: Place, name: string): Promise<Written>;
  create(place: Place, body: JsonObject, options: WriteOptions): Promise<Written>;
  /** Merges `body` (RFC 7396) into the object; with a resourceVersion in its metadata only if that is the object's. */
  patch(place: Place, name: string, body: JsonObject, options: WriteOptions): Promise<Written>;
  /** Deletes one incarnation. `gone`: nothing held it. */
  remove(
    place: Place,
    object: { readonly name: string; readonly uid: string },
    options: WriteOptions,
  ): Promise<Removed>;
  /** Whether a user may do something with an object, or with all of the namespace where `name` is undefined. */
  isAllowed(user: User, verb: 'get' | 'list', place: Place, name: string | undefined): Promise<boolean | Unavailable>;
}
