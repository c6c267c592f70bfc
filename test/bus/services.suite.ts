// What every bus must do for requests and for the trace.
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import type { Address } from '../../bus/address.ts';
import type { Bus, EventQuery, JsonObject, ReceivedEvent, Tracing } from '../../bus/bus.ts';
import {
  AbsentError,
  ConflictError,
  TerminalError,
  TransientError,
  type TroupeError,
  UnknownOutcomeError,
} from '../../bus/errors.ts';
import { address, type Harness, on, rejection, type Scene } from './harness.ts';

export function servicesSuite(test: uvu.Test<Record<string, unknown>>, harness: Harness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;
  const SUBJECT = 'openstack.subnets.create';

  test(
    called('a request is answered, also with large and foreign text'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const heard: JsonObject[] = [];
      const handle = async (request: JsonObject): Promise<JsonObject> => {
        heard.push(request);
        return { echo: request };
      };
      await a.services.serve('openstack', '1.0.0', 'subnets', [{ subject: SUBJECT, handle }]);
      const request = { name: 'Ünï "quoted"', list: [1, null, true], long: 'x'.repeat(200_000) };
      assert.equal(await b.services.request(SUBJECT, request, soon(scene)), { echo: request });
      assert.equal(await a.services.request(SUBJECT, {}, soon(scene)), { echo: {} });
      assert.equal(heard, [request, {}]);
    }),
  );

  test(
    called('what a handler throws arrives with its code'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const errors: Record<string, Error> = {
        transient: new TransientError("cinder is busy:\nsee 'déjà'", { retryAfterMs: 1_500 }),
        terminal: new TerminalError('a volume of 0 GiB', { reason: 'BadSize' }),
        absent: new AbsentError("no subnet 'x'"),
        conflict: new ConflictError('somebody was first'),
        other: new RangeError('a defect'),
      };
      const handle = (request: JsonObject): Promise<JsonObject> => {
        throw errors[String(request['kind'])] ?? new Error('unknown');
      };
      await a.services.serve('openstack', '1.0.0', 'subnets', [{ subject: SUBJECT, handle }]);
      for (const [kind, error] of Object.entries(errors)) {
        const thrown = (await rejection(b.services.request(SUBJECT, { kind }, soon(scene)))) as TroupeError;
        assert.is(thrown.code, kind === 'other' ? 'transient' : kind);
        assert.is(thrown.message, error.message);
        if (thrown instanceof TransientError && kind === 'transient') assert.is(thrown.retryAfterMs, 1_500);
        if (thrown instanceof TerminalError) assert.is(thrown.reason, 'BadSize');
      }
    }),
  );

  test(
    called('a service that ends while its process is cut off does not come back with the connection'),
    on(harness, async (scene) => {
      const { connect, cut, eventually, until } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      let asked = 0;
      const handle = async (): Promise<JsonObject> => {
        asked += 1;
        return {};
      };
      const service = await a.services.serve('openstack', '1.0.0', 'subnets', [{ subject: SUBJECT, handle }]);
      const heal = await cut(a);
      // It has noticed that.
      await rejection(a.services.request(SUBJECT, {}, soon(scene)));
      await service.close();
      await heal();
      // It is there again: what it is asked itself is answered.
      const own = { subject: 'openstack.ports.create', handle: async () => ({}) };
      await eventually(() => a.services.serve('openstack', '1.0.0', 'ports', [own]));
      await eventually(() => b.services.request(own.subject, {}, soon(scene)));
      let refusal = '';
      const ask = (): void =>
        void b.services.request(SUBJECT, {}, soon(scene)).catch(({ message }) => (refusal = message));
      ask();
      await until('a refusal', () => refusal !== '' || asked > 0);
      assert.equal([asked, refusal], [0, `no process serves '${SUBJECT}'`]);
    }),
  );

  test(
    called('where nobody answers, the request says so and whom it wanted'),
    on(harness, async (scene) => {
      const { connect, clock, lateEffectMs } = scene;
      const bus = await connect('a');
      const startedAt = clock.now();
      const error = await rejection(bus.services.request('csi-proxy.node-7.volume.format', {}, soon(scene)));
      assert.instance(error, TransientError);
      assert.match(error.message, "no process serves 'csi-proxy.node-7.volume.format'");
      assert.not.instance(error, UnknownOutcomeError);
      assert.ok(clock.now() - startedAt < 1_000 + lateEffectMs, 'at once');
      const service = await bus.services.serve('x', '1.0.0', 'x', [{ subject: 'x.y', handle: async () => ({}) }]);
      assert.equal(await bus.services.request('x.y', {}, soon(scene)), {});
      await service.close();
      assert.instance(await rejection(bus.services.request('x.y', {}, soon(scene))), TransientError);
    }),
  );

  test(
    called('no answer by the deadline is transient, and leaves open what was done'),
    on(harness, async ({ connect, clock, leaseMs, lateEffectMs }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      let asked = 0;
      const ends: (() => void)[] = [];
      const handle = async (): Promise<JsonObject> => {
        asked += 1;
        await new Promise<void>((resolve) => ends.push(resolve));
        return {};
      };
      await a.services.serve('slow', '1.0.0', 'slow', [{ subject: 'slow.one', handle }]);
      const deadlineAt = clock.now() + leaseMs / 2;
      assert.instance(await rejection(b.services.request('slow.one', {}, deadlineAt)), UnknownOutcomeError);
      const afterMs = clock.now() - deadlineAt;
      assert.ok(afterMs >= -5 && afterMs < 1_000 + lateEffectMs, `${afterMs} ms after the deadline`);
      const tooLate = await rejection(b.services.request('slow.one', {}, clock.now() - 1));
      assert.instance(tooLate, TransientError);
      assert.not.instance(tooLate, UnknownOutcomeError);
      assert.is(asked, 1, 'what is too late is not sent');
      for (const end of ends) end();
    }),
  );

  test(
    called('several may serve one subject; requests run at the same time'),
    on(harness, async (scene) => {
      const { connect, clock } = scene;
      const [a, b, c] = [await connect('a'), await connect('b'), await connect('c')];
      let running = 0;
      let most = 0;
      const served = { a: 0, b: 0 };
      for (const [name, bus] of [['a', a] as const, ['b', b] as const]) {
        const handle = async (request: JsonObject): Promise<JsonObject> => {
          served[name] += 1;
          running += 1;
          most = Math.max(most, running);
          await clock.sleep(20);
          running -= 1;
          return request;
        };
        await bus.services.serve('openstack', '1.0.0', 'subnets', [{ subject: SUBJECT, handle }]);
      }
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, at) => c.services.request(SUBJECT, { at }, soon(scene))),
      );
      assert.equal(
        answers,
        answers.map((_, at) => ({ at })),
      );
      assert.is(served.a + served.b, 100);
      assert.ok(served.a > 0 && served.b > 0 && most > 10);
      await a.close();
      assert.equal(await c.services.request(SUBJECT, { at: 1 }, soon(scene)), { at: 1 });
    }),
  );

  test(
    called('a request of a process that is cut off rejects'),
    on(harness, async (scene) => {
      const { connect, cut, clock, eventually } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      await a.services.serve('x', '1.0.0', 'x', [{ subject: 'x.y', handle: async () => ({}) }]);
      const heal = await cut(b);
      assert.instance(await rejection(b.services.request('x.y', {}, clock.now() + 1_000)), TransientError);
      await heal();
      assert.equal(await eventually(() => b.services.request('x.y', {}, soon(scene))), {});
    }),
  );

  test(
    called('events reach all who listen; telling never fails'),
    on(harness, async ({ connect, cut, clock, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const heard: ReceivedEvent[] = [];
      const listening = await b.trace.subscribe((event) => heard.push(event));
      const event = {
        actor: { ...address('worker-1.example.com'), namespace: '' },
        type: 'call.start',
        traceparent: TRACEPARENT,
        data: { from: 'idle', to: 'ready' },
      };
      const startedAt = clock.now();
      a.trace.emit(event);
      await until('the event', () => heard.length === 1);
      const { at, id, source, ...same } = heard[0] as ReceivedEvent;
      assert.equal(same, event);
      assert.ok(at >= startedAt - 0.001 && at <= clock.now());
      assert.is(id === undefined, source === undefined, 'an id is unique with its source');
      a.trace.emit({ ...event, traceparent: 'nonsense' });
      await until('the event', () => heard.length === 2);
      const { at: _, id: another, source: __, ...untraced } = heard[1] as ReceivedEvent;
      if (id !== undefined) assert.is.not(another, id);
      assert.equal(
        untraced,
        { actor: event.actor, type: event.type, data: event.data },
        'what is malformed is left out',
      );
      await listening.close();
      a.trace.emit(event);
      const heal = await cut(a);
      a.trace.emit(event);
      await heal();
      await a.close();
      a.trace.emit(event);
      assert.is(heard.length, 2);
    }),
  );

  test(
    called('what happened can be read later: of all, of one actor, from a time on'),
    on(harness, async (scene) => {
      const { connect, clock } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const [one, other] = [address('one.example'), address('other')];
      const emit = (actor: Address, type: string, step: number): void =>
        a.trace.emit({ actor, type, traceparent: TRACEPARENT, data: { step } });
      const steps = async (query?: EventQuery): Promise<unknown[]> =>
        (await all(b, query)).map(({ data }) => data['step']);
      assert.equal(await all(b), [], 'nothing happened');
      emit(one, 'transition', 1);
      emit(other, 'transition', 2);
      emit(one, 'call', 3);
      await kept(scene, b, 3);
      const third = (await all(b)).at(-1);
      await clock.sleep(20);
      // By the clock of whoever keeps it: the own may differ.
      const since = (third?.keptAt ?? third?.at ?? 0) + 10;
      emit(one, 'transition', 4);
      emit(other, 'call', 5);
      await kept(scene, b, 5);
      assert.equal(await steps(), [1, 2, 3, 4, 5]);
      assert.equal(await steps({ actor: one }), [1, 3, 4]);
      assert.equal(await steps({ since }), [4, 5]);
      assert.equal(await steps({ actor: other, since }), [5]);
      assert.equal(await steps({ actor: address('unknown') }), []);
      assert.equal(await steps({ since: clock.now() + 60_000 }), []);
      assert.equal(await steps({ type: 'call' }), [3, 5]);
      assert.equal(await steps({ type: 'transition', actor: one }), [1, 4]);
      assert.equal(await steps({ type: 'transition', since }), [4]);
      assert.equal(await steps({ type: 'unknown' }), []);
      assert.equal(await steps({ type: 'transition', only: 'last' }), [2, 4]);
      assert.equal(await steps({ only: 'last' }), [2, 3, 4, 5], 'of each type');
      assert.equal(await steps({ actor: one, only: 'last' }), [3, 4]);
      const [first] = await all(b, { actor: one });
      assert.ok(first !== undefined && first.at <= clock.now());
      const { at: _, keptAt: __, id: ___, source: ____, ...event } = first;
      assert.equal(event, { actor: one, type: 'transition', traceparent: TRACEPARENT, data: { step: 1 } });
    }),
  );

  test(
    called('a long history is read to its end, in order, while more happens'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const COUNT = 1_200; // more than is asked for in one go
      const emit = (step: number): void => a.trace.emit({ actor: address('n'), type: 'step', data: { step } });
      for (let step = 0; step < COUNT; step += 1) emit(step);
      // The bus in memory keeps a thousand at least.
      await kept(scene, b, COUNT);
      const read: number[] = [];
      for await (const { data } of b.trace.history()) {
        read.push(Number(data['step']));
        if (read.length === 10) emit(COUNT);
      }
      assert.equal(
        read,
        Array.from({ length: COUNT }, (_, step) => step),
      );
      const stopped = b.trace.history();
      for await (const { data } of stopped) {
        assert.is(data['step'], 0);
        break; // whoever has seen enough leaves
      }
    }),
  );

  test(
    called('history is refused while the bus is away'),
    on(harness, async ({ connect, cut, eventually }) => {
      const a = await connect('a');
      const heal = await cut(a);
      assert.instance(await rejection(all(a)), TransientError);
      await heal();
      assert.equal(await eventually(() => all(a)), []);
    }),
  );

  test(
    called('a request carries the trace of its cause, and nothing that is no trace'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const heard: (string | undefined)[] = [];
      const handle = async (_: JsonObject, { traceparent }: Tracing): Promise<JsonObject> => {
        heard.push(traceparent);
        return {};
      };
      await a.services.serve('x', '1.0.0', 'x', [{ subject: 'x.y', handle }]);
      for (const traceparent of [TRACEPARENT, 'nonsense', undefined]) {
        await b.services.request('x.y', {}, soon(scene), { traceparent });
      }
      await b.services.request('x.y', {}, soon(scene));
      assert.equal(heard, [TRACEPARENT, undefined, undefined, undefined]);
    }),
  );
}

/** A deadline that nothing misses. */
function soon({ clock }: Scene): number {
  return clock.now() + 60_000;
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function all(bus: Bus, query?: EventQuery): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of bus.trace.history(query)) events.push(event);
  return events;
}

/** Waits until so many events are kept. */
async function kept({ clock }: Scene, bus: Bus, count: number): Promise<void> {
  const limit = clock.now() + 60_000;
  while ((await all(bus)).length < count) {
    assert.ok(clock.now() < limit, `waited for ${count} events`);
    await clock.sleep(5);
  }
}
