// `troupe retry`, `pause` and `resume`: what a user asks of an object, with the user's own rights.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../../actors/base/config.ts';
import { pause, resume } from '../../../../actors/cli/pause/pause.ts';
import { retry } from '../../../../actors/cli/retry/retry.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { metal3 } from '../../../../adapters/ironic/mod.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import { inMemory, onSockets } from '../../../world/environments.ts';
import { checkIn } from '../../../world/world.ts';
import { type Answer, answerOf, questionIn } from '../asking.ts';

const test = suite('troupe retry');
const check = checkIn(test, onSockets);

const COMMANDS = { retry, pause, resume };
type Name = keyof typeof COMMANDS;
type Annotations = Record<string, string | null>;

/** One host as an API server has it, whose writers may be refused. */
async function withHost(
  annotations: Annotations,
  run: (ask: (command: Name, names?: readonly string[]) => Promise<Answer>) => Promise<void>,
  mayPatch = true,
): Promise<void> {
  const server = createServer(async (request, response) => {
    const say = (code: number, body: object): void => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (!request.url?.endsWith('/namespaces/metal/baremetalhosts/one')) return say(404, absent(request.url ?? ''));
    if (request.method === 'PATCH') {
      if (!mayPatch)
        return say(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'User "eve" cannot patch' });
      const { metadata } = (await json(request)) as { readonly metadata: { readonly annotations: Annotations } };
      for (const [key, value] of Object.entries(metadata.annotations)) {
        if (value === null) delete annotations[key];
        else annotations[key] = value;
      }
    }
    say(200, { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: 'one', annotations } });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'troupe-retry-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = { clusters: [{ name: 'c', cluster: { server: at } }], users: [{ name: 'u', user: {} }] };
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'metal' } }];
  await writeFile(kubeconfig, JSON.stringify({ ...context, contexts, 'current-context': 'x' }), { mode: 0o600 });
  const adapters = [configure(metal3, { IRONIC_ENDPOINT: 'http://ironic.test' })];
  try {
    await run(async (command, names = ['bmh/one']) => {
      const { systemClock } = await import('../../../../actors/base/clock.ts');
      const question = {
        config: readConfig({ KUBECONFIG: kubeconfig }),
        adapters,
        clock: systemClock(),
        home: undefined,
      };
      const more = { names, namespace: undefined, output: undefined, reported: {}, isTerminal: false, ink: 'plain' };
      const stopSignal = (): AbortSignal => new AbortController().signal;
      return answerOf({ answer: COMMANDS[command] }, { ...question, ...more, stopSignal } as never);
    });
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  }
}

function absent(path: string): object {
  const name = path.split('/').at(-1);
  const details = { name, group: 'metal3.io', kind: 'baremetalhosts' };
  return {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 404,
    reason: 'NotFound',
    message: 'not found',
    details,
  };
}

const PAUSED = 'baremetalhost.metal3.io/paused';

async function refusal(answer: Promise<Answer>): Promise<string> {
  const error = await answer.catch((thrown: unknown) => thrown);
  assert.instance(error, TerminalError);
  return (error as Error).message;
}

check('35.B: what waits between two attempts is tried again at once, without an edit', async (world) => {
  const name = world.name('net');
  // A quota that is raised after the object has begun to wait long between its attempts.
  world.simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, times: 6, status: 503 });
  await world.apply(world.managed('Network', name));
  await world.eventually('five attempts', () => {
    const { length } = world.eventsOf('Network', name, 'transition').filter(({ data }) => data['to'] === 'backingOff');
    return length >= 6 ? undefined : String(length);
  });
  const begun = world.clock.now();
  const { code, out } = await answerOf({ answer: retry }, questionIn(world, { names: [`network/${name}`] }));
  assert.equal(
    [code, out],
    [0, `Network/${name} is retried; 'troupe trace network/${name} -n ${world.namespace}' shows the result\n`],
  );
  const made = await world.available('Network', name);
  assert.is(made.metadata.generation, 1);
  const causes = world.eventsOf('Network', name, 'transition').filter(({ data }) => data['from'] === 'backingOff');
  assert.is(causes.at(-1)?.data['cause'], 'object.changed', `after ${world.clock.now() - begun} ms`);
});

checkIn(test, inMemory)('35.B: what was refused, and what is settled, is looked at again as well', async (world) => {
  const name = world.name('net');
  const theirs = [await world.outside(name), await world.outside(name)];
  await world.apply(world.managed('Network', name));
  await world.progressing('Network', name, 'InvalidConfiguration', /more than one/);
  world.simulator.drift.remove('networks', String(theirs[0]));
  const retry = (value: string | null): Promise<unknown> =>
    world.patch('Network', name, { metadata: { annotations: { 'troupe/retry': value } } });
  await retry('one');
  const { status } = await world.available('Network', name);
  assert.is(status?.id, theirs[1]);
  world.simulator.drift.change('networks', String(status?.id), { description: 'drifted' });
  await retry('two');
  await world.eventually('the drift is mended', async () => {
    const found = (await world.contents('networks')).find(({ id }) => id === status?.id);
    return found?.['description'] === 'drifted' ? 'drifted' : undefined;
  });
  // That the annotation goes asks for nothing.
  const before = world.eventsOf('Network', name, 'transition').length;
  await retry(null);
  await world.clock.sleep(5_000);
  assert.is(world.eventsOf('Network', name, 'transition').length, before);
});

test('35.B: who may not patch an object may not have it tried again, nor paused', () =>
  withHost(
    {},
    async (ask) => {
      for (const command of ['retry', 'pause'] as const) {
        assert.match(await refusal(ask(command)), /^you may not patch BareMetalHost\/one: .*User "eve" cannot patch/);
      }
    },
    false,
  ));

test('35.B: a host is paused and resumed, and what others paused stays so', async () => {
  const annotations: Annotations = {};
  await withHost(annotations, async (ask) => {
    assert.is((await ask('pause')).out, 'BareMetalHost/one is paused\n');
    assert.ok(annotations[PAUSED] !== undefined);
    assert.is((await ask('pause')).out, 'BareMetalHost/one is paused\n');
    assert.is((await ask('resume')).out, 'BareMetalHost/one is resumed\n');
    assert.equal(annotations, {});
    const again = await ask('resume');
    assert.equal([again.code, again.out], [0, 'BareMetalHost/one was not paused; nothing was changed\n']);
    assert.is(
      await refusal(ask('pause', ['bmh'])),
      "'pause' cannot take 'bmh': 'troupe pause --help' lists what it takes",
    );
    assert.match(await refusal(ask('retry', ['bmh/two'])), "BareMetalHost/two does not exist in namespace 'metal'");
    assert.match(await refusal(ask('retry', ['secret/two'])), 'troupe does not manage Secret');
    assert.match(
      await refusal(ask('pause', ['hfs/one'])),
      'a HostFirmwareSettings cannot be paused; BareMetalHost can',
    );
  });
  const others: Annotations = { [PAUSED]: 'metal3.io/capm3' };
  await withHost(others, async (ask) => {
    assert.is((await ask('pause')).out, "BareMetalHost/one is paused, by 'metal3.io/capm3'\n");
    assert.match(await refusal(ask('resume')), "was paused by another client, as 'metal3.io/capm3'");
    assert.equal(others, { [PAUSED]: 'metal3.io/capm3' });
  });
});

test.run();
