// HostFirmwareSettings: status, conditions and events after a look, and what the host makes of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Condition } from '../../../../adapters/ironic/host/condition.ts';
import { biosSettings } from '../../../../adapters/ironic/host/firmware-schema.ts';
import {
  firmwareSettingsChange,
  firmwareSettingsStatus,
  type HostFirmwareSettings,
  settingsProblems,
  shownSettings,
} from '../../../../adapters/ironic/host/firmware-settings.ts';

const test = suite('firmware settings');

const NOW = Date.parse('2026-01-02T03:04:05.678Z');
const TIME = '2026-01-02T03:04:05Z';
const BEFORE = '2026-01-01T00:00:00Z';

const settings = biosSettings({
  bios: [
    { name: 'Mode', value: 'On', attribute_type: 'Enumeration', allowable_values: ['On', 'Off'] },
    { name: 'Count', value: '5', attribute_type: 'Integer', upper_bound: 9 },
    { name: 'SetupPassword', value: 'hidden', attribute_type: 'Password' },
    { name: 'Free', value: null },
  ],
});
const current = { Mode: 'On', Count: '5', Free: '' };
const rules = {
  Mode: { attribute_type: 'Enumeration', allowable_values: ['On', 'Off'] },
  Count: { attribute_type: 'Integer', upper_bound: 9 },
};
const schema = { name: 'schema-01234567', namespace: 'ns', schema: rules };

const objectWith = (wanted: object | null, status?: object): HostFirmwareSettings =>
  ({ metadata: { generation: 3 }, spec: { settings: wanted }, status }) as HostFirmwareSettings;

const look = (object: HostFirmwareSettings): ReturnType<typeof firmwareSettingsStatus> =>
  firmwareSettingsStatus({ object, settings, schema, now: NOW });

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message = '',
  since = TIME,
): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: since,
  observedGeneration: 3,
});

test('settings are shown but for passwords', () => {
  assert.equal(shownSettings(settings), current);
  assert.equal(shownSettings([]), {});
  const key = biosSettings({ bios: [{ name: 'Key', value: 'hidden', attribute_type: 'Password' }] });
  assert.equal(shownSettings(key), { Key: '' });
});

test('nothing wanted: no change, valid', () => {
  for (const wanted of [{}, null]) {
    assert.equal(look(objectWith(wanted)), {
      status: {
        settings: current,
        schema: { name: 'schema-01234567', namespace: 'ns' },
        conditions: [condition('ChangeDetected', 'False', 'Success'), condition('Valid', 'True', 'Success')],
        lastUpdated: TIME,
      },
      events: [],
      isChanged: true,
    });
  }
});

const verdictsOf = (wanted: object): readonly string[] =>
  look(objectWith(wanted)).status.conditions.map(({ status, reason, message }) => `${status} ${reason} ${message}`);

const CHANGED = 'True Success ';
const SAME = 'False Success ';
const VALID = 'True Success ';
const INVALID = 'False ConfigurationError Invalid BIOS setting';

const rows: readonly (readonly [string, object, readonly string[]])[] = [
  ['as it is', { Mode: 'On' }, [SAME, VALID]],
  ['a number as it is', { Count: 5 }, [SAME, VALID]],
  ['another value', { Mode: 'Off' }, [CHANGED, VALID]],
  ['another number', { Count: 6 }, [CHANGED, VALID]],
  ['one of two', { Mode: 'On', Count: '6' }, [CHANGED, VALID]],
  ['out of bounds', { Count: 10 }, [CHANGED, INVALID]],
  ['not among the values', { Mode: 'Maybe' }, [CHANGED, INVALID]],
  ['unknown', { Other: 'x' }, [CHANGED, INVALID]],
  ['a password', { SetupPassword: 'x' }, [CHANGED, INVALID]],
  ['a setting without a rule', { Free: 'x' }, [CHANGED, VALID]],
];

for (const [title, wanted, verdicts] of rows) {
  test(`conditions: ${title}`, () => assert.equal(verdictsOf(wanted), verdicts));
}

test('an event for each problem, in the form of the contract, without the value of a password', () => {
  const { events } = look(objectWith({ SetupPassword: 'hush', Other: 1, Count: 10, Mode: 'Off' }));
  assert.equal(events, [
    {
      reason: 'ValidationFailed',
      message: 'Invalid BIOS setting: Setting SetupPassword is invalid, passwords cannot be set',
    },
    {
      reason: 'ValidationFailed',
      message: 'Invalid BIOS setting: Setting Other is invalid, the host has none of this name',
    },
    {
      reason: 'ValidationFailed',
      message: 'Invalid BIOS setting: Setting Count is invalid, its value must be at most 9',
    },
  ]);
});

test('names that every object has are unknown settings', () => {
  const wanted = JSON.parse('{"__proto__":"x","constructor":"y"}');
  assert.is(settingsProblems(wanted, current, rules).length, 2);
});

test('the time of a condition moves with its status alone; other conditions stay', () => {
  const stored = {
    settings: current,
    schema: { name: 'schema-01234567', namespace: 'ns' },
    conditions: [
      condition('Foreign', 'True', 'Theirs', 'm', BEFORE),
      { ...condition('Valid', 'True', 'Older', '', BEFORE), observedGeneration: 2 },
      condition('ChangeDetected', 'True', 'Success', '', BEFORE),
    ],
    lastUpdated: BEFORE,
  };
  assert.equal(look(objectWith({ Mode: 'On' }, stored)).status.conditions, [
    condition('Foreign', 'True', 'Theirs', 'm', BEFORE),
    condition('Valid', 'True', 'Success', '', BEFORE),
    condition('ChangeDetected', 'False', 'Success', '', TIME),
  ]);
});

test('a second look that finds the same is not written', () => {
  const first = look(objectWith({ Mode: 'Off' }));
  assert.ok(first.isChanged);
  const second = firmwareSettingsStatus({
    object: objectWith({ Mode: 'Off' }, first.status),
    settings,
    schema,
    now: NOW + 60_000,
  });
  assert.not(second.isChanged);
  assert.ok(look(objectWith({ Mode: 'On' }, first.status)).isChanged);
  assert.ok(look({ ...objectWith({ Mode: 'Off' }, first.status), metadata: { generation: 4 } }).isChanged);
});

const judged = (
  changed: object | undefined,
  valid: object | undefined,
  shown: object = current,
): HostFirmwareSettings =>
  ({
    metadata: { generation: 3 },
    status: {
      settings: shown,
      conditions: [
        ...(changed === undefined ? [] : [{ ...condition('ChangeDetected', 'True', 'Success'), ...changed }]),
        ...(valid === undefined ? [] : [{ ...condition('Valid', 'True', 'Success'), ...valid }]),
      ],
    },
  }) as HostFirmwareSettings;

const uses: readonly (readonly [string, HostFirmwareSettings | undefined | null, string])[] = [
  ['there is none', undefined, 'none'],
  ['null', null, 'none'],
  ['without a status', { metadata: { generation: 1 } }, 'notReady'],
  ['not judged', judged(undefined, {}), 'notReady'],
  ['judged as it was', judged({ observedGeneration: 2 }, {}), 'notReady'],
  ['judged without a generation', judged({ observedGeneration: undefined }, {}), 'notReady'],
  ['no change, as it was', judged({ status: 'False', observedGeneration: 2 }, {}), 'notReady'],
  ['changed and valid', judged({}, {}), 'changed'],
  ['changed and not valid', judged({}, { status: 'False' }), 'none'],
  ['changed, validity not known', judged({}, undefined), 'none'],
  ['not changed', judged({ status: 'False' }, {}), 'none'],
  ['changed, no settings read', judged({}, {}, {}), 'notReady'],
  ['not changed, no settings read', judged({ status: 'False' }, {}, {}), 'none'],
];

for (const [title, object, expected] of uses) {
  test(`the host: ${title}`, () => assert.is(firmwareSettingsChange(object), expected));
}

test.run();
