// Number of live actor pods, counted from their leases: they share the external systems, so each pod's part of a
// concurrency limit is the limit divided by it.
import type { ReplicaCount } from '../../adapters/api/adapter.ts';
import type { LeaseRecord } from '../../bus/mod.ts';

/** Begins the name of the lease that a process which hosts actors has while it lives. */
export const POD_LEASE = 'pod.';
/** Begins the name of the lease of a shard, which ends with its number. */
export const SHARD_LEASE = 'shard.';

/** The processes that live, by their leases. */
export function livePods(records: readonly LeaseRecord[]): readonly string[] {
  return records.flatMap(({ name, holder }) => (name.startsWith(POD_LEASE) ? [holder] : []));
}

export class LivePods implements ReplicaCount {
  readonly #listeners = new Set<() => void>();
  readonly #pod: string;
  #count: number | undefined;

  /** @param count  value until the leases are known; undefined if unknown */
  constructor(pod: string, count: number | undefined) {
    this.#pod = pod;
    this.#count = count;
  }

  get count(): number | undefined {
    return this.#count;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** All leases, as they are now. The own one may not be among them yet. */
  heard(records: readonly LeaseRecord[]): void {
    const { size } = new Set([this.#pod, ...livePods(records)]);
    if (size === this.#count) return;
    this.#count = size;
    for (const listener of this.#listeners) listener();
  }
}
