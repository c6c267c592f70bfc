// Poller of an Ironic: all callers that wait for a node share its list requests.
//
// Invariants:
//   IRONIC-POLLER-1. A reported state was requested after the watch began, and differs from the known one.
//   IRONIC-POLLER-2. Callers with the same interval poll at the same moments, and one list serves all callers, however
//       many they are and whatever their interval.
//   IRONIC-POLLER-3. Where one list costs more than reading those few whose moment has come, they are read by themselves.
//   IRONIC-POLLER-4. A failed poll reports nothing and is retried with backoff. Absence is reported only of a node that
//       was requested individually and that Ironic does not have.
//   IRONIC-POLLER-5. A slow Ironic is not listed without a pause: one is as long as the list before it took.
//
// HTTP-POLL-ROUNDS-1 to HTTP-POLL-ROUNDS-3 hold too.
import { TransientError, toErrorData } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { AdapterLog } from '../../api/adapter.ts';
import { PollRounds, type PollWaiter } from '../../http/poll-rounds.ts';
import { Capacity, isBusy } from './capacity.ts';
import type { IronicClient } from './client.ts';
import type { Node } from './node.ts';
import { newsOf } from './node-news.ts';
import { paced, REST_PACE_MS, SHORT_PACE_MS } from './pace.ts';
import type { Asking } from './session.ts';

export interface NodeWatch {
  readonly uuid: string;
  /** Fields of the node that were read before; other fields are not compared. Undefined: any state is reported. */
  readonly known: Partial<Node> | undefined;
  readonly signal: AbortSignal;
  /** Polling interval in milliseconds: `SHORT_PACE_MS` and its like. */
  readonly paceMs: number;
}

export type NodeNews = { readonly node: Node } | { readonly gone: true };

export interface NodePoller {
  /**
   * Waits until a node is not as it was known.
   *
   * @throws {TransientError} the watch was aborted, or the poller closed
   * @throws {TerminalError} it is no uuid, or Ironic refuses to be asked for it
   */
  watch(request: NodeWatch): Promise<NodeNews>;
  /** Places for nodes that are busy, counted in the same lists. */
  readonly capacity: Pick<Capacity, 'take' | 'release'>;
  /** Ends all watches. */
  close(): void;
}

export interface NodePollerDeps {
  readonly clock: Clock;
  readonly log: Pick<AdapterLog, 'info' | 'warn'>;
  readonly ironic: Pick<IronicClient, 'nodePages' | 'node'>;
  /** Factor by which a failed poll is retried sooner; 1 by default. */
  readonly speed?: number;
}

/** Timeout of one list, and of one request for a single node, in milliseconds. */
const LIST_MS = 120_000;
const READ_MS = 30_000;
/** Cost for an Ironic of reading a single node, in nodes of a list; measured with Ironic 39. */
const READ_WORTH = 40;
/** Nodes that are read by themselves at a time. */
const READS_AT_ONCE = 8;

export function nodePoller(deps: NodePollerDeps): NodePoller {
  const rounds = new Rounds(deps);
  return { watch: (request) => rounds.watch(request), capacity: rounds.capacity, close: () => rounds.close() };
}

interface Waiting extends PollWaiter, Pick<NodeWatch, 'uuid' | 'known' | 'paceMs'> {
  report(news: NodeNews): void;
}

class Rounds {
  readonly capacity: Capacity;
  readonly #deps: NodePollerDeps;
  readonly #rounds: PollRounds<Waiting>;
  /** Number of nodes in the last complete list. */
  #nodes: number | undefined;
  /** Looks in a row that failed. */
  #failures = 0;

  constructor(deps: NodePollerDeps) {
    this.#deps = deps;
    this.capacity = new Capacity(deps);
    this.#rounds = new PollRounds({ clock: deps.clock, look: (due, all) => this.#look(due, all) });
  }

  watch({ uuid, known, signal, paceMs }: NodeWatch): Promise<NodeNews> {
    return this.#rounds.wait<NodeNews>(signal, ({ resolve: report, reject: fail }) => ({
      uuid,
      known,
      paceMs,
      dueAt: this.#nextOf(paceMs),
      report,
      fail,
    }));
  }

  close(): void {
    this.#rounds.close();
  }

  /** The moment of all who wait at this pace. */
  #nextOf(paceMs: number): number {
    for (const waiting of this.#rounds.waiting) if (waiting.paceMs === paceMs) return waiting.dueAt;
    return this.#deps.clock.now() + this.#pauseOf(paceMs);
  }

  /** With the chance that keeps several processes from looking at the same moments; longer the longer Ironic fails. */
  #pauseOf(paceMs: number): number {
    const { clock, speed = 1 } = this.#deps;
    // mutant: ironic-list-paces () -> 0
    const leastMs = this.#failures === 0 ? 0 : Math.min(SHORT_PACE_MS * 2 ** this.#failures, REST_PACE_MS) / speed;
    return paced(Math.max(paceMs, leastMs), clock.random());
  }

  async #look(due: readonly Waiting[], all: readonly Waiting[]): Promise<void> {
    const { clock, log } = this.#deps;
    const begunAt = clock.now();
    // mutant: ironic-never-one &&.2 -> false
    const isFew = this.#nodes !== undefined && due.length * READ_WORTH < this.#nodes;
    const served = new Set((isFew ? due : all).map(({ paceMs }) => paceMs));
    const error = await this.#attempt(() => (isFew ? this.#read(ofNodes(due, all)) : this.#list(all, begunAt)));
    if (error === undefined) {
      if (this.#failures > 0) log.info({ failures: this.#failures }, 'listing nodes of Ironic restored');
      this.#failures = 0;
    } else {
      this.#failures++;
      if (this.#failures === 1) log.warn({ err: error }, 'listing nodes of Ironic failed; will retry');
    }
    const now = clock.now();
    // mutant: ironic-slow-list - -> 0
    const restMs = Math.max(now - begunAt, (error instanceof TransientError && error.retryAfterMs) || 0);
    for (const [paceMs, rank] of Map.groupBy(this.#rounds.waiting, (waiting) => waiting.paceMs)) {
      // Also those who came during a long look (IRONIC-POLLER-5).
      if (!served.has(paceMs) && !rank.some(({ dueAt }) => dueAt <= now)) continue;
      const dueAt = now + Math.max(this.#pauseOf(paceMs), restMs);
      for (const waiting of rank) waiting.dueAt = dueAt;
    }
  }

  async #attempt(look: () => Promise<void>): Promise<unknown> {
    try {
      await look();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(toErrorData(error).message);
    }
  }

  async #list(all: readonly Waiting[], begunAt: number): Promise<void> {
    const waited = Map.groupBy(all, ({ uuid }) => uuid);
    const busy = new Set<string>();
    let nodes = 0;
    for await (const page of this.#deps.ironic.nodePages('all', asking(begunAt + LIST_MS))) {
      nodes += page.length;
      for (const node of page) {
        if (isBusy(node)) busy.add(node.uuid);
        for (const waiting of waited.get(node.uuid) ?? []) this.#report(waiting, node);
        waited.delete(node.uuid);
      }
    }
    this.#nodes = nodes;
    this.capacity.show(busy, begunAt);
    // A list of several pages may have lost them in between.
    await this.#readEach([...waited.values()].flat());
  }

  /** @throws none could be read */
  async #read(some: readonly Waiting[]): Promise<void> {
    const { nodes, failures } = await this.#readEach(some);
    if (failures.length > 0 && failures.length === nodes) throw failures[0];
  }

  /** Each node once, a few at a time. That one cannot be read is no reason to leave the others alone. */
  async #readEach(
    some: readonly Waiting[],
  ): Promise<{ readonly nodes: number; readonly failures: readonly TransientError[] }> {
    const { clock, ironic } = this.#deps;
    const waited = [...Map.groupBy(some, ({ uuid }) => uuid)];
    const nodes = waited.length;
    const failures: TransientError[] = [];
    const readNext = async (): Promise<void> => {
      for (let next = waited.shift(); next !== undefined; next = waited.shift()) {
        const [uuid, ofNode] = next;
        if (!ofNode.some((waiting) => this.#rounds.waiting.has(waiting))) continue;
        try {
          const node = await ironic.node(uuid, asking(clock.now() + READ_MS));
          for (const waiting of ofNode) this.#report(waiting, node);
        } catch (error) {
          if (error instanceof TransientError) failures.push(error);
          // A retry would fail in the same way.
          else for (const waiting of ofNode) waiting.fail(error);
        }
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
    return { nodes, failures };
  }

  /** A caller that does not wait any more is not notified. */
  #report(waiting: Waiting, node: Node | undefined): void {
    if (node === undefined) waiting.report({ gone: true });
    else if (waiting.known === undefined || newsOf(waiting.known, node).length > 0) waiting.report({ node });
  }
}

/** Callers whose node is read are notified, even before their own moment. */
function ofNodes(due: readonly Waiting[], all: readonly Waiting[]): readonly Waiting[] {
  const read = new Set(due.map(({ uuid }) => uuid));
  return all.filter(({ uuid }) => read.has(uuid));
}

/** A poll for all callers belongs to no single object, so it is in no trace. */
function asking(deadlineAt: number): Asking {
  return { namespace: '', deadlineAt, traceparent: '' };
}
