// A proxy that only opens tunnels.
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsServer } from '../kubernetes/tls-server.ts';

export interface ConnectProxy {
  readonly port: number;
  /** Tunnels that were requested, in their order: `host:port`, and the header that names the user. */
  readonly tunnels: readonly { readonly to: string; readonly authorization: string | undefined }[];
  /** Tunnels that are open. */
  open(): number;
}

/** Whatever host is named, the tunnel leads to `port` of this machine. */
export async function withProxy(
  { port, certificate }: Pick<TlsServer, 'port' | 'certificate'>,
  run: (proxy: ConnectProxy) => Promise<void>,
  { isSecure = false, status = 200 } = {},
): Promise<void> {
  const tunnels: { to: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = isSecure
    ? createSecureServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] })
    : createServer();
  server.on('connect', ({ url = '', headers }, near: Socket) => {
    tunnels.push({ to: url, authorization: headers['proxy-authorization'] });
    const far = connect(port, '127.0.0.1');
    sockets.add(near);
    near.on('close', () => {
      sockets.delete(near);
      far.destroy();
    });
    far.on('close', () => near.destroy());
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.write(`HTTP/1.1 ${status} so\r\n\r\n`);
    if (status === 200) near.pipe(far).pipe(near);
    else near.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run({ port: (server.address() as AddressInfo).port, tunnels, open: () => sockets.size });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
