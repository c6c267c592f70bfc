// A trunk guards its ports with two finalizers, as what carries it and as what it carries: both go with it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inMemory } from '../world/environments.ts';
import { checkIn, condition, type World } from '../world/world.ts';

const test = suite('trunks in memory');
const check = checkIn(test, inMemory);

const GUARD = 'openstack.k-orc.cloud/trunk';

async function standing(world: World): Promise<readonly string[]> {
  const names = ['net', 'parent', 'child'].map((name) => world.name(name));
  const [net = '', parent = '', child = ''] = names;
  const subports = [{ portRef: child, segmentationID: 10, segmentationType: 'vlan' }];
  await world.apply(
    world.managed('Trunk', world.name('trunk'), { portRef: parent, subports }),
    world.managed('Port', parent, { networkRef: net }),
    world.managed('Port', child, { networkRef: net }),
    world.managed('Network', net),
  );
  await world.available('Trunk', world.name('trunk'));
  return [parent, child];
}

check('what a trunk stands on and what it carries are kept until it is gone, and go then (I2)', async (world) => {
  const [parent = '', child = ''] = await standing(world);
  for (const [port, finalizer] of [
    [parent, GUARD],
    [child, `${GUARD}-subport`],
  ] as const) {
    const { metadata } = (await world.read('Port', port)) ?? {};
    assert.ok(metadata?.finalizers?.includes(finalizer), `${port}: ${metadata?.finalizers}`);
    await world.delete('Port', port);
    await world.until('Port', port, 'held by the trunk', (object) =>
      condition(object, 'Progressing').message.includes(
        `Waiting for finalizer ${finalizer} to be removed (held by Trunk/${world.name('trunk')})`,
      ),
    );
  }
  await world.delete('Trunk', world.name('trunk'));
  for (const port of [parent, child]) await world.gone('Port', port);
  assert.equal(await world.contents('ports'), []);
  assert.equal(await world.contents('trunks'), []);
});

test.run();
