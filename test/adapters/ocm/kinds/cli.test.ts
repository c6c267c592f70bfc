// long
// Modeled objects as people see them: `troupe crds`, `get`, `why` and `tree` with --models, and kubectl's columns.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { openApiServer } from '../../../world/api-server.ts';
import { modelOf } from '../gateway/model.ts';
import { MODELS } from './models.ts';
import { openModelWorld } from './world.ts';

const test = suite('modeled objects for people');
const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));
const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS = [
  { ...FLEET, class: 'Cluster', statusAttributes: ['State'] },
  { ...FLEET, class: 'NodePool' },
] as const;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

test('36.4b: a pool that waits is listed, explained and drawn', async () => {
  const clock = systemClock();
  const server = await openApiServer({ clock });
  const folder = await mkdtemp(join(tmpdir(), 'troupe-models-'));
  const bindings = join(folder, 'bindings.yaml');
  await writeFile(bindings, JSON.stringify({ kinds: BINDINGS }));
  const world = await openModelWorld(
    { clock, client: server.client, close: () => server.close() },
    { model: modelOf(MODELS), bindings: BINDINGS },
  );
  const troupe = (...args: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const all = [CLI, ...args, '--models', MODELS, '--model-bindings', bindings];
      const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: server.kubeconfig };
      execFile(process.execPath, all, { env, cwd: folder }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  try {
    const pod = ['-n', world.namespace] as const;
    await world.create('NodePool', 'workers', { clusterRef: 'a' });
    await world.until('NodePool', 'workers', (object) => object?.status?.['conditions'] !== undefined);
    const waiting = await troupe('why', 'nodepool/workers', ...pod);
    assert.is(waiting.code, 1, waiting.err);
    assert.match(waiting.out, 'Cluster/a');

    await world.create('Cluster', 'a');
    await world.until('NodePool', 'workers', (object) =>
      JSON.stringify(object?.status ?? {}).includes('"reason":"Available"'),
    );
    const all = await troupe('get', ...pod);
    assert.is(all.code, 0, all.err);
    assert.match(all.out, /Cluster\/a/i);
    assert.match(all.out, /NodePool\/workers/i);
    assert.match((await troupe('tree', ...pod)).out, /a[\s\S]*workers/);
    const fine = await troupe('why', 'nodepool/workers', ...pod);
    assert.is(fine.code, 0, fine.out);

    await world.client.call({ method: 'DELETE', path: world.path('Cluster', 'a') });
    await world.until('Cluster', 'a', (object) => JSON.stringify(object?.status ?? {}).includes('InUse'));
    const held = await troupe('why', 'cluster/a', ...pod);
    assert.match(held.out, /NodePool\/workers/);

    const table = await world.client.call({
      method: 'GET',
      path: world.path('NodePool'),
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    const { columnDefinitions, rows } = table.body as unknown as {
      columnDefinitions: readonly { name: string }[];
      rows: readonly { cells: readonly unknown[] }[];
    };
    assert.equal(
      columnDefinitions.map(({ name }) => name),
      ['Name', 'Cluster', 'Ready', 'Message', 'Age'],
    );
    assert.equal(rows[0]?.cells.slice(0, 3), ['workers', 'a', 'True']);
  } finally {
    await world.close();
    await rm(folder, { recursive: true });
  }
});

test('36.4b: crds has the kinds of models beside those that come with Troupe; a model that is wrong is told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-models-'));
  const run = (...args: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: folder };
      execFile(process.execPath, [CLI, ...args], { env, cwd: folder }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  try {
    const { out, code } = await run('crds', 'nodepool', 'network', '--models', MODELS);
    assert.is(code, 0);
    assert.match(out, 'name: nodepools.fleet-mgmt.models.troupe.dev');
    assert.match(out, /networks\.openstack/);
    const missing = await run('crds', '--models', join(folder, 'none'));
    assert.is(missing.code, 2);
    await writeFile(join(folder, 'wrong.yaml'), JSON.stringify({ kinds: [{ ...FLEET, class: 'Nothing' }] }));
    const wrong = await run('crds', '--models', MODELS, '--model-bindings', 'wrong.yaml');
    assert.equal([wrong.code, wrong.err], [2, "troupe: fleet_mgmt/v1_alpha1 Nothing: there is no class 'Nothing'\n"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
