// `troupe get` against the embedded API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import * as get from '../../../../actors/cli/get/get.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import { onSockets } from '../../../world/environments.ts';
import { checkIn } from '../../../world/world.ts';
import { answerOf, questionIn } from '../asking.ts';

const test = suite('troupe get');
const check = checkIn(test, onSockets);

check('the objects of a namespace in a table, of a kind, by name, and as data', async (world) => {
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.apply(
    world.managed('Network', net),
    world.managed('Subnet', subnet, { networkRef: 'none', ipVersion: 4, cidr: '192.168.155.0/24' }),
  );
  const { status } = await world.available('Network', net);
  await world.progressing('Subnet', subnet, 'Progressing', /Network\/none/);
  const ask = (names: readonly string[], more = {}) => answerOf(get, questionIn(world, { names, ...more }));

  const all = await ask([]);
  assert.equal([all.code, all.err], [0, '']);
  const [head = '', first = '', second = '', ...rest] = all.out.split('\n');
  assert.match(head, /^KIND\/NAME +STATE +ID +WAITS FOR +AGE$/);
  assert.match(first, new RegExp(`^Network/${net} +available +${status?.['id']} +\\d+ s$`));
  assert.match(second, new RegExp(`^Subnet/${subnet} +waiting +Network/none +\\d+ s$`));
  assert.equal(rest, ['']);

  assert.equal((await ask(['subnets'])).out.match(/^\w+\//gm), ['KIND/', 'Subnet/']);
  // 35.A5: kinds with commas, and several names, of which one does not exist.
  assert.equal((await ask(['network,subnet'])).out.match(/^\w+\//gm), ['KIND/', 'Network/', 'Subnet/']);
  const several = await ask([`network/${net}`, `subnet/${subnet}`, 'port/none']);
  assert.equal([several.code, several.out.match(/^\w+\//gm)], [1, ['KIND/', 'Network/', 'Subnet/']]);
  assert.is(several.err, `troupe: Port/none does not exist in namespace '${world.namespace}'; -n names another\n`);
  const { objects: both } = JSON.parse((await ask(['network', net, 'x'], { output: 'json' })).out);
  assert.equal(
    both.map((each: { name: string }) => each.name),
    [net],
  );
  const wide = await ask(['subnet'], { output: 'wide' });
  assert.match(wide.out, /AGE +FOR +REASON +MESSAGE\n.*Progressing +Waiting for Network\/none to be created\n$/);
  const everywhere = await ask([], { reported: { 'all-namespaces': true } });
  assert.match(everywhere.out, new RegExp(`^NAMESPACE +KIND/NAME[^]*\n${world.namespace} +Network/${net} `));

  // 35.B: only those that stand so.
  const waiting = await ask([], { reported: { state: ['failed,waiting'] } });
  assert.equal(waiting.out.match(/^\w+\/\S+/gm), ['KIND/NAME', `Subnet/${subnet}`]);
  const lost = await ask([], { namespace: 'no-such-place' }).catch((error: unknown) => error);
  assert.instance(lost, TerminalError);
  assert.match((lost as Error).message, "there is no namespace 'no-such-place'; -n names another");
  const nothing = await ask([], { reported: { state: ['deleting'] } });
  assert.equal([nothing.code, nothing.out], [0, '']);
  assert.match(nothing.err, 'that is deleting');
  const misspelt = await ask([], { reported: { state: ['wating'] } }).catch((error: unknown) => error);
  assert.match((misspelt as Error).message, /--state must be among .*; got 'wating'; did you mean 'waiting'\?/);

  const one = parse((await ask([`network/${net}`], { output: 'yaml' })).out);
  assert.equal([one.namespace, one.kind, one.name, one.standing], [world.namespace, 'Network', net, 'available']);
  const { objects } = JSON.parse((await ask([], { output: 'json' })).out);
  assert.equal(
    objects.map((each: { waitsFor: unknown }) => each.waitsFor),
    [[], ['Network/none']],
  );

  // 35.5: whole milliseconds; and names as kubectl prints and reads them.
  for (const { sinceMs } of objects) assert.ok(Number.isInteger(sinceMs), String(sinceMs));
  const name = await ask([], { output: 'name' });
  assert.is(name.out, `network.openstack.k-orc.cloud/${net}\nsubnet.openstack.k-orc.cloud/${subnet}\n`);
  assert.is((await ask([name.out.split('\n')[1] ?? ''], { output: 'name' })).out, `${name.out.split('\n')[1]}\n`);

  const absent = await ask(['network', 'x']);
  assert.equal(
    [absent.code, absent.out, absent.err],
    [1, '', `troupe: Network/x does not exist in namespace '${world.namespace}'; -n names another\n`],
  );
  const none = await ask(['router']);
  assert.equal(
    [none.code, none.out, none.err],
    [0, '', `no Router that troupe manages in namespace ${world.namespace}\n`],
  );
  for (const [names, message] of [
    [['netwrok'], /^there is no kind 'netwrok'; did you mean 'network'\?$/],
    [
      ['pineapple'],
      /^there is no kind 'pineapple'; there are AddressScope, .*, and those of adapters that --adapters names$/,
    ],
    [['network/'], "'get' cannot take 'network/': 'troupe get --help' lists what it takes"],
  ] as const) {
    try {
      await ask(names);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, message);
    }
  }
});

test.run();
