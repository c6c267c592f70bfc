// What the operations of ports must find, what ports refer to, and what they hold.
import * as assert from 'uvu/assert';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, type Dependencies, fails, foundNothing } from '../../world/tenant.ts';
import { ground } from './ports.suite.ts';

const ABSENT_ID = '00000000-0000-4000-8000-000000000000';

export function describePortReferences(check: Check): void {
  check('an import of a port: by id, and by each field of a filter', async (tenant) => {
    const known = await ground(tenant);
    const network_id = known['Network/net'];
    const project_id = tenant.name('project');
    const name = tenant.name('wanted');
    const given = { network_id, project_id, fixed_ips: [], security_groups: [], mac_address: '02:00:00:00:00:aa' };
    const id = await tenant.outside('Port', { name, description: 'reported', ...given });
    await tenant.call('PUT', `/ports/${id}/tags`, { tags: ['a', 'b'] });
    await tenant.outside('Port', { name, network_id, fixed_ips: [], security_groups: [], admin_state_up: false });
    const { import: find } = tenant.operations('Port');
    assert.is((await find(tenant.request(tenant.imported('Port', { id }))))?.id, id);
    const unknown = find(tenant.request(tenant.imported('Port', { id: ABSENT_ID })));
    await fails(unknown, 'terminal', /^referenced resource does not exist in OpenStack$/, 'UnrecoverableError');
    const refs = { 'Network/net': network_id, 'Project/p': project_id };
    for (const [filter, isFound] of [
      [{ name, description: 'reported' }, true],
      [{ name, description: 'other' }, false],
      [{ networkRef: 'net', adminStateUp: true }, true],
      [{ networkRef: 'net', macAddress: '02:00:00:00:00:AA' }, true],
      [{ networkRef: 'net', macAddress: '02:00:00:00:00:bb' }, false],
      [{ name, projectRef: 'p' }, true],
      [{ name, tags: ['a', 'b'] }, true],
      [{ name, tagsAny: ['c'] }, false],
      [{ name, notTags: ['c'], adminStateUp: true }, true],
      [{ name, notTagsAny: ['a'], adminStateUp: true }, false],
    ] as const) {
      const found = await find(tenant.request(tenant.imported('Port', { filter }), refs));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const several = find(tenant.request(tenant.imported('Port', { filter: { name } })));
    await fails(several, 'terminal', /^found more than one matching OpenStack resource during import$/);
    const missing = find(tenant.request(tenant.imported('Port', { filter: { networkRef: 'net' } })));
    await fails(missing, 'transient', /Network\/net/);
  });

  check(
    'what an interrupted create of a port left behind is found by name, network, MAC and project',
    async (tenant) => {
      const known = await ground(tenant);
      const network_id = known['Network/net'];
      const other = await tenant.outside('Network', { name: tenant.name('other') });
      const none = { fixed_ips: [], security_groups: [] };
      const name = tenant.name('lost');
      await tenant.outside('Port', { name, network_id: other, ...none });
      await tenant.outside('Port', { name: tenant.name('lost-too'), network_id, ...none });
      const object = tenant.managed('Port', 'lost', { networkRef: 'net', description: 'of no account' });
      const { find } = tenant.operations('Port');
      foundNothing(await find(tenant.request(object, known)));
      const id = await tenant.outside('Port', { name, network_id, mac_address: '02:00:00:00:00:AA', ...none });
      const idsOf = async (
        resource: Parameters<typeof tenant.managed<'Port'>>[2],
        refs: Dependencies,
      ): Promise<string[]> =>
        (await find(tenant.request(tenant.managed('Port', 'lost', resource), refs))).matches.map((match) => match.id);
      assert.equal(await idsOf({ networkRef: 'net' }, known), [id]);
      assert.equal(await idsOf({ networkRef: 'net', macAddress: '02:00:00:00:00:aa' }, known), [id]);
      assert.equal(await idsOf({ networkRef: 'net', macAddress: '02:00:00:00:00:bb' }, known), []);
      const elsewhere = { ...known, 'Project/p': tenant.name('project') };
      assert.equal(await idsOf({ networkRef: 'net', projectRef: 'p' }, elsewhere), []);
      assert.is((await find(tenant.request(object))).exact, false);
    },
  );

  check('a port refers to its network, subnets, groups, project and server, in that order', async (tenant) => {
    const object = tenant.managed('Port', 'refs', {
      projectRef: 'p',
      hostID: { serverRef: 'vm' },
      securityGroupRefs: ['web', 'db'],
      addresses: [{ subnetRef: 'v6' }, { subnetRef: 'v4' }, { subnetRef: 'v6' }],
      networkRef: 'net',
    });
    const guard = ['openstack.k-orc.cloud/port'];
    assert.equal(
      tenant
        .kind('Port')
        .references(object)
        .map(({ kind, name, finalizers }) => [`${kind}/${name}`, finalizers]),
      [
        ['Secret/credentials', guard],
        ['Network/net', guard],
        ['Subnet/v6', guard],
        ['Subnet/v4', guard],
        ['SecurityGroup/web', guard],
        ['SecurityGroup/db', guard],
        ['Project/p', guard],
        ['Server/vm', []],
      ],
    );
    const imported = tenant.imported('Port', { filter: { projectRef: 'p', networkRef: 'net' } });
    assert.equal(
      tenant
        .kind('Port')
        .references(imported)
        .map(({ kind, finalizers, neededFor }) => [kind, finalizers, neededFor]),
      [
        ['Secret', guard, 'always'],
        ['Network', [], 'import'],
        ['Project', [], 'import'],
      ],
    );
  });

  check('a port holds its network, subnet and group, until it is removed', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'held'));
    const group = await tenant.create(tenant.managed('SecurityGroup', 'held'));
    const known = { 'Network/held': network.id, 'SecurityGroup/held': group.id };
    const range = tenant.managed('Subnet', 'held', { networkRef: 'held', ipVersion: 4, cidr: '192.0.2.0/24' });
    const subnet = await tenant.create(range, known);
    const object = tenant.managed('Port', 'holder', {
      networkRef: 'held',
      addresses: [{ subnetRef: 'held' }],
      securityGroupRefs: ['held'],
    });
    const port = await tenant.create(object, { ...known, 'Subnet/held': subnet.id });
    const remove = (kind: 'Network' | 'Subnet' | 'SecurityGroup' | 'Port', of: KubeObject, id: string): Promise<void> =>
      tenant.operations(kind).remove({ ...tenant.request(of), id });
    const held = [
      ['SecurityGroup', tenant.managed('SecurityGroup', 'held'), group.id],
      ['Subnet', range, subnet.id],
      ['Network', tenant.managed('Network', 'held'), network.id],
    ] as const;
    for (const [kind, of, id] of held) await fails(remove(kind, of, id), 'transient', /./);
    for (let time = 0; time < 2; time++) await remove('Port', object, port.id);
    assert.is(await tenant.observe(object, port.id), undefined);
    for (const [kind, of, id] of held) await remove(kind, of, id);
  });
}
