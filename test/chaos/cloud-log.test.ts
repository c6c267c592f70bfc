// What the log of the cloud must not show is found in it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { CloudLog } from './cloud-log.ts';

const test = suite('chaos: the log of the cloud');

type Call = [method: string, path: string, status: number, uid: string, body?: JsonObject, answer?: JsonObject];

function violations(...calls: readonly Call[]): readonly string[] {
  const found: string[] = [];
  const log = new CloudLog((what) => void found.push(what));
  for (const [method, path, status, uid, body, answer] of calls) {
    log.take({ at: 0, service: 'network', method, path, status, requestId: `req-${uid}`, body, answer } as ServedCall);
  }
  return found.map((text) => text.replace(/:.*/, ''));
}

const network: Call = ['POST', '/networks', 201, 'u1', { network: { name: 'n' } }, { network: { id: 'N', name: 'n' } }];
const subnet: Call = [
  'POST',
  '/subnets',
  201,
  'u2',
  { subnet: { name: 's', network_id: 'N' } },
  { subnet: { id: 'S', name: 's', network_id: 'N' } },
];
const router: Call = ['POST', '/routers', 201, 'u3', { router: { name: 'r' } }, { router: { id: 'R', name: 'r' } }];
const plug: Call = [
  'PUT',
  '/routers/R/add_router_interface',
  200,
  'u4',
  { subnet_id: 'S' },
  { port_id: 'P', subnet_id: 'S' },
];
const unplug: Call = ['PUT', '/routers/R/remove_router_interface', 200, 'u4', { subnet_id: 'S' }, { subnet_id: 'S' }];
const gone = (path: string): Call => ['DELETE', path, 204, 'u9'];

test('what comes and goes in order is no violation', () => {
  const found = violations(
    network,
    subnet,
    router,
    plug,
    unplug,
    gone('/routers/R'),
    gone('/subnets/S'),
    gone('/networks/N'),
    network,
  );
  assert.equal(found, []);
});

test('what is created on what is not there is (I1)', () => {
  assert.equal(violations(['POST', '/subnets', 404, 'u2', { subnet: { network_id: 'N' } }, {}]), ['I1']);
  assert.equal(violations(['PUT', '/routers/R/add_router_interface', 404, 'u4', { subnet_id: 'S' }, {}]), ['I1']);
});

test('what is deleted while something stands on it is, refused or not (I2)', () => {
  assert.equal(violations(network, subnet, gone('/networks/N')), ['I2']);
  assert.equal(violations(network, subnet, ['DELETE', '/networks/N', 409, 'u1']), ['I2']);
  assert.equal(violations(network, subnet, router, plug, gone('/subnets/S')), ['I2']);
  assert.equal(violations(network, subnet, router, plug, gone('/routers/R')), ['I2']);
});

test('what may be gone, as its deletion is on the way, stands on nothing', () => {
  const found: string[] = [];
  const log = new CloudLog((what) => void found.push(what));
  const take = ([method, path, status, uid, body, answer]: Call): void =>
    log.take({ at: 0, service: 'network', method, path, status, requestId: `req-${uid}`, body, answer } as ServedCall);
  for (const call of [network, subnet, router, plug]) take(call);
  log.begin({ method: 'DELETE', path: '/subnets/S', body: undefined });
  log.begin({ method: 'PUT', path: '/routers/R/remove_router_interface', body: { subnet_id: 'S' } });
  take(['DELETE', '/networks/N', 409, 'u1']);
  take(['DELETE', '/routers/R', 409, 'u3']);
  assert.equal(found, []);
  take(['DELETE', '/subnets/S', 409, 'u2']);
  take(['DELETE', '/networks/N', 409, 'u1']);
  assert.is(found.length, 1, found.join());
});

test('what is there twice is (I4)', () => {
  const again: Call = [...network.slice(0, 5), { network: { id: 'N2', name: 'n' } }] as unknown as Call;
  assert.equal(violations(network, again), ['I4']);
});

test.run();
