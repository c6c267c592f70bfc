// Whether Ironic can be used, in which version, and how it is reached when that changes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CachedFetch } from '../../../../adapters/ironic/client/cached-fetch.ts';
import type { Connection } from '../../../../adapters/ironic/client/connection.ts';
import { NotReadyError } from '../../../../adapters/ironic/client/errors.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { TerminalError, TransientError } from '../../../../bus/errors.ts';
import { ManualClock, outcome } from '../../../bus/manual-clock.ts';
import { rejection } from '../../../world/rejection.ts';
import { fault, type Scene, withIronic } from './scripted-ironic.ts';

const test = suite('readiness of Ironic');

const LOOK = ['/v1/', '/v1/drivers'];
const heard = (scene: Scene): readonly string[] => scene.heard.map(({ path }) => path);

test('it is ready when it answers in a version that fits, and has a driver', () =>
  withIronic(async (scene) => {
    scene.version = '1.95';
    const { version, maximum, missing, drivers } = await scene.client.ready(scene.asking());
    assert.equal(
      { version, maximum, missing, drivers },
      { version: '1.95', maximum: '1.95', missing: [Feature.Health, Feature.DeploymentAbort], drivers: ['redfish'] },
    );
    assert.equal(heard(scene), LOOK);
    const [first, second] = scene.heard;
    assert.is(first?.headers['x-openstack-ironic-api-version'], undefined, 'the document has no version');
    assert.is(second?.headers['x-openstack-ironic-api-version'], '1.95');
  }));

test('it is not ready without a driver, in a version that does not fit, or when it does not let us in', async () => {
  const cases: readonly (readonly [(scene: Scene) => void, RegExp, string | undefined])[] = [
    [(scene) => Object.assign(scene, { drivers: [] }), /^Ironic has no driver yet/, undefined],
    [(scene) => Object.assign(scene, { version: '1.80' }), /^Ironic knows its API up to version 1\.80/, undefined],
    [(scene) => Object.assign(scene, { version: undefined }), /names no version of its API/, undefined],
  ];
  for (const [spoil, expected, fault] of cases) {
    await withIronic(async (scene) => {
      spoil(scene);
      const error = await rejection(scene.client.ready(scene.asking()));
      assert.instance(error, NotReadyError);
      assert.match(error.message, expected);
      assert.equal([(error as NotReadyError).retryAfterMs, (error as NotReadyError).fault], [30_000, fault]);
    });
  }
});

test('it is not ready when it does not answer, and that is said', () =>
  withIronic(
    async (scene) => {
      const error = await rejection(scene.client.ready(scene.asking()));
      assert.instance(error, NotReadyError);
      assert.is((error as NotReadyError).fault, 'unreachable');
    },
    { with: { endpoint: 'http://127.0.0.1:1' } },
  ));

test('it is not ready when a file or a resource is not', () =>
  withIronic(
    async (scene) => {
      const error = await rejection(scene.client.ready(scene.asking()));
      assert.instance(error, NotReadyError);
      assert.is(error.message, "'/a/key' cannot be read");
      assert.instance(await rejection(scene.client.node('n', scene.asking())), TerminalError);
    },
    { connection: () => Promise.reject(new TerminalError("'/a/key' cannot be read")) },
  ));

test('who asks at once waits for one look, and who asks within the time to live asks nobody (IRONIC-CACHED-FETCH-1)', () =>
  withIronic(async (scene) => {
    await Promise.all(Array.from({ length: 50 }, () => scene.client.ready(scene.asking())));
    await scene.client.ready(scene.asking());
    assert.equal(heard(scene), LOOK);
    scene.answer = () => ({ status: 204 });
    await scene.client.deleteNode('n', scene.asking());
    assert.equal(heard(scene), [...LOOK, '/v1/nodes/n'], 'a call asks for no version anew');
  }));

test('without a time to live every look is made, but by all who wait together', () =>
  withIronic(
    async (scene) => {
      await Promise.all(Array.from({ length: 5 }, () => scene.client.ready(scene.asking())));
      await scene.client.ready(scene.asking());
      assert.equal(heard(scene), [...LOOK, ...LOOK]);
    },
    { cacheTtlMs: 0 },
  ));

test('a look that failed is not kept (IRONIC-CACHED-FETCH-2)', () =>
  withIronic(async (scene) => {
    scene.drivers = [];
    await rejection(scene.client.ready(scene.asking()));
    scene.drivers = ['redfish'];
    assert.equal((await scene.client.ready(scene.asking())).drivers, ['redfish']);
  }));

test('calls that come first agree on the version together, and never ask for drivers', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ status: 204 });
    await Promise.all(Array.from({ length: 5 }, () => scene.client.deleteNode('n', scene.asking())));
    assert.equal(heard(scene), ['/v1/', ...Array(5).fill('/v1/nodes/n')]);
  }));

test('an Ironic that lacks features is used, and people are told once which', () =>
  withIronic(
    async (scene) => {
      scene.version = '1.82';
      for (let look = 0; look < 3; look++) await scene.client.ready(scene.asking());
      const missing = Object.values(Feature);
      assert.equal(scene.logs, [
        {
          level: 'warn',
          fields: { version: '1.82', maximum: '1.82', missing },
          message: 'Ironic is too old for some features; using it without them',
        },
      ]);
      scene.version = '1.115';
      await scene.client.ready(scene.asking());
      assert.equal(scene.logs[1], {
        level: 'info',
        fields: { version: '1.110', maximum: '1.115' },
        message: 'Ironic is used with all features',
      });
    },
    { cacheTtlMs: 0 },
  ));

test('what a feature is needed for is not asked without it (IRONIC-SESSION-4)', () =>
  withIronic(async (scene) => {
    scene.version = '1.82';
    const { client } = scene;
    for (const call of [
      () => client.firmwareComponents('n', scene.asking()),
      () => client.virtualMedia('n', scene.asking()),
      () => client.attachVirtualCd('n', 'http://x', scene.asking()),
      () => client.detachVirtualCd('n', scene.asking()),
      () => client.call({ method: 'GET', path: '/v1/nodes/n/firmware' }, scene.asking()),
    ]) {
      const error = await rejection(call());
      assert.instance(error, TerminalError);
      assert.match(error.message, /^Ironic is too old for '.*': it knows its API up to version 1\.82$/);
    }
    assert.equal(scene.asked, []);
  }));

test('an Ironic that was put back is asked anew which versions it has, after it refused one', () =>
  withIronic(async (scene) => {
    scene.answer = ({ headers }) =>
      headers['x-openstack-ironic-api-version'] === '1.110' && scene.version !== '1.115'
        ? { status: 406, body: fault('Version 1.110 was requested but it is not supported') }
        : { status: 204 };
    await scene.client.deleteNode('n', scene.asking());
    scene.version = '1.95';
    const error = await rejection(scene.client.deleteNode('n', scene.asking()));
    assert.instance(error, TransientError);
    assert.match(error.message, /answered 406: Version 1\.110/);
    await scene.client.deleteNode('n', scene.asking());
    assert.is(scene.asked.at(-1)?.headers['x-openstack-ironic-api-version'], '1.95');
  }));

test('what is on its way ends on the connection that it began on, when another is to be used (IRONIC-SESSION-5)', () =>
  withIronic(async (first) => {
    await withIronic(async (second) => {
      const trust = { ca: undefined, verify: 'verified' } as const;
      let connection: Connection = { endpoint: first.url, trust, credentials: undefined };
      await withIronic(
        async ({ client, asking }) => {
          const gate = Promise.withResolvers<void>();
          first.answer = () => ({ body: { uuid: 'first' }, until: gate.promise });
          second.answer = () => ({ body: { uuid: 'second' } });
          await client.ready(asking());
          const slow = client.node('n', asking());
          while (first.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
          connection = { ...connection, endpoint: second.url, credentials: { username: 'a', password: 'b' } };
          await client.ready(asking());
          assert.is((await client.node('n', asking()))?.uuid, 'second');
          assert.ok(second.heard.every(({ headers }) => headers['authorization'] === 'Basic YTpi'));
          gate.resolve();
          assert.is((await slow)?.uuid, 'first');
          await client.ready(asking());
          assert.is((await client.node('n', asking()))?.uuid, 'second');
        },
        { connection: async () => connection, cacheTtlMs: 0 },
      );
    });
  }));

test('nobody waits for a look longer than until his deadline, and it goes on for the others (IRONIC-CACHED-FETCH-3)', async () => {
  const clock = new ManualClock();
  const { promise, resolve } = Promise.withResolvers<string>();
  let looks = 0;
  const look = (): Promise<string> => {
    looks++;
    return promise;
  };
  const shared = new CachedFetch({ clock, ttlMs: 1_000, look, name: 'the look' });
  const hasty = outcome(shared.get(clock.now() + 100));
  const patient = outcome(shared.get(clock.now() + 10_000));
  await clock.advance(200);
  assert.is(hasty.error?.message, 'the look took longer than there was time');
  assert.not.ok(patient.settled);
  resolve('found');
  await clock.settle();
  assert.is(patient.value, 'found');
  await clock.advance(900);
  assert.is(await shared.get(clock.now()), 'found');
  assert.is(looks, 1);
  await clock.advance(100);
  await shared.get(clock.now() + 1);
  assert.is(looks, 2, 'after its time to live');
  shared.forget();
  await shared.get(clock.now() + 1);
  assert.is(looks, 3, 'forgotten');
  assert.is(clock.armed, 0);
});

test.run();
