// Patches of nodes: only what differs, at the right place, and nothing of secrets in what is logged.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loggable, type Patch, patchOf, pointerTo, under } from '../../../../adapters/ironic/host/node-patch.ts';
import { mapOf } from '../../../../adapters/ironic/json-values.ts';
import type { JsonObject } from '../../../../bus/bus.ts';

const test = suite('node patch');

const NODE: JsonObject = {
  name: 'ns~host',
  instance_uuid: null,
  deploy_interface: 'ramdisk',
  instance_info: { image_source: 'http://one', capabilities: {}, boot_iso: null },
  driver_info: { redfish_address: 'https://bmc', redfish_password: '******', 'a/b~c': 1 },
};

test('what is as wanted is left alone', () => {
  const wanted = {
    '/name': 'ns~host',
    '/deploy_interface': 'ramdisk',
    '/instance_info/capabilities': {},
    ...under('driver_info', { 'a/b~c': 1, redfish_address: 'https://bmc', deploy_iso: undefined }),
    '/instance_uuid': undefined,
    '/owner': undefined,
    '/extra/note': undefined,
  };
  assert.equal(patchOf(NODE, wanted), []);
  assert.equal(patchOf(NODE, {}), []);
});

test('what differs or is missing is added, and what is too much is removed, in the order of what is wanted', () => {
  assert.equal(
    patchOf(NODE, {
      '/deploy_interface': undefined,
      '/instance_uuid': 'u',
      ...under('instance_info', { image_source: 'http://two', image_checksum: 'c', boot_iso: undefined }),
      '/instance_info/capabilities': { secure_boot: 'true' },
      '/driver_info/redfish_password': 'p',
    }),
    [
      { op: 'remove', path: '/deploy_interface' },
      { op: 'add', path: '/instance_uuid', value: 'u' },
      { op: 'add', path: '/instance_info/image_source', value: 'http://two' },
      { op: 'add', path: '/instance_info/image_checksum', value: 'c' },
      { op: 'remove', path: '/instance_info/boot_iso' },
      { op: 'add', path: '/instance_info/capabilities', value: { secure_boot: 'true' } },
      { op: 'add', path: '/driver_info/redfish_password', value: 'p' },
    ],
  );
});

test('a field is wanted as a whole where it is named as a whole', () => {
  const driverInfo = { redfish_address: 'https://bmc', redfish_password: '******', 'a/b~c': 1 };
  assert.equal(patchOf(NODE, { '/driver_info': { ...driverInfo } }), []);
  const { redfish_password: _, ...less } = driverInfo;
  assert.equal(patchOf(NODE, { '/driver_info': less }), [{ op: 'add', path: '/driver_info', value: less }]);
});

test('values are compared as JSON', () => {
  const node: JsonObject = { a: { list: [1, { x: null }], text: '1', none: null } };
  const same = { list: [1, { x: null }], none: null, text: '1' };
  assert.equal(patchOf(node, { '/a': same }), []);
  for (const other of [
    { ...same, list: [1] },
    { ...same, list: [1, { x: null }, 2] },
    { ...same, list: { 0: 1, 1: { x: null } } },
    { ...same, list: { 0: 1, 1: { x: null }, length: 2 } },
    { ...same, list: [1, { y: null }] },
    { ...same, text: 1 },
    { ...same, none: {} },
    { ...same, more: 1 },
    [1],
    null,
    'a',
  ]) {
    assert.equal(patchOf(node, { '/a': other }), [{ op: 'add', path: '/a', value: other }]);
  }
});

test('names are escaped, and what is inherited is not there', () => {
  assert.is(pointerTo('driver_info', 'a/b~c', '~1'), '/driver_info/a~1b~0c/~01');
  assert.equal(patchOf(NODE, under('driver_info', { 'a/b~c': 2, '~1': undefined })), [
    { op: 'add', path: '/driver_info/a~1b~0c', value: 2 },
  ]);
  assert.equal(patchOf(NODE, under('driver_info', { constructor: undefined, toString: undefined })), []);
  const hostile = under('extra', JSON.parse('{"__proto__": {"polluted": true}, "constructor": "x"}') as JsonObject);
  assert.equal(patchOf({ extra: {} }, hostile), [
    { op: 'add', path: '/extra/__proto__', value: { polluted: true } },
    { op: 'add', path: '/extra/constructor', value: 'x' },
  ]);
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});

test('a node with fields of other types is no trouble', () => {
  for (const odd of [null, 5, 'text', [], true]) {
    assert.equal(patchOf({ instance_info: odd }, under('instance_info', { boot_iso: undefined })), []);
    assert.equal(patchOf({ instance_info: odd }, under('instance_info', { length: 1 })), [
      { op: 'add', path: '/instance_info/length', value: 1 },
    ]);
    assert.equal(mapOf(odd), {});
  }
  assert.equal(mapOf(undefined), {});
});

test('no secret is in what is logged', () => {
  const patch: Patch = [
    { op: 'add', path: '/driver_info/redfish_password', value: 'hunter-1' },
    { op: 'add', path: '/driver_info/IPMI_Password', value: 'hunter-2' },
    { op: 'add', path: '/instance_info/image_pull_secret', value: 'user:hunter-3' },
    { op: 'add', path: '/driver_info', value: { redfish_username: 'root', redfish_password: 'hunter-4' } },
    { op: 'add', path: '/extra/list', value: [{ deep: { some_secret_thing: { x: 'hunter-5' } } }] },
    { op: 'add', path: '/instance_info/image_source', value: 'https://me:hunter-6@images/a?b@c' },
    { op: 'remove', path: '/driver_info/snmp_password' },
    { op: 'add', path: '/properties/capabilities', value: 'secure_boot:true' },
    { op: 'add', path: '/disable_power_off', value: false },
    { op: 'add', path: '/owner', value: null },
  ];
  const logged = loggable(patch);
  assert.not.match(JSON.stringify(logged), 'hunter');
  assert.equal(logged, [
    { op: 'add', path: '/driver_info/redfish_password', value: '***' },
    { op: 'add', path: '/driver_info/IPMI_Password', value: '***' },
    { op: 'add', path: '/instance_info/image_pull_secret', value: '***' },
    { op: 'add', path: '/driver_info', value: { redfish_username: 'root', redfish_password: '***' } },
    { op: 'add', path: '/extra/list', value: [{ deep: { some_secret_thing: '***' } }] },
    { op: 'add', path: '/instance_info/image_source', value: 'https://***@images/a?b@c' },
    { op: 'remove', path: '/driver_info/snmp_password' },
    { op: 'add', path: '/properties/capabilities', value: 'secure_boot:true' },
    { op: 'add', path: '/disable_power_off', value: false },
    { op: 'add', path: '/owner', value: null },
  ]);
  assert.match(JSON.stringify(patch), 'hunter-1');
});

test.run();
