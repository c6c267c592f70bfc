import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { type Environment, runPlugin } from '../../../adapters/kubernetes/exec-plugin.ts';
import type { Fields } from '../../../adapters/kubernetes/fields.ts';
import { type Access, accessByKubeconfig, accessByPod } from '../../../adapters/kubernetes/kubeconfig.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { rejection } from '../../world/rejection.ts';

const test = suite('kubeconfig');

const CA = '-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** An ID token that expires in 2096. */
function jwt(sub: string): string {
  const parts = [{ alg: 'none' }, { sub, exp: 4_000_000_000 }, {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

/** A user of an identity provider. */
function identified(sub: string): object {
  return { 'auth-provider': { name: 'oidc', config: { 'id-token': jwt(sub) } } };
}

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-kubeconfig-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function access(folder: string, user: object, cluster: object = {}, env?: Environment): Access {
  const path = join(folder, 'config');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'mine' } }],
    'current-context': 'x',
  };
  writeFileSync(path, stringify(config));
  return accessByKubeconfig(path, undefined, env);
}

test('a token and an authority, inline', () =>
  withFolder(async (folder) => {
    const { server, namespace, credentials } = access(
      folder,
      { token: 'secret' },
      { 'certificate-authority-data': base64(CA), 'tls-server-name': 'kubernetes' },
    );
    assert.is(server, 'https://api.example:6443');
    assert.is(namespace, 'mine');
    assert.equal(await credentials(), {
      tls: { ca: CA, servername: 'kubernetes' },
      headers: { Authorization: 'Bearer secret' },
    });
  }));

test('files lie beside the kubeconfig, and are read anew', () =>
  withFolder(async (folder) => {
    const files = { 'client-certificate': 'me.crt', 'client-key': 'me.key' };
    writeFileSync(join(folder, 'ca.crt'), CA);
    writeFileSync(join(folder, 'me.crt'), 'first');
    writeFileSync(join(folder, 'me.key'), 'key');
    const { credentials } = access(folder, files, { 'certificate-authority': 'ca.crt' });
    assert.equal(await credentials(), { tls: { ca: CA, cert: 'first', key: 'key' }, headers: {} });
    writeFileSync(join(folder, 'me.crt'), 'second');
    assert.is((await credentials()).tls['cert'], 'second');
  }));

test('a name and a password; a server that is not verified', () =>
  withFolder(async (folder) => {
    const user = { username: 'me', password: 'pass' };
    const { credentials } = access(folder, user, { 'insecure-skip-tls-verify': true });
    assert.equal(await credentials(), {
      tls: { rejectUnauthorized: false },
      headers: { Authorization: `Basic ${base64('me:pass')}` },
    });
  }));

const V1 = 'client.authentication.k8s.io/v1';
/** An `exec` that runs a script of `sh`. */
const sh = (script: string, fields: object = {}): { readonly exec: Fields } => ({
  exec: { apiVersion: V1, command: 'sh', args: ['-c', script, 'secret argument'], interactiveMode: 'Never', ...fields },
});

test('a plugin prints a token or a certificate, and when that expires', () =>
  withFolder(async (folder) => {
    const printed = (status: object) => access(folder, sh(`echo '${JSON.stringify({ status })}'`)).credentials();
    assert.equal(await printed({ token: 'from the plugin' }), {
      tls: {},
      headers: { Authorization: 'Bearer from the plugin' },
      expiresAt: Number.POSITIVE_INFINITY,
    });
    const pair = { clientCertificateData: 'certificate', clientKeyData: 'key' };
    assert.equal(await printed({ ...pair, expirationTimestamp: '2030-01-01T00:00:00Z' }), {
      tls: { cert: 'certificate', key: 'key' },
      headers: {},
      expiresAt: Date.UTC(2030, 0, 1),
    });
  }));

test('a plugin runs again when its credential expires or is forgotten; files are read each time', () =>
  withFolder(async (folder) => {
    const issue = (token: string, expirationTimestamp: string): void =>
      writeFileSync(join(folder, 'answer'), JSON.stringify({ status: { token, expirationTimestamp } }));
    const authority = (text: string): void => writeFileSync(join(folder, 'ca.crt'), text);
    const user = sh(`cat ${folder}/answer`);
    const { credentials, forget } = access(folder, user, { 'certificate-authority': 'ca.crt' });
    const at = async (now: number): Promise<unknown> => {
      const { tls, headers } = await credentials(now);
      return [headers['Authorization'], tls['ca']];
    };
    authority('old');
    issue('first', '1970-01-01T00:00:01Z');
    assert.equal(await at(0), ['Bearer first', 'old']);
    issue('second', '1970-01-01T00:00:02Z');
    authority('new');
    assert.equal(await at(999), ['Bearer first', 'new']);
    assert.equal(await at(1_000), ['Bearer second', 'new']);
    issue('third', '1970-01-01T00:00:03Z');
    assert.equal(await at(1_999), ['Bearer second', 'new']);
    forget();
    assert.equal(await at(1_999), ['Bearer third', 'new']);
  }));

test('a plugin receives its variables, and the cluster if its kubeconfig says so', () =>
  withFolder(async (folder) => {
    const cluster = {
      'certificate-authority-data': base64(CA),
      'tls-server-name': 'kubernetes',
      'proxy-url': 'http://proxy.example:3128',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'here' } }],
    };
    const received = async (fields: object): Promise<unknown> => {
      const script = `printf '%s' "$KUBERNETES_EXEC_INFO" > ${folder}/info; echo '{"status":{"token":"'"$OWN$OTHER"'"}}'`;
      const user = sh(script, { ...fields, env: [{ name: 'OWN', value: 'own' }] });
      const env = { ...process.env, OWN: 'replaced', OTHER: ' other' };
      const { headers } = await access(folder, user, cluster, env).credentials();
      assert.is(headers['Authorization'], 'Bearer own other');
      return JSON.parse(readFileSync(join(folder, 'info'), 'utf8'));
    };
    const info = { apiVersion: V1, kind: 'ExecCredential' };
    assert.equal(await received({}), { ...info, spec: { interactive: false } });
    assert.equal(await received({ provideClusterInfo: true }), {
      ...info,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api.example:6443/',
          'tls-server-name': 'kubernetes',
          'certificate-authority-data': base64(CA),
          'proxy-url': 'http://proxy.example:3128',
          config: { audience: 'here' },
        },
      },
    });
  }));

test('a plugin that is a path is found beside its kubeconfig', () =>
  withFolder(async (folder) => {
    const token = JSON.stringify({ status: { token: 'from beside' } });
    writeFileSync(join(folder, 'plugin'), `#!/bin/sh\necho '${token}'\n`, { mode: 0o700 });
    const { headers } = await access(folder, sh('', { command: './plugin' })).credentials();
    assert.is(headers['Authorization'], 'Bearer from beside');
  }));

test('a plugin that fails says why, without what it printed or was given', () =>
  withFolder(async (folder) => {
    const failure = async (user: object): Promise<string> =>
      (await rejection(access(folder, user).credentials())).message;
    assert.is(await failure(sh('echo secret; echo no network >&2; exit 3')), "the plugin 'sh' failed: no network");
    assert.is(await failure(sh('exit 3')), "the plugin 'sh' failed: 3");
    assert.is(await failure(sh('', { command: '/nowhere/x' })), "the plugin '/nowhere/x' failed: ENOENT");
    for (const printed of ['secret', '{}', '{"status":{}}', '[]'])
      assert.is(await failure(sh(`echo '${printed}'`)), "the plugin 'sh' printed no credential");
    assert.is(await failure({ exec: { args: [] } }), "the user's field 'exec' has no command");
    const late = runPlugin(sh('sleep 10').exec, { cluster: {}, ca: undefined, env: process.env }, 50);
    assert.is((await rejection(late)).message, "the plugin 'sh' failed: it took longer than 0.05 s");
    // Its input has ended.
    assert.is(await failure(sh('read line || echo no password >&2; exit 1')), "the plugin 'sh' failed: no password");
  }));

test('a user acts as another, with a token from a file too', () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'token'), 'secret');
    const { headers } = await access(folder, { tokenFile: 'token', as: 'somebody' }).credentials();
    assert.equal(headers, { Authorization: 'Bearer secret', 'Impersonate-User': 'somebody' });
  }));

test('an identity provider is the library’s; what it issued is kept until it is forgotten', () =>
  withFolder(async (folder) => {
    const { credentials, forget } = access(folder, identified('first'));
    const first = { tls: {}, headers: { Authorization: `Bearer ${jwt('first')}` }, expiresAt: 4_000_000_000_000 };
    assert.equal(await credentials(), first);
    access(folder, identified('second'));
    assert.equal(await credentials(), first);
    forget();
    assert.is((await credentials()).headers['Authorization'], `Bearer ${jwt('second')}`);
  }));

test('the proxy of the cluster comes first, then that of the environment, unless the API server is excepted', () =>
  withFolder(async (folder) => {
    const proxy = (server: string, env: Record<string, string>, cluster: object = {}): string | undefined =>
      access(folder, {}, { server, ...cluster }, env).proxy;
    const [api, http] = ['https://api.example.com:6443', 'http://proxy.example:3128'];
    assert.is(proxy(api, {}), undefined);
    assert.is(proxy(api, { HTTPS_PROXY: http }), http);
    assert.is(proxy(api, { https_proxy: 'proxy.example:3128' }), http);
    assert.is(proxy(api, { HTTP_PROXY: http, HTTPS_PROXY: '' }), undefined);
    assert.is(proxy('http://api.example.com', { HTTP_PROXY: http }), http);
    const direct = (server: string, exceptions: string): boolean =>
      proxy(server, { HTTPS_PROXY: http, NO_PROXY: exceptions }) === undefined;
    for (const server of ['https://localhost:1', 'https://127.0.0.1:1', 'https://127.3.2.1', 'https://[::1]:1'])
      assert.ok(direct(server, ''), server);
    for (const exceptions of [
      '*',
      'a, api.example.com',
      'EXAMPLE.com',
      '.example.com',
      '*.example.com',
      'example.com:6443',
    ])
      assert.ok(direct(api, exceptions), exceptions);
    for (const exceptions of ['', ',', 'ample.com', '.api.example.com', 'example.com:443', '10.0.0.0/8', '10.0.0.0/99'])
      assert.not(direct(api, exceptions), exceptions);
    for (const exceptions of ['10.0.0.0/8', '10.1.2.3', '10.1.2.3:443']) {
      assert.ok(direct('https://10.1.2.3', exceptions), exceptions);
      assert.not(direct('https://10.2.2.3:443', exceptions) && exceptions !== '10.0.0.0/8', exceptions);
      assert.not(direct('https://11.1.2.3', exceptions), exceptions);
    }
    assert.ok(direct('https://[fd00::1]:6443', 'fd00::/8'));
    assert.ok(direct('https://[fd00::1]:6443', '[fd00::1]:6443'));
    const everything = { HTTPS_PROXY: 'http://other.example', NO_PROXY: '*' };
    assert.is(proxy('https://127.0.0.1:6443', everything, { 'proxy-url': http }), http);
  }));

test('a proxy that cannot be used is refused, with its place and without its password', () =>
  withFolder(async (folder) => {
    const refusal = (cluster: object, env: Record<string, string> = {}): Error => {
      try {
        access(folder, {}, cluster, env);
        return assert.unreachable() as never;
      } catch (error) {
        return error as Error;
      }
    };
    const advice = 'name an http or https proxy there, or remove it to connect directly';
    const socks = 'socks5://me:secret@proxy.example:1080';
    const named = refusal({ 'proxy-url': socks });
    assert.instance(named, TerminalError);
    assert.is(named.message, `the cluster's field 'proxy-url' names a proxy of the kind 'socks5'; ${advice}`);
    assert.is(refusal({}, { https_proxy: socks }).message, `HTTPS_PROXY names a proxy of the kind 'socks5'; ${advice}`);
    assert.is(refusal({ 'proxy-url': ':secret' }).message, `the cluster's field 'proxy-url' is no URL; ${advice}`);
  }));

test('a pod has the service account that is mounted, and its token is read anew', () =>
  withFolder(async (folder) => {
    for (const [name, text] of Object.entries({ namespace: 'ours', 'ca.crt': CA, token: 'first\n' }))
      writeFileSync(join(folder, name), text);
    const { server, namespace, credentials } = accessByPod('https://10.0.0.1:443', folder);
    assert.equal([server, namespace], ['https://10.0.0.1:443', 'ours']);
    assert.equal(await credentials(), { tls: { ca: CA }, headers: { Authorization: 'Bearer first' } });
    writeFileSync(join(folder, 'token'), 'second');
    assert.is((await credentials()).headers['Authorization'], 'Bearer second');
  }));

test('a context that is asked for goes before the current one, for the library too', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'config');
    const config = {
      clusters: ['a', 'b'].map((name) => ({ name, cluster: { server: `https://${name}.example` } })),
      users: [
        { name: 'plain', user: { token: 'plain' } },
        { name: 'identified', user: identified('me') },
      ],
      contexts: [
        { name: 'current', context: { cluster: 'a', user: 'plain', namespace: 'ours' } },
        { name: 'other', context: { cluster: 'b', user: 'identified', namespace: 'theirs' } },
      ],
      'current-context': 'current',
    };
    writeFileSync(path, stringify(config));
    const current = accessByKubeconfig(path);
    assert.equal([current.server, current.namespace], ['https://a.example', 'ours']);
    const other = accessByKubeconfig(path, 'other');
    assert.equal([other.server, other.namespace], ['https://b.example', 'theirs']);
    assert.is((await other.credentials()).headers['Authorization'], `Bearer ${jwt('me')}`);
    assert.throws(() => accessByKubeconfig(path, 'third'), /kubeconfig '.*' has no context 'third' with a cluster/);
  }));

test('several files are merged as kubectl does: missing ones are left out, the first of a name wins, paths are of their file', () =>
  withFolder(async (folder) => {
    const place = (name: string): string => join(folder, name, 'config');
    const write = (name: string, config: object): void => {
      mkdirSync(join(folder, name));
      writeFileSync(place(name), stringify(config));
    };
    const cluster = { server: 'https://a.example', 'certificate-authority': 'ca.crt' };
    write('users', { users: [{ name: 'u', user: { token: 'first' } }], 'current-context': '' });
    write('clusters', {
      clusters: [{ name: 'c', cluster }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'mine' } }],
      'current-context': 'x',
    });
    write('others', {
      clusters: [{ name: 'c', cluster: { server: 'https://b.example' } }],
      users: [
        { name: 'u', user: { token: 'second' } },
        { name: 'identified', user: { ...identified('me'), as: 'eve' } },
      ],
      contexts: [{ name: 'y', context: { cluster: 'c', user: 'identified' } }],
      'current-context': 'y',
    });
    writeFileSync(join(folder, 'clusters', 'ca.crt'), CA);
    const paths = [place('absent'), place('users'), '', place('clusters'), place('others')].join(delimiter);
    const { server, namespace, credentials } = accessByKubeconfig(paths);
    assert.equal([server, namespace], ['https://a.example', 'mine']);
    assert.equal(await credentials(), { tls: { ca: CA }, headers: { Authorization: 'Bearer first' } });
    const other = accessByKubeconfig(paths, 'y');
    assert.is(other.server, 'https://a.example');
    const acting = await other.credentials();
    assert.equal([acting.headers['Impersonate-User'], String(acting.tls['ca'])], ['eve', CA]);
    const absent = [place('absent'), place('gone')].join(delimiter);
    assert.throws(() => accessByKubeconfig(absent), /cannot be used: none of its files exists$/);
  }));

test('a kubeconfig that leads nowhere says so', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'config');
    assert.throws(() => accessByKubeconfig(path), /kubeconfig '.*' cannot be used: ENOENT/);
    writeFileSync(path, 'current-context: gone\ncontexts: []\n');
    assert.throws(() => accessByKubeconfig(path), /kubeconfig '.*' has no current context with a cluster/);
    writeFileSync(path, '{');
    assert.throws(() => accessByKubeconfig(path), /kubeconfig '.*' cannot be used/);
  }));

test.run();
