// The first address that is free, for servers of `troupe dev` without a configured address.
import type { ListenAddress } from './listen-address.ts';

// An `import` reads all that a module exports.
const { createServer } = process.getBuiltinModule('node:net');

/** Ports that are tried. */
const PORTS = 100;

/** The first of these ports that is free; if none is, the server reports that on listening. */
export async function freeFrom({ host, port }: ListenAddress): Promise<ListenAddress> {
  for (let next = port; next < Math.min(port + PORTS, 65_536); next += 1) {
    if (await isFree({ host, port: next })) return { host, port: next };
  }
  return { host, port };
}

function isFree({ host, port }: ListenAddress): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ host, port }, () => server.close(() => resolve(true)));
  return promise;
}
