// The rules of the protocol (actors/README.md, "Rules"), each with the history that goes wrong without it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JsonObject, TransientError } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type HostFixture, NAMESPACE, openHost } from '../world/host.ts';

const test = suite('protocol');

const network = { realm: 'openstack', plural: 'networks', namespace: NAMESPACE, name: 'net' };
const subnet = { realm: 'openstack', plural: 'subnets', namespace: NAMESPACE, name: 'sub' };
const GUARD = 'own/subnet';

async function on(
  options: Parameters<typeof openHost>[0],
  run: (fixture: HostFixture) => Promise<void>,
): Promise<void> {
  const fixture = await openHost(options);
  try {
    await run(fixture);
  } finally {
    await fixture.close();
  }
}

const finalizers = (fixture: HostFixture, plural: string, name: string): readonly string[] =>
  fixture.get(plural, name)?.metadata.finalizers ?? [];
const made = (fixture: HostFixture, plural: string): number => fixture.cloud.get(plural)?.size ?? 0;

/** Brings up a network and a subnet on it. */
async function pair(fixture: HostFixture): Promise<void> {
  await fixture.create('subnets', 'sub', { networkRef: 'net' });
  await fixture.create('networks', 'net');
  await fixture.until('the subnet is made', () => fixture.get('subnets', 'sub')?.status?.['phase'] === 'available');
}

test('a dependent is made only when its dependency is there and guarded for it (I1)', () =>
  on({}, async (fixture) => {
    const release = fixture.holdGuards();
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.create('networks', 'net');
    await fixture.until(
      'the network is there',
      () => fixture.get('networks', 'net')?.status?.['phase'] === 'available',
    );
    await fixture.quiet();
    assert.is(made(fixture, 'subnets'), 0);
    release();
    await fixture.until('the subnet is made', () => made(fixture, 'subnets') === 1);
  }));

test('nothing is deleted while it is claimed, and everything goes in the end (I2, I3)', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    await fixture.remove('networks', 'net');
    await fixture.quiet();
    assert.is(made(fixture, 'networks'), 1);
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
    await fixture.remove('subnets', 'sub');
    await fixture.until('both are gone', () => fixture.get('networks', 'net') === undefined);
    assert.ok(fixture.log.indexOf('delete sub') < fixture.log.indexOf('delete net'));
    assert.is(made(fixture, 'networks') + made(fixture, 'subnets'), 0);
  }));

test('P1: a dependent that built nothing lets a deleted dependency go, and uses its successor', () =>
  on({}, async (fixture) => {
    fixture.unusable.add('net');
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.create('networks', 'net');
    await fixture.until('the guard is stored', () => finalizers(fixture, 'networks', 'net').includes(GUARD));
    await fixture.until('the network is there', () => made(fixture, 'networks') === 1);
    await fixture.remove('networks', 'net');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
    fixture.unusable.clear();
    await fixture.create('networks', 'net');
    await fixture.until('the subnet is made on the successor', () => made(fixture, 'subnets') === 1);
  }));

test('P2: an answer to another incarnation is dropped', () =>
  on({}, async (fixture) => {
    const object = await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.quiet();
    const answer = { to: 'somebody-else', generation: 1, uid: 'n', readiness: 'ready', externalId: 'id-n' };
    await fixture.bus.mailbox.publish({ to: subnet, topic: 'ready', from: network }, answer, undefined);
    await fixture.quiet();
    // Whatever makes the actor look at its dependencies again.
    await fixture.report({
      ...(fixture.get('subnets', 'sub') as KubeObject),
      metadata: { ...object.metadata, resourceVersion: '999' },
    });
    await fixture.quiet();
    assert.is(made(fixture, 'subnets'), 0);
  }));

test('P2: an answer to a claim that ended does not count for the next one on the same object (I1)', () =>
  on({}, async (fixture) => {
    const object = await fixture.create('subnets', 'sub', { networkRef: 'other' });
    await fixture.quiet();
    // As it lies there after the reference was edited away: the network may have gone since.
    const answer = { to: object.metadata.uid, generation: 1, uid: 'n', readiness: 'ready', externalId: 'id-n' };
    await fixture.bus.mailbox.publish({ to: subnet, topic: 'ready', from: network }, answer, undefined);
    await fixture.quiet();
    await fixture.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { reported: true });
    await fixture.quiet();
    assert.not.ok(fixture.log.includes('find sub'));
  }));

test('P3: a guard stays on a living object when its last claim ends', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    await fixture.remove('subnets', 'sub');
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
    await fixture.quiet();
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
    await fixture.remove('networks', 'net');
    await fixture.until('the network is gone', () => fixture.get('networks', 'net') === undefined);
  }));

test('P1: nobody builds with credentials whose guard may be on its way off, and everybody with their successor (I3)', () =>
  on({}, async (fixture) => {
    await fixture.create('secrets', 'clouds');
    await fixture.create('subnets', 'sub', { secretRef: 'clouds' });
    await fixture.until('the subnet is made', () => made(fixture, 'subnets') === 1);
    await fixture.quiet();
    const land = fixture.holdReleases();
    await fixture.remove('secrets', 'clouds');
    await fixture.remove('subnets', 'sub');
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
    await fixture.quiet();
    // As far as anybody can see, the guard is there.
    assert.equal(finalizers(fixture, 'secrets', 'clouds'), [GUARD]);
    await fixture.create('subnets', 'next', { secretRef: 'clouds' });
    await fixture.quiet();
    land();
    await fixture.until('the secret is gone', () => fixture.get('secrets', 'clouds') === undefined);
    assert.not(fixture.log.includes('create next'));
    await fixture.create('secrets', 'clouds');
    await fixture.until('the next one is made', () => made(fixture, 'subnets') === 1);
  }));

test('P4: the tombstone of an earlier incarnation does not end the claim of a later one', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const old: JsonObject = {
      uid: 'earlier',
      resourceVersion: '1',
      generation: 0,
      finalizers: [],
      manager: '',
      withdrawnFrom: [],
      ended: true,
    };
    await fixture.bus.mailbox.publish({ to: network, topic: 'claim', from: subnet }, old, undefined);
    await fixture.remove('networks', 'net');
    await fixture.quiet();
    assert.is(made(fixture, 'networks'), 1);
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
  }));

test('P5: a claim outlives the object it is on, and holds its successor', () =>
  on({}, async (fixture) => {
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    fixture.unusable.add('net');
    await fixture.create('networks', 'net');
    await fixture.until('the network is there', () => made(fixture, 'networks') === 1);
    await fixture.remove('networks', 'net');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
    await fixture.quiet();
    assert.ok(await fixture.bus.mailbox.last({ to: network, topic: 'claim', from: subnet }));
    assert.is(await fixture.bus.mailbox.last({ to: network, topic: 'object' }), undefined);
    await fixture.create('networks', 'net');
    await fixture.until('the successor is guarded', () => finalizers(fixture, 'networks', 'net').includes(GUARD));
  }));

test('P6: an old view does not revive a deleted object: nobody builds on it any more', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const living = fixture.get('networks', 'net') as KubeObject;
    await fixture.remove('networks', 'net');
    await fixture.quiet();
    await fixture.report(living);
    await fixture.quiet();
    await fixture.create('subnets', 'late', { networkRef: 'net' });
    await fixture.quiet();
    assert.not(fixture.log.includes('create late'));
    await fixture.remove('subnets', 'sub');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
  }));

test('33.B1: an object that was wrongly not found lives on with its next state (OBJECT-ACTOR-1, P6)', () =>
  on({}, async (fixture) => {
    // The write of its id loses a race, and what is read then is not there.
    fixture.onMade = () => {
      fixture.onMade = () => undefined;
      fixture.hidden.add('net');
      void fixture.change('networks', 'net', { spec: { edit: '1' } }, { reported: false });
    };
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.create('networks', 'net');
    await fixture.until('it is made', () => made(fixture, 'networks') === 1);
    await fixture.quiet();
    const answer = (await fixture.bus.mailbox.last({ to: subnet, topic: 'ready', from: network }))?.payload;
    assert.is(answer?.['readiness'], 'absent');
    fixture.hidden.clear();
    await fixture.change('networks', 'net', { spec: { edit: '2' } }, { reported: true });
    await fixture.until('it lives, and is used', () => made(fixture, 'subnets') === 1);
    assert.ok(await fixture.bus.mailbox.last({ to: network, topic: 'object' }), 'who watches next knows of it');
    assert.is(fixture.log.filter((line) => line === 'create net').length, 1);
    await fixture.remove('subnets', 'sub');
    await fixture.remove('networks', 'net');
    await fixture.until('and goes', () => fixture.get('networks', 'net') === undefined);
    assert.is(made(fixture, 'networks'), 0);
  }));

test('33.B1: a late state of an object that is gone revives nothing, however new it is (OBJECT-ACTOR-1, P6)', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    await fixture.quiet();
    const living = fixture.get('networks', 'net') as KubeObject;
    await fixture.create('subnets', 'late', { networkRef: 'net' });
    await fixture.until('two are made', () => made(fixture, 'subnets') === 2);
    fixture.vanish('networks', 'net');
    await fixture.bus.mailbox.publish(
      { to: network, topic: 'object' },
      { gone: { uid: living.metadata.uid, resourceVersion: living.metadata.resourceVersion } },
      undefined,
    );
    await fixture.quiet();
    const finds = fixture.log.filter((line) => line === 'find net').length;
    await fixture.report({ ...living, status: {}, metadata: { ...living.metadata, resourceVersion: '900' } });
    await fixture.quiet();
    assert.is(fixture.log.filter((line) => line === 'find net').length, finds);
    assert.is(await fixture.bus.mailbox.last({ to: network, topic: 'object' }), undefined, 'nobody hears of it again');
  }));

test('33.B4: who reads its object older than it was known begins another epoch (P11, WATCHER-5)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    const born = await fixture.create('networks', 'net');
    // An id is to be recorded, and the object is what it was when it was born.
    fixture.onMade = () => fixture.restore(born);
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
  }));

test('33.B4: without the bus it does nothing more until another epoch can begin (I8, P11)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    await fixture.create('networks', 'net');
    await fixture.until('it is there', () => fixture.get('networks', 'net')?.status?.['phase'] === 'available');
    const startAnew = mailbox.startAnew.bind(mailbox);
    const from = fixture.clock.now();
    const done = fixture.log.length;
    let written: readonly string[] | undefined;
    mailbox.startAnew = async (epochId) => {
      if (fixture.clock.now() < from + 10_000) throw new TransientError('the bus is away');
      written ??= fixture.log.slice(done).filter((line) => line.startsWith('add '));
      await startAnew(epochId);
    };
    const gone = { uid: 'successor', resourceVersion: '9999999' };
    await mailbox.publish({ to: network, topic: 'object' }, { gone }, undefined);
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
    assert.equal(written, []);
  }));

test('33.B4: what was answered older than it was known is not written again before it was read (I8, P11)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    await fixture.create('networks', 'net');
    await fixture.until('it is there', () => fixture.get('networks', 'net')?.status?.['phase'] === 'available');
    let isAway = true;
    fixture.onRead = () => {
      if (isAway) throw new TransientError('the API server is away');
    };
    const gone = { uid: 'successor', resourceVersion: '9999999' };
    await mailbox.publish({ to: network, topic: 'object' }, { gone }, undefined);
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    const guards = (): number => fixture.log.filter((line) => line === `add ${GUARD} to net`).length;
    await fixture.until('the guard is stored', () => guards() > 0);
    await fixture.clock.sleep(10_000);
    assert.is(guards(), 1);
    isAway = false;
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
  }));

test('33.B4: an object that is read older than the end of a later one of its name is one of a restored backup (P11)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    await fixture.create('networks', 'net');
    // Its successor was deleted in what the backup does not have.
    const gone = { uid: 'successor', resourceVersion: '9999999' };
    fixture.onMade = () => void mailbox.publish({ to: network, topic: 'object' }, { gone }, undefined);
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
  }));

test('33.B4: so is one that finds the claim of a later one of its name (P4, P11)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    await pair(fixture);
    const claim = { to: network, topic: 'claim', from: subnet } as const;
    const stored = await mailbox.last(claim);
    const theirs = { ...(stored?.payload as JsonObject), uid: 'successor', resourceVersion: '9999999' };
    await mailbox.publish(claim, theirs, undefined);
    await fixture.change('subnets', 'sub', { spec: { networkRef: 'net', edit: '1' } }, { reported: true });
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
  }));

test('33.B4: so is one that the API server lacked at the takeover (P6, P11)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    const born = await fixture.create('networks', 'net');
    await fixture.until('it is there', () => fixture.get('networks', 'net')?.status?.['phase'] === 'available');
    fixture.vanish('networks', 'net');
    const { uid, resourceVersion } = { ...born.metadata, resourceVersion: '9999999' };
    await mailbox.publish({ to: network, topic: 'object' }, { gone: { uid, resourceVersion } }, undefined);
    await fixture.quiet();
    const again = { ...born, metadata: { ...born.metadata, uid: 'uid-again' } };
    fixture.restore(again);
    await fixture.report(again);
    await fixture.until('it is noticed', () => mailbox.epoch().id !== id);
  }));

test('33.B4: who reads it newer than it was known does not (P6)', () =>
  on({}, async (fixture) => {
    const { mailbox } = fixture.bus;
    const { id } = mailbox.epoch();
    await fixture.create('networks', 'net');
    fixture.onMade = () => void fixture.change('networks', 'net', { spec: { edit: '1' } }, { reported: false });
    await fixture.until('it is there', () => fixture.get('networks', 'net')?.status?.['phase'] === 'available');
    assert.is(mailbox.epoch().id, id);
  }));

test('P7: the claim of an object that vanished without a tombstone ends when the API server is asked', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    fixture.vanish('subnets', 'sub');
    await fixture.remove('networks', 'net');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
    // Or the next network of this name would be guarded for nobody.
    await fixture.quiet();
    assert.is(await fixture.bus.mailbox.last({ to: network, topic: 'claim', from: subnet }), undefined);
  }));

test('P8: an incomplete table releases nothing while the API server has an object that refers to it', () =>
  on({ seeded: false }, async (fixture) => {
    await pair(fixture);
    // The claim is lost, as with all mail before this epoch.
    const claim = { to: network, topic: 'claim', from: subnet } as const;
    const stored = await fixture.bus.mailbox.last(claim);
    const lost = { ...(stored?.payload as JsonObject), uid: 'lost', ended: true };
    await fixture.bus.mailbox.publish(claim, lost, undefined);
    await fixture.remove('networks', 'net');
    await fixture.quiet();
    assert.ok(fixture.log.includes('list subnets'));
    assert.is(made(fixture, 'networks'), 1);
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
    await fixture.remove('subnets', 'sub');
    await fixture.until('both are gone', () => fixture.get('networks', 'net') === undefined);
    assert.ok(fixture.log.indexOf('delete sub') < fixture.log.indexOf('delete net'));
  }));

test('P8: the end of a claim on what was edited away frees nothing once it is referred to again (I3)', () =>
  on({ seeded: false }, async (fixture) => {
    await pair(fixture);
    await fixture.change('subnets', 'sub', { spec: {} }, { reported: true });
    await fixture.until('its claim ends', () => fixture.log.includes('tombstone of sub on net'));
    // Its host has not heard of it yet.
    await fixture.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { reported: false });
    await fixture.remove('networks', 'net');
    await fixture.until('the API server is asked', () => fixture.log.includes('list subnets'));
    await fixture.quiet();
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
    assert.is(made(fixture, 'networks'), 1);
    await fixture.report(fixture.get('subnets', 'sub') as KubeObject);
    await fixture.until(
      'it is claimed again',
      () => fixture.log.lastIndexOf('claim of sub on net') > fixture.log.indexOf('list subnets'),
    );
    await fixture.remove('subnets', 'sub');
    await fixture.until('both are gone', () => fixture.get('networks', 'net') === undefined);
    assert.ok(fixture.log.indexOf('delete sub') < fixture.log.indexOf('delete net'));
  }));

test('P7: a claimant that was seen without the reference and refers again by then keeps its claim', () => {
  const options = { seeded: false, onListed: (): void => undefined };
  return on(options, async (fixture) => {
    const [spec, without] = [{ networkRef: 'net', keyRef: 'key' }, { keyRef: 'key' }];
    await fixture.create('subnets', 'sub', spec);
    await fixture.create('networks', 'net');
    await fixture.until('the guard is stored', () => finalizers(fixture, 'networks', 'net').includes(GUARD));
    await fixture.until('the network is there', () => made(fixture, 'networks') === 1);
    await fixture.quiet();
    await fixture.change('subnets', 'sub', { spec: without }, { reported: false });
    options.onListed = () => {
      options.onListed = () => undefined;
      void fixture.change('subnets', 'sub', { spec }, { reported: true });
    };
    await fixture.remove('networks', 'net');
    await fixture.until('the network is gone', () => fixture.get('networks', 'net') === undefined);
    await fixture.create('networks', 'net');
    await fixture.create('networks', 'key');
    await fixture.until('the subnet is made', () => made(fixture, 'subnets') === 1);
  });
});

test('P10: no call to the cloud begins when the lease ends before the call would', () =>
  on({ leaseLeftMs: 250 }, async (fixture) => {
    await fixture.create('networks', 'net');
    await fixture.until('it backs off', () => fixture.get('networks', 'net')?.status?.['phase'] === 'backingOff');
    assert.not.ok(fixture.log.some((line) => line.startsWith('find') || line.startsWith('create')));
  }));

test('P12: claim, own finalizer, what is made; tombstone, release: in this order', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    await fixture.remove('subnets', 'sub');
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
    const lines = [
      'claim of sub on net',
      'add own/subnet to sub',
      'tombstone of sub on net',
      'remove own/subnet from sub',
    ];
    const order = lines.map((line) => fixture.log.indexOf(line));
    assert.equal(
      order,
      [...order].sort((a, b) => a - b),
    );
    assert.ok(order.every((index) => index >= 0));
  }));

test('P12: the own finalizer stays until the bus has acknowledged the tombstone', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const acknowledged = Promise.withResolvers<void>();
    const { publish } = fixture.bus.mailbox;
    fixture.bus.mailbox.publish = async (subject, payload, expected) => {
      if (payload['ended'] === true) await acknowledged.promise;
      return publish(subject, payload, expected);
    };
    await fixture.remove('subnets', 'sub');
    await fixture.until('its resource is gone', () => made(fixture, 'subnets') === 0);
    await fixture.quiet();
    assert.equal(finalizers(fixture, 'subnets', 'sub'), [GUARD]);
    acknowledged.resolve();
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
  }));

test('P12: what a cleanup needs is held until the own finalizer is gone: a next life may have to clean up again', () =>
  on({}, async (fixture) => {
    await fixture.create('networks', 'key');
    await fixture.create('networks', 'net');
    await fixture.create('subnets', 'sub', { networkRef: 'net', keyRef: 'key' });
    await fixture.until('the subnet is made', () => fixture.get('subnets', 'sub')?.status?.['phase'] === 'available');
    await fixture.remove('subnets', 'sub');
    await fixture.until('all its claims end', () => fixture.log.includes('tombstone of sub on key'));
    const order = ['tombstone of sub on net', 'remove own/subnet from sub', 'tombstone of sub on key'];
    assert.equal(
      fixture.log.filter((line) => order.includes(line)),
      order,
    );
  }));

test('P12: the claims of an object that is seen gone end, whoever took it away', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const { uid } = (fixture.get('subnets', 'sub') as KubeObject).metadata;
    fixture.vanish('subnets', 'sub');
    await fixture.bus.mailbox.publish(
      { to: subnet, topic: 'object' },
      { gone: { uid, resourceVersion: '999' } },
      undefined,
    );
    await fixture.until('its claim ends', () => fixture.log.includes('tombstone of sub on net'));
  }));

test('P12: so do those of an object of which only the end of a later one of its name is heard (P6)', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    fixture.vanish('subnets', 'sub');
    // The watch saw it go, another one come and go, and published only the last of it.
    const gone = { uid: 'successor', resourceVersion: '999' };
    await fixture.bus.mailbox.publish({ to: subnet, topic: 'object' }, { gone }, undefined);
    await fixture.until('its claim ends', () => fixture.log.includes('tombstone of sub on net'));
    assert.is(await fixture.bus.mailbox.last({ to: subnet, topic: 'ready', from: network }), undefined);
    assert.is(await fixture.bus.mailbox.last({ to: subnet, topic: 'object' }), undefined);
  }));

test('P12: a claim that nobody ended on what was never there ends when it is answered', () =>
  on({}, async (fixture) => {
    const claim = {
      uid: 'gone',
      resourceVersion: '50',
      generation: 3,
      finalizers: [GUARD],
      manager: 'own',
      withdrawnFrom: [],
      ended: false,
    };
    await fixture.bus.mailbox.publish({ to: network, topic: 'claim', from: subnet }, claim, undefined);
    await fixture.until('its claim ends', () => fixture.log.includes('tombstone of sub on net'));
    await fixture.quiet();
    for (const mail of [
      { to: network, topic: 'claim', from: subnet },
      { to: subnet, topic: 'ready', from: network },
    ] as const)
      assert.is(await fixture.bus.mailbox.last(mail), undefined);
  }));

for (const isAnswered of [true, false])
  test(`P12: the claim of what was replaced while no host was there ends, ${isAnswered ? '' : 'not '}answered before`, () =>
    on({}, async (fixture) => {
      const typo = { ...network, name: 'typo' };
      const claim = { to: typo, topic: 'claim', from: subnet } as const;
      const answer = { to: subnet, topic: 'ready', from: typo } as const;
      await fixture.create('subnets', 'sub', { networkRef: 'typo' });
      await fixture.quiet();
      if (isAnswered) await fixture.clock.sleep(70_000);
      assert.is((await fixture.bus.mailbox.last(answer)) !== undefined, isAnswered);
      await fixture.closeHost();
      fixture.vanish('subnets', 'sub');
      await fixture.create('subnets', 'sub', { networkRef: 'net' });
      await fixture.openAnother();
      await fixture.create('networks', 'net');
      await fixture.until('the subnet is made', () => made(fixture, 'subnets') === 1);
      await fixture.clock.sleep(70_000);
      await fixture.quiet();
      assert.is(await fixture.bus.mailbox.last(claim), undefined);
      assert.is(await fixture.bus.mailbox.last(answer), undefined);
    }));

test('P12: answers to what was deleted stay until the ends of its claims are stored, as the next host reads them', () =>
  on({}, async (fixture) => {
    const claim = { to: network, topic: 'claim', from: subnet } as const;
    const answer = { to: subnet, topic: 'ready', from: network } as const;
    await pair(fixture);
    await fixture.clock.sleep(70_000);
    await fixture.closeHost();
    fixture.vanish('subnets', 'sub');
    // This host learns that the subnet is deleted, and loses its shard before it can verify that nothing has its name.
    fixture.onRead = () => {
      throw new TransientError('the API server is away');
    };
    await fixture.openAnother();
    await fixture.quiet();
    await fixture.closeHost();
    await fixture.clock.sleep(60_000);
    assert.ok(await fixture.bus.mailbox.last(answer));
    fixture.onRead = () => undefined;
    await fixture.openAnother();
    await fixture.until('its claim ends', () => fixture.log.includes('tombstone of sub on net'));
    await fixture.quiet();
    for (const mail of [claim, answer]) assert.is(await fixture.bus.mailbox.last(mail), undefined);
  }));

test('P12: a takeover reads no object of which only its own incarnation was answered', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    await fixture.quiet();
    await fixture.closeHost();
    const before = fixture.reads;
    await fixture.openAnother();
    await fixture.quiet();
    assert.is(fixture.reads, before);
  }));

test('P12: the end of a cleanup whose answer is late ends no claim of the successor', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const answer = Promise.withResolvers<void>();
    fixture.onReleased = () => answer.promise;
    // The actor goes on to the next life without having been forgotten.
    fixture.tellsGone = false;
    await fixture.remove('subnets', 'sub');
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.until('its successor is made', () => made(fixture, 'subnets') === 1);
    answer.resolve();
    await fixture.quiet();
    assert.equal(
      fixture.log.filter((line) => line.endsWith('of sub on net')),
      ['claim of sub on net', 'tombstone of sub on net', 'claim of sub on net'],
    );
  }));

test('a deleted and re-created object is another: it gets a resource of its own (I4)', () =>
  on({}, async (fixture) => {
    await pair(fixture);
    const before = fixture.get('subnets', 'sub')?.status?.['id'];
    await fixture.remove('subnets', 'sub');
    await fixture.until('the subnet is gone', () => fixture.get('subnets', 'sub') === undefined);
    await fixture.create('subnets', 'sub', { networkRef: 'net' });
    await fixture.until('it is made anew', () => fixture.get('subnets', 'sub')?.status?.['phase'] === 'available');
    assert.is.not(fixture.get('subnets', 'sub')?.status?.['id'], before);
    assert.is(made(fixture, 'subnets'), 1);
  }));

test('an object that waits for a reference waits for another one when it is edited', () =>
  on({}, async (fixture) => {
    await fixture.create('networks', 'net');
    await fixture.create('subnets', 'sub', { networkRef: 'typo' });
    await fixture.quiet();
    await fixture.change('subnets', 'sub', { spec: { networkRef: 'net' } }, { reported: true });
    await fixture.until('the subnet is made', () => made(fixture, 'subnets') === 1);
    await fixture.until('the claim on the other ends', () => fixture.log.includes('tombstone of sub on typo'));
  }));

for (const reported of [false, true]) {
  const seen = reported ? 'seen' : 'not seen';
  test(`whoever finds another id recorded, ${seen}, removes what it made and nothing else (I4)`, () =>
    on({}, async (fixture) => {
      fixture.foreign.add('id-other');
      fixture.onMade = () => void fixture.change('networks', 'net', { status: { id: 'id-other' } }, { reported });
      await fixture.create('networks', 'net');
      await fixture.until(
        'the network is there',
        () => fixture.get('networks', 'net')?.status?.['phase'] === 'available',
      );
      assert.is(fixture.get('networks', 'net')?.status?.['id'], 'id-other');
      assert.ok(fixture.foreign.has('id-other'));
      assert.is(made(fixture, 'networks'), 0);
    }));
}

test('whoever takes the last finalizer off knows that the object is gone, told or not', () =>
  on({}, async (fixture) => {
    await fixture.create('networks', 'net');
    await fixture.until(
      'the network is there',
      () => fixture.get('networks', 'net')?.status?.['phase'] === 'available',
    );
    // The watch begins anew after it went, and never knew it.
    fixture.tellsGone = false;
    await fixture.remove('networks', 'net');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
    await fixture.quiet();
    assert.is(await fixture.bus.mailbox.last({ to: network, topic: 'object' }), undefined);
  }));

test('an id whose storing was not answered is not stored again (I8)', () =>
  on({}, async (fixture) => {
    fixture.onRecorded = () => {
      throw new TransientError('the connection broke');
    };
    await fixture.create('networks', 'net');
    await fixture.until('the id is stored', () => fixture.get('networks', 'net')?.status?.['id'] !== undefined);
    await fixture.report(fixture.get('networks', 'net') as KubeObject);
    await fixture.until(
      'the network is there',
      () => fixture.get('networks', 'net')?.status?.['phase'] === 'available',
    );
    assert.is(fixture.log.filter((line) => line.startsWith('record ')).length, 1);
  }));

test('an answer that comes after the lease was lost begins no life (SHARD-HOST-2)', () =>
  on({}, async (fixture) => {
    const events: unknown[] = [];
    const release = fixture.holdGuards();
    await pairWithoutGuard(fixture);
    fixture.vanish('networks', 'net');
    await fixture.bus.trace.subscribe((event) => events.push(event));
    await fixture.closeHost();
    await fixture.create('networks', 'net');
    release();
    await fixture.quiet();
    assert.equal(events, []);
  }));

test('P6: a late watcher does not revive an object whose actor was forgotten', () =>
  on({}, async (fixture) => {
    await fixture.create('networks', 'net');
    await fixture.until(
      'the network is there',
      () => fixture.get('networks', 'net')?.status?.['phase'] === 'available',
    );
    const before = fixture.get('networks', 'net') as KubeObject;
    await fixture.remove('networks', 'net');
    await fixture.until('the network goes', () => fixture.get('networks', 'net') === undefined);
    await fixture.quiet();
    await fixture.report({ ...before, status: {} });
    await fixture.quiet();
    assert.is(fixture.log.filter((line) => line.startsWith('find ')).length, 1);
  }));

test('mail that comes after the end of the lease is another host’s: it is not deleted (SHARD-HOST-2)', () =>
  on({ leaseLeftMs: -1 }, async (fixture) => {
    const answer = { to: network, topic: 'ready', from: subnet } as const;
    await fixture.bus.mailbox.publish(answer, { to: 'uid', generation: 1, uid: '', readiness: 'absent' }, undefined);
    await fixture.quiet();
    assert.ok(await fixture.bus.mailbox.last(answer));
  }));

test('what the API server said of claimants before the lease ended takes no guard off after it (SHARD-HOST-2, I3)', () => {
  const options = { leaseLeftMs: 60_000, onListed: (): void => undefined };
  return on(options, async (fixture) => {
    await pair(fixture);
    fixture.vanish('subnets', 'sub');
    const listed = new Promise<void>((resolve) => {
      options.onListed = () => {
        options.leaseLeftMs = -1;
        resolve();
      };
    });
    await fixture.remove('networks', 'net');
    await listed;
    await fixture.quiet();
    assert.ok(finalizers(fixture, 'networks', 'net').includes(GUARD));
  });
});

/** A network whose guard is being stored. */
async function pairWithoutGuard(fixture: HostFixture): Promise<void> {
  await fixture.create('subnets', 'sub', { networkRef: 'net' });
  await fixture.create('networks', 'net');
  await fixture.until('the network is there', () => fixture.get('networks', 'net')?.status?.['phase'] === 'available');
}

test.run();
