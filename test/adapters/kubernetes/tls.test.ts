// The client by TLS, at a server that offers HTTP/2 too, as a kube-apiserver does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';

const test = suite('kubernetes client by TLS');

test('each watch has a connection of its own, and requests have others', async () => {
  const authority = await makeAuthority('an-authority', Date.now());
  const { certificate: cert, key } = await certify(authority, { name: 'api', hosts: ['127.0.0.1'] }, Date.now());
  const versions: string[] = [];
  let connections = 0;
  const server = createSecureServer({ cert, key, allowHTTP1: true }, ({ httpVersion, url }, response) => {
    versions.push(httpVersion);
    response.writeHead(200, { 'content-type': 'application/json' });
    if (url === '/version') response.end('{}');
    else response.write('{}\n');
  });
  server.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'troupe-tls-'));
  const kubeconfig = join(folder, 'config');
  const cluster = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const client = kubeClient({ clock: systemClock(), kubeconfig });
  const stop = new AbortController();
  try {
    const watches = ['/a', '/b', '/c'].map((path) =>
      client.stream(path, undefined, stop.signal)[Symbol.asyncIterator](),
    );
    for (const watch of watches) assert.equal((await watch.next()).value, {});
    await client.call({ method: 'GET', path: '/version' });
    assert.equal(versions, ['1.1', '1.1', '1.1', '1.1']);
    assert.is(connections, 4);
    stop.abort();
    for (const watch of watches) assert.ok((await watch.next()).done);
  } finally {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
});

test.run();
