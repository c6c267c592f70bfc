// long
// A hostile publisher that asks adapters for operations: in the name of objects that are not there, are another's, or ask
// for something else. With `troupe run` as processes of their own.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect, headers, type NatsConnection, RequestError } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openstackWith, REALM } from '../../adapters/openstack/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { endpointSubject, longCallSubject } from '../../bus/subjects.ts';
import { accountFor } from '../actors/deployed.ts';
import { TroupeProcess } from '../actors/processes.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { World } from '../world/world.ts';

const LEASE_MS = 3_000;
/** Longest wait for an answer, in milliseconds. */
const ANSWER_MS = 10_000;
/** Of whoever holds what he asks for. */
const CALLER = 'mallory';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('hostile publisher of requests');
  const openGround = onNats(found.program);

  test('where one process plays all roles, nobody answers for an operation', async () => {
    const world = await World.open(openGround, { runtime: 'stopped', leaseMs: LEASE_MS });
    const process = new TroupeProcess(world, { TROUPE_LEASE_MS: String(LEASE_MS) });
    const hostile = await publisher(world);
    try {
      const name = world.name('n');
      await world.apply(world.managed('Network', name));
      await world.available('Network', name);
      const object = await world.read('Network', name);
      for (const { plural, operations } of openstackWith({}).kinds)
        for (const operation of operations) {
          const subject = `${REALM}.${plural}.${operation}`;
          assert.is((await ask(hostile, subject, { object })).code, 'nobody', subject);
        }
    } finally {
      await hostile.close();
      await process.kill();
      await world.close();
    }
  });

  test('where roles are split, what its object does not ask for is refused, counted and told of', async () => {
    const world = await World.open(openGround, { runtime: 'stopped', leaseMs: LEASE_MS });
    const { namespace, ground } = world;
    const kubeconfig = join(ground.folder, 'kubeconfig-openstack');
    await writeFile(kubeconfig, await accountFor([REALM], ground), { mode: 0o600 });
    const port = await freePort();
    const env = { TROUPE_LEASE_MS: String(LEASE_MS) };
    const adapter = new TroupeProcess(world, {
      ...env,
      KUBECONFIG: kubeconfig,
      TROUPE_ROLES: REALM,
      TROUPE_NAMESPACES: namespace,
      TROUPE_METRICS_BIND_ADDRESS: `127.0.0.1:${port}`,
      TROUPE_METRICS_SECURE: 'false',
    });
    const actors = new TroupeProcess(world, { ...env, TROUPE_ROLES: 'watch,actors' });
    const hostile = await publisher(world);
    try {
      const [own, other, going, later] = ['own', 'other', 'going', 'later'].map((each) => world.name(each)) as [
        string,
        string,
        string,
        string,
      ];
      await world.secret('another-clouds', ground.cloudsYaml);
      await world.apply(world.managed('Network', own), world.managed('Network', other));
      const held = world.managed('Network', going);
      await world.apply({ ...held, metadata: { name: going, finalizers: ['example.org/held'] } });
      for (const name of [own, other, going]) await world.available('Network', name);
      await world.delete('Network', going);
      await world.eventually('it is being deleted', async () =>
        (await carried(world, going)).metadata['deletionTimestamp'] === undefined ? 'not yet' : undefined,
      );
      const [object, another, deleted] = [
        await carried(world, own),
        await carried(world, other),
        await carried(world, going),
      ];
      const id = String(object.status['id']);
      const elsewhere = { ...object, metadata: { ...object.metadata, namespace: 'kube-system' } };
      const withSpec = (spec: JsonObject): JsonObject => ({ ...object, spec: { ...object.spec, ...spec } });
      const ref = object.spec['cloudCredentialsRef'] as JsonObject;
      const observation = { id: String(another.status['id']), attributes: {}, resource: {}, available: true };
      const attacks: readonly (readonly [reason: string, operation: string, request: JsonObject])[] = [
        ['malformed', 'create', { object: '{{' }],
        ['malformed', 'create', { object, dependencies: { 'Project/p': 7 } }],
        ['malformed', 'create', { object: { ...object, metadata: { ...object.metadata, name: '../..' } } }],
        ['namespace', 'create', { object: elsewhere }],
        ['absent', 'create', { object: { ...object, metadata: { ...object.metadata, name: 'nobody' } } }],
        ['absent', 'create', { object: { ...object, metadata: { ...object.metadata, uid: 'forged' } } }],
        ['outdated', 'create', { object: { ...object, metadata: { ...object.metadata, generation: 7 } } }],
        ['spec', 'create', { object: withSpec({ cloudCredentialsRef: { ...ref, secretName: 'another-clouds' } }) }],
        ['spec', 'create', { object: withSpec({ cloudCredentialsRef: { ...ref, cloudName: 'admin' } }) }],
        ['spec', 'create', { object: withSpec({ resource: { name: 'forged' } }) }],
        ['spec', 'import', { object: withSpec({ managementPolicy: 'unmanaged', import: { id } }) }],
        ['deletion', 'create', { object: deleted }],
        ['deletion', 'remove', { object, id }],
        ['id', 'remove', { object: deleted, id }],
        ['id', 'observe', { object, id: observation.id }],
        ['id', 'watch', { object, id: observation.id, pollAfterMs: 0 }],
        ['id', 'update', { object, observation }],
      ];
      const asked: string[] = [];
      hostile.subscribe(longCallSubject(CALLER, ground.nats?.prefix), {
        callback: (_, message) => {
          asked.push(message.string());
          message.respond(JSON.stringify({ validMs: LEASE_MS }));
        },
      });
      await hostile.flush();
      const before = { ...world.simulator.calls() };
      for (const [reason, operation, request] of attacks) {
        const what = `${reason} ${operation} ${JSON.stringify(request).slice(0, 200)}`;
        const whole = { dependencies: {}, traceparent: '', deadlineAt: world.clock.now() + ANSWER_MS, ...request };
        for (const how of ['asked', 'held'] as const) {
          const answer = await ask(hostile, `${REALM}.networks.${operation}`, whole, how);
          assert.is(answer.code, 'transient', what);
          assert.match(String(answer.message), /^refused: /, what);
        }
      }
      assert.equal(asked, [], 'nothing that was held has begun');
      const after = world.simulator.calls();
      for (const call of Object.keys(after).filter((each) => !each.includes(' GET ')))
        assert.is(after[call], before[call], `${call} at the cloud`);
      const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      for (const [reason, count] of Map.groupBy(attacks, ([of]) => of)) {
        const counted = [...figures.matchAll(/^troupe_rejected_requests_total\{.*reason="(\w+)"\} (\d+)$/gm)];
        const sum = counted.filter(([, of]) => of === reason).reduce((all, [, , n]) => all + Number(n), 0);
        assert.ok(sum >= 2 * count.length, `${sum} refused as ${reason}`);
      }
      const reported = adapter.lines.filter(({ msg }) => String(msg).startsWith('a request on the bus is not'));
      assert.ok(reported.length > 0 && reported.length < attacks.length, `${reported.length} lines`);

      // Everybody else goes on.
      await world.patch('Network', own, { spec: { resource: { description: 'edited' } } });
      await world.apply(world.managed('Network', later));
      await world.available('Network', later);
      await world.eventually('the edit has arrived', async () =>
        (await world.contents('networks')).some(({ description }) => description === 'edited') ? undefined : 'not yet',
      );
      await world.patch('Network', going, { metadata: { finalizers: ['openstack.k-orc.cloud/network'] } });
      for (const name of [own, other, later]) await world.delete('Network', name);
      for (const name of [own, other, going, later]) await world.gone('Network', name);
      assert.equal(await world.contents('networks'), []);
    } catch (error) {
      for (const { said, lines } of [adapter, actors])
        for (const line of [...said, ...lines.filter(({ level }) => Number(level) >= 40)]) console.error(line);
      throw error;
    } finally {
      await hostile.close();
      await adapter.kill();
      await actors.kill();
      await world.close();
    }
  });

  test.run();
}

/** Somebody who has the password of the bus. */
async function publisher({ ground }: World): Promise<NatsConnection> {
  const { host, username: user, password: pass } = new URL(ground.nats?.url ?? '');
  return connect({ servers: host, user, pass });
}

/** What it was answered; the code `nobody`: there was nobody to ask. */
async function ask(
  nats: NatsConnection,
  subject: string,
  request: object,
  how: 'asked' | 'held' = 'asked',
): Promise<{ readonly code?: string; readonly message?: string }> {
  const header = headers();
  if (how === 'held') header.set('Troupe-Hold', `${CALLER} 1`);
  try {
    const options = { timeout: ANSWER_MS, headers: header };
    const message = await nats.request(endpointSubject(subject), JSON.stringify(request), options);
    return JSON.parse(message.string()) as { readonly code?: string };
  } catch (error) {
    if (error instanceof RequestError && error.isNoResponders()) return { code: 'nobody' };
    throw error;
  }
}

/** The network as an honest caller would tell of it. */
async function carried(
  world: World,
  name: string,
): Promise<JsonObject & { readonly metadata: JsonObject; readonly spec: JsonObject; readonly status: JsonObject }> {
  const object = (await world.read('Network', name)) as unknown as {
    readonly metadata: JsonObject;
    readonly spec: JsonObject;
    readonly status: JsonObject;
  };
  return { ...object };
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
