// No secret on the bus, in a log, an event or a status (I5): a cloud's, seeded with `kubectl apply`, which copies it into an
// annotation, and those of objects of every kind; looked for everywhere, in every spelling.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { standsDuring } from '../world/clock.ts';
import type { OpenGround } from '../world/environments.ts';
import { CREDENTIALS, checkIn, type World } from '../world/world.ts';
import { type Looked, listen, searchAll, spellings, type Wire } from './secret-search.ts';

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
        assert.match(JSON.stringify(await world.read('Secret', CREDENTIALS)), spellings([password]));
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

        await hasNothingOf(world, password, wire);
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
        await hasNothingOf(world, password, wire);
      } finally {
        await account.close();
        await wire.close();
      }
    },
    { credentials: 'absent', logLevel: 'trace' },
  );
}

/** Fails and says where, if the password is anywhere that it does not belong. */
async function hasNothingOf(world: World, password: string, wire: Wire): Promise<void> {
  await world.eventually('something was told by Kubernetes Events', async () => {
    const { body } = await world.client.call({ method: 'GET', path: `/api/v1/namespaces/${world.namespace}/events` });
    return (body['items'] as unknown as readonly JsonObject[]).length > 0 ? undefined : 'none';
  });
  const looked = await searchAll(world, spellings([password]), wire, '');
  lookedWell(world, looked, ['mail', 'log', 'events', 'earlier objects']);
  const mail = await world.mail();
  assert.ok(
    mail.some(({ subject }) => subject.to.plural === 'secrets'),
    'the secret has no mail',
  );
}

/** There was something in each of these places, and on the wire and in the streams where there are such. */
function lookedWell({ ground }: World, looked: Looked, places: readonly string[]): void {
  const all = ground.nats === undefined ? places : [...places, 'wire', 'kept'];
  for (const place of all)
    assert.ok((looked[place] ?? 0) > 0, `nothing was found in '${place}': ${JSON.stringify(looked)}`);
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
    const { clock, kubeconfig } = world.ground;
    await standsDuring(clock, run('kubectl', ['--kubeconfig', kubeconfig, 'apply', '-f', file]));
    const stored = await world.read('Secret', CREDENTIALS);
    assert.ok('kubectl.kubernetes.io/last-applied-configuration' in (stored?.metadata.annotations ?? {}));
  } finally {
    await rm(folder, { recursive: true });
  }
}
