// Inspection (13.3), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { type InspectionInput, inspect } from '../../../../adapters/ironic/steps/inspection.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import {
  asks,
  driverNamed,
  failedHost,
  hostIn,
  LEAVES_MAINTENANCE,
  nodeIn,
  notesOf,
  reported,
  UUID,
} from './builders.ts';

const test = suite('inspection of a node');

function stepOf(node: IronicNode | null, more: Partial<InspectionInput> = {}) {
  const driver = driverNamed('redfish-virtualmedia');
  return inspect({ host: hostIn('inspecting'), node, facts: {}, driver, architecture: 'x86_64', ...more });
}

const forced = hostIn('inspecting', { annotations: { 'reboot.metal3.io': '{"force": true}' } });
const unforced = hostIn('inspecting', { annotations: { 'reboot.metal3.io': '' } });
const asked = hostIn('inspecting', { annotations: { 'inspect.metal3.io': '' } });
const disabled = hostIn('inspecting', { annotations: { 'inspect.metal3.io': 'disabled' } });
const fast = hostIn('inspecting', { spec: { inspectionMode: 'fast' } });
const again = failedHost('inspecting', 'inspection error');

const inventory = { inventory: { hostname: 'one' }, plugin_data: {} };
const READ = 'GET N/inventory; then onward';

const ROWS: readonly (readonly [string, IronicNode | null, Partial<InspectionInput>, string])[] = [
  ['available', nodeIn('available'), {}, asks('manage')],
  ['inspect wait with a forced reboot', nodeIn('inspect wait'), { host: forced }, asks('abort')],
  ['inspect wait with a reboot that is not forced', nodeIn('inspect wait'), { host: unforced }, 'wait long'],
  ['inspect wait', nodeIn('inspect wait'), {}, 'wait long'],
  ['inspect wait, fast', nodeIn('inspect wait'), { host: fast }, 'wait short'],
  ['inspecting', nodeIn('inspecting'), {}, 'wait long'],
  ['inspecting, fast', nodeIn('inspecting'), { host: fast }, 'wait short'],
  ['inspecting with a forced reboot', nodeIn('inspecting'), { host: forced }, 'wait long'],
  [
    'inspect failed, aborted',
    nodeIn('inspect failed', { last_error: 'Inspection was aborted by request.' }),
    {},
    asks('inspect'),
  ],
  [
    'inspect failed, tried anew',
    nodeIn('inspect failed', { last_error: 'no disks' }),
    { host: again },
    asks('inspect'),
  ],
  ['inspect failed', nodeIn('inspect failed', { last_error: 'no disks' }), {}, 'inspection error: no disks'],
  ['inspect failed without a reason', nodeIn('inspect failed'), {}, 'inspection error: Inspection failed'],
  [
    'manageable, asked for by the annotation',
    nodeIn('manageable'),
    { host: asked, facts: { inventory } },
    asks('inspect'),
  ],
  ['manageable, the annotation says that it is disabled', nodeIn('manageable'), { host: disabled }, READ],
  ['manageable', nodeIn('manageable'), {}, READ],
  ['manageable, never inspected', nodeIn('manageable'), { facts: { inventory: null } }, asks('inspect')],
  ['manageable, inspected', nodeIn('manageable'), { facts: { inventory } }, 'done'],
  [
    'manageable in maintenance',
    nodeIn('manageable', { maintenance: true }),
    { facts: { inventory: null } },
    LEAVES_MAINTENANCE,
  ],
  ['there is no node', null, {}, 'register'],
];
for (const [title, node, more, expected] of ROWS) {
  test(title, () => assert.is(reported(stepOf(node, more)), expected));
}

const HANDLED: readonly string[] = ['available', 'inspect wait', 'inspecting', 'inspect failed', 'manageable'];
for (const state of [...Object.values(ProvisionState), 'rescue', ''].filter((state) => !HANDLED.includes(state))) {
  test(`nobody knows what to do in any other state: ${state}`, () => {
    const message = `stuck: inspection cannot continue while node "${UUID}" is in provision state "${state}"`;
    assert.is(reported(stepOf(nodeIn(state))), message);
  });
}

test('a reboot that is forced takes its annotation along', () => {
  assert.equal(notesOf(stepOf(nodeIn('inspect wait'), { host: forced })), { unannotate: ['reboot.metal3.io'] });
});

test('once it is started it is told of, and what asked for it goes', () => {
  assert.equal(notesOf(stepOf(nodeIn('manageable'), { host: asked })), {
    events: ['InspectionStarted'],
    unannotate: ['inspect.metal3.io', 'reboot.metal3.io'],
    remember: { node: UUID, inspecting: true },
  });
});

test('one that is tried anew ends the error, so that it can fail anew', () => {
  assert.is(notesOf(stepOf(nodeIn('inspect failed'), { host: again }))['isErrorOver'], true);
});

test('the node is brought to the boot mode, the architecture and the way of inspecting first', () => {
  const node = nodeIn('manageable', { properties: {}, inspect_interface: 'redfish' });
  assert.is(
    reported(stepOf(node, { facts: { inventory: null } })),
    [
      'PATCH N [{"op":"add","path":"/properties/capabilities","value":"boot_mode:uefi"},' +
        '{"op":"add","path":"/properties/cpu_arch","value":"x86_64"},' +
        '{"op":"add","path":"/inspect_interface","value":"agent"}]',
      asks('inspect'),
    ].join('; '),
  );
  const wanted = reported(stepOf(nodeIn('manageable'), { host: fast, facts: { inventory: null } }));
  assert.ok(wanted.startsWith('PATCH N [{"op":"add","path":"/inspect_interface","value":"redfish"}]; PUT'));
});

test('what was found is the end', () => {
  assert.equal(notesOf(stepOf(nodeIn('manageable'), { facts: { inventory } })), {
    inventory,
    events: ['InspectionComplete'],
    remember: { node: UUID, inspecting: false },
  });
});

// IRONIC-INSPECTION-1: an inventory of an earlier life

function begunAt(start: string | null): Host {
  return hostIn('inspecting', { status: { operationHistory: { inspect: { start, end: null } } } });
}

const BEGUN = '2026-09-01T12:00:00Z';
const AGES: readonly (readonly [string, finished: string | null, start: string | null, remembered: boolean, string])[] =
  [
    ['older than this inspection', '2026-09-01T11:00:00+00:00', BEGUN, false, asks('inspect')],
    ['of this inspection', '2026-09-01T12:05:00+00:00', BEGUN, false, 'done'],
    ['older by less than clocks differ', '2026-09-01T11:56:00+00:00', BEGUN, false, 'done'],
    ['older, of an inspection that this process has begun', '2026-09-01T11:00:00+00:00', BEGUN, true, 'done'],
    ['of unknown age', null, BEGUN, false, 'done'],
    ['of an inspection whose beginning is unknown', '2026-09-01T11:00:00+00:00', null, false, 'done'],
  ];
for (const [title, finished, start, inspecting, expected] of AGES) {
  test(`an inventory ${title} (IRONIC-INSPECTION-1)`, () => {
    const node = nodeIn('manageable', { inspection_finished_at: finished });
    const memory = { node: UUID, inspecting };
    assert.is(reported(stepOf(node, { host: begunAt(start), memory, facts: { inventory } })), expected);
  });
}

test.run();
