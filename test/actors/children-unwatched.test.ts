// What a life has made and somebody changed while nobody hosted its owner, on the in-memory world under simulated time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play } from '../simulation/history.ts';
import type { Planned } from '../simulation/models/resources/manifests.ts';
import { RESOURCES } from '../simulation/models/resources/model.ts';
import type { Step } from '../simulation/models/resources/plan.ts';

const test = suite('children, unwatched');

const paper: Planned = { kind: 'Paper', namespace: 'a', name: 'paper', resource: { grams: 90 } };
// In several shards, of which the two processes have half each.
const books = ['b', 'c', 'd', 'e', 'f', 'g'].map(
  (name): Planned => ({
    kind: 'Book',
    namespace: 'a',
    name,
    resource: { title: 'first', pages: 1, paperRef: { name: 'paper' } },
  }),
);

for (const pod of [0, 1])
  test(`what is spoilt while process ${pod} of two is down is as it should be when its shards are hosted again`, async () => {
    const steps: Step[] = [
      { atMs: 0, what: 'createSecret', namespace: 'a' },
      ...[paper, ...books].map((object): Step => ({ atMs: 100, what: 'create', object })),
      { atMs: 60_000, what: 'crash', pod, forMs: 60_000 },
      ...books.map((object): Step => ({ atMs: 65_000, what: 'tamper', object, child: 1 })),
    ];
    const given = { hasPress: true };
    const plan = { model: RESOURCES, seed: 2, pods: 2, namespaces: ['a'], resyncMs: 0, steps, moments: [], given };
    const { violation, story } = await play(plan, { reported: true });
    assert.is(violation, undefined, story.slice(-200).join('\n'));
    assert.is(story.filter((line) => /a user spoils /.test(line)).length, books.length);
  });

test.run();
