// Feed: the objects of one kind from the watch and from our own writes, in one order.
//
// Invariants:
//   OCM-FEED-1. An older state of an object never replaces a newer one, from the watch and from the answer to a write alike.
//   OCM-FEED-2. An incarnation that is known to be deleted does not come back.
import type { KubeObject } from '../../../machines/object.ts';
import { compareRevisions } from '../gateway/store/store.ts';
import type { DelegatedObjects, Place } from './port.ts';

export type FeedChange =
  | { readonly kind: 'all' }
  | { readonly kind: 'object'; readonly object: KubeObject }
  | { readonly kind: 'gone'; readonly object: KubeObject; readonly revision: string };

export type FeedListener = (change: FeedChange) => void;

export class ChangeFeed {
  readonly place: Place;
  readonly #objects: DelegatedObjects;
  readonly #known = new Map<string, KubeObject>();
  /** Incarnations that a write of ours ended, until the watch says so too. */
  readonly #gone = new Set<string>();
  readonly #listeners = new Set<FeedListener>();
  readonly #stop = new AbortController();
  /** Revision of the last event of the watch; undefined: none yet. */
  #reached: string | undefined;
  #isStarted = false;

  constructor(objects: DelegatedObjects, place: Place) {
    this.#objects = objects;
    this.place = place;
  }

  /** Whether everything that there is has been told. */
  get isSynced(): boolean {
    return this.#reached !== undefined;
  }

  get(name: string): KubeObject | undefined {
    return this.#known.get(name);
  }

  all(): IterableIterator<KubeObject> {
    return this.#known.values();
  }

  /** Begins to follow the kind. Idempotent. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#objects.follow(
      this.place,
      {
        onList: (objects, revision) => this.#list(objects, revision),
        onChange: (object) => {
          this.#reached = object.metadata.resourceVersion;
          this.put(object);
        },
        onGone: (object) => {
          this.#reached = object.metadata.resourceVersion;
          if (!this.#gone.delete(object.metadata.uid)) this.#remove(object, object.metadata.resourceVersion);
        },
      },
      this.#stop.signal,
    );
  }

  /** Calls `listener` with every change from now on. @returns stops it */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes over a state of an object, unless a newer one is known. */
  put(object: KubeObject): void {
    const { name, uid, resourceVersion } = object.metadata;
    const known = this.#known.get(name);
    // mutant: ocm-feed-goes-back &&.2 -> false
    if (known !== undefined && compareRevisions(known.metadata.resourceVersion, resourceVersion) >= 0) return;
    // mutant: ocm-feed-revives if -> false
    if (this.#gone.has(uid)) return;
    this.#known.set(name, object);
    this.#tell({ kind: 'object', object });
  }

  /** A write of ours ended this incarnation. @returns a revision that is newer than all that is known of it */
  end({ name, uid }: { readonly name: string; readonly uid: string }): string {
    const known = this.#known.get(name);
    const revision = String(BigInt(known?.metadata.resourceVersion ?? '0') + 1n);
    if (known?.metadata.uid !== uid) return revision;
    this.#gone.add(uid);
    this.#remove(known, revision);
    return revision;
  }

  close(): void {
    this.#stop.abort();
    this.#listeners.clear();
  }

  #list(objects: readonly KubeObject[], revision: string): void {
    // A server that was restored from a backup is behind what it told: nothing of that counts.
    const isRestored = this.#reached !== undefined && compareRevisions(revision, this.#reached) < 0;
    const listed = new Map(objects.map((object) => [object.metadata.name, object]));
    for (const [name, known] of this.#known) {
      const { resourceVersion } = known.metadata;
      const isNewer =
        !isRestored && compareRevisions(resourceVersion, listed.get(name)?.metadata.resourceVersion ?? revision) > 0;
      if (isNewer) listed.set(name, known);
    }
    this.#known.clear();
    for (const [name, object] of listed) {
      if (isRestored || !this.#gone.has(object.metadata.uid)) this.#known.set(name, object);
    }
    const present = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const uid of this.#gone) if (isRestored || !present.has(uid)) this.#gone.delete(uid);
    this.#reached = revision;
    this.#tell({ kind: 'all' });
  }

  #remove({ metadata: { name, uid } }: KubeObject, revision: string): void {
    const known = this.#known.get(name);
    if (known?.metadata.uid !== uid) return;
    this.#known.delete(name);
    this.#tell({ kind: 'gone', object: known, revision });
  }

  #tell(change: FeedChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
