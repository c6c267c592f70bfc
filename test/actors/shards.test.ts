import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { owner } from '../../actors/shards.ts';

const test = suite('shards');

const shards = Array.from({ length: 64 }, (_, shard) => shard);

test('every pod computes the same owner, whatever order it heard of the others in', () => {
  for (const shard of shards) {
    assert.is(owner(shard, new Set(['a', 'b', 'c'])), owner(shard, new Set(['c', 'a', 'b'])));
  }
});

test('a pod that leaves moves only its own shards', () => {
  for (const shard of shards) {
    const before = owner(shard, new Set(['a', 'b', 'c']));
    if (before !== 'c') assert.is(owner(shard, new Set(['a', 'b'])), before);
  }
});

test('shards are spread', () => {
  const pods = new Set(['pod-1', 'pod-2', 'pod-3', 'pod-4']);
  for (const pod of pods) {
    const count = shards.filter((shard) => owner(shard, pods) === pod).length;
    assert.ok(count >= 6 && count <= 28, `${pod} holds ${count} of 64`);
  }
});

test.run();
