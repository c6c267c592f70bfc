// Authorizer of operation requests from the bus. Any client that can publish there can send a request in the name of
// any object, so an operation follows the object in the API server. Requests that contradict it are rejected.
//
// Invariants:
//   REQUEST-AUTHORIZER-1. No operation or session starts before the object was found in the API server with this uid
//       and generation, in a managed namespace. The operation always gets that object instead of the one in the
//       request.
//   REQUEST-AUTHORIZER-2. An object is never cached for longer than a call may take: spec and deletion are constant for
//       a uid and generation, and any other contradiction makes the object be read again.
//   REQUEST-AUTHORIZER-3. Ids are those that the object's status, and that of what it refers to, names, or that an operation answered for it.
//   REQUEST-AUTHORIZER-4. Nothing is removed for an object that is not being deleted, but what lost the race for its status; and nothing is made
//       for one that is.
import { isDeepStrictEqual } from 'node:util';
import type { ConfiguredAdapter, DeclaredKind, Operation, Operations } from '../../../adapters/api/adapter.ts';
import { compareVersions, type Objects } from '../../../adapters/kubernetes/mod.ts';
import { type Clock, type JsonObject, TransientError } from '../../../bus/mod.ts';
import { externalIdOf } from '../../../machines/external-resource/effects.ts';
import type { KnownDependency, ReferencedKind } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { resourceOf } from '../../object/registry.ts';
import { IssuedResults } from './issued-results.ts';
import { type Place, RecentObjects } from './recent-objects.ts';
import { isSubsetOf, isValidRequest, type RequestedObject, requestedObjectIn } from './requested-object.ts';

/** Why a request was refused: a label of the figures, so there are few. */
export const RejectionReason = {
  /** It is no request. */
  Malformed: 'malformed',
  /** The namespace is not managed here. */
  Namespace: 'namespace',
  /** There is no such object, or another one of its name. */
  Absent: 'absent',
  /** The object has changed since. An honest caller is notified of that soon. */
  Outdated: 'outdated',
  /** The spec, the credentials in it too, is another one. */
  Spec: 'spec',
  /** A dependency has another id, or other attributes. */
  Reference: 'reference',
  /** The id is none of the object's. */
  Id: 'id',
  /** A create for an object that is being deleted, or a removal for one that is not. */
  Deletion: 'deletion',
} as const;
export type RejectionReason = (typeof RejectionReason)[keyof typeof RejectionReason];

/** Nothing was begun; an honest caller may ask again. */
export class RefusedError extends TransientError {
  override name = 'RefusedError';
  readonly refusal: RejectionReason;
  constructor(refusal: RejectionReason, message: string) {
    super(`refused: ${message}`);
    this.refusal = refusal;
  }
}

/** One operation of a kind. */
export interface Operated {
  readonly kind: DeclaredKind;
  readonly operation: string;
}

export interface AdmissionDeps {
  readonly adapter: Pick<ConfiguredAdapter, 'realm' | 'kinds' | 'referencedKinds'>;
  readonly operations: Operations;
  readonly objects: Pick<Objects, 'get'>;
  readonly clock: Clock;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Longest time a call may take, in milliseconds. */
  readonly callMs: number;
  readonly onRejected: (
    refused: Operated & { readonly refusal: RejectionReason; readonly asked: RequestedObject | undefined },
  ) => void;
}

/** No watch is in a greater hurry, in milliseconds. */
const LEAST_POLL_MS = 100;

export class RequestAuthorizer {
  readonly #deps: AdmissionDeps;
  readonly #witness: IssuedResults;
  readonly #recent: RecentObjects;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#recent = new RecentObjects(deps);
    this.#witness = new IssuedResults(deps.clock);
  }

  /**
   * The request as it may be handled.
   *
   * @param bound  what ends it: its deadline, or its caller
   * @throws {RefusedError} it may not @throws {TransientError} the API server does not say
   */
  async admit(operated: Operated, request: JsonObject, bound: 'deadline' | 'caller'): Promise<JsonObject> {
    const asked = requestedObjectIn(request);
    try {
      if (asked === undefined || !isValidRequest(request, bound))
        throw new RefusedError(RejectionReason.Malformed, 'it is no request');
      return await this.#admitted(operated, asked, request);
    } catch (error) {
      if (error instanceof RefusedError) this.#deps.onRejected({ ...operated, refusal: error.refusal, asked });
      throw error;
    }
  }

  /** Records the response to an admitted request, or its progress report. */
  note({ object }: { readonly object: KubeObject }, answer: unknown): void {
    this.#witness.note(object.metadata.uid, answer);
  }

  async #admitted({ kind, operation }: Operated, asked: RequestedObject, request: JsonObject): Promise<JsonObject> {
    const { namespaces, clock, callMs } = this.#deps;
    const { namespace } = asked;
    const isPlaced =
      kind.scope === 'Cluster' ? namespace === '' : (namespaces?.includes(namespace) ?? namespace !== '');
    if (!isPlaced)
      throw new RefusedError(RejectionReason.Namespace, `nothing is done for namespace '${namespace}' here`);
    const object = await this.#objectOf(kind, asked);
    if (operation === 'create' && isDeleting(object))
      throw new RefusedError(RejectionReason.Deletion, `${kind.kind} '${asked.name}' is being deleted`);
    const { deadlineAt, pollAfterMs, id, observation, dependencies } = request;
    const admitted = {
      ...request,
      object,
      dependencies: await this.#dependencies(kind, object, dependencies as unknown as Dependencies),
      ...(typeof deadlineAt === 'number' && { deadlineAt: Math.min(deadlineAt, clock.now() + callMs) }),
      ...(typeof pollAfterMs === 'number' && { pollAfterMs: Math.max(pollAfterMs, LEAST_POLL_MS) }),
    } as unknown as JsonObject;
    if (typeof id === 'string') await this.#checkId({ kind, operation }, object, id, admitted);
    if (observation === undefined) return admitted;
    const seen = observation as { readonly id: string } & JsonObject;
    await this.#checkId({ kind, operation }, object, seen.id, admitted);
    // A watch only compares with it. An update acts on what is in it.
    if (operation !== 'update' || this.#witness.saw(object.metadata.uid, seen)) return admitted;
    const now = await this.#operation(kind, 'observe')?.(asOperation({ ...admitted, id: seen.id }, clock, callMs));
    if (now === undefined) throw new RefusedError(RejectionReason.Id, 'what it would change is not there');
    this.#witness.note(object.metadata.uid, now);
    return { ...admitted, observation: now as JsonObject };
  }

  /** The object that the request is for, as the API server has it (REQUEST-AUTHORIZER-1). */
  async #objectOf(kind: DeclaredKind, asked: RequestedObject): Promise<KubeObject> {
    const { name, uid, generation, resourceVersion, spec } = asked;
    const object = await this.#read(kind, asked, ({ metadata }) => {
      if (metadata.uid !== uid || metadata.generation !== generation) return false;
      // The status, and what a kind carries beside the spec, change without a generation.
      const isLookedAt = kind.retains !== undefined && kind.readsRetained !== false;
      const isSpecEnough = !isLookedAt && kind.readsStatus !== true;
      return isSpecEnough || compareVersions(metadata.resourceVersion, resourceVersion) >= 0;
    });
    if (object?.metadata.uid !== uid)
      throw new RefusedError(RejectionReason.Absent, `there is no ${kind.kind} '${name}' of this uid`);
    if (object.metadata.generation !== generation)
      throw new RefusedError(RejectionReason.Outdated, `${kind.kind} '${name}' has been changed meanwhile`);
    // mutant: admission-trusts-credentials if -> false
    if (!isSubsetOf(spec, object.spec))
      throw new RefusedError(RejectionReason.Spec, `the spec of ${kind.kind} '${name}' is another one`);
    return object;
  }

  /** Data of the object's dependencies, and of no others (REQUEST-AUTHORIZER-3). */
  async #dependencies(kind: DeclaredKind, object: KubeObject, reported: Dependencies): Promise<Dependencies> {
    const { namespace = '' } = object.metadata;
    const { kinds, referencedKinds = [] } = this.#deps.adapter;
    const all: readonly AnyKind[] = [...kinds, ...referencedKinds];
    const known: Record<string, KnownDependency> = {};
    const check = async (key: string, target: AnyKind, at: Place): Promise<void> => {
      const said = reported[key] as KnownDependency;
      const agrees = (found: KubeObject): boolean => {
        const { id, attributes } = target.publicState(found, said.ready);
        const isKnown = id === said.id || this.#witness.knows(found.metadata.uid, said.id);
        return isKnown && isDeepStrictEqual(asJson(attributes), said.attributes);
      };
      const found = await this.#read(target, at, agrees);
      // A dependency deleted since is unknown.
      if (found === undefined) return;
      if (!agrees(found))
        throw new RefusedError(RejectionReason.Reference, `the request's data about ${key} do not match the object`);
      known[key] = said;
    };
    const checks = kind.references(object).flatMap((reference) => {
      const place = { namespace: reference.namespace ?? namespace, name: reference.name };
      const isElsewhere = place.namespace !== namespace;
      const key = [reference.kind, ...(isElsewhere ? [place.namespace] : []), reference.name].join('/');
      const target = all.find((each) => each.kind === reference.kind);
      if (reported[key] === undefined || target === undefined) return [];
      return [check(key, target, target.scope === 'Cluster' ? { ...place, namespace: '' } : place)];
    });
    await Promise.all(checks);
    return known;
  }

  async #checkId(operated: Operated, known: KubeObject, id: string, request: JsonObject): Promise<void> {
    const { kind, operation } = operated;
    const { uid, name, namespace = '' } = known.metadata;
    const isRemoval = operation === 'remove';
    const isFine = (object: KubeObject): boolean => {
      const isOwn = recordedIn(kind, object) === id;
      // mutant: admission-trusts-ids && -> $2
      return isRemoval ? isOwn && isDeleting(object) : isOwn || this.#witness.knows(uid, id);
    };
    if (isFine(known)) return;
    const object = await this.#read(kind, { namespace, name }, isFine);
    if (object?.metadata.uid !== uid)
      throw new RefusedError(RejectionReason.Absent, `there is no ${kind.kind} '${name}' of this uid`);
    if (isFine(object)) return;
    // A resource that lost the race for the status is removed while the object still exists.
    const recorded = recordedIn(kind, object);
    // mutant: admission-removes-living || -> $1
    if (isRemoval && !isDeleting(object) && (recorded === undefined || recorded === id))
      throw new RefusedError(RejectionReason.Deletion, `${kind.kind} '${name}' is not being deleted`);
    if (this.#witness.knows(uid, id) || (await this.#finds(kind, uid, id, request))) return;
    throw new RefusedError(RejectionReason.Id, `the id is none of ${kind.kind} '${name}'`);
  }

  /** Whether the external system has it as the object's resource: another process may have returned it. */
  async #finds(kind: DeclaredKind, uid: string, id: string, request: JsonObject): Promise<boolean> {
    const { clock, callMs } = this.#deps;
    const { intents: _, ...described } = request;
    this.#witness.note(uid, await this.#operation(kind, 'find')?.(asOperation(described, clock, callMs)));
    return this.#witness.knows(uid, id);
  }

  #operation({ plural }: DeclaredKind, name: string): Operation | undefined {
    return this.#deps.operations[plural]?.[name];
  }

  #read(kind: AnyKind, place: Place, isEnough: (object: KubeObject) => boolean): Promise<KubeObject | undefined> {
    return this.#recent.read(resourceOf(kind), place, isEnough);
  }
}

type AnyKind = ReferencedKind | DeclaredKind;
type Dependencies = Readonly<Record<string, KnownDependency>>;

/** A request of this process for itself, with the object and what is known of what it refers to. */
function asOperation({ object, dependencies, traceparent, id }: JsonObject, clock: Clock, callMs: number): never {
  const deadlineAt = clock.now() + callMs;
  return { object, dependencies, traceparent, deadlineAt, ...(id !== undefined && { id }) } as never;
}

/** The external id that the status names. */
function recordedIn({ life }: DeclaredKind, object: KubeObject): string | undefined {
  return (life.externalId ?? externalIdOf)(object);
}

function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function asJson(value: JsonObject | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
