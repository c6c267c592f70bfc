// Answers that pages share: one at a time, kept for a while, and never a failure.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedAnswer } from '../../../actors/visualizer/shared-answer.ts';
import { ManualClock } from '../../bus/manual-clock.ts';

const test = suite('shared answers');
const KEEP_MS = 1_000;
const TOOK_MS = 10;

function scene() {
  const clock = new ManualClock();
  const made = { count: 0, isFailing: false };
  const make = async (): Promise<number> => {
    made.count += 1;
    await clock.sleep(TOOK_MS);
    if (made.isFailing) throw new Error('away');
    return made.count;
  };
  return { clock, made, shared: new SharedAnswer({ clock, make, keepMs: () => KEEP_MS }) };
}

test('an answer is shared while it is made and kept, and dropped after its time (UI-SHARED-ANSWER-2)', async () => {
  const { clock, shared } = scene();
  const both = [shared.get(), shared.get()];
  await clock.advance(TOOK_MS);
  assert.equal(await Promise.all([...both, shared.get()]), [1, 1, 1]);
  await clock.advance(KEEP_MS);
  assert.is(clock.armed, 0);
  const next = shared.get();
  await clock.advance(TOOK_MS);
  assert.is(await next, 2);
  shared.close();
  assert.is(clock.armed, 0);
});

test('callers that need a newer answer wait for the running one, and share the next (UI-SHARED-ANSWER-1)', async () => {
  const { clock, made, shared } = scene();
  const first = shared.get();
  await clock.advance(1);
  const later = [shared.get(clock.now()), shared.get(clock.now())];
  await clock.advance(1);
  assert.is(made.count, 1);
  await clock.advance(TOOK_MS);
  assert.is(made.count, 2);
  await clock.advance(TOOK_MS);
  assert.equal(await Promise.all([first, ...later]), [1, 2, 2]);
  shared.close();
});

test('a failure is not kept, and ends no wait for a newer answer', async () => {
  const { clock, made, shared } = scene();
  made.isFailing = true;
  const first = shared.get().catch((error: Error) => error.message);
  await clock.advance(1);
  const later = shared.get(clock.now());
  await clock.advance(TOOK_MS - 1);
  assert.is(await first, 'away');
  made.isFailing = false;
  await clock.advance(TOOK_MS);
  assert.is(await later, 2);
  shared.close();
  assert.is(clock.armed, 0);
});

test.run();
