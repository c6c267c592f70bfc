// long
// What the page is told of a running Troupe: on the bus in memory and on NATS, with the embedded API server and a simulated cloud.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusColor } from '../../../actors/visualizer/wire.ts';
import { addressKey } from '../../../bus/mod.ts';
import { findNatsServer, inMemory, type OpenGround, onNats } from '../../world/environments.ts';
import { CREDENTIALS, checkIn, type World } from '../../world/world.ts';
import { spellings } from '../secret-search.ts';
import { Page, sourceOn } from './follower.ts';

const test = suite('source');

/** What was told of since the epoch. */
const EVER = 0;

function subnetOf(network: string): { networkRef: string; ipVersion: number; cidr: string } {
  return { networkRef: network, ipVersion: 4, cidr: '192.0.2.0/24' };
}

const keyOf = (world: World, plural: string, name: string): string =>
  addressKey({ realm: plural === 'secrets' ? 'core' : 'openstack', plural, namespace: world.namespace, name });

function describe(openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    'a graph comes up while it is followed, and goes: states, tones, needs, and who let whom go on',
    async (world) => {
      const { clock, client, bus, namespace } = world;
      const reported = sourceOn({ clock, client, bus, namespaces: [namespace] });
      const page = new Page();
      const feed = await reported.follow(page);
      const [net, sub] = [world.name('net'), world.name('sub')];
      const [netKey, subKey] = [keyOf(world, 'networks', net), keyOf(world, 'subnets', sub)];
      await world.apply(world.managed('Subnet', sub, subnetOf(net)));
      await page.until(clock, 'the subnet waits', () => page.tree('Subnet', sub)?.tone === StatusColor.Waiting);
      const waiting = page.tree('Subnet', sub);
      assert.equal([waiting?.key, waiting?.namespace], [subKey, namespace]);
      assert.equal([...(waiting?.needs ?? [])].sort(), [netKey, keyOf(world, 'secrets', CREDENTIALS)].sort());
      await page.until(clock, 'it says why', () => (page.tree('Subnet', sub)?.said ?? '').includes(net));
      const { problems, leases } = await reported.problems();
      const [missing] = problems;
      assert.match(missing?.summary ?? '', `Network/${net} does not exist`);
      assert.equal([missing?.key, missing?.waiting, missing?.namespace], [netKey, [subKey], namespace]);
      assert.ok(leases.some(({ name }) => name === 'role.watch'));

      await world.apply(world.managed('Network', net));
      const isUp = (): boolean =>
        [page.tree('Subnet', sub), page.tree('Network', net)].every((tree) => tree?.tone === StatusColor.Available);
      await page.until(clock, 'both are available', isUp);
      const tree = page.tree('Subnet', sub);
      if (tree === undefined) throw new Error('it is not shown');
      assert.is(tree.state, 'idle.available');
      assert.ok(tree.since >= tree.createdAt && tree.createdAt > 0);
      const wentOn = page.steps.find(({ key, from }) => key === subKey && from === 'claiming.awaitingDependencies');
      assert.is(wentOn?.by, netKey);
      assert.equal(
        page.steps.filter(({ key }) => key === subKey).map(({ to }) => to),
        world.eventsOf('Subnet', sub, 'transition').map(({ data }) => data['to']),
      );

      await world.available('Subnet', sub);
      await page.until(clock, 'that is heard of', () => (page.tree('Subnet', sub)?.said ?? '').endsWith('up to date'));
      const seen = await reported.inspect(subKey);
      if (seen === undefined) throw new Error('it is not shown');
      assert.is((seen.object?.['metadata'] as { name?: string } | undefined)?.name, sub);
      assert.not.match(JSON.stringify(seen), 'managedFields');
      assert.is(seen.machine, 'externalResource');
      assert.ok(
        seen.history.some(({ type }) => type === 'call') && seen.history.some(({ traceId }) => traceId.length === 32),
      );
      assert.equal([seen.chain, seen.causes], [[], []]);
      assert.ok(seen.mail.some(({ topic, from, to }) => topic === 'ready' && from === netKey && to === subKey));
      assert.ok(seen.mail.some(({ topic, from, to }) => topic === 'claim' && from === subKey && to === netKey));
      const { letters } = await reported.messages([subKey, netKey]);
      assert.equal(letters.map(({ topic }) => topic).sort(), ['claim', 'object', 'object', 'ready']);
      for (const { at } of letters) assert.ok(Math.abs(at - clock.now()) < 600_000);

      const history = await reported.history(EVER);
      assert.not(history.truncated);
      const rows = history.rows.filter(([key = -1]) => history.keys[key] === subKey);
      const told3 = rows.map(([, , from = -1, to = -1]) => [history.texts[from], history.texts[to]]);
      assert.equal(
        told3,
        page.steps.filter(({ key }) => key === subKey).map(({ from, to }) => [from, to]),
      );
      assert.ok(rows.some(([, , , , , , by = -1]) => history.keys[by] === netKey));

      await world.delete('Network', net);
      await page.until(clock, 'the network is held', () => page.tree('Network', net)?.tone === StatusColor.Held);
      const held = await reported.inspect(netKey);
      assert.equal(
        held?.chain.map(({ key, depth }) => [key, depth]),
        [
          [netKey, 0],
          [subKey, 1],
        ],
      );
      assert.match(held?.causes[0]?.summary ?? '', `Subnet/${sub} still refers to Network/${net}`);
      await world.delete('Subnet', sub);
      await page.until(clock, 'both are gone', () => page.trees.size === 0);
      await page.until(clock, 'its end is told', () => page.steps.some(({ key, to }) => key === netKey && to === ''));
      assert.is(page.snapshots, 1);
      assert.equal(page.troubles, []);
      await feed.close();
      await reported.close();
    },
  );

  check('who comes later finds the states that were told before, and when', async (world) => {
    const { clock, client, bus, namespace } = world;
    const [net, wrong] = [world.name('net'), world.name('wrong')];
    await world.apply(
      world.managed('Network', net),
      world.managed('Network', wrong, {}, { cloudCredentialsRef: { secretName: 'none', cloudName: 'none' } }),
    );
    await world.available('Network', net);
    await world.progressing('Network', wrong, 'Progressing', /Waiting for Secret/);
    const reported = sourceOn({ clock, client, bus, namespaces: [namespace] });
    const page = new Page();
    const feed = await reported.follow(page);
    await page.until(clock, 'the graph', () => page.snapshots === 1);
    const last = world.eventsOf('Network', net, 'transition').at(-1);
    const tree = page.tree('Network', net);
    assert.equal([tree?.tone, tree?.state], [StatusColor.Available, last?.data['to']]);
    assert.ok(Math.abs((tree?.since ?? 0) - (last?.at ?? 0)) < 1);
    const waiting = page.tree('Network', wrong);
    assert.equal([waiting?.tone, waiting?.needs], [StatusColor.Waiting, [keyOf(world, 'secrets', 'none')]]);
    assert.match(waiting?.said ?? '', 'Waiting for Secret/none');
    await feed.close();
    await reported.close();
  });
}

describe(inMemory);
const found = await findNatsServer();
if ('refusal' in found) console.log(`without NATS: ${found.refusal}`);
else describe(onNats(found.program));

checkIn(test, inMemory)('the content of a Secret is nowhere in what is handed over', async (world) => {
  const { clock, client, bus, namespace } = world;
  const password = `Pw${Math.floor(clock.random() * 2 ** 32).toString(36)}Seeded7`;
  const reported = sourceOn({ clock, client, bus, namespaces: [namespace] });
  const page = new Page();
  const feed = await reported.follow(page);
  const names = [world.name('good'), world.name('bad')];
  await world.secret('wrong', world.ground.cloudsYaml.replace(/password:.*/, `password: ${password}`));
  const ref = { cloudCredentialsRef: { secretName: 'wrong', cloudName: world.ground.cloudName } };
  await world.apply(world.managed('Network', names[0] ?? ''), world.managed('Network', names[1] ?? '', {}, ref));
  await page.until(clock, 'the good one', () => page.tree('Network', names[0] ?? '')?.tone === StatusColor.Available);
  await page.until(clock, 'the bad one', () => (page.tree('Network', names[1] ?? '')?.said ?? '') !== '');
  const secrets = [CREDENTIALS, 'wrong'].map((name) => keyOf(world, 'secrets', name));
  const networks = names.map((name) => keyOf(world, 'networks', name));
  for (const key of secrets) assert.is(await reported.inspect(key), undefined);
  const { letters } = await reported.messages([...networks, ...secrets]);
  assert.equal(
    letters.filter(({ topic, to }) => topic === 'object' && secrets.includes(to)),
    [],
  );
  assert.ok(letters.some(({ topic, from }) => topic === 'ready' && from === secrets[0]));
  const all = [
    await reported.hello(),
    ...(await Promise.all(networks.map((key) => reported.inspect(key)))),
    letters,
    await reported.problems(),
    await reported.history(EVER),
  ];
  const pattern = spellings([password]);
  for (const text of [...page.texts, ...all.map((each) => JSON.stringify(each))]) assert.not.match(text, pattern);
  assert.ok(page.texts.length > 1, 'the graph, and what changed');
  await feed.close();
  await reported.close();
});

checkIn(test, inMemory)('no key leads to what is not shown', async (world) => {
  const { clock, client, bus } = world;
  const reported = sourceOn({ clock, client, bus, namespaces: ['elsewhere'] });
  const name = world.name('net');
  await world.apply(world.managed('Network', name));
  await world.available('Network', name);
  const keys = [
    keyOf(world, 'networks', name),
    keyOf(world, 'secrets', CREDENTIALS),
    addressKey({ realm: 'openstack', plural: 'secrets', namespace: 'elsewhere', name: 'x' }),
    '',
    '__proto__',
    'a.b.c.d',
    'openstack.networks.elsewhere',
    'openstack.networks.elsewhere.%2e%2e',
    '../../api/v1/secrets',
  ];
  for (const key of keys) assert.is(await reported.inspect(key), undefined, key);
  assert.equal((await reported.messages(keys)).letters, []);
  assert.equal((await reported.history(EVER)).rows, []);
  assert.is(await reported.machine('__proto__'), undefined);
  await reported.close();
});

test.run();
