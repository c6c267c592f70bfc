import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { startApiServer } from '../../../adapters/kubernetes/embedded/mod.ts';
import { compareVersions, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { TerminalError, TransientError } from '../../../bus/mod.ts';
import { eventsSuite } from './events.suite.ts';
import { objectsSuite } from './objects.suite.ts';

const test = suite('objects of the embedded API server');

async function embedded() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-objects-'));
  const api = await startApiServer({ clock: systemClock() });
  const path = join(folder, 'kubeconfig');
  await writeFile(path, api.kubeconfig());
  const close = async (): Promise<void> => {
    await api.close();
    await rm(folder, { recursive: true });
  };
  return { path, api, close };
}

objectsSuite(test, embedded);
eventsSuite(test, embedded);

test('a server that does not answer is a transient failure that names it', async () => {
  const { path, close } = await embedded();
  const client = kubeClient({ clock: systemClock(), kubeconfig: path });
  await close();
  try {
    await client.call({ method: 'GET', path: '/version' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
    assert.match((error as Error).message, client.server);
  }
  await client.close();
});

test('a kubeconfig that is not there is said by name', () => {
  try {
    kubeClient({ clock: systemClock(), kubeconfig: '/nowhere/kubeconfig' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, '/nowhere/kubeconfig');
  }
});

test('versions are ordered as numbers', () => {
  assert.ok(compareVersions('9', '10') < 0);
  assert.ok(compareVersions('10', '9') > 0);
  assert.is(compareVersions('10', '10'), 0);
});

test.run();
