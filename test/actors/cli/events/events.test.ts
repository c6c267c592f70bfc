// `troupe events`: what is kept and then what happens, each once, as lines and as CloudEvents.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/demo/view.ts';
import { EVENT_TYPES, type EventsDeps, events } from '../../../../actors/cli/events/events.ts';
import { USAGES } from '../../../../actors/cli/usage.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { type Address, type Bus, memoryBroker, TerminalError, type TraceEvent } from '../../../../bus/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { type Said, said } from '../reader.ts';

const test = suite('troupe events');

const clock = simulatedClock();
const SUBNET: Address = { realm: 'openstack', plural: 'subnets', namespace: 'shop', name: 'app' };
const NETWORK: Address = { ...SUBNET, plural: 'networks', name: 'net' };
const ELSEWHERE: Address = { ...NETWORK, namespace: 'other' };
const OWN = '00-00000001a5604333acb814e890bd5ff7-bbc0e17da5604333-01';
const OTHERS = '00-00000001ab64427ca22cecd43b82b734-38353872ab64427c-01';

const moved = (actor: Address, traceparent: string, more: TraceEvent['data'] = {}): TraceEvent => ({
  actor,
  type: 'transition',
  traceparent,
  data: { uid: 'u', from: '', to: 'claiming', cause: 'lifecycle.started', tags: ['busy'], ...more },
});
const CALL: TraceEvent = {
  actor: SUBNET,
  type: 'call',
  traceparent: OWN,
  data: { service: 'network', method: 'POST', path: '/subnets', status: 409, durationMs: 12.4, requestId: 'req-1' },
};
const KEPT: readonly TraceEvent[] = [
  moved(NETWORK, OTHERS),
  moved(ELSEWHERE, OWN.replace('bbc0', 'bbc1')),
  moved(SUBNET, OWN, { from: 'claiming', to: 'building.creating', cause: 'xstate.done.actor.guard', links: [OTHERS] }),
  CALL,
  moved(SUBNET, OWN, {
    from: 'building.creating',
    to: 'backingOff',
    cause: 'xstate.error.actor.create',
    tags: ['failing'],
    failure: 'quota',
  }),
];

async function withBus(run: (bus: Bus) => Promise<void>, kept = KEPT): Promise<void> {
  const bus = memoryBroker({ clock }).connect();
  try {
    for (const event of kept) bus.trace.emit(event);
    await clock.settle();
    await run(bus);
  } finally {
    await bus.close();
  }
}

function reported(bus: Bus, more: Partial<EventsDeps> = {}): Promise<Said> {
  return said((streams) =>
    events({
      adapters: [openstackWith({})],
      clock,
      openBus: async () => ({ ...bus, close: async () => undefined }),
      isThere: async () => undefined,
      refuseAbsent: async () => undefined,
      prefix: undefined,
      names: [],
      namespaces: undefined,
      since: '1h',
      types: undefined,
      isWatched: false,
      inspect: undefined,
      output: undefined,
      signal: new AbortController().signal,
      ink: Ink.Plain,
      ...streams,
      ...more,
    }),
  );
}

/** Lines without their times. */
function lines({ out }: Said): readonly string[] {
  return out
    .trim()
    .split('\n')
    .map((line) => {
      assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}/);
      return line.slice(26).replace(/ {3,}/, '  ');
    });
}

test('each event is a line: object, way, cause, whose answer it was, failure; calls with their answer', () =>
  withBus(async (bus) => {
    assert.equal(lines(await reported(bus, { namespaces: ['shop'] })), [
      'Network/net  (new) -> claiming  after lifecycle.started',
      'Subnet/app  claiming -> building.creating  after guard done by Network/net',
      'Subnet/app  POST network /subnets  409  12 ms  req-1',
      'Subnet/app  building.creating -> backingOff  after create failed  failed: quota',
    ]);
    assert.match(lines(await reported(bus))[1] ?? '', /^other {2}Network\/net /);
    assert.match((await reported(bus, { ink: Ink.Color })).out, '\u001b[31mbuilding.creating -> backingOff');
  }));

test('one object, some types, and no longer ago than was asked', () =>
  withBus(async (bus) => {
    assert.is(lines(await reported(bus, { names: ['subnet/app'] })).length, 3);
    assert.is(lines(await reported(bus, { names: ['subnet', 'app'], types: ['call,deleted'] })).length, 1);
    await clock.sleep(1);
    assert.is((await reported(bus, { since: '0s' })).out, '');
  }));

test('35.B: a namespace that is not there is refused when nothing is told of it, and asked for only then', () =>
  withBus(async (bus) => {
    const refuseAbsent = async (namespaces: readonly string[]): Promise<void> => {
      throw new TerminalError(`there is no namespace '${namespaces}'`);
    };
    const error = await reported(bus, { namespaces: ['shpo'], refuseAbsent }).catch((thrown: unknown) => thrown);
    assert.match((error as Error).message, "there is no namespace 'shpo'");
    assert.is((await reported(bus, { namespaces: ['shop'], refuseAbsent })).code, 0);
    const signal = AbortSignal.abort();
    assert.is((await reported(bus, { namespaces: ['shpo'], refuseAbsent, isWatched: true, signal })).code, 0);
  }));

test('35.B: types of events that there are none of are refused, with the nearest; completion offers those that there are', () =>
  withBus(async (bus) => {
    for (const types of [['transitoin'], ['call', 'gone']]) {
      const error = await reported(bus, { types }).catch((thrown: unknown) => thrown);
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, /^--type must be among transition, quarantined, deleted, call; got '/);
    }
    assert.equal(USAGES.events.options.type.value.split('|').sort(), EVENT_TYPES.toSorted());
  }));

test('33.B10: an object of which nothing is kept is said to be none, or to have been quiet', () =>
  withBus(async (bus) => {
    const asked = { names: ['subnet/lost'], namespaces: ['shop'] };
    const none = await reported(bus, { ...asked, isThere: async () => false });
    assert.equal(none, {
      code: 1,
      out: '',
      notes: "troupe: Subnet/lost does not exist in namespace 'shop'; -n names another\n",
    });
    const quiet = 'troupe: nothing is kept that happened to Subnet/lost within 1h';
    assert.equal(await reported(bus, { ...asked, isThere: async () => true }), {
      code: 0,
      out: '',
      notes: `${quiet}\n`,
    });
    const untold = `${quiet}, and whether it exists is unknown\n`;
    assert.equal(await reported(bus, asked), { code: 1, out: '', notes: untold });
    const known = await reported(bus, { names: ['subnet/app'], isThere: () => assert.unreachable() as never });
    assert.equal([known.code, known.notes], [0, ''], 'of one that is gone what happened is told');
  }));

test('JSON is one CloudEvent a line', () =>
  withBus(async (bus) => {
    const { out } = await reported(bus, { output: 'json', types: ['call'] });
    const { id, time, ...event } = JSON.parse(out);
    assert.type(id, 'string');
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}Z$/);
    assert.equal(event, {
      specversion: '1.0',
      source: '/troupe',
      type: 'troupe.call',
      subject: 'openstack.subnets.shop.app',
      traceparent: OWN,
      datacontenttype: 'application/json',
      data: CALL.data,
    });
  }));

test('who watches hears what is kept and what happens meanwhile, each once', () =>
  withBus(async (bus) => {
    const stop = new AbortController();
    const late: TraceEvent = { ...CALL, data: { ...CALL.data, requestId: 'late' } };
    const early: TraceEvent = { ...CALL, data: { ...CALL.data, requestId: 'early' } };
    const trace: Bus['trace'] = {
      ...bus.trace,
      async *history(query) {
        bus.trace.emit(early);
        await clock.sleep(5);
        yield* bus.trace.history(query); // it has the early one, too
        void clock.settle().then(async () => {
          bus.trace.emit(late);
          await clock.settle();
          stop.abort();
        });
      },
    };
    const all = await reported({ ...bus, trace }, { isWatched: true, signal: stop.signal, types: ['call'] });
    assert.equal(
      lines(all).map((line) => line.split('  ').at(-1)),
      ['req-1', 'early', 'late'],
    );
  }));

test('names do nothing to a terminal', () =>
  withBus(
    async (bus) => {
      const { out } = await reported(bus);
      assert.match(out, 'Network/a\\u{1b}[2J');
      assert.not.match(out, '\u001b');
    },
    [moved({ ...NETWORK, name: 'a\u001b[2J' }, OWN)],
  ));

test('what makes no sense is refused before the bus is asked', () =>
  withBus(async (bus) => {
    for (const [more, expected] of [
      [{ since: 'yesterday' }, /--since must be a Go duration such as 10m; got 'yesterday'/],
      [{ output: 'yaml' }, /--output must be text or json; got 'yaml'/],
      [{ inspect: 'http' }, /--inspect must be a port, 0 for any; got 'http'/],
      [{ names: ['netwrok/a'] }, /no kind 'netwrok'; did you mean 'network'/],
    ] as const) {
      const refused = reported(bus, { ...more, openBus: async () => assert.unreachable() as never });
      const error = await refused.catch((thrown: unknown) => thrown);
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, expected);
    }
  }));

test.run();
