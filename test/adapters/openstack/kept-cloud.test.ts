// The simulated cloud in a file: there again after any end, at its port, with all that was answered for.
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { KeptStore } from '../../../adapters/simulated/openstack/kept-store.ts';
import { CollectionName, type Simulator, startSimulator } from '../../../adapters/simulated/openstack/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';

const test = suite('kept cloud');
const clock = systemClock({ seed: 3 });

async function scratch(body: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-cloud-'));
  try {
    await body(join(folder, 'cloud.jsonl'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asks as user `admin`; `put`, `post` ... by `<method> <path below /network/v2.0>`. */
async function client(simulator: Simulator): Promise<(what: string, body?: JsonObject) => Promise<JsonObject>> {
  const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
  const identity = { methods: ['password'], password: { user } };
  const scope = { project: { id: simulator.projectId } };
  const answer = await fetch(`${simulator.authUrl}/auth/tokens`, {
    method: 'POST',
    body: JSON.stringify({ auth: { identity, scope } }),
  });
  const token = answer.headers.get('x-subject-token') ?? '';
  return async (what, body) => {
    const [method = '', path = ''] = what.split(' ');
    const { port } = simulator;
    const root = path.startsWith('/identity') ? '' : '/network/v2.0';
    const response = await fetch(`http://127.0.0.1:${port}${root}${path}`, {
      method,
      headers: { 'x-auth-token': token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${what}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
}

function contentOf(simulator: Pick<Simulator, 'resources'>): JsonObject {
  return Object.fromEntries(Object.values(CollectionName).map((name) => [name, simulator.resources(name)]));
}

const idOf = (answer: JsonObject, singular: string): string => String((answer[singular] as JsonObject)['id']);

/** A bit of everything. */
async function build(simulator: Simulator): Promise<string> {
  const ask = await client(simulator);
  await ask('POST /identity/v3/projects', { project: { name: 'shop', domain_id: 'default' } });
  const network = idOf(await ask('POST /networks', { network: { name: 'net' } }), 'network');
  const subnet = { network_id: network, cidr: '10.0.0.0/24', ip_version: 4 };
  const subnetId = idOf(await ask('POST /subnets', { subnet }), 'subnet');
  const router = idOf(await ask('POST /routers', { router: { name: 'r' } }), 'router');
  await ask(`PUT /routers/${router}/add_router_interface`, { subnet_id: subnetId });
  await ask('POST /security-groups', { security_group: { name: 'web' } });
  const port = idOf(await ask('POST /ports', { port: { network_id: network } }), 'port');
  await ask(`PUT /ports/${port}`, { port: { description: 'changed' } });
  await ask(`PUT /networks/${network}/tags/blue`);
  await ask(`DELETE /ports/${port}`);
  await ask('PUT /quotas/p', { quota: { network: 7 } });
  return network;
}

test('a cloud goes on where it was, at its port, with its quotas and what an operator made', () =>
  scratch(async (file) => {
    const first = await startSimulator({ clock, file, externalNetwork: 'public' });
    await build(first);
    const { port, projectId } = first;
    const before = contentOf(first);
    await first.close();
    assert.is((await stat(file)).mode & 0o777, 0o600);

    const second = await startSimulator({ clock, file, externalNetwork: 'public' });
    assert.is(second.port, port);
    assert.is(second.projectId, projectId);
    assert.equal(contentOf(second), before);
    const ask = await client(second);
    assert.is(((await ask('GET /quotas/p'))['quota'] as JsonObject)['network'], 7);
    const { networks } = (await ask('GET /networks?name=public')) as { networks: readonly JsonObject[] };
    assert.equal(
      networks.map((network) => network['router:external']),
      [true],
    );
    // What somebody took away stays away.
    await ask(`DELETE /networks/${networks[0]?.['id']}`);
    await second.close();
    const third = await startSimulator({ clock, file, externalNetwork: 'public' });
    assert.equal(
      third.resources(CollectionName.Networks).map(({ name }) => name),
      ['net'],
    );
    await third.close();
  }));

test('what was answered is in the file at that moment, and one that was killed is there again with it (OSIM-KEPT-STORE-1)', () =>
  scratch(async (file) => {
    const simulator = await startSimulator({ clock, file });
    const ask = await client(simulator);
    for (const name of ['a', 'b', 'c']) {
      await ask('POST /networks', { network: { name } });
      await copyFile(file, `${file}.${name}`);
    }
    // Many at once share writes, and none is answered before its own.
    const many = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const missing = await Promise.all(
      many.map(async (name) => {
        await ask('POST /networks', { network: { name } });
        return (await readFile(file, 'utf8')).includes(`"name":"${name}"`) ? [] : [name];
      }),
    );
    assert.equal(missing.flat(), []);
    await simulator.close();
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const { store } = await KeptStore.open(`${file}.${name}`, clock);
      const names = store.sorted(CollectionName.Networks).map((network) => network['name']);
      assert.equal(names.sort(), ['a', 'b', 'c'].slice(0, index + 1));
    }
  }));

test('a kill in the middle of a write costs what was being written, and no more (OSIM-KEPT-STORE-2)', () =>
  scratch(async (file) => {
    const first = await startSimulator({ clock, file });
    await (await client(first))('POST /networks', { network: { name: 'kept' } });
    const { port } = first;
    await first.close();
    const whole = await readFile(file, 'utf8');
    const next = `[["networks/x",{"id":"x","name":"torn"}]]`;
    for (const torn of [next.slice(0, 1), next.slice(0, 20), next]) {
      await writeFile(file, whole + torn);
      const again = await startSimulator({ clock, file });
      const names = again.resources(CollectionName.Networks).map(({ name }) => name);
      assert.equal(names, ['kept']);
      assert.is(again.port, port);
      await (await client(again))('PUT /quotas/p', { quota: { port: 1 } });
      await again.close();
      const { store } = await KeptStore.open(file, clock);
      assert.is(store.quotas.get('p')?.get('port'), 1);
    }
    // One that was killed before it had begun is a new one.
    await writeFile(file, whole.slice(0, 5));
    const anew = await startSimulator({ clock, file });
    assert.equal(anew.resources(CollectionName.Networks), []);
    await anew.close();
  }));

test('what nobody has written is refused, with the line and what to do', () =>
  scratch(async (file) => {
    await (await startSimulator({ clock, file })).close();
    const whole = await readFile(file, 'utf8');
    for (const [text, line] of [
      ['{"format":2,"port":1}\n', 1],
      ['no json\n', 1],
      [`${whole}{}\n`, 3],
      [`${whole}[["networks/a",\n[]\n`, 3],
    ] as const) {
      await writeFile(file, text);
      try {
        await startSimulator({ clock, file });
        assert.unreachable();
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.match((error as Error).message, `line ${line} of '${file}'`);
        assert.match((error as Error).message, 'begin a new folder with --data');
      }
      assert.is(await readFile(file, 'utf8'), text, 'it is as it was');
    }
  }));

test('where its port is taken, it says which, whose, and what to do', () =>
  scratch(async (file) => {
    const first = await startSimulator({ clock, file });
    const { port } = first;
    await first.close();
    const other = createServer();
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    try {
      await startSimulator({ clock, file });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      const { message } = error as Error;
      for (const part of [`port ${port}`, `'${file}'`, `lsof -i :${port}`, 'a new folder with --data'])
        assert.ok(message.includes(part), message);
    } finally {
      other.close();
    }
    const again = await startSimulator({ clock, file });
    assert.is(again.port, port);
    await again.close();
  }));

test('a file that has grown is replaced by a whole one, which says the same (OSIM-KEPT-STORE-3)', () =>
  scratch(async (file) => {
    const simulator = await startSimulator({ clock, file });
    const ask = await client(simulator);
    const network = idOf(await ask('POST /networks', { network: { name: 'net' } }), 'network');
    const description = 'd'.repeat(255);
    let largest = 0;
    let shrunk = 0;
    for (let round = 0; round < 60; round += 1) {
      const tags = Array.from({ length: 100 }, (_, index) => `${round}-${index}-${'t'.repeat(240)}`);
      await ask(`PUT /networks/${network}/tags`, { tags });
      const { size } = await stat(file);
      if (size < largest) shrunk += 1;
      largest = Math.max(largest, size);
    }
    await ask(`PUT /networks/${network}`, { network: { description } });
    assert.ok(shrunk >= 1, `never below ${largest} bytes`);
    assert.ok(largest < 1_048_576 + 100_000, `${largest} bytes`);
    const before = contentOf(simulator);
    await simulator.close();
    const again = await startSimulator({ clock, file });
    assert.equal(contentOf(again), before);
    await again.close();
  }));

test.run();
