// The controller that cared for the same objects before: while it leads, nothing of it is touched. Two of them at work
// on one object would make two of everything.
//
// Invariants:
//   L1. No object is acted on while the leader lease of the other controller is held, or while nobody can tell.
//   L2. A lease that is taken again later stops whatever is going on here.
import type { Logger } from 'pino';
import type { Predecessor } from '../../adapters/adapter.ts';
import { type KubeClient, type Objects, type Resource, watchResource } from '../../adapters/kubernetes/mod.ts';
import { type Clock, type JsonObject, type Timer, toErrorData } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';

export const LEASES: Resource = {
  realm: 'coordination',
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};

export interface PredecessorDeps {
  client: KubeClient;
  objects: Objects;
  clock: Clock;
  log: Logger;
  predecessor: Predecessor;
}

export interface FollowedPredecessor {
  /** Resolves when nobody else leads; rejects with the reason of `signal`. */
  gone(signal: AbortSignal): Promise<void>;
  /** Calls `run` when somebody else begins to lead. */
  onReturn(run: () => void): () => void;
}

/** Follows the lease until `signal` is aborted. */
export function followPredecessor(
  { client, objects, clock, log, predecessor: { name, lease: leaseName } }: PredecessorDeps,
  signal: AbortSignal,
): FollowedPredecessor {
  const leases = new Map<string, KubeObject>();
  const listeners = new Set<() => void>();
  const waiting = new Set<() => void>();
  let known = false;
  let holder: string | undefined;
  let expiry: Timer | undefined;

  const judge = (): void => {
    if (expiry !== undefined) clock.clearTimeout(expiry);
    const now = clock.now();
    const held = heldOf([...leases.values()], now);
    const before = holder;
    holder = held === undefined ? undefined : holderOf(held);
    if (held === undefined) {
      if (before !== undefined) log.info({ holder: before }, `${name} no longer leads: its objects are taken over`);
      if (known) for (const go of [...waiting]) go();
      return;
    }
    expiry = clock.setTimeout(judge, heldUntil(held) - now + 1);
    if (before === undefined) {
      log.warn(
        { holder, lease: `${held.metadata.namespace}/${leaseName}` },
        `${name} holds its leader lease: nothing is touched until it is gone. Scale its Deployment to zero, or name the kinds to take over with --kinds`,
      );
      for (const run of listeners) run();
    }
  };

  // A lease that is held for long would keep a process alive that has ended all else.
  signal.addEventListener('abort', () => {
    if (expiry !== undefined) clock.clearTimeout(expiry);
  });
  void watchResource(
    { client, objects, clock },
    { resource: LEASES, name: leaseName },
    {
      onList(items) {
        leases.clear();
        for (const lease of items) leases.set(lease.metadata.uid, lease);
        known = true;
        judge();
      },
      onChange(lease) {
        leases.set(lease.metadata.uid, lease);
        judge();
      },
      onGone(lease) {
        leases.delete(lease.metadata.uid);
        judge();
      },
      onTrouble(error) {
        log.warn(
          { error },
          known
            ? `whether ${name} leads cannot be seen any more`
            : `whether ${name} leads cannot be seen, so nothing is touched: 'list' and 'watch' on leases named '${leaseName}' must be allowed, or the kinds to care for named with --kinds`,
        );
      },
      onRecovery() {
        log.info(`whether ${name} leads can be seen again`);
      },
    },
    signal,
  ).catch((error: unknown) => log.error({ error: toErrorData(error).message }, 'the leader lease is not followed'));

  return {
    gone: (stop) =>
      new Promise((resolve) => {
        const settle = (): void => {
          waiting.delete(settle);
          stop.removeEventListener('abort', settle);
          resolve();
        };
        if (stop.aborted || (known && holder === undefined)) return resolve();
        waiting.add(settle);
        stop.addEventListener('abort', settle, { once: true });
      }),
    onReturn(run) {
      listeners.add(run);
      return () => listeners.delete(run);
    },
  };
}

/** Of several leases the one that is held for longest; undefined: none is held. */
export function heldOf(leases: readonly KubeObject[], now: number): KubeObject | undefined {
  const [held] = leases
    .filter((lease) => heldUntil(lease) > now)
    .sort((left, right) => heldUntil(right) - heldUntil(left));
  return held;
}

/** When a lease ends if nobody renews it, milliseconds since the epoch; 0 when nobody holds it. */
function heldUntil({ spec }: KubeObject): number {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  if (holderOf({ spec } as Pick<KubeObject, 'spec'>) === undefined || typeof renewTime !== 'string') return 0;
  return Date.parse(renewTime) + Number(leaseDurationSeconds ?? 0) * 1_000;
}

function holderOf({ spec }: Pick<KubeObject, 'spec'>): string | undefined {
  const holder = (spec as JsonObject | undefined)?.['holderIdentity'];
  return typeof holder === 'string' && holder !== '' ? holder : undefined;
}
