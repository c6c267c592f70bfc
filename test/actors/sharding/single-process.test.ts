import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureSingleProcess } from '../../../actors/sharding/single-process.ts';
import { type Bus, memoryBroker, TerminalError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('a bus for one process');

/** Two connections to one bus, which says that it serves only one process. */
function two() {
  const clock = simulatedClock();
  const broker = memoryBroker({ clock, leaseMs: 300 });
  const [first, second] = [broker.connect(), broker.connect()];
  const old: Bus = Object.assign(Object.create(second), { sharable: false, description: 'an old server' });
  return { clock, first, second, old, close: () => Promise.all([first.close(), second.close()]) };
}

const never = new AbortController().signal;

test('a second pod is refused, with a line that says why', async () => {
  const { clock, first, old, close } = two();
  await first.leases.acquire('pod.one', 'one');
  try {
    await ensureSingleProcess(old, clock, never);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, "an old server serves one process, and 'one' is running");
  }
  await close();
});

test('the successor of a dead pod waits for its lease to end', async () => {
  const { clock, first, old, second, close } = two();
  await first.leases.acquire('pod.one', 'one');
  first.crash();
  await ensureSingleProcess(old, clock, never);
  await second.close();
  await close().catch(() => undefined);
});

test('a bus for several is not asked', async () => {
  const { clock, first, second, close } = two();
  await first.leases.acquire('pod.one', 'one');
  await ensureSingleProcess(second, clock, never);
  await close();
});

test.run();
