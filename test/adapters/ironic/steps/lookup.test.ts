// Finding a node (13.2): the order of places, and who else may have the MAC address.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Facts } from '../../../../adapters/ironic/steps/facts.ts';
import { lookUp, lookUpOwn, lookUpToRemove } from '../../../../adapters/ironic/steps/lookup.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { hostIn, MAC, nodeIn, reported, UUID } from './builders.ts';

const test = suite('finding a node');

const known = hostIn('available');
const unknown = hostIn('registering', { status: { provisioning: { ID: '' } } });
const withoutMac = hostIn('registering', { spec: { bootMACAddress: '' }, status: { provisioning: { ID: '' } } });
const node = nodeIn('available');
const [NOBODYS, ANOTHERS] = [{ [UUID]: false }, { [UUID]: true }];
const NAMELESS = { ...node, name: null };
const BY_MAC = `GET /v1/ports?fields=node_uuid,uuid,address&address=${MAC}; then onward`;

const ROWS: readonly (readonly [string, Host, Facts, string])[] = [
  ['first by the UUID that is recorded', known, {}, 'GET N; then onward'],
  ['by name where there is none of that UUID', known, { byId: null }, 'GET ns~one; then onward'],
  ['by name where no UUID is recorded', unknown, {}, 'GET ns~one; then onward'],
  ['then by the bare name', unknown, { byName: null }, 'GET one; then onward'],
  [
    'not by a bare name that looks like one with a namespace',
    { ...unknown, metadata: { name: 'a~b', namespace: 'ns' } },
    { byName: null },
    BY_MAC,
  ],
  ['then by the MAC address', unknown, { byName: null, byBareName: null }, BY_MAC],
  ['not without one', withoutMac, { byName: null, byBareName: null }, 'done'],
  ['no port: there is no node', unknown, { byName: null, byBareName: null, portsByMac: [] }, 'done'],
  [
    'the node of the port',
    unknown,
    { byName: null, byBareName: null, portsByMac: [{ node_uuid: UUID, address: MAC }] },
    'GET N; then onward',
  ],
  [
    'a node of somebody else has the MAC address',
    unknown,
    { byName: null, byBareName: null, portsByMac: [{ node_uuid: UUID }], byPort: { ...node, name: 'theirs' } },
    `registration error: MAC address ${MAC} conflicts with existing node theirs`,
  ],
  [
    'a port of a node that is not there',
    unknown,
    { byName: null, byBareName: null, portsByMac: [{ node_uuid: 'lost' }], byPort: null },
    `stuck: the port with MAC address ${MAC} is of node "lost", which Ironic does not have`,
  ],
  [
    'a UUID that is empty is none',
    hostIn('available', { status: { provisioning: { ID: '' } } }),
    {},
    'GET ns~one; then onward',
  ],
  [
    'a UUID of other characters is none',
    hostIn('available', { status: { provisioning: { ID: 'a/b' } } }),
    {},
    'GET ns~one; then onward',
  ],
  [
    "33.A2a: the name of another host's node is no UUID",
    hostIn('available', { status: { provisioning: { ID: 'other~host' } } }),
    {},
    'GET ns~one; then onward',
  ],
  [
    '33.A2c: not by a bare name that is a UUID for Ironic',
    { ...unknown, metadata: { name: UUID, namespace: 'ns' } },
    { byName: null },
    BY_MAC,
  ],
  [
    '33.A2c: not by one without hyphens either',
    { ...unknown, metadata: { name: UUID.replaceAll('-', ''), namespace: 'ns' } },
    { byName: null },
    BY_MAC,
  ],
  ['33.A2: what has another name may be of another host', known, { byId: NAMELESS }, 'whose is it?'],
  [
    '33.A2: what has the older name, too',
    unknown,
    { byName: null, byBareName: { ...node, name: 'one' } },
    'whose is one?',
  ],
  [
    "33.A2b: what is recorded and another host's is not used",
    known,
    { byId: { ...node, name: 'other~host' }, others: ANOTHERS },
    `registration error: node "${UUID}" belongs to another host: it is not used for this one`,
  ],
  [
    "33.A2: another host's node of the older name is passed over",
    unknown,
    { byName: null, byBareName: { ...node, name: 'one' }, others: ANOTHERS },
    BY_MAC,
  ],
  [
    '33.A2: an answer that is not what was asked for is passed over (IRONIC-LOOKUP-3)',
    unknown,
    { byName: null, byBareName: { ...node, name: 'uno' } },
    BY_MAC,
  ],
  [
    '33.A2: a node without a name that has the MAC address may be of another host',
    unknown,
    { byName: null, byBareName: null, portsByMac: [{ node_uuid: UUID }], byPort: NAMELESS },
    'whose is it?',
  ],
  [
    "33.A2: it is another host's",
    unknown,
    { byName: null, byBareName: null, portsByMac: [{ node_uuid: UUID }], byPort: NAMELESS, others: ANOTHERS },
    `registration error: MAC address ${MAC} conflicts with existing node ${UUID}`,
  ],
  [
    'a UUID that is a path is none',
    hostIn('available', { status: { provisioning: { ID: '..' } } }),
    {},
    'GET ns~one; then onward',
  ],
];
for (const [title, host, facts, expected] of ROWS) {
  test(title, () => assert.is(reported(lookUp({ host, facts })), expected));
}

const FOUND: readonly (readonly [string, Facts])[] = [
  ['UUID', { byId: node }],
  ['name', { byId: null, byName: node }],
  ['bare name', { byId: null, byName: null, byBareName: { ...node, name: 'one' }, others: NOBODYS }],
  [
    'MAC address, of a node that has no name',
    {
      byId: null,
      byName: null,
      byBareName: null,
      portsByMac: [{ node_uuid: UUID }],
      byPort: { ...node, name: null },
      others: NOBODYS,
    },
  ],
];
for (const [by, facts] of FOUND) {
  test(`the node is found by its ${by}`, () => {
    const step = lookUp({ host: known, facts });
    assert.ok(step.step === 'done' && step.node?.['uuid'] === UUID);
  });
}

test('nothing is found at the end', () => {
  const step = lookUp({ host: known, facts: { byId: null, byName: null, byBareName: null, portsByMac: [] } });
  assert.equal(step, { step: 'done', node: null });
});

const OWN: readonly (readonly [string, Host, Facts, string])[] = [
  ['the UUID that is recorded', known, {}, 'GET N; then onward'],
  ['nothing else, if it is gone', known, { byId: null }, 'done'],
  ['the name, where none is recorded', unknown, {}, 'GET ns~one; then onward'],
  ['nothing else', unknown, { byName: null }, 'done'],
  ["not another host's", known, { byId: { ...node, name: 'other~host' }, others: ANOTHERS }, 'done'],
];
for (const [title, host, facts, expected] of OWN) {
  test(`what is the host's for certain is known by ${title}`, () =>
    assert.is(reported(lookUpOwn({ host, facts })), expected));
}

test("what is the host's for certain is found, or is not there", () => {
  assert.equal(lookUpOwn({ host: known, facts: { byId: node } }), { step: 'done', node });
  assert.equal(lookUpOwn({ host: known, facts: { byId: null } }), { step: 'done', node: null });
});

const LEAVING: readonly (readonly [string, Host, Facts, string])[] = [
  ['first by the UUID that is recorded', known, {}, 'GET N; then onward'],
  ['then by the name, under which it may have been made again', known, { byId: null }, 'GET ns~one; then onward'],
  ['by the name, where none is recorded', unknown, {}, 'GET ns~one; then onward'],
  ['by nothing else', known, { byId: null, byName: null }, 'done'],
  [
    "33.A2b: by the name, if what is recorded is another host's",
    known,
    { byId: { ...node, name: 'other~host' }, others: ANOTHERS },
    'GET ns~one; then onward',
  ],
];
const detached = hostIn('provisioned', { status: { operationalStatus: 'detached' } });
const detachedUnknown = { ...detached, status: { ...detached.status, provisioning: { ID: '' } } };

test('a detached host removes only the node that it has recorded (IRONIC-LOOKUP-4)', () => {
  const step = (host: Host, facts: Facts) => lookUpToRemove({ host, facts });
  assert.is(reported(step(detached, {})), 'GET N; then onward');
  assert.equal(step(detached, { byId: node }), { step: 'done', node });
  assert.equal(step(detached, { byId: null }), { step: 'done', node: null });
  assert.equal(step(detachedUnknown, {}), { step: 'done', node: null });
});

for (const [title, host, facts, expected] of LEAVING) {
  test(`what is to be removed is looked for ${title}`, () => {
    assert.is(reported(lookUpToRemove({ host, facts })), expected);
  });
}

test.run();
