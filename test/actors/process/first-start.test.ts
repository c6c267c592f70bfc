// The first start on a NATS server that is new: no loss is told, and nobody waits for holders that never were.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { readConfig } from '../../../actors/base/config.ts';
import { openLog } from '../../../actors/base/log.ts';
import { installCrds } from '../../../actors/process/install-crds.ts';
import { run } from '../../../actors/process/run.ts';
import { firstLeaseOf } from '../../../actors/sharding/first-start.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { openstackWith } from '../../../adapters/openstack/mod.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import { AbsentError, startNatsServer, TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { findNatsServer } from '../../world/environments.ts';

const found = await findNatsServer();
const test = suite('first start');
const clock = systemClock();

const [network, project] = ['network', 'project'].map((name) => {
  const kind = openstackWith({}).kinds.find(({ plural }) => plural === `${name}s`);
  if (kind === undefined) throw new Error(`no kind '${name}'`);
  return kind;
});
if (network === undefined || project === undefined) throw new Error('never');

function listed(finalizers: readonly string[]): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Network',
    metadata: { name: 'net', namespace: 'shop', uid: 'u', resourceVersion: '1', finalizers },
  };
}

test('a start is the first where no object carries its own finalizer, and what cannot be told is none (FIRST-START-1, FIRST-START-2)', async () => {
  const lists: string[] = [];
  const asked = (answer: (plural: string) => readonly KubeObject[], namespaces?: readonly string[]) =>
    firstLeaseOf({
      kinds: [project, network],
      namespaces,
      objects: {
        async list({ plural }, namespace) {
          lists.push(`${plural} of ${namespace ?? 'all'}`);
          return { items: answer(plural), resourceVersion: '1', serverTime: 0 };
        },
      },
    });
  assert.is(await asked(() => []), 'immediate');
  assert.is(await asked(() => [listed([]), listed(['example.org/other'])]), 'immediate');
  assert.is(await asked((plural) => (plural === 'networks' ? [listed([network.finalizer])] : [])), 'wait');
  lists.length = 0;
  assert.is(await asked(() => [], ['a', 'b']), 'immediate');
  assert.equal(lists, ['projects of a', 'projects of b', 'networks of a', 'networks of b']);
  const refusing = (error: Error) =>
    asked(() => {
      throw error;
    });
  assert.is(await refusing(new AbsentError('no such kind')), 'immediate');
  assert.is(await refusing(new TransientError('away')), 'wait');
});

if ('refusal' in found) {
  process.stdout.write(`skipped: ${found.refusal}\n`);
} else {
  test('a first start on a new NATS server waits for nobody and warns of nothing; where objects were acted on it does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-first-'));
    const api = await startApiServer({ clock });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeconfig());
    const client = kubeClient({ clock, kubeconfig });
    const adapters = [openstackWith({})];
    /** Until it hosts, or warns. */
    const linesOf = async (name: string): Promise<readonly string[]> => {
      const nats = await startNatsServer({
        clock,
        program: found.program,
        path: '',
        cacheFolder: folder,
        fetch: globalThis.fetch,
        onProgress: () => undefined,
        folder: join(folder, name),
      });
      const stop = new AbortController();
      const lines: string[] = [];
      const destination = new Writable({
        write(chunk: Buffer, _encoding, done) {
          const { level, msg, error } = JSON.parse(chunk.toString()) as Record<string, unknown>;
          lines.push(`${level} ${msg} ${error ?? ''}`);
          if (Number(level) > 30 || msg === 'shards taken over') stop.abort();
          done();
        },
      });
      const log = openLog({ level: 'info', readable: false, destination });
      await run({
        config: readConfig({ KUBECONFIG: kubeconfig, NATS_URL: nats.url }),
        adapters,
        clock,
        log,
        signal: stop.signal,
      });
      await nats.close();
      return lines;
    };
    const contracts = adapters.flatMap((adapter) => adapter.contracts);
    try {
      await installCrds(client, clock, () => undefined, contracts);
      const first = await linesOf('new');
      assert.ok(
        first.some((line) => line.includes('shards taken over')),
        first.join('\n'),
      );
      assert.equal(
        first.filter((line) => !line.startsWith('30')),
        [],
      );

      const { apiVersion, kind, metadata } = listed([network.finalizer]);
      const { name, finalizers } = metadata;
      const spec = {
        managementPolicy: 'unmanaged',
        import: { filter: { name } },
        cloudCredentialsRef: { secretName: 's', cloudName: 'c' },
      };
      const path = '/apis/openstack.k-orc.cloud/v1alpha1/namespaces/default/networks';
      await client.call({
        method: 'POST',
        path,
        body: { apiVersion, kind, metadata: { name, finalizers: [...(finalizers ?? [])] }, spec },
      });
      const wiped = await linesOf('wiped');
      assert.ok(
        wiped.some((line) => line.includes('an earlier holder may still act')),
        wiped.join('\n'),
      );
    } finally {
      await client.close();
      await api.close();
      await rm(folder, { recursive: true });
    }
  });
}

test.run();
