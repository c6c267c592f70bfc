// The rules of the protocol (architecture, section 4.1), each with the history that goes wrong without it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JsonObject, TransientError } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { NAMESPACE, type Stage, stage } from '../world/host.ts';

const test = suite('protocol');

const network = { realm: 'openstack', plural: 'networks', namespace: NAMESPACE, name: 'net' };
const subnet = { realm: 'openstack', plural: 'subnets', namespace: NAMESPACE, name: 'sub' };
const GUARD = 'own/subnet';

async function on(options: Parameters<typeof stage>[0], run: (scene: Stage) => Promise<void>): Promise<void> {
  const scene = await stage(options);
  try {
    await run(scene);
  } finally {
    await scene.close();
  }
}

const finalizers = (scene: Stage, plural: string, name: string): readonly string[] =>
  scene.get(plural, name)?.metadata.finalizers ?? [];
const made = (scene: Stage, plural: string): number => scene.cloud.get(plural)?.size ?? 0;

/** Brings up a network and a subnet on it. */
async function pair(scene: Stage): Promise<void> {
  await scene.create('subnets', 'sub', { networkRef: 'net' });
  await scene.create('networks', 'net');
  await scene.until('the subnet is made', () => scene.get('subnets', 'sub')?.status?.['phase'] === 'available');
}

test('a dependant is made only when its dependency is there and guarded for it (I1)', () =>
  on({}, async (scene) => {
    const release = scene.holdGuards();
    await scene.create('subnets', 'sub', { networkRef: 'net' });
    await scene.create('networks', 'net');
    await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
    await scene.quiet();
    assert.is(made(scene, 'subnets'), 0);
    release();
    await scene.until('the subnet is made', () => made(scene, 'subnets') === 1);
  }));

test('nothing is deleted while it is claimed, and everything goes in the end (I2, I3)', () =>
  on({}, async (scene) => {
    await pair(scene);
    await scene.remove('networks', 'net');
    await scene.quiet();
    assert.is(made(scene, 'networks'), 1);
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
    await scene.remove('subnets', 'sub');
    await scene.until('both are gone', () => scene.get('networks', 'net') === undefined);
    assert.ok(scene.log.indexOf('delete sub') < scene.log.indexOf('delete net'));
    assert.is(made(scene, 'networks') + made(scene, 'subnets'), 0);
  }));

test('P1: a dependant that built nothing lets a deleted dependency go, and uses its successor', () =>
  on({}, async (scene) => {
    scene.unusable.add('net');
    await scene.create('subnets', 'sub', { networkRef: 'net' });
    await scene.create('networks', 'net');
    await scene.until('the guard is stored', () => finalizers(scene, 'networks', 'net').includes(GUARD));
    await scene.until('the network is there', () => made(scene, 'networks') === 1);
    await scene.remove('networks', 'net');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
    scene.unusable.clear();
    await scene.create('networks', 'net');
    await scene.until('the subnet is made on the successor', () => made(scene, 'subnets') === 1);
  }));

test('P2: an answer to another incarnation is dropped', () =>
  on({}, async (scene) => {
    const object = await scene.create('subnets', 'sub', { networkRef: 'net' });
    await scene.quiet();
    const answer = { to: 'somebody-else', generation: 1, uid: 'n', readiness: 'ready', externalId: 'id-n' };
    await scene.bus.mailbox.publish({ to: subnet, topic: 'ready', from: network }, answer, undefined);
    await scene.quiet();
    // Whatever makes the actor look at its dependencies again.
    await scene.tell({
      ...(scene.get('subnets', 'sub') as KubeObject),
      metadata: { ...object.metadata, resourceVersion: '999' },
    });
    await scene.quiet();
    assert.is(made(scene, 'subnets'), 0);
  }));

test('P2: an answer to a claim that ended does not count for the next one on the same object (I1)', () =>
  on({}, async (scene) => {
    const object = await scene.create('subnets', 'sub', { networkRef: 'other' });
    await scene.quiet();
    // As it lies there after the reference was edited away: the network may have gone since.
    const answer = { to: object.metadata.uid, generation: 1, uid: 'n', readiness: 'ready', externalId: 'id-n' };
    await scene.bus.mailbox.publish({ to: subnet, topic: 'ready', from: network }, answer, undefined);
    await scene.quiet();
    await scene.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { told: true });
    await scene.quiet();
    assert.not.ok(scene.log.includes('find sub'));
  }));

test('P3: a guard stays on a living object when its last claim ends', () =>
  on({}, async (scene) => {
    await pair(scene);
    await scene.remove('subnets', 'sub');
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
    await scene.quiet();
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
    await scene.remove('networks', 'net');
    await scene.until('the network is gone', () => scene.get('networks', 'net') === undefined);
  }));

test('P1: nobody builds with credentials whose guard may be on its way off, and everybody with their successor (I3)', () =>
  on({}, async (scene) => {
    await scene.create('secrets', 'clouds');
    await scene.create('subnets', 'sub', { secretRef: 'clouds' });
    await scene.until('the subnet is made', () => made(scene, 'subnets') === 1);
    await scene.quiet();
    const land = scene.holdReleases();
    await scene.remove('secrets', 'clouds');
    await scene.remove('subnets', 'sub');
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
    await scene.quiet();
    // As far as anybody can see, the guard is there.
    assert.equal(finalizers(scene, 'secrets', 'clouds'), [GUARD]);
    await scene.create('subnets', 'next', { secretRef: 'clouds' });
    await scene.quiet();
    land();
    await scene.until('the secret is gone', () => scene.get('secrets', 'clouds') === undefined);
    assert.not(scene.log.includes('create next'));
    await scene.create('secrets', 'clouds');
    await scene.until('the next one is made', () => made(scene, 'subnets') === 1);
  }));

test('P4: the tombstone of an earlier incarnation does not end the claim of a later one', () =>
  on({}, async (scene) => {
    await pair(scene);
    const old: JsonObject = {
      uid: 'earlier',
      resourceVersion: '1',
      generation: 0,
      finalizers: [],
      manager: '',
      notOn: [],
      ended: true,
    };
    await scene.bus.mailbox.publish({ to: network, topic: 'claim', from: subnet }, old, undefined);
    await scene.remove('networks', 'net');
    await scene.quiet();
    assert.is(made(scene, 'networks'), 1);
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
  }));

test('P5: a claim outlives the object it is on, and holds its successor', () =>
  on({}, async (scene) => {
    await scene.create('subnets', 'sub', { networkRef: 'net' });
    scene.unusable.add('net');
    await scene.create('networks', 'net');
    await scene.until('the network is there', () => made(scene, 'networks') === 1);
    await scene.remove('networks', 'net');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
    await scene.quiet();
    assert.ok(await scene.bus.mailbox.last({ to: network, topic: 'claim', from: subnet }));
    assert.is(await scene.bus.mailbox.last({ to: network, topic: 'object' }), undefined);
    await scene.create('networks', 'net');
    await scene.until('the successor is guarded', () => finalizers(scene, 'networks', 'net').includes(GUARD));
  }));

test('P6: an old view does not revive a deleted object: nobody builds on it any more', () =>
  on({}, async (scene) => {
    await pair(scene);
    const living = scene.get('networks', 'net') as KubeObject;
    await scene.remove('networks', 'net');
    await scene.quiet();
    await scene.tell(living);
    await scene.quiet();
    await scene.create('subnets', 'late', { networkRef: 'net' });
    await scene.quiet();
    assert.not(scene.log.includes('create late'));
    await scene.remove('subnets', 'sub');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
  }));

test('P7: the claim of an object that vanished without a tombstone ends when the API server is asked', () =>
  on({}, async (scene) => {
    await pair(scene);
    scene.vanish('subnets', 'sub');
    await scene.remove('networks', 'net');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
    // Or the next network of this name would be guarded for nobody.
    await scene.quiet();
    assert.is(await scene.bus.mailbox.last({ to: network, topic: 'claim', from: subnet }), undefined);
  }));

test('P8: an incomplete table releases nothing while the API server has an object that refers to it', () =>
  on({ seeded: false }, async (scene) => {
    await pair(scene);
    // The claim is lost, as with all mail before this epoch.
    const claim = { to: network, topic: 'claim', from: subnet } as const;
    const stored = await scene.bus.mailbox.last(claim);
    const lost = { ...(stored?.payload as JsonObject), uid: 'lost', resourceVersion: '9999999', ended: true };
    await scene.bus.mailbox.publish(claim, lost, undefined);
    await scene.remove('networks', 'net');
    await scene.quiet();
    assert.ok(scene.log.includes('list subnets'));
    assert.is(made(scene, 'networks'), 1);
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
    await scene.remove('subnets', 'sub');
    await scene.until('both are gone', () => scene.get('networks', 'net') === undefined);
    assert.ok(scene.log.indexOf('delete sub') < scene.log.indexOf('delete net'));
  }));

test('P8: the end of a claim on what was edited away frees nothing once it is referred to again (I3)', () =>
  on({ seeded: false }, async (scene) => {
    await pair(scene);
    await scene.change('subnets', 'sub', { spec: {} }, { told: true });
    await scene.until('its claim ends', () => scene.log.includes('tombstone of sub on net'));
    // Its host has not heard of it yet.
    await scene.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { told: false });
    await scene.remove('networks', 'net');
    await scene.until('the API server is asked', () => scene.log.includes('list subnets'));
    await scene.quiet();
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
    assert.is(made(scene, 'networks'), 1);
    await scene.tell(scene.get('subnets', 'sub') as KubeObject);
    await scene.until(
      'it is claimed again',
      () => scene.log.lastIndexOf('claim of sub on net') > scene.log.indexOf('list subnets'),
    );
    await scene.remove('subnets', 'sub');
    await scene.until('both are gone', () => scene.get('networks', 'net') === undefined);
    assert.ok(scene.log.indexOf('delete sub') < scene.log.indexOf('delete net'));
  }));

test('P7: a claimant that was seen without the reference and refers again by then keeps its claim', () => {
  const options = { seeded: false, onListed: (): void => undefined };
  return on(options, async (scene) => {
    const [spec, without] = [{ networkRef: 'net', keyRef: 'key' }, { keyRef: 'key' }];
    await scene.create('subnets', 'sub', spec);
    await scene.create('networks', 'net');
    await scene.until('the guard is stored', () => finalizers(scene, 'networks', 'net').includes(GUARD));
    await scene.until('the network is there', () => made(scene, 'networks') === 1);
    await scene.quiet();
    await scene.change('subnets', 'sub', { spec: without }, { told: false });
    options.onListed = () => {
      options.onListed = () => undefined;
      void scene.change('subnets', 'sub', { spec }, { told: true });
    };
    await scene.remove('networks', 'net');
    await scene.until('the network is gone', () => scene.get('networks', 'net') === undefined);
    await scene.create('networks', 'net');
    await scene.create('networks', 'key');
    await scene.until('the subnet is made', () => made(scene, 'subnets') === 1);
  });
});

test('P10: no call to the cloud begins when the lease ends before the call would', () =>
  on({ leaseLeftMs: 250 }, async (scene) => {
    await scene.create('networks', 'net');
    await scene.until('it backs off', () => scene.get('networks', 'net')?.status?.['phase'] === 'backingOff');
    assert.not.ok(scene.log.some((line) => line.startsWith('find') || line.startsWith('create')));
  }));

test('P12: own finalizer, claim; tombstone, release: in this order', () =>
  on({}, async (scene) => {
    await pair(scene);
    await scene.remove('subnets', 'sub');
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
    const lines = [
      'add own/subnet to sub',
      'claim of sub on net',
      'tombstone of sub on net',
      'remove own/subnet from sub',
    ];
    const order = lines.map((line) => scene.log.indexOf(line));
    assert.equal(
      order,
      [...order].sort((a, b) => a - b),
    );
    assert.ok(order.every((index) => index >= 0));
  }));

test('P12: the own finalizer stays until the bus has acknowledged the tombstone', () =>
  on({}, async (scene) => {
    await pair(scene);
    const acknowledged = Promise.withResolvers<void>();
    const { publish } = scene.bus.mailbox;
    scene.bus.mailbox.publish = async (subject, payload, expected) => {
      if (payload['ended'] === true) await acknowledged.promise;
      return publish(subject, payload, expected);
    };
    await scene.remove('subnets', 'sub');
    await scene.until('its resource is gone', () => made(scene, 'subnets') === 0);
    await scene.quiet();
    assert.equal(finalizers(scene, 'subnets', 'sub'), [GUARD]);
    acknowledged.resolve();
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
  }));

test('P12: what a cleanup needs is held until the own finalizer is gone: a next life may have to clean up again', () =>
  on({}, async (scene) => {
    await scene.create('networks', 'key');
    await scene.create('networks', 'net');
    await scene.create('subnets', 'sub', { networkRef: 'net', keyRef: 'key' });
    await scene.until('the subnet is made', () => scene.get('subnets', 'sub')?.status?.['phase'] === 'available');
    await scene.remove('subnets', 'sub');
    await scene.until('all its claims end', () => scene.log.includes('tombstone of sub on key'));
    const order = ['tombstone of sub on net', 'remove own/subnet from sub', 'tombstone of sub on key'];
    assert.equal(
      scene.log.filter((line) => order.includes(line)),
      order,
    );
  }));

test('P12: the claims of an object that is seen gone end, whoever took it away', () =>
  on({}, async (scene) => {
    await pair(scene);
    const { uid } = (scene.get('subnets', 'sub') as KubeObject).metadata;
    scene.vanish('subnets', 'sub');
    await scene.bus.mailbox.publish(
      { to: subnet, topic: 'object' },
      { gone: { uid, resourceVersion: '999' } },
      undefined,
    );
    await scene.until('its claim ends', () => scene.log.includes('tombstone of sub on net'));
  }));

test('P12: a claim that nobody ended on what was never there ends when it is answered', () =>
  on({}, async (scene) => {
    const claim = {
      ...{ uid: 'gone', resourceVersion: '50', generation: 3, finalizers: [GUARD], manager: 'own' },
      ...{ notOn: [], ended: false },
    };
    await scene.bus.mailbox.publish({ to: network, topic: 'claim', from: subnet }, claim, undefined);
    await scene.until('its claim ends', () => scene.log.includes('tombstone of sub on net'));
    await scene.quiet();
    for (const mail of [
      { to: network, topic: 'claim', from: subnet },
      { to: subnet, topic: 'ready', from: network },
    ] as const)
      assert.is(await scene.bus.mailbox.last(mail), undefined);
  }));

test('P12: the end of a cleanup whose answer is late ends no claim of the successor', () =>
  on({}, async (scene) => {
    await pair(scene);
    const answer = Promise.withResolvers<void>();
    scene.onReleased = () => answer.promise;
    // The actor goes on to the next life without having been forgotten.
    scene.tellsGone = false;
    await scene.remove('subnets', 'sub');
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
    await scene.create('subnets', 'sub', { networkRef: 'net' });
    await scene.until('its successor is made', () => made(scene, 'subnets') === 1);
    answer.resolve();
    await scene.quiet();
    assert.equal(
      scene.log.filter((line) => line.endsWith('of sub on net')),
      ['claim of sub on net', 'tombstone of sub on net', 'claim of sub on net'],
    );
  }));

test('a deleted and re-created object is another: it gets a resource of its own (I4)', () =>
  on({}, async (scene) => {
    await pair(scene);
    const before = scene.get('subnets', 'sub')?.status?.['id'];
    await scene.remove('subnets', 'sub');
    await scene.until('the subnet is gone', () => scene.get('subnets', 'sub') === undefined);
    await scene.create('subnets', 'sub', { networkRef: 'net' });
    await scene.until('it is made anew', () => scene.get('subnets', 'sub')?.status?.['phase'] === 'available');
    assert.is.not(scene.get('subnets', 'sub')?.status?.['id'], before);
    assert.is(made(scene, 'subnets'), 1);
  }));

test('an object that waits for a reference waits for another one when it is edited', () =>
  on({}, async (scene) => {
    await scene.create('networks', 'net');
    await scene.create('subnets', 'sub', { networkRef: 'typo' });
    await scene.quiet();
    await scene.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { told: true });
    await scene.until('the subnet is made', () => made(scene, 'subnets') === 1);
    await scene.until('the claim on the other ends', () => scene.log.includes('tombstone of sub on typo'));
  }));

for (const told of [false, true]) {
  const seen = told ? 'seen' : 'not seen';
  test(`whoever finds another id recorded, ${seen}, removes what it made and nothing else (I4)`, () =>
    on({}, async (scene) => {
      scene.foreign.add('id-other');
      scene.onMade = () => void scene.change('networks', 'net', { status: { id: 'id-other' } }, { told });
      await scene.create('networks', 'net');
      await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
      assert.is(scene.get('networks', 'net')?.status?.['id'], 'id-other');
      assert.ok(scene.foreign.has('id-other'));
      assert.is(made(scene, 'networks'), 0);
    }));
}

test('whoever takes the last finalizer off knows that the object is gone, told or not', () =>
  on({}, async (scene) => {
    await scene.create('networks', 'net');
    await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
    // The watch begins anew after it went, and never knew it.
    scene.tellsGone = false;
    await scene.remove('networks', 'net');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
    await scene.quiet();
    assert.is(await scene.bus.mailbox.last({ to: network, topic: 'object' }), undefined);
  }));

test('an id whose storing was not answered is not stored again (I8)', () =>
  on({}, async (scene) => {
    scene.onRecorded = () => {
      throw new TransientError('the connection broke');
    };
    await scene.create('networks', 'net');
    await scene.until('the id is stored', () => scene.get('networks', 'net')?.status?.['id'] !== undefined);
    await scene.tell(scene.get('networks', 'net') as KubeObject);
    await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
    assert.is(scene.log.filter((line) => line.startsWith('record ')).length, 1);
  }));

test('an answer that comes after the lease was lost begins no life (H2)', () =>
  on({}, async (scene) => {
    const events: unknown[] = [];
    const release = scene.holdGuards();
    await pairWithoutGuard(scene);
    scene.vanish('networks', 'net');
    await scene.bus.trace.subscribe((event) => events.push(event));
    await scene.closeHost();
    await scene.create('networks', 'net');
    release();
    await scene.quiet();
    assert.equal(events, []);
  }));

test('P6: a late watcher does not revive an object whose actor was forgotten', () =>
  on({}, async (scene) => {
    await scene.create('networks', 'net');
    await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
    const before = scene.get('networks', 'net') as KubeObject;
    await scene.remove('networks', 'net');
    await scene.until('the network goes', () => scene.get('networks', 'net') === undefined);
    await scene.quiet();
    await scene.tell({ ...before, status: {} });
    await scene.quiet();
    assert.is(scene.log.filter((line) => line.startsWith('find ')).length, 1);
  }));

test('mail that comes after the end of the lease is another host’s: it is not deleted (H2)', () =>
  on({ leaseLeftMs: -1 }, async (scene) => {
    const answer = { to: network, topic: 'ready', from: subnet } as const;
    await scene.bus.mailbox.publish(answer, { to: 'uid', generation: 1, uid: '', readiness: 'absent' }, undefined);
    await scene.quiet();
    assert.ok(await scene.bus.mailbox.last(answer));
  }));

test('what the API server said of claimants before the lease ended takes no guard off after it (H2, I3)', () => {
  const options = { leaseLeftMs: 60_000, onListed: (): void => undefined };
  return on(options, async (scene) => {
    await pair(scene);
    scene.vanish('subnets', 'sub');
    const listed = new Promise<void>((resolve) => {
      options.onListed = () => {
        options.leaseLeftMs = -1;
        resolve();
      };
    });
    await scene.remove('networks', 'net');
    await listed;
    await scene.quiet();
    assert.ok(finalizers(scene, 'networks', 'net').includes(GUARD));
  });
});

/** A network whose guard is being stored. */
async function pairWithoutGuard(scene: Stage): Promise<void> {
  await scene.create('subnets', 'sub', { networkRef: 'net' });
  await scene.create('networks', 'net');
  await scene.until('the network is there', () => scene.get('networks', 'net')?.status?.['phase'] === 'available');
}

test.run();
