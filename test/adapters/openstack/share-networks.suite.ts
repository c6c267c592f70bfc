// What the operations of share networks must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, type Dependencies, fails, type Tenant } from '../../world/tenant.ts';

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const REFS = { networkRef: 'net', subnetRef: 'sub' } as const;

async function plumbing(tenant: Tenant): Promise<Dependencies> {
  const network_id = await tenant.outside('Network', { name: tenant.name('net') });
  const subnet = { name: tenant.name('sub'), network_id, ip_version: 4, cidr: '192.0.2.0/24' };
  return { 'Network/net': network_id, 'Subnet/sub': await tenant.outside('Subnet', subnet) };
}

export function describeShareNetworks(check: Check): void {
  check('a share network with every field', async (tenant) => {
    const known = await plumbing(tenant);
    const fields = { name: tenant.name('renamed'), description: 'all of it', ...REFS };
    const object = tenant.managed('ShareNetwork', 'full', fields);
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.equal([passes, observation.available], [0, true]);
    const { createdAt, projectID, ...rest } = observation.resource;
    assert.match(String(createdAt), ZONED);
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      neutronNetID: known['Network/net'],
      neutronSubnetID: known['Subnet/sub'],
      cidr: '',
    });
  });

  check('a share network with no field, and each field updated and restored', async (tenant) => {
    const bare = tenant.managed('ShareNetwork', 'changing');
    let { passes, observation } = await tenant.settle(bare, await tenant.create(bare));
    const { createdAt: _created, projectID: _project, ...rest } = observation.resource;
    assert.equal([passes, rest], [0, { name: tenant.name('changing'), cidr: '' }]);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('ShareNetwork', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      assert.match(String(changed.observation.resource['updatedAt']), ZONED);
      ({ passes, observation } = await tenant.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
    const removed = { ...tenant.request(bare), id: observation.id };
    await tenant.operations('ShareNetwork').remove(removed);
    assert.is(await tenant.observe(bare, observation.id), undefined);
    await tenant.operations('ShareNetwork').remove(removed);
  });

  check('what an interrupted create left of a share network is found, and they are imported', async (tenant) => {
    const name = tenant.name('lost');
    const object = tenant.managed('ShareNetwork', 'lost', { description: 'lost' });
    const { find, import: imports } = tenant.operations('ShareNetwork');
    await tenant.outside('ShareNetwork', { name: `${name}er`, description: 'lost' });
    assert.equal((await find(tenant.request(object))).matches, []);
    const { id } = await tenant.create(object);
    assert.equal(
      (await find(tenant.request(object))).matches.map((match) => match.id),
      [id],
    );
    for (const [filter, isFound] of [
      [{ name }, true],
      [{ name, description: 'lost' }, true],
      [{ name, description: 'other' }, false],
      [{ name: name.slice(0, -1) }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('ShareNetwork', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await tenant.outside('ShareNetwork', { name, description: 'second' });
    const both = tenant.imported('ShareNetwork', { filter: { name } });
    await fails(imports(tenant.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    assert.is((await imports(tenant.request(tenant.imported('ShareNetwork', { id }))))?.id, id);
    const absent = tenant.imported('ShareNetwork', { id: '11111111-1111-4111-8111-111111111111' });
    await fails(imports(tenant.request(absent)), 'terminal', /does not exist in OpenStack/, 'UnrecoverableError');
  });

  check('a network and a subnet of a share network are waited for', async (tenant) => {
    const object = tenant.managed('ShareNetwork', 'early', REFS);
    await fails(tenant.create(object), 'transient', /no id is known of Network\/net, Subnet\/sub/);
  });
}
