// A cloud that wishes its caller ill: an identity service and a network service that answer what a test says.
import { fork } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface HostileCloud {
  readonly url: string;
  /** Requests so far, by method and path. */
  readonly heard: string[];
  /** A clouds.yaml for it. */
  cloudsYaml(more?: { readonly path?: string; readonly password?: string }): string;
  close(): Promise<void>;
}

export interface HostileAnswers {
  /** Instead of a token. */
  readonly token?: (request: IncomingMessage, response: ServerResponse) => void;
  /** To whatever is asked of the network service. */
  readonly network?: (request: IncomingMessage, response: ServerResponse) => void;
  /** The URL of the network service in the catalog. */
  readonly networkUrl?: string;
}

/** Keystone answers below any path, so that one server is many clouds: `/1/v3/auth/tokens`, `/2/v3/auth/tokens`. */
export async function startHostileCloud(answers: HostileAnswers): Promise<HostileCloud> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    heard.push(`${request.method} ${path}`);
    request.resume();
    request.on('end', () => {
      if (!path.endsWith('/auth/tokens')) (answers.network ?? notFound)(request, response);
      else if (answers.token !== undefined) answers.token(request, response);
      else grant(response, answers.networkUrl ?? `${url}/network`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    heard,
    cloudsYaml: ({ path = '', password = 'hunter2' } = {}) => cloudsYamlFor(`${url}${path}`, password),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A clouds.yaml that leads to an identity service. */
export function cloudsYamlFor(authUrl: string, password: string): string {
  const auth = { auth_url: authUrl, username: 'mallory', password, user_domain_id: 'default', project_id: 'one' };
  return JSON.stringify({ clouds: { openstack: { auth } } });
}

/** The same server as a process of its own, which answers by `manners.ts`. */
export async function forkHostileCloud(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL('./cloud.process.ts', import.meta.url)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { url } = await new Promise<{ readonly url: string }>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the hostile cloud has ended')));
    child.once('message', (said) => resolve(said as { readonly url: string }));
  });
  return {
    url,
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function notFound(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404).end();
}

/** A token, and a catalog that names this network service. */
export function grant(response: ServerResponse, networkUrl: string): void {
  const [issued_at, expires_at] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'];
  const endpoints = [{ interface: 'public', region: 'RegionOne', url: networkUrl }];
  response.writeHead(201, { 'x-subject-token': 'a-token' });
  response.end(JSON.stringify({ token: { issued_at, expires_at, catalog: [{ type: 'network', endpoints }] } }));
}

/** Writes `piece` until the answer is so long, as fast as it is read. */
export function pour(response: ServerResponse, piece: Buffer, bytes: number): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}
