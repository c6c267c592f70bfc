// What every bus must do for requests that take as long as they take (BUS-6).
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bus, JsonObject, LongCallHandle, LongCallOptions, Tracing } from '../../bus/bus.ts';
import { TerminalError, TransientError, UnknownOutcomeError } from '../../bus/errors.ts';
import { type Harness, on, rejection, type Scene } from './harness.ts';

const SUBJECT = 'press.books.print';
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** What one handler was given, and the way to end it. */
interface Running extends LongCallHandle {
  readonly request: JsonObject;
  readonly tracing: Tracing;
  readonly end: PromiseWithResolvers<JsonObject>;
}

/** Serves `SUBJECT`; whatever runs ends when it is told to, or is aborted. */
async function serving(bus: Bus, subject = SUBJECT): Promise<{ running: Running[]; close(): Promise<void> }> {
  const running: Running[] = [];
  const handle = (request: JsonObject, tracing: Tracing, held?: LongCallHandle): Promise<JsonObject> => {
    if (held === undefined) throw new TerminalError('it must be held');
    const end = Promise.withResolvers<JsonObject>();
    held.signal.addEventListener('abort', () => end.reject(held.signal.reason));
    running.push({ ...held, request, tracing, end });
    return end.promise;
  };
  const service = await bus.services.serve('press', '1.0.0', 'books', [{ subject, handle }]);
  return { running, close: () => service.close() };
}

/** A request that is held, and what was heard of it. */
interface Holding {
  readonly heard: JsonObject[];
  readonly answer: Promise<JsonObject>;
  giveUp(): void;
}

function hold(
  { clock, leaseMs }: Scene,
  bus: Bus,
  request: JsonObject = {},
  more: Partial<LongCallOptions> = {},
): Holding {
  const heard: JsonObject[] = [];
  const stop = new AbortController();
  const answer = bus.services.callLong(
    SUBJECT,
    request,
    {
      signal: stop.signal,
      onProgress: (progress) => heard.push(progress),
      beginBy: clock.now() + 14_000,
      validUntil: () => clock.now() + leaseMs,
      ...more,
    },
    { traceparent: TRACEPARENT },
  );
  answer.catch(() => undefined); // asked for by whoever wants it
  return { heard, answer, giveUp: () => stop.abort() };
}

async function begun({ until }: Scene, running: readonly Running[], count = 1): Promise<Running> {
  await until(`${count} to have begun`, () => running.length >= count);
  return running[count - 1] as Running;
}

export function holdsSuite(test: uvu.Test<Record<string, unknown>>, harness: Harness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;

  test(
    called('what is held lasts, tells how far it is, and is answered'),
    on(harness, async (scene) => {
      const { connect, clock, leaseMs, until, within } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const { answer, heard } = hold(scene, b, { pages: 3, title: 'Ünï' });
      const { request, tracing, progress, end, signal, validUntil } = await begun(scene, running);
      assert.equal([request, tracing.traceparent], [{ pages: 3, title: 'Ünï' }, TRACEPARENT]);
      const firstUntil = validUntil();
      assert.ok(firstUntil > clock.now() && firstUntil <= clock.now() + leaseMs);
      progress({ sheets: 1 });
      await until('the first sheet', () => heard.length === 1);
      // Longer than anything is confirmed for.
      await clock.sleep(leaseMs * 2.5);
      assert.not(signal.aborted);
      assert.ok(validUntil() > clock.now(), 'it is confirmed again and again');
      progress({ sheets: 3 });
      end.resolve({ bound: true });
      assert.equal(await within('the answer', answer), { bound: true });
      assert.equal(heard, [{ sheets: 1 }, { sheets: 3 }]);
      assert.not(signal.aborted);
    }),
  );

  test(
    called('what a held handler throws arrives with its code, and whether it proves anything'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const thrown = [
        new TerminalError('no such paper', { reason: 'BadPaper' }),
        new TransientError('busy', { retryAfterMs: 7 }),
        new UnknownOutcomeError('the shop fell silent'),
        new RangeError('a defect'),
      ];
      const errors: Error[] = [];
      for (const [at, error] of thrown.entries()) {
        const { answer } = hold(scene, b);
        (await begun(scene, running, at + 1)).end.reject(error);
        errors.push(await rejection(answer));
      }
      const [terminal, transient, silent, defect] = errors;
      assert.is((terminal as TerminalError).reason, 'BadPaper');
      assert.is((transient as TransientError).retryAfterMs, 7);
      assert.equal(
        errors.map((error) => error instanceof UnknownOutcomeError),
        [false, false, true, true],
      );
      assert.equal(
        [silent, defect].map((error) => error?.message),
        ['the shop fell silent', 'a defect'],
      );
    }),
  );

  test(
    called('whoever gives up what it holds stops it, and hears what became of it'),
    on(harness, async (scene) => {
      const { connect, clock, leaseMs, lateEffectMs } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const [one, other] = [hold(scene, b), hold(scene, b)];
      await begun(scene, running, 2);
      const startedAt = clock.now();
      one.giveUp();
      assert.instance(await rejection(one.answer), UnknownOutcomeError);
      assert.ok(clock.now() - startedAt < leaseMs / 2 + lateEffectMs, 'at once');
      assert.equal(running.filter(({ signal }) => signal.aborted).length, 1);
      for (const { end, signal } of running) if (!signal.aborted) end.resolve({ lasts: true });
      assert.equal(await other.answer, { lasts: true });
    }),
  );

  test(
    called('a handler that takes its time over being given up may still answer'),
    on(harness, async (scene) => {
      const { connect, clock, until } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      let isBegun = false;
      const handle = async (_: JsonObject, __: Tracing, held?: LongCallHandle): Promise<JsonObject> => {
        isBegun = true;
        await new Promise((resolve) => held?.signal.addEventListener('abort', resolve));
        await clock.sleep(50);
        return { tidied: true };
      };
      await a.services.serve('press', '1.0.0', 'books', [{ subject: SUBJECT, handle }]);
      const { answer, giveUp } = hold(scene, b);
      await until('it to have begun', () => isBegun);
      giveUp();
      assert.equal(await answer, { tidied: true });
    }),
  );

  test(
    called('what nobody serves, or in time, has not begun and does not begin'),
    on(harness, async (scene) => {
      const { connect, clock } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const proves = async (answer: Promise<unknown>): Promise<string> => {
        const error = await rejection(answer);
        assert.instance(error, TransientError);
        assert.not.instance(error, UnknownOutcomeError);
        return error.message;
      };
      assert.match(await proves(hold(scene, b).answer), `no process serves '${SUBJECT}'`);
      const { running } = await serving(a);
      assert.match(await proves(hold(scene, b, {}, { beginBy: clock.now() - 1 }).answer), 'no time was left');
      assert.match(
        await proves(hold(scene, b, {}, { signal: AbortSignal.abort() }).answer),
        'given up before it began',
      );
      const early = hold(scene, b);
      early.giveUp();
      assert.match(await proves(early.answer), 'given up before it began');
      const { answer } = hold(scene, b);
      const { request } = await begun(scene, running);
      assert.equal([request, running.length], [{}, 1]);
      running[0]?.end.resolve({});
      await answer;
    }),
  );

  test(
    called('a server that is gone leaves open what it did; its caller notices'),
    on(harness, async (scene) => {
      const { connect, crash, within } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const { answer } = hold(scene, b);
      await begun(scene, running);
      await crash(a);
      assert.instance(await within('the caller to notice', rejection(answer)), UnknownOutcomeError);
    }),
  );

  test(
    called('a caller that is gone does not keep anything going'),
    on(harness, async (scene) => {
      const { connect, crash, clock, leaseMs, lateEffectMs, until } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      hold(scene, b);
      const { signal } = await begun(scene, running);
      const startedAt = clock.now();
      await crash(b);
      await until('the handler to be stopped', () => signal.aborted);
      assert.ok(clock.now() - startedAt < leaseMs + 500 + lateEffectMs, 'within what was confirmed');
    }),
  );

  test(
    called('what is held is stopped before its caller takes it for unanswered (BUS-6)'),
    on(harness, async (scene) => {
      const { connect, cut, lateEffectMs, until, within } = scene;
      for (const side of ['server', 'caller'] as const) {
        const [a, b] = [await connect(`a-${side}`), await connect(`b-${side}`)];
        const { running, close } = await serving(a);
        const { answer } = hold(scene, b);
        const { signal } = await begun(scene, running);
        const heal = await cut(side === 'server' ? a : b);
        assert.instance(await within('the caller to notice', rejection(answer)), UnknownOutcomeError);
        // The server counts from an earlier instant; that is a moment, and timers are as late as they are.
        await until('the handler to be stopped', () => signal.aborted, 50 + lateEffectMs);
        await heal();
        await close();
      }
    }),
  );

  test(
    called('a connection that is soon there again does no harm, and loses no answer'),
    on(harness, async (scene) => {
      const { connect, cut, clock, within } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const far = { validUntil: () => clock.now() + 60_000 };
      for (const [at, side] of [a, b].entries()) {
        const { answer, heard } = hold(scene, b, {}, far);
        const { progress, end, signal } = await begun(scene, running, at + 1);
        const heal = await cut(side);
        progress({ sheets: 1 });
        progress({ sheets: 2 });
        await clock.sleep(20);
        end.resolve({ bound: at });
        await clock.sleep(20);
        await heal();
        assert.equal(await within('the answer', answer), { bound: at });
        assert.not(signal.aborted);
        assert.equal(heard.at(-1), { sheets: 2 });
      }
    }),
  );

  test(
    called('of much progress the newest is heard, in order and without a queue'),
    on(harness, async (scene) => {
      const { connect, clock, until } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const { answer, heard } = hold(scene, b);
      const { progress, end } = await begun(scene, running);
      for (let sheets = 1; sheets <= 10_000; sheets += 1) progress({ sheets });
      await until('the last', () => heard.at(-1)?.['sheets'] === 10_000);
      assert.ok(heard.length <= 3, `${heard.length} were sent`);
      const sheets = heard.map((each) => Number(each['sheets']));
      assert.equal(
        sheets,
        sheets.toSorted((one, other) => one - other),
      );
      progress({ sheets: 10_001 });
      end.resolve({});
      await answer;
      assert.equal(heard.at(-1), { sheets: 10_001 }, 'what was told last is heard before the answer');
      progress({ sheets: 10_002 });
      await clock.sleep(20);
      assert.equal(heard.at(-1), { sheets: 10_001 });
    }),
  );

  test(
    called('a service that ends stops what it runs, and its caller hears that'),
    on(harness, async (scene) => {
      const { connect } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running, close } = await serving(a);
      const { answer } = hold(scene, b);
      const { signal } = await begun(scene, running);
      await close();
      assert.ok(signal.aborted);
      const error = await rejection(answer);
      assert.instance(error, UnknownOutcomeError);
      assert.match(error.message, 'ends');
    }),
  );

  test(
    called('a caller that ends gives up what it holds'),
    on(harness, async (scene) => {
      const { connect, until } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const { answer } = hold(scene, b);
      const { signal } = await begun(scene, running);
      await b.close();
      assert.instance(await rejection(answer), UnknownOutcomeError);
      await until('the handler to be stopped', () => signal.aborted);
    }),
  );

  test(
    called('an answer that is too large for the bus is an error, not silence'),
    on(harness, async (scene) => {
      const { connect, tooLong, within } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const { running } = await serving(a);
      const { answer, heard } = hold(scene, b);
      const { progress, end } = await begun(scene, running);
      const long = 'x'.repeat(tooLong);
      progress({ long });
      end.resolve({ long });
      // The bus in memory knows no limit.
      const outcome = await within(
        'an answer',
        answer.then(
          (value) => value['long'] === long,
          (error: unknown) => error instanceof UnknownOutcomeError,
        ),
      );
      assert.ok(outcome);
      assert.ok(heard.length <= 1);
    }),
  );
}
