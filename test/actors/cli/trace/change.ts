// A subnet that waited for its network, as the bus told of it.

import { changeTraceparent, stepTraceparent, traceIdOf } from '../../../../actors/base/change-trace.ts';
import { type Reported, storyOf } from '../../../../actors/cli/trace/story.ts';
import type { Address, JsonObject, ReceivedEvent } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';

export const BEGIN = Date.parse('2026-01-01T12:00:00Z');
export const SUBNET: Address = { realm: 'openstack', plural: 'subnets', namespace: 'shop', name: 'app' };
export const NETWORK: Address = { ...SUBNET, plural: 'networks', name: 'net' };

const UIDS = new Map([
  [SUBNET, 'bbc0e17d-a560-4333-acb8-14e890bd5ff7'],
  [NETWORK, '38353872-ab64-427c-a22c-ecd43b82b734'],
]);

export function traceparentOf(actor: Address, generation = 1): string {
  const uid = UIDS.get(actor) ?? '';
  return stepTraceparent(changeTraceparent({ metadata: { uid, generation } } as KubeObject), uid);
}

function event(actor: Address, type: string, afterMs: number, data: JsonObject): ReceivedEvent {
  return {
    actor,
    type,
    at: BEGIN + afterMs,
    traceparent: traceparentOf(actor),
    data: { uid: UIDS.get(actor) ?? '', ...data },
  };
}

const moved = (actor: Address, afterMs: number, from: string, to: string, more: JsonObject): ReceivedEvent =>
  event(actor, 'transition', afterMs, { from, to, cause: 'xstate.done.actor.step', tags: ['busy'], ...more });

export const EVENTS: readonly ReceivedEvent[] = [
  moved(SUBNET, 0, '', 'claiming.guarding', { cause: 'lifecycle.started' }),
  moved(SUBNET, 10, 'claiming.guarding', 'claiming.awaitingDependencies', { tags: ['waiting'] }),
  moved(NETWORK, 20.5, '', 'building.creating', {}),
  event(NETWORK, 'call', 60.25, { service: 'network', method: 'POST', path: '/networks', status: 503, durationMs: 30 }),
  moved(NETWORK, 70, 'building.creating', 'idle.available', { tags: ['settled'] }),
  moved(SUBNET, 100, 'claiming.awaitingDependencies', 'building.creating', {
    cause: 'dependencies.changed',
    links: [traceparentOf(NETWORK)],
  }),
  event(SUBNET, 'call', 150, {
    service: 'network',
    method: 'POST',
    path: '/subnets',
    status: 201,
    durationMs: 40,
    requestId: 'req-1',
  }),
  event(SUBNET, 'call', 155, { service: 'network', method: 'GET', path: '/subnets', status: null, durationMs: 20 }),
  moved(SUBNET, 160, 'building.creating', 'idle.available', { tags: ['settled', 'available'], externalId: 'abc' }),
  moved(SUBNET, 5_000, 'idle.available', 'reconciling.observing', { cause: 'xstate.after.resync.idle' }),
  moved(SUBNET, 5_040, 'reconciling.observing', 'failed', {
    tags: ['settled', 'failing', 'terminal'],
    failure: 'quota',
  }),
];

export function reported(): Reported {
  const actorOf = ({ spanId }: { readonly spanId: string }): Address | undefined =>
    [SUBNET, NETWORK].find((actor) => traceparentOf(actor).includes(`-${spanId}-`));
  const of = (actor: Address): Reported['story'] => {
    const story = storyOf(EVENTS, actor, traceIdOf(traceparentOf(actor)), actorOf);
    if (story === undefined) throw new Error('there is no story');
    return story;
  };
  return { story: of(SUBNET), others: [of(NETWORK)], written: undefined, generation: 1 };
}
