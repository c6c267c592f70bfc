// What the operations of share networks must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, type Dependencies, fails, type Scene } from './scene.ts';

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const REFS = { networkRef: 'net', subnetRef: 'sub' } as const;

async function plumbing(scene: Scene): Promise<Dependencies> {
  const network_id = await scene.outside('Network', { name: scene.name('net') });
  const subnet = { name: scene.name('sub'), network_id, ip_version: 4, cidr: '192.0.2.0/24' };
  return { 'Network/net': network_id, 'Subnet/sub': await scene.outside('Subnet', subnet) };
}

export function describeShareNetworks(check: Check): void {
  check('a share network with every field', async (scene) => {
    const known = await plumbing(scene);
    const fields = { name: scene.name('renamed'), description: 'all of it', ...REFS };
    const object = scene.managed('ShareNetwork', 'full', fields);
    const { passes, observation } = await scene.settle(object, await scene.create(object, known), known);
    assert.equal([passes, observation.available], [0, true]);
    const { createdAt, projectID, ...rest } = observation.resource;
    assert.match(String(createdAt), ZONED);
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.equal(rest, {
      name: scene.name('renamed'),
      description: 'all of it',
      neutronNetID: known['Network/net'],
      neutronSubnetID: known['Subnet/sub'],
      cidr: '',
    });
  });

  check('a share network with no field, and each field updated and restored', async (scene) => {
    const bare = scene.managed('ShareNetwork', 'changing');
    let { passes, observation } = await scene.settle(bare, await scene.create(bare));
    const { createdAt: _created, projectID: _project, ...rest } = observation.resource;
    assert.equal([passes, rest], [0, { name: scene.name('changing'), cidr: '' }]);
    for (const [change, attribute, expected, restored] of [
      [{ name: scene.name('other') }, 'name', scene.name('other'), scene.name('changing')],
      [{ description: 'told' }, 'description', 'told', undefined],
    ] as const) {
      const changed = await scene.settle(scene.managed('ShareNetwork', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      assert.match(String(changed.observation.resource['updatedAt']), ZONED);
      ({ passes, observation } = await scene.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
    const removed = { ...scene.request(bare), id: observation.id };
    await scene.operations('ShareNetwork').remove(removed);
    assert.is(await scene.observe(bare, observation.id), undefined);
    await scene.operations('ShareNetwork').remove(removed);
  });

  check('what an interrupted create left of a share network is found, and they are imported', async (scene) => {
    const name = scene.name('lost');
    const object = scene.managed('ShareNetwork', 'lost', { description: 'lost' });
    const { find, import: imports } = scene.operations('ShareNetwork');
    await scene.outside('ShareNetwork', { name: `${name}er`, description: 'lost' });
    assert.equal((await find(scene.request(object))).matches, []);
    const { id } = await scene.create(object);
    assert.equal(
      (await find(scene.request(object))).matches.map((match) => match.id),
      [id],
    );
    for (const [filter, isFound] of [
      [{ name }, true],
      [{ name, description: 'lost' }, true],
      [{ name, description: 'other' }, false],
      [{ name: name.slice(0, -1) }, false],
    ] as const) {
      const found = await imports(scene.request(scene.imported('ShareNetwork', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await scene.outside('ShareNetwork', { name, description: 'second' });
    const both = scene.imported('ShareNetwork', { filter: { name } });
    await fails(imports(scene.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    assert.is((await imports(scene.request(scene.imported('ShareNetwork', { id }))))?.id, id);
    const absent = scene.imported('ShareNetwork', { id: '11111111-1111-4111-8111-111111111111' });
    await fails(imports(scene.request(absent)), 'terminal', /does not exist in OpenStack/, 'UnrecoverableError');
  });

  check('a network and a subnet of a share network are waited for', async (scene) => {
    const object = scene.managed('ShareNetwork', 'early', REFS);
    await fails(scene.create(object), 'transient', /no id is known of Network\/net, Subnet\/sub/);
  });
}
