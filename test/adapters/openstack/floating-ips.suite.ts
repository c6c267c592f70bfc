// What the operations of floating IPs must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, type Dependencies, fails, type Tenant } from '../../world/tenant.ts';

/** Where floating IPs come from: an external network, and a subnet of it. */
async function outside(tenant: Tenant): Promise<{
  readonly networkId: string;
  readonly subnetId: string;
  readonly known: Dependencies;
}> {
  const networkId = await tenant.outside('Network', { name: tenant.name('outside'), 'router:external': true });
  const range = { name: tenant.name('range'), network_id: networkId, ip_version: 4, cidr: '198.51.100.0/24' };
  const subnetId = await tenant.outside('Subnet', range);
  const subnet = { id: subnetId, ready: true, attributes: { networkID: networkId } };
  return { networkId, subnetId, known: { 'Network/outside': networkId, 'Subnet/range': subnet } };
}

/** A port that is reachable from outside. */
export async function reachable(
  tenant: Tenant,
  external: string,
): Promise<{ readonly portId: string; readonly ip: string }> {
  const network_id = await tenant.outside('Network', { name: tenant.name('inside') });
  const range = { name: tenant.name('inner'), network_id, ip_version: 4, cidr: '10.9.0.0/24' };
  const subnet_id = await tenant.outside('Subnet', range);
  const portId = await tenant.outside('Port', { name: tenant.name('p'), network_id });
  const gateway = { name: tenant.name('r'), external_gateway_info: { network_id: external } };
  const router = await tenant.outside('Router', gateway);
  await tenant.call('PUT', `/routers/${router}/add_router_interface`, { subnet_id });
  const { port } = await tenant.call('GET', `/ports/${portId}`);
  const [address] = (port as JsonObject)['fixed_ips'] as readonly JsonObject[];
  return { portId, ip: String(address?.['ip_address']) };
}

function withUid(object: KubeObject, uid: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid } };
}

export function describeFloatingIPs(check: Check): void {
  check('a floating IP with every field', async (tenant) => {
    const { networkId, known: range } = await outside(tenant);
    const { portId, ip } = await reachable(tenant, networkId);
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const known = { ...range, 'Port/p': portId, 'Project/owner': project.id };
    const object = tenant.managed('FloatingIP', 'full', {
      description: 'all of it',
      floatingSubnetRef: 'range',
      floatingIP: '198.51.100.77',
      portRef: 'p',
      fixedIP: ip,
      projectRef: 'owner',
      tags: ['b', 'a'],
    });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.is(passes, 1);
    const { tags, createdAt, updatedAt, revisionNumber, routerID, status, ...rest } = observation.resource;
    assert.equal(tags, ['a', 'b']);
    assert.match(String(createdAt), /^\d{4}-.*Z$/);
    assert.match(String(updatedAt), /^\d{4}-.*Z$/);
    assert.type(revisionNumber, 'number');
    assert.match(String(routerID), /^[0-9a-f-]{36}$/);
    assert.ok(status === 'ACTIVE' || status === 'DOWN', String(status));
    assert.equal(rest, {
      description: 'all of it',
      floatingNetworkID: networkId,
      floatingIP: '198.51.100.77',
      portID: portId,
      fixedIP: ip,
      projectID: project.id,
      tenantID: project.id,
    });
    assert.is(observation.available, true);
  });

  check('a floating IP with no field but its network, each other one updated and restored', async (tenant) => {
    const { networkId, known } = await outside(tenant);
    const bare = tenant.managed('FloatingIP', 'changing', { floatingNetworkRef: 'outside' });
    let { observation } = await tenant.settle(bare, await tenant.create(bare, known), known);
    const { floatingNetworkID, portID, fixedIP, routerID, description, tags, status } = observation.resource;
    assert.equal([floatingNetworkID, portID, fixedIP, routerID, status], [networkId, '', '', '', 'DOWN']);
    assert.equal([description, tags, observation.available], [undefined, undefined, true]);
    for (const [change, attribute, expected] of [
      [{ description: 'reported' }, 'description', 'reported'],
      [{ tags: ['x'] }, 'tags', ['x']],
    ] as const) {
      const object = tenant.managed('FloatingIP', 'changing', { floatingNetworkRef: 'outside', ...change });
      const changed = await tenant.settle(object, observation, known);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await tenant.settle(bare, changed.observation, known));
      assert.is(observation.resource[attribute], undefined, attribute);
    }
  });

  check('what an interrupted create left of a floating IP is found, and that of no other object', async (tenant) => {
    const { networkId, known: range } = await outside(tenant);
    const { portId } = await reachable(tenant, networkId);
    const known = { ...range, 'Port/p': portId };
    const { find } = tenant.operations('FloatingIP');
    const address = { floatingIP: '198.51.100.78' };
    const described = { description: 'of its user', floatingNetworkRef: 'outside' };
    for (const [name, resource] of [
      ['addressed', { floatingNetworkRef: 'outside', ...address }],
      ['by-subnet', { floatingSubnetRef: 'range', floatingIP: '198.51.100.79' }],
      ['at-a-port', { floatingNetworkRef: 'outside', portRef: 'p' }],
      ['one-of-many', { floatingNetworkRef: 'outside' }],
      ['described', described],
    ] as const) {
      const object = withUid(tenant.managed('FloatingIP', name, resource), name);
      const before = await find(tenant.request(object, known));
      assert.equal([before.matches, before.exact], [[], true], name);
      const { id } = await tenant.create(object, known);
      const { matches, exact } = await find(tenant.request(object, known));
      assert.equal([matches.map((match) => match.id), exact], [[id], true], name);
    }
    // What another object of the same spec has made tells whose it is, until that has recorded it and says what its spec says.
    const mine = withUid(tenant.managed('FloatingIP', 'described', described), 'described');
    const other = withUid(mine, 'other');
    assert.equal((await find(tenant.request(other, known))).matches, []);
    const [left] = (await find(tenant.request(mine, known))).matches;
    assert.ok(left);
    const { observation } = await tenant.settle(mine, left, known);
    assert.is(observation.resource['description'], 'of its user');
    // Of a port without an id nobody knows what it is reached by, but that it is none of these.
    const atNone = withUid(
      tenant.managed('FloatingIP', 'none', { floatingNetworkRef: 'outside', portRef: 'p' }),
      'none',
    );
    const { matches: unsure, exact } = await find(tenant.request(atNone, range));
    assert.equal([unsure, exact], [[], false]);
  });

  check(
    'a port that was made anew is reached by the floating IP again, under the address that was asked for',
    async (tenant) => {
      const { networkId, known: range } = await outside(tenant);
      const { portId } = await reachable(tenant, networkId);
      const { port } = await tenant.call('GET', `/ports/${portId}`);
      const [{ ip_address: fixedIP, subnet_id } = {}] = (port as { fixed_ips: readonly Record<string, string>[] })
        .fixed_ips;
      const object = tenant.managed('FloatingIP', 'follows', {
        floatingNetworkRef: 'outside',
        portRef: 'p',
        fixedIP: String(fixedIP),
      });
      const known = { ...range, 'Port/p': portId };
      const { observation } = await tenant.settle(object, await tenant.create(object, known), known);
      await tenant.call('DELETE', `/ports/${portId}`);
      const seen = (await tenant.observe(object, observation.id, known)) as Observation;
      assert.not.ok(seen.resource['portID']);
      const again = await tenant.outside('Port', {
        name: tenant.name('again'),
        network_id: String((port as JsonObject)['network_id']),
        fixed_ips: [{ subnet_id: String(subnet_id), ip_address: String(fixedIP) }],
      });
      const anew = { ...range, 'Port/p': again };
      const followed = await tenant.settle(object, seen, anew);
      assert.equal([followed.passes, followed.observation.resource['portID']], [1, again]);
      assert.is(followed.observation.resource['fixedIP'], fixedIP);
    },
  );

  check('an association that another client has changed stays as it is', async (tenant) => {
    const { networkId, known: range } = await outside(tenant);
    const { portId } = await reachable(tenant, networkId);
    const { port } = await tenant.call('GET', `/ports/${portId}`);
    const { network_id, fixed_ips } = port as { network_id: string; fixed_ips: readonly Record<string, string>[] };
    const [{ ip_address: fixedIP = '', subnet_id = '' } = {}] = fixed_ips;
    const theirs = [{ subnet_id, ip_address: '10.9.0.21' }];
    const other = await tenant.outside('Port', { name: tenant.name('other'), network_id, fixed_ips: theirs });
    const object = tenant.managed('FloatingIP', 'moved', { floatingNetworkRef: 'outside', portRef: 'p', fixedIP });
    const known = { ...range, 'Port/p': portId };
    const { observation } = await tenant.settle(object, await tenant.create(object, known), known);
    await tenant.call('PUT', `/floatingips/${observation.id}`, { floatingip: { port_id: other } });
    const seen = (await tenant.observe(object, observation.id, known)) as Observation;
    const { passes, observation: after } = await tenant.settle(object, seen, known);
    assert.equal([passes, after.resource['portID'], after.resource['fixedIP']], [0, other, '10.9.0.21']);
    // Another address of the port that is asked for is left, too: Neutron takes one only together with the port.
    const two = { port: { fixed_ips: [...fixed_ips, { subnet_id, ip_address: '10.9.0.22' }] } };
    await tenant.call('PUT', `/ports/${portId}`, two);
    const back = { floatingip: { port_id: portId, fixed_ip_address: '10.9.0.22' } };
    await tenant.call('PUT', `/floatingips/${observation.id}`, back);
    const again = (await tenant.observe(object, observation.id, known)) as Observation;
    const settled = await tenant.settle(object, again, known);
    assert.equal([settled.passes, settled.observation.resource['fixedIP']], [0, '10.9.0.22']);
  });

  check('what Neutron says to a floating IP is tried again, but for an address that is taken', async (tenant) => {
    const { networkId, known } = await outside(tenant);
    const inner = await tenant.outside('Network', { name: tenant.name('inside') });
    const range = { name: tenant.name('inner'), network_id: inner, ip_version: 4, cidr: '10.9.0.0/24' };
    await tenant.outside('Subnet', range);
    const port = await tenant.outside('Port', { name: tenant.name('p'), network_id: inner });
    const far = { ...known, 'Port/p': port, 'Network/inside': inner };
    const unreachable = tenant.managed('FloatingIP', 'far', { floatingNetworkRef: 'outside', portRef: 'p' });
    await fails(tenant.create(unreachable, far), 'transient', /not found|not reachable/);
    const internal = tenant.managed('FloatingIP', 'internal', { floatingNetworkRef: 'inside' });
    await fails(tenant.create(internal, far), 'transient', /not a valid external network/);
    const waiting = tenant.managed('FloatingIP', 'waiting', { floatingSubnetRef: 'range' });
    const unpublished = { ...far, 'Subnet/range': { id: networkId, ready: true } };
    await fails(tenant.create(waiting, unpublished), 'transient', /Subnet\/range/);
    const taken = { floatingNetworkRef: 'outside', floatingIP: '198.51.100.80' };
    const first = await tenant.outside('FloatingIP', {
      floating_network_id: networkId,
      floating_ip_address: '198.51.100.80',
    });
    // It is there as if an interrupted create had made it: whose it is has to be found out.
    await fails(tenant.create(tenant.managed('FloatingIP', 'x', taken), known), 'conflict', /is there by now/);
    const { matches } = await tenant
      .operations('FloatingIP')
      .find(tenant.request(tenant.managed('FloatingIP', 'x', taken), known));
    assert.equal(
      matches.map(({ id }) => id),
      [first],
    );
    const others = tenant.managed('FloatingIP', 'taken', { ...taken, projectRef: 'owner' });
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const create = tenant.create(others, { ...known, 'Project/owner': project.id });
    await fails(create, 'terminal', /already allocated/, 'InvalidConfiguration');
  });

  check('an import of a floating IP selects by each of its fields', async (tenant) => {
    const { networkId, known: range } = await outside(tenant);
    const { portId } = await reachable(tenant, networkId);
    const known = { ...range, 'Port/p': portId };
    const id = await tenant.outside('FloatingIP', {
      floating_network_id: networkId,
      floating_ip_address: '198.51.100.81',
      port_id: portId,
      description: tenant.name('mine'),
    });
    await tenant.outside('FloatingIP', { floating_network_id: networkId, description: tenant.name('other') });
    await tenant.call('PUT', `/floatingips/${id}/tags`, { tags: [tenant.name('tag')] });
    const { import: find } = tenant.operations('FloatingIP');
    for (const [filter, isFound] of [
      [{ floatingIP: '198.51.100.81' }, true],
      [{ floatingIP: '198.51.100.99' }, false],
      [{ description: tenant.name('mine') }, true],
      [{ portRef: 'p' }, true],
      [{ floatingNetworkRef: 'outside', portRef: 'p' }, true],
      [{ floatingNetworkRef: 'outside', description: tenant.name('nothing') }, false],
      [{ tags: [tenant.name('tag')] }, true],
    ] as const) {
      const found = await find(tenant.request(tenant.imported('FloatingIP', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const both = tenant.imported('FloatingIP', { filter: { floatingNetworkRef: 'outside' } });
    await fails(find(tenant.request(both, known)), 'terminal', /more than one/, 'InvalidConfiguration');
  });
}
