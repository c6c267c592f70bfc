import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { type Access, accessByKubeconfig, accessByPod } from '../../../adapters/kubernetes/kubeconfig.ts';

const test = suite('kubeconfig');

const CA = '-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-kubeconfig-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function access(folder: string, user: object, cluster: object = {}): Access {
  const path = join(folder, 'config');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'mine' } }],
    'current-context': 'x',
  };
  writeFileSync(path, stringify(config));
  return accessByKubeconfig(path);
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

test('whatever else there is to log in with is the library’s', () =>
  withFolder(async (folder) => {
    const status = { token: 'from the plugin' };
    const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    writeFileSync(join(folder, 'answer.json'), JSON.stringify(answer));
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'cat',
      args: [join(folder, 'answer.json')],
      interactiveMode: 'Never',
    };
    const { headers } = await access(folder, { exec }).credentials();
    assert.is(headers['Authorization'], 'Bearer from the plugin');
    const acting = await access(folder, { token: 'secret', as: 'somebody' }).credentials();
    assert.is(acting.headers['Impersonate-User'], 'somebody');
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
        { name: 'acting', user: { token: 'acting', as: 'somebody' } },
      ],
      contexts: [
        { name: 'current', context: { cluster: 'a', user: 'plain', namespace: 'ours' } },
        { name: 'other', context: { cluster: 'b', user: 'acting', namespace: 'theirs' } },
      ],
      'current-context': 'current',
    };
    writeFileSync(path, stringify(config));
    const current = accessByKubeconfig(path);
    assert.equal([current.server, current.namespace], ['https://a.example', 'ours']);
    const other = accessByKubeconfig(path, 'other');
    assert.equal([other.server, other.namespace], ['https://b.example', 'theirs']);
    assert.is((await other.credentials()).headers['Impersonate-User'], 'somebody');
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
        { name: 'acting', user: { token: 'third', as: 'eve' } },
      ],
      contexts: [{ name: 'y', context: { cluster: 'c', user: 'acting' } }],
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
