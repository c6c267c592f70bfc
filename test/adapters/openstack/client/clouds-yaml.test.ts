import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CloudEntry, parseCredentials } from '../../../../adapters/openstack/client/clouds-yaml.ts';
import { TransientError } from '../../../../bus/errors.ts';
import { secretOf } from '../../../world/openstack.ts';

const test = suite('clouds.yaml');

const REF = { secretName: 'creds', cloudName: 'test' };

function entry(yaml: string): CloudEntry {
  return parseCredentials(secretOf(yaml), REF).entry;
}

function refusal(yaml: string): string {
  try {
    entry(yaml);
  } catch (error) {
    assert.instance(error, TransientError);
    return (error as Error).message;
  }
  return assert.unreachable(`was parsed: ${yaml}`) as never;
}

test('an entry is read with all that is used of it', () => {
  const yaml = `
clouds:
  other: { auth: { password: no } }
  test:
    auth:
      auth_url: http://k:5000/v3
      username: admin
      password: "s3 cret"
      project_name:
    auth_type: V3Password
    region_name: RegionOne
    endpoint_type: internalURL
    verify: no
    cacert: /etc/passwd
    identity_api_version: 3
`;
  assert.equal(entry(yaml), {
    auth: { auth_url: 'http://k:5000/v3', password: 's3 cret', username: 'admin' },
    authType: 'v3password',
    region: 'RegionOne',
    endpointInterface: 'internal',
    verify: 'unverified',
  });
  assert.equal(entry('clouds: { test: {} }'), {
    auth: {},
    authType: '',
    region: undefined,
    endpointInterface: 'public',
    verify: 'verified',
  });
  assert.equal(entry('clouds: { test: }').auth, {});
});

test('values stay as they are written: a password may look like anything', () => {
  for (const password of ['0123', '1e3', 'yes', 'True', '0x1F', '12:30:45', '2020-01-01', '1_000', '.5', '~x']) {
    assert.is(entry(`clouds: { test: { auth: { password: ${password} } } }`).auth['password'], password);
  }
  assert.is(entry('clouds: { test: { auth: { password: "null" } } }').auth['password'], 'null');
  assert.is(entry('clouds: { test: { auth: { password: null } } }').auth['password'], undefined);
});

test('anchors and merge keys work', () => {
  const yaml = `
x: &common { auth_url: http://k/, password: p }
clouds:
  test:
    auth:
      <<: *common
      username: u
`;
  assert.equal(entry(yaml).auth, { auth_url: 'http://k/', password: 'p', username: 'u' });
});

test('the interface comes from either key, in any of its spellings', () => {
  const cases = [
    ['endpoint_type: internal', 'internal'],
    ['endpoint_type: adminURL', 'admin'],
    ['endpoint_type: publicURL', 'public'],
    ['endpoint_type: whatever', 'public'],
    ['interface: internalURL', 'internal'],
    ['interface: Admin', 'admin'],
    ['endpoint_type: internal, interface: admin', 'internal'],
  ] as const;
  for (const [yaml, expected] of cases) assert.is(entry(`clouds: { test: { ${yaml} } }`).endpointInterface, expected);
  assert.is(entry('clouds: { test: { verify: False } }').verify, 'unverified');
  assert.is(entry('clouds: { test: { verify: true } }').verify, 'verified');
});

test('the messages are those of the contract', () => {
  assert.throws(
    () => parseCredentials({ uid: 'u', resourceVersion: '1', data: { other: '' } }, REF),
    /^OpenStack credentials secret creds did not contain key clouds\.yaml$/,
  );
  for (const yaml of ['clouds: {}', 'clouds:', '', '# nothing', 'other: {}', 'clouds: { Test: {} }']) {
    assert.is(refusal(yaml), 'no cloud named: test, in the provided config', yaml);
  }
  assert.throws(
    () => parseCredentials(secretOf('clouds: {}'), { secretName: 'creds', cloudName: 'constructor' }),
    /^no cloud named: constructor, in the provided config$/,
  );
  const prefix = 'failed to unmarshal clouds credentials stored in secret creds: ';
  for (const yaml of [
    'clouds: [',
    'a\n- b: c',
    '[]',
    'text',
    'clouds: 5',
    'clouds: { test: [] }',
    '\t- x: {',
    'a: 1\na: 2',
  ]) {
    const message = refusal(yaml);
    assert.ok(message.startsWith(prefix), `${yaml}: ${message}`);
  }
  assert.is(
    refusal('clouds: { test: { auth: { username: [] } } }'),
    `${prefix}'auth.username' of cloud 'test' is not a string`,
  );
});

test('no message quotes the secret (OS-CLOUDS-YAML-1)', () => {
  const broken = [
    'clouds: { test: { auth: { password: hunter2, { } } }',
    'clouds:\n  test:\n    auth:\n      password: "hunter2\n',
    'clouds: { test: { auth: { password: *hunter2 } } }',
    'clouds:\n  test:\n    auth:\n      password: hunter2: hunter2\n',
    'clouds:\n  test:\n  hunter2\n    auth: x\n',
    'clouds: { test: { auth: { password: !!hunter2 [] } } }',
    'clouds: { test: { auth: "hunter2" } }',
    'clouds: { test: hunter2 }',
    'clouds: hunter2',
    'hunter2',
    'password: @hunter2',
    'password: %hunter2',
    'clouds:\n  test:\n    auth:\n      password: |hunter2\n',
    '? {hunter2: hunter2}\n: x\nclouds: 1\nclouds: 2',
  ];
  for (const yaml of broken) assert.not.match(refusal(yaml), 'hunter2', yaml);
});

test('a flood of aliases is refused', () => {
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`);
  assert.match(refusal(['l0: &l0 [x]', ...levels, 'clouds: { test: {} }'].join('\n')), 'too many aliases');
});

test('the CA is the one of the secret, if it holds a certificate', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  assert.is(parseCredentials(secretOf('clouds: { test: {} }', pem), REF).ca, pem);
  assert.is(parseCredentials(secretOf('clouds: { test: {} }', 'nothing'), REF).ca, undefined);
  assert.is(parseCredentials(secretOf('clouds: { test: {} }'), REF).ca, undefined);
});

test('a file that is long, or has many keys, keeps nobody waiting (OS-CLOUDS-YAML-2)', () => {
  const longest = 64 * 1024;
  assert.match(refusal(`# ${'x'.repeat(longest)}`), 'it is longer than 64 KiB');
  const lines = (line: (n: number) => string): string => Array.from({ length: 8_000 }, (_, n) => line(n)).join('\n');
  /** Of the processor, in microseconds: others that use the machine do not count. */
  const took = (text: string): number => {
    const before = process.cpuUsage();
    refusal(text);
    return process.cpuUsage(before).user;
  };
  const least = (text: string): number => Math.min(...Array.from({ length: 5 }, () => took(text)));
  // Keys that are compared with each other would take nine times as long as items, which are not.
  const [items, keys] = [least(lines((n) => `- k${n}`)), least(lines((n) => `k${n}:`))];
  assert.ok(keys < 4 * items, `${items} us, ${keys} us`);
});

test('a key that is there twice is a mistake, wherever it is', () => {
  assert.match(refusal('clouds: {}\nx: 1\nclouds: {}'), 'not valid YAML: DUPLICATE_KEY at line 3');
  assert.match(refusal('clouds:\n  test:\n    auth: {}\n    auth: {}'), 'DUPLICATE_KEY at line 4');
});

test.run();
