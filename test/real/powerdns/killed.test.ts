// needs: powerdns
// The adapter for PowerDNS in a process of its own, which is killed when the server has made the zone and has not answered yet.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { until } from '../../bus/harness.ts';
import { API_KEY, isInstalled, startPowerDns } from './server.ts';

const test = suite('powerdns, killed');
const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
const ADAPTER = fileURLToPath(new URL('../../example-adapter/powerdns/adapter.ts', import.meta.url));
const ZONES = '/apis/powerdns.example.org/v1/namespaces/default/zones';
const WAIT_MS = 60_000;

/** Passes requests on to a server. `onCreated` runs when a zone was made, in place of the answer. */
async function proxyOf(target: string, onCreated: () => void) {
  const creates: string[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    const init = { method, headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' } };
    const answer = await fetch(new URL(url, target), { ...init, ...(body.length > 0 && { body }) });
    const text = await answer.text();
    if (method === 'POST') {
      creates.push(url);
      return onCreated();
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    creates,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startDev(folder: string, url: string): Promise<ChildProcess> {
  const { PATH, HOME, TROUPE_NATS_SERVER } = process.env;
  const env = { PATH, HOME, POWERDNS_URL: url, ...(TROUPE_NATS_SERVER !== undefined && { TROUPE_NATS_SERVER }) };
  const options = ['--data', folder, '--adapters', ADAPTER, '--only-adapters', '--visualizer-bind-address', '0'];
  const child = spawn(process.execPath, [CLI, 'dev', ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  await until('the start of dev', () => child.exitCode !== null || text.includes('export KUBECONFIG='), WAIT_MS);
  assert.is(child.exitCode, null, text);
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

if (!isInstalled) process.stdout.write('skipped: there is no pdns_server; TROUPE_PDNS names a folder that has one\n');
else {
  test('35.C6: a process that kill -9 ends in the middle of a create is followed by one that finds the zone', async () => {
    const powerDns = await startPowerDns();
    const folder = await mkdtemp(join(tmpdir(), 'troupe-pdns-dev-'));
    let dev: ChildProcess | undefined;
    const proxy = await proxyOf(powerDns.url, () => dev?.kill('SIGKILL'));
    const clock = systemClock();
    try {
      dev = await startDev(folder, proxy.url);
      const kubeconfig = join(folder, 'kubeconfig');
      const first = kubeClient({ clock, kubeconfig });
      const secret = { metadata: { name: 'powerdns' }, stringData: { 'api-key': API_KEY } };
      const zone = { name: 'shop.example', nameservers: ['ns1.shop.example'] };
      const body = {
        apiVersion: 'powerdns.example.org/v1',
        kind: 'Zone',
        metadata: { name: 'shop' },
        spec: { serverRef: 'powerdns', ...zone },
      };
      const killed = once(dev, 'exit');
      await first.call({
        method: 'POST',
        path: '/api/v1/namespaces/default/secrets',
        body: { apiVersion: 'v1', kind: 'Secret', ...secret },
      });
      await first.call({ method: 'POST', path: ZONES, body });
      assert.equal(await killed, [null, 'SIGKILL']);
      await first.close();
      assert.ok((await powerDns.ask('GET', '/zones/shop.example.')) !== undefined, 'the server made it');

      dev = await startDev(folder, proxy.url);
      const second = kubeClient({ clock, kubeconfig });
      const status = async (): Promise<string> =>
        JSON.stringify((await second.call({ method: 'GET', path: `${ZONES}/shop` })).body);
      await eventually(async () => (await status()).includes('"id":"shop.example."'));
      await second.call({ method: 'DELETE', path: `${ZONES}/shop` });
      await eventually(async () => (await powerDns.ask('GET', '/zones/shop.example.')) === undefined);
      await second.close();
      assert.is(proxy.creates.length, 1, 'it was made once');
    } finally {
      await end(dev);
      await proxy.close();
      await powerDns.close();
      await rm(folder, { recursive: true, maxRetries: 5 });
    }

    async function eventually(isSo: () => Promise<boolean>): Promise<void> {
      const endsAt = clock.now() + WAIT_MS;
      while (!(await isSo())) {
        if (clock.now() > endsAt) throw new Error(`it did not come within ${WAIT_MS} ms`);
        await clock.sleep(50);
      }
    }
  });
  test.run();
}
