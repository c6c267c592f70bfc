// When a replay is complete (BUS-3), listing by listing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { Replay } from '../../bus/nats-replay.ts';
import { ManualClock } from './manual-clock.ts';

const test = suite('nats replay');

/** A replay and the listings that the stream answers; the last one stays. */
function replaying(...listings: (readonly string[] | Error)[]): {
  clock: ManualClock;
  replay: Replay;
  complete: () => number;
  lists: () => number;
} {
  const clock = new ManualClock();
  let complete = 0;
  let lists = 0;
  const replay = new Replay({
    clock,
    list: async () => {
      const listing = listings[Math.min(lists, listings.length - 1)] ?? [];
      lists += 1;
      if (listing instanceof Error) throw listing;
      return new Set(listing);
    },
    onComplete: () => {
      complete += 1;
    },
  });
  return { clock, replay, complete: () => complete, lists: () => lists };
}

test('every listed subject is waited for, whenever it comes (BUS-3)', async () => {
  const { clock, replay, complete } = replaying(['a', 'b']);
  replay.saw('a'); // before the listing was answered
  replay.start();
  await clock.advance(60_000);
  assert.is(complete(), 0, 'b was overwritten and is on its way still');
  replay.saw('b');
  assert.is(complete(), 1);
  replay.saw('b');
  assert.is(complete(), 1, 'called once');
});

test('a subject that is gone at a later listing is not waited for (BUS-3)', async () => {
  const { clock, replay, complete, lists } = replaying(['a', 'b', 'c'], ['b']);
  replay.start();
  await clock.settle();
  replay.saw('c');
  await clock.advance(1_000);
  assert.ok(lists() > 1);
  assert.is(complete(), 0, 'b is there');
  replay.saw('b');
  assert.is(complete(), 1, 'a is gone');
});

test('when all that was waited for is gone, the listing itself completes it (BUS-3)', async () => {
  const { clock, replay, complete } = replaying(['a'], []);
  replay.start();
  await clock.settle();
  assert.is(complete(), 0);
  await clock.advance(500);
  assert.is(complete(), 1);
});

test('what appears at a later listing was not there when the reader began', async () => {
  const { clock, replay, complete } = replaying(['a'], ['a', 'new']);
  replay.start();
  await clock.advance(5_000);
  replay.saw('a');
  assert.is(complete(), 1);
});

test('nothing is complete while no listing was answered (BUS-3)', async () => {
  const { clock, replay, complete, lists } = replaying(new TransientError('away'), new TransientError('away'), ['a']);
  replay.saw('a');
  replay.start();
  await clock.settle();
  assert.is(complete(), 0);
  await clock.advance(1_000);
  assert.is(lists(), 3);
  assert.is(complete(), 1, 'a was handed over before its listing came');
});

test('while mail comes the stream is not listed again and again; then ever more rarely', async () => {
  const { clock, replay, lists } = replaying(Array.from({ length: 100 }, (_, at) => `s${at}`));
  replay.start();
  await clock.settle();
  for (let at = 0; at < 50; at += 1) {
    replay.saw(`s${at}`);
    await clock.advance(40);
  }
  assert.is(lists(), 1);
  await clock.advance(20_000);
  assert.ok(lists() > 5 && lists() < 20, `${lists()} listings`);
  replay.stop();
});

test('a replay that was stopped says nothing, and asks nothing', async () => {
  const { clock, replay, complete, lists } = replaying(['a']);
  replay.start();
  await clock.settle();
  replay.stop();
  replay.saw('a');
  await clock.advance(5_000);
  assert.is(complete(), 0);
  assert.is(lists(), 1);
});

test.run();
