// Ports of a node (13.2): when they are listed, and which are made.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { hostIn, MAC, nodeIn, notesOf, reported, UUID } from './builders.ts';
import { PORTS_OF_NODE, registered, settledNode } from './registering.ts';

const test = suite('ports of a node');

// Ports

const NICS = [
  { mac: '52:54:00:00:01:02', pxe: true },
  { mac: '52:54:00:00:01:03', pxe: false },
  { mac: '52:54:00:00:01:03', pxe: false },
  { mac: MAC.toUpperCase(), pxe: false },
  { mac: '', pxe: true },
  { mac: null },
];

test('ports that were seen cost nothing', () => {
  assert.is(reported(registered(settledNode, { memory: { node: UUID, macs: [MAC, 'another'] } })), 'done');
});

for (const [title, memory] of [
  ['nothing is remembered', undefined],
  ['another node is remembered', { node: 'another', macs: [MAC] }],
  ['an address was never seen', { node: UUID, macs: ['another'] }],
] as const) {
  test(`ports are listed where ${title}`, () =>
    assert.is(reported(registered(settledNode, { memory })), PORTS_OF_NODE));
}

const PORT_STATES = [
  'enroll',
  'manageable',
  'available',
  'active',
  'error',
  'adopt failed',
  'inspect failed',
  'clean failed',
  'deploy failed',
  'service failed',
];
for (const state of [...Object.values(ProvisionState), 'rescue']) {
  const isListed = PORT_STATES.includes(state);
  test(`ports of a node that is ${state} are ${isListed ? '' : 'not '}listed`, () => {
    const step = registered(nodeIn(state), { memory: undefined });
    assert.is(reported(step) === PORTS_OF_NODE, isListed);
  });
}

test('an address without a port is looked for, and gets one', () => {
  const more = { memory: undefined, nics: NICS };
  const ports = [{ node_uuid: UUID, address: '52:54:00:00:01:03' }];
  assert.is(
    reported(registered(settledNode, { ...more, facts: { ports } })),
    [
      'GET /v1/ports?fields=node_uuid,uuid,address&address=52:54:00:00:01:02',
      `GET /v1/ports?fields=node_uuid,uuid,address&address=${MAC}`,
      'then onward',
    ].join('; '),
  );
  const step = registered(settledNode, { ...more, facts: { ports, owners: [] } });
  assert.is(
    reported(step),
    [
      `POST /v1/ports {"node_uuid":"${UUID}","address":"52:54:00:00:01:02","pxe_enabled":true}`,
      `POST /v1/ports {"node_uuid":"${UUID}","address":"${MAC}","pxe_enabled":true}`,
      'then onward',
    ].join('; '),
  );
  assert.is(notesOf(step)['remember'], undefined, 'not before they are made');
  const done = registered(settledNode, { ...more, facts: { ports, owners: [], made: [] } });
  assert.equal(notesOf(done)['remember'], {
    node: UUID,
    macs: ['52:54:00:00:01:02', '52:54:00:00:01:03', MAC],
  });
});

test('a port is made with the PXE flag of its NIC; that of the boot MAC address always has it', () => {
  const host = hostIn('available', { spec: { bootMACAddress: '' } });
  const step = registered(settledNode, {
    host,
    memory: undefined,
    nics: [{ mac: 'aa', pxe: false }, { mac: 'bb' }],
    facts: { ports: [], owners: [] },
  });
  assert.ok(step.step === 'send');
  assert.equal(
    step.requests.map(({ body }) => (body as JsonObject)['pxe_enabled']),
    [false, false],
  );
});

test('a port that another pass has made is not made again', () => {
  const step = registered(settledNode, {
    memory: undefined,
    facts: { ports: [], owners: [{ node_uuid: UUID, address: MAC.toUpperCase() }] },
  });
  assert.is(step.step, 'done');
});

test('an address of another node is an error', () => {
  const step = registered(settledNode, {
    memory: undefined,
    facts: { ports: [], owners: [{ node_uuid: 'theirs', address: MAC }] },
  });
  assert.is(reported(step), `registration error: MAC address ${MAC} conflicts with existing node theirs`);
});

test.run();
