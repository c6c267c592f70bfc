// Resources that deleted objects left in the cloud: users remove them in the end, and edit the objects that were refused because of them.
import { CollectionName, type SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Named } from '../../misfortunes.ts';
import { collectionOf, isInCloud, isNetworking, resourceOf } from './in-cloud.ts';
import type { Made, Watchman } from './invariant-checker.ts';
import { idOf, sayingOf } from './kinds.ts';
import type { Operator } from './operator.ts';
import type { ShopWatch } from './shop-watch.ts';

export interface LeftBehindDeps {
  readonly cloud: Pick<SimulatedCloud, 'resources'> & { readonly drift: Pick<SimulatedCloud['drift'], 'remove'> };
  readonly watchman: Pick<Watchman, 'detached' | 'excused' | 'made' | 'objects' | 'ownerOf' | 'onVanished'>;
  readonly shopWatch: Pick<ShopWatch, 'remove'>;
  readonly operator: Pick<Operator, 'remove'>;
  /** A user edits the object. */
  readonly touch: (object: Named, text: string) => void;
}

/** Text of an object that does not guess which of several resources with its name is its own. */
export const AMBIGUOUS = 'found more than one matching OpenStack resource during adoption';
/** A port has one floating IP of a network. Only one with a stated address is ever adopted: the next object is refused another. */
const PORT_IS_TAKEN = / answered 409: Cannot associate floating IP .* with port (\S+) .*already has a floating IP on /;

export class LeftBehind {
  readonly #deps: LeftBehindDeps;
  /** Names and ports that were freed by a removal, and the uids of the objects that were edited since. */
  readonly #freed = new Map<string, Set<string>>();
  /** Uids of the deleted objects that were edited since their name is unique. */
  readonly #clear = new Set<string>();

  constructor(deps: LeftBehindDeps) {
    this.#deps = deps;
  }

  /** Removes what users let go, or took the guards or the finalizer off. */
  cleanUp(): void {
    this.#removeDetached();
    this.#removeMade();
    this.#removeNamesakes();
    this.#retryRefused();
    this.#retryAmbiguous();
  }

  /**
   * A detached port holds its subnet until a user removes it. A detached project may be taken for one that a deleted object of the same
   * name made, whose domain does not exist any more.
   */
  #removeDetached(): void {
    const { cloud, watchman } = this.#deps;
    for (const id of watchman.detached)
      for (const collection of [CollectionName.Ports, CollectionName.Projects])
        if (watchman.ownerOf(id) === undefined && this.#isIn(collection, id)) cloud.drift.remove(collection, id);
  }

  #removeMade(): void {
    const { watchman } = this.#deps;
    const living = new Set(watchman.objects().map(({ metadata }) => metadata.uid));
    for (const made of watchman.made.values())
      if (!living.has(made.uid) && watchman.excused.has(made.uid)) this.#removeUnrecorded(made);
  }

  /**
   * An object whose finalizer a user took off while its create was in doubt may have made two: it says that it found more than
   * one, and an operator leaves one of them.
   */
  removeDuplicates(): void {
    const { cloud, watchman } = this.#deps;
    for (const object of watchman.objects()) {
      const { uid } = object.metadata;
      if (!watchman.excused.has(uid) || idOf(object) !== undefined) continue;
      const made = [...watchman.made.values()].filter(
        (each) => each.uid === uid && isInCloud(cloud, each.kind, each.id),
      );
      for (const duplicate of made.slice(1)) this.#removeUnrecorded(duplicate);
    }
  }

  /**
   * Two deleted objects of one name may have left one resource each, by creates that landed late: neither guesses, and an
   * operator leaves one of the two.
   */
  #removeNamesakes(): void {
    const { cloud, watchman } = this.#deps;
    for (const object of watchman.objects()) {
      const { deletionTimestamp } = object.metadata;
      if (deletionTimestamp === undefined || sayingOf(object).message !== AMBIGUOUS || idOf(object) !== undefined)
        continue;
      const made = [...watchman.made.values()].filter(
        ({ id, kind }) =>
          kind === object.kind &&
          watchman.ownerOf(id) === undefined &&
          resourceOf(cloud, kind, id)?.['name'] === statedName(object),
      );
      const makers = new Set(made.map(({ uid }) => uid));
      if (makers.size === made.length) for (const duplicate of made.slice(1)) this.#removeUnrecorded(duplicate);
    }
  }

  /** Removes from the external system what no object has recorded. */
  #removeUnrecorded({ id, kind }: Pick<Made, 'id' | 'kind'>): void {
    const { cloud, watchman, shopWatch, operator } = this.#deps;
    const collection = collectionOf(kind);
    if (watchman.ownerOf(id) !== undefined) return;
    if (collection === undefined) {
      if (shopWatch.remove(id)) watchman.onVanished(id);
      return;
    }
    const resource = resourceOf(cloud, kind, id);
    const isKept = resource !== undefined && !isNetworking(kind) && !operator.remove(kind, id);
    if (isKept) return;
    if (isNetworking(kind) && this.#isIn(collection, id)) cloud.drift.remove(collection, id);
    if (resource !== undefined) this.#freed.set(freedBy(kind, resource), new Set());
    watchman.onVanished(id);
  }

  /** A refusal is reported until the spec changes, also when its cause does not exist any more (contract): a user changes the spec. */
  #retryRefused(): void {
    for (const object of this.#deps.watchman.objects()) {
      const { kind, metadata } = object;
      const { uid, name, namespace = '' } = metadata;
      const edited = this.#freed.get(lackedBy(object) ?? '');
      if (edited === undefined || edited.has(uid)) continue;
      edited.add(uid);
      this.#deps.touch({ kind, namespace, name }, 'freed');
    }
  }

  /** A deleted object that would not guess looks again when it is edited: a user edits it once its name is unique. */
  #retryAmbiguous(): void {
    for (const object of this.#deps.watchman.objects()) {
      const { kind, metadata } = object;
      const { uid, name, namespace = '', deletionTimestamp } = metadata;
      const collection = collectionOf(kind);
      if (deletionTimestamp === undefined || collection === undefined || this.#clear.has(uid)) continue;
      if (sayingOf(object).message !== AMBIGUOUS || idOf(object) !== undefined) continue;
      const named = this.#deps.cloud.resources(collection).filter((each) => each['name'] === statedName(object));
      if (named.length > 1) continue;
      this.#clear.add(uid);
      this.#deps.touch({ kind, namespace, name }, 'unique');
    }
  }

  #isIn(collection: CollectionName, id: string): boolean {
    return this.#deps.cloud.resources(collection).some((resource) => resource['id'] === id);
  }
}

function freedBy(kind: string, { name, port_id: port }: JsonObject): string {
  return kind === 'FloatingIP' ? `port ${port}` : `${kind} ${name}`;
}

/** The name or port that the object was refused. */
function lackedBy(object: KubeObject): string | undefined {
  const { message = '', isRefused } = sayingOf(object);
  const { deletionTimestamp } = object.metadata;
  if (!isRefused || deletionTimestamp !== undefined || idOf(object) !== undefined) return undefined;
  if (message === AMBIGUOUS) return `${object.kind} ${statedName(object)}`;
  const port = PORT_IS_TAKEN.exec(message)?.[1];
  return port === undefined ? undefined : `port ${port}`;
}

function statedName({ spec, metadata }: KubeObject): unknown {
  return ((spec?.['resource'] ?? {}) as JsonObject)['name'] ?? metadata.name;
}
