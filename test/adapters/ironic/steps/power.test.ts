// Power (13.8, 13.9): on, off, and off before the host is deleted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { powerOff, powerOffBeforeDelete, powerOn } from '../../../../adapters/ironic/steps/power.ts';
import { verdictOn } from '../../../../adapters/ironic/steps/step.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { asks, failedHost, hostIn, LEAVES_MAINTENANCE, nodeIn, notesOf, reported } from './builders.ts';

const test = suite('power of a node');

const host = hostIn('provisioned');
const again = failedHost('provisioned', 'power management error');
const unclean = hostIn('available', { spec: { automatedCleaningMode: 'disabled' } });

const off = { power_state: 'power off' };
const failure = { ...off, last_error: 'the BMC does not answer' };
const sends = (target: string, more = '') => `PUT N/states/power {"target":"${target}"${more}}; then short`;
const SOFT = sends('soft power off', ',"timeout":180');

// On

const ON: readonly (readonly [string, Host, IronicNode | null, string])[] = [
  ['already on', host, nodeIn('active'), 'done'],
  ['on its way', host, nodeIn('active', { ...off, target_power_state: 'power on' }), 'wait short'],
  [
    'failed',
    host,
    nodeIn('active', failure),
    'power management error: PowerOn operation failed: the BMC does not answer',
  ],
  ['failed, tried anew', again, nodeIn('active', failure), sends('power on')],
  ['off', host, nodeIn('active', off), sends('power on')],
  ['unknown', host, nodeIn('active', { power_state: null }), sends('power on')],
  ['held back', host, nodeIn('deploying', { ...off, target_provision_state: 'active' }), 'wait short'],
  [
    'not held back by a target that is not gone to any more',
    host,
    nodeIn('adopt failed', { ...off, target_provision_state: 'active' }),
    sends('power on'),
  ],
  ['there is no node', host, null, 'register'],
];
for (const [title, of, node, expected] of ON) {
  test(`power on: ${title}`, () => assert.is(reported(powerOn({ host: of, node })), expected));
}

// Off

const OFF: readonly (readonly [string, Host, IronicNode | null, 'hard' | 'soft', string])[] = [
  ['inspect wait', host, nodeIn('inspect wait'), 'hard', asks('abort')],
  ['inspecting', host, nodeIn('inspecting'), 'hard', 'wait long'],
  ['cleaning', host, nodeIn('cleaning'), 'hard', 'wait long'],
  [
    'inspect failed on its way',
    host,
    nodeIn('inspect failed', { target_provision_state: 'manageable' }),
    'hard',
    asks('manage'),
  ],
  ['inspect failed', host, nodeIn('inspect failed'), 'hard', sends('power off')],
  [
    'manual cleaning, waiting',
    host,
    nodeIn('clean wait', { target_provision_state: 'manageable' }),
    'hard',
    asks('abort'),
  ],
  [
    'manual cleaning, told by its verb',
    host,
    nodeIn('clean wait', { target_provision_state: 'clean' }),
    'hard',
    asks('abort'),
  ],
  [
    'clean wait, cleaning is not wanted',
    unclean,
    nodeIn('clean wait', { target_provision_state: 'available' }),
    'hard',
    asks('abort'),
  ],
  ['clean wait', host, nodeIn('clean wait', { target_provision_state: 'available' }), 'hard', 'wait long'],
  [
    'clean wait in maintenance, to be aborted',
    unclean,
    nodeIn('clean wait', { maintenance: true }),
    'hard',
    LEAVES_MAINTENANCE,
  ],
  ['already off', host, nodeIn('active', off), 'soft', 'done'],
  ['on its way', host, nodeIn('active', { target_power_state: 'power off' }), 'hard', 'wait short'],
  ['softly on its way', host, nodeIn('active', { target_power_state: 'soft power off' }), 'hard', 'wait short'],
  ['failed', host, nodeIn('active', { last_error: 'no' }), 'hard', 'power management error: no'],
  ['failed softly', host, nodeIn('active', { last_error: 'no' }), 'soft', 'power management error: no'],
  ['aborted before', host, nodeIn('active', { last_error: 'it was aborted' }), 'hard', sends('power off')],
  [
    'failed, but switching on now',
    host,
    nodeIn('active', { last_error: 'no', target_power_state: 'power on' }),
    'hard',
    sends('power off'),
  ],
  ['failed, tried anew', again, nodeIn('active', { last_error: 'no' }), 'hard', sends('power off')],
  ['failed, tried anew: never softly', again, nodeIn('active', { last_error: 'no' }), 'soft', sends('power off')],
  ['soft', host, nodeIn('active'), 'soft', SOFT],
  ['hard', host, nodeIn('active'), 'hard', sends('power off')],
  [
    'soft, never cut',
    host,
    nodeIn('active', { disable_power_off: true }),
    'soft',
    sends('soft rebooting', ',"timeout":180'),
  ],
  ['hard, never cut', host, nodeIn('active', { disable_power_off: true }), 'hard', sends('rebooting')],
  ['rebooting softly', host, nodeIn('active', { target_power_state: 'soft rebooting' }), 'hard', 'wait short'],
  [
    'rebooting',
    host,
    nodeIn('active', { disable_power_off: true, target_power_state: 'rebooting' }),
    'hard',
    'wait short',
  ],
  ['held back', host, nodeIn('servicing', { target_provision_state: 'active' }), 'hard', 'wait short'],
  [
    'not held back after manual cleaning was aborted',
    host,
    nodeIn('clean failed', { target_provision_state: 'manageable', last_error: 'aborted' }),
    'hard',
    sends('power off'),
  ],
  ['there is no node', host, null, 'hard', 'register'],
];
for (const [title, of, node, mode, expected] of OFF) {
  test(`power off: ${title}`, () => assert.is(reported(powerOff({ host: of, node, mode })), expected));
}

test('a machine that cannot be asked is switched off hard', () => {
  for (const [node, target] of [
    [nodeIn('active'), 'power off'],
    [nodeIn('active', { disable_power_off: true }), 'rebooting'],
  ] as const) {
    const step = powerOff({ host, node, mode: 'soft' });
    assert.ok(step.step === 'send' && step.requests[0] !== undefined);
    const verdict = verdictOn(step.requests[0], { status: 400 });
    assert.ok(verdict.kind === 'otherwise');
    assert.equal(verdict.request.body, { target });
    const next = verdictOn(verdict.request, { status: 400, detail: 'no' });
    assert.ok(next.kind === 'ends' && next.step.step === 'stuck');
  }
});

test('what is sent is told of, and a failure is over once it is tried anew', () => {
  assert.equal(notesOf(powerOn({ host, node: nodeIn('active', off) })), { events: ['PowerOn'] });
  assert.equal(notesOf(powerOff({ host, node: nodeIn('active'), mode: 'soft' })), { events: ['PowerOff'] });
  assert.equal(notesOf(powerOn({ host: again, node: nodeIn('active', off) })), {
    events: ['PowerOn'],
    isErrorOver: true,
  });
});

// Before the host is deleted

test('a host that goes away is switched off hard, unless its power is never to be cut', () => {
  const leaving = hostIn('powering off before delete');
  assert.is(reported(powerOffBeforeDelete({ host: leaving, node: nodeIn('manageable') })), sends('power off'));
  assert.is(reported(powerOffBeforeDelete({ host: leaving, node: nodeIn('manageable', off) })), 'done');
  assert.is(reported(powerOffBeforeDelete({ host: leaving, node: null })), 'register');
  const kept = hostIn('powering off before delete', { spec: { disablePowerOff: true } });
  assert.is(
    reported(powerOffBeforeDelete({ host: kept, node: nodeIn('manageable', { disable_power_off: true }) })),
    'done',
  );
});

test.run();
