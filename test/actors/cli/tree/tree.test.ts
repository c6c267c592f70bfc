// long
// `troupe tree` and `troupe graph` against the embedded API server, asked once and watched.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../../actors/base/config.ts';
import type { CommandContext } from '../../../../actors/cli/command-context.ts';
import * as get from '../../../../actors/cli/get/get.ts';
import * as graph from '../../../../actors/cli/graph/graph.ts';
import * as tree from '../../../../actors/cli/tree/tree.ts';
import { why as explain } from '../../../../actors/cli/why/why.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import { onSockets } from '../../../world/environments.ts';
import { CREDENTIALS, checkIn, type World } from '../../../world/world.ts';
import { accountFor } from '../../deployed.ts';
import { answerOf, questionIn } from '../asking.ts';

const test = suite('troupe tree');
const check = checkIn(test, onSockets);

const SUBNET = { ipVersion: 4, cidr: '192.168.155.0/24' };

check('a namespace and one object, as text, as data and as a graph', async (world) => {
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.apply(world.managed('Network', net), world.managed('Subnet', subnet, { ...SUBNET, networkRef: net }));
  await world.available('Subnet', subnet);
  const ask = (more = {}) => answerOf(tree, questionIn(world, more));
  assert.match(
    (await ask()).out,
    new RegExp(`^Network/${net}  available for \\d+ s\n└─ Subnet/${subnet}  available for \\d+ s\n$`),
  );
  const needs = JSON.parse((await ask({ names: [`subnet/${subnet}`], output: 'json' })).out);
  assert.equal([needs.namespace, needs.roots[0].name], [world.namespace, subnet]);
  assert.equal(needs.roots[0].needs.map(({ name }: { name: string }) => name).sort(), [CREDENTIALS, net].sort());
  const users = await ask({ names: ['secret', CREDENTIALS], reported: { dependents: true } });
  assert.match(users.out, new RegExp(`^Secret/${CREDENTIALS}  available\n├─ Network/${net} `));

  const dot = await answerOf(graph, questionIn(world));
  assert.match(dot.out, `[label="Subnet/${subnet}\\navailable"`);
  const { nodes } = JSON.parse((await answerOf(graph, questionIn(world, { output: 'json' }))).out);
  assert.is(nodes.length, 3);
  // 35.B: of all namespaces each object is named with its own.
  const everywhere = { namespace: undefined, reported: { 'all-namespaces': true } };
  const whole = JSON.parse((await answerOf(graph, questionIn(world, { ...everywhere, output: 'json' }))).out);
  const own = `Subnet/${world.namespace}/${subnet}`;
  assert.ok(whole.nodes.some(({ id }: { id: string }) => id === own));
  assert.ok(whole.edges.some(({ from }: { from: string }) => from === own));
  assert.match((await ask(everywhere)).out, new RegExp(`└─ ${own}  available`));

  for (const command of [tree, graph]) {
    const lost = await answerOf(command, questionIn(world, { namespace: 'no-such-place' })).catch((error) => error);
    assert.match((lost as Error).message, "there is no namespace 'no-such-place'");
  }
  for (const refused of [
    { reported: { dependents: true } },
    { reported: { 'all-namespaces': true, watch: true } },
    { reported: { watch: true }, output: 'json' },
    { output: 'dot' },
  ]) {
    try {
      await ask(refused);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
    }
  }
});

async function watched(
  world: World,
  question: Partial<CommandContext>,
  body: (written: () => string) => Promise<void>,
  names: readonly string[] = [],
): Promise<string> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  let text = '';
  out.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const stop = new AbortController();
  const reported = { watch: true };
  const more = { names, reported, stopSignal: () => stop.signal, ...question };
  const watching = tree.answer({ ...questionIn(world, more), out, err });
  try {
    await body(() => text);
  } finally {
    stop.abort();
  }
  assert.is(await watching, 0);
  assert.is(err.read(), null);
  return text;
}

check('watched without a terminal it is a line a change, until it is stopped', async (world) => {
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.apply(world.managed('Subnet', subnet, { ...SUBNET, networkRef: net }));
  await world.progressing('Subnet', subnet, 'Progressing', /Waiting/);
  const text = await watched(world, {}, async (written) => {
    const seen = (line: string): Promise<void> =>
      world.eventually(line, () => (written().includes(line) ? undefined : written()));
    await seen(`Subnet/${subnet}  waiting: Waiting for Network/${net} to be created\n`);
    await world.apply(world.managed('Network', net));
    await seen(`Network/${net}  available\n`);
    await seen(`Subnet/${subnet}  available\n`);
    await world.delete('Subnet', subnet);
    await seen(`Subnet/${subnet}  absent\n`);
  });
  for (const line of text.trimEnd().split('\n')) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}\w+\/\S+ {2}\w+/);
  assert.is(text.split(`Network/${net}  absent`).length, 2, 'told once');
});

check('what an object needed is no news when the object goes', async (world) => {
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.apply(world.managed('Network', net), world.managed('Subnet', subnet, { ...SUBNET, networkRef: net }));
  await world.available('Subnet', subnet);
  const text = await watched(
    world,
    {},
    async (written) => {
      const seen = (line: string): Promise<void> =>
        world.eventually(line, () => (written().includes(line) ? undefined : written()));
      await seen(`Network/${net}  available\n`);
      await world.delete('Subnet', subnet);
      await seen(`Subnet/${subnet}  absent\n`);
    },
    [`subnet/${subnet}`],
  );
  assert.not.match(text, `Network/${net}  absent`);
});

check('watched on a terminal the picture is drawn anew in place', async (world) => {
  const net = world.name('net');
  const text = await watched(world, { isTerminal: true }, async (written) => {
    const seen = (part: string): Promise<void> =>
      world.eventually(part, () => (written().includes(part) ? undefined : written()));
    await seen('holds none of the objects');
    await world.apply(world.managed('Network', net));
    await seen(`Network/${net}  available for`);
  });
  assert.match(text, '\u001b[1A');
  assert.ok(text.endsWith('\u001b[?25h'), 'the cursor is shown again');
});

check(
  "who has the role of viewers, which reads no Secrets, is answered by 'tree', 'graph', 'get' and 'why'",
  async (world) => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-viewer-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await accountFor(['view'], world.ground), { mode: 0o600 });
    const config = readConfig({ KUBECONFIG: kubeconfig });
    try {
      const [net, subnet] = [world.name('net'), world.name('subnet')];
      await world.apply(world.managed('Subnet', subnet, { ...SUBNET, networkRef: net }));
      await world.progressing('Subnet', subnet, 'Progressing', /Waiting/);
      for (const command of [tree, graph, get])
        assert.match((await answerOf(command, questionIn(world, { config }))).out, subnet);
      const openBus = async (): Promise<undefined> => undefined;
      const why = { answer: (question: CommandContext) => explain({ ...question, openBus, shards: 64 }) };
      assert.match((await answerOf(why, questionIn(world, { config, names: ['subnet', subnet] }))).out, net);
      const text = await watched(world, { config }, async (written) => {
        const seen = (line: string): Promise<void> =>
          world.eventually(line, () => (written().includes(line) ? undefined : written()));
        await seen(`Subnet/${subnet}  waiting: Waiting for Network/${net} to be created\n`);
        await world.apply(world.managed('Network', net));
        await seen(`Subnet/${subnet}  available\n`);
      });
      assert.not.match(text, CREDENTIALS);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test.run();
