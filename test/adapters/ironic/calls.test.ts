// long
// What hosts ask of Ironic, and what they write, from nothing to provisioned, at rest and while they wait.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import {
  BMC_SECRET,
  IMAGE,
  isIn,
  isSwitched,
  machine,
  RAMDISK,
  type Raw,
  type SimulatedHosts,
  withHosts,
} from '../../world/hosts.ts';

const test = suite('calls of hosts');
const NUMBERS = [1, 2, 3];
const MINUTE_MS = 60_000;

/** Each is made once, but for what its node goes through being looked at: at most so many a host on its way up. */
const CALLS = {
  'GET /nodes/{id}/bios': 8,
  'GET /nodes/{id}/firmware': 8,
  'GET /nodes/{id}/inventory': 3,
  'GET /nodes/{id}/validate': 1,
  'GET /nodes/{id}': 8,
  'GET /ports': 4,
  'POST /nodes': 1,
  'POST /ports': 1,
  'PATCH /nodes/{id}': 2,
  'PUT /nodes/{id}/states/provision': 4,
};

const HOSTS = 'baremetalhosts';
const onAll = (run: (number: number) => Promise<unknown>): Promise<unknown> => Promise.all(NUMBERS.map(run));

/** In a minute nothing is written, and there is nothing to ask for but what all nodes do, once in ten seconds at most. */
async function isQuiet({ clock, ironic, writes }: SimulatedHosts, most: number): Promise<void> {
  await clock.sleep(MINUTE_MS);
  ironic.resetCounts();
  const before = writes();
  await clock.sleep(MINUTE_MS);
  assert.is(writes(), before);
  const { 'GET /nodes': lists = 0, ...others } = ironic.calls();
  assert.equal(others, {});
  assert.ok(lists <= most, `${lists} lists in a minute`);
}

test('hosts come up with few calls and writes, and ask for nothing but one list while they wait', () =>
  withHosts(
    async (world) => {
      const { ironic, writes } = world;
      const isAtMost = (what: string, found: number, most: number): void =>
        assert.ok(found <= most * NUMBERS.length, `${what}: ${found / NUMBERS.length} a host, not ${most} at most`);
      let before = writes();
      const make = (image: JsonObject) =>
        onAll(async (number) => {
          await world.create(`secrets/h${number}`, BMC_SECRET);
          const { address, mac } = machine(number);
          const bmc = { address, credentialsName: `h${number}` };
          return world.create(`${HOSTS}/h${number}`, { spec: { online: true, bootMACAddress: mac, bmc, ...image } });
        });
      const isUp = (host: Raw): boolean => isIn('provisioned')(host) && isSwitched(true)(host);
      await make({ image: IMAGE });
      await onAll((number) => world.until(`${HOSTS}/h${number}`, 'up', isUp));
      const asked = ironic.calls();
      for (const [call, most] of Object.entries(CALLS)) isAtMost(call, asked[call] ?? 0, most);
      isAtMost('writes', writes() - before, 34);
      isAtMost('writes of schemas', writes(/firmwareschemas/), 4);
      await isQuiet(world, 2);

      before = writes();
      await onAll((number) => world.remove(`${HOSTS}/h${number}`));
      await onAll((number) => world.gone(`${HOSTS}/h${number}`));
      isAtMost('writes at the end', writes() - before, 15);

      for (const number of NUMBERS) ironic.behave(machine(number).options.name, { agent: 'never' });
      await make({});
      await onAll((number) => world.until(`${HOSTS}/h${number}`, 'inspecting', isIn('inspecting')));
      await isQuiet(world, 7);
    },
    { machines: NUMBERS.map((number) => machine(number).options), env: RAMDISK },
  ));

test.run();
