// The kinds on the simulated cloud, and what only a simulated cloud can be made to do.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { network } from '../../../adapters/openstack/kinds/network.ts';
import type { Fault } from '../../../adapters/simulated/openstack/mod.ts';
import type { TransientError } from '../../../bus/mod.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Cloud, openCloud } from '../../world/openstack.ts';
import { type Tenant, withTenant } from '../../world/tenant.ts';
import { describeKinds } from './kinds.suite.ts';
import { junction } from './routers.suite.ts';

const test = suite('kinds on the simulator');

const extras = {
  Network: { availabilityZoneHints: ['zone-1'], dnsDomain: 'example.org.' },
  Subnet: { dnsPublishFixedIP: true },
};
const open = async (): Promise<Cloud> => ({
  ...(await openCloud({ simulator: { availabilityZones: ['zone-1'] } })),
  extras,
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `${code} ${message}`;
  }
  return 'nothing failed';
}

describeKinds(test, open);

test('sixty look-ups at once are two lists of networks, and one of projects', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    const objects = Array.from({ length: 60 }, (_, index) => `n${index}`);
    simulator.resetCounts();
    for (const kind of ['Network', 'Project'] as const) {
      const { find } = tenant.operations(kind);
      await Promise.all(objects.map((suffix) => find(tenant.request(tenant.managed(kind, suffix)))));
    }
    const calls = simulator.calls();
    assert.is(calls['network GET /networks'], 2, JSON.stringify(calls));
    assert.is(calls['identity GET /projects'], 1, JSON.stringify(calls));
  }));

test('a tagged network takes a create, its tags and a read; a settled one nothing', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    simulator.resetCounts();
    const object = tenant.managed('Network', 'counted', { tags: ['a'] });
    const { observation } = await tenant.settle(object, await tenant.create(object));
    assert.equal(
      Object.entries(simulator.calls())
        .filter(([key]) => key.startsWith('network'))
        .sort(),
      [
        ['network GET /networks/{id}', 1],
        ['network POST /networks', 1],
        ['network PUT /networks/{id}/tags', 1],
      ],
    );
    simulator.resetCounts();
    await tenant.settle(object, observation);
    assert.equal(simulator.calls(), {});
  }));

for (const [title, fault, expected] of [
  [
    'an exceeded quota passes',
    { status: 409, body: { NeutronError: { type: 'OverQuota', message: 'm', detail: '' } } },
    /^transient .* answered 409: m; a quota is used up, /,
  ],
  [
    'an exceeded quota is named',
    {
      status: 409,
      body: { NeutronError: { type: 'OverQuota', message: "Quota exceeded for resources: ['network'].", detail: '' } },
    },
    /^transient .* answered 409: Quota exceeded for resources: \['network'\]\.; quota 'network' is used up, /,
  ],
  [
    'a conflict does not',
    { status: 409, body: { NeutronError: { type: 'InUse', message: 'm', detail: '' } } },
    /^terminal invalid configuration creating resource: /,
  ],
  ['what is not implemented does not', { status: 501 }, /^terminal invalid configuration creating resource: /],
  ['a bad request may', { status: 400 }, /^transient /],
  ['a refusal for want of rights may', { status: 403 }, /^transient /],
  ['an overloaded service may', { status: 503 }, /^transient /],
  ['a lost connection may', { dropBeforeWork: true }, /^transient /],
  ['garbage may', { garbage: 'oops' }, /^transient /],
  [
    'an answer without a resource may',
    { garbage: '{"network": {"name": "no id"}}' },
    /^transient the answer holds no network with an id/,
  ],
] as const) {
  test(`create: ${title}`, () =>
    withTenant(async (tenant, simulator) => {
      simulator.faults.inject({ match: { service: 'network', method: 'POST' }, times: 9, ...fault });
      assert.match(await codeOf(tenant.create(tenant.managed('Network', 'faulty'))), expected);
    }));
}

test('an update that is only to report names what differs, and writes nothing', () =>
  withTenant(async (tenant, simulator) => {
    const rules = [{ direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4' }] as const;
    for (const [kind, resource, collection, drift, left] of [
      [
        'Network',
        { description: 'mine', tags: ['a'] },
        'networks',
        { description: 'x', tags: ['b'] },
        'description,tags',
      ],
      ['SecurityGroup', { rules }, 'security-groups', {}, 'rules'],
      ['Project', { description: 'mine', enabled: true }, 'projects', { enabled: false }, 'enabled'],
    ] as const) {
      const object = tenant.managed(kind as 'Network', kind, resource as object);
      const { observation } = await tenant.settle(object, await tenant.create(object));
      const report = { ...tenant.request(object), report: true };
      const update = tenant.operations(kind as 'Network').update;
      assert.equal(await update({ ...report, observation }), { changed: false }, kind);
      if (Object.keys(drift).length > 0) simulator.drift.change(collection as 'networks', observation.id, drift);
      else
        for (const { id } of simulator.resources('security_group_rules'))
          simulator.drift.remove('security_group_rules', String(id));
      const seen = (await tenant.observe(object, observation.id)) as Observation;
      simulator.resetCounts();
      const outcome = await update({ ...report, observation: seen });
      assert.equal([outcome.changed, [...(outcome.left ?? [])].sort().join()], [false, left], kind);
      assert.equal(simulator.calls(), {}, kind);
      assert.is((await tenant.update(object, seen)).changed, true, kind);
    }
  }));

test('update: a conflict is terminal, and the tags are replaced nevertheless', () =>
  withTenant(async (tenant, simulator) => {
    const created = await tenant.create(tenant.managed('Network', 'both'));
    const object = tenant.managed('Network', 'both', { description: 'new', tags: ['a'] });
    simulator.faults.inject({ match: { method: 'PUT', path: /\/networks\/[^/]+$/ }, status: 409 });
    const update = tenant.operations('Network').update({ ...tenant.request(object), observation: created });
    assert.match(await codeOf(update), /^terminal invalid configuration updating resource: /);
    assert.equal((await tenant.observe(object, created.id))?.resource['tags'], ['a']);
  }));

test('update: two failures of one pass are both told', () =>
  withTenant(async (tenant, simulator) => {
    const created = await tenant.create(tenant.managed('Network', 'both'));
    const object = tenant.managed('Network', 'both', { description: 'new', tags: ['a'] });
    simulator.faults.inject({ match: { method: 'PUT' }, status: 500, times: 2 });
    const update = tenant.operations('Network').update({ ...tenant.request(object), observation: created });
    assert.match(await codeOf(update), /^transient [^\n]+\n[^\n]+$/);
  }));

for (const [title, run] of [
  ['find', (tenant: Tenant) => tenant.operations('Network').find(tenant.request(tenant.managed('Network', 'n')))],
  [
    'find in Keystone',
    (tenant: Tenant) => tenant.operations('Project').find(tenant.request(tenant.managed('Project', 'n'))),
  ],
  [
    'import',
    (tenant: Tenant) =>
      tenant.operations('Network').import(tenant.request(tenant.imported('Network', { filter: { name: 'n' } }))),
  ],
  ['observe', (tenant: Tenant) => tenant.observe(tenant.managed('Network', 'n'), 'id')],
] as const) {
  test(`a read that fails is never an empty answer: ${title}`, () =>
    withTenant(async (tenant, simulator) => {
      await tenant.session();
      for (const fault of [{ status: 500 }, { status: 409 }, { status: 200, garbage: '{"other": []}' }]) {
        simulator.faults.inject({ match: { method: 'GET' }, ...fault });
        assert.match(await codeOf(run(tenant)), /^transient /);
        simulator.faults.clear();
      }
    }));
}

test('what was created when the connection broke is found afterwards, and may come late (I4)', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Network', 'half');
    simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, dropAfterWork: true });
    const request = tenant.request(object);
    try {
      await tenant.operations('Network').create(request);
      assert.unreachable();
    } catch (error) {
      const { code, inDoubtUntil } = error as TransientError;
      assert.equal([code, inDoubtUntil], ['transient', request.deadlineAt + 30_000]);
    }
    const { find } = tenant.operations('Network');
    const { matches, exact, intended } = await find(tenant.request(object));
    assert.equal([matches.length, exact, intended], [1, true, undefined]);
    const intent = network.intent?.(tenant.request(object));
    assert.ok(intent);
    assert.ok(
      (await find({ ...tenant.request(object), intents: [intent] })).intended,
      'it is what was asked for (EXTERNAL-RESOURCE-9)',
    );
  }));

/** As the API server shows it once its user has deleted it. */
const deleted = (object: KubeObject, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    generation: 2,
    creationTimestamp: new Date(Date.now() - 60_000).toISOString(),
    deletionTimestamp: new Date().toISOString(),
    ...more,
  },
});

test('33.A1: a deletion takes for its own what is as its create asked for, and leaves what differs (EXTERNAL-RESOURCE-9)', () =>
  withTenant(async (tenant) => {
    const object = tenant.managed('Network', 'doubt', { description: 'mine', mtu: 1400 });
    const { find } = tenant.operations('Network');
    const foreign = await Promise.all(
      [
        { description: 'theirs', mtu: 1400 },
        { description: 'mine', mtu: 1300 },
        { description: 'mine', mtu: 1400, shared: true },
        { description: 'mine', mtu: 1400, dns_domain: '', admin_state_up: false },
      ].map((attributes) => tenant.outside('Network', { name: tenant.name('doubt'), ...attributes })),
    );
    assert.is((await find(tenant.request(object))).matches.length, 4, 'one that lives adopts by name');
    const { matches, unlike, exact } = await find(tenant.request(deleted(object)));
    assert.equal([matches, exact], [[], true]);
    const reasons = ['description', 'mtu', 'shared', 'adminStateUp'].map(
      (field) => `spec.resource.${field} is another`,
    );
    assert.equal(unlike?.toSorted(), foreign.map((id, index) => `${id}: ${reasons[index]}`).toSorted());
    // A create that was not answered has landed.
    const own = await tenant.create(object);
    const found = await find(tenant.request(deleted(object)));
    assert.equal(
      found.matches.map(({ id }) => id),
      [own.id],
      'of several that have the name the own one is known',
    );
    assert.is(found.unlike?.length, 4);
  }));

test('33.A1: what is known to be older than a deleted object is not what its create made (EXTERNAL-RESOURCE-9)', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Network', 'old');
    const { find } = tenant.operations('Network');
    const { id } = await tenant.create(object);
    const timesOf = (name: string) => simulator.resources('networks').find((each) => each['id'] === id)?.[name];
    const madeAt = Date.parse(String(timesOf('created_at')));
    const after = (ms: number) => deleted(object, { creationTimestamp: new Date(madeAt + ms).toISOString() });
    assert.equal((await find(tenant.request(after(301_000)))).unlike, [
      `${id}: it was there before Network/${object.metadata.name}`,
    ]);
    assert.is((await find(tenant.request(after(299_000)))).matches.length, 1, 'clocks differ');
  }));

test('33.A1: what was made before an edit is removed with its object, and not left for the edit (I4)', () =>
  withTenant(async (tenant) => {
    const object = tenant.managed('Network', 'edited', { description: 'first' });
    const { id } = await tenant.create(object);
    const edited = deleted(tenant.managed('Network', 'edited', { description: 'second' }), { generation: 3 });
    const { matches } = await tenant.operations('Network').find(tenant.request(edited));
    assert.equal(
      matches.map((match) => match.id),
      [id],
    );
  }));

test('what an earlier create of the same object took is no refusal for ever: it is looked for again (I4, EXTERNAL-RESOURCE-8)', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Network', 'half');
    const creates = { method: 'POST', path: /\/networks$/ };
    simulator.faults.inject({ match: creates, dropAfterWork: true });
    assert.match(await codeOf(tenant.create(object)), /^transient /);
    const conflict = { type: 'IpAddressAlreadyAllocated', message: 'taken', detail: '' };
    simulator.faults.inject({ match: creates, status: 409, body: { NeutronError: conflict } });
    assert.match(await codeOf(tenant.create(object)), /^conflict /);
    const { matches } = await tenant.operations('Network').find(tenant.request(object));
    assert.equal(
      simulator.resources('networks').map((network) => network['id']),
      matches.map(({ id }) => id),
    );
  }));

test('a create that was not answered is not repeated soon: a busy cloud may yet do it (I4, P10)', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, delayMs: 2_000, dropBeforeWork: true });
    const request = tenant.request(tenant.managed('Network', 'late'));
    const deadlineAt = request.deadlineAt - 59_800;
    try {
      await tenant.operations('Network').create({ ...request, deadlineAt });
      assert.unreachable();
    } catch (error) {
      const { code, message, inDoubtUntil } = error as TransientError;
      assert.match(message, /was not answered by its deadline$/);
      assert.equal([code, inDoubtUntil], ['transient', deadlineAt + 30_000]);
    }
  }));

test('a create that was answered with anything but the resource may be done yet (I4, P10)', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    for (const garbage of ['', '{}', '{"network": {"name": "odd"}}', '{"status": "accepted"}', '<html>']) {
      simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, status: 202, garbage });
      const request = tenant.request(tenant.managed('Network', 'odd'));
      try {
        await tenant.operations('Network').create(request);
        assert.unreachable();
      } catch (error) {
        const { code, inDoubtUntil } = error as TransientError;
        assert.equal([code, inDoubtUntil], ['transient', request.deadlineAt + 30_000], garbage);
      }
      simulator.faults.clear();
    }
  }));

test('an interface that was not answered may be plugged in yet: nobody would know of it (I4)', () =>
  withTenant(async (tenant, simulator) => {
    const { plug, known } = await junction(tenant, 1);
    const faults: readonly Fault[] = [{ dropBeforeWork: true }, { status: 504 }, { status: 200, garbage: '{}' }];
    for (const fault of faults) {
      simulator.faults.inject({ match: { method: 'PUT', path: /add_router_interface$/ }, ...fault });
      const request = tenant.request(plug(0), known);
      try {
        await tenant.operations('RouterInterface').create(request);
        assert.unreachable();
      } catch (error) {
        const { message, inDoubtUntil } = error as TransientError;
        assert.match(message, /^adding router interface: /);
        assert.is(inDoubtUntil, request.deadlineAt + 30_000, JSON.stringify(fault));
      }
      simulator.faults.clear();
    }
  }));

test('how long to wait is passed on', () =>
  withTenant(async (tenant, simulator) => {
    await tenant.session();
    simulator.faults.inject({
      match: { method: 'POST', path: /\/networks$/ },
      status: 429,
      headers: { 'retry-after': '7' },
      times: 9,
    });
    try {
      await tenant.create(tenant.managed('Network', 'later'));
      assert.unreachable();
    } catch (error) {
      assert.is((error as { readonly retryAfterMs?: number }).retryAfterMs, 7_000);
    }
  }));

test('a network that is being built is looked at again; one that is down is not', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Network', 'slow');
    const { id } = await tenant.create(object);
    simulator.drift.change('networks', id, { status: 'BUILD' });
    const building = await tenant.observe(object, id);
    simulator.drift.change('networks', id, { status: 'DOWN' });
    const down = await tenant.observe(object, id);
    assert.equal([building?.available, building?.pollAfterMs], [false, 1_000]);
    assert.equal([down?.available, down?.pollAfterMs], [false, undefined]);
  }));

test('what the cloud returns is stored as it is, as far as the schema can hold it (I10)', () =>
  withTenant(async (tenant, simulator) => {
    const object = tenant.managed('Network', 'odd');
    const { id } = await tenant.create(object);
    simulator.drift.change('networks', id, {
      name: 'with, comma',
      description: null,
      mtu: null,
      status: 'SOMETHING_NEW',
      availability_zone_hints: null,
      dns_domain: 'not a domain!',
      project_id: 'x'.repeat(2_000),
      'provider:network_type': 'vxlan',
      'provider:physical_network': null,
      'provider:segmentation_id': 'many',
      subnets: Array.from({ length: 300 }, (_, index) => `s${index}`),
    });
    const { resource } = (await tenant.observe(object, id)) as Observation;
    const { name, description, mtu, status, availabilityZoneHints, dnsDomain, projectID, provider, subnets } = resource;
    assert.equal([name, status, dnsDomain], ['with, comma', 'SOMETHING_NEW', 'not a domain!']);
    assert.equal([description, availabilityZoneHints], [undefined, undefined]);
    assert.equal([mtu, projectID], [0, '']);
    assert.equal(provider, { networkType: 'vxlan', physicalNetwork: '' });
    assert.ok(subnets === undefined || (subnets as unknown[]).length === 256);
  }));

test.run();
