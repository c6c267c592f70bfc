// What the operations of volumes must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { WatchUpdate } from '../../../machines/external-resource/operations.ts';
import { type Check, fails } from '../../world/tenant.ts';

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const label = (name: string, value: string) => ({ name, value });

export function describeVolumes(check: Check): void {
  check('a volume with every field is built for a while, and can be used then', async (tenant) => {
    const type = await tenant.create(tenant.managed('VolumeType', 'fast'));
    const known = { 'VolumeType/fast': type.id };
    const object = tenant.managed('Volume', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      size: 1,
      volumeTypeRef: 'fast',
      availabilityZone: 'nova',
      metadata: [label('b', "it's"), label('a', '"1"')],
    });
    const created = await tenant.create(object, known);
    assert.equal([created.available, created.resource['status'], created.pollAfterMs], [false, 'creating', 1_000]);
    const { passes, observation } = await tenant.settle(object, await tenant.build(object, created), known);
    assert.equal([passes, observation.available, observation.pollAfterMs], [0, true, undefined]);
    const { createdAt, updatedAt, userID, host, tenantID, ...rest } = observation.resource;
    assert.match(String(createdAt), ZONED);
    assert.match(String(updatedAt), ZONED);
    assert.match(String(userID), /^[0-9a-f]{32}$/);
    assert.match(String(tenantID), /^[0-9a-f]{32}$/);
    assert.match(String(host), /^\S+$/);
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      size: 1,
      status: 'available',
      availabilityZone: 'nova',
      volumeType: tenant.name('fast'),
      metadata: [label('a', '"1"'), label('b', "it's")],
      bootable: false,
      encrypted: false,
      multiattach: false,
    });
  });

  check('a volume with no field but its size, and each field updated and restored', async (tenant) => {
    const bare = tenant.managed('Volume', 'changing', { size: 2 });
    const created = await tenant.build(bare, await tenant.create(bare));
    let { passes, observation } = await tenant.settle(bare, created);
    assert.is(passes, 0);
    const { name, description, size, metadata, attachments } = observation.resource;
    assert.equal(
      [name, description, size, metadata, attachments],
      [tenant.name('changing'), undefined, 2, undefined, undefined],
    );
    assert.match(String(observation.resource['volumeType']), /./);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ name: ` ${tenant.name('odd')} ` }, 'name', tenant.name('odd'), tenant.name('changing')],
      [{ description: ' reported ' }, 'description', 'reported', undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('Volume', 'changing', { size: 2, ...change }), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await tenant.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
  });

  check('a volume is made from an image, and one from an image that is none is refused', async (tenant) => {
    const imageId = await tenant.cloud.imageId();
    const object = tenant.managed('Volume', 'imaged', { size: 1, imageRef: 'image' });
    const built = await tenant.build(object, await tenant.create(object, { 'Image/image': imageId }));
    assert.equal([built.resource['imageID'], built.resource['bootable']], [imageId, true]);
    const absent = { 'Image/image': '11111111-1111-4111-8111-111111111111' };
    await fails(
      tenant.create(tenant.managed('Volume', 'blank', { size: 1, imageRef: 'image' }), absent),
      'transient',
      /./,
    );
    await fails(tenant.create(object), 'transient', /no id is known of Image\/image/);
  });

  check('whoever waits for a volume is told when it is built, and when it is gone', async (tenant) => {
    const object = tenant.managed('Volume', 'watched', { size: 1 });
    const created = await tenant.create(object);
    const { watch, remove } = tenant.operations('Volume');
    const reported = async (observation: typeof created, isWanted: (news: WatchUpdate) => boolean): Promise<void> => {
      const ended = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      const progress = (news: WatchUpdate): void => {
        if (isWanted(news)) resolve();
      };
      const { deadlineAt: _, ...request } = tenant.request(object);
      const given = { ...request, id: created.id, observation, pollAfterMs: 100, signal: ended.signal, progress };
      const watching = watch?.(given as Parameters<NonNullable<typeof watch>>[0]);
      await Promise.race([promise, watching]);
      ended.abort();
      await watching?.catch(() => undefined);
    };
    await reported(created, (news) => 'observation' in news && news.observation.available);
    await remove({ ...tenant.request(object), id: created.id });
    await reported(created, (news) => 'gone' in news);
    assert.is(await tenant.observe(object, created.id), undefined);
  });

  check('a volume is removed, and what is gone already is fine', async (tenant) => {
    const object = tenant.managed('Volume', 'leaving', { size: 1 });
    const created = await tenant.create(object);
    const removed = { ...tenant.request(object), id: created.id };
    const { remove } = tenant.operations('Volume');
    await tenant.build(object, created);
    await remove(removed);
    await remove(removed);
    await tenant.vanish(object, created.id);
    await remove(removed);
  });

  check('what an interrupted create left of a volume is found, and volumes are imported', async (tenant) => {
    const name = tenant.name('lost');
    const fields = { size: 1, description: 'lost', metadata: [label('a', '1')], availabilityZone: 'nova' } as const;
    const { find, import: imports } = tenant.operations('Volume');
    await tenant.outside('Volume', { name, size: 1 });
    await tenant.outside('Volume', { name: `${name}er`, size: 1, description: 'lost', metadata: { a: '1' } });
    const object = tenant.managed('Volume', 'lost', fields);
    assert.equal((await find(tenant.request(object))).matches, []);
    const { id } = await tenant.create(object);
    for (const [resource, isFound] of [
      [fields, true],
      // It was edited while nobody knew what had become of the create.
      [{ ...fields, description: 'other' }, true],
      [{ ...fields, size: 2 }, false],
      [{ ...fields, metadata: [label('a', '2')] }, false],
      [{ ...fields, metadata: [label('a', '1'), label('b', '1')] }, false],
      [{ ...fields, availabilityZone: 'other' }, false],
    ] as const) {
      const { matches } = await find(tenant.request(tenant.managed('Volume', 'lost', resource)));
      assert.equal(
        matches.map((match) => match.id),
        isFound ? [id] : [],
        JSON.stringify(resource),
      );
    }
    for (const [filter, isFound] of [
      [{ name, description: 'lost' }, true],
      [{ name, description: 'lost', size: 1, availabilityZone: 'nova' }, true],
      [{ name, description: 'lost', size: 2 }, false],
      [{ name, description: 'lost', availabilityZone: 'other' }, false],
      [{ name: name.slice(0, -1) }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('Volume', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const both = tenant.imported('Volume', { filter: { name } });
    await fails(imports(tenant.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    assert.is((await imports(tenant.request(tenant.imported('Volume', { id }))))?.id, id);
  });

  check('what Cinder says to a volume: a zone and a type that there are not', async (tenant) => {
    const elsewhere = tenant.managed('Volume', 'elsewhere', { size: 1, availabilityZone: 'nowhere' });
    await fails(tenant.create(elsewhere), 'transient', /Availability zone 'nowhere' is invalid/);
    const untyped = tenant.managed('Volume', 'untyped', { size: 1, volumeTypeRef: 'type' });
    const known = { 'VolumeType/type': '11111111-1111-4111-8111-111111111111' };
    await fails(tenant.create(untyped, known), 'transient', /Volume type .* could not be found/);
    await fails(tenant.create(untyped), 'transient', /no id is known of VolumeType\/type/);
  });
}
