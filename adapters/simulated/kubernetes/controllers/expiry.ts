// Events go an hour after they were last written, as with the API server's lease of their keys.
//
// Invariants:
//   KSIM-EXPIRY-1. There is one timer, whatever the number of events.
//   KSIM-EXPIRY-2. A restart gives an event no more time than it had: when it was written is read from the event itself.
import type { Timer } from '../../../../bus/time.ts';
import { mapOf } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Api } from '../resources/api.ts';
import type { Facts } from '../storage/stored.ts';

/** The default of kube-apiserver's `--event-ttl`. */
const EVENT_TTL_MS = 60 * 60_000;

/** Removes events whose time is over, until the server closes. */
export function expireEvents({ store, clock, closing }: Pick<Api, 'store' | 'clock' | 'closing'>): void {
  const events = store.collection('/events');
  const pathOf = ({ namespace = '', name = '' }: Facts): string => `${namespace}/${name}`;
  const ends = new Map<string, { readonly at: number; readonly facts: Facts }>();
  let timer: Timer | undefined;
  let wakeAt = 0;

  const stop = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer);
    timer = undefined;
  };
  const wake = (at: number): void => {
    if (closing.aborted || (timer !== undefined && wakeAt <= at)) return;
    stop();
    wakeAt = at;
    timer = clock.setTimeout(sweep, Math.max(0, at - clock.now()));
  };
  const sweep = (): void => {
    timer = undefined;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { at, facts } of ends.values()) {
      if (at <= now) events.remove(facts.namespace ?? '', facts.name ?? '');
      else next = Math.min(next, at);
    }
    if (ends.size > 0) wake(next);
  };
  const live = (facts: Facts, writtenAt: number): void => {
    const at = writtenAt + EVENT_TTL_MS;
    ends.set(pathOf(facts), { at, facts });
    wake(at);
  };

  // An added event may be years old: after a restart, or when its end was undone.
  events.follow(({ type, stored }) => {
    const { metadata } = stored;
    if (type === 'DELETED') ends.delete(pathOf(metadata));
    else live(metadata, type === 'ADDED' ? writtenAt(stored.object, clock.now()) : clock.now());
  });
  closing.addEventListener('abort', stop);
}

/** The end of the second in which an object says that it was last written; now when it is that second, or says nothing. */
function writtenAt({ metadata: { creationTimestamp, managedFields = [] } }: KubeObject, now: number): number {
  const times = [creationTimestamp, ...managedFields.map((entry) => mapOf(entry)['time'])]
    .map((time) => Date.parse(String(time)))
    .filter(Number.isFinite);
  return times.length === 0 ? now : Math.min(now, Math.max(...times) + 999);
}
