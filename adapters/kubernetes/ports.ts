// Ports of the API server: calls to it, and the reads and writes of objects as far as actors make them. Types only.
import type { JsonObject } from '../../bus/bus.ts';
import type { KubeObject, OwnerReference } from '../../machines/object.ts';
import type { SecretContent } from '../api/adapter.ts';
import type { ObjectReference, Resource } from './resource.ts';

/** User of a request, if it is not the account of this process. */
export interface Impersonated {
  readonly user: string;
  readonly groups: readonly string[];
}

export interface KubeClient {
  /** The server's URL, for people. */
  readonly server: string;
  /** The namespace of the current context. */
  readonly namespace: string;
  /**
   * One request with a JSON answer.
   * @throws {AbsentError} 404, and there is proof of it (`absence.ts`) @throws {ConflictError} 409, or a patch whose test failed
   * @throws {TerminalError} 400, 405, 413, 415, 422: the request itself is wrong
   * @throws {ForbiddenError} 403 @throws {ExpiredError} 410 @throws {TooLargeError} more than `mostBytes` are answered
   * @throws {UnknownOutcomeError} a write that was sent: no answer within REQUEST_TIMEOUT_MS, a broken connection, 5xx
   * @throws {TransientError} anything else, also no connection
   */
  call(call: KubeCall): Promise<KubeAnswer>;
  /**
   * A watch: yields one JSON object a line until the server or `signal` ends it; `onOpen`: the server has agreed.
   * @throws as `call`; {TooLargeError} a line is longer than LINE_LENGTH
   */
  stream(path: string, accept: string | undefined, signal: AbortSignal, onOpen?: () => void): AsyncIterable<JsonObject>;
  close(): Promise<void>;
}

export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With query: `/api/v1/namespaces?limit=500`. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: JsonObject | readonly JsonObject[];
  /** Maximum length of the response; unlimited by default. The rest is not read. */
  readonly mostBytes?: number;
  /** The user whose rights decide; those of this process unless stated. */
  readonly as?: Impersonated | undefined;
}

export interface KubeAnswer {
  readonly body: JsonObject;
  /** The server's own time, milliseconds since the epoch. */
  readonly serverTime: number;
}

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** The server's time when it answered, milliseconds since the epoch. */
  readonly serverTime: number;
}

/** All methods throw as `KubeClient.call`; a write for a deleted incarnation throws Absent or Conflict. */
export interface Objects {
  get(resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /**
   * All objects, or those of a namespace, or with a name. Pages of a few megabytes are read one after another, and
   * their text is not kept. The objects are, without fields that no kind reads (`strip`): all of a resource at once,
   * which is what its actors and the mailbox keep of them anyway.
   */
  list(resource: Resource, namespace?: string, name?: string): Promise<ObjectList>;
  /**
   * Adds finalizers by server-side apply as `manager`, which states all it owns: others that it owns are taken off.
   *
   * @param object.resourceVersion  the object must not have changed since
   * @throws {ConflictError} the object is being deleted, or has changed
   */
  addFinalizers(
    resource: Resource,
    object: ObjectReference & { readonly resourceVersion?: string },
    manager: string,
    finalizers: readonly string[],
  ): Promise<KubeObject>;
  /**
   * Removes finalizers from the object as the caller knows it.
   * @param options.exact  the object must not have changed at all since; otherwise only its uid and finalizers count
   * @throws {ConflictError} the caller's view is out of date
   */
  removeFinalizers(
    resource: Resource,
    object: KubeObject,
    finalizers: readonly string[],
    options: { readonly exact: boolean },
  ): Promise<KubeObject>;
  /**
   * Replaces all of the status that `manager` owns. The uid would not do: the status subresource takes no notice of it.
   * @throws {ConflictError} the object has changed since `object`
   */
  applyStatus(resource: Resource, object: KubeObject, manager: string, status: JsonObject): Promise<KubeObject>;
  /**
   * Sets the status to exactly this value, whichever writer set it before: no write if it is equal already. Null
   * members are left out.
   * @throws {ConflictError} the object has changed since `object`
   */
  storeStatus(resource: Resource, object: KubeObject, manager: string, status: JsonObject): Promise<KubeObject>;
  /**
   * Changes members of the status, independent of other writers' members; null removes one.
   * @throws {ConflictError} the object has changed since `object`
   */
  patchStatus(resource: Resource, object: KubeObject, manager: string, status: JsonObject): Promise<KubeObject>;
  /** Changes members of the spec; null takes one away. @throws {ConflictError} the object has changed since `object` */
  patchSpec(
    resource: Resource,
    object: Pick<KubeObject, 'metadata'>,
    manager: string,
    spec: JsonObject,
  ): Promise<KubeObject>;
  /** Puts labels, annotations and owners that are no controllers on this incarnation of an object; `manager` owns just these then. */
  mark(
    resource: Resource,
    object: ObjectReference,
    manager: string,
    marks: {
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly owners: readonly OwnerReference[];
    },
  ): Promise<KubeObject>;
  /**
   * Stores `status.id`, or clears it with null, and members of `status.resource` that no status manager states.
   * @throws {ConflictError} the object has changed since `object`
   */
  recordId(resource: Resource, object: KubeObject, id: string | null, applied?: JsonObject): Promise<KubeObject>;
  /** The object, and what `manager` has applied of it, as its managedFields say; undefined: there is none. */
  applied(
    resource: Resource,
    namespace: string,
    name: string,
    manager: string,
  ): Promise<{ readonly object: KubeObject; readonly fields: JsonObject } | undefined>;
  /**
   * Applies the content of a child (server-side, forced), which makes it where there is none: `manager` owns just that
   * afterwards. @throws {ConflictError} it has changed since it was `known`
   */
  apply(
    resource: Resource,
    place: Pick<ObjectReference, 'namespace' | 'name'>,
    content: JsonObject,
    options: ApplyOptions,
  ): Promise<KubeObject>;
  /**
   * Puts one owner beside those that this incarnation has, one at least, whatever else of it changes meanwhile: many may do so at
   * once. @throws {ConflictError} it has none any more, or is another one
   */
  addOwner(resource: Resource, object: KubeObject, owner: OwnerReference): Promise<KubeObject>;
  /** Takes one owner off; many may leave at once. @throws {ConflictError} it was changed meanwhile, or all others have left */
  removeOwner(resource: Resource, object: KubeObject, owner: string): Promise<KubeObject>;
  /** Takes annotations off. @throws {ConflictError} the object was changed meanwhile */
  removeAnnotations(resource: Resource, object: KubeObject, names: readonly string[]): Promise<KubeObject>;
  /** Requests the deletion of this incarnation; succeeds if it is deleted already. */
  remove(resource: Resource, object: ObjectReference): Promise<void>;
  /** The decoded content of a Secret: for adapters, never for mail. */
  readSecret(namespace: string, name: string): Promise<SecretContent | undefined>;
  /** Makes the data of a Secret say just this. @throws {ConflictError} it has changed since it was read */
  writeSecret(
    namespace: string,
    name: string,
    read: Pick<SecretContent, 'uid' | 'resourceVersion'>,
    data: SecretContent['data'],
  ): Promise<void>;
}

export interface ApplyOptions {
  readonly manager: string;
  readonly owners: readonly OwnerReference[];
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** As it is known; undefined: there should be none. */
  readonly known: KubeObject | undefined;
}
