// The public command line against `troupe model serve`: logged in by a token of `troupe model token`, with clusters, machine pools,
// accounts and subscriptions.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTroupe } from './troupe-process.ts';

/** The program, and what is before its own arguments. */
export interface Program {
  readonly command: string;
  readonly args?: readonly string[];
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Ocm = (args: readonly string[], input?: string) => Promise<Ended>;

const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));
const MODELS = fileURLToPath(new URL('models', import.meta.url));
const CLUSTERS = '/api/clusters_mgmt/v1/clusters';
const COUNT = 250;

const OBJECTS = {
  '/api/accounts_mgmt/v1/current_account': { id: 'acc', username: 'ada', email: 'ada@example.com' },
  '/api/accounts_mgmt/v1/accounts': [{ id: 'acc', username: 'ada', email: 'ada@example.com' }],
  '/api/accounts_mgmt/v1/subscriptions': [
    { id: 'sub7', display_name: 'c7', cluster_id: 'id7', status: 'Active', creator: { id: 'acc' } },
  ],
  [CLUSTERS]: Array.from({ length: COUNT }, (_, n) => ({
    id: `id${n}`,
    name: `c${n}`,
    state: n % 2 === 0 ? 'ready' : 'installing',
    openshift_version: '4.16.3',
    api: { url: `https://c${n}.example.com` },
    ...(n === 7 && { subscription: { id: 'sub7' } }),
  })),
  [`${CLUSTERS}/id7/machine_pools`]: [{ id: 'workers', replicas: 3, instance_type: 'm5.xlarge' }],
  '/api/clusters_mgmt/v1/versions': [
    { id: 'openshift-v4.16.3', raw_id: '4.16.3', enabled: true, channel_group: 'stable' },
  ],
};

function ended(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(command, [...args], { env, timeout: 30_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

async function loggedIn({ command, args = [] }: Program, run: (ocm: Ocm, url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-ocm-'));
  const env = { PATH: process.env['PATH'], HOME: folder, OCM_CONFIG: join(folder, 'ocm.json') };
  const ocm: Ocm = (own, input) => ended(command, [...args, ...own], env, input);
  const token = (await ended(process.execPath, [CLI, 'model', 'token', '--name', 'ada'], env)).stdout;
  await writeFile(join(folder, 'token'), token);
  await writeFile(join(folder, 'objects.json'), JSON.stringify(OBJECTS));
  const server = startTroupe(
    [
      ...['model', 'serve', MODELS, '--objects', join(folder, 'objects.json'), '--bind-address', '127.0.0.1:0'],
      ...['--auth', 'token', '--token-file', join(folder, 'token')],
    ],
    {},
  );
  try {
    const url = await server.find(/(http:\/\/127\.0\.0\.1:\d+)/);
    const login = await ocm(['login', '--token', token.trim(), '--url', url]);
    assert.is(login.code, 0, login.stderr);
    await run(ocm, url);
    assert.is(await server.stop(), 0, server.text());
    assert.not.match(server.text(), 'failed');
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

const parsed = ({ code, stdout, stderr }: Ended): Record<string, unknown> => {
  assert.is(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
};

export function ocmClientSuite(test: Test, program: Program): void {
  test('36.A2: login, whoami, get with parameters', () =>
    loggedIn(program, async (ocm) => {
      assert.is(parsed(await ocm(['whoami']))['username'], 'ada');
      const list = parsed(await ocm(['get', CLUSTERS, '--parameter', "search=name = 'c7'", '--parameter', 'size=1']));
      assert.equal([list['kind'], list['total'], list['size']], ['ClusterList', 1, 1]);
      assert.is(parsed(await ocm(['get', `${CLUSTERS}/id7`]))['name'], 'c7');
    }));

  test('36.A2: list clusters over several pages, or some of them; versions, machine pools', () =>
    loggedIn(program, async (ocm) => {
      const all = await ocm(['list', 'clusters']);
      assert.is(all.code, 0, all.stderr);
      assert.is(all.stdout.match(/^id\d+\s+c\d+\s/gm)?.length, COUNT);
      assert.match(all.stdout, /^id7\s+c7\s+https:\/\/c7\.example\.com\s+4\.16\.3\s.*installing/m);
      const some = await ocm(['list', 'clusters', 'c24']);
      assert.is(some.stdout.match(/^id\d+\s+c24\d?\s/gm)?.length, 11, some.stderr);
      assert.match((await ocm(['list', 'versions'])).stdout, '4.16.3');
      assert.match((await ocm(['list', 'machinepools', '--cluster', 'c7'])).stdout, /^workers\s/m);
    }));

  test('36.A2: describe cluster, by its name or identifier, with a subscription or without; its status', () =>
    loggedIn(program, async (ocm) => {
      for (const key of ['c7', 'id7', 'c8']) {
        const { code, stdout, stderr } = await ocm(['describe', 'cluster', key]);
        assert.is(code, 0, stderr);
        assert.match(stdout, new RegExp(`ID:\\s+id${key.slice(-1)}\\b`));
        assert.match(stdout, new RegExp(`Name:\\s+c${key.slice(-1)}\\b`));
        if (key !== 'c8') assert.match(stdout, 'ada@example.com');
      }
      assert.is((await ocm(['describe', 'cluster', 'nothing'])).code, 1);
      const status = await ocm(['cluster', 'status', 'id7']);
      assert.is(status.code, 0, status.stderr);
      assert.match(status.stdout, 'installing');
    }));

  test('36.A2: post, patch and delete with the body from standard input; errors as the client shows them', () =>
    loggedIn(program, async (ocm) => {
      const made = parsed(await ocm(['post', CLUSTERS], '{"name": "mine", "nodes": {"compute": 2}}'));
      assert.equal([made['kind'], made['name']], ['Cluster', 'mine']);
      const href = String(made['href']);
      const pool = parsed(await ocm(['post', `${href}/machine_pools`], '{"id": "p", "replicas": 2}'));
      assert.is(pool['href'], `${href}/machine_pools/p`);
      assert.is(parsed(await ocm(['patch', `${href}/machine_pools/p`], '{"replicas": 5}'))['replicas'], 5);
      assert.is((await ocm(['delete', `${href}/machine_pools/p`])).code, 0);
      assert.is((await ocm(['delete', href])).code, 0);
      for (const [args, input, reason] of [
        [['get', href], undefined, `Cluster '${made['id']}' not found`],
        [['get', `${CLUSTERS}?search=name+%3D`], undefined, 'Failed to parse search query'],
        [['post', CLUSTERS], '{"name": "c7"}', "Cluster 'c7' already exists"],
        [['post', CLUSTERS], '{"nodes": {"compute": "many"}}', 'nodes.compute'],
        [['get', '/api/nowhere/v1/x'], undefined, 'There is no such path'],
      ] as const) {
        const { code, stderr } = await ocm(args, input);
        assert.is(code, 1, args.join(' '));
        assert.match(stderr, reason);
      }
    }));
}

/** The program of that name in a folder of the PATH, or what OCM_CLIENT names; undefined: there is none. */
export async function findOcm(env: NodeJS.ProcessEnv): Promise<Program | undefined> {
  const command = env['OCM_CLIENT'] || 'ocm';
  const isThere = await new Promise<boolean>((resolve) => {
    const child = spawn(command, ['version'], { stdio: 'ignore', env: { PATH: env['PATH'] } });
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0));
  });
  return isThere ? { command } : undefined;
}
