// BareMetalSwitch: the text for Ironic's networking service, key files, conditions, and values that would break out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BareMetalSwitch, switchConfigs } from '../../../../adapters/ironic/host/switch-configs.ts';

const test = suite('switch configs');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const HEADER = '# This file is managed by the Baremetal Operator';

const encoded = (data: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

const KEY = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';
const secrets = {
  plain: encoded({ username: ' admin\n', password: 'p@ss=#1\n' }),
  keyed: encoded({ username: 'admin', password: 'unused', 'ssh-privatekey': KEY, 'admin-password': 'enable' }),
};

const switchNamed = (name: string, spec: object = {}, metadata: object = {}): BareMetalSwitch => ({
  metadata: { name, namespace: 'ns', generation: 4, ...metadata },
  spec: {
    address: '192.0.2.1',
    macAddress: '00:11:22:AA:bb:cc',
    deviceType: 'netmiko_cisco_ios',
    driver: 'generic-switch',
    credentials: { name: 'plain', namespace: 'ns' },
    ...spec,
  },
});

const render = (...switches: readonly BareMetalSwitch[]): ReturnType<typeof switchConfigs> =>
  switchConfigs(switches, { secrets, credentialsPath: '/etc/keys', now: NOW });

test('no switches: the first line alone', () => {
  assert.equal(render(), { config: `${HEADER}\n`, keyFiles: {}, switches: [] });
});

test('a switch with a password, and what is not set left out', () => {
  assert.is(
    render(switchNamed('a')).config,
    [
      HEADER,
      '',
      '[switch:a]',
      'address=192.0.2.1',
      'mac_address=00:11:22:AA:bb:cc',
      'driver_type=generic-switch',
      'device_type=netmiko_cisco_ios',
      'username=admin',
      'password=p@ss=#1',
      '',
    ].join('\n'),
  );
});

test('all keys in their order, a private key in a file of its own', () => {
  const all = switchNamed('a', {
    port: 2222,
    driver: null,
    disableCertificateVerification: true,
    credentials: { name: 'keyed' },
  });
  const { config, keyFiles } = render(all);
  assert.is(
    config,
    [
      HEADER,
      '',
      '[switch:a]',
      'address=192.0.2.1',
      'mac_address=00:11:22:AA:bb:cc',
      'port=2222',
      'driver_type=generic-switch',
      'device_type=netmiko_cisco_ios',
      'insecure=true',
      'username=admin',
      'key_file=/etc/keys/00-11-22-AA-bb-cc.key',
      'enable_secret=enable',
      '',
    ].join('\n'),
  );
  assert.equal(keyFiles, { '00-11-22-AA-bb-cc.key': KEY });
  const slashed = switchConfigs([all], { secrets, credentialsPath: '/etc/keys//', now: NOW });
  assert.is(slashed.config, config);
});

test('switches are sorted by the bytes of their names, a section each', () => {
  const { config, switches } = render(switchNamed('b'), switchNamed('a10'), switchNamed('a-1'));
  assert.equal(config.match(/^\[.*\]$/gm), ['[switch:a-1]', '[switch:a10]', '[switch:b]']);
  assert.equal(config.match(/\n\n\[/g)?.length, 3);
  assert.equal(
    switches.map(({ name }) => name),
    ['a-1', 'a10', 'b'],
  );
});

test('a switch that is rendered is valid', () => {
  assert.equal(render(switchNamed('a')).switches, [
    {
      name: 'a',
      isValid: true,
      conditions: [
        {
          type: 'Valid',
          status: 'True',
          reason: 'Reconciled',
          message: '',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          observedGeneration: 4,
        },
      ],
    },
  ]);
});

const invalid: readonly (readonly [string, object, Readonly<Record<string, string>> | undefined, string])[] = [
  ['no reference', { credentials: null }, undefined, 'spec.credentials names no Secret'],
  ['a reference without a name', { credentials: {} }, undefined, 'spec.credentials names no Secret'],
  ['no Secret', {}, undefined, "the Secret 's' does not exist"],
  [
    'a Secret of another namespace',
    { credentials: { name: 's', namespace: 'other' } },
    encoded({ username: 'u', password: 'p' }),
    "the Secret 's' must be in the namespace of the switch",
  ],
  ['no user', {}, encoded({ password: 'p' }), "the Secret 's' has no 'username'"],
  ['an empty user', {}, encoded({ username: ' \n', password: 'p' }), "the Secret 's' has no 'username'"],
  [
    'neither key nor password',
    {},
    encoded({ username: 'u', 'admin-password': 'e' }),
    "the Secret 's' has neither 'ssh-privatekey' nor 'password'",
  ],
  [
    'both empty',
    {},
    encoded({ username: 'u', password: '', 'ssh-privatekey': '\n' }),
    "the Secret 's' has neither 'ssh-privatekey' nor 'password'",
  ],
  [
    'no text',
    {},
    { ...encoded({ username: 'u' }), password: Buffer.from([0xff]).toString('base64') },
    "key 'password' of the Secret 's' is not text",
  ],
  [
    'a password with a line break',
    {},
    encoded({ username: 'u', password: 'hush\n[switch:evil]' }),
    "the value of 'password' has a line break or a control character",
  ],
  [
    'a user with a carriage return',
    {},
    encoded({ username: 'u\rx', password: 'hush' }),
    "the value of 'username' has a line break or a control character",
  ],
  [
    'an enable secret with a line separator',
    {},
    encoded({ username: 'u', password: 'p', 'admin-password': 'hush\u2028x' }),
    "the value of 'enable_secret' has a line break or a control character",
  ],
  [
    'an address with a line break',
    { address: '192.0.2.1\nusername=root' },
    encoded({ username: 'u', password: 'hush' }),
    "the value of 'address' has a line break or a control character",
  ],
  [
    'a device type with a line break',
    { deviceType: 'x\n[switch:evil]' },
    encoded({ username: 'u', password: 'hush' }),
    "the value of 'device_type' has a line break or a control character",
  ],
];

for (const [title, spec, data, message] of invalid) {
  test(`left out: ${title}`, () => {
    const { config, keyFiles, switches } = switchConfigs(
      [switchNamed('bad', { credentials: { name: 's' }, ...spec }), switchNamed('good')],
      { secrets: { ...secrets, ...(data && { s: data }) }, credentialsPath: '/k', now: NOW },
    );
    assert.equal(config.match(/^\[.*\]$/gm), ['[switch:good]']);
    assert.equal(keyFiles, {});
    const [bad, good] = switches;
    assert.is(bad?.isValid, false);
    assert.is(good?.isValid, true);
    const [condition] = bad?.conditions ?? [];
    assert.is(`${condition?.type} ${condition?.status} ${condition?.reason}`, 'Valid False CredentialError');
    assert.is(condition?.message, message);
    assert.not.match(JSON.stringify(switches), 'hush');
  });
}

test('a password that is not rendered is not judged', () => {
  const data = encoded({ username: 'u', password: 'a\nb', 'ssh-privatekey': KEY });
  const { switches } = switchConfigs([switchNamed('a', { credentials: { name: 's' } })], {
    secrets: { s: data },
    credentialsPath: '/k',
    now: NOW,
  });
  assert.is(switches[0]?.isValid, true);
});

test('a Secret with a name that every object has does not exist', () => {
  const { switches } = render(switchNamed('a', { credentials: { name: 'constructor' } }));
  assert.is(switches[0]?.conditions[0]?.message, "the Secret 'constructor' does not exist");
});

test('a switch without a spec is left out', () => {
  assert.is(render({ metadata: { name: 'a' }, spec: null }).switches[0]?.isValid, false);
});

test.run();
