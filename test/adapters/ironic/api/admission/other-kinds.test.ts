// The rules of the kinds beside BareMetalHost.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { admit } from '../../../../../adapters/ironic/api/admission/admit.ts';
import { created, type Fields, object, updated } from './samples.ts';

const test = suite('admission of the other kinds');

function admitted(kind: string, spec: Fields, annotations: Fields = {}): void {
  assert.equal(created(kind, object(spec, annotations)), [], JSON.stringify(spec));
}

/** There is one problem, and it contains this. */
function refused(kind: string, text: string, spec: Fields, annotations: Fields = {}): void {
  const found = created(kind, object(spec, annotations));
  assert.is(found.length, 1, `${JSON.stringify(spec)}: ${JSON.stringify(found)}`);
  assert.ok(found[0]?.includes(text), found[0]);
}

test('a DataImage has the URL of an image', () => {
  admitted('DataImage', { url: 'https://h/x.iso' });
  refused('DataImage', 'image URL file:///x.iso is invalid: invalid scheme in URL', { url: 'file:///x.iso' });
  refused('DataImage', 'image URL  is invalid', { url: '' });
});

test('each update of HostFirmwareComponents has one too', () => {
  const update = (url: string): Fields => ({ component: 'bios', url });
  admitted('HostFirmwareComponents', { updates: [] });
  admitted('HostFirmwareComponents', { updates: [update('http://h/a'), update('https://h/b')] });
  refused('HostFirmwareComponents', 'image URL b is invalid', { updates: [update('http://h/a'), update('b')] });
  assert.is(created('HostFirmwareComponents', object({ updates: [update('a'), update('b')] })).length, 2);
});

const SUBSCRIPTION = { hostName: 'node-0', destination: 'https://events.example.org/path' };

test('a BMCEventSubscription names a host and a destination', () => {
  const kind = 'BMCEventSubscription';
  admitted(kind, SUBSCRIPTION);
  admitted(kind, { ...SUBSCRIPTION, destination: 'http://events.example.org:8080/' });
  admitted(kind, { ...SUBSCRIPTION, destination: 'http://[fe80::1]/a?b' });
  refused(kind, 'hostName cannot be empty', { ...SUBSCRIPTION, hostName: '' });
  refused(kind, 'destination cannot be empty', { hostName: 'node-0' });
  refused(kind, 'trailing slash', { ...SUBSCRIPTION, destination: 'http://events.example.org' });
  refused(kind, 'trailing slash', { ...SUBSCRIPTION, destination: 'http://events.example.org?a' });
  for (const destination of ['/path', 'events.example.org/path', 'http:///path', 'http://a:b/', 'http://h/%zz', 'x']) {
    refused(kind, 'destination is invalid', { ...SUBSCRIPTION, destination });
  }
  assert.is(created(kind, object({})).length, 2);
});

test('headers of a BMCEventSubscription are of its namespace', () => {
  const withHeaders = (namespace?: string): Fields => ({ ...SUBSCRIPTION, httpHeadersRef: { name: 's', namespace } });
  admitted('BMCEventSubscription', withHeaders('metal'));
  for (const namespace of ['other', '', undefined]) {
    refused('BMCEventSubscription', 'must be in the same namespace', withHeaders(namespace));
  }
});

test('a BMCEventSubscription does not change', () => {
  const text = ['subscriptions cannot be updated, please recreate it'];
  const changed = { ...SUBSCRIPTION, context: 'x' };
  assert.equal(updated('BMCEventSubscription', object(SUBSCRIPTION), object(changed)), text);
  assert.equal(updated('BMCEventSubscription', object(SUBSCRIPTION), object(SUBSCRIPTION, { a: 'b' })), []);
});

const selecting = (matchExpressions: readonly Fields[]): Fields => ({ hostSelector: { matchExpressions } });

test('a HostClaim selects by operators that there are, with as many values as they take', () => {
  const takes: Readonly<Record<string, readonly [none: boolean, one: boolean, two: boolean]>> = {
    '=': [false, true, false],
    '==': [false, true, false],
    '!=': [false, true, false],
    in: [false, true, true],
    notin: [false, true, true],
    exists: [true, false, false],
    '!': [true, false, false],
  };
  for (const [operator, amounts] of Object.entries(takes)) {
    for (const [index, isTaken] of amounts.entries()) {
      const spec = selecting([{ key: 'a', operator, values: ['x', 'y'].slice(0, index) }]);
      if (isTaken) admitted('HostClaim', spec);
      else refused('HostClaim', `operator "${operator}" takes`, spec);
    }
  }
  for (const operator of ['In', 'NotIn', 'Exists', 'DoesNotExist', 'gt', 'lt', '', 'constructor']) {
    refused('HostClaim', `unknown operator "${operator}"`, selecting([{ key: 'a', operator, values: ['1'] }]));
  }
});

test('a HostClaim selects by labels that there can be', () => {
  const long = 'x'.repeat(63);
  const keys = ['a', 'a.b_c-D', '0', long, 'example.org/a', `${'a.'.repeat(126)}a/b`];
  const badKeys = [
    '',
    'a b',
    '-a',
    'a-',
    `${long}x`,
    '/a',
    'a/',
    'a/b/c',
    'A.b/c',
    'a..b/c',
    `${'a.'.repeat(127)}a/b`,
    'ä',
  ];
  for (const key of keys) {
    admitted('HostClaim', { hostSelector: { matchLabels: { [key]: 'b' } } });
    admitted('HostClaim', selecting([{ key, operator: 'exists', values: [] }]));
  }
  for (const key of badKeys) {
    refused('HostClaim', 'is no key of a label', { hostSelector: { matchLabels: { [key]: 'b' } } });
    refused('HostClaim', 'is no key of a label', selecting([{ key, operator: 'exists', values: [] }]));
  }
  for (const value of ['', 'a', 'a.b_C-d', long]) {
    admitted('HostClaim', { hostSelector: { matchLabels: { a: value } } });
    admitted('HostClaim', selecting([{ key: 'a', operator: 'in', values: [value] }]));
  }
  for (const value of ['a b', '-a', 'a.', `${long}x`, 'a/b']) {
    refused('HostClaim', 'is no value of a label', { hostSelector: { matchLabels: { a: value } } });
    refused('HostClaim', 'is no value of a label', selecting([{ key: 'a', operator: 'in', values: ['b', value] }]));
  }
});

test('a HostClaim has the image and the reboot annotations of a host', () => {
  const image = { url: 'http://h/x', checksum: 'x' };
  admitted('HostClaim', { image }, { 'reboot.metal3.io': '{"mode": "hard"}' });
  refused('HostClaim', 'checksum is required for normal images', { image: { url: 'http://h/x' } });
  refused('HostClaim', 'invalid mode', {}, { 'reboot.metal3.io/x': '{"mode": "x"}' });
  refused('HostClaim', 'failed to unmarshal the data', {}, { 'reboot.metal3.io': 'x' });
  // Others are none of its own.
  admitted('HostClaim', {}, { 'inspect.metal3.io': 'x' });
});

const NETWORK = 'HostNetworkAttachment';

test('the VLANs of a HostNetworkAttachment are ids and ranges, and none in access mode', () => {
  for (const mode of ['trunk', 'hybrid']) {
    admitted(NETWORK, { mode, nativeVLAN: 1, allowedVLANs: ['1', '4094', '1-4094', '007', '2-3'] });
  }
  admitted(NETWORK, { mode: 'access', nativeVLAN: 1, allowedVLANs: [] });
  for (const mode of ['access', undefined, '']) refused(NETWORK, 'access', { mode, allowedVLANs: ['1'] });
  for (const entry of [
    '0',
    '4095',
    '1-4095',
    '0-1',
    '99999999999999999999',
    '5-5',
    '5-4',
    '',
    '-',
    '1-',
    '-1',
    'x',
    '1,2',
  ]) {
    refused(NETWORK, `spec.allowedVLANs[1]: "${entry}"`, { mode: 'trunk', allowedVLANs: ['1', entry] });
  }
});

const ATTACHMENT = object({ mode: 'access', nativeVLAN: 1 });
const CHANGED = object({ mode: 'access', nativeVLAN: 2 });

const user = (name: string, namespace: string, reference: Fields): Fields => ({
  metadata: { name, namespace },
  spec: { networkInterfaces: [{ name: 'eth0' }, { name: 'eth1', hostNetworkAttachment: reference }] },
});

test('a HostNetworkAttachment that a host refers to stays as it is', () => {
  const users = [user('a', 'metal', { name: 'node-0' }), user('b', 'other', { name: 'node-0', namespace: 'metal' })];
  const strangers = [
    user('c', 'other', { name: 'node-0' }),
    user('d', 'metal', { name: 'node-1' }),
    user('e', 'metal', { name: 'node-0', namespace: 'other' }),
    {},
    null,
  ];
  const deleted = (others: readonly unknown[] | undefined): ReturnType<typeof admit> =>
    admit({ kind: NETWORK, version: 'v1alpha1', operation: 'DELETE', oldObject: ATTACHMENT, others });
  for (const host of users) {
    const others = [...strangers, host];
    assert.match(updated(NETWORK, ATTACHMENT, CHANGED, { others })[0] ?? '', 'its spec can not be changed');
    const { allowed, problems, warnings } = deleted(others);
    assert.is(allowed, false);
    assert.match(problems[0] ?? '', 'it can not be deleted');
    assert.is(warnings.length, 1);
  }
  assert.match(deleted(users).problems[0] ?? '', 'BareMetalHost metal/a, other/b:');
  assert.equal(updated(NETWORK, ATTACHMENT, CHANGED, { others: strangers }), []);
  assert.equal(deleted(strangers), { allowed: true, problems: [], warnings: [] });
  assert.equal(updated(NETWORK, ATTACHMENT, { ...ATTACHMENT, metadata: {} }, { others: users }), []);
});

test('it stays as it is too where nobody knows who refers to it (IRONIC-ADMIT-3)', () => {
  assert.match(updated(NETWORK, ATTACHMENT, CHANGED)[0] ?? '', 'could not be found out');
  const verdict = admit({ kind: NETWORK, version: 'v1alpha1', operation: 'DELETE', oldObject: ATTACHMENT });
  assert.is(verdict.allowed, false);
  assert.is(verdict.warnings.length, 1);
  assert.equal(created(NETWORK, ATTACHMENT), []);
  assert.equal(updated(NETWORK, ATTACHMENT, { ...ATTACHMENT, metadata: { labels: {} } }), []);
});

test('of many hosts that refer to it some are named', () => {
  const others = Array.from({ length: 7 }, (_, index) => user(`h${index}`, 'metal', { name: 'node-0' }));
  const { problems } = admit({
    kind: NETWORK,
    version: 'v1alpha1',
    operation: 'DELETE',
    oldObject: ATTACHMENT,
    others,
  });
  assert.match(problems[0] ?? '', 'metal/h4 and 2 more');
});

test.run();
