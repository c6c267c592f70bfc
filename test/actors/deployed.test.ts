// The rules of deploy/ are enough for the life of objects, and no more is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deployed } from './deployed.ts';
import { inMemory } from './grounds.ts';
import { checkIn } from './harness.ts';

const test = suite('deployed in memory');

checkIn(test, deployed(inMemory, { withKubectl: false }))(
  'objects come and go under the rules of the service account',
  async (world) => {
    const [net, sub] = [world.name('net'), world.name('sub')];
    const resource = { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/24' };
    await world.apply(world.managed('Subnet', sub, resource), world.managed('Network', net));
    await world.available('Subnet', sub);
    await world.delete('Network', net);
    await world.delete('Subnet', sub);
    await world.gone('Network', net);
    const refused = world.logs.filter((line) => JSON.stringify(line).includes('forbidden'));
    assert.equal(refused, []);
  },
);

test.run();
