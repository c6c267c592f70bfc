// needs: kube openstack nats
// One landscape on a real cluster, a real NATS and a real cloud: up, edited, and down.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REAL_SKIP, realGround } from '../../world/environments.ts';
import { checkIn, type Kind } from '../../world/world.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('one landscape on real counterparts');
  checkIn(test, ground)('objects come up in any order, follow an edit, and leave nothing', async (world) => {
    const [net, sub, router, group, port, volume] = ['net', 'sub', 'router', 'group', 'port', 'volume'].map((each) =>
      world.name(each),
    ) as [string, string, string, string, string, string];
    // What stands on others first.
    await world.apply(
      world.managed('Port', port, { networkRef: net, addresses: [{ subnetRef: sub }], securityGroupRefs: [group] }),
      world.managed('Subnet', sub, { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/24', routerRef: router }),
      world.managed('Router', router),
      world.managed('SecurityGroup', group, { rules: [] }),
      world.managed('Network', net),
      world.managed('Volume', volume, { size: 1 }),
    );
    const all: readonly (readonly [Kind, string])[] = [
      ['Network', net],
      ['Subnet', sub],
      ['Router', router],
      ['SecurityGroup', group],
      ['Port', port],
      ['Volume', volume],
    ];
    for (const [kind, name] of all) await world.available(kind, name);

    await world.patch('Network', net, { spec: { resource: { description: 'edited' } } });
    await world.until('Network', net, 'edited', ({ status }) => status?.resource?.['description'] === 'edited');
    await world.available('Network', net);

    await world.deleteNamespace();
    await world.namespaceGone();
    for (const collection of ['networks', 'subnets', 'routers', 'security-groups', 'ports', 'volumes']) {
      assert.equal(await world.contents(collection), [], collection);
    }
  });
  test.run();
}
