// long
// What waits for the cloud asks it together: while servers and volumes are built, calls grow with time, and not with their number.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sideBySide } from '../side-by-side.ts';
import { inMemory, type OpenGround } from '../world/environments.ts';
import { checkIn, condition } from '../world/world.ts';

const NUMBERS = [6, 30];
const test = sideBySide(suite('building in memory'), NUMBERS.length);

/** Longer than the test looks, in milliseconds. */
const WORK_MS = 30_000;
const WINDOW_MS = 4_000;
/** Between two looks of those who wait (the reference is slower), in milliseconds. */
const LOOK_MS = 1_000;
/** Nothing is written for so long: all is written, also what the first look saw and the answer of the create did not say. */
const QUIET_MS = 2 * LOOK_MS + 500;

/** A cloud that works on servers and volumes for longer than anybody looks. */
const slow: OpenGround = (options) =>
  inMemory({ ...options, simulator: { serverWorkMs: WORK_MS, volumeWorkMs: WORK_MS } });

for (const count of NUMBERS) {
  checkIn(test, slow)(
    `${count} servers and ${count} volumes that are built ask no more than a few do`,
    async (world) => {
      const id = world.simulator.drift.add('images', {
        name: world.name('image'),
        status: 'active',
        visibility: 'public',
        size: 7,
        tags: [],
        owner: world.simulator.projectId,
        created_at: '2026-01-01T00:00:00Z',
      });
      const names = Array.from({ length: count }, (_, index) => world.name(String(index)));
      const server = { imageRef: 'image', flavorRef: 'size', ports: [] };
      await world.apply(
        world.unmanaged('Image', 'image', { id }),
        world.managed('Flavor', 'size', { name: world.name('size'), ram: 64, vcpus: 1, disk: 1 }),
        ...names.map((name) => world.managed('Server', name, server)),
        ...names.map((name) => world.managed('Volume', name, { size: 1 })),
      );
      const waiting = 'Waiting for OpenStack resource to be ready';
      for (const kind of ['Server', 'Volume'] as const) {
        for (const name of names)
          await world.until(kind, name, 'built', (object) => condition(object, 'Progressing').message === waiting);
      }
      // A status has two parts, and the last one's second may be on its way.
      for (let before = -1; before !== world.writes.length; ) {
        before = world.writes.length;
        await world.clock.sleep(QUIET_MS);
      }
      world.calls.length = 0;
      world.writes.length = 0;
      await world.clock.sleep(WINDOW_MS);
      const asked = [...world.calls];
      const looks = WINDOW_MS / LOOK_MS + 1;
      for (const path of ['compute GET /servers/detail', 'block-storage GET /volumes/detail']) {
        const lists = asked.filter((call) => call === path).length;
        assert.ok(lists <= looks, `${lists} of ${path} in ${WINDOW_MS} ms`);
      }
      // Up to four who look at the same moment are read each by itself (poller.ts).
      assert.ok(asked.length <= 2 * looks * (1 + 4), `${asked.length} requests in ${WINDOW_MS} ms`);
      assert.equal(world.writes, []);
    },
  );
}

test.run();
