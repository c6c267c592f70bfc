// needs: nats-programs
// Creates that the cloud does late, of a pod that was killed meanwhile: whoever goes on waits for what they make, and takes
// it for its own (P13).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { TroupeProcess } from '../../../actors/processes.ts';
import { findNatsServer, onNats } from '../../../world/environments.ts';
import { slowness } from '../../../world/speed.ts';
import { World } from '../../../world/world.ts';

const LEASE_MS = Math.round(1_500 * slowness(systemClock()));

const isLook = ({ data }: { readonly data: JsonObject }): boolean => data['to'] === 'building.adopting';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('chaos: late creates');
  test("what lands after its pod was killed is its successor's, which makes no other (I4, P13)", async () => {
    const world = await World.open(onNats(found.program), { runtime: 'stopped', leaseMs: LEASE_MS });
    const pods: TroupeProcess[] = [];
    const start = (): void => void pods.push(new TroupeProcess(world, { TROUPE_LEASE_MS: String(LEASE_MS) }));
    try {
      await world.observe();
      start();
      const [network, subnet, port] = [world.name('n'), world.name('s'), world.name('p')];
      await world.apply(
        world.managed('Network', network),
        world.managed('Subnet', subnet, { networkRef: network, ipVersion: 4, cidr: '10.9.0.0/24' }),
      );
      await world.available('Subnet', subnet);
      const { faults, drift } = world.simulator;
      const creates = { method: 'POST', path: /^\/ports$/ };
      // The first is under way for ever, as far as its pod lives to see.
      const first = faults.inject({ match: creates, delayMs: 60_000, dropBeforeWork: true });
      const others = faults.inject({ match: creates, times: 9, delayMs: 1 });
      const addresses = [{ subnetRef: subnet, ip: '10.9.0.9' }];
      await world.apply(world.managed('Port', port, { networkRef: network, addresses }));
      await world.eventually('a create is under way', () => (first.hits === 1 ? undefined : 'none'));
      await pods[0]?.kill();
      const looks = (): number => world.eventsOf('Port', port, 'transition').filter(isLook).length;
      const before = looks();
      start();
      await world.eventually('its successor has looked twice', () => (looks() >= before + 2 ? undefined : 'not yet'));
      const [made] = world.simulator.resources('subnets');
      const { id: subnet_id = '', network_id = '', project_id = '' } = made ?? {};
      const fixed_ips = [{ subnet_id, ip_address: '10.9.0.9' }];
      const late = drift.add('ports', {
        name: port,
        network_id,
        project_id,
        tenant_id: project_id,
        fixed_ips,
        status: 'DOWN',
      });
      const { status } = await world.available('Port', port);
      assert.is(status?.id, late);
      assert.is(others.hits, 0, 'no other create was sent');
      assert.equal(
        (await world.contents('ports')).map(({ id }) => id),
        [late],
      );
    } finally {
      for (const pod of pods) await pod.kill();
      await world.close();
    }
  });
  test.run();
}
