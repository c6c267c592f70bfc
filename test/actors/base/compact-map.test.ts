import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CompactMap } from '../../../actors/base/compact-map.ts';

const test = suite('small map');

/** Repeatable: the same numbers at every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

test('is a Map, with few entries and with many, whatever is done to it', () => {
  for (const keys of [3, 12, 40]) {
    const next = numbers(keys);
    const small = new CompactMap<number>();
    const map = new Map<string, number>();
    for (let step = 0; step < 4_000; step++) {
      const key = `key-${Math.floor(next() * keys)}`;
      const choice = next();
      if (choice < 0.55) {
        small.set(key, step);
        map.set(key, step);
      } else if (choice < 0.998) {
        small.delete(key);
        map.delete(key);
      } else {
        small.clear();
        map.clear();
      }
      assert.is(small.size, map.size);
      assert.is(small.get(key), map.get(key));
      assert.is(small.has(key), map.has(key));
      assert.equal([...small], [...map]);
      assert.equal([...small.values()], [...map.values()]);
    }
  }
});

test('goes on with what it was asked for while entries go', () => {
  const small = new CompactMap<number>();
  for (const key of ['a', 'b', 'c']) small.set(key, 1);
  const seen: string[] = [];
  for (const [key] of small) {
    seen.push(key);
    small.delete(key);
  }
  assert.equal(seen, ['a', 'b', 'c']);
  assert.is(small.size, 0);
});

test.run();
