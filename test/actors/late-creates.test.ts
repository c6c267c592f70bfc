// A create that the cloud does after its deadline, of a process that has ended meanwhile, on the in-memory world under
// simulated time: no second resource is made, and none is left behind (I4, P13).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play } from '../simulation/history.ts';
import type { Planned } from '../simulation/models/resources/manifests.ts';
import { RESOURCES } from '../simulation/models/resources/model.ts';
import type { Step } from '../simulation/models/resources/plan.ts';

const test = suite('late creates');
const network: Planned = { kind: 'Network', namespace: 'a', name: 'net', resource: {} };

/** A network whose create, with a deadline 10 s later, lands so long after that; and what else happens. */
function storyOf(pods: number, byMs: number, ...more: readonly Step[]): ReturnType<typeof play> {
  const steps: Step[] = [
    { atMs: 0, what: 'createSecret', namespace: 'a' },
    { atMs: 16_900, what: 'lateCreates', forMs: 3_000, byMs },
    { atMs: 17_000, what: 'create', object: network },
    ...more,
  ];
  return play(
    { seed: 2, pods, namespaces: ['a'], resyncMs: 0, steps, moments: [], given: { hasPress: false }, model: RESOURCES },
    { reported: true },
  );
}

/** What was made at the cloud, and when in milliseconds. */
function madeAt(story: readonly string[]): readonly number[] {
  return story
    .filter((line) => /asks the cloud: POST \/networks /.test(line))
    .map((line) => 1_000 * Number(/^ *([0-9.]+)/.exec(line)?.[1]));
}

for (const [pods, end, title] of [
  [1, { what: 'crash', pod: 0, forMs: 500 }, 'that was killed'],
  [1, { what: 'stop', pod: 0, forMs: 8_000 }, 'that was stopped'],
  [2, { what: 'crash', pod: 1, forMs: 60_000 }, 'beside which another one lives'],
] as const) {
  test(`the successor of a process ${title} adopts what lands late (I4)`, async () => {
    const { violation, story } = await storyOf(pods, 16_200, { atMs: 17_600, ...end });
    assert.is(violation, undefined, story.join('\n'));
    assert.is(madeAt(story).length, 1, story.join('\n'));
  });
}

test('a successor of a successor waits, too (I4)', async () => {
  const crash = { what: 'crash', pod: 0, forMs: 500 } as const;
  const { violation, story } = await storyOf(1, 29_000, { atMs: 17_600, ...crash }, { atMs: 36_000, ...crash });
  assert.is(violation, undefined, story.join('\n'));
  assert.is(madeAt(story).length, 1);
});

for (const what of ['wipeMail', 'wipeAll'] as const)
  test(`without a list that can be trusted whatever may have begun is waited for: ${what} (I4, P11)`, async () => {
    const { violation, story } = await storyOf(1, 22_000, { atMs: 18_000, what });
    assert.is(violation, undefined, story.join('\n'));
    assert.is(madeAt(story).length, 1);
  });

test('what is deleted meanwhile goes with what lands late, and leaves nothing behind (I4)', async () => {
  const { violation, story } = await storyOf(
    1,
    16_200,
    { atMs: 17_600, what: 'crash', pod: 0, forMs: 500 },
    { atMs: 18_200, what: 'delete', object: network },
  );
  assert.is(violation, undefined, story.join('\n'));
  assert.is(madeAt(story).length, 1);
});

/** The name changes before what was asked for under the old one is there, or is known of. */
for (const [title, ...more] of [
  ['by the life that asked for it'],
  ['by its successor', { atMs: 17_600, what: 'crash', pod: 0, forMs: 500 }],
  ['when the successor has waited', { atMs: 17_600, what: 'crash', pod: 0, forMs: 25_000 }],
] as const)
  test(`what lands late is known again by what was asked for, whatever the object is called by then: ${title} (I4)`, async () => {
    const rename: Step = { atMs: 18_200, what: 'rename', object: network, text: 'renamed' };
    const { violation, story } = await storyOf(1, 16_200, ...more, rename);
    assert.is(violation, undefined, story.join('\n'));
    assert.is(madeAt(story).length, 1, story.join('\n'));
    assert.match(story.join('\n'), /PUT \/networks\/\S+ for network 'net'/);
  });

test('what was asked for under another name goes with the object, and leaves nothing behind (I4)', async () => {
  const { violation, story } = await storyOf(
    1,
    16_200,
    { atMs: 17_600, what: 'crash', pod: 0, forMs: 500 },
    { atMs: 18_200, what: 'rename', object: network, text: 'renamed' },
    { atMs: 18_400, what: 'delete', object: network },
  );
  assert.is(violation, undefined, story.join('\n'));
  assert.is(madeAt(story).length, 1);
});

test('what was asked for is forgotten when another object has it, and one is made under the new name (I4, EXTERNAL-RESOURCE-8)', async () => {
  const { violation, story } = await storyOf(
    1,
    16_200,
    { atMs: 17_600, what: 'crash', pod: 0, forMs: 500 },
    { atMs: 18_200, what: 'rename', object: network, text: 'renamed' },
    { atMs: 18_300, what: 'create', object: { ...network, name: 'heir', resource: { name: 'net' } } },
  );
  assert.is(violation, undefined, story.join('\n'));
  assert.is(madeAt(story).length, 2);
});

test('objects that are not listed begin at once in spite of those that are', async () => {
  const other: Planned = { ...network, name: 'other' };
  const { violation, story } = await storyOf(
    1,
    29_000,
    { atMs: 17_600, what: 'crash', pod: 0, forMs: 500 },
    { atMs: 22_000, what: 'create', object: other },
  );
  assert.is(violation, undefined, story.join('\n'));
  const made = madeAt(story);
  assert.is(made.length, 2);
  // As soon as the leases of the one before have ended.
  assert.ok((made[0] ?? 0) < 40_000 && (made[1] ?? 0) > 50_000, made.join());
});

test.run();
