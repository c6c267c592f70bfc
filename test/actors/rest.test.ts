// long
// Objects of all kinds at rest: a process that begins anew finds nothing to do for any of them, whether or not the bus still
// knows what they told each other.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS as ALL } from '../../adapters/openstack/kinds/registry.ts';
import { memoryBroker } from '../../bus/mod.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import { inMemory } from '../world/environments.ts';
import { CREDENTIALS, checkIn, isDone, type Kind, type World } from '../world/world.ts';
import { CHILDREN, type Described, everyKind, IMAGE_CONTENT, manifestOf, secretsFor } from './every-kind.ts';

const test = suite('rest in memory');
/** Of all kinds each. */
const SETS = 3;
/** Whatever would be written, or asked of the cloud, is by then, in milliseconds. */
const QUIET_MS = 1_500;

async function settled(world: World): Promise<readonly Described[]> {
  const host = await startFileHost();
  try {
    const imageUrl = host.file('/image', IMAGE_CONTENT);
    const all = Array.from({ length: SETS }, (_, index) => world.name(String(index))).flatMap((prefix) => {
      return everyKind({ prefix, imageUrl, userName: 'admin' });
    });
    for (let index = 0; index < SETS; index++) {
      for (const [name, content] of Object.entries(secretsFor(world.name(String(index)))))
        await world.secret(name, content);
    }
    await world.apply(
      ...all.map((one) => manifestOf(one, { secretName: CREDENTIALS, cloudName: world.ground.cloudName })),
    );
    for (const { kind, name } of all) await world.available(kind, name);
    await quiet(world);
    return all;
  } finally {
    await host.close();
  }
}

/** Waits until the runtime does nothing any more. */
async function quiet(world: World): Promise<void> {
  const done = (): number => world.calls.length + world.writes.length;
  for (let before = -1; before !== done(); await world.clock.sleep(QUIET_MS)) before = done();
}

function check(title: string, open: typeof inMemory): void {
  checkIn(test, open)(title, async (world) => {
    const all = await settled(world);
    const count = all.length + CHILDREN * SETS;
    assert.equal([...new Set(all.map(({ kind }) => kind))].sort(), ALL.map(({ kind }) => kind).sort());
    const read = (): Promise<unknown> => Promise.all(all.map(({ kind, name }) => world.read(kind as Kind, name)));
    const before = await read();
    const unsettled = world.follower.all().filter((object) => object.kind !== 'Secret' && !isDone(object));
    assert.equal(unsettled, []);
    await world.stop();
    world.calls.length = 0;
    world.writes.length = 0;
    const asked = { ...world.simulator.calls() };

    await world.start();
    await world.eventually('all live, and are at rest', () => {
      const atRest = world.runtime?.countByState().get('idle.available') ?? 0;
      return atRest === count ? undefined : `${atRest} of ${count} are`;
    });
    await quiet(world);
    assert.equal(world.writes, []);
    assert.equal(world.calls, []);
    assert.equal({ ...world.simulator.calls() }, asked);
    assert.equal(await read(), before);
  });
}

check(`${SETS} of every kind, settled, cost no call and no write at a restart`, inMemory);
check('the same when all mail was lost meanwhile', async (options) => {
  const ground = await inMemory(options);
  return { ...ground, connect: async () => memoryBroker({ clock: ground.clock }).connect() };
});

test.run();
