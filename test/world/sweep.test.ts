// Cleanup of namespaces that a killed run left at a shared API server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcePath } from '../../adapters/kubernetes/mod.ts';
import { inMemory } from './environments.ts';
import { owned, sweep } from './sweep.ts';
import { resourceOf, World } from './world.ts';

const test = suite('namespaces of killed runs');

test('a namespace of a run that has ended is deleted with its objects, and no other one', async () => {
  const world = await World.open(inMemory, { runtime: 'stopped' });
  try {
    const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(ended, 'exit');
    const [killed, living, foreign] = [world.name('killed'), world.name('living'), world.name('foreign')];
    await world.createNamespace(killed, owned(ended.pid));
    await world.createNamespace(living);
    await world.createNamespace(foreign, {});
    const path = resourcePath(resourceOf('Network'), killed);
    const manifest = world.managed('Network', 'held');
    const metadata = { name: 'held', finalizers: ['openstack.k-orc.cloud/network'] };
    await world.client.call({ method: 'POST', path, body: { ...manifest, metadata } });
    assert.equal(await sweep(world), [killed]);
    await world.namespaceGone(killed);
    for (const name of [living, foreign]) {
      const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${name}` });
      assert.is((body['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp, undefined);
    }
    assert.equal(await sweep(world), []);
  } finally {
    await world.close();
  }
});

test.run();
