// long
// `troupe model serve`, `routes` and `token` as processes: what the README of the sample tells to type, edits while it runs, and calls
// that make no sense.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from './command.ts';

const test = suite('troupe model serve');

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLI = join(ROOT, 'actors/cli.js');
const SAMPLE = join(ROOT, 'deploy/samples/company-api');
const README = readFileSync(join(ROOT, 'deploy', 'samples', 'company-api', 'README.md'), 'utf8');
const ANY_PORT = ['--bind-address', '127.0.0.1:0'];

interface Server {
  readonly url: string;
  /** Waits until the output has a text. */
  until(text: string): Promise<string>;
  stop(): Promise<number | null>;
}

async function served(args: readonly string[], cwd = ROOT): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'model', 'serve', ...args, ...ANY_PORT], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('said');
    });
  }
  const closed = once(child, 'close');
  const until = async (text: string): Promise<string> => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
      await Promise.race([once(child, 'said'), closed]);
    }
    return output;
  };
  const said = await until('/api\n');
  return {
    url: /listening at (\S+)\/api/.exec(said)?.[1] ?? '',
    until,
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}

test('what the README of the sample tells to type works', async () => {
  const [, command = ''] = /^troupe model serve (.*)$/m.exec(README) ?? [];
  const server = await served(command.split(' '));
  try {
    const expected = README.slice(README.indexOf('fleet: '), README.indexOf('\nin a browser'));
    assert.is((await fetch(`${server.url}/docs/fleet/v1`)).status, 200);
    assert.ok((await server.until('fleet')).includes(expected));
    const urls = [...README.matchAll(/curl -s 'http:\/\/127\.0\.0\.1:8000([^']*)'/g)].map(([, path]) => path);
    assert.is(urls.length, 4);
    const bodies = await Promise.all(urls.map(async (path) => (await fetch(`${server.url}${path}`)).json()));
    assert.equal((bodies[1] as { items: unknown }).items, [
      { kind: 'Cluster', id: 'shop', href: '/api/fleet/v1/clusters/shop', name: 'shop', region: { id: 'north' } },
    ]);
    assert.is((bodies[2] as { replicas: number }).replicas, 3);
  } finally {
    assert.is(await server.stop(), 0);
  }
});

test('an edit is served, and what it means is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-serve-'));
  cpSync(SAMPLE, folder, { recursive: true });
  const file = join(folder, 'models/fleet/v1/fleet.model');
  const text = readFileSync(file, 'utf8');
  const server = await served(['models', '--watch'], folder);
  try {
    await fetch(`${server.url}/api/fleet/v1/regions`, {
      method: 'POST',
      body: '{"id":"x"}',
      headers: { 'Content-Type': 'application/json' },
    });
    writeFileSync(file, text.replace('locator Clusters {', 'locator Groups {'));
    const said = await server.until('breaking change');
    assert.match(said, /\+ GET \/api\/fleet\/v1\/groups\n/);
    assert.match(said, /- GET \/api\/fleet\/v1\/clusters\n/);
    assert.match(said, /! fleet\/v1: .*\[locator\.removed\]/);
    assert.is((await fetch(`${server.url}/api/fleet/v1/groups`)).status, 200);
    assert.is((await fetch(`${server.url}/api/fleet/v1/clusters`)).status, 404);
    assert.is((await fetch(`${server.url}/api/fleet/v1/regions/x`)).status, 200);
    // A model with errors is told, and the last good one served.
    writeFileSync(file, text.replace('class Region {', 'class Regin {'));
    await server.until('used but not defined');
    assert.is((await fetch(`${server.url}/api/fleet/v1/groups`)).status, 200);
    writeFileSync(file, text.replace('\tEnabled Boolean\n', '\tEnabled Boolean\n\tCapacity Long\n'));
    // The clusters are back, the groups that were served meanwhile are gone.
    await server.until('+ GET /api/fleet/v1/clusters\n');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test('a token that is printed lets in, and nothing else does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-serve-'));
  const token = run(ROOT, ['token', '--name', 'ada']).stdout;
  writeFileSync(join(folder, 'token'), token);
  const server = await served([join(SAMPLE, 'models'), '--auth', 'token', '--token-file', join(folder, 'token')]);
  try {
    const path = `${server.url}/api/fleet/v1/regions`;
    assert.is((await fetch(path)).status, 401);
    assert.is((await fetch(path, { headers: { Authorization: `Bearer ${token.trim()}` } })).status, 200);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test('routes lists methods, paths and what serves them', () => {
  const { stdout, status } = run(ROOT, ['routes', join(SAMPLE, 'models')]);
  assert.match(stdout, /^GET {4}\/api\/fleet\/v1\/clusters\/\{cluster_id\}\/node_pools +NodePools\.List +memory$/m);
  assert.match(stdout, /^14 routes, 0 with nothing that serves them$/m);
  const { stdout: json } = run(ROOT, ['routes', join(SAMPLE, 'models'), '-o', 'json']);
  assert.is((JSON.parse(json) as { routes: unknown[] }).routes.length, 14);
  assert.is(status, 0);
});

test('36.A6b: an address that is taken is reported with its option, as every other server of Troupe does', async () => {
  const models = join(SAMPLE, 'models');
  const server = await served([models]);
  try {
    const { host } = new URL(server.url);
    const { stderr, status } = run(ROOT, ['serve', models, '--bind-address', host]);
    assert.equal([status, stderr], [2, `troupe: --bind-address: listen EADDRINUSE: address already in use ${host}\n`]);
  } finally {
    await server.stop();
  }
});

test('calls that make no sense end with 2 and say why', () => {
  const models = join(SAMPLE, 'models');
  for (const [args, reason] of [
    [['--bind-address', ':0'], /--auth none is for this machine only/],
    [['--bind-address', '0.0.0.0:0'], /--auth none is for this machine only/],
    [['--bind-address', 'x'], /--bind-address is not 'x'/],
    [['--auth', 'all'], /--auth is 'none', 'token' or 'jwks', not 'all'/],
    [['--auth', 'token'], /--auth token needs --token-file/],
    [['--auth', 'jwks'], /--auth jwks needs --jwks/],
    [['--auth', 'token', '--token-file', '/nowhere'], /ENOENT/],
    [['--tls-cert', 'x'], /belong together/],
    [['--rate', 'x'], /--rate is a number/],
    [['--objects', '/nowhere'], /ENOENT/],
    [['--objects', join(ROOT, 'package.json')], /is no path of the model/],
  ] as const) {
    const { stderr, status } = run(ROOT, ['serve', models, ...args]);
    assert.is(status, 2, stderr);
    assert.match(stderr, reason);
  }
});

test.run();
