// An HTTP server that answers as its test says, byte by byte, and a kubeconfig that leads to it. Nothing of an API server
// is in it: no list, no watch, no versions, no TLS.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { ManualClock, soon } from './manual-clock.ts';

/** A request that waits for its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Answers as a whole. */
  answer(status: number, body: object | string, headers?: Record<string, string>): void;
  /** Answers with 200 and no end. */
  open(): void;
  write(bytes: string | Uint8Array): void;
  end(): void;
  /** Cuts the connection. */
  reset(): void;
  /** Resolves when the connection is gone, or the answer ended. */
  readonly closed: Promise<void>;
}

export interface Scripted {
  readonly clock: ManualClock;
  readonly client: KubeClient;
  /** The next request, in the order of their arrival. */
  next(): Promise<Exchange>;
  /** Requests that nobody has taken. */
  waiting(): number;
  /** Connections that were ever made. */
  connections(): number;
  setToken(token: string): void;
  /** Accepts no more connections. */
  closeServer(): Promise<void>;
}

/** @param userIn  user of the kubeconfig, whose files are in a folder; one with a token unless given */
export async function scripted(
  run: (scripted: Scripted) => Promise<void>,
  userIn: (folder: string) => object = () => ({ tokenFile: 'token' }),
): Promise<void> {
  const arrived: Exchange[] = [];
  let onArrival = (): void => undefined;
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
    const { method = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    arrived.push({ method, path: pathname, query: searchParams, headers, body, ...answering(response) });
    onArrival();
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'troupe-scripted-'));
  const setToken = (token: string): void => writeFileSync(join(folder, 'token'), token);
  setToken('first');
  const kubeconfig = join(folder, 'config');
  const { port } = server.address() as AddressInfo;
  const config = {
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: userIn(folder) }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const clock = new ManualClock();
  const client = kubeClient({ clock, kubeconfig });
  const next = async (): Promise<Exchange> => {
    if (arrived.length === 0) await soon(new Promise<void>((resolve) => (onArrival = resolve)), 'a request');
    return arrived.shift() as Exchange;
  };
  const closeServer = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    const waiting = (): number => arrived.length;
    await run({ clock, client, next, waiting, connections: () => connections, setToken, closeServer });
  } finally {
    await client.close();
    await closeServer();
    rmSync(folder, { recursive: true });
  }
}

function answering(response: ServerResponse): Omit<Exchange, 'method' | 'path' | 'query' | 'headers' | 'body'> {
  return {
    answer(status, body, headers = {}) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    },
    open() {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    },
    write: (bytes) => void response.write(bytes),
    end: () => void response.end(),
    reset: () => void response.destroy(),
    closed: new Promise((resolve) => response.on('close', resolve)),
  };
}
