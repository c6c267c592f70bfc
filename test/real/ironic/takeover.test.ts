// needs: ironic
// Troupe takes over hosts that the baremetal-operator left on a real Ironic, in the middle of everything; what is given is that of
// `hosts.test.ts`. Nothing of it is begun again, and no machine is told anything but to be switched on.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { LEFT, type Left, leaveBehind } from '../../adapters/ironic/left-behind.ts';
import { openOrderBook } from '../../adapters/ironic/order-book.ts';
import { NAMESPACE, openHostWorld } from '../../world/hosts.ts';
import { eventually, fleet, type Lent } from './fleet.ts';
import { askIronic, env, image, ironic, isWell, keptHost, leaveNothing, nodeOf } from './kept-host.ts';
import { toldPasswords } from './stories.ts';

/** What is to be under way when Troupe comes takes so long, in seconds. */
const LONG = 120;

const test = suite('hosts of the baremetal-operator on a real Ironic');

const provisionStateOf = async (name: string): Promise<string> =>
  `${(await nodeOf(`${NAMESPACE}~${name}`))?.['provision_state']}`;

/** From now on nothing ends there before {@link release}. */
const stall = (lent: Lent, { state }: Left): Promise<void> =>
  lent.behave(
    state === 'inspecting' ? { boot: false } : { seconds: { write_image: LONG, erase_devices_metadata: LONG } },
  );

/** What has begun on the machine takes its time; a ramdisk that has not begun is booted. */
async function release(lent: Lent, { state }: Left): Promise<void> {
  await lent.behave({});
  if (state !== 'inspecting') return;
  await lent.reset('ForceOff');
  await lent.bootFrom('Cd');
  await lent.reset('On');
}

test('what is under way is waited for, what has ended is taken as it is, and nothing is begun again', async () => {
  const machines = fleet(env);
  const orders = await openOrderBook(env('IRONIC_URL'));
  const stage = await openHostWorld({ clock: systemClock(), ...ironic(orders.url) });
  const names = Object.keys(LEFT);
  const lent = new Map(await Promise.all(names.map(async (name) => [name, await machines.lend()] as const)));
  try {
    const each = async (what: (name: string, left: Left, lent: Lent) => Promise<void>): Promise<void> => {
      await Promise.all([...lent].map(([name, machine]) => what(name, LEFT[name] as Left, machine)));
    };
    // What is to be under way comes last.
    for (const isStalled of [false, true]) {
      await each(async (name, left, { mac, address, door, ...machine }) => {
        if (left.isStalled !== isStalled) return;
        const { username, password } = door;
        const given = {
          mac,
          address,
          username,
          password,
          stall: () => stall({ mac, address, door, ...machine }, left),
        };
        const world = { ...stage, eventually };
        await leaveBehind({ world, image: image(), machine: given, ask: askIronic }, name, left);
      });
    }
    assert.equal(orders.entries, []); // the operator has a way of its own
    const nodes = new Map<string, JsonObject | undefined>();
    const boots = new Map<string, number>();
    await each(async (name, _left, machine) => {
      nodes.set(name, await nodeOf(`${NAMESPACE}~${name}`));
      boots.set(name, (await machine.look()).boots.length);
    });
    await stage.start();
    await each(async (name, { isStalled }) => {
      const isSeen = (): boolean =>
        orders.entries.some(({ what, host }) => what === 'said' && host === `${NAMESPACE}~${name}`);
      if (isStalled) await eventually(`${name} is looked at`, async () => isSeen());
    });
    await each(async (name, left, machine) => {
      if (!left.isStalled) return;
      assert.match(await provisionStateOf(name), left.node);
      await release(machine, left);
    });
    await each(async (name, { becomes }, machine) => {
      const host = keptHost({ stage, orders }, machine, name);
      await host.until(becomes);
      await host.is('well, and on', (status) => isWell(status) && status.poweredOn === true);
      const node = await nodeOf(`${NAMESPACE}~${name}`);
      assert.is(node?.['uuid'], nodes.get(name)?.['uuid'], name);
    });
    const reported = orders.entries.filter(({ what }) => what === 'ordered' || what === 'made');
    assert.equal(reported, []);
    const running = (await lent.get('running')?.look())?.boots.length;
    assert.is(running, boots.get('running'), 'what runs is not booted again');
    assert.equal(await toldPasswords(stage, machines.passwords), []);
    assert.equal(stage.errors, []);
  } finally {
    await stage.close();
    await orders.close();
    await leaveNothing();
    await Promise.all([...lent.values()].map(({ giveBack }) => giveBack()));
  }
});

if (env('IRONIC_URL') === '') process.stdout.write('skipped: IRONIC_URL is not set\n');
else test.run();
