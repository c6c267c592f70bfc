// A host of files on loopback, with the misfortunes that hosts have.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileHost {
  readonly port: number;
  /** Serves a file under a path. @returns its URL */
  file(path: string, content: Uint8Array): string;
  /** Serves what `serve` makes of it. @returns its URL */
  serve(path: string, serve: Serve): string;
  /** Requests so far, by path. */
  readonly requests: Readonly<Record<string, readonly IncomingMessage['headers'][]>>;
  close(): Promise<void>;
}

export async function startFileHost(): Promise<FileHost> {
  const served = new Map<string, Serve>();
  const requests: Record<string, IncomingMessage['headers'][]> = {};
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requests[path] = [...(requests[path] ?? []), request.headers];
    const serve = served.get(path);
    if (serve === undefined) response.writeHead(404).end('<html>no such file</html>');
    else serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host: FileHost = {
    port,
    file: (path, content) =>
      host.serve(path, (_, response) => response.writeHead(200, { 'Content-Length': content.length }).end(content)),
    serve(path, serve) {
      served.set(path, serve);
      return `http://127.0.0.1:${port}${path}`;
    },
    requests,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return host;
}

/** Says that it is longer than it is. */
export function truncated(content: Uint8Array): Serve {
  return (_, response) => {
    response.writeHead(200, { 'Content-Length': content.length });
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  };
}

export function redirection(location: string, status = 302): Serve {
  return (_, response) => response.writeHead(status, { Location: location }).end('<html>moved</html>');
}

/** Sends a little, and then nothing. */
export function stalled(content: Uint8Array): Serve {
  return (_, response) => {
    response.writeHead(200, { 'Content-Length': content.length });
    response.write(content.subarray(0, 1));
  };
}
