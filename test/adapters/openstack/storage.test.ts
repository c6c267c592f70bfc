// Volumes, their types and share networks, as far as only a simulated cloud can be made to play it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registry } from '../../../actors/object/registry.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import { declaredKind } from '../../../adapters/openstack/resource/managed-kind.ts';
import type { Simulator } from '../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation, WatchRequest, WatchUpdate } from '../../../machines/external-resource/operations.ts';
import type { Claimant, Kind } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { fails, Tenant, withTenant } from '../../world/tenant.ts';

const test = suite('storage on the simulator');

/** Nothing is built, or gone, before a test says so. */
const FOR_EVER_MS = 3_600_000;

/** How often the paths of a service were asked for, as they are counted. */
function countsOf(simulator: Simulator, service: string): Readonly<Record<string, number>> {
  const entries = Object.entries(simulator.calls()).filter(([key]) => key.startsWith(`${service} `));
  return Object.fromEntries(entries.map(([key, count]) => [key.slice(service.length + 1), count]));
}

test('a volume whose creation failed fails for good, and one that is only imported is looked at again', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Volume', 'broken', { size: 1 });
    const { id } = await tenant.create(object);
    simulator.drift.change('volumes', id, { status: 'error' });
    const broken = (await tenant.observe(object, id)) as Observation;
    assert.equal([broken.available, broken.pollAfterMs], [false, 15_000]);
    await fails(tenant.update(object, broken), 'terminal', /^Volume is in error status$/, 'UnrecoverableError');
    const imported = await tenant.operations('Volume').import(tenant.request(tenant.imported('Volume', { id })));
    assert.equal([imported?.available, imported?.pollAfterMs], [false, 15_000]);
  }));

test('a volume in any other state is looked at again; one that is used can be used', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Volume', 'moving', { size: 1 });
    const { id } = await tenant.create(object);
    for (const [status, available, pollAfterMs] of [
      ['creating', false, 1_000],
      ['downloading', false, 1_000],
      ['attaching', false, 15_000],
      ['awaiting-transfer', false, 15_000],
      ['available', true, undefined],
      ['in-use', true, undefined],
    ] as const) {
      simulator.drift.change('volumes', id, { status, done_at: FOR_EVER_MS * 1e6 });
      const seen = (await tenant.observe(object, id)) as Observation;
      assert.equal([seen.available, seen.pollAfterMs], [available, pollAfterMs], status);
      assert.is((await tenant.update(object, seen)).changed, false);
    }
  }));

test('who uses a volume is in its status', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Volume', 'used', { size: 1 });
    const { id } = await tenant.create(object);
    const use = {
      id,
      attachment_id: 'one',
      volume_id: id,
      server_id: 'two',
      host_name: 'three',
      device: '/dev/vdb',
      attached_at: '2026-01-02T03:04:05.000000',
    };
    simulator.drift.change('volumes', id, { status: 'in-use', attachments: [use] });
    const { attachments } = ((await tenant.observe(object, id)) as Observation).resource;
    const attachedAt = '2026-01-02T03:04:05.000000Z';
    assert.equal(attachments, [{ attachmentID: 'one', serverID: 'two', device: '/dev/vdb', attachedAt }]);
  }));

test('extra specs that are changed are not said to be unheeded', () =>
  withTenant(async (tenant) => {
    const object = tenant.managed('VolumeType', 'edited');
    const created = await tenant.create(object);
    const changed = tenant.managed('VolumeType', 'edited', { extraSpecs: [{ name: 'a', value: '1' }] });
    const edited = { ...changed, metadata: { ...changed.metadata, generation: 2 } };
    assert.equal(await tenant.update(edited, created), { changed: true, fields: ['extraSpecs'] });
  }));

test('a volume that cannot be removed yet says so', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Volume', 'used', { size: 1 });
    const { id } = await tenant.build(object, await tenant.create(object));
    simulator.drift.change('volumes', id, { status: 'in-use' });
    const removal = tenant.operations('Volume').remove({ ...tenant.request(object), id });
    await fails(removal, 'transient', /answered 400: Invalid volume: Volume status must be available or error/);
  }));

test('what a server says of a volume is waited for until Cinder says it too', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Volume', 'used', { size: 1 });
    const { id } = await tenant.create(object);
    const use = { attachment_id: 'one', server_id: 'server' };
    const update = tenant.operations('Volume').update;
    /** Somebody has it of whom nobody says so any more. */
    const USED = Symbol('used');
    const server = (attributes: JsonObject): Claimant => ({
      realm: 'openstack',
      plural: 'servers',
      namespace: 'test',
      name: 'server',
      attributes: { serverID: 'server', status: 'ACTIVE', ...attributes },
    });
    for (const [volume, claimant, message] of [
      [{ status: 'available', attachments: [] }, server({ attached: [] }), undefined],
      [
        { status: 'available', attachments: [] },
        server({ attached: ['other', id] }),
        'Server attached volume but volume status not updated',
      ],
      [
        { status: 'attaching', attachments: [use] },
        server({ attached: [id] }),
        'Volume attached to server but status is not in-use',
      ],
      [{ status: 'in-use', attachments: [use] }, server({ attached: [id] }), undefined],
      [
        { status: 'in-use', attachments: [use] },
        server({ attached: [] }),
        'Server detached volume but volume status not updated',
      ],
      [{ status: 'in-use', attachments: [use] }, server({ attached: [], status: 'BUILD' }), undefined],
      [{ status: 'in-use', attachments: [use] }, server({ attached: [], serverID: 'another' }), USED],
      [{ status: 'available', attachments: [] }, server({ attached: 'odd' }), undefined],
      [{ status: 'available', attachments: [] }, { ...server({ attached: [id] }), plural: 'others' }, undefined],
    ] as const) {
      simulator.drift.change('volumes', id, { ...volume, done_at: FOR_EVER_MS * 1e6 });
      const observation = (await tenant.observe(object, id)) as Observation;
      const outcome = await update({ ...tenant.request(object), claimants: [claimant], observation });
      const waits = typeof message === 'string' && { waiting: [message], pollAfterMs: 5_000 };
      const used = message === USED && { used: true };
      assert.equal(outcome, { changed: false, ...waits, ...used }, JSON.stringify([volume, claimant]));
    }
  }));

test('a volume that is on its way out is not removed again', () =>
  withTenant(
    async (tenant, simulator) => {
      const object = tenant.managed('Volume', 'leaving', { size: 1 });
      const { id } = await tenant.create(object);
      simulator.drift.change('volumes', id, { status: 'available' });
      simulator.resetCounts();
      const removal = { ...tenant.request(object), id };
      for (let tries = 0; tries < 3; tries++) await tenant.operations('Volume').remove(removal);
      const { 'DELETE /volumes/{id}': removals, ...reads } = countsOf(simulator, 'block-storage');
      assert.equal([removals, reads], [1, { 'GET /volumes/{id}': 3 }]);
    },
    { simulator: { volumeWorkMs: FOR_EVER_MS } },
  ));

test('all who wait for volumes are served by one list', () =>
  withTenant(
    async (tenant, simulator) => {
      const objects = Array.from({ length: 8 }, (_, number) =>
        tenant.managed('Volume', `waiting-${number}`, { size: 1 }),
      );
      const created = await Promise.all(objects.map((object) => tenant.create(object)));
      simulator.resetCounts();
      const ended = new AbortController();
      const reported = objects.map((object, number) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const { deadlineAt: _, ...request } = tenant.request(object);
        const observation = created[number] as Observation;
        const progress = (news: WatchUpdate): void => {
          if ('observation' in news && news.observation.available) resolve();
        };
        const given = { ...request, id: observation.id, observation, pollAfterMs: 300, signal: ended.signal, progress };
        const watching = tenant.operations('Volume').watch?.(given as unknown as WatchRequest);
        return Promise.race([promise, watching]).then(() => watching?.catch(() => undefined));
      });
      for (const { id } of created) simulator.drift.change('volumes', id, { status: 'available' });
      const all = Promise.all(reported);
      await tenant.cloud.clock.sleep(1_000);
      ended.abort();
      await all;
      const counts = countsOf(simulator, 'block-storage');
      const { 'GET /volumes/detail': lists = 0, 'GET /volumes/{id}': alone = 0, ...others } = counts;
      assert.equal(others, {});
      // Whoever is due while a busy machine has not yet let the others begin is looked for alone.
      assert.ok(lists >= 1 && lists <= 4 && alone <= 2, JSON.stringify(counts));
    },
    { simulator: { volumeWorkMs: FOR_EVER_MS } },
  ));

for (const kind of ['Volume', 'VolumeType', 'ShareNetwork'] as const) {
  test(`each of many that are looked for at once is found in a list of several pages: ${kind} (OS-SESSIONS-3)`, () =>
    withTenant(
      async (tenant) => {
        const objects: KubeObject[] = [];
        const ids: string[] = [];
        for (let number = 0; number < 9; number++) {
          const object = tenant.managed(kind, `many-${number}`, kind === 'Volume' ? { size: 1 } : {});
          objects.push(object);
          ids.push((await tenant.create(object)).id);
        }
        const found = await Promise.all(objects.map((object) => tenant.operations(kind).find(tenant.request(object))));
        assert.equal(
          found.map(({ matches }) => matches.map(({ id }) => id)),
          ids.map((id) => [id]),
        );
        const named = { filter: { name: tenant.name('many-8') } };
        assert.is((await tenant.operations(kind).import(tenant.request(tenant.imported(kind, named))))?.id, ids[8]);
      },
      { simulator: { storagePageSize: 2 } },
    ));
}

test('many look-ups at once are one list, of volumes and of their types', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    const suffixes = Array.from({ length: 40 }, (_, number) => `n${number}`);
    simulator.resetCounts();
    const volumes = suffixes.map((suffix) => tenant.managed('Volume', suffix, { size: 1 }));
    const types = suffixes.map((suffix) => tenant.managed('VolumeType', suffix));
    await Promise.all([
      ...volumes.map((object) => tenant.operations('Volume').find(tenant.request(object))),
      ...types.map((object) => tenant.operations('VolumeType').find(tenant.request(object))),
    ]);
    assert.equal(countsOf(simulator, 'block-storage'), { 'GET /volumes/detail': 1, 'GET /types': 1 });
  }));

test('an image that a volume is made from is ready with its id and not before', () => {
  const kinds = KINDS.map((kind): Kind => ({ ...declaredKind(kind, { defaultResyncMs: 0 }), operations: {} }));
  const known = registry(kinds, []);
  const from = { realm: 'openstack', plural: 'volumes', namespace: 'ns', name: 'v' };
  const images = known.target(from, { kind: 'Image', name: 'i' });
  assert.equal({ ...images }, { realm: 'openstack', plural: 'images', namespace: 'ns', name: 'i' });
  const image = (status: KubeObject['status'] & object): KubeObject => ({
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Image',
    metadata: { name: 'i', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {},
    status,
  });
  const conditions = [{ type: 'Available', status: 'True' }];
  for (const [status, ready] of [
    [{}, false],
    [{ id: 'one' }, false],
    [{ conditions }, false],
    [{ id: 'one', conditions }, true],
  ] as const) {
    assert.is(known.standing(images, image(status)).ready, ready, JSON.stringify(status));
  }
  assert.is(known.standing(images, image({ id: 'one', conditions })).id, 'one');
  const volume = tenant().managed('Volume', 'v', { size: 1, imageRef: 'i', volumeTypeRef: 't' });
  const references = known.kind(from)?.references(volume) ?? [];
  assert.equal(
    references.map(({ kind, finalizers, neededFor }) => [kind, finalizers.length, neededFor]),
    [
      ['Secret', 1, 'always'],
      ['VolumeType', 1, 'create'],
      ['Image', 0, 'create'],
    ],
  );
});

/** One without a cloud, for its objects. */
function tenant(): Tenant {
  const never = async (): Promise<never> => assert.unreachable() as never;
  return new Tenant({
    sessions: { open: never, identify: never },
    clock: simulatedClock(),
    cloudName: 'test',
    extras: { Network: {}, Subnet: {} },
    imageId: never,
    close: async () => undefined,
  });
}

test.run();
