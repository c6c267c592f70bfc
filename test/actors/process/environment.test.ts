// What `troupe dev` starts: its API server's objects are there again at the next start, those of the demo are not.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../actors/base/config.ts';
import { type Environment, openEnvironment } from '../../../actors/process/environment.ts';
import { accessByKubeconfig } from '../../../adapters/kubernetes/kubeconfig.ts';
import { AbsentError, TerminalError } from '../../../bus/errors.ts';
import { ALONE } from '../../../bus/mod.ts';
import { openApiServer } from '../../world/api-server.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('environment');

/** What is fetched has nowhere to go, so there is no nats-server: the bus is in memory. */
const config = { ...readConfig({}), path: '', cache: '/dev/null/cache' };

const MAPS = '/api/v1/namespaces/default/configmaps';

async function during<T>(
  options: { folder: string; lasting: boolean; kubeconfig?: string; origin?: 'option' | 'variable' },
  run: (environment: Environment) => Promise<T>,
): Promise<T> {
  const { kubeconfig = undefined, origin: kubeconfigOrigin = 'variable', ...rest } = options;
  const environment = await openEnvironment({
    ...rest,
    config: { ...config, kubeconfig, kubeconfigOrigin },
    user: ALONE,
    adapters: [],
    clock: simulatedClock(),
    onProgress: () => undefined,
  });
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

test('35.5: what ends with the process has a bus of its own, of which nothing is left, nor of that of dev', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-environment-'));
  const kept = join(folder, 'nats', 'data', 'kept');
  try {
    await mkdir(join(folder, 'nats', 'data'), { recursive: true });
    await writeFile(kept, 'history of dev');
    await mkdir(join(folder, 'once', 'data'), { recursive: true });
    await during({ folder, lasting: false }, async () => undefined);
    assert.is(await readFile(kept, 'utf8'), 'history of dev');
    assert.equal((await readdir(folder)).sort(), ['kubeconfig', 'nats']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('its own kubeconfig, exported, starts no second one, and is recognized when nothing runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-environment-'));
  const kubeconfig = join(folder, '.', 'kubeconfig');
  const refused = async (): Promise<string> => {
    try {
      await during({ folder, lasting: true, kubeconfig }, async () => undefined);
      return 'begun';
    } catch (error) {
      assert.instance(error, TerminalError);
      return (error as Error).message;
    }
  };
  try {
    const server = await during({ folder, lasting: true }, async ({ client }) => {
      assert.match(await refused(), /is in use by process \d+: name another one with --data$/);
      return client.server;
    });
    // Nobody serves it now: it is started, as without the variable.
    await during({ folder, lasting: true, kubeconfig }, async ({ client }) => {
      assert.is(client.server, server);
      await client.call({ method: 'GET', path: MAPS });
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a cluster elsewhere that only KUBECONFIG names is refused before anything is written; one that is asked for, or local, is used', async () => {
  const place = await mkdtemp(join(tmpdir(), 'troupe-environment-'));
  const [folder, kubeconfig] = [join(place, 'own'), join(place, 'kubeconfig')];
  const refusal = async (lasting: boolean, path: string): Promise<string> => {
    try {
      await during({ folder, lasting, kubeconfig: path }, async () => undefined);
      return 'begun';
    } catch (error) {
      assert.instance(error, TerminalError);
      return (error as Error).message;
    }
  };
  const given = await openApiServer({ clock: simulatedClock() });
  try {
    const { server } = accessByKubeconfig(given.kubeconfig);
    const elsewhere = 'https://cluster.example.com:6443';
    await writeFile(kubeconfig, (await readFile(given.kubeconfig, 'utf8')).replaceAll(server, elsewhere));
    const why = 'which is not on this machine: unset KUBECONFIG, or name that cluster with --kubeconfig';
    for (const lasting of [false, true])
      assert.is(await refusal(lasting, kubeconfig), `KUBECONFIG leads to ${elsewhere}, ${why}`);
    const absent = join(place, 'absent');
    assert.is(await refusal(true, absent), `KUBECONFIG leads to '${absent}', ${why}`);
    assert.equal(await readdir(place), ['kubeconfig']);
    await copyFile(given.kubeconfig, kubeconfig);
    for (const origin of ['option', 'variable'] as const)
      await during({ folder, lasting: true, kubeconfig, origin }, async (environment) => {
        assert.equal([environment.cluster, environment.client.server], ['given', server]);
      });
  } finally {
    await given.close();
    await rm(place, { recursive: true });
  }
});

test('a folder that is a file, or cannot be made, is refused with its option', async () => {
  const place = await mkdtemp(join(tmpdir(), 'troupe-environment-'));
  const file = join(place, 'file');
  await writeFile(file, '');
  try {
    for (const folder of [file, join(file, 'below')]) {
      const error = await during({ folder, lasting: true }, async () => undefined).catch((thrown: unknown) => thrown);
      assert.instance(error, TerminalError);
      assert.match(
        (error as Error).message,
        `--data must name a directory, or one that can be made; got '${folder}': E`,
      );
    }
  } finally {
    await rm(place, { recursive: true });
  }
});

test('the origin of the kubeconfig: the option takes precedence over the variable', () => {
  const origin = (...given: Parameters<typeof readConfig>): unknown => readConfig(...given).kubeconfigOrigin;
  assert.equal(
    [origin({}), origin({ KUBECONFIG: 'a' }), origin({ KUBECONFIG: 'a' }, { kubeconfig: 'b' })],
    [undefined, 'variable', 'option'],
  );
});

test.run();
