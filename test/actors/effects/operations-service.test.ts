// The operations of an adapter in another process: what its caller knows when it hears nothing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serveOperations, withOperations } from '../../../actors/effects/operations-service.ts';
import type { Operation } from '../../../adapters/api/adapter.ts';
import { type Bus, memoryBroker, TransientError, UnknownOutcomeError } from '../../../bus/mod.ts';
import type { LongCall, LongCallRequest } from '../../../machines/lifecycle.ts';
import { ManualClock } from '../../bus/manual-clock.ts';
import { simulatedClock } from '../../world/clock.ts';
import { describeRouting, serving, TRUSTING, things } from './operations-service.suite.ts';

const test = suite('operations over the bus');

const LATE_MS = 30_000;

const clock = simulatedClock();

/** What a create of a kind whose adapter is elsewhere is answered; `create` undefined: nobody serves it. */
async function answered(deadlineAt: number, create?: () => Promise<never>): Promise<TransientError> {
  const broker = memoryBroker({ clock });
  const [here, there]: readonly Bus[] = [broker.connect(), broker.connect()];
  const adapter = things({ lateEffectMs: LATE_MS });
  if (create !== undefined) await serveOperations(there as Bus, adapter, serving({ create }), TRUSTING);
  const [remote] = withOperations(here as Bus, adapter, undefined, clock);
  try {
    await remote?.operations['create']?.({ deadlineAt } as never);
    throw new Error('it was answered');
  } catch (error) {
    return error as TransientError;
  } finally {
    await here?.close();
    await there?.close();
  }
}

test('a create that was not answered may yet be done: by the other process, and by a busy cloud after that (I4, P10)', async () => {
  const deadlineAt = clock.now() + 1_000;
  const { code, inDoubtUntil } = await answered(deadlineAt, () => new Promise(() => undefined));
  assert.equal([code, inDoubtUntil], ['transient', deadlineAt + LATE_MS]);
});

test('what the other process knows of a create that failed is passed on', async () => {
  const known = await answered(clock.now() + 5_000, async () => {
    throw new TransientError('the connection was closed', { inDoubtUntil: 12 });
  });
  assert.equal([known.message, known.inDoubtUntil], ['the connection was closed', 12]);
  const refused = await answered(clock.now() + 5_000, async () => {
    throw new TransientError('busy');
  });
  assert.is(refused.inDoubtUntil, undefined);
});

test('what proves nothing of a create in its own process proves nothing in another (I4)', async () => {
  const deadlineAt = clock.now() + 5_000;
  for (const error of [new UnknownOutcomeError('the cloud fell silent'), new RangeError('a defect')]) {
    const { message, inDoubtUntil } = await answered(deadlineAt, async () => {
      throw error;
    });
    assert.equal([message, inDoubtUntil], [error.message, deadlineAt + LATE_MS]);
  }
  const reported = await answered(deadlineAt, async () => {
    throw new UnknownOutcomeError('it may come late', { inDoubtUntil: 12 });
  });
  assert.is(reported.inDoubtUntil, 12);
});

test('what is held in another process does not outlast the lease of a process that is gone (PORTS-1)', async () => {
  const clock = new ManualClock();
  const broker = memoryBroker({ clock });
  const [here, there] = [broker.connect(), broker.connect()];
  let signal: AbortSignal | undefined;
  const create: Operation = async (request: LongCallRequest) => {
    signal = request.signal;
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
  };
  await serveOperations(there, things(), serving({ create }), TRUSTING);
  const [remote] = withOperations(here, things(), undefined, clock);
  const endsAt = clock.now() + 6_000;
  const held: Partial<LongCall> = {
    signal: new AbortController().signal,
    progress: () => undefined,
    beginBy: clock.now() + 2_000,
    validUntil: () => endsAt,
  };
  void remote?.operations['create']?.(held as never);
  await clock.settle();
  assert.is(signal?.aborted, false);
  here.crash();
  await clock.advance(6_000);
  assert.is(signal?.aborted, true);
  await there.close();
});

test('a create that nobody was asked for is not done later', async () => {
  assert.is((await answered(clock.now() + 5_000)).inDoubtUntil, undefined);
  assert.is((await answered(clock.now() - 1, () => new Promise(() => undefined))).inDoubtUntil, undefined);
});

describeRouting(test, async (run) => {
  const broker = memoryBroker({ clock });
  await run(async () => broker.connect(), clock);
});

/** The operation `create` of a kind, served by the process that calls it. */
function local(create: () => Promise<unknown>): (request: object) => Promise<unknown> {
  const bus = memoryBroker({ clock }).connect();
  const [kind] = withOperations(bus, things({ lateEffectMs: LATE_MS }), serving({ create }), clock);
  return async (request) => {
    try {
      return await kind?.operations['create']?.(request as never);
    } catch (error) {
      return error;
    } finally {
      await bus.close();
    }
  };
}

test('33.E1: an operation that hangs in its own process is given up at its deadline, and may yet be done (P10)', async () => {
  const deadlineAt = clock.now() + 5_000;
  const error = (await local(() => new Promise(() => undefined))({ deadlineAt })) as TransientError;
  assert.is(error.message, "'test.things.create' did not answer in time");
  assert.equal([error.code, error.inDoubtUntil], ['transient', deadlineAt + LATE_MS]);
  assert.ok(clock.now() >= deadlineAt && clock.now() < deadlineAt + 200, 'while the lease still runs');
});

test('33.E1: what is held in its own process, and does not end when it is given up, is not waited for', async () => {
  const giving = new AbortController();
  clock.setTimeout(() => giving.abort(), 1_000);
  const beganAt = clock.now();
  const error = await local(() => new Promise(() => undefined))({ signal: giving.signal });
  assert.instance(error, UnknownOutcomeError);
  assert.match((error as Error).message, /continues although it was canceled/);
  assert.is(clock.now() - beganAt, 6_000);
  assert.is(await local(async () => 'done')({ signal: giving.signal }), 'done');
});

test.run();
