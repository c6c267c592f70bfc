// long
// `troupe dev` after kill -9: objects, cloud and addresses are what they were, nothing is made anew, and all can be deleted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import { until } from '../../bus/harness.ts';

const test = suite('dev');
const clock = systemClock();
const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
const API = '/apis/openstack.k-orc.cloud/v1alpha1/namespaces/shop';
const WAIT_MS = 120_000;

interface Dev {
  readonly client: KubeClient;
  /** What it wrote to standard error. */
  text(): string;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function startDev(folder: string, options: readonly string[] = []): Promise<Dev> {
  const { PATH, HOME, TROUPE_NATS_SERVER } = process.env;
  const child: ChildProcess = spawn(process.execPath, [CLI, 'dev', '--data', folder, ...options], {
    env: { PATH, HOME, ...(TROUPE_NATS_SERVER !== undefined && { TROUPE_NATS_SERVER }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  let ended = false;
  const end = new Promise<void>((resolve) =>
    child.once('close', () => {
      ended = true;
      resolve();
    }),
  );
  await until('the start of dev', () => ended || text.includes('export KUBECONFIG='), WAIT_MS);
  assert.not(ended, text);
  const client = kubeClient({ clock, kubeconfig: join(folder, 'kubeconfig') });
  return {
    client,
    text: () => text,
    async end(signal) {
      await client.close();
      child.kill(signal);
      await end;
    },
  };
}

/** What an object or a server comes to, in its time. */
async function becomes(what: string, is: () => Promise<boolean>): Promise<void> {
  const endsAt = clock.now() + WAIT_MS;
  while (!(await is())) {
    if (clock.now() > endsAt) throw new Error(`${what} did not come within ${WAIT_MS} ms`);
    await clock.sleep(50);
  }
}

async function read(client: KubeClient, path: string): Promise<JsonObject | undefined> {
  try {
    return (await client.call({ method: 'GET', path })).body as JsonObject;
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

const KINDS = { networks: ['public', 'net'], subnets: ['sub'], routers: ['router'] } as const;

/** Ids by name, once all are available as of their last edit. */
async function available(client: KubeClient): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const [plural, names] of Object.entries(KINDS)) {
    for (const name of names) {
      const look = async (): Promise<boolean> => {
        const object = (await read(client, `${API}/${plural}/${name}`)) as {
          readonly metadata: { readonly generation: number };
          readonly status?: {
            readonly id?: string;
            readonly conditions?: readonly { type: string; status: string; observedGeneration: number }[];
          };
        };
        const said = (type: string): string =>
          object.status?.conditions?.find(
            (one) => one.type === type && one.observedGeneration === object.metadata.generation,
          )?.status ?? '';
        ids[`${plural}/${name}`] = object.status?.id ?? '';
        return said('Available') === 'True' && said('Progressing') === 'False';
      };
      await becomes(`${plural}/${name}`, look);
    }
  }
  return ids;
}

/** Ids and names of what the cloud has, as `clouds.yaml` of the Secret leads to it. */
async function inCloud(client: KubeClient, collection: string): Promise<Readonly<Record<string, JsonObject>>> {
  const { data } = (await read(client, '/api/v1/namespaces/default/secrets/clouds')) as {
    data: Record<string, string>;
  };
  const yaml = Buffer.from(data['clouds.yaml'] ?? '', 'base64').toString();
  const url = /auth_url: (\S+)/.exec(yaml)?.[1] ?? '';
  const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const auth = { identity: { methods: ['password'], password: { user } }, scope };
  const token = await fetch(`${url}/auth/tokens`, { method: 'POST', body: JSON.stringify({ auth }) });
  const headers = { 'x-auth-token': token.headers.get('x-subject-token') ?? '' };
  const answer = await fetch(`${new URL(url).origin}/network/v2.0/${collection}`, { headers });
  const items = ((await answer.json()) as Record<string, readonly JsonObject[]>)[collection] ?? [];
  return Object.fromEntries(items.map((item) => [String(item['name']), item]));
}

async function apply(client: KubeClient, folder: string): Promise<void> {
  const cloudsYaml = Buffer.from(await readFile(join(folder, 'clouds.yaml'))).toString('base64');
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  });
  for (const namespace of ['shop', 'default']) {
    await client.call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/secrets`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'clouds' }, data: { 'clouds.yaml': cloudsYaml } },
    });
  }
  const make = async (plural: string, kind: string, name: string, spec: JsonObject): Promise<void> => {
    const cloudCredentialsRef = { secretName: 'clouds', cloudName: 'openstack' };
    const body = {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind,
      metadata: { name },
      spec: { cloudCredentialsRef, ...spec },
    };
    await client.call({ method: 'POST', path: `${API}/${plural}`, body });
  };
  const imported = { managementPolicy: 'unmanaged', import: { filter: { name: 'public', external: true } } };
  await make('networks', 'Network', 'public', imported);
  await make('subnets', 'Subnet', 'sub', { resource: { networkRef: 'net', cidr: '10.0.0.0/24', ipVersion: 4 } });
  await make('networks', 'Network', 'net', { resource: {} });
  await make('routers', 'Router', 'router', { resource: { externalGateways: [{ networkRef: 'public' }] } });
}

test('the simulated cloud of dev outlives kill -9 as the objects do: nothing is made anew, and all can go', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-dev-'));
  let dev = await startDev(folder);
  try {
    await apply(dev.client, folder);
    const ids = await available(dev.client);
    const networks = await inCloud(dev.client, 'networks');
    assert.equal(Object.keys(networks).sort(), ['net', 'public']);
    await dev.end('SIGKILL');

    dev = await startDev(folder);
    assert.equal(await available(dev.client), ids);
    assert.equal(await inCloud(dev.client, 'networks'), networks, 'the Secret of before leads to the cloud of before');
    // An edit gets to the resource of before: nothing was made anew.
    const path = `${API}/networks/net`;
    const body = { spec: { resource: { description: 'edited' } } };
    await dev.client.call({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    assert.equal(await available(dev.client), ids);
    const { net } = await inCloud(dev.client, 'networks');
    assert.is(net?.['id'], networks['net']?.['id']);
    assert.is(net?.['description'], 'edited');

    await dev.client.call({ method: 'DELETE', path: '/api/v1/namespaces/shop' });
    const { client } = dev;
    await becomes(
      'the end of the namespace',
      async () => (await read(client, '/api/v1/namespaces/shop')) === undefined,
    );
    assert.equal(Object.keys(await inCloud(client, 'networks')), ['public']);
    assert.equal(await inCloud(client, 'routers'), {});
  } finally {
    await dev.end('SIGTERM');
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
});

test('35.B: dev serves what its flags say, ends its banner with the tutorial, is quiet without -v, and names a port that is taken', async () => {
  const [folder, second] = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'troupe-dev-'))));
  const port = await freePort();
  const options = ['--metrics-bind-address', `127.0.0.1:${port}`, '--metrics-secure=false'];
  const dev = await startDev(folder as string, options);
  try {
    const [, banner = ''] = dev.text().split('export KUBECONFIG=');
    await access(/the first steps: (\S+)\n\n$/.exec(banner)?.[1] ?? banner);
    // kubectl takes what begins with a brace for JSON, and nothing else.
    const piped = [...banner.matchAll(/echo '(\{.*\})' \| kubectl apply -f -/g)].map(([, text = '']) => text);
    assert.equal(
      piped.map((text) => JSON.parse(text).kind),
      ['BareMetalHost'],
    );
    await apply(dev.client, folder as string);
    await available(dev.client);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /^troupe_/m);
    assert.not.match(dev.text(), 'state changed');

    await expectRefusal(second as string, options, `--metrics-bind-address: listen EADDRINUSE: address already in use`);
    await dev.client.call({ method: 'DELETE', path: '/api/v1/namespaces/shop' });
    const { client } = dev;
    await becomes('the end of it', async () => (await read(client, '/api/v1/namespaces/shop')) === undefined);
  } finally {
    await dev.end('SIGTERM');
  }
  const verbose = await startDev(second as string, ['-v']);
  try {
    await apply(verbose.client, second as string);
    await available(verbose.client);
    assert.match(verbose.text(), 'state changed');
  } finally {
    await verbose.end('SIGTERM');
    for (const each of [folder, second]) await rm(each as string, { recursive: true, maxRetries: 5 });
  }
});

/** A `dev` that cannot begin says why, and ends with 1 or 2. */
async function expectRefusal(folder: string, options: readonly string[], why: string): Promise<void> {
  const error = await startDev(folder, options).catch((thrown: unknown) => thrown);
  assert.match((error as Error).message, why);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.run();
