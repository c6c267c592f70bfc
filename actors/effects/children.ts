// Child objects that an object creates in Kubernetes: applied by its field manager once its external resource is
// recorded, corrected or replaced when they differ, deleted before the object itself.
//
// Invariants:
//   CHILDREN-1. A child is always compared by the applied members only: additions of the API server or other writers
//       are no difference, and neither is the order of members.
//   CHILDREN-2. A child that others own too loses this owner, and stays.
//   CHILDREN-3. An attempt always ends only after all its requests: a late request of a failed attempt would undo, or
//       repeat, that of the next. An attempt whose lifecycle has ended meanwhile writes nothing more: the next one may
//       have done it already.
import type { Objects, Resource } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, addressKey, ConflictError, TransientError } from '../../bus/mod.ts';
import { DETACHED, isAnnotatedDetached } from '../../machines/annotations.ts';
import type { Child, Kind, Reference } from '../../machines/kind.ts';
import { type DependencyAnswer, type LabelPatch, type ObjectVersion, Readiness } from '../../machines/lifecycle.ts';
import type { Json, JsonObject, KubeObject, OwnerReference } from '../../machines/object.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import type { Registry } from '../object/registry.ts';
import type { UnreportedChildren } from './unreported-children.ts';

export interface ChildrenDeps {
  readonly objects: Pick<
    Objects,
    'applied' | 'apply' | 'addOwner' | 'get' | 'remove' | 'removeOwner' | 'mark' | 'patchStatus' | 'patchSpec'
  >;
  readonly registry: Registry;
  readonly unreported: Pick<UnreportedChildren, 'follow'>;
}

export interface Owner {
  readonly actor: Pick<ObjectActor, 'address' | 'dependencies'>;
  readonly object: KubeObject;
  readonly kind: Kind;
  /** Whether its lifecycle continues: the shard's lease may have been lost and acquired again. */
  readonly isAlive: () => boolean;
  /** Notifies the lifecycle of the deletion of a child that no answer will report. */
  readonly onChildGone: () => void;
  /** Aborted when the shard's lease is lost. */
  readonly signal: AbortSignal;
}

/** Makes sure of all children. @param more  beside those of the kind, or in place of them @returns messages of what is waited for */
export async function ensureChildren(
  deps: ChildrenDeps,
  owner: Owner,
  more: readonly Child[] = [],
): Promise<readonly string[]> {
  const isInPlaceOf = (child: Child) => (other: Child) => other.kind === child.kind && other.name === child.name;
  const usual = owner.kind.children(owner.object).filter((child) => !more.some(isInPlaceOf(child)));
  const children = [...usual, ...more];
  const waiting = await ended(children.map((child) => ensureChild(deps, owner, child)));
  // Whatever was done for it, it was there.
  // mutant: unreported-child-forgotten drop
  for (const child of children) if (child.isUnwanted !== true) followUnreported(deps, owner, child);
  return waiting.flat();
}

/** Reads a child again that its owner was not told of (UNREPORTED-CHILDREN-1). One without a claim is never told of. */
function followUnreported(deps: ChildrenDeps, owner: Owner, child: Child): void {
  const { resource, namespace, key } = placeOf(deps, owner, child);
  const { uid } = owner.object.metadata;
  void deps.unreported.follow({
    id: `${uid} ${key}`,
    resource,
    namespace,
    name: child.name,
    signal: owner.signal,
    onGone: owner.onChildGone,
    isUnreported: () => owner.isAlive() && answerFrom(deps, owner, key)?.readiness === Readiness.Absent,
  });
}

/** The last answer to the owner's claim on a child. */
function answerFrom(
  { registry }: Pick<ChildrenDeps, 'registry'>,
  { actor }: Pick<Owner, 'actor'>,
  key: string,
): DependencyAnswer | undefined {
  return actor.dependencies().find((each) => addressKey(registry.target(actor.address, each)) === key)?.answer;
}

/** Results of all, once each has ended (CHILDREN-3). @throws the first failure */
async function ended<Result>(all: readonly Promise<Result>[]): Promise<readonly Result[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

async function ensureChild(deps: ChildrenDeps, owner: Owner, child: Child): Promise<readonly string[]> {
  const { objects, registry } = deps;
  const { object, kind } = owner;
  const { resource, namespace, key } = placeOf(deps, owner, child);
  const manager = kind.fieldManagers.children ?? kind.fieldManagers.guards;
  const waiting = (until: 'ready' | 'deleted'): readonly string[] => [
    `Waiting for ${child.kind.toLowerCase()}/${child.name} to be ${until}`,
  ];
  const apply = (known: KubeObject | undefined): Promise<KubeObject> =>
    objects.apply(resource, { namespace, name: child.name }, child.content, {
      manager,
      owners: ownersOf(owner, child, namespace, known),
      labels: child.labels,
      known,
    });
  const own = (known: KubeObject): Promise<KubeObject> =>
    objects.mark(resource, { namespace, name: child.name, uid: known.metadata.uid }, `${manager}/owner`, {
      labels: {},
      owners: [ownerReferenceTo(object)],
    });
  const answer = answerFrom(deps, owner, key);
  if (child.isUnwanted === true) return (await removeChild(deps, owner, child)) ? [] : waiting('deleted');
  // Its actor may have said that it is absent before it was made: the API server knows.
  const found = await objects.applied(resource, namespace, child.name, manager);
  refuseEnded(owner);
  if (found === undefined) {
    try {
      await apply(undefined);
    } catch (error) {
      // An earlier attempt or another host created it, and the message about it is on its way: the next attempt reads
      // it (I6).
      // mutant: made-child-fails-pass if -> true
      if (!(error instanceof ConflictError)) throw error;
    }
    return waiting('ready');
  }
  const { object: present, fields } = found;
  if (present.metadata.deletionTimestamp !== undefined) return waiting('deleted');
  const isOwned = namespace !== object.metadata.namespace || isOwnedBy(object, present);
  const isAsWanted =
    child.onDrift === 'keep' ||
    (isAsApplied(child.content, present, fields) && isMarked(owner, child, present, fields));
  if (!isAsWanted || !isOwned) {
    if (child.onDrift === 'replace' && !isAsWanted) {
      await objects.remove(resource, { namespace, name: child.name, uid: present.metadata.uid });
      return waiting('deleted');
    }
    // Each of a thousand owners of a shared child adds only itself, without knowing the others.
    if (isAsWanted && present.metadata.ownerReferences?.length) {
      await objects.addOwner(resource, present, ownerReferenceTo(object));
    } else if (isAsWanted && child.onDrift === 'keep') await own(present);
    else await apply(present);
    return waiting('ready');
  }
  // It says that it is ready before its status does, and says so once: a pass that waited for the status would wait for ever.
  const isReady = answer?.readiness === Readiness.Ready && answer.uid === present.metadata.uid;
  return isReady || registry.standing(resource, present).ready ? [] : waiting('ready');
}

type Other = Pick<Reference, 'kind' | 'name' | 'namespace'>;

/** Dependency of the owner, as last reported. @throws {TransientError} it was not reported */
function heardOf(
  { registry }: Pick<ChildrenDeps, 'registry'>,
  { actor }: Pick<Owner, 'actor'>,
  other: Other,
): { readonly resource: Resource; readonly namespace: string; readonly name: string; readonly uid: string } {
  const target = registry.target(actor.address, other);
  const resource = registry.resource(target);
  if (resource === undefined) throw new TypeError(`kind '${other.kind}' is not known`);
  const known = actor
    .dependencies()
    .find((each) => addressKey(registry.target(actor.address, each)) === addressKey(target));
  if (known?.answer === undefined || known.answer.readiness === Readiness.Absent)
    throw new TransientError(`${other.kind} '${other.name}' has not answered yet`);
  return { resource, namespace: target.namespace, name: target.name, uid: known.answer.uid };
}

/** Owner reference to a dependency of the object. */
export function ownerAmong(
  deps: Pick<ChildrenDeps, 'registry'>,
  { actor }: Pick<Owner, 'actor'>,
  other: Other,
): OwnerReference {
  const { resource, name, uid } = heardOf(deps, { actor }, other);
  const { group, version, kind } = resource;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, name, uid };
}

/** Says something in the status of what the owner refers to. */
export async function patchReferencedStatus(
  deps: ChildrenDeps,
  owner: Owner,
  other: Other,
  manager: string,
  status: JsonObject,
): Promise<void> {
  const { resource, namespace, name, uid } = heardOf(deps, owner, other);
  const present = await deps.objects.get(resource, namespace, name);
  refuseEnded(owner);
  if (present?.metadata.uid !== uid) throw new TransientError(`${other.kind} '${name}' is another one by now`);
  await deps.objects.patchStatus(resource, present, manager, status);
}

/** Changes the spec of another object, as it was seen. */
export async function patchObjectSpec(
  { objects, registry }: ChildrenDeps,
  { actor }: Owner,
  { uid, resourceVersion, ...other }: ObjectVersion,
  manager: string,
  spec: JsonObject,
): Promise<void> {
  const { namespace, name, ...place } = registry.target(actor.address, other);
  const resource = registry.resource(place);
  if (resource === undefined) throw new TypeError(`kind '${other.kind}' is not known`);
  await objects.patchSpec(resource, { metadata: { namespace, name, uid, resourceVersion } }, manager, spec);
}

/** Sets labels on a dependency of the owner, as last reported. */
export async function mark(
  deps: ChildrenDeps,
  owner: Owner,
  other: Other,
  { manager, labels, isOwned }: LabelPatch,
): Promise<void> {
  const { resource, ...marked } = heardOf(deps, owner, other);
  const owners = isOwned ? [ownerReferenceTo(owner.object)] : [];
  await deps.objects.mark(resource, marked, `${manager}/${owner.object.metadata.uid}`, { labels, owners });
}

/**
 * Requests the deletion of all children, and returns whether all were deleted already.
 *
 * @param more others, named elsewhere than in the kind: those without our owner reference are left
 */
export async function removeChildren(
  deps: ChildrenDeps,
  owner: Owner,
  more: readonly Other[] = [],
  { isDetached = false }: { readonly isDetached?: boolean } = {},
): Promise<{ readonly gone: boolean }> {
  const usual = owner.kind.children(owner.object);
  const others = more.map((child) => ({ ...child, isUnwanted: true }) as const);
  const gone = await ended([...usual, ...others].map((child) => removeChild(deps, owner, child, isDetached)));
  return { gone: gone.every(Boolean) };
}

/**
 * @returns whether nothing is left of it
 * @param isDetached  whether its external resource stays
 */
async function removeChild(
  deps: ChildrenDeps,
  owner: Owner,
  child: Other & Pick<Child, 'isUnwanted'>,
  isDetached = false,
): Promise<boolean> {
  const { objects } = deps;
  const { uid } = owner.object.metadata;
  const { resource, namespace } = placeOf(deps, owner, child);
  const present = await objects.get(resource, namespace, child.name);
  refuseEnded(owner);
  // mutant: child-of-others-removed ||.2 -> false
  if (present === undefined || (child.isUnwanted === true && !isOwnedBy(owner.object, present))) return true;
  const { ownerReferences = [], deletionTimestamp } = present.metadata;
  // mutant: shared-child-deleted if -> false
  if (ownerReferences.some((other) => other.uid !== uid)) {
    if (isOwnedBy(owner.object, present)) await objects.removeOwner(resource, present, uid);
    return true;
  }
  const known = { namespace, name: child.name, uid: present.metadata.uid };
  // Before the deletion, and also when it waits already: it ends with what is known then.
  // mutant: detached-child-removed if -> false
  if (isDetached && !isAnnotatedDetached(present)) {
    const { guards, children: manager = guards } = owner.kind.fieldManagers;
    await objects.mark(resource, known, `${manager}/detach`, { labels: {}, annotations: DETACHED, owners: [] });
  }
  if (deletionTimestamp === undefined) await objects.remove(resource, known);
  return false;
}

/** @throws {AbsentError} the read data belongs to a lifecycle that has ended (CHILDREN-3) */
function refuseEnded({ actor, isAlive }: Owner): void {
  if (!isAlive()) throw new AbsentError(`'${addressKey(actor.address)}' is not hosted here any more`);
}

function placeOf(
  { registry }: ChildrenDeps,
  { actor }: Owner,
  child: Other,
): { readonly resource: Resource; readonly namespace: string; readonly key: string } {
  const target = registry.target(actor.address, child);
  const resource = registry.resource(target);
  if (resource === undefined) throw new TypeError(`kind '${child.kind}' is not known`);
  return { resource, namespace: target.namespace, key: addressKey(target) };
}

function isOwnedBy({ metadata: { uid } }: KubeObject, { metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

/** Owners of the child: an apply with our manager states all of them (CHILDREN-2). */
function ownersOf(
  { object }: Pick<Owner, 'object'>,
  { isControlled }: Pick<Child, 'isControlled'>,
  namespace: string,
  known: KubeObject | undefined,
): readonly OwnerReference[] {
  const others = (known?.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== object.metadata.uid);
  // The API server takes an owner in another namespace for a deleted one, and deletes the object.
  if (object.metadata.namespace !== undefined && object.metadata.namespace !== namespace) return others;
  const isController = isControlled === true && !others.some(({ controller }) => controller === true);
  return [...others, { ...ownerReferenceTo(object), ...(isController && { controller: true }) }];
}

/** Whether it has the labels that were asked for, none that were before (CHILDREN-1), and a controller if it is to. */
function isMarked(
  { object }: Pick<Owner, 'object'>,
  { labels, isControlled }: Child,
  { metadata }: KubeObject,
  fields: JsonObject,
): boolean {
  if (labels !== undefined) {
    const { 'f:labels': applied = {} } = (fields['f:metadata'] ?? {}) as JsonObject;
    if (!holds(metadata.labels ?? {}, labels) || ownsMore(applied as JsonObject, labels)) return false;
  }
  const { ownerReferences = [] } = metadata;
  if (isControlled !== true || ownerReferences.every(({ uid }) => uid !== object.metadata.uid)) return true;
  return ownerReferences.some(({ controller }) => controller === true);
}

function ownerReferenceTo({ apiVersion, kind, metadata: { name, uid } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid };
}

/**
 * Whether the object says what it should (CHILDREN-1).
 *
 * @param fields  what our field manager owns of it, as its managedFields say
 */
export function isAsApplied(content: JsonObject, present: KubeObject, fields: JsonObject): boolean {
  return Object.entries(content).every(([part, wanted]) => {
    const stored = (present as unknown as JsonObject)[part];
    // mutant: child-keeps-unwanted return -> $1 || $2
    return holds(stored, wanted) && !ownsMore((fields[`f:${part}`] ?? {}) as JsonObject, wanted);
  });
}

/** Whether `stored` says all that is wanted, whatever else it says. */
function holds(stored: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(stored) && stored.length === wanted.length && wanted.every((item, at) => holds(stored[at], item))
    );
  if (typeof wanted !== 'object' || wanted === null) return stored === wanted;
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return false;
  return Object.entries(wanted).every(([name, value]) => holds((stored as JsonObject)[name], value));
}

/** Whether something was applied that is not wanted any more. Items of lists are compared by their values. */
function ownsMore(fields: JsonObject, wanted: Json): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.entries(fields).some(([field, inner]) => {
    if (!field.startsWith('f:')) return false;
    const value = (wanted as JsonObject)[field.slice(2)];
    return value === undefined || ownsMore((inner ?? {}) as JsonObject, value);
  });
}
