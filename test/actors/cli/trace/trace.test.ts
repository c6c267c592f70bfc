// `troupe trace` of a subnet that waits for its network, in a world of its own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeTraceparent, traceIdOf } from '../../../../actors/base/change-trace.ts';
import { Ink } from '../../../../actors/cli/colors.ts';
import type { Reported, Shares } from '../../../../actors/cli/trace/story.ts';
import { type TraceDeps, trace } from '../../../../actors/cli/trace/trace.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { onSockets } from '../../../world/environments.ts';
import { checkIn, type World } from '../../../world/world.ts';
import { readerOf, type Said, said } from '../reader.ts';

const test = suite('troupe trace');
const check = checkIn(test, onSockets);

function traced(world: World, names: readonly string[], more: Partial<TraceDeps> = {}): Promise<Said> {
  return said((streams) =>
    trace({
      config: { kubeconfig: world.ground.kubeconfig, inCluster: undefined },
      adapters: [openstackWith({})],
      clock: world.clock,
      openBus: async () => readerOf(world),
      names,
      namespace: world.namespace,
      generation: undefined,
      isExported: false,
      output: undefined,
      home: undefined,
      ink: Ink.Plain,
      ...streams,
      ...more,
    }),
  );
}

async function settled(world: World, kind: 'Subnet' | 'Network', name: string): Promise<void> {
  await world.available(kind, name);
  await world.eventually(`${name} rests`, () => {
    const last = world.eventsOf(kind, name, 'transition').at(-1)?.data['to'];
    return last === 'idle.available' ? undefined : String(last);
  });
}

check(
  'the wait for a network is told with what the network did meanwhile, and the calls with their ids',
  async (world) => {
    const [net, sub] = [world.name('net'), world.name('sub')];
    const resource = { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' };
    const [written] = (await world.apply(world.managed('Subnet', sub, resource))) as unknown as [KubeObject];
    await world.progressing('Subnet', sub, 'Progressing', `Waiting for Network/${net} to be created`);
    await world.apply(world.managed('Network', net));
    await settled(world, 'Subnet', sub);

    const { code, out, notes } = await traced(world, [`subnet/${sub}`]);
    assert.equal([code, notes], [0, ''], out);
    const traceId = traceIdOf(changeTraceparent(written));
    assert.ok(out.startsWith(`Subnet/${sub} in namespace ${world.namespace}, generation 1, trace ${traceId}\n`), out);
    assert.match(out, /\d{4}-\d\d-\d\dT[\d:]+Z {2}created by kubectl, as the API server tells\n/);
    assert.match(out, new RegExp(`claiming\\.awaitingDependencies {2}waits .*for Network/${net} `));
    assert.match(out, new RegExp(`\n {12,}Network/${net}:\n`));
    assert.match(out, /POST network \/networks {2}201 {2}\d+ ms {2}req-/);
    assert.match(out, new RegExp(`POST network /subnets {2}201 {2}\\d+ ms {2}req-${traceId.slice(0, 8)}-`));
    assert.match(out, /building\.recording .*, id [0-9a-f-]{36} {2}\(after create done\)/);
    assert.match(out, new RegExp(`settled after .*waiting for Network/${net} \\(\\d+ %\\).*in calls to the cloud`));
    assert.match(out, /last write of its status: .* by openstack\.k-orc\.cloud\/subnetcontroller\/status/);

    const json: Reported & { readonly shares: readonly Shares[] } = JSON.parse(
      (await traced(world, ['subnets', sub], { output: 'json' })).out,
    );
    assert.is(json.generation, 1);
    const { wholeMs, waits, backOffMs, callsMs, restMs } = json.shares[0] as Shares;
    const sum = waits.reduce((all, { ms }) => all + ms, backOffMs + callsMs + restMs);
    assert.ok(Math.abs(wholeMs - sum) < 0.01, `${wholeMs} ${sum}`);
    assert.equal(
      json.others.map(({ actor }) => actor.name),
      [net],
    );

    // An edit is a change of its own; the one before is told when it is asked for. Who wrote last is known by the second.
    await world.clock.sleep(1_000);
    await world.patch('Subnet', sub, { spec: { resource: { description: 'edited' } } });
    await world.eventually('the edit is told', async () => {
      const edited = await traced(world, ['subnet', sub]).catch((error: unknown) => ({ code: 2, out: String(error) }));
      return edited.code === 0 &&
        /generation 2/.test(edited.out) &&
        /changed by troupe/.test(edited.out) &&
        /PUT network/.test(edited.out)
        ? undefined
        : edited.out;
    });
    const before = await traced(world, ['subnet', sub], { generation: '1' });
    assert.match(before.out, /generation 1, trace 00000001/);
    assert.not.match(before.out, /as the API server tells/);
  },
);

check('an object that waits still is told so, and ends with 1', async (world) => {
  const sub = world.name('sub');
  const resource = { networkRef: world.name('net'), ipVersion: 4, cidr: '192.0.2.0/24' };
  await world.apply(world.managed('Subnet', sub, resource));
  await world.progressing('Subnet', sub, 'Progressing', /Waiting/);
  const { code, out } = await traced(world, [`subnet/${sub}`]);
  assert.is(code, 1);
  // 35.B: and for whom, though nobody has answered yet.
  const whom = (resource as { networkRef: string }).networkRef;
  assert.match(out, new RegExp(`claiming\\.awaitingDependencies {2}waits .*, still for Network/${whom}`));
  assert.match(out, new RegExp(`has not settled after .*waiting for Network/${whom}`));
  assert.match(out, /has not settled after/);
});

check('what makes no sense, and what nothing is known of, is refused', async (world) => {
  for (const [names, more, expected] of [
    [['netwrok/a'], {}, /no kind 'netwrok'; did you mean 'network'\?/],
    [['network/a'], { generation: '0' }, /--generation must be a whole number from 1 on; got '0'/],
    [['network/a'], { output: 'yaml' }, /--output must be text or json; got 'yaml'/],
    [['network/a'], {}, /nothing is kept of 'a' in namespace/],
  ] as const) {
    const error = await traced(world, names, more).catch((thrown: unknown) => thrown);
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, expected);
  }
});

test.run();
