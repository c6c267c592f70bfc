// What a pod shows the cluster: health, readiness, figures, and to whom.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../actors/base/config.ts';
import { parseListenAddress } from '../../../actors/base/listen-address.ts';
import { type HttpEndpoints, serveHttpEndpoints } from '../../../actors/process/http-endpoints.ts';
import type { Runtime } from '../../../actors/process/runtime.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { refusalOf } from '../../../adapters/kubernetes/refusals.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import { AbsentError, memoryBroker, TerminalError, TransientError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('probes');
const clock = simulatedClock();

interface Page {
  readonly code: number;
  readonly text: string;
}

function page(url: string, token?: string): Promise<Page> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, ...(url.startsWith('https:') && { rejectUnauthorized: false }) };
    const outgoing = send(url, options, async (response) => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      resolve({ code: response.statusCode ?? 0, text });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function opened(env: Record<string, string>, client: KubeClient): Promise<HttpEndpoints> {
  return serveHttpEndpoints(readConfig(env), client, clock, { hasBus: true });
}

test('addresses are as other programs of the cluster take them', () => {
  assert.equal(parseListenAddress(':8081'), { host: '', port: 8081 });
  assert.equal(parseListenAddress('127.0.0.1:80'), { host: '127.0.0.1', port: 80 });
  assert.equal(parseListenAddress('[::1]:80'), { host: '::1', port: 80 });
  assert.is(parseListenAddress('0'), undefined);
  for (const wrong of ['8081', ':99999', '::1:80', 'host:http']) assert.throws(() => parseListenAddress(wrong));
});

test('ready is who began, hears the bus and reaches the API server', async () => {
  let answer: () => Promise<never> = async () => {
    throw new TransientError('the API server is away');
  };
  const client = { call: () => answer() } as unknown as KubeClient;
  const port = await freePort();
  const pages = await opened({ TROUPE_HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${port}` }, client);
  const url = `http://127.0.0.1:${port}`;
  const bus = memoryBroker({ clock }).connect();
  const listeners: ((change: { kind: 'connected' | 'disconnected'; detail: string }) => void)[] = [];
  pages.follow({
    ...bus,
    onConnectivity: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  });
  assert.equal(await page(`${url}/healthz`), { code: 200, text: 'ok\n' });
  assert.equal(await page(`${url}/readyz`), { code: 503, text: 'starting\n' });
  pages.began({ countByState: () => new Map() } as unknown as Runtime);
  assert.is((await page(`${url}/readyz`)).text, 'the API server has not answered yet\n');
  assert.is((await page(`${url}/readyz`)).text, 'the API server is away\n', 'it was asked by then');
  answer = async () => ({ body: {}, serverTime: 0 }) as never;
  await page(`${url}/readyz`);
  assert.equal(await page(`${url}/readyz`), { code: 200, text: 'ok\n' }, 'nothing else calls it');
  // Each of these is an answer: a namespace that is being deleted takes no Events, and a list may be too old.
  for (const status of [400, 403, 404, 409, 410, 422]) {
    answer = async () => {
      throw refusalOf(status, undefined, { method: 'POST', path: '/api/v1/namespaces/gone/events' });
    };
    await pages.client.call({ method: 'POST', path: '/api/v1/namespaces/gone/events' }).catch(() => undefined);
    const isAnswer = status !== 404; // without a body it may be that of a proxy
    assert.is((await page(`${url}/readyz`)).code, isAnswer ? 200 : 503, `${status}`);
  }
  // That it does not know a kind is an answer: most clusters have not those of every adapter.
  answer = async () => {
    throw new AbsentError('the server could not find the requested resource');
  };
  await pages.client.call({ method: 'GET', path: '/apis/metal3.io/v1alpha1/baremetalhosts' }).catch(() => undefined);
  assert.equal(await page(`${url}/readyz`), { code: 200, text: 'ok\n' });
  for (const report of listeners) report({ kind: 'disconnected', detail: 'the bus is away' });
  assert.equal(await page(`${url}/readyz?verbose`), { code: 503, text: 'the bus is away\n' });
  assert.is((await page(`${url}/healthz`)).code, 200);
  assert.is((await page(`${url}/elsewhere`)).code, 404);
  await pages.close();
  await bus.close();
});

test('figures: calls to clouds, transitions, objects by state', async () => {
  const port = await freePort();
  const client = { call: async () => ({ body: {}, serverTime: 0 }) } as unknown as KubeClient;
  const env = { TROUPE_METRICS_BIND_ADDRESS: `127.0.0.1:${port}`, TROUPE_METRICS_SECURE: 'false' };
  const pages = await opened(env, client);
  const bus = pages.follow(memoryBroker({ clock }).connect());
  pages.began({
    countByState: () => new Map([['available', 2]]),
    hostedObjects: () => [],
    load: () => ({
      shards: { live: 1, opening: 0, closing: 0, all: 1 },
      queues: { mail: 0, answers: 0, statuses: 0 },
      calls: new Map(),
    }),
    rejectedMessages: 0,
  } as unknown as Runtime);
  const call = { service: 'network', method: 'GET', path: '/networks', durationMs: 30, traceparent: '' };
  pages.metrics?.onCall({ ...call, status: 200 });
  pages.metrics?.onCall({ ...call, status: undefined });
  const actor = { realm: 'openstack', plural: 'networks', namespace: 'n', name: 'secret-name' };
  bus.trace.emit({ actor, type: 'transition', data: { from: 'a', to: 'available' } });
  await pages.client.call({ method: 'PATCH', path: '/x' });
  const { code, text } = await page(`http://127.0.0.1:${port}/metrics`);
  assert.is(code, 200);
  for (const line of [
    'troupe_cloud_requests_total{service="network",method="GET",code="200"} 1',
    'troupe_cloud_requests_total{service="network",method="GET",code="0"} 1',
    'troupe_transitions_total{realm="openstack",plural="networks",to="available"} 1',
    'troupe_kubernetes_requests_total{method="PATCH",outcome="done"} 1',
    'troupe_objects{state="available"} 2',
  ]) {
    assert.ok(text.includes(`\n${line}\n`), `${line} in ${text}`);
  }
  assert.not.match(text, 'secret-name');
  await pages.close();
  await bus.close();
});

test('figures over TLS are for whom the cluster allows it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-probes-'));
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig());
  const client = kubeClient({ clock, kubeconfig });
  const port = await freePort();
  const pages = await opened({ TROUPE_METRICS_BIND_ADDRESS: `127.0.0.1:${port}` }, client);
  const rbac = 'rbac.authorization.k8s.io/v1';
  const post = (path: string, body: object) => client.call({ method: 'POST', path, body: body as never });
  for (const name of ['reader', 'stranger'])
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
  await post(`/apis/${rbac}/clusterroles`, {
    metadata: { name: 'metrics' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  await post(`/apis/${rbac}/clusterrolebindings`, {
    metadata: { name: 'metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
  });
  const tokenOf = async (name: string): Promise<string> => {
    const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
    const { body } = await post(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
    return String((body['status'] as Record<string, unknown>)['token']);
  };
  const url = `https://127.0.0.1:${port}/metrics`;
  assert.is((await page(url)).code, 401);
  assert.is((await page(url, 'nonsense')).code, 401);
  assert.is((await page(url, await tokenOf('stranger'))).code, 403);
  const reader = await tokenOf('reader');
  assert.is((await page(url, reader)).code, 200);
  const asked = api.requests()['POST'];
  assert.is((await page(url, reader)).code, 200);
  assert.is(api.requests()['POST'], asked, 'a verdict is kept for a while');
  await pages.close();
  await client.close();
  await api.close();
  await rm(folder, { recursive: true });
});

test('an address that is taken is told with its option', async () => {
  const port = await freePort();
  const client = { call: async () => ({ body: {}, serverTime: 0 }) } as unknown as KubeClient;
  const env = { TROUPE_HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${port}` };
  const pages = await opened(env, client);
  try {
    await opened(env, client);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, /^--health-probe-bind-address: .*EADDRINUSE/);
  }
  await pages.close();
});

test.run();
