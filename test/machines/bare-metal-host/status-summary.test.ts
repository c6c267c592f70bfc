// How a host looks by its status: as by the state that its chart comes to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conditions } from '../../../machines/bare-metal-host/conditions.ts';
import { hostSummary } from '../../../machines/bare-metal-host/status-summary.ts';
import { AT, BARE, host, type Parts, STATES } from './hosts.ts';

const test = suite('a host at a glance');

/** Tags, of a host whose conditions tell of it as it is. */
function tags(parts: Parts): string | undefined {
  const bare = host(parts);
  const reported = { ...bare, status: { ...bare.status, conditions: conditions(bare, { at: AT }) } };
  return hostSummary(reported)?.tags.join(' ');
}

const AT_REST: Readonly<Record<string, string | undefined>> = {
  '': undefined,
  unmanaged: 'settled',
  available: 'settled available',
  ready: 'settled available',
  provisioned: 'settled available',
  'externally provisioned': 'settled available',
};

for (const state of STATES) {
  test(`one that is '${state}' and well`, () => {
    assert.is(tags({ state }), state in AT_REST ? AT_REST[state] : 'waiting');
  });
}

test('what is wrong, or in the way, is seen', () => {
  const state = 'provisioned';
  assert.is(tags({ state, status: { operationalStatus: 'error' } }), 'failing');
  assert.is(tags({ state, status: { operationalStatus: 'detached' } }), 'settled');
  assert.is(tags({ state, status: { operationalStatus: 'servicing' } }), 'waiting');
  assert.is(tags({ state: 'available', status: { operationalStatus: 'delayed' } }), 'waiting');
  assert.is(tags({ state: 'nobody knows it' }), 'settled failing terminal');
  assert.is(tags({ state: '', annotations: { 'baremetalhost.metal3.io/paused': '' } }), 'settled');
});

test('what is told of another spec is not believed', () => {
  const bare = host({ state: 'provisioned' });
  const before = { ...bare, metadata: { ...bare.metadata, generation: 2 } };
  const reported = conditions(before, { at: AT });
  assert.is(hostSummary({ ...bare, status: { ...bare.status, conditions: reported } }), undefined);
});

test('it says what is wrong, or why nothing comes of it', () => {
  const failed = host({ state: 'inspecting', status: { operationalStatus: 'error', errorMessage: 'no such BMC' } });
  assert.is(hostSummary(failed)?.message, 'no such BMC');
  const bare = host({ state: 'inspecting' });
  const reported = conditions(bare, { at: AT, problem: 'Ironic is away' });
  assert.is(hostSummary({ ...bare, status: { ...bare.status, conditions: reported } })?.message, 'Ironic is away');
});

test('no part of a host is certain to be there', () => {
  for (const each of BARE) assert.not.throws(() => hostSummary(each));
});

test.run();
