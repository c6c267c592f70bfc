// What is counted, and under which names.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metrics } from '../../../actors/observability/metrics.ts';
import type { HostedObject } from '../../../actors/observability/object-gauges.ts';
import {
  type Address,
  type Bus,
  type Clock,
  type Connectivity,
  type Lease,
  type MailboxHandlers,
  type MailboxMessage,
  type Trace,
  TransientError,
} from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('metrics');

test('failures are counted by kind and by what is in the way', async () => {
  const counted = metrics({ clock: simulatedClock() });
  const nowhere = { emit: () => undefined } as unknown as Trace;
  const trace = counted.traced(nowhere);
  const actor = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'net' };
  const emit = (data: Parameters<Trace['emit']>[0]['data']): void =>
    trace.emit({ actor, type: 'transition', traceparent: '', ...(data && { data }) });
  emit({ to: 'backingOff', failure: 'credentials' });
  emit({ to: 'backingOff', failure: 'credentials' });
  emit({ to: 'claiming.awaitingDependencies' });
  const { body } = await counted.text();
  const lines = body.split('\n').filter((line) => line.startsWith('troupe_failures_total'));
  assert.equal(lines, ['troupe_failures_total{realm="openstack",plural="networks",reason="credentials"} 2']);
});

test('what users are told is counted by kind and reason', async () => {
  const counted = metrics({ clock: simulatedClock() });
  counted.onUserEvent('Network', 'Drifted');
  counted.onUserEvent('Network', 'Drifted');
  const { body } = await counted.text();
  const lines = body.split('\n').filter((line) => line.startsWith('troupe_kubernetes_events_total'));
  assert.equal(lines, ['troupe_kubernetes_events_total{kind="Network",reason="Drifted"} 2']);
});

const ACTOR: Address = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'net' };

/** Time that passes when told to. */
function slowClock(): { readonly clock: Clock; pass(seconds: number): void } {
  let now = 1_000_000;
  const clock = Object.assign(simulatedClock(), { now: () => now });
  return {
    clock,
    pass(seconds) {
      now += seconds * 1_000;
    },
  };
}

async function linesOf(counted: ReturnType<typeof metrics>, pattern: RegExp): Promise<readonly string[]> {
  return (await counted.text()).body.split('\n').filter((line) => pattern.test(line));
}

test('how long a state lasted is counted when it is left, and of a state of rest never', async () => {
  const { clock, pass } = slowClock();
  const counted = metrics({ clock });
  const trace = counted.traced({ emit: () => undefined } as unknown as Trace);
  const enter = (from: string, to: string, ...tags: string[]): void =>
    trace.emit({ actor: ACTOR, type: 'transition', data: { from, to, tags } });
  enter('', 'creating', 'busy');
  pass(3);
  enter('creating', 'resting', 'settled');
  pass(1_000);
  enter('resting', 'observing', 'busy');
  pass(1);
  enter('observing', 'resting', 'settled');
  assert.equal(await linesOf(counted, /^troupe_state_duration_seconds_(sum|count)/), [
    'troupe_state_duration_seconds_sum{realm="openstack",plural="networks",state="creating"} 3',
    'troupe_state_duration_seconds_count{realm="openstack",plural="networks",state="creating"} 1',
    'troupe_state_duration_seconds_sum{realm="openstack",plural="networks",state="observing"} 1',
    'troupe_state_duration_seconds_count{realm="openstack",plural="networks",state="observing"} 1',
  ]);
});

test('what has been on its way for longest is told, through all its attempts, until it rests', async () => {
  const { clock, pass } = slowClock();
  const counted = metrics({ clock });
  const trace = counted.traced({ emit: () => undefined } as unknown as Trace);
  const here: HostedObject = { address: ACTOR, state: 'backingOff', tags: new Set(['failing']) };
  counted.follow({
    countByState: () => new Map([['backingOff', 1]]),
    hostedObjects: () => [here, { ...here, address: { ...ACTOR, name: 'other' }, tags: new Set(['settled']) }],
    load: () => ({
      shards: { live: 3, opening: 1, closing: 0, all: 4 },
      queues: { mail: 5, answers: 6, statuses: 7 },
      calls: new Map([['openstack', { underWay: 1, waiting: 2, limit: 16 }]]),
    }),
    rejectedMessages: 8,
  });
  const enter = (from: string, to: string, ...tags: string[]): void =>
    trace.emit({ actor: ACTOR, type: 'transition', data: { from, to, tags } });
  enter('', 'creating', 'busy');
  for (const from of ['creating', 'backingOff']) {
    pass(60);
    enter(from, from === 'creating' ? 'backingOff' : 'creating', from === 'creating' ? 'failing' : 'busy');
  }
  const kind = 'realm="openstack",plural="networks"';
  assert.equal(
    await linesOf(
      counted,
      /^troupe_(actors|tagged|unsettled|shards|queue|cloud_request_limit|cloud_requests_[iw]|rejected_messages)/,
    ),
    [
      `troupe_actors{${kind}} 2`,
      `troupe_tagged_objects{${kind},tag="failing"} 1`,
      `troupe_tagged_objects{${kind},tag="settled"} 1`,
      `troupe_unsettled_age_seconds{${kind}} 120`,
      'troupe_rejected_messages_total 8',
      'troupe_shards{state="live"} 3',
      'troupe_shards{state="opening"} 1',
      'troupe_shards{state="closing"} 0',
      'troupe_queue_length{queue="mail"} 5',
      'troupe_queue_length{queue="answers"} 6',
      'troupe_queue_length{queue="statuses"} 7',
      'troupe_cloud_requests_in_flight{realm="openstack"} 1',
      'troupe_cloud_requests_waiting{realm="openstack"} 2',
      'troupe_cloud_request_limit{realm="openstack"} 16',
    ],
  );
  enter('creating', 'resting', 'settled');
  assert.equal(await linesOf(counted, /^troupe_unsettled/), [`troupe_unsettled_age_seconds{${kind}} 0`]);
});

test('a deleted object is not unsettled, however long others wait for one of its name', async () => {
  const { clock, pass } = slowClock();
  const counted = metrics({ clock });
  const trace = counted.traced({ emit: () => undefined } as unknown as Trace);
  let state = 'removing';
  counted.follow({
    countByState: () => new Map(),
    hostedObjects: () => [{ address: ACTOR, state, tags: new Set() }],
    load: () => ({
      shards: { live: 1, opening: 0, closing: 0, all: 1 },
      queues: { mail: 0, answers: 0, statuses: 0 },
      calls: new Map(),
    }),
    rejectedMessages: 0,
  });
  const ages = (): Promise<readonly string[]> => linesOf(counted, /^troupe_unsettled/);
  const kind = 'realm="openstack",plural="networks"';
  trace.emit({ actor: ACTOR, type: 'transition', data: { from: '', to: 'removing', tags: ['busy'] } });
  pass(60);
  assert.equal(await ages(), [`troupe_unsettled_age_seconds{${kind}} 60`]);
  trace.emit({ actor: ACTOR, type: 'deleted', data: { uid: 'uid', from: 'removing' } });
  state = '';
  pass(3_600);
  assert.equal(await ages(), [`troupe_unsettled_age_seconds{${kind}} 0`]);
  trace.emit({ actor: ACTOR, type: 'transition', data: { from: '', to: 'creating', tags: ['busy'] } });
  state = 'creating';
  pass(5);
  assert.equal(await ages(), [`troupe_unsettled_age_seconds{${kind}} 5`]);
});

test('operations are counted by what became of them, and nothing of them is changed', async () => {
  const { clock, pass } = slowClock();
  const counted = metrics({ clock });
  const failure = new TransientError('away');
  const create = Promise.withResolvers<string>();
  const created = counted.timed({ ...ACTOR, operation: 'create' }, () => create.promise)({} as never);
  assert.equal(await linesOf(counted, /^troupe_operations_in_flight/), [
    'troupe_operations_in_flight{realm="openstack"} 1',
  ]);
  pass(2);
  create.resolve('id');
  assert.is(await created, 'id');
  const remove = counted.timed({ ...ACTOR, operation: 'remove' }, () => Promise.reject(failure));
  const seen = await remove({} as never).catch((error: unknown) => error);
  assert.is(seen, failure);
  const lines = await linesOf(counted, /^troupe_operation_duration_seconds_sum|^troupe_operations_in_flight/);
  const of = 'realm="openstack",plural="networks"';
  assert.equal(lines, [
    `troupe_operation_duration_seconds_sum{${of},operation="create",outcome="done"} 2`,
    `troupe_operation_duration_seconds_sum{${of},operation="remove",outcome="transient"} 0`,
    'troupe_operations_in_flight{realm="openstack"} 0',
  ]);
});

test('a process without a bus says nothing of one', async () => {
  const bus = /troupe_(bus|leases|mail_lag)/;
  assert.match((await metrics({ clock: simulatedClock() }).text()).body, bus);
  assert.not.match((await metrics({ clock: simulatedClock(), hasBus: false }).text()).body, bus);
});

test('of the bus: connection, leases that were lost and not given up, and how late mail is that is not read again', async () => {
  const { clock } = slowClock();
  const counted = metrics({ clock });
  let report: (change: Connectivity) => void = () => undefined;
  let handlers: MailboxHandlers | undefined;
  const losses = new Map<string, () => void>();
  const bus = counted.countedBus({
    onConnectivity: (listener: typeof report) => {
      report = listener;
      return () => undefined;
    },
    mailbox: {
      async subscribe(_: unknown, given: MailboxHandlers) {
        handlers = given;
        return { close: async () => undefined };
      },
    },
    leases: {
      async acquire(name: string): Promise<Lease> {
        const { promise, resolve } = Promise.withResolvers<void>();
        losses.set(name, resolve);
        return { name, lost: promise, endsAt: () => 5, confirm: async () => true, release: async () => undefined };
      },
    },
    trace: {},
  } as unknown as Bus);
  const heard: MailboxMessage[] = [];
  await bus.mailbox.subscribe(
    { shards: [1] },
    { onMail: (mail) => void heard.push(mail), onReplayed: () => undefined },
  );
  const mail: MailboxMessage = {
    subject: { topic: 'object', to: ACTOR },
    sequence: 1,
    payload: {},
    storedAt: clock.now() - 500,
  };
  handlers?.onMail({ ...mail, storedAt: 0 });
  handlers?.onReplayed();
  handlers?.onMail(mail);
  handlers?.onMail({ ...mail, storedAt: clock.now() + 90_000 });
  assert.is(heard.length, 3);
  const held = await Promise.all(
    ['shard.1', 'shard.2', 'pod.x', 'role.watch'].map((name) => bus.leases.acquire(name, 'x')),
  );
  await held[0]?.release();
  losses.get('shard.1')?.();
  losses.get('shard.2')?.();
  await Promise.resolve();
  await held[1]?.release();
  report({ kind: 'disconnected', detail: '' });
  assert.equal(await linesOf(counted, /^troupe_(bus|leases|mail_lag_seconds_(sum|count))/), [
    'troupe_bus_connected 0',
    'troupe_bus_disconnections_total 1',
    'troupe_leases_held{lease="shard"} 0',
    'troupe_leases_held{lease="pod"} 1',
    'troupe_leases_held{lease="watch"} 1',
    'troupe_leases_lost_total{lease="shard"} 1',
    'troupe_leases_lost_total{lease="pod"} 0',
    'troupe_leases_lost_total{lease="watch"} 0',
    'troupe_mail_lag_seconds_sum{topic="object"} 0.5',
    'troupe_mail_lag_seconds_count{topic="object"} 2',
  ]);
});

test.run();
