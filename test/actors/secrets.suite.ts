// No secret on the bus, in a log, an event or a status (I5): seeded with `kubectl apply`, which copies it into an
// annotation, and looked for everywhere, plain and in base64.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'nats';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from './grounds.ts';
import { CREDENTIALS, checkIn, resourceOf, type World } from './harness.ts';

const run = promisify(execFile);

export function describeSecrets(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    'a password is in no mail, message, line, event or status, whatever goes wrong (I5)',
    async (world) => {
      const password = `Pw${Math.floor(world.clock.random() * 2 ** 32).toString(36)}Seeded7`;
      const account = await openAccount(world, password);
      const wire = await listen(world);
      try {
        const good = world.ground.cloudsYaml
          .replace(/username:.*/, `username: ${world.name('user')}`)
          .replace(/password:.*/, `password: ${password}`);
        await kubectlApply(world, good);
        assert.match(JSON.stringify(await world.read('Secret', CREDENTIALS)), alignments(password));
        const [net, name] = [world.name('net'), world.name('subnet')];
        const subnet = { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' };
        await world.apply(world.managed('Network', net), world.managed('Subnet', name, subnet));
        await world.available('Subnet', name);
        // Refused by the cloud, not parsable, and a URL that holds it: each has an error message.
        for (const [wrong, spoilt] of [
          ['refused', good.replace(password, `${password}x`)],
          ['unreadable', `${good}\n  - [${password}`],
          ['alias', good.replace(`password: ${password}`, `password: *${password}`)],
          ['address', good.replace('auth_url: http://', `auth_url: http://${password}:${password}@`)],
          ['nowhere', good.replace(/auth_url:.*/, `auth_url: ${password}`)],
        ] as const) {
          await world.secret(wrong, spoilt);
          const ref = { cloudCredentialsRef: { secretName: wrong, cloudName: world.ground.cloudName } };
          await world.apply(world.managed('Network', world.name(wrong), {}, ref));
          await world.until('Network', world.name(wrong), 'judged', ({ status }) => status?.conditions !== undefined);
        }
        await kubectlApply(world, `${good}# rotated\n`);
        await world.patch('Network', net, { spec: { resource: { description: 'changed' } } });
        await world.until('Network', net, 'changed', ({ status }) => status?.resource?.['description'] === 'changed');

        await hasNothingOf(world, password, wire.messages);
        for (const wrong of ['refused', 'unreadable', 'alias', 'address', 'nowhere']) {
          await world.secret(wrong, world.ground.cloudsYaml);
          await world.available('Network', world.name(wrong));
        }
        await world.delete('Subnet', name);
        for (const gone of [
          net,
          ...['refused', 'unreadable', 'alias', 'address', 'nowhere'].map((wrong) => world.name(wrong)),
        ]) {
          await world.delete('Network', gone);
          await world.gone('Network', gone);
        }
        await hasNothingOf(world, password, wire.messages);
        assert.ok(
          world.logs.some(({ level }) => Number(level) <= 20),
          'the log shows nothing below info',
        );
      } finally {
        await account.close();
        await wire.close();
      }
    },
    { credentials: 'absent', logLevel: 'trace' },
  );
}

/** Fails and says where, if the password is anywhere that it does not belong. */
async function hasNothingOf(world: World, password: string, messages: readonly string[]): Promise<void> {
  const pattern = alignments(password);
  const statuses: JsonObject[] = [];
  for (const kind of ['Network', 'Subnet'] as const) {
    for (const { metadata, status } of world.follower.all().filter((object) => object.kind === kind)) {
      statuses.push({
        name: metadata.name,
        kind: resourceOf(kind).kind,
        status: (status ?? {}) as unknown as JsonObject,
      });
    }
  }
  const history = world.follower.all().flatMap(({ kind, metadata: { name } }) => world.follower.history(kind, name));
  const mail = await world.mail();
  let told: readonly JsonObject[] = [];
  await world.eventually('something was told by Kubernetes Events', async () => {
    const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${world.namespace}/events` });
    told = body['items'] as unknown as readonly JsonObject[];
    return told.length > 0 ? undefined : 'none';
  });
  assert.ok(
    mail.some(({ subject }) => subject.to.plural === 'secrets'),
    'the secret has no mail',
  );
  assert.ok(
    world.logs.length > 0 && world.events.length > 0 && (world.ground.nats === undefined || messages.length > 0),
  );
  for (const [where, things] of [
    ['mail', mail],
    ['log', world.logs],
    ['events', world.events],
    ['Kubernetes Events', told],
    ['status', statuses],
    ['earlier status', history.filter(({ kind }) => kind !== 'Secret').map(({ status }) => status ?? {})],
    ['wire', messages],
  ] as const) {
    for (const thing of things) {
      const text = JSON.stringify(thing);
      assert.not.match(text, pattern, `${where}: ${text}`);
    }
  }
}

/** The text itself, and what it looks like inside of longer texts in base64: at each of three positions. */
function alignments(text: string): RegExp {
  const encoded = [0, 1, 2].map((offset) => {
    const whole = Buffer.from(`${'x'.repeat(offset)}${text}`).toString('base64');
    // The characters that neighbours have a part in are left out.
    return whole.slice(offset === 0 ? 0 : 4, Math.floor(((offset + text.length) * 8) / 6)).replaceAll('+', '\\+');
  });
  return new RegExp([text, ...encoded].join('|'));
}

/** Everything that goes over a NATS server under the prefix of this world, requests and answers included. */
async function listen(world: World): Promise<{ readonly messages: readonly string[]; close(): Promise<void> }> {
  const { nats } = world.ground;
  const messages: string[] = [];
  if (nats === undefined) return { messages, close: async () => undefined };
  const { hostname, port, username, password } = new URL(nats.url);
  const login = username === '' ? {} : { user: username, pass: password };
  const spy = await connect({ servers: `${hostname}:${port || 4222}`, ...login });
  spy.subscribe('>', {
    callback: (_error, message) => void messages.push(`${message.subject} ${new TextDecoder().decode(message.data)}`),
  });
  await spy.flush();
  return { messages, close: () => spy.close() };
}

/** A user of the cloud with this password, who may do what the administrator may. */
async function openAccount(world: World, password: string): Promise<{ close(): Promise<void> }> {
  const name = world.name('user');
  if (world.ground.simulator !== undefined) {
    world.simulator.drift.add('users', { name, domain_id: 'default', enabled: true, password, options: {} });
    return { close: async () => undefined };
  }
  const { user } = await world.cloud('POST', '/users', { user: { name, domain_id: 'default', password } });
  const { id } = user as { id: string };
  const { roles } = await world.cloud('GET', '/roles');
  const { projects } = await world.cloud('GET', '/projects');
  const named = (list: unknown): string =>
    (list as { id: string; name: string }[]).find((item) => item.name === 'admin')?.id ?? '';
  await world.cloud('PUT', `/projects/${named(projects)}/users/${id}/roles/${named(roles)}`);
  return {
    async close() {
      await world.cloud('DELETE', `/users/${id}`);
    },
  };
}

/** As a person does it: the annotation `last-applied-configuration` then holds the data too. */
async function kubectlApply(world: World, cloudsYaml: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-secret-'));
  try {
    const file = join(folder, 'secret.json');
    const data = { 'clouds.yaml': Buffer.from(cloudsYaml).toString('base64') };
    const metadata = { name: CREDENTIALS, namespace: world.namespace };
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, data }), { mode: 0o600 });
    await run('kubectl', ['--kubeconfig', world.ground.kubeconfig, 'apply', '-f', file]);
    const stored = await world.read('Secret', CREDENTIALS);
    assert.ok('kubectl.kubernetes.io/last-applied-configuration' in (stored?.metadata.annotations ?? {}));
  } finally {
    await rm(folder, { recursive: true });
  }
}
