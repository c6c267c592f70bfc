// The pages that the cluster asks for: whether the process is healthy and ready, and its figures.
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { TerminalError, toErrorData } from '../../bus/errors.ts';
import type { ListenAddress } from '../base/listen-address.ts';
import type { Metrics } from './metrics.ts';
import type { Authorize } from './token-reviews.ts';

// An `import` reads all that a module exports, and with `WebSocket` this one loads all of Node's `fetch`.
const { createServer } = process.getBuiltinModule('node:http');

/** A question of `/readyz`: undefined is yes, a text says why not. */
export type Readiness = () => string | undefined;

export interface Listening {
  /** The port it got, for those who asked for any. */
  readonly port: number;
  close(): Promise<void>;
}

/** `/healthz` says that the process runs, `/readyz` that it can do its work. */
export function serveHealth(at: ListenAddress, ready: Readiness): Promise<Listening> {
  return listen(
    createServer((request, response) => {
      const reason = pathOf(request) === '/readyz' ? ready() : undefined;
      const known = ['/healthz', '/livez', '/readyz'].includes(pathOf(request));
      response.writeHead(!known ? 404 : reason === undefined ? 200 : 503, { 'Content-Type': 'text/plain' });
      response.end(!known ? 'not found\n' : `${reason ?? 'ok'}\n`);
    }),
    at,
    '--health-probe-bind-address',
  );
}

export interface SecureOptions {
  readonly certificate: string;
  readonly key: string;
  readonly authorize: Authorize;
}

/** `/metrics`, in the clear without `secure`; else over TLS, for whom the cluster allows it. */
export function serveMetrics(
  at: ListenAddress,
  metrics: Pick<Metrics, 'text'>,
  secure: SecureOptions | undefined,
): Promise<Listening> {
  const answer: RequestListener = (request, response) => {
    const refuse = (code: number, why: string): void => {
      response.writeHead(code, { 'Content-Type': 'text/plain' });
      response.end(`${why}\n`);
    };
    const serve = async (): Promise<void> => {
      if (pathOf(request) !== '/metrics') return refuse(404, 'not found');
      const verdict =
        secure === undefined ? 'allowed' : await secure.authorize(tokenOf(request), request.socket.remoteAddress ?? '');
      if (verdict === 'unknown') return refuse(401, 'unauthorized');
      if (verdict === 'forbidden') return refuse(403, 'forbidden');
      if (verdict === 'busy') return refuse(429, 'too many unknown tokens: try again later');
      const { contentType, body } = await metrics.text();
      response.writeHead(200, { 'Content-Type': contentType });
      response.end(body);
    };
    serve().catch((error: unknown) => refuse(500, toErrorData(error).message));
  };
  const server =
    secure === undefined
      ? createServer(answer)
      : process
          .getBuiltinModule('node:https')
          .createServer({ cert: secure.certificate, key: secure.key, minVersion: 'TLSv1.2' }, answer);
  return listen(server, at, '--metrics-bind-address');
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function tokenOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** @throws {TerminalError} the address is taken, or is none of this machine's */
async function listen(server: Server, { host, port }: ListenAddress, option: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new TerminalError(`${option}: ${error.message}`, { cause: error })));
    server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
