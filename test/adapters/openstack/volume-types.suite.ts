// What the operations of volume types must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails } from '../../world/tenant.ts';

const spec = (name: string, value: string) => ({ name, value });

export function describeVolumeTypes(check: Check): void {
  check('a volume type with every field', async (tenant) => {
    const object = tenant.managed('VolumeType', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      extraSpecs: [spec('b', '2'), spec('a', '1')],
      isPublic: false,
    });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object));
    assert.is(passes, 0);
    assert.is(observation.available, true);
    assert.equal(observation.resource, {
      name: tenant.name('renamed'),
      description: 'all of it',
      extraSpecs: [spec('a', '1'), spec('b', '2')],
      isPublic: false,
    });
  });

  check('a volume type with no field, and each field updated and restored', async (tenant) => {
    const bare = tenant.managed('VolumeType', 'changing');
    let { passes, observation } = await tenant.settle(bare, await tenant.create(bare));
    assert.is(passes, 0);
    assert.equal(observation.resource, { name: tenant.name('changing'), isPublic: true });
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ isPublic: false }, 'isPublic', false, true],
      // Unset, they are nobody's affair.
      [{ extraSpecs: [spec('a', '1')] }, 'extraSpecs', [spec('a', '1')], [spec('a', '1')]],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('VolumeType', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await tenant.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
      assert.is(passes, attribute === 'extraSpecs' ? 0 : 1, attribute);
    }
  });

  check('extra specs of a volume type come, change and go', async (tenant) => {
    const typeWith = (...extraSpecs: readonly ReturnType<typeof spec>[]) =>
      tenant.managed('VolumeType', 'special', { extraSpecs });
    const first = typeWith(spec('a', '1'), spec('b', '2'));
    let { observation } = await tenant.settle(first, await tenant.create(first));
    for (const [extraSpecs, passes] of [
      [[spec('b', '2'), spec('a', '1')], 0],
      [[spec('a', '1'), spec('b', '3'), spec('c.d:e-f', '4')], 1],
      [[spec('c.d:e-f', '4')], 1],
      [[spec('x', '5')], 1],
    ] as const) {
      const settled = await tenant.settle(typeWith(...extraSpecs), observation);
      ({ observation } = settled);
      assert.is(settled.passes, passes);
      const sorted = extraSpecs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      assert.equal(observation.resource['extraSpecs'], sorted);
    }
  });

  check('an extra spec that no path can name stays, and those beside it are set right', async (tenant) => {
    const extra_specs = { 'a/b': '1', c: '2' };
    const id = await tenant.outside('VolumeType', { name: tenant.name('odd'), extra_specs });
    const object = tenant.managed('VolumeType', 'odd', { extraSpecs: [spec('d', '3')] });
    const found = await tenant.observe(object, id);
    assert.ok(found);
    const { passes, observation } = await tenant.settle(object, found);
    assert.equal([passes, observation.resource['extraSpecs']], [1, [spec('a/b', '1'), spec('d', '3')]]);
  });

  check('a name of a volume type is given once, one in use is not removed yet', async (tenant) => {
    const type = await tenant.create(tenant.managed('VolumeType', 'taken', { isPublic: false }));
    const twin = tenant.managed('VolumeType', 'twin', { name: tenant.name('taken') });
    // Whatever else is said of it: whose the one of that name is, the life finds out (EXTERNAL-RESOURCE-8).
    const described = tenant.managed('VolumeType', 'twin', { name: tenant.name('taken'), description: 'another' });
    await fails(tenant.create(described), 'conflict', /is there by now$/);
    const renamed = tenant.managed('VolumeType', 'other');
    const { observation } = await tenant.settle(renamed, await tenant.create(renamed));
    const clash = tenant.update(tenant.managed('VolumeType', 'other', { name: tenant.name('taken') }), observation);
    await fails(clash, 'terminal', /^invalid configuration updating resource: /, 'InvalidConfiguration');
    const volume = tenant.managed('Volume', 'user', { size: 1, volumeTypeRef: 'taken' });
    const used = await tenant.create(volume, { 'VolumeType/taken': type.id });
    const removal = { ...tenant.request(twin), id: type.id };
    await fails(tenant.operations('VolumeType').remove(removal), 'transient', /./);
    await tenant.build(volume, used);
    await tenant.operations('Volume').remove({ ...tenant.request(volume), id: used.id });
    await tenant.vanish(volume, used.id);
    await tenant.operations('VolumeType').remove(removal);
    assert.is(await tenant.observe(twin, type.id), undefined);
    await tenant.operations('VolumeType').remove(removal);
  });

  check(
    'what an interrupted create left of a volume type is found, public or not, and they are imported',
    async (tenant) => {
      const { find, import: imports } = tenant.operations('VolumeType');
      const name = tenant.name('lost');
      const object = tenant.managed('VolumeType', 'lost', { isPublic: false, description: 'lost' });
      await tenant.outside('VolumeType', {
        name: `${name}er`,
        description: 'lost',
        'os-volume-type-access:is_public': false,
      });
      assert.equal((await find(tenant.request(object))).matches, []);
      const { id } = await tenant.create(object);
      for (const [resource, isFound] of [
        [{ isPublic: false, description: 'lost' }, true],
        [{ isPublic: false }, true],
        [{}, true],
        // It was edited while nobody knew what had become of the create.
        [{ isPublic: true }, true],
        [{ isPublic: false, description: 'other' }, true],
      ] as const) {
        const { matches, exact } = await find(tenant.request(tenant.managed('VolumeType', 'lost', resource)));
        assert.equal([matches.map((match) => match.id), exact], [isFound ? [id] : [], true], JSON.stringify(resource));
      }
      for (const [filter, isFound] of [
        [{ name }, true],
        [{ name, isPublic: false }, true],
        [{ name, isPublic: true }, false],
        [{ name, description: 'lost' }, true],
        [{ name, description: 'other' }, false],
        [{ name: name.slice(0, -1) }, false],
      ] as const) {
        const found = await imports(tenant.request(tenant.imported('VolumeType', { filter })));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(tenant.request(tenant.imported('VolumeType', { id }))))?.id, id);
      const both = tenant.imported('VolumeType', { filter: { description: 'lost', isPublic: false } });
      await fails(imports(tenant.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    },
  );

  check(
    'many volume types that are looked for at once are one list, which holds those that are not public',
    async (tenant) => {
      const names = Array.from({ length: 7 }, (_, number) => `many-${number}`);
      const objects = names.map((name, number) => tenant.managed('VolumeType', name, { isPublic: number % 2 === 0 }));
      const ids: string[] = [];
      for (const object of objects) ids.push((await tenant.create(object)).id);
      const { find } = tenant.operations('VolumeType');
      const found = await Promise.all(objects.map((object) => find(tenant.request(object))));
      assert.equal(
        found.map(({ matches }) => matches.map(({ id }) => id)),
        ids.map((id) => [id]),
      );
    },
  );
}
