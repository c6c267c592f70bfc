// All objects of one collection as its store delivers them: what List, Search and Get read.
//
// Invariants:
//   OCM-OBJECT-INDEX-1. A change that arrives late never replaces a newer one, nor does it bring back a deleted object.
import { type Address, addressKey, type Change, compareRevisions, type StoredObject } from '../store/store.ts';
import { Bucket } from './bucket.ts';

/** Deleted objects, whose late changes are known as such. */
const MOST_TOMBSTONES = 10_000;
const NO_OBJECTS = new Bucket();

export class ObjectIndex {
  readonly #buckets = new Map<string, Bucket>();
  /** Revisions by the keys of objects. */
  readonly #tombstones = new Map<string, string>();
  #isComplete = false;

  /** False until the store has delivered all objects. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  apply(change: Change): void {
    if (change.kind === 'all') this.#replace(change.objects);
    else if (change.kind === 'stored') this.#store(change.object);
    else this.#remove(change.address, change.revision);
  }

  get({ outer, id }: Address): StoredObject | undefined {
    return this.#buckets.get(outer.join('\n'))?.get(id);
  }

  /** The objects inside the same outer ones. */
  inside(outer: readonly string[]): Bucket {
    return this.#buckets.get(outer.join('\n')) ?? NO_OBJECTS;
  }

  /** An object of that identifier, inside whatever outer ones. */
  find(id: string): StoredObject | undefined {
    for (const bucket of this.#buckets.values()) {
      const object = bucket.get(id);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  #replace(objects: readonly StoredObject[]): void {
    this.#isComplete = true;
    this.#buckets.clear();
    this.#tombstones.clear();
    for (const object of objects) this.#bucket(object.outer).put(object);
  }

  #store(object: StoredObject): void {
    const tombstone = this.#tombstones.get(addressKey(object));
    if (tombstone !== undefined && compareRevisions(object.revision, tombstone) <= 0) return;
    const bucket = this.#bucket(object.outer);
    const known = bucket.get(object.id);
    if (known !== undefined && compareRevisions(object.revision, known.revision) <= 0) return;
    bucket.put(object);
  }

  #remove(address: Address, revision: string): void {
    const key = addressKey(address);
    this.#tombstones.delete(key);
    this.#tombstones.set(key, revision);
    const [oldest] = this.#tombstones.keys();
    if (this.#tombstones.size > MOST_TOMBSTONES && oldest !== undefined) this.#tombstones.delete(oldest);
    const outer = address.outer.join('\n');
    const bucket = this.#buckets.get(outer);
    const known = bucket?.get(address.id);
    if (known === undefined || compareRevisions(known.revision, revision) > 0) return;
    bucket?.delete(address.id);
    if (bucket?.size === 0) this.#buckets.delete(outer);
  }

  #bucket(outer: readonly string[]): Bucket {
    const key = outer.join('\n');
    const bucket = this.#buckets.get(key) ?? new Bucket();
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
