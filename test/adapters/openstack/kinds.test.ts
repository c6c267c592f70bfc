// waits
// The kinds on the simulated cloud, and what only a simulated cloud can be made to do.
// limit: 180 s
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/sessions.ts';
import {
  type Fault,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../adapters/openstack/simulator/mod.ts';
import type { TransientError } from '../../../bus/mod.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { describeKinds } from './kinds.suite.ts';
import { junction } from './routers.suite.ts';
import { type Cloud, Scene } from './scene.ts';

const test = suite('kinds on the simulator');

async function open(options: Partial<SimulatorOptions> = {}): Promise<Cloud & { readonly simulator: Simulator }> {
  const clock = systemClock();
  const simulator = await startSimulator({ clock, availabilityZones: ['zone-1'], ...options });
  const data = { 'clouds.yaml': Buffer.from(simulator.cloudsYaml('test')).toString('base64') };
  const sessions = openStackSessions({
    clock,
    version: '0',
    readSecret: async () => ({ uid: 'uid', resourceVersion: '1', data }),
  });
  return {
    simulator,
    sessions,
    clock,
    cloudName: 'test',
    extras: {
      Network: { availabilityZoneHints: ['zone-1'], dnsDomain: 'example.org.' },
      Subnet: { dnsPublishFixedIP: true },
    },
    imageId: async () =>
      simulator.drift.add('images', { id: '5f0e3b3a-0a53-4f0c-9a5e-2f3f4a1c7d10', name: 'test', status: 'active' }),
    async close() {
      await sessions.close();
      await simulator.close();
    },
  };
}

async function withScene(run: (scene: Scene, simulator: Simulator) => Promise<void>): Promise<void> {
  const cloud = await open();
  try {
    await run(new Scene(cloud), cloud.simulator);
  } finally {
    await cloud.close();
  }
}

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
  withScene(async (scene, simulator) => {
    await scene.session();
    const objects = Array.from({ length: 60 }, (_, index) => `n${index}`);
    simulator.resetCounts();
    for (const kind of ['Network', 'Project'] as const) {
      const { find } = scene.operations(kind);
      await Promise.all(objects.map((suffix) => find(scene.request(scene.managed(kind, suffix)))));
    }
    const calls = simulator.calls();
    assert.is(calls['network GET /networks'], 2, JSON.stringify(calls));
    assert.is(calls['identity GET /projects'], 1, JSON.stringify(calls));
  }));

test('a tagged network takes a create, its tags and a read; a settled one nothing', () =>
  withScene(async (scene, simulator) => {
    await scene.session();
    simulator.resetCounts();
    const object = scene.managed('Network', 'counted', { tags: ['a'] });
    const { observation } = await scene.settle(object, await scene.create(object));
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
    await scene.settle(object, observation);
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
  ['a lost connection may (Q6)', { dropBeforeWork: true }, /^transient /],
  ['garbage may', { garbage: 'oops' }, /^transient /],
  [
    'an answer without a resource may',
    { garbage: '{"network": {"name": "no id"}}' },
    /^transient the answer holds no network with an id/,
  ],
] as const) {
  test(`create: ${title}`, () =>
    withScene(async (scene, simulator) => {
      simulator.faults.inject({ match: { service: 'network', method: 'POST' }, times: 9, ...fault });
      assert.match(await codeOf(scene.create(scene.managed('Network', 'faulty'))), expected);
    }));
}

test('an update that is only to report names what differs, and writes nothing', () =>
  withScene(async (scene, simulator) => {
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
      const object = scene.managed(kind as 'Network', kind, resource as object);
      const { observation } = await scene.settle(object, await scene.create(object));
      const report = { ...scene.request(object), report: true };
      const update = scene.operations(kind as 'Network').update;
      assert.equal(await update({ ...report, observation }), { changed: false }, kind);
      if (Object.keys(drift).length > 0) simulator.drift.change(collection as 'networks', observation.id, drift);
      else
        for (const { id } of simulator.resources('security_group_rules'))
          simulator.drift.remove('security_group_rules', String(id));
      const seen = (await scene.observe(object, observation.id)) as Observation;
      simulator.resetCounts();
      const outcome = await update({ ...report, observation: seen });
      assert.equal([outcome.changed, [...(outcome.left ?? [])].sort().join()], [false, left], kind);
      assert.equal(simulator.calls(), {}, kind);
      assert.is((await scene.update(object, seen)).changed, true, kind);
    }
  }));

test('update: a conflict is terminal, and the tags are replaced nevertheless', () =>
  withScene(async (scene, simulator) => {
    const created = await scene.create(scene.managed('Network', 'both'));
    const object = scene.managed('Network', 'both', { description: 'new', tags: ['a'] });
    simulator.faults.inject({ match: { method: 'PUT', path: /\/networks\/[^/]+$/ }, status: 409 });
    const update = scene.operations('Network').update({ ...scene.request(object), observation: created });
    assert.match(await codeOf(update), /^terminal invalid configuration updating resource: /);
    assert.equal((await scene.observe(object, created.id))?.resource['tags'], ['a']);
  }));

test('update: two failures of one pass are both told', () =>
  withScene(async (scene, simulator) => {
    const created = await scene.create(scene.managed('Network', 'both'));
    const object = scene.managed('Network', 'both', { description: 'new', tags: ['a'] });
    simulator.faults.inject({ match: { method: 'PUT' }, status: 500, times: 2 });
    const update = scene.operations('Network').update({ ...scene.request(object), observation: created });
    assert.match(await codeOf(update), /^transient [^\n]+\n[^\n]+$/);
  }));

for (const [title, run] of [
  ['find', (scene: Scene) => scene.operations('Network').find(scene.request(scene.managed('Network', 'n')))],
  [
    'find in Keystone',
    (scene: Scene) => scene.operations('Project').find(scene.request(scene.managed('Project', 'n'))),
  ],
  [
    'import',
    (scene: Scene) =>
      scene.operations('Network').import(scene.request(scene.imported('Network', { filter: { name: 'n' } }))),
  ],
  ['observe', (scene: Scene) => scene.observe(scene.managed('Network', 'n'), 'id')],
] as const) {
  test(`a read that fails is never an empty answer: ${title} (Q5)`, () =>
    withScene(async (scene, simulator) => {
      await scene.session();
      for (const fault of [{ status: 500 }, { status: 409 }, { status: 200, garbage: '{"other": []}' }]) {
        simulator.faults.inject({ match: { method: 'GET' }, ...fault });
        assert.match(await codeOf(run(scene)), /^transient /);
        simulator.faults.clear();
      }
    }));
}

test('what was created when the connection broke is found afterwards, and may come late (I4)', () =>
  withScene(async (scene, simulator) => {
    const object = scene.managed('Network', 'half');
    simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, dropAfterWork: true });
    const request = scene.request(object);
    try {
      await scene.operations('Network').create(request);
      assert.unreachable();
    } catch (error) {
      const { code, landedBy } = error as TransientError;
      assert.equal([code, landedBy], ['transient', request.deadlineAt + 30_000]);
    }
    const { matches, exact } = await scene.operations('Network').find(scene.request(object));
    assert.equal([matches.length, exact], [1, true]);
  }));

test('what an earlier create of the same object took is no refusal for ever: it is looked for again (I4, M8)', () =>
  withScene(async (scene, simulator) => {
    const object = scene.managed('Network', 'half');
    const creates = { method: 'POST', path: /\/networks$/ };
    simulator.faults.inject({ match: creates, dropAfterWork: true });
    assert.match(await codeOf(scene.create(object)), /^transient /);
    const conflict = { type: 'IpAddressAlreadyAllocated', message: 'taken', detail: '' };
    simulator.faults.inject({ match: creates, status: 409, body: { NeutronError: conflict } });
    assert.match(await codeOf(scene.create(object)), /^conflict /);
    const { matches } = await scene.operations('Network').find(scene.request(object));
    assert.equal(
      simulator.resources('networks').map((network) => network['id']),
      matches.map(({ id }) => id),
    );
  }));

test('a create that was not answered is not repeated soon: a busy cloud may yet do it (I4, P10)', () =>
  withScene(async (scene, simulator) => {
    await scene.session();
    simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, delayMs: 2_000, dropBeforeWork: true });
    const request = scene.request(scene.managed('Network', 'late'));
    const deadlineAt = systemClock().now() + 200;
    try {
      await scene.operations('Network').create({ ...request, deadlineAt });
      assert.unreachable();
    } catch (error) {
      const { code, message, landedBy } = error as TransientError;
      assert.match(message, /was not answered by its deadline$/);
      assert.equal([code, landedBy], ['transient', deadlineAt + 30_000]);
    }
  }));

test('a create that was answered with anything but the resource may be done yet (I4, P10)', () =>
  withScene(async (scene, simulator) => {
    await scene.session();
    for (const garbage of ['', '{}', '{"network": {"name": "odd"}}', '{"status": "accepted"}', '<html>']) {
      simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, status: 202, garbage });
      const request = scene.request(scene.managed('Network', 'odd'));
      try {
        await scene.operations('Network').create(request);
        assert.unreachable();
      } catch (error) {
        const { code, landedBy } = error as TransientError;
        assert.equal([code, landedBy], ['transient', request.deadlineAt + 30_000], garbage);
      }
      simulator.faults.clear();
    }
  }));

test('an interface that was not answered may be plugged in yet: nobody would know of it (I4)', () =>
  withScene(async (scene, simulator) => {
    const { plug, known } = await junction(scene, 1);
    const faults: readonly Fault[] = [{ dropBeforeWork: true }, { status: 504 }, { status: 200, garbage: '{}' }];
    for (const fault of faults) {
      simulator.faults.inject({ match: { method: 'PUT', path: /add_router_interface$/ }, ...fault });
      const request = scene.request(plug(0), known);
      try {
        await scene.operations('RouterInterface').create(request);
        assert.unreachable();
      } catch (error) {
        const { message, landedBy } = error as TransientError;
        assert.match(message, /^adding router interface: /);
        assert.is(landedBy, request.deadlineAt + 30_000, JSON.stringify(fault));
      }
      simulator.faults.clear();
    }
  }));

test('how long to wait is passed on', () =>
  withScene(async (scene, simulator) => {
    await scene.session();
    simulator.faults.inject({
      match: { method: 'POST', path: /\/networks$/ },
      status: 429,
      headers: { 'retry-after': '7' },
      times: 9,
    });
    try {
      await scene.create(scene.managed('Network', 'later'));
      assert.unreachable();
    } catch (error) {
      assert.is((error as { readonly retryAfterMs?: number }).retryAfterMs, 7_000);
    }
  }));

test('a network that is being built is looked at again; one that is down is not (Q2)', () =>
  withScene(async (scene, simulator) => {
    const object = scene.managed('Network', 'slow');
    const { id } = await scene.create(object);
    simulator.drift.change('networks', id, { status: 'BUILD' });
    const building = await scene.observe(object, id);
    simulator.drift.change('networks', id, { status: 'DOWN' });
    const down = await scene.observe(object, id);
    assert.equal([building?.available, building?.pollAfterMs], [false, 1_000]);
    assert.equal([down?.available, down?.pollAfterMs], [false, undefined]);
  }));

test('what the cloud returns is stored as it is, as far as the schema can hold it (I10)', () =>
  withScene(async (scene, simulator) => {
    const object = scene.managed('Network', 'odd');
    const { id } = await scene.create(object);
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
    const { resource } = (await scene.observe(object, id)) as Observation;
    const { name, description, mtu, status, availabilityZoneHints, dnsDomain, projectID, provider, subnets } = resource;
    assert.equal([name, status, dnsDomain], ['with, comma', 'SOMETHING_NEW', 'not a domain!']);
    assert.equal([description, availabilityZoneHints], [undefined, undefined]);
    assert.equal([mtu, projectID], [0, '']);
    assert.equal(provider, { networkType: 'vxlan', physicalNetwork: '' });
    assert.ok(subnets === undefined || (subnets as unknown[]).length === 256);
  }));

test.run();
