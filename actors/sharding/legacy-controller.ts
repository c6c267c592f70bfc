// Legacy controller that managed the same objects before: while it leads, Troupe changes none of them. Two controllers
// at work on one object would create every resource twice.
//
// Invariants:
//   LEGACY-CONTROLLER-1. No object is changed while the leader lease of the other controller is held, or while that is
//       unknown.
//   LEGACY-CONTROLLER-2. A lease that is acquired again later always stops all running work here.
//   LEGACY-CONTROLLER-3. No two clocks are compared: a lease has ended when it was seen to stay as it is for as long as it lasts, by the clock here, and a
//       read that began after that finds it so. A watch may be broken without a sign.
import type { Logger } from 'pino';
import type { LegacyController } from '../../adapters/api/adapter.ts';
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

/** Before what cannot be read is read again, in milliseconds. */
const LOOK_MS = 1_000;

/** A lease, and since when it is known to say what it says. */
interface Observed {
  readonly lease: KubeObject;
  readonly said: string;
  readonly at: number;
}

export interface PredecessorDeps {
  client: KubeClient;
  objects: Objects;
  clock: Clock;
  log: Logger;
  legacyController: LegacyController;
}

export interface LegacyControllerWatch {
  /** Resolves when no other controller leads; rejects with the reason of `signal`. */
  gone(signal: AbortSignal): Promise<void>;
  /** Calls `run` when another controller starts to lead. */
  onReturn(run: () => void): () => void;
}

/** Follows the lease until `signal` is aborted. */
export function watchLegacyController(
  { client, objects, clock, log, legacyController: { name, lease: leaseName } }: PredecessorDeps,
  signal: AbortSignal,
): LegacyControllerWatch {
  const leases = new Map<string, Observed>();
  const listeners = new Set<() => void>();
  const waiting = new Set<() => void>();
  let known = false;
  let holder: string | undefined;
  let timer: Timer | undefined;
  /** When the last read began, on the clock here. */
  let lookedAt = Number.NEGATIVE_INFINITY;

  const hear = (lease: KubeObject): void => {
    const said = JSON.stringify(lease.spec ?? {});
    const before = leases.get(lease.metadata.uid);
    leases.set(lease.metadata.uid, { lease, said, at: before?.said === said ? before.at : clock.now() });
  };
  const hearAll = (items: readonly KubeObject[]): void => {
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    for (const uid of leases.keys()) if (!present.has(uid)) leases.delete(uid);
    for (const lease of items) hear(lease);
  };
  /** End of the lease without renewal. */
  const endOf = ({ lease, at }: Observed): number => at + durationOf(lease);
  const isHeld = (each: Observed): boolean =>
    // mutant: lease-judged-unseen <.1 -> clock.now()
    holderOf(each.lease) !== undefined && lookedAt < endOf(each);

  const judge = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer);
    const [held] = [...leases.values()].filter(isHeld).sort((left, right) => endOf(right) - endOf(left));
    const before = holder;
    holder = held && holderOf(held.lease);
    if (held === undefined) {
      if (before !== undefined) log.info({ holder: before }, `${name} no longer leads: its objects are taken over`);
      if (known) for (const go of [...waiting]) go();
      return;
    }
    timer = clock.setTimeout(() => void look(), Math.max(LOOK_MS, endOf(held) - clock.now()));
    if (before === undefined) {
      log.warn(
        { holder, lease: `${held.lease.metadata.namespace}/${leaseName}` },
        `${name} holds its leader lease: nothing is changed until it is released. Scale its Deployment to zero`,
      );
      for (const run of listeners) run();
    }
  };
  const look = async (): Promise<void> => {
    const askedAt = clock.now();
    try {
      const { items } = await objects.list(LEASES, undefined, leaseName);
      hearAll(items);
      lookedAt = askedAt;
    } catch (error) {
      log.debug({ err: error }, `whether ${name} still leads could not be read; it is tried again`);
    }
    if (!signal.aborted) judge();
  };

  // A lease that is held for long would keep a process alive that has ended all else.
  signal.addEventListener('abort', () => {
    if (timer !== undefined) clock.clearTimeout(timer);
  });
  void watchResource(
    { client, objects, clock },
    { resource: LEASES, name: leaseName },
    {
      onList(items) {
        hearAll(items);
        known = true;
        judge();
      },
      onChange(lease) {
        hear(lease);
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
            ? `cannot read any more whether ${name} leads`
            : `cannot read whether ${name} leads, so nothing is changed: 'list' and 'watch' on leases named '${leaseName}' must be allowed`,
        );
      },
      onRecovery() {
        log.info(`reading again whether ${name} leads`);
      },
    },
    signal,
  ).catch((error: unknown) =>
    log.error({ error: toErrorData(error).message }, 'watching the leader lease of the legacy controller failed'),
  );

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

/** The lease that is held for longest, if its holder's clock is right; undefined if none is held. */
export function heldOf(leases: readonly KubeObject[], now: number): KubeObject | undefined {
  const endOf = ({ spec }: KubeObject): number => Date.parse(String(spec?.['renewTime']));
  const [held] = leases
    .map((lease) => ({ lease, endsAt: endOf(lease) + durationOf(lease) }))
    .filter(({ lease, endsAt }) => holderOf(lease) !== undefined && endsAt > now)
    .sort((left, right) => right.endsAt - left.endsAt);
  return held?.lease;
}

function durationOf({ spec }: KubeObject): number {
  return Number(spec?.['leaseDurationSeconds'] ?? 0) * 1_000;
}

function holderOf({ spec }: Pick<KubeObject, 'spec'>): string | undefined {
  const holder = (spec as JsonObject | undefined)?.['holderIdentity'];
  return typeof holder === 'string' && holder !== '' ? holder : undefined;
}
