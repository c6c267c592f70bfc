import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { HttpError } from '../../../adapters/openstack/client/session.ts';
import {
  formatAddress,
  formatPrefix,
  overlap,
  parseAddress,
  parsePrefix,
} from '../../../adapters/simulated/openstack/addresses.ts';
import { type ServedCall, startSimulator } from '../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { simulatedClock } from '../../world/clock.ts';
import { type SimulatedCloud, withCloud } from '../../world/openstack.ts';
import { fc } from '../../world/properties.ts';
import { rejection } from '../../world/rejection.ts';

const test = suite('simulated cloud');

function idOf(body: JsonObject, key: string): string {
  return String((body[key] as JsonObject)['id']);
}

test('a connection that drops before the work leaves nothing behind, one that drops after it does', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    const create = call('POST /networks', { body: { network: { name: 'n' } } });
    const before = simulator.faults.inject({ match: { method: 'POST', path: /^\/networks$/ }, dropBeforeWork: true });
    await rejection(session.call(create));
    assert.is(before.hits, 1);
    assert.is(simulator.resources('networks').length, 0);
    simulator.faults.inject({ match: { method: 'POST', path: /^\/networks$/ }, dropAfterWork: true });
    await rejection(session.call(create));
    assert.is(simulator.resources('networks').length, 1);
    await session.call(create);
    assert.is(simulator.resources('networks').length, 2);
  }));

test('what was served is told, answered or not; what a fault answered is not', async () => {
  const served: string[] = [];
  const onServed = ({ method, path, status, requestId }: ServedCall): void => {
    if (path === '/networks') served.push(`${method} ${status} ${requestId}`);
  };
  const run = async ({ simulator, open, call }: SimulatedCloud): Promise<void> => {
    const session = await open();
    const create = call('POST /networks', {
      body: { network: { name: 'n' } },
      traceparent: `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`,
    });
    simulator.faults.inject({ match: { path: /^\/networks$/ }, dropAfterWork: true });
    await rejection(session.call(create));
    simulator.faults.inject({ match: { path: /^\/networks$/ }, status: 500 });
    await rejection(session.call(create));
  };
  await withCloud(run, { simulator: { onServed } });
  assert.equal(served, ['POST 201 req-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa']);
});

test('a MAC address that Neutron makes up is that of no other port of the network', async () => {
  const clock = systemClock({ seed: 7 });
  // Three random bytes of eight values each: of sixty ports some draw the same.
  const coarse = { ...clock, random: () => Math.floor(clock.random() * 8) / 8 };
  const run = async ({ simulator, open, call }: SimulatedCloud): Promise<void> => {
    const session = await open();
    const network = await session.call(call('POST /networks', { body: { network: { name: 'n' } } }));
    const port = { network_id: idOf(network.body as JsonObject, 'network') };
    for (let count = 0; count < 60; count++) await session.call(call('POST /ports', { body: { port } }));
    const macs = simulator.resources('ports').map(({ mac_address: mac }) => mac);
    assert.is(new Set(macs).size, 60);
  };
  await withCloud(run, { simulator: { clock: coarse } });
});

test('links lead to where clients find the cloud, when something stands before it', async () => {
  const simulator = await startSimulator({ clock: simulatedClock(), publicOrigin: 'http://cloud.test' });
  assert.is(simulator.authUrl, 'http://cloud.test/identity/v3');
  const answer = await fetch(`http://127.0.0.1:${simulator.port}/identity/v3`);
  assert.match(await answer.text(), 'http://cloud.test/identity/v3/');
  await simulator.close();
});

test('faults hit what they match, as often as they say, the oldest first', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    const twice = simulator.faults.inject({ match: { service: 'network', method: 'GET' }, times: 2, status: 500 });
    simulator.faults.inject({ match: { path: /^\/networks$/ }, status: 503 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      try {
        statuses.push((await session.call(call('GET /networks'))).status);
      } catch (error) {
        assert.instance(error, HttpError);
        statuses.push((error as HttpError).status);
      }
    }
    assert.equal(statuses, [500, 500, 503, 200]);
    assert.is(twice.hits, 2);
    const never = simulator.faults.inject({ status: 500 });
    never.remove();
    simulator.faults.inject({ status: 500 });
    simulator.faults.clear();
    assert.is((await session.call(call('GET /networks'))).status, 200);
  }));

test('drift changes and removes behind the back, and a change shows in the revision', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    const id = idOf((await session.call(call('POST /networks', { body: { network: { name: 'n' } } }))).body, 'network');
    simulator.drift.change('networks', id, { status: 'BUILD', name: 'drifted' });
    const { network } = (await session.call(call(`GET /networks/${id}`))).body as { network: JsonObject };
    assert.is(network['status'], 'BUILD');
    assert.is(network['name'], 'drifted');
    assert.is(network['revision_number'], 2);
    simulator.drift.remove('networks', id);
    assert.is((await session.call(call(`GET /networks/${id}`))).status, 404);
    assert.throws(() => simulator.drift.remove('networks', id), `no '${id}' among the simulated networks`);
    const projectId = simulator.drift.add('projects', {
      name: 'foreign',
      domain_id: 'default',
      enabled: true,
      tags: [],
    });
    const found = await session.list(call('GET /projects', { query: [['name', 'foreign']] }), 'projects');
    assert.equal(
      found.map(({ id: each }) => each),
      [projectId],
    );
  }));

test('what is inspected is a copy', () =>
  withCloud(async ({ simulator }) => {
    (simulator.resources('projects')[0] as Record<string, unknown>)['name'] = 'changed';
    assert.is.not(simulator.resources('projects')[0]?.['name'], 'changed');
  }));

test('quotas, extensions and zones are as the options say', () =>
  withCloud(
    async ({ simulator, open, call }) => {
      const session = await open();
      const create = async (network: JsonObject): Promise<HttpError> =>
        (await rejection(session.call(call('POST /networks', { body: { network } })))) as HttpError;
      simulator.setQuota(simulator.projectId, { network: 1 });
      const hinted = { name: 'n', availability_zone_hints: ['z1'] };
      const made = await session.call(call('POST /networks', { body: { network: hinted } }));
      assert.not('dns_domain' in (made.body['network'] as JsonObject));
      assert.match((await create({ name: 'm' })).message, "answered 409: Quota exceeded for resources: ['network'].");
      assert.match((await create({ dns_domain: 'a.b.' })).message, "Unrecognized attribute(s) 'dns_domain'");
      simulator.setQuota(simulator.projectId, { network: -1 });
      assert.is((await session.call(call('POST /networks', { body: { network: { name: 'm' } } }))).status, 201);
    },
    { simulator: { dnsExtension: 'absent', availabilityZones: ['z1'] } },
  ));

test('every request takes the latency, and is counted by its template', () =>
  withCloud(async ({ clock, simulator, open, call }) => {
    const session = await open();
    await session.call(call('GET /networks'));
    simulator.setLatency(60);
    const startedAt = clock.now();
    await session.call(call('GET /networks/some-id'));
    await session.call(call('GET /networks/other-id/tags'));
    assert.ok(clock.now() - startedAt >= 115);
    assert.equal(simulator.calls(), {
      'identity POST /auth/tokens': 1,
      'network GET /networks': 1,
      'network GET /networks/{id}': 1,
      'network GET /networks/{id}/tags': 1,
    });
    simulator.resetCounts();
    assert.equal(simulator.calls(), {});
  }));

test('ids have the form of each service and are the same for the same seed', async () => {
  const ids = async (): Promise<readonly string[]> => {
    let all: readonly string[] = [];
    await withCloud(async ({ simulator, open, call }) => {
      const session = await open();
      const network = idOf((await session.call(call('POST /networks', { body: { network: {} } }))).body, 'network');
      all = [simulator.projectId, network];
    });
    return all;
  };
  const first = await ids();
  assert.match(String(first[0]), /^[0-9a-f]{32}$/);
  assert.match(String(first[1]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.is((await ids())[0], first[0]);
});

test('tokens can be read and revoked, and end in time', () =>
  withCloud(async ({ wire, clock, simulator }) => {
    const body = {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', domain: { id: 'default' }, password: 'secret' } },
        },
      },
    };
    const login = async (): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await wire.fetch(`${simulator.authUrl}/auth/tokens`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      assert.is(answer.status, 201);
      return String(answer.headers.get('x-subject-token'));
    };
    const about = async (method: string, token: string, subject: string): Promise<number> => {
      const headers = { 'x-auth-token': token, 'x-subject-token': subject };
      return (await wire.fetch(`${simulator.authUrl}/auth/tokens`, { method, headers })).status;
    };
    const [mine, other] = [await login(), await login()];
    assert.is(await about('GET', mine, other), 200);
    assert.is(await about('DELETE', mine, other), 204);
    assert.is(await about('GET', mine, other), 404);
    assert.is(await about('GET', other, mine), 401);
    simulator.setTokenLifetime(1_000);
    const brief = await login();
    assert.is(await about('GET', brief, mine), 200);
    clock.spend(2_000);
    assert.is(await about('GET', brief, mine), 401);
  }));

test('the port is as asked for, and free once closed', async () => {
  const clock = simulatedClock();
  const first = await startSimulator({ clock });
  const port = Number(new URL(first.authUrl).port);
  await first.close();
  const second = await startSimulator({ clock, port });
  assert.is(second.authUrl, first.authUrl);
  assert.is((await fetch(second.authUrl)).status, 200);
  await second.close();
});

test('addresses are printed as they are read', () => {
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  process.stdout.write(`SEED=${seed}\n`);
  const value = (bits: bigint): fc.Arbitrary<bigint> =>
    fc.oneof(
      fc.bigInt({ min: 0n, max: (1n << bits) - 1n }),
      fc.integer({ min: 0, max: Number(bits) - 1 }).map((shift) => 1n << BigInt(shift)),
    );
  const addresses = fc.oneof(
    value(32n).map((each) => ({ version: 4 as const, value: each })),
    value(128n).map((each) => ({ version: 6 as const, value: each })),
  );
  fc.assert(
    fc.property(addresses, (address) => {
      assert.equal(parseAddress(formatAddress(address)), address);
    }),
    { seed, numRuns: 500 },
  );
  fc.assert(
    fc.property(addresses, fc.integer({ min: 0, max: 128 }), (address, length) => {
      const prefix = parsePrefix(`${formatAddress(address)}/${length}`);
      if (prefix === undefined) return assert.ok(length > 32 && address.version === 4);
      assert.ok(prefix.first <= address.value && address.value <= prefix.last);
      assert.equal(parsePrefix(formatPrefix(prefix)), prefix);
      assert.ok(overlap(prefix, prefix));
    }),
    { seed, numRuns: 500 },
  );
  for (const bad of [
    '',
    'x',
    '1.2.3',
    '1.2.3.4/33',
    'fd00::/129',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    'fe80::1%eth0/64',
    '1.2.3.4/-1',
  ]) {
    assert.is(parsePrefix(bad), undefined, bad);
  }
  assert.is(formatAddress(parseAddress('0:0:0:0:0:ffff:1.2.3.4') ?? { version: 6, value: 0n }), '::ffff:102:304');
});

test.run();
