// HostFirmwareComponents: what is read, status, conditions and events after a look.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  firmwareComponents,
  firmwareComponentsStatus,
  type HostFirmwareComponents,
  isKnownComponent,
  isUpdatesChanged,
} from '../../../../adapters/ironic/host/firmware-components.ts';

const test = suite('firmware components');

const NOW = Date.parse('2026-01-02T03:04:05.678Z');
const TIME = '2026-01-02T03:04:05Z';

test('components are read in the words of the API', () => {
  const answer = {
    firmware: [
      {
        component: 'bios',
        initial_version: '1.0',
        current_version: '1.1',
        last_version_flashed: '1.1',
        updated_at: '2026-01-01T12:00:00.5+02:00',
        created_at: '2025-01-01T00:00:00+00:00',
      },
      { component: 'bmc', initial_version: '2', current_version: null, last_version_flashed: null, updated_at: null },
      { component: 'nic:NIC.1', initial_version: null, updated_at: '2026-01-01T12:00:00' },
      { component: 'psu', initial_version: '3' },
      { component: 'nic', initial_version: '3' },
    ],
  };
  assert.equal(firmwareComponents(answer), [
    {
      component: 'bios',
      initialVersion: '1.0',
      currentVersion: '1.1',
      lastVersionFlashed: '1.1',
      updatedAt: '2026-01-01T10:00:00Z',
    },
    { component: 'bmc', initialVersion: '2' },
    { component: 'nic:NIC.1', initialVersion: '', updatedAt: '2026-01-01T12:00:00Z' },
  ]);
});

test('odd answers have no components', () => {
  for (const odd of [undefined, null, 'x', [], {}, { firmware: null }, { firmware: [null, 1, {}, { component: 5 }] }]) {
    assert.equal(firmwareComponents(odd), []);
  }
  assert.equal(firmwareComponents({ firmware: [{ component: 'bmc', updated_at: 'yesterday', current_version: 5 }] }), [
    { component: 'bmc', initialVersion: '' },
  ]);
});

for (const [component, isKnown] of [
  ['bios', true],
  ['bmc', true],
  ['nic:', true],
  ['nic:NIC.Slot.1', true],
  ['nic', false],
  ['NIC:1', false],
  ['bios ', false],
  ['', false],
] as const) {
  test(`component '${component}' is ${isKnown ? '' : 'not '}known`, () => {
    assert.is(isKnownComponent(component), isKnown);
  });
}

const bios = { component: 'bios', url: 'http://x/1' };
const bmc = { component: 'bmc', url: 'http://x/2' };

const differences: readonly (readonly [string, unknown, unknown, boolean])[] = [
  ['both empty', [], [], false],
  ['empty and absent', [], undefined, false],
  ['null and absent', null, undefined, false],
  ['the same', [bios, bmc], [bios, bmc], false],
  ['another order', [bmc, bios], [bios, bmc], true],
  ['another URL', [{ ...bios, url: 'http://x/3' }], [bios], true],
  ['one more', [bios, bmc], [bios], true],
  ['one less', [], [bios], true],
];

for (const [title, wanted, applied, isChanged] of differences) {
  test(`updates: ${title}`, () => {
    const object = { spec: { updates: wanted }, status: { updates: applied } } as HostFirmwareComponents;
    assert.is(isUpdatesChanged(object), isChanged);
  });
}

const components = [{ component: 'bios', initialVersion: '1' }];
const look = (
  updates: readonly object[],
  status?: object,
  generation = 3,
): ReturnType<typeof firmwareComponentsStatus> =>
  firmwareComponentsStatus({
    object: { metadata: { generation }, spec: { updates }, status } as HostFirmwareComponents,
    components,
    now: NOW,
  });

const condition = (type: string, status: string, reason: string, message = ''): object => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: TIME,
  observedGeneration: 3,
});

test('a change that is valid; what was applied stays as it is', () => {
  assert.equal(look([bios, bmc], { updates: [bmc], components: [] }), {
    status: {
      updates: [bmc],
      components,
      conditions: [condition('ChangeDetected', 'True', 'OK'), condition('Valid', 'True', 'OK')],
      lastUpdated: TIME,
    },
    events: [],
    isChanged: true,
  });
});

test('no change', () => {
  assert.equal(look([]).status, {
    components,
    conditions: [condition('ChangeDetected', 'False', 'OK'), condition('Valid', 'True', 'OK')],
    lastUpdated: TIME,
  });
});

test('an unknown component is not valid, with an event for each', () => {
  const { status, events } = look([
    bios,
    { component: 'psu', url: 'http://x/3' },
    { component: 'gpu', url: 'http://x/4' },
  ]);
  assert.equal(status.conditions, [
    condition('ChangeDetected', 'True', 'OK'),
    condition('Valid', 'False', 'InvalidComponent', 'Invalid firmware component'),
  ]);
  assert.equal(events, [
    {
      reason: 'ValidationFailed',
      message: "Invalid firmware component: 'psu' is not 'bios', 'bmc' or 'nic:' and a name",
    },
    {
      reason: 'ValidationFailed',
      message: "Invalid firmware component: 'gpu' is not 'bios', 'bmc' or 'nic:' and a name",
    },
  ]);
});

test('a second look that finds the same is not written, one at another generation is', () => {
  const { status } = look([bios]);
  assert.not(look([bios], { ...status, lastUpdated: '2020-01-01T00:00:00Z' }).isChanged);
  assert.ok(look([bios], status, 4).isChanged);
  assert.ok(look([bios], { ...status, components: [] }).isChanged);
});

test.run();
