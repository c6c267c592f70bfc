// Preparation (13.4), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { type PreparationInput, prepare } from '../../../../adapters/ironic/steps/preparation.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import { asks, failedHost, hostIn, LEAVES_MAINTENANCE, nodeIn, notesOf, reported, UUID } from './builders.ts';

const test = suite('preparation of a node');

const cleanSteps = [{ interface: 'raid', step: 'delete_configuration' }];
const logicalDisks = [{ size_gb: 'MAX', raid_level: '1' }] as const;
const RAID = { cleanSteps, logicalDisks, raidInterface: 'agent' };
const SETTINGS = { cleanSteps, logicalDisks: [] };
const NOTHING = { cleanSteps: [], logicalDisks: [] };
const CLEANS = `PUT N/states/provision {"target":"clean","clean_steps":${JSON.stringify(cleanSteps)}}; then short`;
const SETS_RAID = `PUT N/states/raid {"logical_disks":${JSON.stringify(logicalDisks)}}`;

function stepOf(node: IronicNode | null, more: Partial<PreparationInput> = {}) {
  return prepare({ host: hostIn('preparing'), node, isUnprepared: true, plan: SETTINGS, ...more });
}

const again = failedHost('preparing', 'preparation error');
const broken = { maintenance: true, fault: 'clean failure', last_error: 'the disk is broken' };

const ROWS: readonly (readonly [string, IronicNode | null, Partial<PreparationInput>, string])[] = [
  ['available, unprepared', nodeIn('available'), {}, asks('manage')],
  ['available, unprepared, nothing to be done to the machine', nodeIn('available'), { plan: NOTHING }, 'done'],
  ['available, prepared', nodeIn('available'), { isUnprepared: false }, 'done'],
  ['manageable, unprepared', nodeIn('manageable'), {}, CLEANS],
  [
    'manageable, unprepared, with RAID',
    nodeIn('manageable'),
    { plan: RAID },
    `PATCH N [{"op":"add","path":"/raid_interface","value":"agent"}]; ${SETS_RAID}; ${CLEANS}`,
  ],
  [
    'manageable, unprepared, with RAID by the interface that it has',
    nodeIn('manageable', { raid_interface: 'agent' }),
    { plan: RAID },
    `${SETS_RAID}; ${CLEANS}`,
  ],
  ['manageable, unprepared, nothing to be done to the machine', nodeIn('manageable'), { plan: NOTHING }, 'done'],
  ['manageable, prepared', nodeIn('manageable'), { isUnprepared: false, plan: RAID }, 'done'],
  ['manageable in maintenance', nodeIn('manageable', { maintenance: true }), { plan: RAID }, LEAVES_MAINTENANCE],
  ['clean failed', nodeIn('clean failed', broken), {}, 'preparation error: the disk is broken'],
  ['clean failed without a reason', nodeIn('clean failed'), {}, 'preparation error: Preparation failed'],
  ['clean failed, tried anew', nodeIn('clean failed'), { host: again }, asks('manage')],
  ['clean failed, tried anew, in maintenance', nodeIn('clean failed', broken), { host: again }, LEAVES_MAINTENANCE],
  ['cleaning', nodeIn('cleaning'), {}, 'wait long'],
  ['clean wait', nodeIn('clean wait'), {}, 'wait long'],
  ['there is no node', null, {}, 'register'],
  [
    'what is wanted cannot be',
    nodeIn('manageable'),
    { plan: { ...NOTHING, problem: 'no RAID here' } },
    'preparation error: no RAID here',
  ],
];
for (const [title, node, more, expected] of ROWS) {
  test(title, () => assert.is(reported(stepOf(node, more)), expected));
}

const HANDLED: readonly string[] = ['available', 'manageable', 'clean failed', 'cleaning', 'clean wait'];
for (const state of [...Object.values(ProvisionState), ''].filter((state) => !HANDLED.includes(state))) {
  test(`nobody knows what to do in any other state: ${state}`, () => {
    const message = `stuck: preparation cannot continue while node "${UUID}" is in provision state "${state}"`;
    assert.is(reported(stepOf(nodeIn(state))), message);
  });
}

const STARTED = { record: ['rootDeviceHints', 'raid', 'firmwareUpdates'] };
const FORGOTTEN = { forget: ['rootDeviceHints', 'softwareRaid', 'firmwareUpdates'] };

test('what is wanted is recorded when its cleaning has started, or when it needs none', () => {
  assert.equal(notesOf(stepOf(nodeIn('manageable'))), STARTED);
  assert.equal(notesOf(stepOf(nodeIn('manageable'), { plan: NOTHING })), { started: true, ...STARTED });
  assert.equal(notesOf(stepOf(nodeIn('available'))), {}, 'not on the way there');
  assert.equal(notesOf(stepOf(nodeIn('manageable'), { isUnprepared: false })), { started: false });
});

test('a failure forgets what was recorded', () => {
  assert.equal(notesOf(stepOf(nodeIn('clean failed', broken))), {
    errorType: 'preparation error',
    message: 'the disk is broken',
    ...FORGOTTEN,
  });
});

test('one that is tried anew ends the error when the node goes on, not before', () => {
  assert.equal(notesOf(stepOf(nodeIn('clean failed'), { host: again })), { isErrorOver: true });
  assert.equal(notesOf(stepOf(nodeIn('clean failed', broken), { host: again })), {});
});

test.run();
