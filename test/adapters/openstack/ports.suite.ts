// What the operations of ports must do, whoever implements the cloud: create, observe, update. What they must find, and
// what refers to what, is in port-references.suite.ts.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, type Dependencies, fails, type Tenant } from '../../world/tenant.ts';

/** A network `net` with a subnet of each version (`v4`, `v6`) and two groups (`web`, `db`), as references know them. */
export async function ground(
  tenant: Tenant,
): Promise<Record<'Network/net' | 'Subnet/v4' | 'Subnet/v6', string> & Dependencies> {
  const network_id = await tenant.outside('Network', { name: tenant.name('net') });
  const subnet = (ip_version: number, cidr: string): Promise<string> =>
    tenant.outside('Subnet', { name: tenant.name('subnet'), network_id, ip_version, cidr });
  return {
    'Network/net': network_id,
    'Subnet/v4': await subnet(4, '192.0.2.0/24'),
    'Subnet/v6': await subnet(6, 'fd00:2::/64'),
    'SecurityGroup/web': await tenant.outside('SecurityGroup', { name: tenant.name('web') }),
    'SecurityGroup/db': await tenant.outside('SecurityGroup', { name: tenant.name('db') }),
  };
}

export function describePorts(check: Check): void {
  check('a port with every field', async (tenant) => {
    const known = await ground(tenant);
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const object = tenant.managed('Port', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      networkRef: 'net',
      addresses: [{ subnetRef: 'v4', ip: '192.0.2.17' }, { subnetRef: 'v6', ip: 'FD00:2:0::17' }, { subnetRef: 'v6' }],
      securityGroupRefs: ['web', 'db'],
      projectRef: 'owner',
      hostID: { id: 'host-1' },
      adminStateUp: false,
      allowedAddressPairs: [{ ip: '198.51.100.7' }, { ip: 'FD00:0::7', mac: '02:00:00:00:00:07' }],
      macAddress: '02:00:00:00:00:01',
      portSecurity: 'Enabled',
      propagateUplinkStatus: false,
      vnicType: 'direct',
      valueSpecs: [{ key: 'device_owner', value: 'compute:here' }],
      tags: ['b', 'a'],
    });
    const created = await tenant.create(object, { ...known, 'Project/owner': project.id });
    const dependencies = { ...known, 'Project/owner': project.id };
    const { passes, observation } = await tenant.settle(object, created, dependencies);
    const { tags, createdAt, updatedAt, revisionNumber, fixedIPs, securityGroups, allowedAddressPairs, ...rest } =
      observation.resource;
    assert.is(passes, 1);
    assert.equal(tags, ['a', 'b']);
    for (const instant of [createdAt, updatedAt]) assert.match(String(instant), /^\d{4}-.*Z$/);
    assert.type(revisionNumber, 'number');
    const [first, second, third] = (fixedIPs as { ip: string; subnetID: string }[]).toSorted((one, other) =>
      one.ip < other.ip ? -1 : 1,
    );
    assert.equal(first, { ip: '192.0.2.17', subnetID: known['Subnet/v4'] });
    assert.ok([second?.ip, third?.ip].includes('fd00:2::17'));
    assert.equal([second?.subnetID, third?.subnetID], [known['Subnet/v6'], known['Subnet/v6']]);
    assert.equal(
      [...(securityGroups as string[])].sort(),
      [known['SecurityGroup/db'], known['SecurityGroup/web']].sort() as string[],
    );
    assert.equal(
      (allowedAddressPairs as JsonObject[]).toSorted((one, other) =>
        String(one['ip']) < String(other['ip']) ? -1 : 1,
      ),
      [
        { ip: '198.51.100.7', mac: '02:00:00:00:00:01' },
        { ip: 'fd00::7', mac: '02:00:00:00:00:07' },
      ],
    );
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: false,
      deviceOwner: 'compute:here',
      hostID: 'host-1',
      macAddress: '02:00:00:00:00:01',
      networkID: known['Network/net'],
      portSecurityEnabled: true,
      projectID: project.id,
      propagateUplinkStatus: false,
      status: 'ACTIVE',
      vnicType: 'direct',
    });
    assert.is(observation.available, true);
  });

  check('a port with no field has no address and no group, not even the default one', async (tenant) => {
    const known = await ground(tenant);
    const object = tenant.managed('Port', 'bare', { networkRef: 'net' });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.is(passes, 0);
    const { name, adminStateUp, status, vnicType, hostID, portSecurityEnabled } = observation.resource;
    assert.equal([name, adminStateUp, status, vnicType], [tenant.name('bare'), true, 'DOWN', 'normal']);
    assert.equal([hostID, portSecurityEnabled], ['', true]);
    for (const field of ['fixedIPs', 'securityGroups', 'allowedAddressPairs', 'description', 'tags', 'deviceID']) {
      assert.is(observation.resource[field], undefined, field);
    }
    assert.equal([observation.available, observation.pollAfterMs], [true, undefined]);
  });

  check(
    'a create whose address an earlier one took is to look again for what that one made (I4, EXTERNAL-RESOURCE-8)',
    async (tenant) => {
      const known = await ground(tenant);
      const addresses = [{ subnetRef: 'v4', ip: '192.0.2.53' }];
      const object = tenant.managed('Port', 'twice', { networkRef: 'net', addresses });
      const first = await tenant.create(object, known);
      await fails(tenant.operations('Port').create(tenant.request(object, known)), 'conflict', /there by now/);
      const { matches } = await tenant.operations('Port').find(tenant.request(object, known));
      assert.equal(
        matches.map(({ id }) => id),
        [first.id],
      );
      const stranger = tenant.managed('Port', 'stranger', { networkRef: 'net', addresses });
      await fails(tenant.operations('Port').create(tenant.request(stranger, known)), 'terminal', /already|in use/i);
    },
  );

  check('each field of a port is updated, or left alone', async (tenant) => {
    const known = await ground(tenant);
    const fixed = { networkRef: 'net' } as const;
    const bare = tenant.managed('Port', 'changing', fixed);
    let observation = await tenant.create(bare, known);
    const mac = String(observation.resource['macAddress']);
    const web = known['SecurityGroup/web'];
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ adminStateUp: false }, 'adminStateUp', false, false],
      [{ adminStateUp: true }, 'adminStateUp', true, true],
      [
        { allowedAddressPairs: [{ ip: '198.51.100.7' }] },
        'allowedAddressPairs',
        [{ ip: '198.51.100.7', mac }],
        undefined,
      ],
      [{ securityGroupRefs: ['web'] }, 'securityGroups', [web], undefined],
      [{ vnicType: 'macvtap' }, 'vnicType', 'macvtap', 'macvtap'],
      [{ portSecurity: 'Disabled' }, 'portSecurityEnabled', false, false],
      [{ portSecurity: 'Enabled' }, 'portSecurityEnabled', true, true],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const object = tenant.managed('Port', 'changing', { ...fixed, ...change });
      const changed = await tenant.settle(object, observation, known);
      assert.equal(changed.observation.resource[attribute], expected, attribute);
      assert.ok(changed.passes <= 1, attribute);
      ({ observation } = await tenant.settle(bare, changed.observation, known));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
    const ignored = tenant.managed('Port', 'changing', { ...fixed, macAddress: '02:00:00:00:00:09' });
    assert.is((await tenant.settle(ignored, observation, known)).passes, 0);
  });

  check('address pairs are a set, and one without a MAC is content with any', async (tenant) => {
    const known = await ground(tenant);
    const withPairs = (allowedAddressPairs: readonly { readonly ip: string; readonly mac?: string }[]): KubeObject =>
      tenant.managed('Port', 'pairs', { networkRef: 'net', allowedAddressPairs });
    const ip = '198.51.100.7';
    const mac = '02:00:00:00:00:07';
    const both = [{ ip }, { ip, mac }];
    let { observation } = await tenant.settle(withPairs(both), await tenant.create(withPairs(both), known), known);
    const passesOf = async (pairs: readonly { readonly ip: string; readonly mac?: string }[]): Promise<number> => {
      const settled = await tenant.settle(withPairs(pairs), observation, known);
      ({ observation } = settled);
      return settled.passes;
    };
    assert.is(await passesOf(both), 0);
    assert.is(await passesOf(both.toReversed()), 0);
    assert.is(await passesOf([{ ip, mac: mac.toUpperCase() }, { ip }]), 0);
    assert.is(await passesOf([{ ip, mac }]), 1);
    assert.is(await passesOf([{ ip }]), 0);
    assert.is(await passesOf([{ ip: '198.51.100.0/24' }, { ip: 'FD00:0::8' }]), 1);
    assert.is(await passesOf([{ ip: 'fd00::8' }, { ip: '198.51.100.0/24' }]), 0);
    assert.is(await passesOf([]), 1);
  });

  check(
    'groups are a set; an update waits for those that are not ready, and leaves the others alone',
    async (tenant) => {
      const known = await ground(tenant);
      const withGroups = (...securityGroupRefs: readonly string[]): KubeObject =>
        tenant.managed('Port', 'groups', { networkRef: 'net', securityGroupRefs, description: 'reported' });
      const made = await tenant.outside('SecurityGroup', { name: tenant.name('new') });
      const created = await tenant.create(withGroups('web', 'db'), known);
      assert.equal(await tenant.update(withGroups('db', 'web'), created, known), { changed: false });
      const early = tenant.managed('Port', 'groups', { networkRef: 'net', securityGroupRefs: ['db', 'new'] });
      const outcome = await tenant.update(early, created, known);
      const waiting = ['Waiting for SecurityGroup/new to be ready'];
      assert.equal(outcome, { changed: true, waiting, fields: ['description'] });
      const untouched = (await tenant.observe(early, created.id)) as Observation;
      const { securityGroups, description } = untouched.resource;
      assert.equal([(securityGroups as unknown[]).length, description], [2, undefined]);
      const unready = { ...known, 'SecurityGroup/new': { id: made, ready: false } };
      assert.equal((await tenant.update(early, untouched, unready)).waiting, [
        'Waiting for SecurityGroup/new to be ready',
      ]);
      const ready = { ...known, 'SecurityGroup/new': made };
      const observed = await tenant.observe(early, created.id);
      const { observation } = await tenant.settle(early, observed ?? created, ready);
      assert.equal(
        [...(observation.resource['securityGroups'] as string[])].sort(),
        [known['SecurityGroup/db'], made].sort() as string[],
      );
      // What a port rests on already may be on its way out.
      const leaving = { ...ready, 'SecurityGroup/new': { id: made, ready: false } };
      assert.equal(await tenant.update(early, observation, leaving), { changed: false });
    },
  );

  check('port security goes off with all that needs it, and comes back', async (tenant) => {
    const known = await ground(tenant);
    const guarded = tenant.managed('Port', 'secure', {
      networkRef: 'net',
      addresses: [{ subnetRef: 'v4' }],
      portSecurity: 'Enabled',
      securityGroupRefs: ['web'],
      allowedAddressPairs: [{ ip: '198.51.100.7' }],
    });
    const open = tenant.managed('Port', 'secure', {
      networkRef: 'net',
      addresses: [{ subnetRef: 'v4' }],
      portSecurity: 'Disabled',
    });
    const created = await tenant.create(guarded, known);
    const off = await tenant.settle(open, created, known);
    const { portSecurityEnabled, securityGroups, allowedAddressPairs } = off.observation.resource;
    assert.equal(
      [off.passes, portSecurityEnabled, securityGroups, allowedAddressPairs],
      [1, false, undefined, undefined],
    );
    const on = await tenant.settle(guarded, off.observation, known);
    assert.equal([on.passes, on.observation.resource['portSecurityEnabled']], [1, true]);
    const network = await tenant.outside('Network', { name: tenant.name('open'), port_security_enabled: false });
    const inherits = tenant.managed('Port', 'inherits', { networkRef: 'open', portSecurity: 'Inherit' });
    const { observation } = await tenant.settle(inherits, await tenant.create(inherits, { 'Network/open': network }));
    assert.is(observation.resource['portSecurityEnabled'], false);
  });

  check('what a user must not smuggle in is refused before anything is sent', async (tenant) => {
    const known = await ground(tenant);
    for (const [resource, message] of [
      [{ valueSpecs: [{ key: 'shared', value: 'true' }] }, /valueSpecs must not set 'shared'/],
      [{ valueSpecs: [{ key: 'tenant_id', value: 'x' }] }, /valueSpecs must not set 'tenant_id'/],
      [{ valueSpecs: [{ key: 'name', value: 'x' }] }, /valueSpecs sets 'name', which another field sets/],
      [{ valueSpecs: [{ key: 'fixed_ips', value: 'x' }] }, /valueSpecs sets 'fixed_ips', which another field sets/],
      [{ portSecurity: 'Disabled', securityGroupRefs: ['web'] }, /securityGroupRefs must be empty/],
      [{ portSecurity: 'Disabled', allowedAddressPairs: [{ ip: '192.0.2.9' }] }, /allowedAddressPairs must be empty/],
    ] as const) {
      const object = tenant.managed('Port', 'refused', { networkRef: 'net', ...resource });
      await fails(
        tenant.create(object, known),
        'terminal',
        /^invalid configuration creating resource: /,
        'InvalidConfiguration',
      );
      await fails(tenant.create(object, known), 'terminal', message);
    }
    assert.equal(await tenant.list('ports', `network_id=${known['Network/net']}`), []);
  });

  check('the host of a port is named, or that of a server', async (tenant) => {
    const known = await ground(tenant);
    const object = tenant.managed('Port', 'hosted', { networkRef: 'net', hostID: { serverRef: 'vm' } });
    await fails(tenant.create(object, known), 'transient', /Server\/vm/);
    const unplaced = { id: 'vm-id', ready: true, attributes: {} };
    await fails(tenant.create(object, { ...known, 'Server/vm': unplaced }), 'transient', /Server\/vm/);
    const server = { id: 'vm-id', ready: true, attributes: { hostID: 'host-of-vm' } };
    const { resource } = await tenant.create(object, { ...known, 'Server/vm': server });
    assert.equal([resource['hostID'], resource['status']], ['host-of-vm', 'ACTIVE']);
  });

  check('a port waits for the server that it is plugged into while that is being built', async (tenant) => {
    const known = await ground(tenant);
    const valueSpecs = [
      { key: 'device_id', value: 'vm-id' },
      { key: 'device_owner', value: 'compute:here' },
    ];
    const object = tenant.managed('Port', 'plugged', { networkRef: 'net', valueSpecs });
    const created = await tenant.create(object, known);
    assert.equal([created.resource['deviceID'], created.resource['deviceOwner']], ['vm-id', 'compute:here']);
    const server = (status: string, ...attached: readonly string[]): readonly Claimant[] => [
      {
        realm: 'openstack',
        plural: 'servers',
        namespace: 'test',
        name: tenant.name('vm'),
        attributes: { serverID: 'vm-id', status, attached },
      },
    ];
    const said = async (claimants: readonly Claimant[], observation: Observation) =>
      (await tenant.update(object, observation, known, claimants)).waiting;
    assert.equal(await tenant.update(object, created, known), { changed: false, used: true });
    const waiting = [`Waiting for Server/${tenant.name('vm')} to be ready`];
    const outcome = await tenant.update(object, created, known, server('BUILD'));
    assert.equal(outcome, { changed: false, waiting, pollAfterMs: 15_000 });
    const { id } = created;
    assert.equal(await said(server('ACTIVE'), created), ['Server detached port but port status not updated']);
    assert.equal(await said(server('ACTIVE', id), created), ['Port attached to server but status is still DOWN']);
    const active = { ...created, attributes: { ...created.attributes, status: 'ACTIVE' } };
    const down = { ...created, attributes: { ...created.attributes, admin_state_up: false } };
    const free = { ...created, attributes: { ...created.attributes, device_id: '' } };
    assert.equal(await said(server('ACTIVE', id), active), undefined);
    assert.equal(await said(server('ACTIVE', id), down), undefined);
    assert.equal(await said(server('SHUTOFF', id), created), undefined);
    assert.equal(await said(server('ACTIVE', id), free), ['Server attached port but port status not updated']);
    assert.equal([await said(server('ACTIVE'), free), await said(server('BUILD'), free)], [undefined, undefined]);
  });

  check('what Neutron says to a port: taken, exhausted, unknown', async (tenant) => {
    const known = await ground(tenant);
    const at = (ip: string, name = 'at'): KubeObject =>
      tenant.managed('Port', name, { networkRef: 'net', addresses: [{ subnetRef: 'v4', ip }] });
    await tenant.create(at('192.0.2.9'), known);
    const again = tenant.create(at('192.0.2.9', 'other'), known);
    await fails(again, 'terminal', /^invalid configuration creating resource: .*IpAddressAlreadyAllocated|already/);
    await fails(tenant.create(at('203.0.113.9'), known), 'transient', /./);
    const trusted = tenant.managed('Port', 'trusted', { networkRef: 'net', trustedVIF: true });
    await fails(tenant.create(trusted, known), 'transient', /trusted/);
    const project = await tenant.create(tenant.managed('Project', 'poor'));
    await tenant.limit(project.id, { port: 0 });
    const poor = tenant.managed('Port', 'poor', { networkRef: 'net', projectRef: 'poor' });
    await fails(tenant.create(poor, { ...known, 'Project/poor': project.id }), 'transient', /OverQuota|Quota exceeded/);
  });
}
