// The part of `services.suite.ts` about changes and lists of ports.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { ABSENT_ID, bad, invalid, NO_GROUP, NO_PAIRS, NO_SECURITY, stage } from './port-answers.ts';
import { type Like, neutronError, type Register } from './probe.ts';

export function portChanges(test: Register): void {
  test('security of a port: groups, pairs, and what becomes of them', async (cloud) => {
    const { make, network_id } = await stage(cloud);
    const { expect, prefix } = cloud;
    const group = String((await cloud.make('security-groups', { name: `${prefix}group` }))['id']);
    const open = await cloud.make('networks', { name: `${prefix}open`, port_security_enabled: false });
    const inherited = await make({ network_id: String(open['id']) });
    assert.equal([inherited['port_security_enabled'], inherited['security_groups']], [false, []]);
    const none = await make({ fixed_ips: [], security_groups: null });
    assert.equal(none['security_groups'], []);
    const bare = await make({ fixed_ips: [], port_security_enabled: false });
    assert.equal([bare['port_security_enabled'], bare['security_groups']], [false, []]);
    // Without an address a port can be in a group all the same.
    const addressless = await make({ fixed_ips: [], security_groups: [group] });
    assert.equal(addressless['security_groups'], [group]);
    const port = await make({ security_groups: [group] });
    const put = async (change: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PUT /ports/${port['id']}`, { body: { port: change } }, status, like);
    };
    const pair = { ip_address: '10.0.0.1' };
    const mac_address = String(port['mac_address']);
    const filled = neutronError(
      'PortSecurityPortHasSecurityGroup',
      'Port has security group associated. Cannot disable port security or IP address until security group is removed.',
    );
    await put({ port_security_enabled: false }, 409, filled);
    await put({ security_groups: [ABSENT_ID] }, 404, NO_GROUP);
    await put({ port_security_enabled: false, security_groups: [] }, 200, {
      port: { port_security_enabled: false, security_groups: [] },
    });
    await put({ allowed_address_pairs: [pair] }, 409, NO_PAIRS);
    await put({ security_groups: [group] }, 400, NO_SECURITY);
    await put({ port_security_enabled: true, security_groups: [group], allowed_address_pairs: [pair] }, 200, {
      port: {
        port_security_enabled: true,
        security_groups: [group],
        allowed_address_pairs: [{ ...pair, mac_address }],
      },
    });
    await put({ port_security_enabled: false, security_groups: [] }, 409, NO_PAIRS);
    const stated = [
      { ip_address: '10.0.0.7/24', mac_address: 'FA:16:3E:00:00:BB' },
      { ip_address: 'FD00::00AB', mac_address },
    ];
    await put({ allowed_address_pairs: stated }, 200, { port: { allowed_address_pairs: stated } });
    await put({ allowed_address_pairs: null }, 200, { port: { allowed_address_pairs: [] } });
    await expect(
      `DELETE /security-groups/${group}`,
      {},
      409,
      neutronError('SecurityGroupInUse', `Security Group ${group} in use.`),
    );
    await expect('GET /ports', { query: `network_id=${network_id}&security_groups=${group}&fields=id` }, 200, {
      ports: [{}, {}],
    });
  });

  test('a port is changed, and bound as soon as it has a host', async (cloud) => {
    const { make, v4 } = await stage(cloud);
    const { expect } = cloud;
    const fixed_ips = [{ subnet_id: v4, ip_address: '10.2.0.4' }];
    const port = await make({ fixed_ips });
    const path = `/ports/${port['id']}` as const;
    const put = async (change: JsonObject, status: number, like: Like, headers = {}): Promise<JsonObject> =>
      expect(`PUT ${path}`, { body: { port: change }, headers }, status, like);
    await put(
      { description: 'reported' },
      200,
      { port: { description: 'reported' } },
      { 'if-match': 'revision_number=1' },
    );
    await put({ description: '' }, 412, neutronError('RevisionNumberConstraintFailed', /^Constrained to 1, but/), {
      'if-match': 'revision_number=1',
    });
    await put({ mac_address: 'fa:16:3e:00:00:cc' }, 200, { port: { mac_address: 'fa:16:3e:00:00:cc' } });
    const bound = { 'binding:host_id': 'host', 'binding:vif_type': 'ovs', status: 'ACTIVE' };
    await put({ 'binding:host_id': 'host' }, 200, { port: bound });
    await expect('GET /ports', { query: `id=${port['id']}&binding:host_id=host` }, 200, { ports: [bound] });
    const macs = 'port type: ovs, old_mac fa:16:3e:00:00:cc, new_mac fa:16:3e:00:00:dd';
    await put(
      { mac_address: 'fa:16:3e:00:00:dd' },
      409,
      neutronError('PortBound', `Unable to complete operation on port ${port['id']}, port is already bound, ${macs}.`),
    );
    await put({ 'binding:vnic_type': 'macvtap' }, 200, { port: { 'binding:vnic_type': 'macvtap' } });
    await put({ 'binding:host_id': '' }, 200, { port: { 'binding:vif_type': 'unbound', status: 'DOWN' } });
    await put({ fixed_ips: [{ subnet_id: v4 }] }, 200, { port: { fixed_ips } });
    await put({ fixed_ips: [] }, 200, { port: { fixed_ips: [] } });
    await put({ device_id: 'device', device_owner: 'compute:here' }, 200, { port: { device_owner: 'compute:here' } });
    const readOnly = (attribute: string): Like => bad(`Cannot update read-only attribute ${attribute}`);
    await put({ propagate_uplink_status: false }, 400, readOnly('propagate_uplink_status'));
    await put({ network_id: ABSENT_ID }, 400, readOnly('network_id'));
    await put({ project_id: 'x' }, 400, readOnly('tenant_id'));
    await put({ trusted: true }, 400, bad("Unrecognized attribute(s) 'trusted'"));
  });

  test('lists of ports are filtered as asked', async (cloud) => {
    const { make, network_id, v4, v6 } = await stage(cloud);
    const { expect } = cloud;
    const mac_address = 'fa:16:3e:00:00:01';
    const device = { device_id: 'device-a', device_owner: 'compute:here' };
    await make({ name: 'a', fixed_ips: [{ subnet_id: v4, ip_address: '10.2.0.3' }], mac_address, ...device });
    await make({ name: 'b', fixed_ips: [{ subnet_id: v6, ip_address: 'fd00:2::b' }], admin_state_up: false });
    await make({ name: 'c', fixed_ips: [], device_id: 'device-c', 'binding:host_id': 'host', description: 'reported' });
    const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const list = async (query: string, found: readonly Like[]): Promise<void> => {
      const asked = `network_id=${network_id}&sort_key=name&sort_dir=asc&fields=name&${query}`;
      await expect('GET /ports', { query: asked }, 200, { ports: found });
    };
    await list('device_id=device-a', [a]);
    await list('device_id=device-a&device_id=device-c', [a, c]);
    await list('device_owner=compute:here', [a]);
    await list('name=a&name=b', [a, b]);
    await list(`fixed_ips=subnet_id%3D${v4}`, [a]);
    await list(`fixed_ips=subnet_id%3D${v4}&fixed_ips=subnet_id%3D${v6}`, [a, b]);
    await list('fixed_ips=ip_address%3Dfd00:2::b', [b]);
    await list(`fixed_ips=ip_address%3D10.2.0.3&fixed_ips=subnet_id%3D${v6}`, []);
    await list('fixed_ips=ip_address_substr%3D10.2', [a]);
    await list('fixed_ips=bogus%3Dx', [a, b, c]);
    await list('mac_address=FA:16:3E:00:00:01', [a]);
    await list('status=ACTIVE', [c]);
    await list('binding:host_id=host', [c]);
    await list('admin_state_up=false', [b]);
    await list('description=reported', [c]);
    await list('security_groups=x', []);
    const refuse = async (query: string, like: Like): Promise<void> => {
      await expect('GET /ports', { query }, 400, like);
    };
    await refuse('fixed_ips=x', invalid("'x' is not of the form <key>=[value]."));
    await refuse('admin_state_up=x', invalid("'x' cannot be converted to boolean."));
    for (const name of [
      'binding:vnic_type',
      'allowed_address_pairs',
      'port_security_enabled',
      'propagate_uplink_status',
      'dns_name',
      'trusted',
    ]) {
      await refuse(`${name}=x`, bad(`['${name}'] is invalid attribute for filtering`));
    }
    for (const name of ['fixed_ips', 'binding:host_id', 'security_groups', 'port_security_enabled']) {
      await refuse(`sort_key=${name}&sort_dir=asc`, bad(`['${name}'] is invalid attribute for sort_keys`));
    }
  });
}
