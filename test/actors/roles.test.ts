// long
// Roles in processes of their own, each under its own rules of the chart: who hosts actors is told nothing of clouds.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import { metrics } from '../../actors/observability/metrics.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { REALM } from '../../adapters/openstack/mod.ts';
import type { Bus } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import { CREDENTIALS, checkIn, type World } from '../world/world.ts';
import { accountFor } from './deployed.ts';
import { applyAbsent, comeAndGo, isUp, landscape } from './landscape.ts';

const test = suite('roles');

type Call = Parameters<KubeClient['call']>[0];

interface Pod {
  readonly calls: readonly Call[];
  readonly lines: readonly string[];
  readonly served: () => number;
  /** Requests that it refused, with the reason. */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

async function pod(world: World, bus: Bus, roles: readonly string[]): Promise<Pod> {
  const { clock, ground } = world;
  const kubeconfig = join(ground.folder, `kubeconfig-${roles.join('-')}`);
  await writeFile(kubeconfig, await accountFor(roles, ground), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig, dispatcher: ground.wire });
  const calls: Call[] = [];
  const lines: string[] = [];
  const refused: string[] = [];
  let served = 0;
  const openstack = world.openstack();
  const adapter: ConfiguredAdapter = {
    ...openstack,
    async serve(ports) {
      served++;
      return openstack.serve(ports);
    },
  };
  const runtime: Runtime = await startRuntime({
    bus,
    client: {
      ...client,
      call(call) {
        calls.push(call);
        return client.call(call);
      },
    },
    clock,
    log: openLog({
      level: 'warn',
      readable: false,
      destination: new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(chunk.toString());
          done();
        },
      }),
    }),
    adapters: [adapter],
    roles: new Set(roles),
    callMs: 10_000,
    events: true,
    metrics: { ...metrics({ clock }), onRefused: ({ operation, reason }) => refused.push(`${operation} ${reason}`) },
  });
  return {
    refused,
    calls,
    lines,
    served: () => served,
    async close() {
      await runtime.close();
      await client.close();
    },
  };
}

function ofSecrets({ calls }: Pod): readonly Call[] {
  return calls.filter(({ path }) => /\/secrets(\/|\?|$)/.test(path));
}

checkIn(test, inMemory)(
  'who only hosts actors serves no adapter and asks for no data of a secret (I5)',
  async (world) => {
    const elsewhere = await world.ground.connect('cloud');
    const hosting = await pod(world, await world.observe(), [Role.Watch, Role.Actors]);
    const serving = await pod(world, elsewhere, [REALM]);
    try {
      await comeAndGo(world);

      assert.is(hosting.served(), 0);
      const asked = ofSecrets(hosting);
      assert.ok(asked.length > 0, 'the secret is guarded');
      assert.equal(
        asked.filter(({ accept }) => accept?.includes('as=PartialObjectMetadata') !== true),
        [],
      );
      assert.is(serving.served(), 1);
      assert.equal(
        [...new Set(ofSecrets(serving).map(({ method, path }) => `${method} ${path}`))],
        [`GET /api/v1/namespaces/${world.namespace}/secrets/${CREDENTIALS}`],
      );
      assert.equal([...hosting.lines, ...serving.lines], []);
    } finally {
      await hosting.close();
      await serving.close();
      await elsewhere.close();
    }
  },
  { runtime: 'stopped' },
);

checkIn(test, inMemory)(
  'nothing of a landscape is refused, and who serves its operations reads each of its objects a few times in its life (REQUEST-AUTHORIZER-2)',
  async (world) => {
    const elsewhere = await world.ground.connect('cloud');
    const hosting = await pod(world, await world.observe(), [Role.Watch, Role.Actors]);
    const serving = await pod(world, elsewhere, [REALM]);
    try {
      const objects = landscape(world).flat();
      await world.outside(world.name('public'));
      await applyAbsent(world, objects);
      await world.eventually(
        'everything is available',
        async () => objects.find((object) => !isUp(world, object))?.name,
      );
      const reads = (): number => serving.calls.length - ofSecrets(serving).length;
      const [up, others] = [reads(), hosting.calls.length];
      await world.deleteNamespace();
      await world.namespaceGone();
      const gone = `${reads() - up} beside ${hosting.calls.length - others} to all gone`;
      console.log(`${objects.length} objects: ${up} reads beside ${others} requests to all available, ${gone}`);
      assert.ok(up <= 2 * objects.length, `${up} reads`);
      assert.ok(reads() - up <= 2 * objects.length, `${reads() - up} reads`);
      // Of what the caller had not heard yet it hears soon; what was told before it was written is written soon.
      assert.equal(
        serving.refused.filter((reason) => !/ (?:outdated|reference)$/.test(reason)),
        [],
      );
      assert.equal(serving.lines, []);
    } finally {
      await hosting.close();
      await serving.close();
      await elsewhere.close();
    }
  },
  { runtime: 'stopped' },
);

test.run();
