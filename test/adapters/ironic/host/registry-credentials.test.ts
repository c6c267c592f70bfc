// Credentials for registries: which entry, which form, and that no message tells of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type RegistrySecret,
  registryCredentials,
  registrySecretName,
} from '../../../../adapters/ironic/host/registry-credentials.ts';

const test = suite('registry credentials');

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const AUTH = { auth: base64('user:hunter') };

function dockerConfig(content: unknown): RegistrySecret {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { name: 'pull', type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64(text) } };
}

function legacyConfig(content: unknown): RegistrySecret {
  return { name: 'pull', type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64(JSON.stringify(content)) } };
}

function found(url: string, secret: RegistrySecret): string {
  const credentials = registryCredentials({ image: { url }, secret });
  return credentials.kind === 'found' ? credentials.pullSecret : (assert.unreachable(credentials.message) as never);
}

function refused(url: string | undefined, secret: RegistrySecret | undefined): readonly string[] {
  const credentials = registryCredentials({ image: { url, ociAuthSecretName: 'pull' }, secret });
  if (credentials.kind === 'found') return assert.unreachable() as never;
  assert.not.match(credentials.message, 'hunter');
  return [credentials.kind === 'invalid' ? credentials.event : credentials.kind, credentials.message];
}

test('only OCI images need a Secret, if they name one', () => {
  assert.is(registrySecretName({ url: 'oci://quay.io/a', ociAuthSecretName: 'pull' }), 'pull');
  assert.is(registrySecretName({ url: 'https://quay.io/a', ociAuthSecretName: 'pull' }), undefined);
  for (const ociAuthSecretName of [undefined, null, '']) {
    assert.is(registrySecretName({ url: 'oci://quay.io/a', ociAuthSecretName }), undefined);
  }
  assert.is(registrySecretName(undefined), undefined);
});

test('both configurations and both forms of an entry are read', () => {
  for (const secretOf of [(entries: unknown) => dockerConfig({ auths: entries }), legacyConfig]) {
    const url = 'oci://quay.io/a/b:1';
    assert.is(found(url, secretOf({ 'quay.io': AUTH })), 'user:hunter');
    assert.is(found(url, secretOf({ 'quay.io': { username: 'me', password: 'p:w' } })), 'me:p:w');
    assert.is(found(url, secretOf({ 'quay.io': { ...AUTH, username: 'me', password: 'pw' } })), 'user:hunter');
    assert.is(found(url, secretOf({ 'quay.io': { auth: '', username: 'me', password: '' } })), 'me:');
    assert.is(found(url, secretOf({ 'quay.io': { auth: base64('user:a:b') } })), 'user:a:b');
    assert.is(found(url, secretOf({ 'quay.io': { auth: base64('user:hunter').replace(/=+$/, '') } })), 'user:hunter');
    assert.is(found(url, secretOf({ 'quay.io': { auth: `${base64('user:hunter')}\n` } })), 'user:hunter');
  }
});

test('the entry is that of the host with its port', () => {
  const entries = {
    'quay.io': { username: 'plain', password: '' },
    'quay.io:5000': { username: 'port', password: '' },
    'https://registry.example/v1/': { username: 'url', password: '' },
    'ghcr.io/org': { username: 'path', password: '' },
    '[::1]:5000': { username: 'six', password: '' },
  };
  const table = [
    ['oci://quay.io/a/b', 'plain:'],
    ['oci://QUAY.io/a/b', 'plain:'],
    ['OCI://quay.io', 'plain:'],
    ['oci://someone:else@quay.io/a', 'plain:'],
    ['oci://quay.io:5000/a/b@sha256:00', 'port:'],
    ['oci://registry.example/a', 'url:'],
    ['oci://ghcr.io/other/image', 'path:'],
    ['oci://[::1]:5000/a', 'six:'],
  ] as const;
  for (const [url, credentials] of table) assert.is(found(url, dockerConfig({ auths: entries })), credentials, url);
  for (const host of ['quay.io:5001', 'registry.example:443', 'my.quay.io', 'quay', 'constructor', '__proto__']) {
    const [event, message] = refused(`oci://${host}/a`, dockerConfig({ auths: entries }));
    assert.is(event, 'not-found');
    assert.is(message, `registry Secret 'pull' has no entry for '${host}'`);
  }
});

test('an entry under just the host wins', () => {
  const url = { username: 'url', password: '' };
  const plain = { username: 'plain', password: '' };
  assert.is(found('oci://quay.io/a', dockerConfig({ auths: { 'https://quay.io': url, 'quay.io': plain } })), 'plain:');
});

test('Docker Hub is known by its index', () => {
  for (const key of ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io', 'https://docker.io']) {
    for (const host of ['docker.io', 'index.docker.io']) {
      assert.is(found(`oci://${host}/library/x`, dockerConfig({ auths: { [key]: AUTH } })), 'user:hunter', key);
    }
  }
  const [, message] = refused('oci://docker.io/x', dockerConfig({ auths: { 'docker.io:5000': AUTH } }));
  assert.is(message, "registry Secret 'pull' has no entry for 'index.docker.io'");
});

test('a Secret of another type is an unsupported format', () => {
  for (const type of ['Opaque', 'kubernetes.io/basic-auth', '', null, undefined, 'constructor']) {
    const secret = { ...dockerConfig({ auths: { 'quay.io': AUTH } }), type };
    assert.equal(refused('oci://quay.io/a', secret), [
      'ImageAuthFormatUnsupported',
      "registry Secret 'pull' must be of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg",
    ]);
  }
});

test('what cannot be parsed is a parse error, and is not quoted', () => {
  const cases: readonly (readonly [RegistrySecret, string])[] = [
    [{ name: 'pull', type: 'kubernetes.io/dockerconfigjson' }, "has no key '.dockerconfigjson'"],
    [{ name: 'pull', type: 'kubernetes.io/dockerconfigjson', data: null }, "has no key '.dockerconfigjson'"],
    [{ name: 'pull', type: 'kubernetes.io/dockercfg', data: { '.dockercfg': null } }, "has no key '.dockercfg'"],
    [dockerConfig('hunter'), 'holds no Docker configuration'],
    [dockerConfig('{"auths": {"quay.io": hunter'), 'holds no Docker configuration'],
    [dockerConfig('["hunter"]'), 'holds no Docker configuration'],
    [dockerConfig({ auths: 'hunter' }), 'holds no Docker configuration'],
    [dockerConfig({ auths: ['hunter'] }), 'holds no Docker configuration'],
    ...[
      'hunter',
      null,
      {},
      { auth: base64('hunter') },
      { auth: base64(':hunter') },
      { auth: 'user:hunter' },
      { auth: '%%%' },
      { auth: 5 },
      { username: 'hunter' },
      { password: 'hunter' },
      { username: '', password: 'hunter' },
      { identitytoken: 'hunter' },
    ].map(
      (entry) => [dockerConfig({ auths: { 'quay.io': entry } }), "has no user and password for 'quay.io'"] as const,
    ),
  ];
  for (const [secret, what] of cases) {
    assert.equal(refused('oci://quay.io/a', secret), ['ImageAuthParseError', `registry Secret 'pull' ${what}`]);
  }
});

test('a Secret or an entry that is not there is not found', () => {
  assert.equal(refused('oci://quay.io/a', undefined), ['not-found', "registry Secret 'pull' does not exist"]);
  for (const secret of [
    dockerConfig({}),
    dockerConfig({ auths: null }),
    dockerConfig({ auths: {} }),
    legacyConfig({}),
  ]) {
    assert.equal(refused('oci://quay.io/a', secret), [
      'not-found',
      "registry Secret 'pull' has no entry for 'quay.io'",
    ]);
  }
  // A modern configuration under the old type has no entry of that host.
  assert.is(refused('oci://quay.io/a', legacyConfig({ auths: { 'quay.io': AUTH } }))[0], 'not-found');
  for (const url of [undefined, '', 'oci://', 'oci:///a']) {
    assert.is(refused(url, dockerConfig({ auths: { '': AUTH, 'quay.io': AUTH } }))[0], 'not-found');
  }
});

test('the user of a URL is in no message', () => {
  const [, message] = refused('oci://me:hunter@ghcr.io/a', dockerConfig({ auths: { 'quay.io': AUTH } }));
  assert.is(message, "registry Secret 'pull' has no entry for 'ghcr.io'");
});

test.run();
