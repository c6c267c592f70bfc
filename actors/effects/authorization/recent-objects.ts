// Cache of recent objects of the API server: the caller states which version is enough.
//
// Invariants:
//   RECENT-OBJECTS-1. An insufficient entry is always read again, by a request that began after the call.
//   RECENT-OBJECTS-2. The number of concurrent reads is limited, and namespaces always share the slots round-robin.

import { FairSemaphore } from '../../../adapters/http/fair-semaphore.ts';
import type { Objects, Resource } from '../../../adapters/kubernetes/mod.ts';
import type { Clock } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';

interface Kept {
  readonly object: KubeObject;
  /** When it was asked for. */
  readonly at: number;
}

/** Maximum age of an entry, in milliseconds: about as long as a started call may take. */
const KEPT_MS = 10_000;
/** Maximum number of concurrent reads; namespaces share them round-robin. */
const READS = 16;

export interface Place {
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
}

export class RecentObjects {
  readonly #deps: { readonly objects: Pick<Objects, 'get'>; readonly clock: Pick<Clock, 'now'> };
  /** In the order in which they were read. */
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<KubeObject | undefined>>();
  readonly #turns = new FairSemaphore(READS);

  constructor(deps: { readonly objects: Pick<Objects, 'get'>; readonly clock: Pick<Clock, 'now'> }) {
    this.#deps = deps;
  }

  /** As it was read a moment ago, if that is enough; otherwise as it is now. Undefined: there is none. @throws as `Objects.get` */
  async read(
    resource: Resource,
    { namespace, name }: Place,
    isEnough: (object: KubeObject) => boolean,
  ): Promise<KubeObject | undefined> {
    const key = `${resource.plural}/${namespace}/${name}`;
    const kept = this.#kept.get(key);
    // mutant: recent-objects-for-ever <.2 -> Infinity
    if (kept !== undefined && this.#deps.clock.now() - kept.at < KEPT_MS && isEnough(kept.object)) return kept.object;
    const running = this.#reading.get(key);
    if (running !== undefined) {
      const read = await running;
      if (read !== undefined && isEnough(read)) return read;
    }
    const reading = this.#readNow(key, resource, { namespace, name });
    this.#reading.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  async #readNow(key: string, resource: Resource, { namespace, name }: Place): Promise<KubeObject | undefined> {
    const { objects, clock } = this.#deps;
    await this.#turns.enter(namespace);
    try {
      const at = clock.now();
      const object = await objects.get(resource, namespace, name);
      this.#kept.delete(key);
      if (object !== undefined) this.#kept.set(key, { object, at });
      for (const [old, { at: since }] of this.#kept) {
        if (at - since < KEPT_MS) break;
        this.#kept.delete(old);
      }
      return object;
    } finally {
      this.#turns.leave();
    }
  }
}
