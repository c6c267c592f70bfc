// What must hold when nothing goes on any more: what could not be reached, and what was left over.
import type { SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Cluster } from '../../cluster.ts';
import { collectionOf, isInCloud, resourceOf } from './in-cloud.ts';
import type { Watchman } from './invariant-checker.ts';
import {
  BY_KIND,
  idOf,
  isPress,
  isRecorded,
  isWithout,
  type Leading,
  MADE_PLURALS,
  PLURALS,
  referencesOf,
  referenceTo,
  sayingOf,
} from './kinds.ts';
import { AMBIGUOUS } from './left-behind.ts';
import { isNamesake } from './namesakes.ts';
import { textsIn } from './requests.ts';
import type { ShopWatch } from './shop-watch.ts';

export interface Scene {
  readonly cluster: Cluster;
  readonly cloud: SimulatedCloud;
  readonly watchman: Watchman;
  readonly shopWatch: ShopWatch;
}

/** What is not yet as it has to be in the end; undefined when all is. */
export function unrest({ cluster, cloud, watchman, shopWatch }: Scene): string | undefined {
  const objects = new Map<string, KubeObject>();
  const key = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${namespace}/${name}`;
  for (const plural of [...PLURALS, 'secrets'])
    for (const object of cluster.objects(plural))
      objects.set(key(object.kind, object.metadata.namespace, object.metadata.name), object);
  /**
   * A user wrote another id into the status of a Network: its Subnet stays where it was made, and a Port, whose create is
   * refused then, waits until the user deletes the Subnet.
   */
  const isOnOtherNetwork = (object: KubeObject): boolean =>
    idOf(object) === undefined &&
    referencesOf(object).some((reference) => {
      const subnet = objects.get(key(reference.kind, reference.namespace, reference.name));
      const id = subnet?.kind === 'Subnet' ? idOf(subnet) : undefined;
      if (subnet === undefined || id === undefined) return false;
      const network = referencesOf(subnet).find(({ kind }) => kind === 'Network');
      const target = network && objects.get(key(network.kind, network.namespace, network.name));
      const made = resourceOf(cloud, 'Subnet', id)?.['network_id'];
      return made !== undefined && target !== undefined && idOf(target) !== made;
    });
  const possible = new Map<KubeObject, boolean>();
  const isThere = ({ kind, namespace, name }: Needed): boolean => {
    const target = objects.get(key(kind, namespace, name));
    return target !== undefined && isPossible(target);
  };
  /** Whether everything that the object needs is there, and stays. */
  const isPossible = (object: KubeObject): boolean => {
    const known = possible.get(object);
    if (known !== undefined) return known;
    possible.set(object, true);
    const answer =
      object.metadata.deletionTimestamp === undefined &&
      !isEmpty(object) &&
      !isGivenUp(object) &&
      !isOnOtherNetwork(object) &&
      // What it makes for itself needs what it refers to.
      referencesOf(object).every((needed) =>
        needed.neededFor === 'never' ? ownNeeds(object).every(isThere) : isThere(needed),
      ) &&
      isFound(object, cloud);
    possible.set(object, answer);
    return answer;
  };
  /**
   * An id that a user wrote put no guard on the credentials, and somebody may have taken it off by hand, or that of the
   * router through which an interface has them: without them, what the id names cannot be cleaned up. A successor that goes
   * before it was ever built does not have them, and waits for what is stranded. A resource that may have been made and is not
   * recorded is not identified without its reference.
   */
  const isStranded = (object: KubeObject): boolean =>
    watchman.excused.has(object.metadata.uid) &&
    referencesOf(object).some(({ kind, namespace, name, neededFor }) => {
      const target = objects.get(key(kind, namespace, name));
      if (idOf(object) === undefined) return isGoing(object) && neededFor === 'create' && isLocked(target, object);
      if (neededFor !== 'always') return false;
      return BY_KIND.has(kind) ? isWithout(target) || isLocked(target, object) : target === undefined;
    });
  /** The successor of a dependency has no id: it waits for a deleted object that `object` holds. */
  const isLocked = (target: KubeObject | undefined, object: KubeObject): boolean =>
    target !== undefined &&
    idOf(target) === undefined &&
    referencesOf(target).some(({ kind, namespace, name }) => {
      const used = objects.get(key(kind, namespace, name));
      return used !== undefined && isGoing(used) && referenceTo(object, used) !== undefined;
    });
  /**
   * A namesake was built while the create of this object, or of another namesake, was still on its way: then there are two by the
   * name, the late one is not recorded, and this one does not guess. It says so until somebody edits it, also when the other has gone.
   */
  const isAmbiguous = (object: KubeObject): boolean =>
    sayingOf(object).message === AMBIGUOUS &&
    idOf(object) === undefined &&
    isNamesake(object) &&
    [...watchman.made.values()].some(({ id, uid }) => {
      const maker = watchman.objectOf(uid);
      const isOfOther = maker !== undefined && isNamesake(maker) && watchman.ownerOf(id) === undefined;
      return (uid === object.metadata.uid || isOfOther) && isInCloud(cloud, object.kind, id);
    });
  const ids = new Set<string>();
  for (const object of objects.values()) {
    const { name, uid, generation, deletionTimestamp } = object.metadata;
    const what = `${object.kind} '${name}'`;
    const id = idOf(object);
    if (id !== undefined) ids.add(id);
    // What has no id goes by the uid.
    ids.add(uid);
    const isBeyondHelp = isStranded(object);
    if (deletionTimestamp !== undefined && !isBeyondHelp) {
      const holders = [...objects.values()].filter(
        (other) => holds(other, object, watchman, objects, cloud) || (isOwnOf(other, object) && isStranded(other)),
      );
      if (holders.length === 0 && !isAmbiguous(object))
        return `${what} is deleted, nothing needs it, and it is still there`;
      // Whose code failed begins again, and says what it waits for, unless it was never ours to let go.
      const { message = '' } = sayingOf(object);
      const isOurs = object.metadata.finalizers?.includes(BY_KIND.get(object.kind)?.finalizer ?? '') === true;
      if (isOurs && message.startsWith('Internal error'))
        return `${what} is deleted, and has not tried again: ${message}`;
      continue;
    }
    if (isBeyondHelp || object.kind === 'Secret') continue;
    const { isPassing, isAvailable, isDone, message = 'it says nothing', observedGeneration } = sayingOf(object);
    // What went wrong goes wrong no more: it tells what it waits for when it has tried again.
    if (isPassing && !isOnOtherNetwork(object)) return `${what} has not tried again: ${message}`;
    // Also what goes on waiting says so of its last edit, when it has looked.
    if (observedGeneration !== generation && !isPress(object)) return `${what} has not looked at its edit`;
    const conflictingOwner = /^Waiting for (\S+) (\S+)\/(\S+) to be deleted, which has (\S+):/.exec(message);
    if (conflictingOwner !== null) {
      const [, kind = '', namespace, name = '', theirs] = conflictingOwner;
      const owner = objects.get(key(kind, namespace, name));
      if (owner === undefined || idOf(owner) !== theirs) return `${what} waits for whoever had ${theirs}`;
      continue;
    }
    if (!isPossible(object) || isAmbiguous(object)) continue;
    if (!isAvailable || !isDone) return `${what} is not available: ${message}`;
    if (observedGeneration !== generation) return `${what} is not up to date`;
    if (!isRecorded(object)) return `${what} is available and has no id`;
    if (collectionOf(object.kind) !== undefined && !isInCloud(cloud, object.kind, id ?? ''))
      return `${what} is available, and ${id} is not in the cloud`;
    const why = isPress(object) ? (shopWatch.unrest(object) ?? shopWatch.unrestOfChildren(object)) : undefined;
    if (why !== undefined) return `${what} is available, and ${why}`;
  }
  const living = new Set([...objects.values()].map(({ metadata }) => metadata.uid));
  for (const child of MADE_PLURALS.flatMap((plural) => cluster.objects(plural)))
    if (!child.metadata.ownerReferences?.some(({ uid }) => living.has(uid)))
      return `${child.kind} '${child.metadata.name}' is still there, and who made it is gone`;
  // Of an object that is being deleted somebody may have taken the id away; one that cannot be built looks for what was made
  // for it, late, when it can, or when it is deleted.
  const isExcused = (object: KubeObject): boolean =>
    isGoing(object) || (idOf(object) === undefined && (!isPossible(object) || isAmbiguous(object)));
  const open = new Set([...objects.values()].filter(isExcused).map(({ metadata }) => metadata.uid));
  for (const { id, uid } of watchman.made.values())
    if (!ids.has(id) && !open.has(uid) && !watchman.detached.has(id) && !watchman.excused.has(uid))
      return `${id}, made for ${watchman.nameOf(uid)}, is in the cloud and nobody's`;
  return undefined;
}

const isOwnOf = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;

/** A Secret without what somebody is made of. */
const isEmpty = ({ kind, data }: KubeObject & { readonly data?: object }): boolean =>
  kind === 'Secret' && Object.keys(data ?? {}).length === 0;

/** Of an image whose content failed too often nothing more is tried; whoever wants it makes another. */
const isGivenUp = (object: KubeObject): boolean =>
  object.kind === 'Image' && sayingOf(object).message?.startsWith('Unable to download content after') === true;

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

type Needed = Pick<Leading, 'kind' | 'namespace' | 'name'>;

/** What the object that another makes for itself refers to, that one aside. */
function ownNeeds(object: KubeObject): readonly Needed[] {
  const children = BY_KIND.get(object.kind)?.children(object) ?? [];
  const references = children.flatMap(({ kind, content }) => referencesOf({ ...object, kind, ...content }));
  return references.filter(({ kind, name }) => kind !== object.kind || name !== object.metadata.name);
}

/** Whether `other` has a claim on a deleted object that holds it in the end. */
function holds(
  other: KubeObject,
  deleted: KubeObject,
  watchman: Watchman,
  objects: ReadonlyMap<string, KubeObject>,
  cloud: SimulatedCloud,
): boolean {
  const { unguarded, made, detached, excused } = watchman;
  if (other === deleted) return false;
  const kind = BY_KIND.get(other.kind);
  const reference = referenceTo(other, deleted);
  if (kind === undefined || reference === undefined || reference.finalizers.length === 0) return false;
  // Adopted after it had been left in place, it holds in the cloud what no guard can be put on any more.
  if (detached.has(idOf(other) ?? '')) return true;
  // Nothing holds it any more, and the cloud does.
  if (unguarded.has(deleted.metadata.uid)) return true;
  // An edit gave it up, and another took that back before the cloud had followed: no guard can be put on it again.
  if (!isGoing(other) && isUsedInCloud(other, deleted, cloud)) return true;
  if (!(deleted.metadata.finalizers ?? []).some((finalizer) => reference.finalizers.includes(finalizer))) return false;
  const isBuilt =
    [...made.values()].some(({ uid }) => uid === other.metadata.uid) ||
    idOf(other) !== undefined ||
    sayingOf(other).isAvailable;
  // What a server waits for it was seen not to have.
  const { kind: of, metadata: whose } = deleted;
  const lacks = `Waiting for ${of}/${whose.name} to be ready`;
  if (other.kind === 'Server' && idOf(other) !== undefined && sayingOf(other).message?.includes(lacks)) return false;
  // Whether it was ever built is looked at when nobody holds it any more.
  const isHeld = (): boolean =>
    isGoing(other) && [...objects.values()].some((third) => holds(third, other, watchman, objects, cloud));
  // Somebody may have taken its own finalizer off by hand.
  const isOwned = other.metadata.finalizers?.includes(kind.finalizer) === true || excused.has(other.metadata.uid);
  return isOwned && (isBuilt || isHeld());
}

/** Whether the cloud shows, at either of them, that what one object has uses what the other has. */
function isUsedInCloud(user: KubeObject, used: KubeObject, cloud: SimulatedCloud): boolean {
  const names = (object: KubeObject, other: KubeObject): boolean => {
    const collection = collectionOf(object.kind);
    const resource =
      collection === undefined ? undefined : cloud.resources(collection).find(({ id }) => id === idOf(object));
    return resource !== undefined && textsIn(resource).has(idOf(other) ?? '');
  };
  return names(used, user) || names(user, used);
}

/** Whether what an import looks for is there. */
function isFound({ kind, spec }: KubeObject, cloud: SimulatedCloud): boolean {
  const filter = (spec?.['import'] as { readonly filter?: { readonly name?: string } } | undefined)?.filter;
  const collection = collectionOf(kind);
  if (filter === undefined || collection === undefined) return true;
  return cloud.resources(collection).some((resource) => resource['name'] === filter.name);
}
