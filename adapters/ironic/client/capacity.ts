// Capacity check of an Ironic: counts nodes in expensive states and decides whether one more may enter such a state.
//
// Invariants:
//   IRONIC-CAPACITY-1. Of those who ask at once in this process, no more are let in than there are places: a place is taken in the same turn
//       in which it was found free, and counts until a list shows the node as busy.
//   IRONIC-CAPACITY-2. What a list shows was read after the places that it takes over were taken.
//   IRONIC-CAPACITY-3. A slot that is not used is released after a while.
//   IRONIC-CAPACITY-4. Without news from the poller one list is read for all who ask meanwhile, of no more than it takes.
import type { Clock } from '../../../bus/time.ts';
import { CachedFetch } from './cached-fetch.ts';
import type { IronicClient } from './client.ts';
import type { Node } from './node.ts';
import { LONG_PACE_MS } from './pace.ts';
import type { Asking } from './session.ts';

/** States in which a node is busy. */
const BUSY: ReadonlySet<string | null> = new Set([
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
  'deploying',
  'wait call-back',
  'deleting',
]);

/** Whether a node counts: it is at work, and takes its ramdisk over the network. */
export function isBusy({ provision_state, boot_interface }: Pick<Node, 'provision_state' | 'boot_interface'>): boolean {
  return BUSY.has(provision_state) && boot_interface?.includes('virtual-media') !== true;
}

/** Maximum age of a list, in milliseconds; lists at the long pace are never older. */
const FRESH_MS = 1.5 * LONG_PACE_MS;
/** Maximum time that a slot is kept for a node that is not busy yet, in milliseconds. A repeated request extends it. */
const KEPT_MS = 60_000;
/** Longest that a list of its own may take, in milliseconds. */
const LIST_MS = 60_000;

export interface CapacityDeps {
  readonly clock: Clock;
  readonly ironic: Pick<IronicClient, 'nodePages'>;
}

/** Busy nodes by uuid, as a list showed them that began then. */
interface Shown {
  readonly busy: ReadonlySet<string>;
  readonly begunAt: number;
}

export class Capacity {
  readonly #deps: CapacityDeps;
  readonly #list: CachedFetch<void>;
  /** Places that were taken, by uuid: when, in milliseconds since the epoch. */
  readonly #taken = new Map<string, number>();
  #shown: Shown | undefined;

  constructor(deps: CapacityDeps) {
    this.#deps = deps;
    this.#list = new CachedFetch({
      clock: deps.clock,
      ttlMs: 0,
      look: () => this.#look(),
      name: 'the look for busy nodes',
    });
  }

  /**
   * Takes a place for a node, or keeps the one that it has.
   *
   * @param limit  nodes that may be busy at a time
   * @returns whether the node has a place now
   * @throws as the calls of `IronicClient`
   */
  async take(uuid: string, limit: number, { deadlineAt }: Pick<Asking, 'deadlineAt'>): Promise<boolean> {
    const { clock } = this.#deps;
    // mutant: capacity-old-list ||.2 -> false
    if (this.#shown === undefined || clock.now() - this.#shown.begunAt > FRESH_MS) await this.#list.get(deadlineAt);
    // From here on in one turn (IRONIC-CAPACITY-1).
    const now = clock.now();
    // mutant: capacity-never-freed if -> false
    for (const [other, takenAt] of this.#taken) if (now - takenAt >= KEPT_MS) this.#taken.delete(other);
    const held = new Set([...(this.#shown?.busy ?? []), ...this.#taken.keys()]);
    if (!held.has(uuid) && held.size >= limit) return false;
    // mutant: capacity-never-taken drop
    this.#taken.set(uuid, now);
    return true;
  }

  /** The node does not need its place any more. */
  release(uuid: string): void {
    this.#taken.delete(uuid);
  }

  /** Told of each whole list of nodes. @param begunAt  when it was asked for */
  show(busy: ReadonlySet<string>, begunAt: number): void {
    if (this.#shown !== undefined && begunAt < this.#shown.begunAt) return;
    this.#shown = { busy, begunAt };
    // mutant: capacity-list-too-late if -> $2
    for (const [uuid, takenAt] of this.#taken) if (takenAt < begunAt && busy.has(uuid)) this.#taken.delete(uuid);
  }

  async #look(): Promise<void> {
    const begunAt = this.#deps.clock.now();
    const asking = { namespace: '', deadlineAt: begunAt + LIST_MS, traceparent: '' };
    const busy = new Set<string>();
    const fields = ['uuid', 'name', 'provision_state', 'boot_interface'] as const;
    for await (const page of this.#deps.ironic.nodePages(fields, asking)) {
      for (const node of page) if (isBusy(node)) busy.add(node.uuid);
    }
    this.show(busy, begunAt);
  }
}
