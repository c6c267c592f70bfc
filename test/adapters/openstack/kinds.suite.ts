// What the operations of the kinds must do, whoever implements the cloud: create, observe, update, remove. What they must
// find is in find.suite.ts.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { Cloud } from '../../world/openstack.ts';
import { checkOn, fails } from '../../world/tenant.ts';
import { describeAddressScopes } from './address-scopes.suite.ts';
import { describeApplicationCredentials } from './application-credentials.suite.ts';
import { describeCatalog } from './catalog-kinds.suite.ts';
import { describeCompute } from './compute.suite.ts';
import { describeFinding } from './find.suite.ts';
import { describeFloatingIPs } from './floating-ips.suite.ts';
import { describeImages } from './images.suite.ts';
import { describePortReferences } from './port-references.suite.ts';
import { describePorts } from './ports.suite.ts';
import { describeRoleAssignments } from './role-assignments.suite.ts';
import { describeRouters } from './routers.suite.ts';
import { describeSecurityGroups } from './security-groups.suite.ts';
import { describeServers } from './servers.suite.ts';
import { describeShareNetworks } from './share-networks.suite.ts';
import { describeTrunks } from './trunks.suite.ts';
import { describeUsers } from './users.suite.ts';
import { describeVolumeTypes } from './volume-types.suite.ts';
import { describeVolumes } from './volumes.suite.ts';

/** Adds the behavior to `test`. `open` opens the cloud for one test. */
export function describeKinds(test: Test, open: () => Promise<Cloud>): void {
  const check = checkOn(test, open);
  describeFinding(check);
  describePorts(check);
  describePortReferences(check);
  describeRouters(check);
  describeSecurityGroups(check);
  describeFloatingIPs(check);
  describeTrunks(check);
  describeImages(check);
  describeAddressScopes(check);
  describeVolumeTypes(check);
  describeVolumes(check);
  describeShareNetworks(check);
  describeCatalog(check);
  describeUsers(check);
  describeRoleAssignments(check);
  describeCompute(check);
  describeServers(check);
  describeApplicationCredentials(check);

  check('a network with every field', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const { extras } = tenant.cloud;
    const object = tenant.managed('Network', 'full', {
      ...extras.Network,
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: false,
      external: true,
      mtu: 1400,
      portSecurityEnabled: false,
      projectRef: 'owner',
      shared: true,
      tags: ['b', 'a'],
    });
    const created = await tenant.create(object, { 'Project/owner': project.id });
    const { passes, observation } = await tenant.settle(object, created);
    const { resource, available, id } = observation;
    assert.is(passes, 1);
    assert.is(available, resource['status'] === 'ACTIVE');
    assert.is(id, created.id);
    const { tags, createdAt, updatedAt, revisionNumber, provider, status, ...rest } = resource;
    assert.equal(tags, ['a', 'b']);
    assert.match(String(createdAt), /^\d{4}-.*Z$/);
    assert.match(String(updatedAt), /^\d{4}-.*Z$/);
    assert.type(revisionNumber, 'number');
    assert.type(status, 'string');
    assert.ok(provider === undefined || typeof provider === 'object');
    assert.equal(rest, {
      ...extras.Network,
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: false,
      external: true,
      mtu: 1400,
      portSecurityEnabled: false,
      projectID: project.id,
      shared: true,
    });
  });

  check("a network with no field has the name of its object, and OpenStack's defaults", async (tenant) => {
    const object = tenant.managed('Network', 'bare');
    const { passes, observation } = await tenant.settle(object, await tenant.create(object));
    assert.is(passes, 0);
    const { name, adminStateUp, shared, external, description, tags, subnets } = observation.resource;
    assert.equal([name, adminStateUp, shared, external], [tenant.name('bare'), true, false, false]);
    assert.equal([description, tags, subnets], [undefined, undefined, undefined]);
    assert.is(observation.available, true);
    assert.is(observation.pollAfterMs, undefined);
  });

  check('each field of a network is updated, and its default restored', async (tenant) => {
    const bare = tenant.managed('Network', 'changing');
    let observation = await tenant.create(bare);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ adminStateUp: false }, 'adminStateUp', false, true],
      [{ shared: true }, 'shared', true, false],
      [{ mtu: 1300 }, 'mtu', 1300, 1300],
      [{ external: true }, 'external', true, true],
      [{ portSecurityEnabled: false }, 'portSecurityEnabled', false, false],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('Network', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await tenant.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
  });

  check('attributes and tags are changed in one pass, extensions or not', async (tenant) => {
    const bare = tenant.managed('Network', 'both');
    const created = await tenant.create(bare);
    const plain = tenant.managed('Network', 'both', { description: 'one', tags: ['a', 'b'] });
    const first = await tenant.settle(plain, created);
    const extended = tenant.managed('Network', 'both', { description: 'two', mtu: 1200, tags: ['b', 'c'] });
    const second = await tenant.settle(extended, first.observation);
    assert.equal([first.passes, second.passes], [1, 1]);
    assert.equal(second.observation.resource['tags'], ['b', 'c']);
    assert.is(second.observation.resource['description'], 'two');
  });

  check('an update on an old revision is refused, and passes after another read', async (tenant) => {
    const object = tenant.managed('Network', 'stale', { description: 'new' });
    const { id } = await tenant.create(tenant.managed('Network', 'stale'));
    const read = (await tenant.observe(object, id)) as Observation;
    await tenant.call('PUT', `/networks/${id}`, { network: { description: 'meanwhile' } });
    const operations = tenant.operations('Network');
    await fails(operations.update({ ...tenant.request(object), observation: read }), 'transient', /./);
    const { observation } = await tenant.settle(object, (await tenant.observe(object, id)) as Observation);
    assert.is(observation.resource['description'], 'new');
  });

  check('what somebody else changed is changed back', async (tenant) => {
    const object = tenant.managed('Network', 'drifting', { description: 'ours', tags: ['ours'] });
    const { observation } = await tenant.settle(object, await tenant.create(object));
    await tenant.call('PUT', `/networks/${observation.id}`, {
      network: { name: 'theirs', description: 'theirs', admin_state_up: false },
    });
    await tenant.call('PUT', `/networks/${observation.id}/tags`, { tags: ['theirs'] });
    const repaired = await tenant.settle(object, (await tenant.observe(object, observation.id)) as Observation);
    const { name, description, adminStateUp, tags } = repaired.observation.resource;
    assert.equal([name, description, adminStateUp, tags], [tenant.name('drifting'), 'ours', true, ['ours']]);
  });

  check('a subnet with every field', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net'));
    const dependencies = { 'Network/net': network.id };
    const object = tenant.managed('Subnet', 'v4', {
      ...tenant.cloud.extras.Subnet,
      networkRef: 'net',
      ipVersion: 4,
      cidr: '192.0.2.0/24',
      description: 'a range',
      allocationPools: [
        { start: '192.0.2.100', end: '192.0.2.120' },
        { start: '192.0.2.10', end: '192.0.2.20' },
      ],
      dnsNameservers: ['192.0.2.3', '192.0.2.2'],
      enableDHCP: false,
      gateway: { type: 'IP', ip: '192.0.2.254' },
      hostRoutes: [{ destination: '198.51.100.0/24', nextHop: '192.0.2.9' }],
      tags: ['range'],
    });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, dependencies));
    const { allocationPools, revisionNumber, projectID, dnsPublishFixedIP, ...rest } = observation.resource;
    assert.is(passes, 1);
    assert.is((allocationPools as unknown[]).length, 2);
    assert.type(revisionNumber, 'number');
    assert.type(dnsPublishFixedIP, 'boolean');
    assert.match(String(projectID), /^[0-9a-f-]{32,36}$/);
    assert.equal(rest, {
      name: tenant.name('v4'),
      networkID: network.id,
      ipVersion: 4,
      cidr: '192.0.2.0/24',
      description: 'a range',
      dnsNameservers: ['192.0.2.3', '192.0.2.2'],
      enableDHCP: false,
      gatewayIP: '192.0.2.254',
      hostRoutes: [{ destination: '198.51.100.0/24', nextHop: '192.0.2.9' }],
      tags: ['range'],
    });
    assert.is(observation.available, true);
  });

  check('a subnet of version 6, however its addresses are spelled', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net6'));
    const object = tenant.managed('Subnet', 'v6', {
      networkRef: 'net6',
      ipVersion: 6,
      cidr: 'FD00:0:0:1::/64',
      gateway: { type: 'IP', ip: 'FD00:0:0:1:0:0:0:1' },
      dnsNameservers: ['2001:DB8:0::1'],
      ipv6: { addressMode: 'slaac', raMode: 'slaac' },
    });
    const { passes, observation } = await tenant.settle(
      object,
      await tenant.create(object, { 'Network/net6': network.id }),
    );
    assert.is(passes, 0);
    const { cidr, gatewayIP, ipv6AddressMode, ipv6RAMode, dnsNameservers } = observation.resource;
    assert.equal([cidr, gatewayIP, dnsNameservers], ['fd00:0:0:1::/64', 'fd00:0:0:1::1', ['2001:db8::1']]);
    assert.equal([ipv6AddressMode, ipv6RAMode], ['slaac', 'slaac']);
    const { matches } = await tenant.operations('Subnet').find(tenant.request(object, { 'Network/net6': network.id }));
    assert.equal(
      matches.map(({ id }) => id),
      [observation.id],
    );
  });

  check('each field of a subnet is updated, or left alone', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net'));
    const fixed = { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' };
    const bare = tenant.managed('Subnet', 'changing', fixed);
    let observation = await tenant.create(bare, { 'Network/net': network.id });
    const gatewayIP = observation.resource['gatewayIP'];
    const pool = { start: '192.0.2.50', end: '192.0.2.60' };
    for (const [change, attribute, expected, restored] of [
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ enableDHCP: false }, 'enableDHCP', false, true],
      [{ dnsNameservers: ['192.0.2.3', '192.0.2.2'] }, 'dnsNameservers', ['192.0.2.3', '192.0.2.2'], undefined],
      [
        { hostRoutes: [{ destination: '198.51.100.0/24', nextHop: '192.0.2.9' }] },
        'hostRoutes',
        [{ destination: '198.51.100.0/24', nextHop: '192.0.2.9' }],
        undefined,
      ],
      [{ allocationPools: [pool] }, 'allocationPools', [pool], [pool]],
      [{ gateway: { type: 'None' } }, 'gatewayIP', '', ''],
      [{ gateway: { type: 'Automatic' } }, 'gatewayIP', '', ''],
      [{ gateway: { type: 'IP', ip: gatewayIP as string } }, 'gatewayIP', gatewayIP, gatewayIP],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('Subnet', 'changing', { ...fixed, ...change }), observation);
      assert.equal(changed.observation.resource[attribute], expected, attribute);
      ({ observation } = await tenant.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
  });

  check('name servers are compared in order, pools and routes are not', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net'));
    const fixed = { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' };
    const pools = [
      { start: '192.0.2.10', end: '192.0.2.20' },
      { start: '192.0.2.30', end: '192.0.2.40' },
    ];
    const routes = ['198.51.100.0/25', '198.51.100.128/25'].map((destination) => ({
      destination,
      nextHop: '192.0.2.9',
    }));
    const servers = ['192.0.2.3', '192.0.2.2'];
    const resource = { ...fixed, allocationPools: pools, hostRoutes: routes, dnsNameservers: servers };
    const object = tenant.managed('Subnet', 'ordered', resource);
    const { observation } = await tenant.settle(object, await tenant.create(object, { 'Network/net': network.id }));
    const turned = { ...resource, allocationPools: [...pools].reverse(), hostRoutes: [...routes].reverse() };
    assert.is((await tenant.settle(tenant.managed('Subnet', 'ordered', turned), observation)).passes, 0);
    const reordered = { ...resource, dnsNameservers: [...servers].reverse() };
    const { passes } = await tenant.settle(tenant.managed('Subnet', 'ordered', reordered), observation);
    assert.is(passes, 1);
  });

  check('an empty list says what an absent one says', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net', { tags: [] }));
    const lists = { allocationPools: [], dnsNameservers: [], hostRoutes: [], tags: [] };
    const resource = { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24', ...lists } as const;
    const object = tenant.managed('Subnet', 'empty', resource);
    const { passes, observation } = await tenant.settle(
      object,
      await tenant.create(object, { 'Network/net': network.id }),
    );
    assert.is(passes, 0);
    assert.is((observation.resource['allocationPools'] as unknown[]).length, 1);
  });

  check('a project with every field, updated and restored', async (tenant) => {
    const domain = await tenant.create(tenant.managed('Domain', 'dom'));
    const dependencies = { 'Domain/dom': domain.id };
    const full = tenant.managed('Project', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      domainRef: 'dom',
      enabled: false,
      tags: ['b', 'a'],
    });
    const created = await tenant.create(full, dependencies);
    const { passes, observation } = await tenant.settle(full, created);
    assert.is(passes, 0);
    const { tags, ...rest } = observation.resource;
    assert.equal(tags, ['a', 'b']);
    assert.equal(rest, { name: tenant.name('renamed'), description: 'all of it', domainID: domain.id, enabled: false });
    const bare = tenant.managed('Project', 'full', { domainRef: 'dom' });
    const restored = await tenant.settle(bare, observation);
    assert.is(restored.passes, 1);
    assert.equal(restored.observation.resource, { name: tenant.name('full'), domainID: domain.id, enabled: true });
  });

  check('a domain, updated and restored', async (tenant) => {
    const full = tenant.managed('Domain', 'full', {
      name: tenant.name('renamed'),
      description: 'reported',
      enabled: false,
    });
    const { passes, observation } = await tenant.settle(full, await tenant.create(full));
    assert.is(passes, 0);
    assert.equal(observation.resource, { name: tenant.name('renamed'), description: 'reported', enabled: false });
    const restored = await tenant.settle(tenant.managed('Domain', 'full'), observation);
    assert.equal(restored.observation.resource, { name: tenant.name('full'), enabled: true });
  });

  check('an enabled domain cannot be deleted, and is tried again', async (tenant) => {
    const object = tenant.managed('Domain', 'enabled');
    const { id } = await tenant.create(object);
    await fails(tenant.operations('Domain').remove({ ...tenant.request(object), id }), 'transient', /./);
  });

  check('a resource is removed once, and a second time without complaint', async (tenant) => {
    const object = tenant.managed('Network', 'doomed');
    const { id } = await tenant.create(object);
    const { remove } = tenant.operations('Network');
    await remove({ ...tenant.request(object), id });
    assert.is(await tenant.observe(object, id), undefined);
    await remove({ ...tenant.request(object), id });
  });

  check('a network in use is not removed, and tried again', async (tenant) => {
    const object = tenant.managed('Network', 'used');
    const { id } = await tenant.create(object);
    await tenant.occupy(id);
    await fails(tenant.operations('Network').remove({ ...tenant.request(object), id }), 'transient', /./);
    assert.ok(await tenant.observe(object, id));
  });

  check('a name that is taken is refused for good, on create and on update', async (tenant) => {
    const object = tenant.managed('Project', 'taken');
    await tenant.create(object);
    // By its tags it is not what an earlier create of this one would have left behind.
    const stranger = tenant.managed('Project', 'taken', { tags: ['other'] });
    const again = tenant.operations('Project').create(tenant.request(stranger));
    await fails(again, 'terminal', /^invalid configuration creating resource: ./, 'InvalidConfiguration');
    const other = await tenant.create(tenant.managed('Domain', 'free'));
    await tenant.create(tenant.managed('Domain', 'occupied'));
    const renamed = tenant.managed('Domain', 'free', { name: tenant.name('occupied') });
    const update = tenant.operations('Domain').update({ ...tenant.request(renamed), observation: other });
    await fails(update, 'terminal', /^invalid configuration updating resource: ./, 'InvalidConfiguration');
  });

  check('what the cloud calls invalid is tried again', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net'));
    const object = tenant.managed('Subnet', 'bad', { networkRef: 'net', ipVersion: 6, cidr: '192.0.2.0/24' });
    await fails(tenant.create(object, { 'Network/net': network.id }), 'transient', /./);
  });

  check('nothing is created on an unknown reference, or for an object that may not', async (tenant) => {
    const object = tenant.managed('Subnet', 'early', { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' });
    await fails(tenant.create(object), 'transient', /Network\/net/);
    const unmanaged = tenant.imported('Network', { filter: { name: 'x' } });
    await fails(tenant.create(unmanaged), 'terminal', /^Not creating unmanaged resource$/);
    const empty = tenant.object('Network', 'empty', { managementPolicy: 'managed' });
    await fails(tenant.create(empty), 'terminal', /^Creation requested, but spec.resource is not set$/);
    assert.equal(await tenant.operations('Network').find(tenant.request(empty)), { matches: [], exact: true });
  });

  check('a malformed resync period is refused on that object alone', async (tenant) => {
    const object = tenant.object('Network', 'odd', { managementPolicy: 'managed', resource: {}, resyncPeriod: 'soon' });
    await fails(tenant.create(object), 'terminal', /resyncPeriod 'soon'/, 'InvalidConfiguration');
    const { id } = await tenant.create(tenant.managed('Network', 'odd'));
    await fails(tenant.observe(object, id), 'terminal', /resyncPeriod/);
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    await tenant.operations('Network').remove({ ...tenant.request(deleted), id });
    assert.is(await tenant.observe(deleted, id), undefined);
  });
}
