// What the operations of routers and of their interfaces must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, type Dependencies, fails, foundNothing, type Tenant } from '../../world/tenant.ts';

const ABSENT_ID = '00000000-0000-4000-8000-000000000000';

/** A router and `count` subnets, and the interfaces between them. */
export async function junction(
  tenant: Tenant,
  count: number,
): Promise<{
  readonly routerId: string;
  readonly subnetIds: readonly string[];
  plug(index: number): KubeObject;
  readonly known: Dependencies;
}> {
  const network_id = await tenant.outside('Network', { name: tenant.name('net') });
  const subnetIds: string[] = [];
  for (let index = 0; index < count; index++) {
    const attributes = { name: tenant.name(`s${index}`), network_id, ip_version: 4, cidr: `10.${index}.0.0/24` };
    subnetIds.push(await tenant.outside('Subnet', attributes));
  }
  const routerId = await tenant.outside('Router', { name: tenant.name('router') });
  const cloudCredentialsRef = { secretName: 'credentials', cloudName: tenant.cloud.cloudName };
  return {
    routerId,
    subnetIds,
    plug: (index) => ({
      ...tenant.object('Router', `plug-${index}`, {}),
      kind: 'RouterInterface',
      spec: { type: 'Subnet', routerRef: 'router', subnetRef: `s${index}` },
    }),
    known: {
      'Router/router': { id: routerId, ready: true, attributes: { cloudCredentialsRef } },
      ...Object.fromEntries(subnetIds.map((id, index) => [`Subnet/s${index}`, id])),
    },
  };
}

export function describeRouters(check: Check): void {
  check('a router with every field', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const network = await tenant.outside('Network', { name: tenant.name('outside'), 'router:external': true });
    const known = { 'Project/owner': project.id, 'Network/outside': network };
    const object = tenant.managed('Router', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: false,
      distributed: true,
      externalGateways: [{ networkRef: 'outside' }],
      projectRef: 'owner',
      tags: ['b', 'a'],
    });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    const { tags, ...rest } = observation.resource;
    assert.is(passes, 1);
    assert.equal(tags, ['a', 'b']);
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: false,
      externalGateways: [{ networkID: network }],
      projectID: project.id,
      status: 'ACTIVE',
    });
    const { router } = await tenant.call('GET', `/routers/${observation.id}`);
    assert.is((router as JsonObject)['distributed'], true);
    assert.equal([observation.available, observation.pollAfterMs], [true, undefined]);
    const gateway = tenant
      .operations('Network')
      .remove({ ...tenant.request(tenant.managed('Network', 'x')), id: network });
    await fails(gateway, 'transient', /./);
  });

  check('a router with no field, and each field updated and restored', async (tenant) => {
    const bare = tenant.managed('Router', 'changing');
    let { passes, observation } = await tenant.settle(bare, await tenant.create(bare));
    assert.is(passes, 0);
    const { projectID, ...rest } = observation.resource;
    assert.type(projectID, 'string');
    assert.equal(rest, { name: tenant.name('changing'), adminStateUp: true, status: 'ACTIVE' });
    assert.is(observation.attributes['external_gateway_info'], null);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ adminStateUp: false }, 'adminStateUp', false, true],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('Router', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await tenant.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
  });

  check('an update of a router names the revision that was read', async (tenant) => {
    const { id } = await tenant.create(tenant.managed('Router', 'stale'));
    const object = tenant.managed('Router', 'stale', { description: 'ours' });
    const read = (await tenant.observe(object, id)) as Observation;
    await tenant.call('PUT', `/routers/${id}`, { router: { description: 'meanwhile' } });
    await fails(tenant.update(object, read), 'transient', /./);
    const { observation } = await tenant.settle(object, (await tenant.observe(object, id)) as Observation);
    assert.is(observation.resource['description'], 'ours');
  });

  check(
    'what Neutron says to a router: a network that is inside, a zone that it does not know, a quota',
    async (tenant) => {
      const inside = { 'Network/net': await tenant.outside('Network', { name: tenant.name('inside') }) };
      const gateway = tenant.managed('Router', 'wrong', { externalGateways: [{ networkRef: 'net' }] });
      await fails(tenant.create(gateway, inside), 'transient', /not an external network/);
      await fails(tenant.create(gateway), 'transient', /Network\/net/);
      const zone = tenant.managed('Router', 'zone', { availabilityZoneHints: ['no-such-zone'] });
      await fails(tenant.create(zone), 'transient', /./);
      const project = await tenant.create(tenant.managed('Project', 'poor'));
      await tenant.limit(project.id, { router: 0 });
      const poor = tenant.managed('Router', 'poor', { projectRef: 'poor' });
      await fails(tenant.create(poor, { 'Project/poor': project.id }), 'transient', /OverQuota|Quota exceeded/);
    },
  );

  check('an import of a router: by id, and by each field of a filter', async (tenant) => {
    const name = tenant.name('wanted');
    const project_id = tenant.name('project');
    const id = await tenant.outside('Router', { name, description: 'reported', project_id });
    await tenant.call('PUT', `/routers/${id}/tags`, { tags: ['a', 'b'] });
    await tenant.outside('Router', { name });
    const { import: find } = tenant.operations('Router');
    assert.is((await find(tenant.request(tenant.imported('Router', { id }))))?.id, id);
    const unknown = find(tenant.request(tenant.imported('Router', { id: ABSENT_ID })));
    await fails(unknown, 'terminal', /^referenced resource does not exist in OpenStack$/, 'UnrecoverableError');
    for (const [filter, isFound] of [
      [{ name, description: 'reported' }, true],
      [{ name, description: 'other' }, false],
      [{ name, projectRef: 'p' }, true],
      [{ name, tags: ['a', 'b'] }, true],
      [{ name, tagsAny: ['a', 'c'] }, true],
      [{ name, tags: ['a', 'c'] }, false],
      [{ projectRef: 'p', notTagsAny: ['c'] }, true],
      [{ projectRef: 'p', notTags: ['a', 'b'] }, false],
    ] as const) {
      const object = tenant.imported('Router', { filter });
      const found = await find(tenant.request(object, { 'Project/p': project_id }));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const several = find(tenant.request(tenant.imported('Router', { filter: { name } })));
    await fails(several, 'terminal', /^found more than one matching OpenStack resource during import$/);
  });

  check('what an interrupted create of a router left behind is found by name, project and kind', async (tenant) => {
    const name = tenant.name('lost');
    const object = tenant.managed('Router', 'lost', { description: 'of no account' });
    const { find } = tenant.operations('Router');
    foundNothing(await find(tenant.request(object)));
    const id = await tenant.outside('Router', { name });
    await tenant.outside('Router', { name: `${name}-too` });
    const idsOf = async (resource: Parameters<typeof tenant.managed<'Router'>>[2]): Promise<string[]> => {
      const known = { 'Project/p': tenant.name('project') };
      const request = tenant.request(tenant.managed('Router', 'lost', resource), known);
      return (await find(request)).matches.map((match) => match.id);
    };
    assert.equal(await idsOf({}), [id]);
    assert.equal(await idsOf({ distributed: false }), [id]);
    assert.equal(await idsOf({ distributed: true }), []);
    assert.equal(await idsOf({ projectRef: 'p' }), []);
  });

  check('a router refers to its networks and its project, and publishes its credentials', async (tenant) => {
    const resource = { projectRef: 'p', externalGateways: [{ networkRef: 'outside' }] };
    const object = tenant.managed('Router', 'refs', resource);
    const guard = ['openstack.k-orc.cloud/router'];
    assert.equal(
      tenant
        .kind('Router')
        .references(object)
        .map(({ kind, name, finalizers }) => [kind, name, finalizers]),
      [
        ['Secret', 'credentials', guard],
        ['Network', 'outside', guard],
        ['Project', 'p', guard],
      ],
    );
    const cloudCredentialsRef = { secretName: 'credentials', cloudName: tenant.cloud.cloudName };
    assert.equal(tenant.kind('Router').publicState(object).attributes, { cloudCredentialsRef });
  });

  check('an interface is made once, found again, looked at and taken off', async (tenant) => {
    const { routerId, subnetIds, plug, known } = await junction(tenant, 1);
    const object = plug(0);
    const { find, create, observe, update, remove } = tenant.operations('RouterInterface');
    const request = tenant.request(object, known);
    foundNothing(await find(request));
    const created = await create(request);
    assert.equal([created.available, created.resource], [false, {}]);
    // Neutron refuses a second one; the next look finds the first.
    await fails(create(request), 'transient', /^adding router interface: /);
    const { matches, exact } = await find(request);
    assert.equal([matches.map(({ id }) => id), exact], [[created.id], true]);
    assert.is((await update({ ...request, observation: created })).changed, true);
    const observed = (await observe({ ...request, id: created.id })) as Observation;
    assert.equal([observed.id, observed.available, observed.pollAfterMs], [created.id, true, undefined]);
    assert.equal(await update({ ...request, observation: observed }), { changed: false });
    const [port] = await tenant.list('ports', `device_id=${routerId}`);
    assert.equal(
      [port?.['device_owner'], port?.['fixed_ips']],
      ['network:router_interface', [{ subnet_id: subnetIds[0] as string, ip_address: '10.0.0.1' }]],
    );
    const router = tenant.managed('Router', 'router');
    await fails(tenant.operations('Router').remove({ ...tenant.request(router), id: routerId }), 'transient', /./);
    await remove({ ...request, id: created.id });
    assert.is(await observe({ ...request, id: created.id }), undefined);
    foundNothing(await find(request));
    await remove({ ...request, id: created.id });
  });

  check('an interface that others made is taken as it is, and ports of other kinds are none', async (tenant) => {
    const { routerId, subnetIds, plug, known } = await junction(tenant, 2);
    const [network] = await tenant.list('subnets', `id=${subnetIds[1]}`);
    const [subnet_id = ''] = subnetIds;
    const odd = { network_id: network?.['network_id'] ?? null, device_id: routerId, device_owner: 'compute:odd' };
    await tenant.outside('Port', { ...odd, fixed_ips: [{ subnet_id: subnetIds[1] as string }] });
    const { port_id: id } = await tenant.call('PUT', `/routers/${routerId}/add_router_interface`, { subnet_id });
    const { find } = tenant.operations('RouterInterface');
    const idsOf = async (index: number): Promise<readonly string[]> =>
      (await find(tenant.request(plug(index), known))).matches.map((match) => match.id);
    assert.equal(await idsOf(0), [id]);
    assert.equal(await idsOf(1), []);
    const port = await tenant.list('ports', 'device_owner=compute:odd');
    for (const { id: odd } of port)
      await tenant.call('PUT', `/ports/${odd}`, { port: { device_id: '', device_owner: '' } });
  });

  check('what an interface cannot be made for is tried again, and says what was done', async (tenant) => {
    const { plug, known, subnetIds } = await junction(tenant, 1);
    const { create, remove } = tenant.operations('RouterInterface');
    await tenant.call('PUT', `/subnets/${subnetIds[0]}`, { subnet: { gateway_ip: null } });
    const request = tenant.request(plug(0), known);
    await fails(create(request), 'transient', /^adding router interface: .*must have a gateway IP/);
    await fails(
      create(tenant.request(plug(0), { 'Router/router': known['Router/router'] ?? '' })),
      'transient',
      /Subnet\/s0/,
    );
    const nameless = { ...known, 'Router/router': { id: ABSENT_ID, ready: true } };
    await fails(create(tenant.request(plug(0), nameless)), 'transient', /names no credentials/);
    await remove({ ...request, id: ABSENT_ID });
  });

  check('an interface refers to its router and its subnet to the end', async (tenant) => {
    const { plug } = await junction(tenant, 1);
    const guard = ['openstack.k-orc.cloud/routerinterface'];
    const kind = tenant.kind('RouterInterface');
    const reported = (object: KubeObject): unknown =>
      kind.references(object).map(({ kind, name, finalizers, neededFor }) => [kind, name, finalizers, neededFor]);
    assert.equal(reported(plug(0)), [
      ['Router', 'router', guard, 'always'],
      ['Subnet', 's0', guard, 'always'],
    ]);
    const ownerReferences = [{ kind: 'Subnet', name: 's0', uid: 'uid' }];
    const own = { ...plug(0), metadata: { ...plug(0).metadata, ownerReferences } };
    assert.equal(reported(own), [
      ['Router', 'router', guard, 'always'],
      ['Subnet', 's0', [], 'always'],
    ]);
    const resource = { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' } as const;
    const routed = tenant.managed('Subnet', 'sub', { ...resource, routerRef: 'router' });
    const name = `${tenant.name('sub')}-subnet`;
    const content = { spec: { type: 'Subnet', routerRef: 'router', subnetRef: tenant.name('sub') } };
    assert.equal(tenant.kind('Subnet').children(routed), [
      { kind: 'RouterInterface', name, content, onDrift: 'replace' },
    ]);
    assert.equal(tenant.kind('Subnet').children(tenant.managed('Subnet', 'sub', resource)), []);
  });
}
