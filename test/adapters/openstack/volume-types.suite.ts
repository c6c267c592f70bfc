// What the operations of volume types must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails } from './scene.ts';

const spec = (name: string, value: string) => ({ name, value });

export function describeVolumeTypes(check: Check): void {
  check('a volume type with every field', async (scene) => {
    const object = scene.managed('VolumeType', 'full', {
      name: scene.name('renamed'),
      description: 'all of it',
      extraSpecs: [spec('b', '2'), spec('a', '1')],
      isPublic: false,
    });
    const { passes, observation } = await scene.settle(object, await scene.create(object));
    assert.is(passes, 0);
    assert.is(observation.available, true);
    assert.equal(observation.resource, {
      name: scene.name('renamed'),
      description: 'all of it',
      extraSpecs: [spec('a', '1'), spec('b', '2')],
      isPublic: false,
    });
  });

  check('a volume type with no field, and each field updated and restored', async (scene) => {
    const bare = scene.managed('VolumeType', 'changing');
    let { passes, observation } = await scene.settle(bare, await scene.create(bare));
    assert.is(passes, 0);
    assert.equal(observation.resource, { name: scene.name('changing'), isPublic: true });
    for (const [change, attribute, expected, restored] of [
      [{ name: scene.name('other') }, 'name', scene.name('other'), scene.name('changing')],
      [{ description: 'told' }, 'description', 'told', undefined],
      [{ isPublic: false }, 'isPublic', false, true],
      // Unset, they are nobody's affair.
      [{ extraSpecs: [spec('a', '1')] }, 'extraSpecs', [spec('a', '1')], [spec('a', '1')]],
    ] as const) {
      const changed = await scene.settle(scene.managed('VolumeType', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await scene.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
      assert.is(passes, attribute === 'extraSpecs' ? 0 : 1, attribute);
    }
  });

  check('extra specs of a volume type come, change and go', async (scene) => {
    const typeWith = (...extraSpecs: readonly ReturnType<typeof spec>[]) =>
      scene.managed('VolumeType', 'special', { extraSpecs });
    const first = typeWith(spec('a', '1'), spec('b', '2'));
    let { observation } = await scene.settle(first, await scene.create(first));
    for (const [extraSpecs, passes] of [
      [[spec('b', '2'), spec('a', '1')], 0],
      [[spec('a', '1'), spec('b', '3'), spec('c.d:e-f', '4')], 1],
      [[spec('c.d:e-f', '4')], 1],
      [[spec('x', '5')], 1],
    ] as const) {
      const settled = await scene.settle(typeWith(...extraSpecs), observation);
      ({ observation } = settled);
      assert.is(settled.passes, passes);
      const sorted = extraSpecs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      assert.equal(observation.resource['extraSpecs'], sorted);
    }
  });

  check('an extra spec that no path can name stays, and those beside it are set right', async (scene) => {
    const extra_specs = { 'a/b': '1', c: '2' };
    const id = await scene.outside('VolumeType', { name: scene.name('odd'), extra_specs });
    const object = scene.managed('VolumeType', 'odd', { extraSpecs: [spec('d', '3')] });
    const found = await scene.observe(object, id);
    assert.ok(found);
    const { passes, observation } = await scene.settle(object, found);
    assert.equal([passes, observation.resource['extraSpecs']], [1, [spec('a/b', '1'), spec('d', '3')]]);
  });

  check('a name of a volume type is given once, one in use is not removed yet', async (scene) => {
    const type = await scene.create(scene.managed('VolumeType', 'taken', { isPublic: false }));
    const twin = scene.managed('VolumeType', 'twin', { name: scene.name('taken') });
    // Whatever else is said of it: whose the one of that name is, the life finds out (M8).
    const described = scene.managed('VolumeType', 'twin', { name: scene.name('taken'), description: 'another' });
    await fails(scene.create(described), 'conflict', /is there by now$/);
    const renamed = scene.managed('VolumeType', 'other');
    const { observation } = await scene.settle(renamed, await scene.create(renamed));
    const clash = scene.update(scene.managed('VolumeType', 'other', { name: scene.name('taken') }), observation);
    await fails(clash, 'terminal', /^invalid configuration updating resource: /, 'InvalidConfiguration');
    const volume = scene.managed('Volume', 'user', { size: 1, volumeTypeRef: 'taken' });
    const used = await scene.create(volume, { 'VolumeType/taken': type.id });
    const removal = { ...scene.request(twin), id: type.id };
    await fails(scene.operations('VolumeType').remove(removal), 'transient', /./);
    await scene.build(volume, used);
    await scene.operations('Volume').remove({ ...scene.request(volume), id: used.id });
    await scene.vanish(volume, used.id);
    await scene.operations('VolumeType').remove(removal);
    assert.is(await scene.observe(twin, type.id), undefined);
    await scene.operations('VolumeType').remove(removal);
  });

  check(
    'what an interrupted create left of a volume type is found, public or not, and they are imported',
    async (scene) => {
      const { find, import: imports } = scene.operations('VolumeType');
      const name = scene.name('lost');
      const object = scene.managed('VolumeType', 'lost', { isPublic: false, description: 'lost' });
      await scene.outside('VolumeType', {
        name: `${name}er`,
        description: 'lost',
        'os-volume-type-access:is_public': false,
      });
      assert.equal((await find(scene.request(object))).matches, []);
      const { id } = await scene.create(object);
      for (const [resource, isFound] of [
        [{ isPublic: false, description: 'lost' }, true],
        [{ isPublic: false }, true],
        [{}, true],
        // It was edited while nobody knew what had become of the create.
        [{ isPublic: true }, true],
        [{ isPublic: false, description: 'other' }, true],
      ] as const) {
        const { matches, exact } = await find(scene.request(scene.managed('VolumeType', 'lost', resource)));
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
        const found = await imports(scene.request(scene.imported('VolumeType', { filter })));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(scene.request(scene.imported('VolumeType', { id }))))?.id, id);
      const both = scene.imported('VolumeType', { filter: { description: 'lost', isPublic: false } });
      await fails(imports(scene.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    },
  );

  check(
    'many volume types that are looked for at once are one list, which holds those that are not public',
    async (scene) => {
      const names = Array.from({ length: 7 }, (_, number) => `many-${number}`);
      const objects = names.map((name, number) => scene.managed('VolumeType', name, { isPublic: number % 2 === 0 }));
      const ids: string[] = [];
      for (const object of objects) ids.push((await scene.create(object)).id);
      const { find } = scene.operations('VolumeType');
      const found = await Promise.all(objects.map((object) => find(scene.request(object))));
      assert.equal(
        found.map(({ matches }) => matches.map(({ id }) => id)),
        ids.map((id) => [id]),
      );
    },
  );
}
