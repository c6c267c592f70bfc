// What a service refuses to remove as it is: what its user asks for is done first, also when he asks under deletion.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { domain } from '../../../adapters/openstack/kinds/domain.ts';
import { floatingIP } from '../../../adapters/openstack/kinds/floating-ip.ts';
import { image } from '../../../adapters/openstack/kinds/image.ts';
import { hintOn } from '../../../adapters/openstack/resource/hints.ts';
import type { TableKind } from '../../../adapters/openstack/resource/table.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { fails, withTenant } from '../../world/tenant.ts';

const test = suite('removals');

const CASES: readonly (readonly [TableKind, 'Domain' | 'Image', string, JsonObject, 'domains' | 'images'])[] = [
  [domain, 'Domain', 'enabled', {}, 'domains'],
  [
    image,
    'Image',
    'protected',
    { content: { diskFormat: 'raw', download: { url: 'http://127.0.0.1:1/none' } }, protected: true },
    'images',
  ],
];

const deleted = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

for (const [kind, kindName, field, resource, collection] of CASES) {
  test(`33.B9: ${kindName} that the service does not remove as it is goes when its spec asks for that`, () =>
    withTenant(async (tenant, simulator) => {
      const name = `guarded-${field}`;
      const object = deleted(tenant.managed(kindName, name, resource));
      const { id } = await tenant.create(object);
      const remove = (of: KubeObject) => tenant.operations(kindName).remove({ ...tenant.request(of), id });
      let message = '';
      try {
        await remove(object);
        assert.unreachable();
      } catch (error) {
        message = (error as Error).message;
      }
      assert.match(message, /^DELETE .* answered 403/);
      const { todo = '' } = hintOn(kind, object, message) ?? {};
      assert.match(todo, new RegExp(`^set spec\\.resource\\.${field} of ${kindName}/${object.metadata.name} to false`));
      assert.ok(
        simulator.resources(collection).some((each) => each['id'] === id),
        'it stays',
      );
      await remove(deleted(tenant.managed(kindName, name, { ...resource, [field]: false })));
      assert.not.ok(
        simulator.resources(collection).some((each) => each['id'] === id),
        'it is gone',
      );
    }));
}

test('a trunk that is down, and that Neutron does not remove because it is used, stays down', () =>
  withTenant(async (tenant) => {
    const network_id = await tenant.outside('Network', { name: tenant.name('net') });
    const parent = await tenant.outside('Port', { name: tenant.name('p'), network_id });
    const known = { 'Port/p': parent };
    const object = tenant.managed('Trunk', 't', { portRef: 'p', adminStateUp: false });
    const { observation } = await tenant.settle(object, await tenant.create(object, known), known);
    const remove = () =>
      tenant.operations('Trunk').remove({ ...tenant.request(deleted(object), known), id: observation.id });
    await tenant.call('PUT', `/ports/${parent}`, { port: { 'binding:host_id': 'host-1' } });
    await fails(remove(), 'transient', /is currently in use/);
    const { trunk } = await tenant.call('GET', `/trunks/${observation.id}`);
    assert.is((trunk as JsonObject)['admin_state_up'], false);
    await tenant.call('PUT', `/ports/${parent}`, { port: { 'binding:host_id': '' } });
    await remove();
    assert.is(await tenant.observe(object, observation.id, known), undefined);
  }));

test('33.B9: a floating IP whose port is not reached from outside says that a RouterInterface is missing', () =>
  withTenant(async (tenant, simulator) => {
    const project = { project_id: simulator.projectId, tenant_id: simulator.projectId };
    const outside = simulator.drift.add('networks', {
      name: 'out',
      'router:external': true,
      status: 'ACTIVE',
      ...project,
    });
    const pool = { network_id: outside, ip_version: 4, cidr: '198.51.100.0/24', ...project };
    simulator.drift.add('subnets', {
      ...pool,
      allocation_pools: [{ start: '198.51.100.2', end: '198.51.100.9' }],
      gateway_ip: null,
    });
    const inside = simulator.drift.add('networks', { name: 'in', status: 'ACTIVE', ...project });
    const port = simulator.drift.add('ports', {
      network_id: inside,
      fixed_ips: [{ subnet_id: '5f0e3b3a-0a53-4f0c-9a5e-2f3f4a1c7d10', ip_address: '192.0.2.7' }],
      device_id: '',
      device_owner: '',
      mac_address: 'fa:16:3e:00:00:01',
      ...project,
    });
    const object = tenant.managed('FloatingIP', 'ip', { floatingNetworkRef: 'out', portRef: 'web' });
    const known = { 'Network/out': { id: outside, ready: true }, 'Port/web': { id: port, ready: true } };
    try {
      await tenant.create(object, known);
      assert.unreachable();
    } catch (error) {
      const { message } = error as Error;
      const { what, todo } = hintOn(floatingIP, object, message, known) ?? {};
      assert.is(what, 'a RouterInterface is missing', message);
      assert.is(
        todo,
        'create a RouterInterface between the subnet of Port/web and a Router whose externalGateways has Network/out',
      );
    }
  }));

test.run();
