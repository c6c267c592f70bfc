// Whether a node is not as it was known.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Node, type NodeField, nodeFields, nodeIn } from '../../../../adapters/ironic/client/node.ts';
import { newsOf } from '../../../../adapters/ironic/client/node-news.ts';
import { Feature, featuresOf } from '../../../../adapters/ironic/client/versions.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';

const test = suite('news of nodes');

const node = (members: JsonObject = {}): Node => nodeIn({ uuid: 'u', ...members });

/** Each field with two values that differ. */
const DIFFERENT: Readonly<Record<Exclude<NodeField, 'uuid' | 'reservation'>, readonly [Json, Json]>> = {
  name: ['a', 'b'],
  driver: ['ipmi', 'redfish'],
  provision_state: ['cleaning', 'manageable'],
  target_provision_state: ['available', null],
  provision_updated_at: ['2026-01-01T00:00:00+00:00', '2026-01-01T00:00:01+00:00'],
  power_state: ['power on', 'power off'],
  target_power_state: [null, 'power on'],
  last_error: [null, 'no'],
  maintenance: [false, true],
  fault: [null, 'power failure'],
  instance_uuid: ['a', null],
  instance_info: [{ image_source: 'a' }, { image_source: 'b' }],
  driver_info: [{ redfish_address: 'a' }, { redfish_address: 'b' }],
  properties: [{ cpu_arch: 'x86_64' }, {}],
  network_data: [{}, { links: [] }],
  raid_config: [{}, { logical_disks: [] }],
  automated_clean: [null, true],
  disable_power_off: [false, true],
  inspection_finished_at: [null, '2026-01-01T00:00:00+00:00'],
  bios_interface: ['a', 'b'],
  boot_interface: ['a', 'b'],
  deploy_interface: ['a', 'b'],
  firmware_interface: ['a', 'b'],
  inspect_interface: ['a', 'b'],
  management_interface: ['a', 'b'],
  power_interface: ['a', 'b'],
  raid_interface: ['a', 'b'],
  vendor_interface: ['a', 'b'],
  health: ['OK', 'CRITICAL'],
};

for (const [field, [before, after]] of Object.entries(DIFFERENT)) {
  test(`${field} is compared, both ways`, () => {
    const [one, other] = [node({ [field]: before }), node({ [field]: after })];
    assert.equal([newsOf(one, other), newsOf(other, one)], [[field], [field]]);
    assert.equal([newsOf(one, one), newsOf(other, other)], [[], []]);
  });
}

test('a node that is let go is news, one that somebody takes is not', () => {
  const [free, held] = [node({ reservation: null }), node({ reservation: 'conductor0' })];
  assert.equal(newsOf(held, free), ['reservation']);
  assert.equal(newsOf(free, held), []);
  assert.equal(newsOf(held, node({ reservation: 'conductor1' })), ['reservation']);
});

test('only fields that are known are compared', () => {
  assert.equal(newsOf({ power_state: 'power on' }, node({ power_state: 'power on', provision_state: 'active' })), []);
  assert.equal(newsOf({}, node({ provision_state: 'active' })), []);
});

test('a whole node as Ironic tells it is known, too: what is not told of others is left aside', () => {
  const raw = { uuid: 'u', provision_state: 'active', links: [], driver_internal_info: { a: 1 } };
  assert.equal(newsOf(raw as unknown as Partial<Node>, node({ provision_state: 'active' })), []);
});

test('nothing and null are the same, and so is JSON in another order', () => {
  const known = { fault: null, health: undefined, properties: { a: 1, b: { c: 2, d: 3 } } } as unknown as Partial<Node>;
  assert.equal(newsOf(known, node({ properties: { b: { d: 3, c: 2 }, a: 1 } })), []);
});

test('secrets that do not show, and what Ironic writes beside what is deployed, are not compared', () => {
  const known = node({
    driver_info: { redfish_password: 'wanted', redfish_username: 'a' },
    instance_info: { image_source: 'a' },
  });
  const seen = node({
    driver_info: { redfish_password: '******', redfish_username: 'a' },
    instance_info: { image_source: 'a', configdrive: '******', image_url: 'http://tmp', image_checksum: null },
  });
  assert.equal([newsOf(known, seen), newsOf(seen, known)], [[], []]);
  assert.equal(newsOf(known, { ...seen, driver_info: { ...seen.driver_info, redfish_username: 'b' } }), [
    'driver_info',
  ]);
});

test('each key that says what is deployed is compared', () => {
  const keys = [
    'boot_iso',
    'capabilities',
    'image_checksum',
    'image_disk_format',
    'image_os_hash_algo',
    'image_os_hash_value',
    'image_source',
    'root_device',
  ];
  for (const key of keys) {
    assert.equal(newsOf(node({ instance_info: {} }), node({ instance_info: { [key]: 'x' } })), ['instance_info'], key);
  }
});

test('a node is read from anything that has a uuid; what is of another type is nothing', () => {
  const odd = nodeIn({ uuid: 'u', name: 5, maintenance: 'yes', driver_info: [], properties: 'x', constructor: 'x' });
  assert.equal([odd.name, odd.maintenance, odd.driver_info, odd.properties], [null, null, null, null]);
  assert.equal(Object.keys(odd).sort(), [...nodeFields(Object.values(Feature))].sort());
  for (const value of [undefined, null, 'u', [], {}, { uuid: '' }, { uuid: 5 }] as const) {
    assert.throws(() => nodeIn(value), /no node with a uuid/);
  }
});

test('nobody is asked for a field that he does not know', () => {
  const fields = (version: string) => nodeFields(featuresOf(version));
  assert.not.ok(fields('1.82').includes('firmware_interface'));
  assert.ok(fields('1.86').includes('firmware_interface'));
  assert.not.ok(fields('1.93').includes('disable_power_off'));
  assert.ok(fields('1.95').includes('disable_power_off'));
  assert.not.ok(fields('1.95').includes('health'));
  assert.ok(fields('1.109').includes('health'));
  assert.is(fields('1.110').length, Object.keys(DIFFERENT).length + 2);
});

test.run();
