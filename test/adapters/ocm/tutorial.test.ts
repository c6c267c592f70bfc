// long
// What the README of the sample of an API tells to type: with the typed client, and in a cluster, where objects are actors.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { findKubectl } from '../../deploy/kubectl.ts';
import { run } from './command.ts';
import { startTroupe } from './gateway/troupe-process.ts';

const test = suite('the tutorial of an API');
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const README = readFileSync(join(ROOT, 'deploy', 'samples', 'company-api', 'README.md'), 'utf8');
const CLI = join(ROOT, 'actors/cli.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TOLD = 'http://127.0.0.1:8000';
const ANY_PORT = '127.0.0.1:0';
const clock = systemClock();

/** The fences of a language below a heading. */
function blocks(heading: string, language: string): readonly string[] {
  const [, section = ''] = README.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-tutorial-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('36.6: the typed client of a model compiles, and calls the model that is served', () =>
  inFolder(async (folder) => {
    const [command = ''] = blocks('With a typed client', 'sh');
    const [usage = ''] = blocks('With a typed client', 'ts');
    const [, , , models = '', , output = ''] = command.trim().split(' ');
    assert.is(run(ROOT, ['types', models, '--output', join(folder, output)]).status, 0);
    const server = startTroupe(
      [
        ...['model', 'serve', join(ROOT, models), '--bind-address', ANY_PORT],
        ...['--objects', join(ROOT, 'deploy/samples/company-api/objects.json')],
      ],
      {},
    );
    try {
      const url = await server.find(/(http:\/\/127\.0\.0\.1:\d+)/);
      writeFileSync(join(folder, 'usage.mts'), usage.replace(TOLD, url));
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: 'es2024',
        module: 'nodenext',
        lib: ['esnext', 'dom'],
        types: [],
        allowImportingTsExtensions: true,
        exactOptionalPropertyTypes: true,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
      const compiled = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
      assert.equal([compiled.status, compiled.stdout], [0, '']);
      const called = spawnSync(process.execPath, ['usage.mts'], { cwd: folder, encoding: 'utf8' });
      assert.is(called.status, 0, called.stderr);
      const [, first = '', second = '', third = ''] =
        /It prints `([^`]+)`, `([^`]+)` and `([^`]+)`/.exec(README.replaceAll('\n', ' ')) ?? [];
      assert.equal(called.stdout.trim().split('\n'), [first, second, third]);
    } finally {
      await server.stop();
    }
  }));

test('36.6: what is posted is an object for kubectl, an edit of it is read over HTTP, and a deleted cluster waits', () =>
  inFolder(async (folder) => {
    const [dev = '', typed = ''] = blocks('In a cluster, with kubectl', 'sh');
    const models = join(ROOT, /TROUPE_MODELS=(\S+)/.exec(typed)?.[1] ?? '');
    const data = join(folder, 'data');
    const own = ['--ocm-bind-address', ANY_PORT, '--visualizer-bind-address', '0'];
    const [, ...command] = dev.trim().split(' ');
    const { HOME, TROUPE_NATS_SERVER } = process.env;
    const role = startTroupe([...command, '--data', data, ...own], {
      HOME,
      ...(TROUPE_NATS_SERVER !== undefined && { TROUPE_NATS_SERVER }),
    });
    const kubeconfig = join(data, 'kubeconfig');
    const env = { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, TROUPE_MODELS: models };
    try {
      const url = await role.find(/(http:\/\/127\.0\.0\.1:\d+)\/docs/);
      const kubectl = await findKubectl(process.env);
      const client = kubeClient({ clock, kubeconfig, inCluster: undefined, userAgent: 'tutorial' });
      const http = async (path: string, method = 'GET', body?: string): Promise<{ status: number; text: string }> => {
        for (;;) {
          const headers = { 'Content-Type': 'application/json' };
          const reply = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
          if (reply.status !== 503) return { status: reply.status, text: await reply.text() };
          await clock.sleep(50);
        }
      };
      const troupe = (args: readonly string[]): string =>
        spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8', cwd: folder }).stdout;
      let shown = 0;
      for (const line of typed.trim().split('\n').slice(1)) {
        const [, json, path = ''] = /^curl -s --json '(.*)' http:\/\/127\.0\.0\.1:8000(\S+)$/.exec(line) ?? [];
        const [, gone] = /^curl -s -X DELETE http:\/\/127\.0\.0\.1:8000(\S+)$/.exec(line) ?? [];
        if (json !== undefined) assert.is((await http(path, 'POST', json)).status, 201, line);
        else if (gone !== undefined) assert.is((await http(gone, 'DELETE')).status, 202, line);
        else if (line.startsWith('troupe ')) {
          shown += 1;
          const args = line.split(' ').slice(1);
          const wanted = args[0] === 'why' ? /nodepool\/workers/i : /cluster\/shop[\s\S]*region\/north/i;
          let text = '';
          for (let tries = 0; tries < 50 && !wanted.test(text); tries++) {
            text = troupe(args);
            if (!wanted.test(text)) await clock.sleep(200);
          }
          assert.match(text, wanted, line);
        } else if (kubectl !== undefined) {
          const ran = spawnSync('sh', ['-c', line.replace('kubectl', kubectl)], { env, encoding: 'utf8' });
          assert.is(ran.status, 0, ran.stderr);
        } else if (line.includes(' patch ')) {
          const [, body = ''] = /--patch '(.*)'$/.exec(line) ?? [];
          await client.call({
            method: 'PATCH',
            path: '/apis/fleet.models.troupe.dev/v1/namespaces/default/nodepools/workers',
            contentType: 'application/merge-patch+json',
            body: JSON.parse(body),
          });
        }
      }
      assert.is(shown, 2);
      const pool = '/api/fleet/v1/clusters/shop/node_pools/workers';
      assert.is((JSON.parse((await http(pool)).text) as { replicas: number }).replicas, 5);
      assert.is((await http('/api/fleet/v1/clusters/shop')).status, 200, 'as long as its node pool is there');
      assert.is((await http(pool, 'DELETE')).status, 204);
      while ((await http('/api/fleet/v1/clusters/shop')).status !== 404) await clock.sleep(50);
      await client.close();
      assert.is(await role.stop(), 0, role.text());
    } finally {
      await role.stop();
    }
  }));

test.run();
