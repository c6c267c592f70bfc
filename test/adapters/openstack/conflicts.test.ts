// needs: nothing
// A create that conflicts with another resource of the cloud: the advice, followed, makes or finds the resource.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hintOn } from '../../../adapters/openstack/resource/hints.ts';
import type { TableKind } from '../../../adapters/openstack/resource/table.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { TABLES } from '../../world/cloud-contents.ts';
import { type Dependencies, type KindName, type Tenant, withTenant } from '../../world/tenant.ts';
import { reachable } from './floating-ips.suite.ts';

const test = suite('conflicts');

/** The advice on the refused create of the object. */
async function refused(tenant: Tenant, object: KubeObject, known: Dependencies = {}): Promise<string> {
  try {
    await tenant.create(object, known);
  } catch (error) {
    const { message } = error as Error;
    assert.instance(error, TerminalError, message);
    assert.match(message, /^invalid configuration creating resource: .* answered 409: /);
    return hintOn(TABLES.get(object.kind) as TableKind, object, message)?.todo ?? '';
  }
  throw new Error(`${object.kind} '${object.metadata.name}' was made`);
}

const withResource = (object: KubeObject, more: JsonObject): KubeObject => ({
  ...object,
  spec: { ...object.spec, resource: { ...(object.spec?.['resource'] as JsonObject), ...more } },
});

test('33.B8: a floating IP whose port has one already: the advice is to take that over, and finds it', () =>
  withTenant(async (tenant) => {
    const outside = await tenant.outside('Network', { name: tenant.name('outside'), 'router:external': true });
    await tenant.outside('Subnet', { network_id: outside, ip_version: 4, cidr: '198.51.100.0/24' });
    const { portId } = await reachable(tenant, outside);
    const known = { 'Network/outside': outside, 'Port/web': portId };
    const described = { floatingNetworkRef: 'outside', portRef: 'web' };
    // The object before detached it, and is deleted: it left no trace of the next one.
    const { floatingip } = await tenant.call('POST', '/floatingips', {
      floatingip: { floating_network_id: outside, port_id: portId },
    });
    const left = floatingip as JsonObject;
    const object = tenant.managed('FloatingIP', 'again', described);
    const { find } = tenant.operations('FloatingIP');
    assert.equal((await find(tenant.request(object, known))).matches, []);
    const name = `FloatingIP/${object.metadata.name}`;
    assert.is(
      await refused(tenant, object, known),
      `Port/web has a floating IP already: set spec.resource.floatingIP of ${name} to the address of that one to take it over, or remove it from the port in the cloud and edit the spec of ${name}, which is tried again then`,
    );
    const addressed = withResource(object, { floatingIP: left['floating_ip_address'] ?? null });
    const { matches, exact } = await find(tenant.request(addressed, known));
    assert.equal([matches.map(({ id }) => id), exact], [[left['id']], true]);
    await tenant.call('PUT', `/floatingips/${left['id']}`, { floatingip: { port_id: null } });
    assert.is((await tenant.create(object, known)).resource['portID'], portId);
    await tenant.call('DELETE', `/floatingips/${left['id']}`);
  }));

/** Existing resources with the name of the object that differ from its spec. */
const OTHERS: readonly (readonly [KindName, JsonObject, JsonObject, 'edit' | 'anew'])[] = [
  ['Flavor', { ram: 512, vcpus: 1, disk: 1 }, { ram: 256, vcpus: 1, disk: 1 }, 'anew'],
  ['Project', { tags: ['mine'] }, {}, 'edit'],
];

for (const [kind, resource, others, way] of OTHERS)
  for (const isNamed of [false, true])
    test(`33.B8: ${kind} ${isNamed ? 'with a name' : 'named like its object'} that is taken: the advice is another name`, () =>
      withTenant(async (tenant) => {
        const taken = tenant.name(isNamed ? 'stated' : 'thing');
        await tenant.outside(kind, { name: taken, ...others });
        const object = tenant.managed(kind, 'thing', { ...resource, ...(isNamed && { name: taken }) } as never);
        const label = `${kind}/${object.metadata.name}`;
        assert.is(
          await refused(tenant, object),
          way === 'edit'
            ? `the cloud has another one called '${taken}': give ${label} another spec.resource.name`
            : `the cloud has another one called '${taken}': delete ${label} and create it again with another spec.resource.name`,
        );
        const { id } = await tenant.create(withResource(object, { name: tenant.name('other') }));
        assert.ok(id);
      }));

test.run();
