// Shards of this process: rendezvous hashing over the live pods with the served kinds (`served-kinds.ts`) determines
// the target pod of each, leases determine the present one.
//
// Invariants:
//   SHARD-MANAGER-1. A pod with fewer kinds than others never takes a shard. Its shards move immediately to the pod
//       that would have them if all served the same, and all others at the latest `PATIENCE_MS` after that many of
//       those pods were first present: the first new pod of a rollout does not get the shards of all others.
//   SHARD-MANAGER-2. The first of all pods never trusts what the mailbox says of claims on older objects: the stream may
//       have lost its latest values (a power cut, a restored volume) while no process was there to notice it. Their
//       tables count as incomplete, so that the API server is asked (P8, P11), and lists of creates as well (CREATE-JOURNAL-3).
//   SHARD-MANAGER-3. A takeover that fails is always tried again with backoff, and the leases of its shards are kept meanwhile:
//       by the hashing no other pod would take them. Before it is tried again all calls of its shards have ended (P10).
import type { Logger } from 'pino';
import { type Bus, type Clock, type Lease, type LeaseRecord, toErrorData } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import { POD_LEASE, SHARD_LEASE } from './replica-count.ts';
import { noteOf, type Offer, type Offers, offersIn, servingOf } from './served-kinds.ts';
import type { ShardHost } from './shard-host.ts';

export interface ShardsDeps {
  bus: Bus;
  host: ShardHost;
  clock: Clock;
  log: Logger;
  /** Name of this process among the pods; unique for each start. */
  pod: string;
  /** Served kinds, published for the other pods. */
  offer: Offer;
  /** Told of all leases, whenever they are others. Must not throw. */
  onLeases?: (records: readonly LeaseRecord[]) => void;
}

const UNSERVED =
  'no pod serves all kinds that are served: their objects are not processed; give all pods the same adapters, kinds and namespaces';
const IDLE =
  'other pods serve kinds that this pod does not: it hands its shards over and takes no more; give all pods the same adapters, kinds and namespaces';
/** More new pods of a roll-out come within that, in milliseconds. Objects of kinds that only they serve wait for it. */
const PATIENCE_MS = 60_000;
/** Pause after leases could not be asked for, in milliseconds. */
const PAUSE_MS = 500;
/** Pauses before a failed takeover is tried again, in milliseconds: it lists all objects. */
const TAKEOVER_PAUSES = { firstMs: 500, limitMs: 15_000 };
/** Longest wait at the end for external calls under way, in milliseconds. */
const DRAIN_MS = 4_000;

/**
 * Takes and gives back shards as pods come and go, until `signal` is aborted; then releases all.
 * Leases are `pod.<pod>` (I am alive) and `shard.<number>`.
 */
export async function manageShards(
  { bus, host, clock, log, pod, offer, onLeases }: ShardsDeps,
  signal: AbortSignal,
): Promise<void> {
  const { mailbox, leases } = bus;
  /** Whether another process could have noticed a rollback of the mailbox before this one began. */
  let isWitnessed = false;
  const held = new Map<number, Lease>();
  /** Held shards whose actors have not begun, the failures of that in a row, and when it is tried next. */
  const unopened = new Set<number>();
  let failures = 0;
  let openAt = 0;
  let records: readonly LeaseRecord[] = [];
  let alive: Lease | undefined;
  /** Last logged text about kinds that are not served. */
  let amiss = '';
  let wake = (): void => undefined;
  let changed = true;
  /** The most pods that outdid this one, and until when it keeps what is not theirs by their number. */
  let outdoing = 0;
  let keepUntil = 0;
  /** Shards whose leases were lost since it was last told. */
  const lost: number[] = [];
  const notice = (): void => {
    changed = true;
    wake();
  };

  /** Shards that are being given up. */
  const closing = new Set<Promise<void>>();
  const drop = (number: number): void => {
    const lease = held.get(number);
    held.delete(number);
    unopened.delete(number);
    const closed = (async () => {
      // mutant: lease-given-back-early await -> void $1
      await host.close(number);
      await lease?.release();
    })();
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  };
  /** The lease ended before anybody here noticed it. */
  const lapse = (number: number): void => {
    if (!held.has(number)) return;
    lost.push(number);
    drop(number);
    notice();
  };
  const dropAll = (): void => {
    for (const number of [...held.keys()]) drop(number);
  };
  /** Live pods, and those of them that may get shards. Missing kinds are logged once. */
  const candidates = (): { readonly pods: ReadonlySet<string>; readonly all: ReadonlySet<string> } => {
    const offers: Offers = new Map([...offersIn(records), [pod, offer]]);
    const { able: pods, unserved, lacking } = servingOf(offers);
    const own = lacking.get(pod) ?? [];
    const now = JSON.stringify([unserved, pods.has(pod) ? [] : own]);
    if (now !== amiss) {
      if (unserved.length > 0) log.warn({ kinds: unserved, pods: [...offers.keys()] }, UNSERVED);
      else if (!pods.has(pod)) log.warn({ kinds: own }, IDLE);
    }
    amiss = now;
    if (pods.has(pod)) outdoing = 0;
    else if (pods.size > outdoing) {
      outdoing = pods.size;
      keepUntil = clock.now() + PATIENCE_MS;
    }
    return { pods, all: new Set(offers.keys()) };
  };
  /** Time for which shards due to other pods are kept, in milliseconds; infinite if there are none. */
  const keptMs = (): number => {
    const leftMs = outdoing === 0 || held.size === 0 ? 0 : keepUntil - clock.now();
    return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY;
  };
  const follow = (number: number, lease: Lease): void => {
    void lease.lost.then(() => {
      if (held.get(number) !== lease) return;
      lost.push(number);
      held.delete(number);
      unopened.delete(number);
      void host.close(number);
      notice();
    });
  };
  /** Last logged failure of a takeover. */
  let problem = '';
  const report = (error: unknown): void => {
    const { message } = toErrorData(error);
    if (message !== problem) log.warn({ error: message }, 'shard takeover failed; will retry');
    problem = message;
  };
  /** Time until the next takeover, in milliseconds; infinite if none is due. */
  const takeoverMs = (): number => (unopened.size === 0 ? Number.POSITIVE_INFINITY : Math.max(0, openAt - clock.now()));
  const open = async (): Promise<void> => {
    const due = new Map([...held].filter(([number]) => unopened.has(number)));
    try {
      // A read of the API server may take longer than the process has left.
      await Promise.race([host.open(due, signal, lapse), stopped]);
      for (const [number, lease] of due) if (held.get(number) === lease) unopened.delete(number);
      failures = 0;
      problem = '';
    } catch (error) {
      report(error);
      failures += 1;
      // mutant: takeover-without-backoff +.2 -> 500
      openAt = clock.now() + growingPauseMs(failures, TAKEOVER_PAUSES);
      // mutant: reopened-while-calls-run drop
      await Promise.race([Promise.all([...due.keys()].map((number) => host.close(number))), stopped]);
    }
  };

  const settle = async (): Promise<void> => {
    const gone = lost.splice(0);
    if (gone.length > 0) log.warn({ shards: gone.length }, 'leases lost; stopped their actors');
    isWitnessed ||= records.some(({ name }) => name.startsWith(POD_LEASE));
    // mutant: unwitnessed-mailbox-trusted if -> false
    if (!isWitnessed) await mailbox.forgetSeeded(clock.now());
    isWitnessed = true;
    if (alive === undefined) {
      const acquired = await leases.acquire(`${POD_LEASE}${pod}`, pod, noteOf(offer));
      if (acquired === undefined) throw new Error(`another pod calls itself '${pod}'`);
      alive = acquired;
      void acquired.lost.then(() => {
        if (alive === acquired) alive = undefined;
        notice();
      });
    }
    const { pods: serving, all } = candidates();
    // mutant: shards-to-any-pod =.2 -> all
    const pods = serving;
    // mutant: shards-to-first-new-pod =.2 -> false
    const isKeeping = keptMs() < Number.POSITIVE_INFINITY;
    const holders = new Map(records.map(({ name, holder }) => [name, holder]));
    const wanted: number[] = [];
    for (let number = 0; number < mailbox.shards; number++) {
      if (owner(number, pods) === pod) {
        const holder = holders.get(`${SHARD_LEASE}${number}`);
        if (!held.has(number) && (holder === undefined || holder === pod)) wanted.push(number);
      } else if (held.has(number) && (!isKeeping || pods.has(owner(number, all) ?? ''))) {
        drop(number);
      }
    }
    const taken = new Map<number, Lease>();
    const asked = await Promise.allSettled(
      wanted.map(async (number) => {
        const lease = await leases.acquire(`${SHARD_LEASE}${number}`, pod);
        if (lease !== undefined) taken.set(number, lease);
      }),
    );
    for (const [number, lease] of taken) {
      held.set(number, lease);
      unopened.add(number);
      follow(number, lease);
    }
    if (takeoverMs() === 0) await open();
    // Only after the acquired ones are in use: an unused lease is renewed all the same.
    for (const outcome of asked) if (outcome.status === 'rejected') throw outcome.reason;
  };

  const watching = await leases.watch((now) => {
    records = now;
    onLeases?.(now);
    notice();
  });
  // A new epoch: earlier knowledge is void, and all pods restart after a lease time (P11).
  let epoch = mailbox.epoch().id;
  let quietUntil = 0;
  const stopEpoch = mailbox.watchEpoch(({ id }) => {
    // mutant: epoch-never-changes if -> true
    if (id === epoch) return host.recheckClaims();
    epoch = id;
    // mutant: shards-quiet-never drop
    quietUntil = clock.now() + leases.leaseMs;
    log.warn('mailbox lost or rolled back; restarting all actors');
    // mutant: shards-keep-actors drop
    dropAll();
    notice();
  });
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      resolve();
      wake();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

  while (!signal.aborted) {
    changed = false;
    try {
      const quietMs = quietUntil - clock.now();
      if (quietMs > 0) await clock.sleep(quietMs, signal);
      if (!signal.aborted) await settle();
      if (unopened.size === 0) problem = '';
    } catch (error) {
      report(error);
      await clock.sleep(PAUSE_MS, signal);
      continue;
    }
    if (changed || signal.aborted) continue;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      if (changed || signal.aborted) resolve();
    });
    const rest = new AbortController();
    await Promise.race([woken, clock.sleep(Math.min(keptMs(), takeoverMs()), rest.signal)]);
    rest.abort();
  }
  stopEpoch();
  await watching.close();
  dropAll();
  // A shard that does not end in time keeps its lease: another pod waits until it has expired.
  const ended = new AbortController();
  await Promise.race([Promise.all(closing).finally(() => ended.abort()), clock.sleep(DRAIN_MS, ended.signal)]);
  await alive?.release();
}

/** The pod that should hold a shard: the one with the highest score, so that a pod that leaves moves only its own. */
export function owner(shard: number, pods: ReadonlySet<string>): string | undefined {
  let best: string | undefined;
  let highest = -1;
  for (const pod of [...pods].sort()) {
    const score = hash(`${pod}/${shard}`);
    if (score > highest) [best, highest] = [pod, score];
  }
  return best;
}

/** FNV-1a, 32 bits, with a final mix: names that differ in one character get scores that have nothing in common. */
function hash(text: string): number {
  let word = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
