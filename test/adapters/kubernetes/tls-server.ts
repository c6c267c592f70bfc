// A server by TLS that offers HTTP/2 too, as a kube-apiserver does, and a client of it. `/version` is answered; anything
// else is a watch, which begins and does not end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../actors/base/clock.ts';
import type { Environment } from '../../../adapters/kubernetes/exec-plugin.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';

export interface TlsServer {
  /** Certificate of the server's authority, in PEM. */
  readonly authority: string;
  /** Certificate and key of the server, for loopback and api.example. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly port: number;
  /** Versions of HTTP of the requests, in their order. */
  readonly versions: readonly string[];
  /** Connections that were ever made. */
  connections(): number;
  /** A client of its own. @param cluster  fields besides the server and its authority */
  client(cluster?: object, env?: Environment): KubeClient;
}

export async function withTlsServer(run: (server: TlsServer) => Promise<void>): Promise<void> {
  const authority = await makeAuthority('an-authority', Date.now());
  const hosts = ['127.0.0.1', 'localhost', 'api.example'];
  const { certificate: cert, key } = await certify(authority, { name: 'api', hosts }, Date.now());
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
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'troupe-tls-'));
  const clients: KubeClient[] = [];
  const client = (fields: object = {}, env?: Environment): KubeClient => {
    const kubeconfig = join(folder, 'config');
    const known = { 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') };
    const config = {
      clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, ...known, ...fields } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const made = kubeClient({ clock: systemClock(), kubeconfig, env });
    clients.push(made);
    return made;
  };
  try {
    const certificate = { cert, key };
    await run({
      authority: authority.certificate,
      certificate,
      port,
      versions,
      connections: () => connections,
      client,
    });
  } finally {
    for (const each of clients) await each.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
}
