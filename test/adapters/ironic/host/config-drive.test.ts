// Config drives: each part from its Secret, and an error for each that cannot be had.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ConfigDrive,
  configDrive,
  configDriveSecrets,
  networkDataIn,
  type SecretData,
} from '../../../../adapters/ironic/host/config-drive.ts';
import type { Host } from '../../../../adapters/ironic/host/host-json.ts';

const test = suite('config drive');

const metadata = { name: 'host-1', namespace: 'metal', uid: '1234' };
const META = {
  uuid: '1234',
  'metal3-namespace': 'metal',
  'metal3-name': 'host-1',
  'local-hostname': 'host-1',
  local_hostname: 'host-1',
  name: 'host-1',
};

function secret(texts: Readonly<Record<string, string>>): SecretData {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

function made(spec: Host['spec'], secrets: Parameters<typeof configDrive>[1]): ConfigDrive | undefined {
  const outcome = configDrive({ metadata, spec }, secrets);
  return outcome.kind === 'made' ? outcome.configDrive : (assert.unreachable(outcome.message) as never);
}

function problem(spec: Host['spec'], secrets: Parameters<typeof configDrive>[1]): readonly [string, string] {
  const outcome = configDrive({ metadata, spec }, secrets);
  return outcome.kind === 'error' ? [outcome.hostDataType, outcome.message] : (assert.unreachable() as never);
}

const ALL = { userData: { name: 'user' }, networkData: { name: 'network' }, metaData: { name: 'meta' } };

test('a host without Secrets gets meta data alone', () => {
  for (const spec of [undefined, null, {}, { userData: null, networkData: {}, metaData: { name: '' } }]) {
    assert.equal(made(spec, {}), { meta_data: META });
    assert.equal(configDriveSecrets({ spec }), {});
  }
});

test('each part is read from its Secret', () => {
  const drive = made(ALL, {
    userData: secret({ userData: '#cloud-config\nusers: []\n' }),
    networkData: secret({ networkData: 'links: [{id: eth0}]' }),
    metaData: secret({ metaData: '{"rack": 7}' }),
  });
  assert.equal(drive, {
    meta_data: { ...META, rack: 7 },
    network_data: { links: [{ id: 'eth0' }] },
    user_data: '#cloud-config\nusers: []\n',
  });
  assert.equal(configDriveSecrets({ spec: ALL }), { userData: 'user', networkData: 'network', metaData: 'meta' });
});

test('the key of the type wins over the common one', () => {
  const both = {
    userData: secret({ value: 'other', userData: 'own' }),
    networkData: secret({ value: '{"other": 1}', networkData: '{"own": 1}' }),
    metaData: secret({ value: 'other: 1', metaData: 'own: 1' }),
  };
  assert.equal(made(ALL, both), { meta_data: { ...META, own: 1 }, network_data: { own: 1 }, user_data: 'own' });
  const common = {
    userData: secret({ value: 'other', metaData: 'x' }),
    networkData: secret({ value: '{"other": 1}', userData: 'x' }),
    metaData: secret({ value: 'other: 1', networkData: 'x' }),
  };
  assert.equal(made(ALL, common), { meta_data: { ...META, other: 1 }, network_data: { other: 1 }, user_data: 'other' });
});

test('meta data overlays what every host has', () => {
  const metaData = secret({ metaData: 'name: mine\nlocal-hostname: mine.example\nmetal3-name:\nmore: {a: [1]}' });
  assert.equal(made(ALL, { userData: secret({ value: '' }), networkData: {}, metaData })?.meta_data, {
    ...META,
    name: 'mine',
    'local-hostname': 'mine.example',
    'metal3-name': null,
    more: { a: [1] },
  });
});

test('the network data of the ramdisk stands in for that of the instance', () => {
  const spec = { preprovisioningNetworkDataName: 'ramdisk' };
  assert.equal(configDriveSecrets({ spec }), { networkData: 'ramdisk' });
  assert.equal(made(spec, { networkData: secret({ networkData: 'a: 1' }) })?.network_data, { a: 1 });
  assert.equal(configDriveSecrets({ spec: { ...spec, networkData: { name: 'own' } } }), { networkData: 'own' });
  assert.equal(configDriveSecrets({ spec: { ...spec, networkData: {} } }), { networkData: 'ramdisk' });
  assert.equal(problem(spec, {}), ['networkData', "Secret 'ramdisk' for networkData does not exist"]);
});

test('what is empty is left out', () => {
  const userData = secret({ userData: '' });
  const metaData = secret({ metaData: '' });
  for (const networkData of [
    {},
    { other: 'eA==' },
    secret({ networkData: '' }),
    secret({ value: '{}' }),
    { value: null },
  ]) {
    assert.equal(made(ALL, { userData, networkData, metaData }), { meta_data: META });
  }
  assert.equal(made(ALL, { userData: { userData: null }, networkData: {}, metaData }), { meta_data: META });
});

test('a live ISO gets none, whatever Secrets there are', () => {
  const spec = { ...ALL, image: { url: 'http://x', format: 'live-iso' } };
  assert.is(made(spec, {}), undefined);
  assert.equal(configDriveSecrets({ spec }), {});
});

test('what cannot be had is an error, and says of which type', () => {
  const userData = secret({ userData: 'u' });
  const networkData = secret({ networkData: 'n: 1' });
  const metaData = secret({ metaData: 'm: 1' });
  const cases: readonly (readonly [Parameters<typeof configDrive>[1], string, string])[] = [
    [{ networkData, metaData }, 'userData', "Secret 'user' for userData does not exist"],
    [{ userData, metaData }, 'networkData', "Secret 'network' for networkData does not exist"],
    [{ userData, networkData }, 'metaData', "Secret 'meta' for metaData does not exist"],
    [{ userData: {}, networkData, metaData }, 'userData', "Secret 'user' has neither key 'userData' nor 'value'"],
    [
      { userData, networkData, metaData: { userdata: 'x', constructor: 'x' } },
      'metaData',
      "Secret 'meta' has neither key 'metaData' nor 'value'",
    ],
    [
      { userData, networkData: secret({ networkData: '- hunter' }), metaData },
      'networkData',
      "networkData of Secret 'network' is no object",
    ],
    [
      { userData, networkData, metaData: secret({ metaData: 'a: 1\nb: *hunter' }) },
      'metaData',
      "metaData of Secret 'meta' is no YAML: an alias or a merge key without an anchor, or too many of them",
    ],
  ];
  for (const [secrets, type, message] of cases) assert.equal(problem(ALL, secrets), [type, message]);
});

test('a Secret of another namespace is not read (IRONIC-CONFIG-DRIVE-2)', () => {
  const secrets = { userData: secret({ value: 'u' }), networkData: {}, metaData: secret({ value: 'm: 1' }) };
  for (const type of ['userData', 'networkData', 'metaData'] as const) {
    assert.equal(problem({ ...ALL, [type]: { name: 'x', namespace: 'kube-system' } }, secrets), [
      type,
      `spec.${type}: cross-namespace Secret references are not allowed`,
    ]);
    assert.ok(made({ ...ALL, [type]: { name: 'x', namespace: 'metal' } }, secrets));
    assert.ok(made({ ...ALL, [type]: { name: 'x', namespace: '' } }, secrets));
  }
});

test('user data is a text, and no object of YAML', () => {
  const text = '#!/bin/sh\necho "ä: {"\n';
  assert.is(made({ userData: { name: 'u' } }, { userData: secret({ value: text }) })?.user_data, text);
});

test('hostile meta data is data', () => {
  const metaData = secret({ metaData: '{"__proto__": {"polluted": true}}' });
  const drive = made({ metaData: { name: 'm' } }, { metaData });
  assert.match(JSON.stringify(drive), '"__proto__":{"polluted":true}');
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
  assert.is(drive?.meta_data['polluted'], undefined);
});

test('odd hosts throw nothing', () => {
  for (const host of [{}, { metadata: null, spec: null }]) {
    const outcome = configDrive(host, {});
    assert.is(outcome.kind, 'made');
  }
});

test('network data is read from a Secret by itself', () => {
  assert.equal(networkDataIn({ name: 's', data: secret({ networkData: 'a: 1' }) }), {
    kind: 'object',
    value: { a: 1 },
  });
  assert.equal(networkDataIn({ name: 's', data: secret({ value: '{"a": 1}' }) }), { kind: 'object', value: { a: 1 } });
  assert.equal(networkDataIn({ name: 's', data: {} }), { kind: 'object', value: {} });
  assert.equal(networkDataIn({ name: 's', data: undefined }), {
    kind: 'error',
    hostDataType: 'networkData',
    message: "Secret 's' for networkData does not exist",
  });
  assert.is(networkDataIn({ name: 's', data: secret({ value: '[' }) }).kind, 'error');
});

test.run();
