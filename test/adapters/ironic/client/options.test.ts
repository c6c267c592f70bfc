// What may be said of the connection, and what comes of files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settings } from '../../../../adapters/api/adapter.ts';
import { readKeys } from '../../../../adapters/ironic/client/connection.ts';
import { connectionSource } from '../../../../adapters/ironic/client/connection-source.ts';
import { CONNECTION_FLAGS, connectionOptions, endpointOf } from '../../../../adapters/ironic/client/options.ts';
import { TerminalError } from '../../../../bus/errors.ts';
import { selfSigned } from '../../openstack/certificate.ts';

const test = suite('options of the connection to Ironic');

/** As the command line reads them: an empty variable is not set. */
function settings(env: Readonly<Record<string, string>>): Settings {
  return {
    flag: (name) => {
      const flag = CONNECTION_FLAGS.find((each) => each.name === name);
      if (flag === undefined) throw new Error(`no flag ${name}`);
      return { name: flag.variable, value: env[flag.variable] || undefined };
    },
    variable: (name) => env[name],
  };
}

const optionsOf = (env: Readonly<Record<string, string>> = {}) => connectionOptions(settings(env));

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

test('what holds when nothing is said', () => {
  assert.equal(optionsOf(), {
    whereabouts: undefined,
    caFile: '/opt/metal3/certs/ca/tls.crt',
    clientCertificateFile: '/opt/metal3/certs/client/tls.crt',
    clientKeyFile: '/opt/metal3/certs/client/tls.key',
    verify: 'verified',
    authFolder: '/opt/metal3/auth/ironic',
    timeoutMs: 30_000,
    cacheTtlMs: 5_000,
    callsInFlight: 16,
    proxy: undefined,
  });
});

test('each variable is heeded', () => {
  const options = optionsOf({
    IRONIC_ENDPOINT: 'https://ironic.example.com:6385/v1/',
    IRONIC_CACERT_FILE: '/a/ca',
    IRONIC_CLIENT_CERT_FILE: '/a/crt',
    IRONIC_CLIENT_PRIVATE_KEY_FILE: '/a/key',
    IRONIC_INSECURE: 'TRUE',
    IRONIC_SKIP_CLIENT_SAN_VERIFY: 'True',
    IRONIC_CLIENT_CACHE_TTL: '0',
    IRONIC_CLIENT_TIMEOUT: '1m30s',
    METAL3_AUTH_ROOT_DIR: '/auth/',
    TROUPE_IRONIC_CALLS_IN_FLIGHT: '4',
    HTTPS_PROXY: 'http://proxy:3128',
  });
  assert.equal(options, {
    whereabouts: { kind: 'endpoint', endpoint: 'https://ironic.example.com:6385' },
    caFile: '/a/ca',
    clientCertificateFile: '/a/crt',
    clientKeyFile: '/a/key',
    verify: 'unverified',
    authFolder: '/auth/ironic',
    timeoutMs: 90_000,
    cacheTtlMs: 0,
    callsInFlight: 4,
    proxy: { httpsProxy: 'http://proxy:3128', noProxy: 'localhost,127.0.0.0/8,::1' },
  });
});

test('an endpoint is one with or without its version and its slashes', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['http://172.22.0.1:6385', 'http://172.22.0.1:6385'],
    ['http://172.22.0.1:6385/', 'http://172.22.0.1:6385'],
    ['http://172.22.0.1:6385/v1', 'http://172.22.0.1:6385'],
    ['http://172.22.0.1:6385/v1/', 'http://172.22.0.1:6385'],
    ['https://[fd00::1]:6385/v1//', 'https://[fd00::1]:6385'],
    ['https://example.com/baremetal/v1', 'https://example.com/baremetal'],
    ['https://example.com/baremetal', 'https://example.com/baremetal'],
    ['HTTP://Example.com', 'http://example.com'],
  ];
  for (const [value, expected] of cases) assert.is(endpointOf({ name: 'IRONIC_ENDPOINT', value }), expected);
});

test('what is no endpoint is refused, and a password in it is not quoted', () => {
  for (const value of ['172.22.0.1:6385', 'ironic', '/v1', 'ftp://a/', 'http://', 'http://a/?x=1', 'http://a/#x']) {
    assert.match(
      refusal(() => optionsOf({ IRONIC_ENDPOINT: value })),
      /^IRONIC_ENDPOINT must be an http or https URL/,
    );
  }
  for (const value of ['http://admin:hunter22@ironic/', 'http://hunter22@ironic/', 'admin:hunter22@ironic']) {
    assert.not.match(
      refusal(() => optionsOf({ IRONIC_ENDPOINT: value })),
      /hunter22/,
    );
  }
});

test('a resource goes before the endpoint, in the namespace that is said, or the own one, or the watched one', () => {
  const name = { IRONIC_NAME: 'ironic', IRONIC_ENDPOINT: 'http://elsewhere/' };
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ IRONIC_NAMESPACE: 'a', POD_NAMESPACE: 'b', WATCH_NAMESPACE: 'c' }, 'a'],
    [{ IRONIC_NAMESPACE: '', POD_NAMESPACE: 'b', WATCH_NAMESPACE: 'c' }, 'b'],
    [{ WATCH_NAMESPACE: 'c' }, 'c'],
  ];
  for (const [env, namespace] of cases) {
    assert.equal(optionsOf({ ...name, ...env }).whereabouts, { kind: 'resource', namespace, name: 'ironic' });
  }
  assert.match(
    refusal(() => optionsOf(name)),
    /^IRONIC_NAMESPACE must be set where IRONIC_NAME is$/,
  );
  assert.match(
    refusal(() => optionsOf({ ...name, WATCH_NAMESPACE: 'a,b' })),
    /^IRONIC_NAMESPACE must be one namespace/,
  );
  assert.match(
    refusal(() => optionsOf({ IRONIC_NAME: 'a/b', POD_NAMESPACE: 'c' })),
    /^IRONIC_NAME must be the name/,
  );
});

test('what breaks a rule is refused by the name of its variable', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['IRONIC_INSECURE', 'yes'],
    ['IRONIC_INSECURE', '1'],
    ['IRONIC_SKIP_CLIENT_SAN_VERIFY', 'no'],
    ['IRONIC_CLIENT_TIMEOUT', '0'],
    ['IRONIC_CLIENT_TIMEOUT', '-1s'],
    ['IRONIC_CLIENT_TIMEOUT', '30'],
    ['IRONIC_CLIENT_CACHE_TTL', '-5s'],
    ['IRONIC_CLIENT_CACHE_TTL', 'soon'],
    ['TROUPE_IRONIC_CALLS_IN_FLIGHT', '0'],
    ['TROUPE_IRONIC_CALLS_IN_FLIGHT', '1.5'],
  ];
  for (const [name, value] of cases) {
    const message = refusal(() => optionsOf({ [name]: value }));
    assert.ok(message.startsWith(`${name} must be `) && message.includes(value), message);
  }
});

const { certificate, key } = selfSigned();

/** Files below a folder that is removed afterwards. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  run: (options: ReturnType<typeof connectionOptions>, root: string) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'ironic-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, name, '..'), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const env = {
      IRONIC_ENDPOINT: 'http://ironic:6385/v1/',
      IRONIC_CACERT_FILE: join(root, 'ca.crt'),
      IRONIC_CLIENT_CERT_FILE: join(root, 'client.crt'),
      IRONIC_CLIENT_PRIVATE_KEY_FILE: join(root, 'client.key'),
      METAL3_AUTH_ROOT_DIR: root,
    };
    await run(optionsOf(env), root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('files that do not exist are not used, and without a folder nobody signs in', () =>
  withFiles({}, async (options) => {
    assert.equal(await readKeys(options), {
      trust: { ca: undefined, verify: 'verified' },
      credentials: undefined,
      warnings: [],
    });
  }));

test('files that exist are used; of the credentials without the space around them', () =>
  withFiles(
    {
      'ca.crt': certificate,
      'client.crt': certificate,
      'client.key': key,
      'ironic/username': ' admin\n',
      'ironic/password': '\tse cret\n',
    },
    async (options) => {
      assert.equal(await readKeys(options), {
        trust: { ca: certificate, verify: 'verified', client: { certificate, key } },
        credentials: { username: 'admin', password: 'se cret' },
        warnings: [],
      });
    },
  ));

test('a certificate without its key, or the other way round, is not shown, and people are told', async () => {
  for (const files of [{ 'client.crt': certificate }, { 'client.key': key }]) {
    await withFiles(files, async (options) => {
      const { trust, warnings } = await readKeys(options);
      assert.equal(trust, { ca: undefined, verify: 'verified' });
      assert.is(warnings.length, 1);
    });
  }
});

test('what a file must hold it holds, or nothing begins; nothing of it is told', async () => {
  const user = { 'ironic/username': 'admin' };
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [user, /there is no '.*ironic\/password'/],
    [{ 'ironic/password': 'hunter22' }, /there is no '.*ironic\/username'/],
    [{ ...user, 'ironic/password': ' \n' }, /username or password in '.*' is empty/],
    [{ 'ironic/username': '', 'ironic/password': 'hunter22' }, /username or password in '.*' is empty/],
    [{ 'ironic/username': 'a:b', 'ironic/password': 'hunter22' }, /holds a colon/],
    [{ 'ca.crt': 'hunter22' }, /ca\.crt' holds no certificate in PEM/],
    [{ 'ca.crt': '-----BEGIN CERTIFICATE-----\nhunter22\n-----END CERTIFICATE-----\n' }, /holds no certificate in PEM/],
    [{ 'client.crt': certificate, 'client.key': 'hunter22' }, /are no certificate and its key in PEM/],
    [{ 'client.crt': certificate, 'client.key': selfSigned().key }, /are no certificate and its key in PEM/],
  ];
  for (const [files, expected] of cases) {
    await withFiles(files, async (options) => {
      try {
        await readKeys(options);
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.match((error as Error).message, expected);
        assert.not.match((error as Error).message, /hunter22/);
        assert.is((error as Error).cause, undefined);
        return;
      }
      assert.unreachable(`${expected}`);
    });
  }
});

test('a file that cannot be read is an error, not a file that is not there', async () => {
  const denied = Object.assign(new Error('EACCES: hunter22'), { code: 'EACCES' });
  const files = { read: () => Promise.reject(denied), exists: async () => false };
  await readKeys(optionsOf(), files).then(
    () => assert.unreachable('it was read'),
    (error: Error) => assert.match(error.message, /cannot be read \(EACCES\)$/),
  );
});

const PORTS = {
  readSecret: async () => undefined,
  readResource: async () => undefined,
  log: { warn: () => undefined },
};

test('people are warned once', () =>
  withFiles({ 'client.crt': certificate }, async (options) => {
    const warnings: object[] = [];
    const source = connectionSource(options, { ...PORTS, log: { warn: (fields) => void warnings.push(fields) } });
    await source();
    await source();
    assert.is(warnings.length, 1);
  }));

test('a source reads anew each time, so that a new password needs no start', () =>
  withFiles({ 'ironic/username': 'admin', 'ironic/password': 'old' }, async (options, root) => {
    const source = connectionSource(options, PORTS);
    assert.is((await source()).credentials?.password, 'old');
    writeFileSync(join(root, 'ironic/password'), 'new');
    assert.equal(await source(), {
      endpoint: 'http://ironic:6385',
      trust: { ca: undefined, verify: 'verified' },
      credentials: { username: 'admin', password: 'new' },
    });
  }));

test('where nobody said where Ironic is, nothing is served', () => {
  assert.is(
    refusal(() => connectionSource(optionsOf(), PORTS)),
    'IRONIC_ENDPOINT or IRONIC_NAME must be set',
  );
});

test.run();
