// FirmwareSchema: the name by content, what is stored, and the checks of values by type.
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type BiosSetting,
  biosSettings,
  firmwareSchemaName,
  firmwareSchemaSpec,
  type SettingSchema,
  settingProblem,
} from '../../../../adapters/ironic/host/firmware-schema.ts';

const test = suite('firmware schema');

/** As Ironic answers: null for what does not apply. */
const reported = (name: string, parts: object = {}): object => ({
  name,
  value: 'v',
  attribute_type: 'String',
  allowable_values: null,
  lower_bound: null,
  upper_bound: null,
  min_length: null,
  max_length: null,
  read_only: null,
  reset_required: null,
  unique: null,
  created_at: '2026-01-01T00:00:00+00:00',
  links: [],
  ...parts,
});

const read = (...settings: readonly object[]): readonly BiosSetting[] => biosSettings({ bios: settings });
const named = (text: string): string => `schema-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;

test('settings are read without what is null', () => {
  assert.equal(read(reported('A')), [{ name: 'A', value: 'v', attribute_type: 'String' }]);
  const parts = {
    value: '7',
    attribute_type: 'Integer',
    lower_bound: 0,
    upper_bound: 9,
    min_length: 1,
    max_length: 2,
    read_only: false,
    unique: true,
    allowable_values: ['a', 'b'],
  };
  assert.equal(read(reported('A', parts)), [{ name: 'A', ...parts }]);
});

test('odd answers are read as far as they go', () => {
  for (const odd of [
    undefined,
    null,
    5,
    'x',
    [],
    {},
    { bios: null },
    { bios: {} },
    { bios: [null, 5, {}, { name: 5 }] },
  ]) {
    assert.equal(biosSettings(odd), []);
  }
  assert.equal(
    read(
      { name: 'A' },
      reported('B', { value: null, attribute_type: null }),
      reported('C', { value: 5, lower_bound: 'x' }),
    ),
    [
      { name: 'A', value: '', attribute_type: '' },
      { name: 'B', value: '', attribute_type: '' },
      { name: 'C', value: '5', attribute_type: 'String' },
    ],
  );
  assert.equal(read(reported('D', { value: { toString: 1 } }))[0]?.value, '');
});

test('the name is the hash of names, types, values, bounds, lengths and read-only flags, sorted by bytes', () => {
  const settings = read(
    reported('Mode', { attribute_type: 'Enumeration', allowable_values: ['On', 'Off'], read_only: false }),
    reported('Count', { attribute_type: 'Integer', lower_bound: 0, upper_bound: 10, min_length: 1, max_length: 2 }),
    reported('Flag', { attribute_type: 'Boolean', unique: true }),
  );
  const text = '[0 1 10 2 Boolean Count Enumeration Flag Integer Mode Off On false]';
  assert.is(firmwareSchemaName(settings), named(text));
  assert.match(firmwareSchemaName(settings), /^schema-[0-9a-f]{8}$/);
  assert.is(firmwareSchemaName([]), named('[]'));
});

test('a name is by the bytes of UTF-8, not by the units of UTF-16', () => {
  assert.is(
    firmwareSchemaName(read(reported('\u{1F600}'), reported('\uFF5E'))),
    named('[String String \uFF5E \u{1F600}]'),
  );
});

test('a type that is not known is empty in the text', () => {
  assert.is(firmwareSchemaName(read(reported('A', { attribute_type: null }))), named('[ A]'));
});

test('neither order, nor values, nor uniqueness change the name; everything else does', () => {
  const one = reported('A', { attribute_type: 'Integer', lower_bound: 1 });
  const name = firmwareSchemaName(read(one, reported('B')));
  assert.is(firmwareSchemaName(read(reported('B', { value: 'w', unique: true }), one)), name);
  for (const part of [
    { lower_bound: 2 },
    { upper_bound: 1 },
    { min_length: 1 },
    { max_length: 1 },
    { read_only: true },
  ]) {
    assert.is.not(firmwareSchemaName(read({ ...one, ...part }, reported('B'))), name, JSON.stringify(part));
  }
  // Passwords count, though they are not shown.
  assert.is.not(firmwareSchemaName(read(one, reported('B'), reported('SetupPassword'))), name);
});

test('passwords are left out of what is stored, by name and by type', () => {
  const { schema } = firmwareSchemaSpec(
    read(
      reported('A'),
      reported('SetupPassword'),
      reported('Key', { attribute_type: 'Password' }),
      reported('passwordless'),
    ),
  );
  assert.equal(Object.keys(schema), ['A', 'passwordless']);
});

test('what is stored has the words of the API, vendor and model where they are known', () => {
  const parts = { attribute_type: 'Integer', lower_bound: 0, upper_bound: 3, read_only: false, unique: false };
  assert.equal(
    firmwareSchemaSpec(read(reported('A', parts), reported('B', { attribute_type: '' })), {
      manufacturer: 'M',
      productName: 'P',
    }),
    { hardwareVendor: 'M', hardwareModel: 'P', schema: { A: parts, B: {} } },
  );
  for (const vendor of [undefined, null, {}, { manufacturer: '', productName: null }]) {
    assert.equal(firmwareSchemaSpec([], vendor), { schema: {} });
  }
});

test('a type that the API refuses is stored as read-only', () => {
  const { schema } = firmwareSchemaSpec(read(reported('A', { attribute_type: 'Weird', max_length: 3 })));
  assert.equal(schema, { A: { max_length: 3, read_only: true } });
});

test('a setting with a name that every object has does no harm', () => {
  const { schema } = firmwareSchemaSpec(read(reported('__proto__'), reported('constructor')));
  assert.equal(Object.keys(schema), ['__proto__', 'constructor']);
  assert.is(({} as { attribute_type?: string }).attribute_type, undefined);
});

const modes = { attribute_type: 'Enumeration', allowable_values: ['On', 'Off', '1'] };
const counted = { attribute_type: 'Integer', lower_bound: -1, upper_bound: 10 };
const text = { attribute_type: 'String', min_length: 2, max_length: 4 };
const flag = { attribute_type: 'Boolean' };

/** Value, schema, and what is wrong; undefined: nothing. */
const checks: readonly (readonly [unknown, SettingSchema, string | undefined])[] = [
  ['On', modes, undefined],
  [1, modes, undefined],
  ['on', modes, 'its value must be one of: On, Off, 1'],
  ['On', { attribute_type: 'Enumeration' }, 'its value must be one of: '],
  [5, counted, undefined],
  ['5', counted, undefined],
  ['-1', counted, undefined],
  ['+10', counted, undefined],
  [-2, counted, 'its value must be at least -1'],
  ['-2', counted, 'its value must be at least -1'],
  [11, counted, 'its value must be at most 10'],
  ['5.5', counted, 'its value must be a whole number'],
  ['five', counted, 'its value must be a whole number'],
  ['', counted, 'its value must be a whole number'],
  [' 5', counted, 'its value must be a whole number'],
  ['0x5', counted, 'its value must be a whole number'],
  ['99999999999999999999', { attribute_type: 'Integer' }, 'its value must be a whole number'],
  [123456, { attribute_type: 'Integer' }, undefined],
  [0, { attribute_type: 'Integer', lower_bound: 0, upper_bound: 0 }, undefined],
  [1, { attribute_type: 'Integer', lower_bound: 0, upper_bound: 0 }, 'its value must be at most 0'],
  ['ab', text, undefined],
  [1234, text, undefined],
  ['a', text, 'the length of its value must be at least 2'],
  ['abcde', text, 'the length of its value must be at most 4'],
  ['', { attribute_type: 'String' }, undefined],
  ['true', flag, undefined],
  ['false', flag, undefined],
  ['True', flag, "its value must be 'true' or 'false'"],
  [1, flag, "its value must be 'true' or 'false'"],
  ['x', { attribute_type: 'Password' }, 'passwords cannot be set'],
  ['x', {}, undefined],
  ['x', { attribute_type: '' }, undefined],
  ['x', { attribute_type: 'Weird' }, 'it is of an unknown type'],
  ['On', { ...modes, read_only: true }, 'it is read-only'],
  ['x', { read_only: true }, 'it is read-only'],
  ['On', { ...modes, read_only: false }, undefined],
];

for (const [value, schema, reason] of checks) {
  test(`${JSON.stringify(value)} for ${JSON.stringify(schema)}: ${reason ?? 'fine'}`, () => {
    const expected = reason === undefined ? undefined : `Setting Name is invalid, ${reason}`;
    assert.is(settingProblem('Name', value, schema), expected);
  });
}

test.run();
