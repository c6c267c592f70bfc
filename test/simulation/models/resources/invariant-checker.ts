// Looks at every change of the API server and at every request that lands in the cloud, and says when an invariant (I1 to
// I11, actors/README.md) is broken.
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { isAnnotatedDetached } from '../../../../machines/annotations.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Landing } from '../../clouds.ts';
import type { HistoryContext } from '../../model.ts';
import type { Answered } from './answered.ts';
import {
  BY_KIND,
  BY_PLURAL,
  idOf,
  isRecorded,
  KINDS,
  OUR_FINALIZERS,
  ownFinalizerOf,
  referenceTo,
  sayingOf,
} from './kinds.ts';
import { deedOf, madeBy, subnetOf, takenOffBy, textsIn } from './requests.ts';
import { isTakenForOwn } from './taken-for-own.ts';

/** A resource that a create made. */
export interface Made {
  readonly id: string;
  readonly kind: string;
  /** Of the object that it was made for. */
  readonly uid: string;
  /** Ids of what it was built on, or uids of its objects. */
  readonly uses: ReadonlySet<string>;
}

/** Of the garbage collector: they hold nothing of ours. */
const COLLECTOR_FINALIZERS = new Set(['foregroundDeletion', 'orphan']);

export interface WatchmanDeps extends HistoryContext {
  readonly isInCloud: (kind: string, id: string) => boolean;
  readonly answered: Answered;
}

export class Watchman {
  readonly #deps: WatchmanDeps;
  /** Resources that are there, by id. */
  readonly made = new Map<string, Made>();
  /** Resources whose removal the cloud has taken up, and may not have done yet. */
  readonly #leaving = new Map<string, Made>();
  /** Images whose content is not what was sent. */
  readonly #spoilt = new Set<string>();
  /** Resources that were left in place on purpose. */
  readonly detached = new Set<string>();
  /** What somebody made outside, and no object has recorded yet, by id: as it was made. */
  readonly foreign = new Map<string, JsonObject>();
  /** Objects, by uid, that recorded what somebody else had made under their name. */
  readonly #adopters = new Set<string>();
  /** Deleted objects whose removal was asked for when nothing was built on them. */
  readonly #removing = new Set<string>();
  /** Objects whose resources may be left in the cloud. */
  readonly excused = new Set<string>();
  /** State before a change that is under way, by its request. */
  readonly #before = new WeakMap<Landing, Made>();
  /** Objects by uid. */
  readonly #objects = new Map<string, { readonly plural: string; readonly object: KubeObject }>();
  /** Objects by the id that their status names. */
  readonly #byId = new Map<string, string>();
  /** Objects that the cloud refused something. */
  readonly #refused = new Set<string>();
  /** Objects whose guards somebody took off by hand. */
  readonly unguarded = new Set<string>();
  /** Secrets, by namespace and name, whose guards somebody took off by hand before they went: of what came after nobody knows yet. */
  readonly #unseen = new Set<string>();
  #isByHand = false;

  constructor(deps: WatchmanDeps) {
    this.#deps = deps;
  }

  /** `network 'net0-a'` */
  nameOf(uid: string): string {
    const known = this.#objects.get(uid);
    return known === undefined
      ? `the object ${uid.slice(0, 8)}`
      : `${known.object.kind.toLowerCase()} '${known.object.metadata.name}'`;
  }

  objectOf(uid: string): KubeObject | undefined {
    return this.#objects.get(uid)?.object;
  }

  objects(): readonly KubeObject[] {
    return [...this.#objects.values()].map(({ object }) => object);
  }

  /** Whose status names the resource. */
  ownerOf(id: string): KubeObject | undefined {
    return this.#objects.get(this.#byId.get(id) ?? '')?.object;
  }

  /** Somebody takes finalizers off the object by hand: what follows is no defect. */
  byHand(object: KubeObject, run: () => void): void {
    this.unguarded.add(object.metadata.uid);
    // Whoever refers to what is gone concludes that it was never built on it.
    this.excuseDependents(object);
    this.#isByHand = true;
    run();
    this.#isByHand = false;
  }

  /** What they have built is not to be found by the object any more. */
  excuseDependents(used: KubeObject): void {
    for (const { object } of this.#objects.values())
      if (referenceTo(object, used) !== undefined) this.excused.add(object.metadata.uid);
  }

  #refersToUnguarded(object: KubeObject): boolean {
    return this.objects().some(
      (used) => this.unguarded.has(used.metadata.uid) && referenceTo(object, used) !== undefined,
    );
  }

  /** It was refused something, so that its status may tell of an error. */
  refused(uid: string): void {
    this.#refused.add(uid);
  }

  // --- the API server ------------------------------------------------------------------------------------------

  onChange(plural: string, { type, stored, previous }: Change): void {
    if (plural !== 'secrets' && !BY_PLURAL.has(plural)) return;
    const object = stored.object as unknown as KubeObject;
    const before = previous?.object as unknown as KubeObject | undefined;
    const { uid, finalizers = [] } = object.metadata;
    if (plural === 'secrets' && (type === 'DELETED' ? this.unguarded.has(uid) : finalizers.length > 0))
      this.#unseen[type === 'DELETED' ? 'add' : 'delete'](placeOf(object));
    if (type === 'DELETED') {
      this.#objects.delete(uid);
      if (before !== undefined) this.#gone(before);
    } else {
      // An object without its finalizer may be deleted before the objects that are built on it.
      if (type === 'ADDED' && this.#refersToUnguarded(object)) this.excused.add(uid);
      this.#objects.set(uid, { plural, object });
      if (before !== undefined && !this.#isByHand) this.#released(plural, before, object);
      this.#judgeStatus(object);
      this.#judgeOwner(object, before);
    }
    const id = idOf(object);
    const old = before === undefined ? undefined : idOf(before);
    if (old !== undefined && (old !== id || type === 'DELETED')) this.#byId.delete(old);
    if (id !== undefined && type !== 'DELETED') {
      this.#byId.set(id, uid);
      if (this.foreign.delete(id)) this.#onAdopted(uid, id);
    }
  }

  #gone(object: KubeObject): void {
    const { uid } = object.metadata;
    const isLeft = isDetached(object);
    for (const made of this.made.values()) {
      if (made.uid !== uid || this.excused.has(uid) || this.detached.has(made.id)) continue;
      if (isLeft) this.detached.add(made.id);
      else
        this.#violate(
          'I4',
          `${object.kind} '${object.metadata.name}' is gone, and its resource ${made.id} is still there`,
        );
    }
    for (const [id, left] of this.#leaving) {
      if (left.uid !== uid) continue;
      this.#leaving.delete(id);
      // Who was asked in time to leave it does not wait for the end of what it had removed.
      const isAwaited = !isLeft && !this.excused.has(uid);
      if (isAwaited && this.#deps.isInCloud(left.kind, id))
        this.#violate('I4', `${object.kind} '${object.metadata.name}' is gone, and its resource ${id} is still going`);
    }
    // What the cloud makes for it later stays in place, too.
    if (isLeft) this.excused.add(uid);
  }

  /** One living managed object has what it has recorded (EXTERNAL-RESOURCE-8). */
  #judgeOwner(object: KubeObject, before: KubeObject | undefined): void {
    const recorded = (of: KubeObject): string | undefined => BY_KIND.get(of.kind)?.life.recorded?.(of);
    const id = recorded(object);
    if (id === undefined || this.#isByHand || (before !== undefined && recorded(before) === id)) return;
    for (const { object: other } of this.#objects.values())
      if (other.metadata.uid !== object.metadata.uid && other.kind === object.kind && recorded(other) === id)
        this.#violate(
          'EXTERNAL-RESOURCE-8',
          `${this.nameOf(object.metadata.uid)} has ${id}, as ${this.nameOf(other.metadata.uid)} has`,
        );
    // Whoever records what nobody has any more has it from now on, whoever made it.
    const made = this.made.get(id);
    if (made !== undefined) this.made.set(id, { ...made, uid: object.metadata.uid });
  }

  /** Guards that were taken off (I3). */
  #released(plural: string, before: KubeObject, now: KubeObject): void {
    const kept = new Set(now.metadata.finalizers);
    const own = BY_PLURAL.get(plural)?.finalizer;
    for (const finalizer of before.metadata.finalizers ?? []) {
      if (kept.has(finalizer) || finalizer === own || !OUR_FINALIZERS.has(finalizer)) continue;
      const what = `the guard ${finalizer} of ${now.kind} '${now.metadata.name}'`;
      if (now.metadata.deletionTimestamp === undefined) {
        this.#violate('I3', `${what} was taken off, and the object is not being deleted`);
        continue;
      }
      for (const user of this.#usersOf(now, finalizer))
        this.#violate('I3', `${what} was taken off, and ${user.kind} '${user.metadata.name}' is built on it`);
    }
  }

  /** The objects that refer to this one under a finalizer, and have built on it. */
  #usersOf(now: KubeObject, finalizer: string): readonly KubeObject[] {
    const kind = KINDS.find(({ guards }) => guards.includes(finalizer));
    return [...this.made.values()].flatMap((made) => {
      const user = this.#objects.get(made.uid)?.object;
      if (kind === undefined || made.kind !== kind.kind || this.excused.has(made.uid) || user === undefined) return [];
      if (!isRecorded(user)) return [];
      const refers = referenceTo(user, now)?.finalizers.includes(finalizer) === true;
      // An empty text of a request names nobody, and what has no id yet is not built on.
      const ids = [idOf(now), now.metadata.uid];
      const builtOn = now.kind === 'Secret' || ids.some((id) => id !== undefined && made.uses.has(id));
      const isLeaving = isDetached(user) && user.metadata.deletionTimestamp !== undefined;
      return refers && builtOn && !isLeaving ? [user] : [];
    });
  }

  #judgeStatus(object: KubeObject): void {
    const { isRefused, isPassing, message } = sayingOf(object);
    if (!isRefused && !isPassing) return;
    if (this.#deps.isTroubled() || this.#refused.has(object.metadata.uid)) return;
    this.#violate(
      'I6',
      `${object.kind} '${object.metadata.name}' tells of an error, and nothing went wrong: ${message}`,
    );
  }

  // --- the cloud -----------------------------------------------------------------------------------------------

  onLanding(landing: Landing): void {
    const { method, path, body } = landing;
    // What was sent in time and done late was its sender's to ask for.
    if (method !== 'GET' && path !== '/auth/tokens' && landing.isLate !== true) this.judgeHost(landing, 'openstack');
    if (path.endsWith('/remove_router_interface')) {
      for (const made of this.#interfacesAt(path, body)) this.judgeRemoval(landing, this.ownerOf(made.id));
      return;
    }
    this.#judgeForeign(landing);
    const deed = deedOf(landing);
    if (deed?.what === 'make') this.#judgeCreate(landing, deed.kind, deed.uses);
    else if (deed?.what === 'remove') this.judgeRemoval(landing, this.ownerOf(deed.id ?? ''));
    else if (method !== 'GET' && path !== '/auth/tokens' && takenOffBy(landing) === undefined) this.#judgeUse(landing);
  }

  onAnswer(landing: Landing, status: number, answer: unknown, served: boolean): void {
    const { method, path, body, uid } = landing;
    if (status >= 400 && !(status === 404 && method !== 'POST')) this.#refused.add(uid);
    if (!served) {
      this.#refused.add(uid);
      // A refused change uses nothing.
      const before = this.#before.get(landing);
      if (before !== undefined && this.made.has(before.id)) this.made.set(before.id, before);
      return;
    }
    if (path.endsWith('/remove_router_interface')) {
      for (const made of this.#interfacesAt(path, body)) this.made.delete(made.id);
      return;
    }
    const deed = deedOf(landing);
    if (deed === undefined) {
      const released = method === 'DELETE' || status < 400 ? takenOffBy(landing) : undefined;
      if (released !== undefined) this.#onReleased(uid, released);
      return;
    }
    if (deed.what === 'make') {
      const id = madeBy(deed, answer);
      this.note({ id, kind: deed.kind, uid, uses: deed.uses });
      return;
    }
    const { id = '' } = deed;
    const removed = this.made.get(id);
    if (removed !== undefined) this.#leaving.set(id, removed);
    this.made.delete(id);
    // The cloud takes the subnets of a network away with it.
    for (const made of [...this.made.values()])
      if (made.kind === 'Subnet' && made.uses.has(id)) this.made.delete(made.id);
  }

  #interfacesAt(path: string, body: unknown): readonly Made[] {
    const [, , router = ''] = path.split('/');
    return [...this.made.values()].filter(
      ({ kind, uses }) => kind === 'RouterInterface' && uses.has(router) && uses.has(subnetOf(body)),
    );
  }

  /** Whoever uploaded it takes it away, and makes another. */
  onSpoilt({ path }: Landing): void {
    this.#spoilt.add(path.split('/')[2] ?? '');
  }

  /** Another client removed it: nothing is built on it any more. */
  onVanished(id: string): void {
    this.made.delete(id);
    for (const made of this.made.values())
      if (made.uses.has(id)) this.made.set(made.id, { ...made, uses: made.uses.difference(new Set([id])) });
  }

  note(made: Made): void {
    // What it was to have another object may have taken, when it was told to be called otherwise.
    const isAnothers = (id: string): boolean => (this.ownerOf(id)?.metadata.uid ?? made.uid) !== made.uid;
    for (const other of this.made.values())
      if (other.uid === made.uid && other.id !== made.id && !this.excused.has(made.uid) && !isAnothers(other.id))
        this.#violate('I4', `${this.nameOf(made.uid)} has two resources: ${other.id} and ${made.id}`);
    this.made.set(made.id, made);
    if (this.#adopters.has(made.uid)) this.detached.add(made.id);
  }

  /**
   * The object recorded a resource of its name that another user had made. If its own create was in doubt then, nothing distinguishes the two,
   * and its own one is left over.
   */
  #onAdopted(uid: string, id: string): void {
    this.#adopters.add(uid);
    for (const made of this.made.values()) if (made.uid === uid && made.id !== id) this.detached.add(made.id);
  }

  /** Whoever has lost its lease asks for nothing any more (P10). */
  judgeHost({ pod, uid, method, path }: Landing, realm: string): void {
    const { plural = '', object } = this.#objects.get(uid) ?? {};
    const { namespace = '', name = '' } = object?.metadata ?? {};
    const host = object && this.#deps.hostOf({ realm, plural, namespace, name });
    if (host !== undefined && host !== pod)
      this.#violate('P10', `${pod} asks for ${method} ${path} for ${this.nameOf(uid)}, which is ${host}'s`);
  }

  #judgeCreate({ uid, pod }: Landing, kind: string, uses: ReadonlySet<string>): void {
    const object = this.#objects.get(uid)?.object;
    if (this.excused.has(uid)) return;
    if (object === undefined) {
      // Its create was in doubt when it recorded another user's resource, which looked the same.
      if (this.#adopters.has(uid)) return;
      this.#violate('I4', `${pod} makes a ${kind} for ${this.nameOf(uid)}, which is gone`);
      return;
    }
    const finalizer = BY_KIND.get(kind)?.finalizer ?? '';
    const own = `${pod} makes ${this.nameOf(uid)}`;
    if (!object.metadata.finalizers?.includes(finalizer)) this.#violate('I4', `${own}, which lacks its own finalizer`);
    for (const id of uses) {
      const used = this.ownerOf(id);
      if (used === undefined || used.metadata.namespace !== object.metadata.namespace) continue;
      const isOwnedBy = object.metadata.ownerReferences?.some((owner) => owner.uid === used.metadata.uid) === true;
      // What it was built on while it was referred to is not referred to any more.
      const guards = referenceTo(object, used)?.finalizers ?? [finalizer];
      if (isOwnedBy) continue;
      if (!this.#retains(used, guards))
        this.#violate('I1', `${own} on ${this.nameOf(used.metadata.uid)}, which does not carry its guard`);
      if (referenceTo(object, used) !== undefined) this.#judgeAnswer(own, uid, used);
    }
    const secretName = (object.spec?.['cloudCredentialsRef'] as { readonly secretName?: string } | undefined)
      ?.secretName;
    const { namespace = '' } = object.metadata;
    if (secretName === undefined || this.#unseen.has(placeOf({ metadata: { namespace, name: secretName } }))) return;
    const secret = this.#deps.cluster.get('secrets', namespace, secretName);
    if (!secret?.metadata.finalizers?.includes(finalizer))
      this.#violate('I1', `${own}, and the secret '${secretName}' does not carry its guard`);
    if (secret !== undefined) this.#judgeAnswer(own, uid, secret);
  }

  /** What its predecessor was told does not count (P2). */
  #judgeAnswer(own: string, uid: string, used: KubeObject): void {
    const plural = BY_KIND.get(used.kind)?.plural ?? 'secrets';
    if (!this.#deps.answered.isReadyFor(uid, plural, used))
      this.#violate('P2', `${own}, and ${used.kind} '${used.metadata.name}' never said to it that it is ready`);
  }

  #retains({ metadata: { uid, finalizers = [] } }: KubeObject, guards: readonly string[]): boolean {
    return this.unguarded.has(uid) || guards.every((guard) => finalizers.includes(guard));
  }

  /** What a change builds on is guarded, as what a create does. */
  #judgeUse(landing: Landing): void {
    const { uid, pod, body, path } = landing;
    const object = this.#objects.get(uid)?.object;
    if (object === undefined || this.excused.has(uid)) return;
    const named = textsIn(body);
    for (const id of named) {
      const used = this.ownerOf(id);
      const guards = (used !== undefined && used !== object && referenceTo(object, used)?.finalizers) || [];
      if (used !== undefined && !this.#retains(used, guards))
        this.#violate(
          'I1',
          `${pod} changes ${this.nameOf(uid)} at ${path} with ${this.nameOf(used.metadata.uid)}, which does not carry its guard`,
        );
    }
    for (const made of this.made.values())
      if (made.uid === uid) {
        this.#before.set(landing, made);
        this.made.set(made.id, { ...made, uses: new Set([...made.uses, ...named]) });
      }
  }

  /** What was attached is taken off: nothing is built on it any more. */
  #onReleased(uid: string, ids: ReadonlySet<string>): void {
    for (const made of this.made.values())
      if (made.uid === uid && !made.uses.isDisjointFrom(ids))
        this.made.set(made.id, { ...made, uses: made.uses.difference(ids) });
  }

  /** What somebody else made is neither removed nor changed before an object has recorded it (EXTERNAL-RESOURCE-9). */
  #judgeForeign({ method, path, pod, uid }: Landing): void {
    const [, , id = ''] = path.split('/');
    const foreign = this.foreign.get(id);
    if (method === 'GET' || foreign === undefined) return;
    // That a create was in doubt then, whoever looks afterwards cannot tell either.
    if (method === 'DELETE' && isTakenForOwn(this.#objects.get(uid)?.object, foreign)) {
      this.foreign.delete(id);
      this.#onAdopted(uid, id);
      return;
    }
    this.#violate(
      'EXTERNAL-RESOURCE-9',
      `${pod} sends ${method} ${path} for ${this.nameOf(uid)}, and what is there somebody else made`,
    );
  }

  /** Of what is an object's own. */
  judgeRemoval({ pod, path }: Landing, object: KubeObject | undefined): void {
    if (object === undefined) return;
    const { uid, deletionTimestamp, finalizers = [], name } = object.metadata;
    const what = `${pod} removes the resource of ${object.kind} '${name}'`;
    if (this.#spoilt.has(path.split('/')[2] ?? '')) return;
    if (deletionTimestamp === undefined) {
      this.#violate('I2', `${what}, which is not being deleted`);
      return;
    }
    // Guards that nobody claims any more are still on it: they go together with the own finalizer.
    const strangers = finalizers.filter(
      (finalizer) => !COLLECTOR_FINALIZERS.has(finalizer) && !OUR_FINALIZERS.has(finalizer),
    );
    if (strangers.length > 0) this.#violate('I2', `${what}, which is held by ${strangers.join(', ')}`);
    // A resource that uses it and was left in place may be adopted again while the removal is repeated.
    if (this.#removing.has(uid)) return;
    this.#removing.add(uid);
    for (const finalizer of finalizers)
      if (finalizer !== ownFinalizerOf(object.kind))
        for (const user of this.#usersOf(object, finalizer))
          this.#violate('I2', `${what}, which ${user.kind} '${user.metadata.name}' is built on`);
  }

  #violate(invariant: string, text: string): void {
    this.#deps.violate(invariant, text);
  }
}

/** The resource outlives its object: as its spec says, or as the object that made it has told. */
function isDetached(object: KubeObject): boolean {
  const options = object.spec?.['managedOptions'] as { readonly onDelete?: unknown } | undefined;
  return options?.onDelete === 'detach' || isAnnotatedDetached(object);
}

function placeOf({
  metadata: { namespace = '', name },
}: {
  readonly metadata: Pick<KubeObject['metadata'], 'namespace' | 'name'>;
}): string {
  return `${namespace}/${name}`;
}
