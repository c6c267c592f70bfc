// What the log of the cloud must not show is found in it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
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
  const again: Call = [...network.slice(0, 5), { network: { id: 'BUS-NATS-SERVER-2', name: 'n' } }] as unknown as Call;
  assert.equal(violations(network, again), ['I4']);
});

const made = (path: string, uid: string, body: JsonObject, answer: JsonObject, status = 201): Call => [
  'POST',
  path,
  status,
  uid,
  body,
  answer,
];
const port = made('/ports', 'u5', { port: { name: 'p' } }, { port: { id: 'P', name: 'p' } });
const flavor = made('/flavors', 'u6', { flavor: { name: 'f' } }, { flavor: { id: 'F', name: 'f' } }, 200);
const image = made('/images', 'u7', { name: 'i' }, { id: 'I', name: 'i' });
const ofServer = { server: { name: 'v', flavorRef: 'F', imageRef: 'I', networks: [{ port: 'P' }] } };
const server = made('/servers', 'u8', ofServer, { server: { id: 'V' } }, 202);

test('of what a server stands on that is kept which a finalizer keeps, and a flavor may go (I1, I2)', () => {
  const all = [port, flavor, image, server];
  assert.equal(violations(...all, gone('/flavors/F')), []);
  assert.equal(violations(...all, gone('/ports/P')), ['I2']);
  assert.equal(violations(...all, gone('/images/I')), ['I2']);
  assert.equal(violations(...all, gone('/servers/V'), gone('/images/I'), gone('/ports/P')), []);
  const refused: Call = ['POST', '/servers', 400, 'u8', ofServer, { badRequest: {} }];
  assert.equal(violations(...all.slice(0, 3), gone('/flavors/F'), refused), []);
  assert.equal(violations(...all.slice(0, 3), gone('/ports/P'), refused), ['I1']);
  assert.equal(violations(...all.slice(0, 3), refused), [], 'whatever else it was refused for');
});

test('what is attached is stood on until it is detached (I2)', () => {
  const volume = made('/volumes', 'u9', { volume: { name: 'd' } }, { volume: { id: 'D', name: 'd' } }, 202);
  const attach = made('/servers/V/os-volume_attachments', 'u8', { volumeAttachment: { volumeId: 'D' } }, {}, 200);
  assert.equal(violations(server, volume, attach, gone('/volumes/D')), ['I2']);
  const detach: Call = ['DELETE', '/servers/V/os-volume_attachments/D', 202, 'u8'];
  assert.equal(violations(server, volume, attach, detach, gone('/volumes/D')), []);
  const trunk = made('/trunks', 'u8', { trunk: { name: 't' } }, { trunk: { id: 'T', name: 't' } });
  const subports = { sub_ports: [{ port_id: 'P' }] };
  const add: Call = ['PUT', '/trunks/T/add_subports', 200, 'u8', subports];
  assert.equal(violations(trunk, port, add, gone('/ports/P')), ['I2']);
  assert.equal(
    violations(trunk, port, add, ['PUT', '/trunks/T/remove_subports', 200, 'u8', subports], gone('/ports/P')),
    [],
  );
});

test('a role is assigned on what is there, which is kept as long (I1, I2)', () => {
  const role = made('/roles', 'u1', { role: { name: 'r' } }, { role: { id: 'R', name: 'r' } });
  const user = made('/users', 'u2', { user: { name: 'u' } }, { user: { id: 'U', name: 'u' } });
  const path = '/projects/X/users/U/roles/R';
  const assign: Call = ['PUT', path, 204, 'u3'];
  assert.equal(violations(role, user, assign, assign, gone('/roles/R')), ['I2']);
  assert.equal(violations(role, user, assign, gone(path), gone('/roles/R'), gone('/users/U')), []);
  assert.equal(violations(['PUT', path, 404, 'u3']), ['I1']);
});

test('what is kept below a user stands on him, and is there once (I2, I4)', () => {
  const user = made('/users', 'u2', { user: { name: 'u' } }, { user: { id: 'U', name: 'u' } });
  const at = '/users/U/application_credentials';
  const login = made(
    at,
    'u3',
    { application_credential: { name: 'c' } },
    { application_credential: { id: 'C', name: 'c' } },
  );
  const twin = made(
    at,
    'u3',
    { application_credential: { name: 'c' } },
    { application_credential: { id: 'BUS-CONNECTION-2', name: 'c' } },
  );
  assert.equal(violations(user, login, gone('/users/U')), ['I2']);
  assert.equal(violations(user, login, gone(`${at}/C`), gone('/users/U')), []);
  assert.equal(violations(user, login, twin), ['I4']);
});

test('what has no name is there twice if it was made twice for one object (I4)', () => {
  const of = (id: string, uid: string, generation = '00000001'): Call =>
    made('/floatingips', `${generation}-${uid}`, { floatingip: {} }, { floatingip: { id } });
  assert.equal(violations(of('A', 'aaaa'), of('B', 'bbbb')), []);
  assert.equal(violations(of('A', 'aaaa'), of('B', 'aaaa', '00000002')), ['I4']);
});

test('a port that no router leads to yet is not one that is not there', () => {
  const answer = { NeutronError: { type: 'ExternalGatewayForFloatingIPNotFound' } };
  const refused = made('/floatingips', 'u1', { floatingip: { port_id: 'P' } }, answer, 404);
  assert.equal(violations(port, refused), []);
  assert.equal(violations(port, gone('/ports/P'), refused), ['I1']);
});

test.run();
