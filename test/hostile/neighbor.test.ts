// long
// A noisy neighbor: hundreds of objects of one namespace are at work on the cloud that a lone network of another one uses, too;
// in a process with the memory of deploy/, and with a lease that ends before the neighbor's turn comes.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcePath, SECRETS } from '../../adapters/kubernetes/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { loneMs } from '../actors/lone-networks.ts';
import { deployedHeap, memoryLimitMib, TroupeProcess } from '../actors/processes.ts';
import { findNatsServer, type OpenGround, onNats } from '../world/environments.ts';
import { CREDENTIALS, resourceOf, World } from '../world/world.ts';

const NEIGHBORS = 300;
/** Lone networks that are timed, with nobody else at work and beside the neighbor. */
const LONE = 3;
/** With 16 calls at a time the neighbor's creates alone take longer than a lease. */
const LATENCY_MS = 800;
const LEASE_MS = 6_000;
/** A lone network may take so many times as long, and so much more, in milliseconds: the machine has others to serve, too. */
const SLOWER = { times: 4, moreMs: 5_000 };
/** Part of the calls whose answer may come too late: how long they take is learnt. */
const LATE_PART = 0.05;

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('noisy neighbor');
  const openGround: OpenGround = async (clock) => ({ ...(await onNats(found.program)(clock)), deadlineMs: 90_000 });

  test('a lone network waits for nobody, no call is sent without time, and the pod keeps within its memory', async () => {
    const limitMib = memoryLimitMib();
    const world = await World.open(openGround, { runtime: 'stopped', leaseMs: LEASE_MS });
    const { simulator } = world.ground;
    if (simulator === undefined) throw new Error('the cloud is simulated here');
    const pod = new TroupeProcess(world, { ...deployedHeap(), TROUPE_LEASE_MS: String(LEASE_MS) });
    try {
      simulator.setLatency(LATENCY_MS);
      const quietMs = await loneMs(world, 'quiet', LONE);
      const neighbor = world.name('neighbor');
      const names = Array.from({ length: NEIGHBORS }, (_, index) => world.name(`crowd-${index}`));
      await world.createNamespace(neighbor);
      const stringData = { 'clouds.yaml': world.ground.cloudsYaml };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: CREDENTIALS }, stringData };
      await apply(world, resourcePath(SECRETS, neighbor, CREDENTIALS), secret);
      simulator.resetCounts();
      const networks = resourceOf('Network');
      for (const name of names) {
        await apply(world, resourcePath(networks, neighbor, name), world.managed('Network', name));
      }
      const besideMs = await loneMs(world, 'beside', LONE);
      const made = async (): Promise<number> =>
        (await world.contents('networks')).filter(({ name }) => names.includes(String(name))).length;
      assert.ok((await made()) < NEIGHBORS, 'the neighbor is at work all the time');
      assert.ok(
        besideMs < SLOWER.times * quietMs + SLOWER.moreMs,
        `a lone network took ${besideMs} ms beside the neighbor, ${quietMs} ms without`,
      );
      await world.eventually('the neighbor gets what he asked for', async () => {
        const count = await made();
        return count === NEIGHBORS ? undefined : `${count} of ${NEIGHBORS}`;
      });
      const calls = Object.values(simulator.calls()).reduce((sum, count) => sum + count, 0);
      assert.ok(calls >= NEIGHBORS);
      assert.ok(
        simulator.abandoned() < calls * LATE_PART,
        `${simulator.abandoned()} of ${calls} calls had no time left`,
      );
      const peakMib = await pod.peakMib();
      assert.ok(peakMib < limitMib, `${peakMib} MiB of ${limitMib}`);
    } finally {
      simulator.setLatency(0);
      await pod.kill();
      await world.close();
    }
  });
  test.run();
}

async function apply(world: World, path: string, body: JsonObject): Promise<void> {
  const contentType = 'application/apply-patch+yaml';
  await world.client.call({ method: 'PATCH', path: `${path}?fieldManager=kubectl&force=true`, contentType, body });
}
