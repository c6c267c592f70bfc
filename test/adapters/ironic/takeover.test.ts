// long
// Troupe takes over hosts that the baremetal-operator left in the middle of its work: what is under way is waited for, what has
// ended meanwhile is taken as it is, and nothing is begun again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { IMAGE, machine, PASSWORD, type SimulatedHosts, withHosts } from '../../world/hosts.ts';
import { LEFT, type Leaving, type Left, leaveBehind } from './left-behind.ts';

const test = suite('hosts of the baremetal-operator');
const NAMES = Object.keys(LEFT);
/** So much longer takes all that a machine does that is stalled. */
const SLOWNESS = 25;

function leavingOn(world: SimulatedHosts, number: number): Leaving {
  const { mac, address, options } = machine(number);
  return {
    world,
    image: IMAGE,
    machine: {
      mac,
      address,
      username: 'admin',
      password: PASSWORD,
      stall: async () => world.ironic.behave(options.name, { slowness: SLOWNESS }),
    },
    ask: world.ask,
  };
}

/** What was ordered of a node, and nodes that were made. */
const ORDERS = new Set(['POST /nodes', 'PUT /nodes/{id}/states/provision']);
const ordersIn = (world: SimulatedHosts): JsonObject =>
  Object.fromEntries(Object.entries(world.ironic.calls()).filter(([call]) => ORDERS.has(call)));

test('what is under way is waited for, what has ended is taken as it is, and nothing is begun again', () =>
  withHosts(
    async (world) => {
      // What is to be under way comes last.
      for (const isStalled of [false, true]) {
        const leave = NAMES.map(async (name, index) => {
          const left = LEFT[name] as Left;
          if (left.isStalled === isStalled) await leaveBehind(leavingOn(world, index + 1), name, left);
        });
        await Promise.all(leave);
      }
      assert.equal(Object.keys(ordersIn(world)).sort(), [...ORDERS].sort());
      world.ironic.resetCounts();
      const nodes = new Map(world.ironic.nodes().map((node) => [String(node['name']), node['uuid']]));
      await world.start();
      for (const [name, { node, isStalled }] of Object.entries(LEFT)) {
        if (isStalled) assert.match(`${world.ironic.node(`metal~${name}`)?.['provision_state']}`, node);
      }
      await Promise.all(
        Object.entries(LEFT).map(([name, { becomes }]) =>
          world.until(`baremetalhosts/${name}`, becomes, ({ status }) => {
            const { state, ID } = (status?.['provisioning'] ?? {}) as JsonObject;
            const { operationalStatus, errorMessage = '', poweredOn } = status as JsonObject;
            assert.is(ID, nodes.get(`metal~${name}`));
            return state === becomes && operationalStatus === 'OK' && errorMessage === '' && poweredOn === true;
          }),
        ),
      );
      assert.equal(ordersIn(world), {});
      for (const [index, [name, { state }]] of Object.entries(LEFT).entries()) {
        const { counts } = world.ironic.machine(machine(index + 1).options.name);
        const { inspected, deployed, wiped } = counts;
        assert.equal(
          { inspected, deployed, isWiped: wiped > 0 },
          {
            inspected: state === 'inspecting' ? 1 : 0,
            deployed: state === 'inspecting' ? 0 : 1,
            isWiped: state === 'deprovisioning',
          },
          name,
        );
      }
    },
    { machines: NAMES.map((_, index) => machine(index + 1).options), isStarted: false },
  ));

test.run();
