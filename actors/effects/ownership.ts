// Finds out whose an external resource is: one living managed object has it, whatever its namespace.
//
// Invariants:
//   OWNERSHIP-1. Ownership is always decided by the API server, which alone has the records: messages may be lost or
//       old. A query is answered from a list that began after it.
//   OWNERSHIP-2. An id counts only within one external system, which follows from the credentials of each object, never
//       from its status: an object with a system of its own takes nothing from others.
//   OWNERSHIP-3. Of two objects that recorded the same id the older one always owns it, by `creationTimestamp`, then by
//       uid: both decide alike. An object whose id another writer set, or that recorded nothing, comes after both.
//   OWNERSHIP-4. While the system of another object's id cannot be determined in time, that object may own it, and
//       nothing is ever taken from it. But an object that recorded the id itself withdraws only before one that
//       demonstrably reaches the resource with its own credentials: otherwise a user could hold on to a resource by
//       writing down its id.
//   OWNERSHIP-5. Objects of one namespace whose kind allows sharing are never in conflict. A deleted object leaves the
//       resource to any that is not deleted, and of several deleted ones to the youngest: one of them removes it, and
//       no existing object loses it.
//   OWNERSHIP-6. One system has several addresses, and no other system can prove that it is the same. An object that
//       only found a resource of a UUID, without a record or a create, always withdraws before any that recorded it: it
//       may wait without effect, and nothing is lost. A UUID is unknown before the resource exists, so no user can
//       block the creation of another's. The exception are kinds that allow sharing: there one id may be that of several
//       resources, and `identify` distinguishes them.

import { together } from '../../adapters/http/batch.ts';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock } from '../../bus/mod.ts';
import type { Kind, KnownDependency, OperationRequest } from '../../machines/kind.ts';
import type { ResourceOwner } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { placesOf } from '../base/list-all.ts';
import { type Registry, resourceOf } from '../object/registry.ts';

export interface RivalsDeps {
  readonly objects: Pick<Objects, 'list' | 'get'>;
  readonly registry: Registry;
  /** Managed namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly clock: Clock;
}

/** Object and id of a query. */
export interface OwnershipQuery {
  readonly kind: Kind;
  /** For the object that asks. */
  readonly request: OperationRequest;
  readonly externalId: string;
  /** See `systemOf`. */
  readonly system: string;
  /** Whether another writer set the object's id. */
  readonly isIdFromOtherWriter: boolean;
  /** It is what a create of the object made. */
  readonly isMade: boolean;
  /** Whether the object is being deleted, and leaves the resource to the objects that share it (OWNERSHIP-5). */
  readonly isLeaving: boolean;
}

type Identify = (request: OperationRequest) => Promise<string>;
type Observe = (request: OperationRequest & { readonly id: string }) => Promise<object | undefined>;
type Get = Objects['get'];
type Recorded = ReadonlyMap<string, readonly KubeObject[]>;

/** The operation by which an adapter says where ids belong; a kind without it has no rivals. */
const IDENTIFY = 'identify';
/** Operation by which an adapter checks whether credentials reach a resource. */
const OBSERVE = 'observe';

/** With hyphens or without, as Keystone writes it. */
const UUID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

export class OwnershipResolver {
  readonly #deps: RivalsDeps;
  readonly #readings = together<undefined, Recorded>();

  constructor(deps: RivalsDeps) {
    this.#deps = deps;
  }

  /** External system of the object's ids (OWNERSHIP-2); undefined: its kind has no conflicts. */
  async systemOf(kind: Kind, request: OperationRequest): Promise<string | undefined> {
    return identifying(kind)?.(request);
  }

  /** Owner before which the object withdraws (OWNERSHIP-3); undefined if there is none. */
  async of({
    kind,
    request,
    externalId,
    isIdFromOtherWriter,
    isMade,
    isLeaving,
    system,
  }: OwnershipQuery): Promise<ResourceOwner | undefined> {
    const { object } = request;
    // mutant: rivals-by-id-take-recorded =.2 -> $4
    // mutant: rivals-by-id-take-foreign &&.2 -> true
    // mutant: rivals-by-id-take-made &&.3 -> true
    // mutant: shared-id-is-enough &&.1 -> true
    const isIdEnough =
      kind.life.shares !== true &&
      !isIdFromOtherWriter &&
      !isMade &&
      recordedBy(kind, object) === undefined &&
      UUID.test(externalId);
    const recorded = await this.#readings(`${kind.realm}/${kind.plural}`, undefined, () => this.#list(kind));
    const isOwn = !isIdFromOtherWriter && kind.life.recorded?.(object) === externalId;
    // mutant: rivals-older-gives-way ||.2 -> true
    const first = (recorded.get(externalId) ?? [])
      .filter((other) => {
        if (other.metadata.uid === object.metadata.uid) return false;
        // mutant: shares-by-forged-status && -> $1
        if (isSharing(kind, object, other) && !isIdFromOtherWriter) return isLeaving && outlives(other, object);
        return !isOwn || byAge(other, object) < 0;
      })
      .sort(byAge);
    const get = this.#getting();
    const asked = { ...request, deadlineAt: isOwn ? this.#halfWay(request) : request.deadlineAt };
    const holding = await Promise.all(
      first.map((other) => {
        // Neither of two objects in one namespace takes a resource from the other: in doubt it is left.
        const mustBeSeen = isOwn && !isSharing(kind, object, other);
        // mutant: rivals-by-two-urls-share ||.1 -> false
        return isIdEnough || this.#mayHave({ system, kind, externalId }, { ...asked, object: other }, get, mustBeSeen);
      }),
    );
    const conflictingOwner = first[holding.indexOf(true)];
    // mutant: rivals-take-recorded if -> true
    if (conflictingOwner === undefined) return undefined;
    const { namespace = '', name, uid } = conflictingOwner.metadata;
    return { kind: kind.kind, namespace, name, uid, externalId };
  }

  /** @param mustBeSeen  it counts as having it only where that is seen (OWNERSHIP-4) */
  async #mayHave(
    { system, kind, externalId }: Pick<OwnershipQuery, 'system' | 'kind' | 'externalId'>,
    request: OperationRequest,
    get: Get,
    mustBeSeen: boolean,
  ): Promise<boolean> {
    try {
      const known = await this.#requestFor(kind, request, get);
      if ((await identifying(kind)?.(known)) !== system) return false;
      // A resource deleted by now was found a moment ago by an object that did not record it: that proves nothing.
      return !mustBeSeen || (await (kind.operations[OBSERVE] as Observe)({ ...known, id: externalId })) !== undefined;
    } catch {
      // mutant: rivals-block-owner return -> true
      return !mustBeSeen;
    }
  }

  /** However many others there are, and whatever is in their way: the answer comes while it is of use. */
  #halfWay({ deadlineAt }: OperationRequest): number {
    const now = this.#deps.clock.now();
    return now + (deadlineAt - now) / 2;
  }

  /** Reads each object once, however many refer to it. */
  #getting(): Get {
    const known = new Map<string, Promise<KubeObject | undefined>>();
    return (resource, namespace, name) => {
      const key = `${resource.plural}/${namespace}/${name}`;
      const reading = known.get(key) ?? this.#deps.objects.get(resource, namespace, name);
      known.set(key, reading);
      return reading;
    };
  }

  /** As its own host would ask, by what the API server says of the objects that it refers to. */
  async #requestFor(
    kind: Kind,
    { object, deadlineAt, traceparent }: OperationRequest,
    get: Get,
  ): Promise<OperationRequest> {
    const { registry } = this.#deps;
    const { namespace: own = '', name } = object.metadata;
    const from = { realm: kind.realm, plural: kind.plural, namespace: own, name };
    const dependencies: Record<string, KnownDependency> = {};
    for (const reference of kind.references(object)) {
      const target = registry.target(from, reference);
      const resource = registry.resource(target);
      if (resource === undefined || resource.metadataOnly === true) continue;
      const other = await get(resource, target.namespace, target.name);
      if (other === undefined) continue;
      const { id, ready, attributes } = registry.standing(target, other);
      if (id === undefined) continue;
      const isElsewhere = reference.namespace !== undefined && reference.namespace !== own;
      const key = isElsewhere
        ? `${reference.kind}/${reference.namespace}/${reference.name}`
        : `${reference.kind}/${reference.name}`;
      dependencies[key] = { id, ready, ...(attributes !== undefined && { attributes }) };
    }
    return { object, dependencies, deadlineAt, traceparent };
  }

  async #list(kind: Kind): Promise<Recorded> {
    const { objects, namespaces } = this.#deps;
    const recorded = new Map<string, KubeObject[]>();
    const resource = resourceOf(kind);
    try {
      for (const place of placesOf(resource, namespaces)) {
        for (const object of (await objects.list(resource, place)).items) {
          const externalId = recordedBy(kind, object);
          if (externalId === undefined) continue;
          const known = recorded.get(externalId);
          if (known === undefined) recorded.set(externalId, [object]);
          else known.push(object);
        }
      }
    } catch (error) {
      // A kind that the API server does not serve has no objects.
      if (!(error instanceof AbsentError)) throw error;
    }
    return recorded;
  }
}

/** Recorded id of the object; none if its code fails (I11). */
export function recordedBy(kind: Pick<Kind, 'life'>, object: KubeObject): string | undefined {
  try {
    return kind.life.recorded?.(object);
  } catch {
    return undefined;
  }
}

function identifying({ operations }: Pick<Kind, 'operations'>): Identify | undefined {
  return operations[IDENTIFY] as Identify | undefined;
}

function isSharing({ life }: Kind, { metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return life.shares === true && one.namespace === other.namespace;
}

/** Whether the resource may be left to `other` when `object` goes. */
function outlives(other: KubeObject, object: KubeObject): boolean {
  // mutant: shared-resource-left-by-all ||.2 -> true
  return other.metadata.deletionTimestamp === undefined || byAge(other, object) > 0;
}

function byAge({ metadata: one }: KubeObject, { metadata: other }: KubeObject): number {
  const text = ({ creationTimestamp = '', uid }: KubeObject['metadata']): string => `${creationTimestamp} ${uid}`;
  // mutant: rivals-youngest-first < -> $1 > $2
  return text(one) < text(other) ? -1 : 1;
}
