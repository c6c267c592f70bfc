// long
// `troupe why` against the embedded API server: in this process, and as the command that it is.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { standsDuring } from '../../../world/clock.ts';
import { onSockets } from '../../../world/environments.ts';
import { checkIn, type World } from '../../../world/world.ts';
import { ask, describeWhy } from './why.suite.ts';

const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));

const test = suite('troupe why, in memory');
describeWhy(test, onSockets);

interface Outcome {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

function troupe(world: World, args: readonly string[], kubeconfig = world.ground.kubeconfig): Promise<Outcome> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.ground.folder, KUBECONFIG: kubeconfig };
  const outcome = new Promise<Outcome>((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env, timeout: 30_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
  return standsDuring(world.ground.clock, outcome);
}

checkIn(test, onSockets)('the number of shards is what the pods say, whatever the asker is set to', async (world) => {
  const name = world.name('net');
  world.simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, times: 1_000, status: 503 });
  await world.apply(world.managed('Network', name));
  await world.progressing('Network', name, 'TransientError', /503/);
  const openBus = (): ReturnType<typeof world.ground.connect> => world.ground.connect('why');
  const { out, last } = await ask(world, [`network/${name}`], { openBus, shards: 1_000_000 });
  assert.match(last, new RegExp(`^root cause: Network/${name}: .*503`), out);
});

checkIn(test, onSockets)(
  'exit codes, the namespace of the context, and the file in the home folder',
  async (world) => {
    const name = world.name('net');
    const made = await world.apply(world.managed('Network', name));
    assert.is(made.length, 1);
    const there = await troupe(world, ['why', `network/${name}`, '-n', world.namespace]);
    assert.equal([there.code, there.err], [1, '']);
    assert.match(there.out, /no process has looked at/);
    // A bus is looked at when it is named, or when the cluster is that of a `troupe dev`.
    const [asked, folder] = [['why', `network/${name}`, '-n', world.namespace], world.ground.folder];
    const away =
      /^also: no process has looked at.*\nroot cause: the bus is away: cannot connect to nats at .*127\.0\.0\.1:1\b/m;
    assert.match((await troupe(world, [...asked, '--nats-url', 'nats://127.0.0.1:1'])).out, away);
    assert.match((await troupe(world, [...asked, '--data', folder])).out, /^root cause: no process has looked at/m);
    await writeFile(join(folder, 'nats-url'), 'nats://127.0.0.1:1');
    assert.match((await troupe(world, [...asked, '--data', folder])).out, away);
    assert.match((await troupe(world, asked)).out, /^root cause: no process has looked at/m);
    const elsewhere = await troupe(world, ['why', 'network', name]);
    assert.match(
      elsewhere.out,
      /^in namespace default, that of the context; -n names another\n\n.*does not exist in namespace 'default'; look for it in another namespace, which -n names\n$/s,
    );

    const given = await readFile(world.ground.kubeconfig, 'utf8');
    const inContext = join(world.ground.folder, 'in-context');
    const config = parse(given);
    config.contexts[0].context.namespace = world.namespace;
    await writeFile(inContext, JSON.stringify(config), { mode: 0o600 });
    assert.match((await troupe(world, ['why', 'network', name], inContext)).out, /no process has looked at/);

    const nonsense = await troupe(world, ['why', 'netwrok/a']);
    assert.equal([nonsense.code, nonsense.out], [2, '']);
    assert.match(nonsense.err, /^troupe: there is no kind 'netwrok'; did you mean 'network'\?/);
    const homeless = await troupe(world, ['why', `network/${name}`], '');
    assert.is(homeless.code, 2);
    assert.match(
      homeless.err,
      /^troupe: there is no kubeconfig: '.*\/\.kube\/config' does not exist; name one with --kubeconfig/,
    );
    config.clusters[0].cluster.server = 'https://127.0.0.1:1';
    await writeFile(inContext, JSON.stringify(config), { mode: 0o600 });
    const cut = await troupe(world, ['why', `network/${name}`], inContext);
    assert.equal([cut.code, cut.out], [2, '']);
    assert.match(cut.err, /^troupe: no answer from the API server/);
  },
  { runtime: 'stopped' },
);

test.run();
