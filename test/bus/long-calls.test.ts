// What is held, between two processes on a clock that stands still: what is sent when, and what becomes of it when it is lost.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TerminalError, TransientError, UnknownOutcomeError } from '../../bus/errors.ts';
import type { JsonObject } from '../../bus/json.ts';
import {
  type LongCallHandle,
  type LongCallOptions,
  newName,
  type Opening,
  parseMessage,
} from '../../bus/long-call-protocol.ts';
import { LongCalls } from '../../bus/long-calls.ts';
import type { Clock } from '../../bus/time.ts';
import { ManualClock, type Outcome, outcome, slowed } from './manual-clock.ts';

const test = suite('holds');
const LEASE_MS = 15_000;
const SERVICE = {};

/** A network in which a message takes no time, unless something happens to it. */
class Network {
  readonly clock = new ManualClock();
  /** What was asked, of all. */
  readonly asked: string[] = [];
  /** What becomes of a message: it is lost, its answer is, or one of both is late by so many milliseconds. */
  fate: (say: string, count: number) => 'arrives' | 'lost' | 'unheard' | number | { readonly answerMs: number } = () =>
    'arrives';
  readonly #processes = new Map<string, (asked: JsonObject) => JsonObject>();

  /** @param own  its clock, where that is another one */
  process(own: Clock = this.clock): LongCalls {
    const { clock } = this;
    return new LongCalls({
      clock: own,
      leaseMs: LEASE_MS,
      newName: () => newName(own),
      listen: (name, answer) => {
        this.#processes.set(name, answer);
        return () => this.#processes.delete(name);
      },
      ask: async (name, asked, timeoutMs) => {
        const say = String(asked['say']);
        this.asked.push(say);
        const fate = this.fate(say, this.said(say));
        const late = new TransientError('no answer in time');
        if (typeof fate === 'number') await clock.sleep(fate);
        const answer = fate === 'lost' ? undefined : this.#processes.get(name)?.(asked);
        if (fate === 'lost' || fate === 'unheard') {
          await clock.sleep(timeoutMs);
          throw late;
        }
        if (answer === undefined) throw new TransientError('nobody is there');
        if (typeof fate === 'number' && fate > timeoutMs) throw late;
        if (typeof fate === 'object') await clock.sleep(fate.answerMs);
        return JSON.parse(JSON.stringify(answer));
      },
    });
  }

  said(say: string): number {
    return this.asked.filter((each) => each === say).length;
  }
}

interface Pair {
  readonly network: Network;
  readonly clock: ManualClock;
  readonly caller: LongCalls;
  readonly server: LongCalls;
  readonly running: Running[];
  /** @param openMs  how long the request is on its way */
  hold(options?: Partial<LongCallOptions>, openMs?: number): Holding;
}

interface Running extends LongCallHandle {
  readonly end: PromiseWithResolvers<JsonObject>;
}

interface Holding {
  readonly heard: JsonObject[];
  readonly outcome: Outcome<JsonObject>;
  readonly stop: AbortController;
}

interface PairOptions {
  /** Its handlers do not mind being aborted. */
  readonly isStubborn?: boolean;
  /** The clock of the server. */
  readonly serverClock?: (clock: ManualClock) => Clock;
}

function pair({ isStubborn = false, serverClock = (clock) => clock }: PairOptions = {}): Pair {
  const network = new Network();
  const { clock } = network;
  const [caller, server] = [network.process(), network.process(serverClock(clock))];
  const running: Running[] = [];
  const run = (held: LongCallHandle): Promise<JsonObject> => {
    const end = Promise.withResolvers<JsonObject>();
    if (!isStubborn) held.signal.addEventListener('abort', () => end.reject(held.signal.reason));
    running.push({ ...held, end });
    return end.promise;
  };
  return {
    network,
    clock,
    caller,
    server,
    running,
    hold(options = {}, openMs = 0) {
      const heard: JsonObject[] = [];
      const stop = new AbortController();
      const open = async (opening: Opening, timeoutMs: number): Promise<void> => {
        if (openMs > 0) await clock.sleep(openMs);
        if (openMs > timeoutMs) void server.open(opening, SERVICE, run).catch(() => undefined);
        if (openMs > timeoutMs) throw new UnknownOutcomeError('no answer in time');
        await server.open(opening, SERVICE, run);
      };
      const defaults: LongCallOptions = {
        signal: stop.signal,
        onProgress: (progress) => heard.push(progress),
        beginBy: clock.now() + 2_000,
        validUntil: () => clock.now() + LEASE_MS,
      };
      return { heard, outcome: outcome(caller.hold('x.y', { ...defaults, ...options }, open)), stop };
    },
  };
}

test('a hundred that are held between two processes cost one question each third of the lease (BUS-LONG-CALL-PROTOCOL-3)', async () => {
  const { clock, network, running, hold } = pair();
  let looks = 0;
  const validUntil = (): number => {
    looks += 1;
    return clock.now() + LEASE_MS;
  };
  const holdings = Array.from({ length: 100 }, () => hold({ validUntil }));
  await clock.settle();
  assert.equal([running.length, looks], [100, 100], 'to begin costs the same, however many there are');
  network.asked.length = 0;
  await clock.advance(10 * LEASE_MS);
  assert.equal([...new Set(network.asked)], ['alive']);
  assert.is(network.said('alive'), 30);
  assert.ok(running.every(({ signal }) => !signal.aborted));
  for (const { end } of running) end.resolve({});
  await clock.settle();
  assert.ok(holdings.every(({ outcome: { value } }) => value !== undefined));
  network.asked.length = 0;
  await clock.advance(10 * LEASE_MS);
  assert.equal(network.asked, [], 'where nothing is held nothing is asked');
});

test('who does not confirm has its handler stopped in time, and takes it for unanswered no sooner (BUS-LONG-CALL-PROTOCOL-2, BUS-6)', async () => {
  for (const lostFrom of ['question', 'answer'] as const) {
    const { clock, network, running, hold } = pair();
    const startedAt = clock.now();
    const { outcome: held } = hold();
    await clock.advance(7_000);
    network.fate = () => (lostFrom === 'question' ? 'lost' : 'unheard');
    let abortedAt = Number.POSITIVE_INFINITY;
    running[0]?.signal.addEventListener('abort', () => {
      abortedAt = clock.now();
      assert.not(held.settled, 'the caller believes that it runs');
    });
    await clock.advance(5_000 + LEASE_MS);
    const confirmedAt = startedAt + 5_000;
    assert.is(abortedAt, confirmedAt + LEASE_MS);
    if (lostFrom === 'answer') assert.not(held.settled, 'it gave more time, and cannot know that nobody heard it');
    await clock.advance(LEASE_MS);
    assert.instance(held.error, UnknownOutcomeError);
  }
});

test('a confirmation ends with the lease, and counts from the question, however long its way is (BUS-LONG-CALL-PROTOCOL-2)', async () => {
  const { clock, network, running, hold } = pair();
  const startedAt = clock.now();
  network.fate = () => ({ answerMs: 2_500 });
  hold({ validUntil: () => startedAt + 9_000 });
  await clock.advance(2_500);
  network.fate = () => 'lost';
  let abortedAt = 0;
  running[0]?.signal.addEventListener('abort', () => {
    abortedAt = clock.now();
  });
  await clock.advance(2 * LEASE_MS);
  assert.is(abortedAt, startedAt + 9_000);
});

test('a handler is stopped in time by a clock that is slowed, too (BUS-LONG-CALL-PROTOCOL-2, BUS-6)', async () => {
  const { clock, network, running, hold } = pair({ serverClock: slowed });
  const startedAt = clock.now();
  hold();
  await clock.settle();
  network.fate = () => 'lost';
  let abortedAt = 0;
  running[0]?.signal.addEventListener('abort', () => {
    abortedAt = clock.now();
  });
  await clock.advance(2 * LEASE_MS);
  assert.is(abortedAt, startedAt + LEASE_MS);
});

test('a process that stood still finds out that its time is over before it is given more', async () => {
  const late: (() => void)[] = [];
  let isStill = false;
  const serverClock = (clock: Clock): Clock => ({
    now: () => clock.now(),
    steady: () => clock.steady(),
    random: () => clock.random(),
    sleep: (delayMs) => clock.sleep(delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    setTimeout: (run, delayMs) => clock.setTimeout(() => (isStill ? late.push(run) : run()), delayMs),
  });
  const { clock, running, hold } = pair({ serverClock });
  const { outcome: first } = hold();
  await clock.settle();
  isStill = true;
  await clock.advance(LEASE_MS);
  assert.instance(first.error, UnknownOutcomeError);
  assert.not(running[0]?.signal.aborted);
  const { outcome: second } = hold();
  await clock.settle();
  assert.ok(running[0]?.signal.aborted);
  isStill = false;
  for (const run of late) run();
  await clock.settle();
  assert.not(running[1]?.signal.aborted);
  assert.not(second.settled);
});

test('each is bounded by its own lease, and one that has ended does not end the others', async () => {
  const { clock, running, hold } = pair();
  hold();
  await clock.advance(1_000);
  const soon = clock.now() + 4_000;
  hold({ validUntil: () => soon });
  await clock.settle();
  let abortedAt = 0;
  running[1]?.signal.addEventListener('abort', () => {
    abortedAt = clock.now();
  });
  await clock.advance(30_000);
  assert.ok(abortedAt > 0 && abortedAt <= soon, `stopped at ${abortedAt - soon}`);
  assert.not(running[0]?.signal.aborted);
});

test('lost questions are asked again before what was confirmed runs out', async () => {
  const { clock, network, running, hold } = pair();
  const { outcome: held } = hold();
  await clock.settle();
  network.fate = (say, count) => (say === 'alive' && count % 3 !== 0 ? 'lost' : 'arrives');
  await clock.advance(10 * LEASE_MS);
  assert.not(running[0]?.signal.aborted);
  assert.not(held.settled);
});

test('what was given up is stopped though the word is lost: the next confirmation says it again (BUS-LONG-CALL-PROTOCOL-3)', async () => {
  const { clock, network, running, hold } = pair();
  const [one, other] = [hold(), hold()];
  await clock.settle();
  network.fate = (say) => (say === 'abort' ? 'lost' : 'arrives');
  one.stop.abort();
  await clock.advance(LEASE_MS / 3 + 1);
  assert.equal(
    running.map(({ signal }) => signal.aborted),
    [true, false],
  );
  assert.instance(one.outcome.error, UnknownOutcomeError);
  assert.not(other.outcome.settled);
});

test('whoever gives up waits no longer for a server than that may go on', async () => {
  const { clock, network, running, hold } = pair();
  const { outcome: held, stop } = hold();
  await clock.advance(LEASE_MS);
  network.fate = () => 'lost';
  stop.abort();
  await clock.advance(1_000);
  assert.not(held.settled, 'it may yet say what became of it');
  await clock.advance(LEASE_MS);
  assert.ok(running[0]?.signal.aborted);
  assert.instance(held.error, UnknownOutcomeError);
});

test('whoever gives up does not wait for a handler that does not mind', async () => {
  const { clock, running, hold } = pair({ isStubborn: true });
  const { outcome: held, stop } = hold();
  const { outcome: other } = hold();
  await clock.advance(LEASE_MS);
  stop.abort();
  await clock.advance(LEASE_MS);
  assert.ok(running[0]?.signal.aborted);
  assert.instance(held.error, UnknownOutcomeError);
  assert.not(other.settled);
});

test('a request that arrives late does not begin, and its caller knows that it will not (BUS-LONG-CALL-PROTOCOL-1)', async () => {
  const { clock, network, running, hold } = pair();
  const { outcome: held } = hold({}, 2_500);
  await clock.advance(10_000);
  assert.not.instance(held.error, UnknownOutcomeError);
  assert.instance(held.error, TransientError);
  assert.equal([running.length, network.said('begin')], [0, 1]);
});

test('whether it is wanted is asked again; a beginning that nobody hears of is no beginning (BUS-LONG-CALL-PROTOCOL-1)', async () => {
  const first = pair();
  first.network.fate = (say, count) => (say === 'begin' && count === 1 ? 'unheard' : 'arrives');
  const late = first.hold({ beginBy: first.clock.now() + 60_000 });
  await first.clock.advance(5_000);
  assert.is(first.running.length, 1);
  first.running[0]?.end.resolve({ done: true });
  await first.clock.settle();
  assert.equal(late.outcome.value, { done: true });

  const never = pair();
  never.network.fate = (say) => (say === 'begin' ? 'unheard' : 'arrives');
  const { outcome: held } = never.hold({ beginBy: never.clock.now() + 60_000 });
  await never.clock.advance(2 * LEASE_MS);
  assert.is(never.running.length, 0);
  assert.instance(held.error, TransientError);
});

test('an answer is sent until it is heard, with what was told last, and heard once', async () => {
  const { clock, network, running, hold } = pair();
  const { outcome: held, heard } = hold();
  await clock.settle();
  const fates = ['lost', 'unheard', 'arrives'] as const;
  network.fate = (say, count) =>
    say === 'answer' ? (fates[count - 1] ?? 'lost') : say === 'progress' ? 'lost' : 'arrives';
  running[0]?.progress({ sheets: 1 });
  running[0]?.end.resolve({ bound: true });
  await clock.advance(LEASE_MS);
  assert.equal(held.value, { bound: true });
  assert.equal(heard, [{ sheets: 1 }]);
  network.asked.length = 0;
  await clock.advance(LEASE_MS);
  assert.equal(network.asked, []);
});

test('progress that is lost is told again, as it is then; one that overtakes another is not taken back (BUS-LONG-CALL-PROTOCOL-4)', async () => {
  const { clock, network, running, hold } = pair();
  const { heard } = hold();
  await clock.settle();
  network.fate = (say, count) => {
    if (say !== 'progress') return 'arrives';
    return count === 1 ? 'lost' : count === 2 ? 3_500 : 'arrives';
  };
  running[0]?.progress({ sheets: 1 });
  await clock.advance(1_000);
  running[0]?.progress({ sheets: 2 });
  running[0]?.progress({ sheets: 3 });
  assert.is(network.said('progress'), 1, 'one at a time');
  await clock.advance(10_000);
  assert.equal(heard, [{ sheets: 3 }]);
});

test('whoever cannot hear the progress stops what tells it', async () => {
  const { clock, running, hold } = pair();
  const defect = new RangeError('a defect');
  const { outcome: held } = hold({
    onProgress: () => {
      throw defect;
    },
  });
  await clock.settle();
  running[0]?.progress({ sheets: 1 });
  await clock.settle();
  assert.is(held.error, defect);
  assert.ok(running[0]?.signal.aborted);
});

test('a process that is gone sends nothing more, and is asked no longer than what it confirmed', async () => {
  const { clock, network, caller, server, running, hold } = pair();
  hold();
  await clock.settle();
  caller.abandon();
  await clock.advance(2 * LEASE_MS);
  assert.ok(running[0]?.signal.aborted);
  network.asked.length = 0;
  await clock.advance(10 * LEASE_MS);
  assert.equal(network.asked, []);

  const second = pair();
  const { outcome: held } = second.hold();
  await second.clock.settle();
  second.server.abandon();
  second.network.asked.length = 0;
  second.running[0]?.progress({ sheets: 1 });
  await second.clock.advance(2 * LEASE_MS);
  assert.equal(second.network.asked, []);
  assert.instance(held.error, UnknownOutcomeError);
  server.abandon();
});

test('a service that ends stops what runs, and waits until that is known', async () => {
  const { clock, network, server, running, hold } = pair();
  const { outcome: held } = hold();
  await clock.settle();
  network.fate = (say, count) => (say === 'answer' && count === 1 ? 'lost' : 'arrives');
  const ended = outcome(server.end(SERVICE));
  await clock.settle();
  assert.ok(running[0]?.signal.aborted);
  assert.not(ended.settled);
  await clock.advance(LEASE_MS / 3);
  assert.ok(ended.settled);
  assert.instance(held.error, UnknownOutcomeError);
  assert.is(held.error instanceof TerminalError, false);
});

test('messages that are none are not understood', () => {
  const whole = { say: 'progress', from: 'a', id: '1', progress: { step: 1, value: {} } };
  assert.equal(parseMessage(whole), whole);
  const broken: JsonObject[] = [
    {},
    { ...whole, from: 1 },
    { ...whole, id: null },
    { ...whole, progress: { step: 1, value: [] } },
    { say: 'progress', from: 'a', id: '1' },
    { say: 'answer', from: 'a', id: '1', answer: { error: 'x' } },
    { say: 'sing', from: 'a', id: '1' },
  ];
  for (const message of broken) assert.is(parseMessage(message), undefined);
});

test.run();
