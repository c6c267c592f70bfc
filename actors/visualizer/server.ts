// The page over HTTP.
import type { Clock } from '../../bus/mod.ts';
import type { ListenAddress } from '../telling/listen-address.ts';
import type { Source } from './wire.ts';

const { createServer } = process.getBuiltinModule('node:http');

export interface VisualizerServerOptions {
  readonly source: Source;
  readonly address: ListenAddress;
  readonly token: string | undefined;
  readonly clock: Clock;
}

/** A stand-in, which answers that there is nothing yet. */
export async function serveVisualizer({
  address: { host, port },
}: VisualizerServerOptions): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((_, response) => response.writeHead(501).end('not there yet\n'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
  });
  const bound = server.address();
  const at = typeof bound === 'object' && bound !== null ? bound.port : port;
  const name = host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${at}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
