// What `troupe dev` starts: its API server's objects are there again at the next start, those of the demo are not.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { readConfig } from '../../../actors/process/config.ts';
import { type Environment, openEnvironment } from '../../../actors/process/environment.ts';
import { AbsentError } from '../../../bus/errors.ts';

const test = suite('environment');

/** What is fetched has nowhere to go, so there is no nats-server: the bus is in memory. */
const config = { ...readConfig({}), path: '', cache: '/dev/null/cache' };

const MAPS = '/api/v1/namespaces/default/configmaps';

async function during<T>(
  options: { folder: string; lasting: boolean },
  run: (environment: Environment) => Promise<T>,
): Promise<T> {
  const environment = await openEnvironment({ ...options, config, clock: systemClock(), onProgress: () => undefined });
  return run(environment).finally(() => environment.close());
}

for (const lasting of [true, false]) {
  test(`objects ${lasting ? 'last' : 'do not last'}, and so does the kubeconfig`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-environment-'));
    try {
      const server = await during({ folder, lasting }, async ({ client }) => {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
        await client.call({ method: 'POST', path: MAPS, body });
        return client.server;
      });
      await during({ folder, lasting }, async ({ client }) => {
        const found = client.call({ method: 'GET', path: `${MAPS}/kept` });
        if (lasting) {
          await found;
          assert.is(client.server, server);
        } else {
          try {
            await found;
            assert.unreachable();
          } catch (error) {
            assert.instance(error, AbsentError);
          }
        }
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

test.run();
