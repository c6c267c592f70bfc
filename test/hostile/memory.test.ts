// long
// Clouds that answer more than a pod has memory for, beside an honest one: in a process with the memory of deploy/.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deployedHeap, memoryLimitMib, TroupeProcess } from '../actors/processes.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { CREDENTIALS, World } from '../world/world.ts';
import { type HostileCloud, pour, startHostileCloud } from './hostile-cloud.ts';

const MIB = 1024 * 1024;
/** Lists under as many `auth_url`s. */
const LISTS = 6;

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('clouds that answer too much');
  const openGround = onNats(found.program);

  test('a pod outlives them, says what is wrong, and works for everybody else', async () => {
    const limitMib = memoryLimitMib();
    const nested = await startHostileCloud({
      token: (_, response) => pour(response, Buffer.alloc(MIB, '['), 10 * MIB),
    });
    const lists = await startHostileCloud({
      network: (_, response) => {
        response.write('{"networks":[{}');
        pour(response, Buffer.from(',{}'.repeat(MIB / 4)), 60 * MIB);
      },
    });
    const world = await World.open(openGround, { runtime: 'stopped' });
    const process = new TroupeProcess(world, {
      ...deployedHeap(),
      TROUPE_LEASE_MS: '3000',
    });
    let isOver = false;
    void process.exited.then(() => {
      isOver = true;
    });
    try {
      await hostile(world, 'nested', nested, '');
      for (let n = 0; n < LISTS; n++) await hostile(world, `list-${n}`, lists, `/${n}`);
      await world.progressing('Network', 'nested', 'TransientError', /more than 1 MiB|nested deeper than 64 levels/);
      for (let n = 0; n < LISTS; n++) {
        await world.progressing(
          'Network',
          `list-${n}`,
          'TransientError',
          /answered 200 with (too many values|more than)|takes more memory/,
        );
      }
      await world.apply(world.managed('Network', world.name('honest')));
      await world.available('Network', world.name('honest'));
      const peakMib = await process.peakMib();
      assert.not(isOver, process.said.join('\n'));
      assert.ok(peakMib < limitMib, `${peakMib} MiB of ${limitMib}`);
      for (const name of ['nested', ...Array.from({ length: LISTS }, (_, n) => `list-${n}`)])
        await world.delete('Network', name);
    } catch (error) {
      for (const line of process.said) console.error(line);
      for (const line of process.lines.filter(({ level }) => Number(level) >= 30)) console.error(JSON.stringify(line));
      throw error;
    } finally {
      await process.kill();
      await nested.close();
      await lists.close();
      await world.close();
    }
  });

  test.run();
}

/** A network whose credentials lead to the hostile cloud. */
async function hostile(world: World, name: string, cloud: HostileCloud, path: string): Promise<void> {
  await world.secret(`${CREDENTIALS}-${name}`, cloud.cloudsYaml({ path }));
  const cloudCredentialsRef = { secretName: `${CREDENTIALS}-${name}`, cloudName: 'openstack' };
  await world.apply(world.managed('Network', name, {}, { cloudCredentialsRef }));
}
