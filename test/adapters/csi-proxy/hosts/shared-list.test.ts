// One listing for all who ask.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedList } from '../../../../adapters/csi-proxy/hosts/shared-list.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('shared listing');

/** Listings that end when they are told to, each with its number. */
function start(maxAgeMs: number) {
  const clock = quickClock();
  const begun: PromiseWithResolvers<number>[] = [];
  const listing = new SharedList<number>({
    list: () => {
      const one = Promise.withResolvers<number>();
      begun.push(one);
      return one.promise;
    },
    clock,
    maxAgeMs,
  });
  return { clock, begun, listing, end: (index: number) => begun[index]?.resolve(index) };
}

test('who asks while it is young shares it, running or not', async () => {
  const { clock, begun, listing, end } = start(1_000);
  const answers = [listing.get(), listing.get()];
  end(0);
  assert.equal(await Promise.all(answers), [0, 0]);
  await clock.sleep(999);
  assert.is(await listing.get(), 0);
  await clock.sleep(1);
  const next = listing.get();
  end(1);
  assert.is(await next, 1);
  assert.is(begun.length, 2);
});

test('after a change nobody is answered by what was begun before it (CSI-SHARED-LIST-1), and all share the next (CSI-SHARED-LIST-2)', async () => {
  const { begun, listing, end } = start(1_000);
  const early = listing.get();
  listing.forget();
  const late = [listing.get(), listing.get()];
  assert.is(begun.length, 1);
  end(0);
  assert.is(await early, 0);
  await Promise.resolve();
  end(1);
  assert.equal(await Promise.all(late), [1, 1]);
  assert.is(begun.length, 2);
});

test('a change that is known needs no listing', async () => {
  const { begun, listing, end } = start(1_000);
  const first = listing.get();
  end(0);
  await first;
  listing.update((known) => known + 100);
  listing.update((known) => known + 1);
  assert.is(await listing.get(), 101);
  assert.is(begun.length, 1);
});

test('a listing that runs while something changes may have missed it', async () => {
  const { begun, listing, end } = start(1_000);
  const early = listing.get();
  listing.update((known) => known + 100);
  end(0);
  assert.is(await early, 0);
  const late = listing.get();
  end(1);
  assert.is(await late, 1);
  assert.is(begun.length, 2);
});

test('without an age every answer was begun after the question', async () => {
  const { begun, listing, end } = start(0);
  const first = listing.get();
  const others = [listing.get(), listing.get(), listing.get()];
  end(0);
  await first;
  await Promise.resolve();
  end(1);
  assert.equal(await Promise.all(others), [1, 1, 1]);
  assert.is(begun.length, 2);
});

test('one that fails is told to those who share it, and not kept', async () => {
  const { begun, listing, end } = start(1_000);
  const failing = [listing.get(), listing.get()];
  begun[0]?.reject(new Error('no answer'));
  const results = await Promise.allSettled(failing);
  assert.equal(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const next = listing.get();
  end(1);
  assert.is(await next, 1);
});

test.run();
