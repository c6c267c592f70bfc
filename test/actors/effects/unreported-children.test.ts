// Children that were not reported to their owners: read again until they are, or until they are deleted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnreportedChildren } from '../../../actors/effects/unreported-children.ts';
import type { Resource } from '../../../adapters/kubernetes/mod.ts';
import { TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ManualClock } from '../../bus/manual-clock.ts';

const test = suite('unreported children');

const RESOURCE: Resource = { realm: 'test', group: 'example.org', version: 'v1', kind: 'Plug', plural: 'plugs' };
const CHILD = { metadata: { name: 'child', namespace: 'ns', uid: 'uid' } } as KubeObject;

/** An API server that may be away, the child that it has, and whether it was reported to its owner. */
function play() {
  const clock = new ManualClock();
  const scene = { present: CHILD as KubeObject | undefined, isAway: false, isTold: false, isBroken: false };
  const seen = { reads: 0, losses: 0 };
  const lease = new AbortController();
  const objects = {
    async get() {
      seen.reads += 1;
      if (scene.isAway) throw new TransientError('no answer');
      return scene.present;
    },
  };
  const unreported = new UnreportedChildren({ objects, clock });
  const follow = (id = 'owner child'): Promise<void> =>
    unreported.follow({
      id,
      resource: RESOURCE,
      namespace: 'ns',
      name: 'child',
      signal: lease.signal,
      isUnreported() {
        if (scene.isBroken) throw new Error('the code of the kind fails');
        return !scene.isTold;
      },
      onGone: () => {
        seen.losses += 1;
      },
    });
  return { clock, scene, seen, lease, follow };
}

const HOUR_MS = 3_600_000;

test('one that is deleted before anybody reported it is missed, once (UNREPORTED-CHILDREN-1)', async () => {
  const { clock, scene, seen, follow } = play();
  const following = follow();
  await clock.advance(60_000);
  assert.is(seen.losses, 0);
  scene.present = undefined;
  await clock.advance(HOUR_MS);
  await following;
  assert.is(seen.losses, 1);
  const { reads } = seen;
  await clock.advance(HOUR_MS);
  assert.is(seen.reads, reads);
});

test('one that is reported soon costs no read, and one that is reported late no further one (UNREPORTED-CHILDREN-1)', async () => {
  const soon = play();
  void soon.follow();
  soon.scene.isTold = true;
  await soon.clock.advance(HOUR_MS);
  assert.equal(soon.seen, { reads: 0, losses: 0 });

  const late = play();
  void late.follow();
  await late.clock.advance(60_000);
  late.scene.isTold = true;
  const { reads } = late.seen;
  assert.ok(reads > 0);
  // Its end is reported now.
  late.scene.present = undefined;
  await late.clock.advance(HOUR_MS);
  assert.equal(late.seen, { reads, losses: 0 });
});

test('an API server that is away, and code that fails, are no end of it', async () => {
  const { clock, scene, seen, follow } = play();
  scene.isAway = true;
  scene.isBroken = true;
  void follow();
  await clock.advance(HOUR_MS);
  assert.is(seen.losses, 0);
  scene.isAway = false;
  scene.isBroken = false;
  scene.present = undefined;
  await clock.advance(HOUR_MS);
  assert.is(seen.losses, 1);
});

test('each pass of an owner asks for it, and it is read once at a time (UNREPORTED-CHILDREN-2)', async () => {
  const { clock, scene, seen, follow } = play();
  for (let pass = 0; pass < 5; pass++) void follow();
  await clock.advance(5_000);
  assert.is(seen.reads, 1);
  void follow('another owner child');
  scene.present = undefined;
  await clock.advance(HOUR_MS);
  assert.is(seen.losses, 2);
  // The next one that is made is another one.
  void follow();
  await clock.advance(HOUR_MS);
  assert.is(seen.losses, 3);
});

test('nothing is read or told when the shard has another host', async () => {
  const { clock, scene, seen, lease, follow } = play();
  const following = follow();
  scene.present = undefined;
  lease.abort();
  await following;
  await clock.advance(HOUR_MS);
  assert.equal(seen, { reads: 0, losses: 0 });
});

test.run();
