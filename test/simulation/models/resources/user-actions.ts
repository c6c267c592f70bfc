// What people do: users of the API server, and others who change things in the cloud.
import { isDeepStrictEqual } from 'node:util';
import { randomUid } from '../../../../adapters/simulated/kubernetes/resources/api.ts';
import { CollectionName, type SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import { type JsonObject, toErrorData } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { REPRINT } from '../../../example-adapter/book.ts';
import type { Named } from '../../misfortunes.ts';
import type { HistoryContext } from '../../model.ts';
import { changesOf, outsideNetwork, referencesIn } from './changes.ts';
import { isDoor } from './families.ts';
import { collectionOf, isNetworking, resourceOf } from './in-cloud.ts';
import type { Watchman } from './invariant-checker.ts';
import { BY_KIND, idOf, isPress, sayingOf } from './kinds.ts';
import { LeftBehind } from './left-behind.ts';
import { manifestOf, type Planned, pathOf, pluralOf, SECRET } from './manifests.ts';
import { Operator } from './operator.ts';
import { renamingOf } from './requests.ts';
import type { ShopWatch } from './shop-watch.ts';
import { askedOfNetwork } from './taken-for-own.ts';

export interface PeopleDeps extends HistoryContext {
  readonly cloud: SimulatedCloud;
  readonly watchman: Watchman;
  readonly shopWatch: ShopWatch;
}

/** How often a user tries again what the API server did not take, in milliseconds. */
const AGAIN_MS = 700;
/** How long a resource is at work, or broken, in milliseconds. */
const BROKEN_MS = 15_000;

export class People {
  readonly #deps: PeopleDeps;
  readonly #operator: Operator;
  readonly #leftBehind: LeftBehind;
  /** Objects whose resource somebody else changed. */
  readonly altered = new Set<string>();
  /** Resources that were of no use for a while: an import that came then has not seen them well again. */
  readonly #broken = new Set<string>();
  /** Ids of networks that only look like an object's own. */
  readonly #twins: string[] = [];
  /** Objects that have such twins, and those that come after them under the same names. */
  readonly #twinned = new Set<string>();
  /** What users have asked for and the API server has not taken yet. */
  pending = 0;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
    const operator = new Operator(deps.cloud);
    this.#operator = operator;
    this.#leftBehind = new LeftBehind({ ...deps, operator, touch: (object, text) => this.touch(object, text) });
  }

  createSecret(namespace: string): void {
    const data = { 'clouds.yaml': Buffer.from(this.#deps.cloud.cloudsYaml('openstack')).toString('base64') };
    this.create({ kind: 'Secret', namespace, name: SECRET, resource: data });
  }

  /** Until the API server takes it, as whoever applies manifests again and again. */
  create(object: Planned): void {
    this.pending += 1;
    const untilMs = Math.max(this.#deps.patienceMs, this.#deps.time.elapsed() + AGAIN_MS * 20);
    const { kind, namespace, name, version } = object;
    const place = { kind, namespace, ...(version !== undefined && { version }) };
    const attempt = (): void => {
      const why = this.#post(object, pathOf(place));
      const there = this.#deps.cluster.get(pluralOf(kind), namespace, name);
      const isGoing = there === undefined || there.metadata.deletionTimestamp !== undefined;
      // Unless it is there, and stays.
      if (why !== undefined && isGoing && this.#deps.time.elapsed() < untilMs && !/not found/.test(why)) {
        this.#deps.time.after(AGAIN_MS, attempt);
        return;
      }
      this.pending -= 1;
      this.#deps.onChange();
    };
    attempt();
  }

  /** @returns why it was not taken */
  #post(object: Planned, path: string): string | undefined {
    const { cluster, clock, chronicle } = this.#deps;
    const { kind, namespace, name } = object;
    const isOpen = cluster.get('namespaces', '', namespace)?.metadata.deletionTimestamp === undefined;
    if (isOpen && cluster.get(pluralOf(kind), namespace, name) !== undefined) {
      // Chance goes on as if it had been asked: it gives an object a uid before it finds that there is one.
      randomUid(clock);
      return 'it is there already';
    }
    try {
      cluster.call({ method: 'POST', path, body: manifestOf(object) });
      chronicle.note(`user creates ${kind} ${name}`, () => `a user creates ${kind} '${name}'`);
      return undefined;
    } catch (error) {
      const { code, message } = toErrorData(error);
      if (code === 'terminal') throw error;
      return message;
    }
  }

  /** Once; what is not there is fine. */
  ask(what: string, method: 'DELETE' | 'PATCH', path: string, body?: JsonObject): void {
    try {
      this.#deps.cluster.call({
        method,
        path,
        ...(body !== undefined && { body, contentType: 'application/merge-patch+json' }),
      });
      this.#deps.chronicle.note(`user ${what}`, () => `a user ${what}`);
    } catch (error) {
      if (toErrorData(error).code !== 'absent') throw error;
    }
  }

  /** Changes a part of the spec of the object as it is now, if there is one. */
  edit(object: Named, spec: JsonObject): void {
    this.ask(`edits ${object.kind} '${object.name}': ${JSON.stringify(spec)}`, 'PATCH', pathOf(object), { spec });
  }

  /** Takes what it may be without off an object: the security groups of a port, the volumes of a server. */
  unrefer(object: Planned): void {
    if (object.resource['sequelTo'] !== undefined) this.edit(object, { sequelTo: null });
    const resource = referencesIn(object.resource, 'unreferred');
    if (Object.keys(resource).length > 0) this.edit(object, { resource });
  }

  /** Refers to them again. */
  refer(object: Planned): void {
    const { sequelTo } = object.resource;
    if (sequelTo !== undefined) this.edit(object, { sequelTo });
    const resource = referencesIn(object.resource, 'referred');
    if (Object.keys(resource).length > 0) this.edit(object, { resource });
  }

  /** Changes what may be changed of any object, so that it is looked at again. */
  touch(object: Named, text: string): void {
    const known = this.#deps.cluster.get(pluralOf(object.kind), object.namespace, object.name);
    if (known === undefined || object.kind === 'RouterInterface') return;
    this.edit(object, changesOf(known, text));
  }

  /** Changes what its resource is called, or what else it would be looked for by. */
  rename(object: Named, text: string): void {
    const { kind, namespace, name } = object;
    const resource = renamingOf(kind, `${namespace}-${name} ${text}`);
    const known = this.#deps.cluster.get(pluralOf(kind), namespace, name);
    if (resource !== undefined && known?.spec?.['resource'] !== undefined) this.edit(object, { resource });
  }

  /** Takes the status away, but for the id. */
  unsettle(object: Planned): void {
    const known = this.#deps.cluster.get(pluralOf(object.kind), object.namespace, object.name);
    if (known === undefined) return;
    this.#deps.onTrouble();
    // Of an object that is being deleted nobody writes it again before something else happens to it.
    this.altered.add(known.metadata.uid);
    this.ask(`takes the status of ${object.kind} '${object.name}' away`, 'PATCH', `${pathOf(object)}/status`, {
      status: isPress(object) ? { phase: 'Lost', observedGeneration: null } : { conditions: null },
    });
  }

  /** Takes what a Secret holds out of it. */
  empty(object: Planned): void {
    const data = Object.fromEntries(Object.keys(object.resource).map((key) => [key, null]));
    this.ask(`empties the Secret '${object.name}'`, 'PATCH', pathOf(object), { data });
  }

  /** Puts something else into it. */
  fill(object: Planned): void {
    const content = Buffer.from(`content at ${this.#deps.time.elapsed()}`).toString('base64');
    const data = Object.fromEntries(Object.keys(object.resource).map((key) => [key, content]));
    this.ask(`fills the Secret '${object.name}'`, 'PATCH', pathOf(object), { data });
  }

  /** By an annotation, which is taken away when that has been done. */
  reprint(object: Planned): void {
    const metadata = { annotations: { [REPRINT]: 'please' } };
    this.ask(`asks for another print of '${object.name}'`, 'PATCH', pathOf(object), { metadata });
  }

  /** Changes what the object makes for itself. */
  tamper(object: Planned, index: number): void {
    const child = this.#child(object, index);
    const known = child && this.#deps.cluster.get(pluralOf(child.kind), child.namespace, child.name);
    if (child === undefined || (known as { readonly immutable?: boolean } | undefined)?.immutable === true) return;
    const { kind, content } = child;
    const spoilt = 'data' in content ? { data: { title: 'spoilt' } } : { spec: { grams: 41 } };
    this.ask(`spoils ${kind} '${child.name}'`, 'PATCH', pathOf(child), spoilt);
  }

  /** What it says can be changed no more: a config map may be made so. */
  freeze(object: Planned, index: number): void {
    const child = this.#child(object, index);
    if (child === undefined || !('data' in child.content)) return;
    this.#deps.onTrouble();
    this.ask(`freezes ${child.kind} '${child.name}'`, 'PATCH', pathOf(child), { immutable: true });
  }

  takeChild(object: Planned, index: number): void {
    const child = this.#child(object, index);
    if (child !== undefined) this.ask(`takes ${child.kind} '${child.name}' away`, 'DELETE', pathOf(child));
  }

  #child({ kind, namespace, name }: Planned, index: number): (Named & { readonly content: JsonObject }) | undefined {
    const known = this.#deps.cluster.get(pluralOf(kind), namespace, name);
    const child = known && BY_KIND.get(kind)?.children(known)[index];
    return child && { ...child, namespace };
  }

  /** Until somebody puts it right. */
  writeNonsense(object: Planned): void {
    const known = this.#deps.cluster.get(pluralOf(object.kind), object.namespace, object.name);
    if (known === undefined) return;
    this.#deps.onTrouble();
    this.altered.add(known.metadata.uid);
    this.edit(object, { resyncPeriod: 'often' });
  }

  /** Of a deleted object only. */
  letGo(object: Planned): void {
    const known = this.#deps.cluster.get(pluralOf(object.kind), object.namespace, object.name);
    if (known?.spec?.['resource'] === undefined || object.kind === 'RouterInterface') return;
    if (known.metadata.deletionTimestamp !== undefined) this.edit(object, { managedOptions: { onDelete: 'detach' } });
  }

  /** What somebody wrote into a status, without the credentials to clean it up, nobody else can help to its end. */
  letStrandedGo(): void {
    const { cluster, watchman } = this.#deps;
    for (const { kind, metadata } of watchman.objects()) {
      const { uid, name, namespace = '' } = metadata;
      if (watchman.excused.has(uid) && cluster.get('secrets', namespace, SECRET) === undefined)
        this.letGo({ kind, namespace, name, resource: {} });
    }
  }

  /** All but the secret. */
  deleteObjects(namespace: string): void {
    for (const { kind, metadata } of this.#deps.watchman.objects())
      if (kind !== 'Secret' && metadata.namespace === namespace)
        this.ask(`deletes ${kind} '${metadata.name}'`, 'DELETE', pathOf({ kind, namespace, name: metadata.name }));
  }

  deleteNamespace(name: string): void {
    this.ask(`deletes namespace '${name}'`, 'DELETE', `/api/v1/namespaces/${name}`);
  }

  /** Somebody else changes a resource in the cloud. */
  alter(how: 'drift' | 'vanish' | 'build' | 'fail', { kind, namespace, name }: Planned): void {
    const object = this.#deps.cluster.get(`${kind.toLowerCase()}s`, namespace, name);
    if (object !== undefined && isPress(object)) {
      this.#alterInShop(how, object);
      return;
    }
    const id = object === undefined ? undefined : idOf(object);
    const collection = collectionOf(kind);
    if (object === undefined || id === undefined || collection === undefined) return;
    const resource = resourceOf(this.#deps.cloud, kind, id);
    if (resource === undefined) return;
    // Nothing is built on a port, as far as the cloud knows; what somebody uses of the others an operator cannot remove.
    const isForced = isNetworking(kind);
    if (how === 'vanish' && isForced && kind !== 'Port') return;
    if (how === 'drift' && resource['description'] === undefined) return;
    if (how === 'vanish' && !isForced && !this.#operator.remove(kind, id)) return;
    this.#deps.onTrouble();
    this.#deps.chronicle.note(`${how} ${name}`, () => `somebody in the cloud: ${how} of ${kind} '${name}'`);
    this.altered.add(object.metadata.uid);
    // Somebody wonders, and has it looked at.
    this.#deps.time.after(1_000, () => this.touch({ kind, namespace, name }, how));
    if (how === 'vanish') {
      if (isForced) this.#deps.cloud.drift.remove(collection, id);
      this.#deps.watchman.onVanished(id);
    } else if (how === 'drift') {
      this.#deps.cloud.drift.change(collection, id, { description: 'drifted' });
    } else if (kind !== 'Subnet') {
      const changeTo = (status: string): void => {
        if (this.#isInCloud(collection, id)) this.#deps.cloud.drift.change(collection, id, { status });
      };
      this.#broken.add(id);
      changeTo(how === 'build' ? 'BUILD' : 'ERROR');
      this.#deps.weather.last('a resource in the cloud', BROKEN_MS);
      this.#deps.time.after(BROKEN_MS, () => changeTo('ACTIVE'));
    }
  }

  #alterInShop(how: string, object: KubeObject): void {
    const { kind, metadata } = object;
    const { name, namespace = '', uid } = metadata;
    const { shopWatch, onTrouble, chronicle, time } = this.#deps;
    const isDone = how === 'vanish' ? shopWatch.rob(object) : shopWatch.swap(object);
    if (!isDone) return;
    onTrouble();
    chronicle.note(`${how} ${name}`, () => `somebody in the print shop: ${how} of ${kind} '${name}'`);
    this.altered.add(uid);
    time.after(1_000, () => this.touch({ kind, namespace, name }, how));
  }

  /** One that imports may look for. */
  makeNetwork(name: string): void {
    const { chronicle, cloud } = this.#deps;
    chronicle.note(`appear ${name}`, () => `somebody makes network '${name}' in the cloud`);
    cloud.drift.add(CollectionName.Networks, outsideNetwork(name, cloud.projectId));
  }

  /** What the floating IPs of a namespace need. */
  openDoor(namespace: string): void {
    const { chronicle } = this.#deps;
    chronicle.note(`open ${namespace}`, () => `an operator makes what floating IPs of '${namespace}' need`);
    this.#operator.open(namespace);
  }

  #isInCloud(collection: CollectionName, id: string): boolean {
    return this.#deps.cloud.resources(collection).some((resource) => resource['id'] === id);
  }

  /** Whether somebody has built on what was made for the object: it cannot be removed any more. */
  #isBuiltOn({ metadata: { uid } }: KubeObject): boolean {
    const { cloud, watchman } = this.#deps;
    const own = new Set([...watchman.made.values()].filter((made) => made.uid === uid).map(({ id }) => id));
    return [CollectionName.Ports, CollectionName.Subnets].some((collection) =>
      cloud.resources(collection).some((resource) => own.has(String(resource['network_id']))),
    );
  }

  /** Somebody makes what could be taken for the object's own. */
  mislead(how: 'twins' | 'usurp', { kind, namespace, name, filter }: Planned): void {
    // The floating IPs of a namespace need the very networks that an operator made.
    // Of several that look alike nobody can tell which is that of one that shares its name: not in the end either.
    if (kind !== 'Network' || name.startsWith('namesake') || isDoor(String(filter?.['name']))) return;
    const object = this.#deps.cluster.get(`${kind.toLowerCase()}s`, namespace, name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined || idOf(object) !== undefined) return;
    if (how === 'usurp' && this.#isBuiltOn(object)) return;
    this.#deps.onTrouble();
    this.#deps.chronicle.note(`${how} ${name}`, () => `somebody in the cloud: ${how} of ${kind} '${name}'`);
    const { cluster, cloud } = this.#deps;
    const { projectRef } = (object.spec?.['resource'] ?? {}) as { readonly projectRef?: string };
    const project = projectRef === undefined ? undefined : cluster.get('projects', namespace, projectRef);
    const projectId = (project && idOf(project)) ?? cloud.projectId;
    const completedLookup = String(filter?.['name'] ?? name);
    const twin = (): string => {
      const id = cloud.drift.add(CollectionName.Networks, outsideNetwork(completedLookup, projectId));
      this.#twins.push(id);
      return id;
    };
    if (how === 'twins') {
      this.altered.add(object.metadata.uid);
      this.#twinned.add(pathOf({ kind, namespace, name }));
      twin();
      twin();
      return;
    }
    // What its host has just made is removed, unless the host dies with it: nobody else knows of it.
    this.#deps.watchman.excused.add(object.metadata.uid);
    this.#deps.watchman.excuseDependents(object);
    const path = `${pathOf({ kind, namespace, name })}/status`;
    this.ask(`writes an id into the status of '${name}'`, 'PATCH', path, { status: { id: twin() } });
  }

  /** Somebody makes a network of the name that an object wants. It is theirs until the object has recorded it. */
  makeForeign({ kind, namespace, name, resource }: Planned, { isAlike }: { readonly isAlike: boolean }): void {
    const { chronicle, cloud, cluster, watchman, onTrouble } = this.#deps;
    onTrouble();
    const looks = isAlike ? ', as the object asks for' : '';
    chronicle.note(`foreign ${name}`, () => `somebody in the cloud: makes a network '${name}' of their own${looks}`);
    const made = { ...outsideNetwork(name, cloud.projectId), ...(isAlike && askedOfNetwork(resource)) };
    const id = cloud.drift.add(CollectionName.Networks, made);
    this.#twins.push(id);
    watchman.foreign.set(id, made);
    // With what the object makes there may be two that look alike.
    this.#twinned.add(pathOf({ kind, namespace, name }));
    const uid = cluster.get(`${kind.toLowerCase()}s`, namespace, name)?.metadata.uid;
    if (uid !== undefined) this.altered.add(uid);
  }

  /** Takes back what would mislead for ever; what was refused, or changed by others, nobody looks at by itself: a user does. */
  putRight(): void {
    for (const id of this.#twins)
      if (this.#deps.watchman.ownerOf(id) === undefined && this.#isInCloud(CollectionName.Networks, id))
        this.#deps.cloud.drift.remove(CollectionName.Networks, id);
    this.#leftBehind.removeDuplicates();
    for (const object of this.#deps.watchman.objects()) {
      const { kind, metadata } = object;
      const { isRefused, isPassing } = sayingOf(object);
      // What a resource was built on may have gone with all that was on it, when its guards were taken off by hand.
      const { namespace = '', name } = metadata;
      const isTwinned = this.#twinned.has(pathOf({ kind, namespace, name }));
      const isAltered = this.altered.has(metadata.uid) || this.#broken.has(idOf(object) ?? '');
      const isDoubtful = isTwinned || isAltered || this.#deps.watchman.excused.has(metadata.uid);
      if (
        kind === 'RouterInterface' ||
        kind === 'Secret' ||
        !(isRefused || isDoubtful || (isPassing && isPress(object)))
      )
        continue;
      if (object.spec?.['resource'] !== undefined) this.edit({ kind, namespace, name }, { resyncPeriod: null });
      this.touch({ kind, namespace, name }, isSaid(object, changesOf(object, 'touched')) ? 'touched anew' : 'touched');
    }
  }

  /** Removes what objects have left in the cloud. */
  cleanUp(): void {
    this.#leftBehind.cleanUp();
  }
}

/** Whether the spec is so already: such an edit is none, and nobody hears of it. */
function isSaid({ spec = {} }: KubeObject, { resource = {}, ...change }: JsonObject): boolean {
  const isWithin = (part: JsonObject, whole: JsonObject): boolean =>
    Object.entries(part).every(([field, value]) => isDeepStrictEqual(value, whole[field]));
  return isWithin(change, spec) && isWithin(resource as JsonObject, (spec['resource'] ?? {}) as JsonObject);
}
