// The watch role: turns the API server's watches into `object` mail. One leader a cluster.
//
// Invariants:
//   WATCHER-1. Older never replaces newer: a publication names the sequence it replaces, and gives way to a newer value (P9).
//   WATCHER-2. An object that is in the mailbox but not in the API server is always ended by a tombstone, also if its
//       deletion was missed.
//   WATCHER-3. The epoch is marked as seeded only after every object was published once under it, or refused by the bus (OUTBOX-7). An
//       adapter none of whose kinds the API server knows has no objects.
//   WATCHER-4. A publication that updates an earlier message, and that was delivered to the host in this process, may
//       be delayed by a minute at most: a host that takes over reads the API server first (P12), and the next leader
//       lists everything. New objects are published immediately, so that the next leader can end them (WATCHER-2), and
//       the seeding contains them all (WATCHER-3).
//   WATCHER-5. A list that is older than the known state, as a whole or in one object, always means an API server that
//       was restored from a backup. All known state is invalid, since versions are reused: a new epoch of the mailbox
//       starts (P11) before anything of the list is published.
//   WATCHER-6. Who watches less of what the pods serve than another process that can lead does not lead.
import type { Logger } from 'pino';
import { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import {
  compareVersions,
  type KubeClient,
  type Objects,
  type Resource,
  watchResource,
} from '../../adapters/kubernetes/mod.ts';
import {
  type Address,
  addressKey,
  type Bus,
  type Clock,
  internAddress,
  type JsonObject,
  type Lease,
  toErrorData,
  traceparentOf,
  WATCH_LEASE,
} from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { changeTraceparent } from '../base/change-trace.ts';
import { placesOf } from '../base/list-all.ts';
import { Coalescer } from '../mailbox/coalescer.ts';
import { type ObjectMessage, parseObjectMessage } from '../mailbox/messages.ts';
import { Outbox } from '../mailbox/outbox.ts';
import type { Registry } from '../object/registry.ts';
import type { LocalDelivery } from '../sharding/local-delivery.ts';
import { isOutdone, noteOf, type Offer, offersIn } from '../sharding/served-kinds.ts';
import { MissingKinds } from './missing-kinds.ts';

export interface WatcherDeps {
  bus: Bus;
  client: KubeClient;
  objects: Objects;
  registry: Registry;
  /** The namespaces that are watched; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** Actors in this process. */
  here: LocalDelivery;
  clock: Clock;
  log: Logger;
  pod: string;
  /** Watched resources, for other parts. */
  offer: Offer;
  /** Told of each watch that breaks, once until it works again. */
  onInterrupted?: (resource: Resource) => void;
}

const PAUSE_MS = 500;
/** Under way at a time. */
const PUBLICATIONS = 256;
/** Longest wait for what waited, at the end of a term, in milliseconds. */
const FLUSH_MS = 1_000;

/** Message about an object. */
interface Saying {
  readonly to: Address;
  readonly mail: ObjectMessage;
  readonly cause: string;
}

/** Leads the watch while it holds the lease, until `signal` is aborted. */
export async function watchCluster(deps: WatcherDeps, signal: AbortSignal): Promise<void> {
  const { bus, clock, log, pod, offer } = deps;
  let wake = (): void => undefined;
  /** Another process that can lead watches more of what the pods serve. */
  let isOut = false;
  let term = new AbortController();
  const watching = await bus.leases.watch((records) => {
    // mutant: watch-led-by-who-knows-less drop
    isOut = isOutdone(offer, offersIn(records));
    if (isOut) term.abort();
    if (!records.some(({ name }) => name === WATCH_LEASE)) wake();
  });
  const onAbort = (): void => {
    term.abort();
    wake();
  };
  signal.addEventListener('abort', onAbort);
  let problem = '';
  while (!signal.aborted) {
    try {
      const lease = isOut ? undefined : await bus.leases.acquire(WATCH_LEASE, pod, noteOf(offer));
      if (lease === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          // Periodic check: a release between the refusal and this line would be missed otherwise.
          void clock.sleep(bus.leases.leaseMs, signal).then(resolve);
        });
        continue;
      }
      log.info('watching the API server for all pods');
      term = new AbortController();
      if (isOut || signal.aborted) term.abort();
      try {
        await lead(deps, lease, term.signal);
      } finally {
        // Otherwise this process would block all pods, including itself, from leading.
        await lease.release();
      }
      problem = '';
    } catch (error) {
      const { message } = toErrorData(error);
      if (message !== problem) log.warn({ error: message }, 'leading the watch failed; will retry');
      problem = message;
      await clock.sleep(PAUSE_MS, signal);
    }
  }
  signal.removeEventListener('abort', onAbort);
  await watching.close();
}

/** One term of leadership: ends when the lease or the mailbox is lost, or `signal` is aborted. */
async function lead(deps: WatcherDeps, lease: Lease, signal: AbortSignal): Promise<void> {
  const { bus, registry, namespaces, here, clock, log } = deps;
  const { mailbox } = bus;
  const term = new AbortController();
  const end = (): void => term.abort();
  signal.addEventListener('abort', end);
  // The lease may have come after the end.
  if (signal.aborted) end();
  void lease.lost.then(end);
  const { id } = mailbox.epoch();
  let anew: Promise<void> | undefined;
  /** WATCHER-5. Another leader sees it, too, and so does this one in its next term. */
  const startAnew = (plural: string): void => {
    if (term.signal.aborted) return;
    end();
    if (clock.now() >= lease.endsAt()) return;
    log.warn(
      { plural },
      'the API server has less than it had reported: it was restored from a backup, and is read again',
    );
    anew = mailbox.startAnew(id);
    anew.catch(() => undefined); // it is awaited below
  };
  /** Marks the mailbox as seeded; undefined: not all was published yet. */
  let mark: (() => void) | undefined;
  const stopEpoch = mailbox.watchEpoch((epoch) => {
    if (epoch.id !== id) return end();
    // mutant: forgotten-seeding-stays drop
    if (epoch.seededAt === undefined) mark?.();
  });
  const inFlight = new FairSemaphore(PUBLICATIONS);
  const onTrouble = (message: string): void => log.warn(message);
  const outbox = new Outbox({ mailbox, clock, inFlight, endsAt: () => lease.endsAt(), onTrouble, remember: 'place' });
  const pending = new Set<Promise<void>>();
  const publish = ({ to, mail, cause }: Saying): void => {
    const subject = { to, topic: 'object' } as const;
    const said = outbox.say(subject, mail as unknown as JsonObject, mayReplace, cause);
    // Nothing is built for an object without an actor: each actor claims before it acts.
    // mutant: watcher-waits-for-refused ?: -> $3
    const saying = 'object' in mail ? Promise.race([said, outbox.refused(subject)]) : said;
    pending.add(saying);
    void saying.finally(() => {
      pending.delete(saying);
      // Objects come and go; what is known of those that went must not pile up.
      if ('gone' in mail) outbox.forget(subject, mail as unknown as JsonObject);
    });
  };
  const later = new Coalescer<Saying>({ clock, publish });
  let missing: MissingKinds | undefined;
  try {
    // mutant: watcher-ignores-mail await -> new Map()
    const known = await readMail(deps, term.signal);
    const say = (
      resource: Resource,
      mail: ObjectMessage,
      { namespace, name, cause }: { readonly namespace: string; readonly name: string; readonly cause: string },
    ): void => {
      const to = internAddress({ realm: resource.realm, plural: resource.plural, namespace, name });
      const key = addressKey(to);
      const version = versionOf(mail);
      const last = known.get(key);
      // mutant: watcher-says-older drop
      if (last !== undefined && compareVersions(last.version, version) >= 0) return;
      const uid = uidOf(mail);
      known.set(key, { to, version, uid, gone: 'gone' in mail });
      const isBirth = last === undefined || last.gone || last.uid !== uid;
      if (!isBirth && 'object' in mail && here.object(to, mail.object)) {
        // mutant: watcher-hands-over-only drop
        later.put(key, { to, mail, cause });
        return;
      }
      // mutant: watcher-late-beside-newer drop
      later.drop(key);
      const place = isBirth ? undefined : outbox.place({ to, topic: 'object' });
      if ('gone' in mail && place !== undefined && here.gone(to, mail.gone, place))
        outbox.forget({ to, topic: 'object' });
      else publish({ to, mail, cause });
    };
    const watches = registry.resources.flatMap((resource) =>
      placesOf(resource, namespaces).map((place) => ({ resource, place })),
    );
    const unseeded = new Set(watches.map(watchKey));
    let seededAt = Number.POSITIVE_INFINITY;
    /** @param serverTime  of the list; none where there is nothing to list */
    const seeded = (watch: Watch, serverTime = Number.POSITIVE_INFINITY): void => {
      if (!unseeded.delete(watchKey(watch))) return;
      seededAt = Math.min(seededAt, serverTime);
      // mutant: watcher-seeds-too-early drop
      if (unseeded.size > 0) return;
      // mutant: watcher-seeds-unpublished ()#3.1 -> []
      mark = () => {
        const marking = Promise.all(pending)
          .then(() => mailbox.markSeeded(seededAt))
          .catch((error) => {
            // The next leader marks it.
            if (term.signal.aborted) return;
            log.warn({ error: toErrorData(error).message }, 'the mailbox could not be marked as seeded');
          });
        pending.add(marking);
        void marking.finally(() => pending.delete(marking));
      };
      mark();
    };
    const families = new MissingKinds({
      kinds: registry.kinds,
      clock,
      log,
      onAbsent(realm) {
        for (const watch of watches) if (watch.resource.realm === realm) seeded(watch);
      },
      onMissed: (resource) => deps.onInterrupted?.(resource),
    });
    missing = families;
    await Promise.all(
      watches.map((watch) => {
        const { resource, place } = watch;
        const { plural } = resource;
        const isCaredFor = registry.kind(resource) !== undefined;
        /** Version of the last received event. */
        let reached = '0';
        const isOurs = ({ to }: Known): boolean =>
          // mutant: watcher-ends-elsewhere && -> $1 && $2
          to.realm === resource.realm && to.plural === plural && (place === undefined || to.namespace === place);
        const isRestored = (items: readonly KubeObject[], resourceVersion: string): boolean => {
          const isOlder = (version: string, than: string): boolean => compareVersions(version, than) < 0;
          // mutant: older-list-believed return -> false
          return (
            isOlder(resourceVersion, reached) ||
            [...known.values()].some((each) => isOurs(each) && isOlder(resourceVersion, each.version)) ||
            items.some(({ metadata: { namespace = '', name, resourceVersion: version } }) => {
              const last = known.get(addressKey({ realm: resource.realm, plural, namespace, name }));
              return last !== undefined && isOlder(version, last.version);
            })
          );
        };
        /** Whether it was logged. */
        let isTold = false;
        return watchResource(
          deps,
          { resource, namespace: place },
          {
            onList(items, resourceVersion, serverTime) {
              if (isRestored(items, resourceVersion)) return startAnew(plural);
              reached = resourceVersion;
              if (families.there(resource)) isTold = true;
              const present = new Set<string>();
              for (const object of items) {
                const { namespace = '', name } = object.metadata;
                present.add(addressKey({ realm: resource.realm, plural, namespace, name }));
                say(resource, { object }, { namespace, name, cause: changeTraceparent(object) });
              }
              for (const [key, each] of known) {
                if (!isOurs(each) || each.gone || present.has(key)) continue;
                const { uid } = each;
                const { namespace, name } = each.to;
                // The change that ended it was not seen.
                // mutant: watcher-misses-vanished drop
                say(resource, { gone: { uid, resourceVersion } }, { namespace, name, cause: traceparentOf(uid) });
              }
              seeded(watch, serverTime);
            },
            onChange(object) {
              const { namespace = '', name, resourceVersion } = object.metadata;
              reached = resourceVersion;
              say(resource, { object }, { namespace, name, cause: changeTraceparent(object) });
            },
            onGone(object) {
              const { uid, resourceVersion, namespace = '', name } = object.metadata;
              reached = resourceVersion;
              say(resource, { gone: { uid, resourceVersion } }, { namespace, name, cause: changeTraceparent(object) });
              known.delete(addressKey({ realm: resource.realm, plural, namespace, name }));
            },
            onTrouble(message, isMissing) {
              if (!isMissing) {
                deps.onInterrupted?.(resource);
                log.warn({ plural, error: message }, 'watch interrupted; reconnecting');
                isTold = true;
              } else if (isCaredFor) families.missing(resource);
              else seeded(watch);
            },
            onRecovery() {
              if (isTold) log.info({ plural }, 'watch restored');
              isTold = false;
            },
          },
          term.signal,
        );
      }),
    );
    await anew;
    // In order: others need not wait for the next leader.
    if (signal.aborted && clock.now() < lease.endsAt() && mailbox.epoch().id === id) {
      // mutant: watcher-never-flushes drop
      later.flush();
      const flushed = new AbortController();
      const all = Promise.all(pending).finally(() => flushed.abort());
      await Promise.race([all, clock.sleep(FLUSH_MS, flushed.signal)]);
    }
  } finally {
    missing?.close();
    later.clear();
    outbox.close();
    stopEpoch();
    signal.removeEventListener('abort', end);
  }
}

/** One resource in one namespace, or in all. */
interface Watch {
  readonly resource: Resource;
  readonly place: string | undefined;
}

function watchKey({ resource: { realm, plural }, place = '' }: Watch): string {
  return `${realm}/${plural}/${place}`;
}

interface Known {
  readonly to: Address;
  readonly version: string;
  readonly uid: string;
  readonly gone: boolean;
}

/** Messages about objects in the mailbox now, or until `signal` is aborted: a lost mailbox is never replayed. */
async function readMail({ bus }: WatcherDeps, signal: AbortSignal): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  const { promise: replayed, resolve: onReplayed } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => onReplayed());
  if (signal.aborted) onReplayed();
  const subscription = await bus.mailbox.subscribe(
    { topic: 'object' },
    {
      onMail({ subject, payload }) {
        if (!('to' in subject)) return;
        const { to } = subject;
        const mail = parseObjectMessage(payload);
        if (mail !== undefined)
          known.set(addressKey(to), { to, version: versionOf(mail), uid: uidOf(mail), gone: 'gone' in mail });
      },
      onReplayed,
    },
  );
  await replayed;
  await subscription.close();
  return known;
}

/** Older never replaces newer (WATCHER-1). */
function mayReplace(current: JsonObject, mine: JsonObject): boolean {
  const [theirs, ours] = [parseObjectMessage(current), parseObjectMessage(mine)];
  if (theirs === undefined || ours === undefined) return true;
  return compareVersions(versionOf(theirs), versionOf(ours)) < 0;
}

function versionOf(mail: ObjectMessage): string {
  return 'gone' in mail ? mail.gone.resourceVersion : mail.object.metadata.resourceVersion;
}

function uidOf(mail: ObjectMessage): string {
  return 'gone' in mail ? mail.gone.uid : mail.object.metadata.uid;
}
