// The API over HTTP, on Node's own server.
//
// Why no framework: the URLs come from the model, are found in its tree, and change while the process runs. fastify, the one that
// was weighed, takes no routes once it listens, compiles each of thousands of them at start, and its parser of bodies, errors
// and 404 pages would all be replaced by what the contract wants. What would be left of it is Node's server.
//
// Invariants:
//   OCM-HTTP-1. Whatever arrives is answered with JSON, or a page where one was asked for, also what is no HTTP request, as long as the connection takes an answer.
//   OCM-HTTP-2. A client that stops in the middle of a request, or takes no answer, is waited for no longer than a bounded time, and delays no other.
//   OCM-HTTP-3. What arrived before `close` is answered, for DRAIN_MS at most.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TerminalError } from '../../../../bus/errors.ts';
import type { Clock } from '../../../../bus/time.ts';
import type { Refusal } from '../envelope/faults.ts';
import type { Answered, Api, ApiAnswer } from './api.ts';
import { Bodies, type BodyLimits } from './body.ts';

const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createSecureServer } = process.getBuiltinModule('node:https');
const { gzip } = process.getBuiltinModule('node:zlib');

export interface HttpOptions extends Partial<BodyLimits> {
  readonly api: Api;
  readonly clock: Clock;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Name of the address in errors, such as its option. */
  readonly addressName?: string;
  /** PEM both. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  /** Limit of answers that wait for slow readers, in bytes. */
  readonly unsentBytes?: number;
  readonly onAnswered?: (answered: Answered & { readonly seconds: number }) => void;
}

export interface HttpServer {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Has another certificate for connections from now on. @throws {TerminalError} it is none, or does not fit the key */
  renew(tls: { readonly certificate: string; readonly key: string }): void;
  /** Closes each connection after its next answer. */
  retire(): void;
  close(): Promise<void>;
}

const BODY_BYTES = 1024 * 1024;
const BODIES_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 64 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Longer than most proxies keep an idle connection: who closes first while the other one asks breaks a request. */
const IDLE_MS = 120_000;
const DRAIN_MS = 10_000;
const CONNECTIONS = 20_000;
/** Answers of fewer bytes are sent as they are. */
const SMALL = 1_024;
const UNSENT_BYTES = 256 * 1024 * 1024;

/** @throws {TerminalError} the address is taken, or none of this machine's; the certificate is none */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { api, clock, host, port, tls, unsentBytes = UNSENT_BYTES, onAnswered = () => undefined } = options;
  const bodies = new Bodies({
    bodyBytes: options.bodyBytes ?? BODY_BYTES,
    bodiesBytes: options.bodiesBytes ?? BODIES_BYTES,
  });
  const underWay = new Set<Promise<void>>();
  let isClosing = false;
  let unsent = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // mutant: gateway-no-host if -> false
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      const headers = { Connection: 'close' };
      await send(request, response, api.refusal({ status: 400, reason: 'The request has no Host header', headers }));
      return;
    }
    const startedAt = clock.now();
    const canceled = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) canceled.abort();
    });
    const answered = await api.answer(
      {
        verb: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.headers,
        address: request.socket.remoteAddress ?? '',
        body: () => bodies.json(request),
        signal: canceled.signal,
      },
      (each) => onAnswered({ ...each, seconds: (clock.now() - startedAt) / 1_000 }),
    );
    if (isClosing) response.setHeader('Connection', 'close');
    const bytes = answered.body?.length ?? 0;
    if (unsent + bytes > unsentBytes) {
      // A write has had its effect, so clients must not repeat it.
      // mutant: gateway-unsent-repeated = -> isRepeatable = true
      const isRepeatable = request.method === 'GET' || request.method === 'HEAD';
      const refusal = isRepeatable ? { status: 503, ...RETRY } : { status: 500 };
      await send(request, response, api.refusal({ ...refusal, reason: 'Too many answers wait to be sent' }));
      return;
    }
    unsent += bytes;
    try {
      await send(request, response, answered);
    } finally {
      unsent -= bytes;
    }
  };

  /** Connections with a request that is not answered yet. */
  const busy = new Set<Duplex>();
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    busy.add(socket);
    // Reading a body fails when its sender disconnects: an answer would not arrive then.
    const work = answer(request, response)
      .catch(() => void response.destroy())
      .finally(() => {
        underWay.delete(work);
        busy.delete(socket);
      });
    underWay.add(work);
  };
  const limits = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: 5_000,
    // Node's own refusal has no error object.
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(limits, listener)
      : secured(() =>
          createSecureServer({ ...limits, cert: tls.certificate, key: tls.key, minVersion: 'TLSv1.2' }, listener),
        );
  server.maxConnections = CONNECTIONS;
  // Nothing moves on the connection: not even the answer to a slow reader.
  server.setTimeout(IDLE_MS, (socket) => socket.destroy());
  answerRaw(server, api, busy);
  await listening(server, options);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const shown = host.includes(':') ? `[${host}]` : host || 'localhost';
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${bound}`,
    port: bound,
    renew({ certificate, key }) {
      if ('setSecureContext' in server)
        // mutant: tls-half-served {} -> { cert: certificate, minVersion: 'TLSv1.2' }
        secured(() => server.setSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' }));
    },
    retire() {
      isClosing = true;
    },
    async close() {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = new AbortController();
      await Promise.race([Promise.allSettled([...underWay]), clock.sleep(DRAIN_MS, late.signal)]);
      late.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

const RETRY = { headers: { 'Retry-After': '1' } } as const;

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ApiAnswer,
): Promise<void> {
  if (response.destroyed) return;
  const all: Record<string, string | number> = { ...headers };
  let bytes: Buffer | string | undefined = body ?? '';
  if (body !== undefined && body.length >= SMALL && request.method !== 'HEAD') {
    all['Vary'] = `${headers['Vary']}, Accept-Encoding`;
    // mutant: gateway-gzip-for-all if -> true
    if (acceptsGzip(request)) {
      all['Content-Encoding'] = 'gzip';
      bytes = await zipped(body);
    }
  }
  if (status !== 204) all['Content-Length'] = Buffer.byteLength(bytes);
  response.writeHead(status, all);
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(request.method === 'HEAD' || status === 204 ? undefined : bytes, resolve);
  });
}

function zipped(text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(text, { level: 1 }, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase();
  return /(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/.test(accepted);
}

/** Answers what Node's server does not hand over as a request. */
function answerRaw(server: Server, api: Api, busy: ReadonlySet<Duplex>): void {
  const write = (socket: Duplex, refusal: Refusal): void => {
    // Behind a request, this would be taken for its answer.
    if (!socket.writable || busy.has(socket)) return void socket.destroy();
    const { status, headers, body = '' } = api.refusal(refusal);
    const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${status}\r\n${head}\r\n${body}`);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (error.code === 'HPE_HEADER_OVERFLOW')
      return write(socket, { status: 431, reason: 'The headers are too large' });
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      return write(socket, { status: 408, reason: 'The request did not arrive in time' });
    }
    write(socket, { status: 400, reason: 'This is not an HTTP request' });
  });
  server.on('connect', (_, socket) => write(socket, { status: 405, reason: "The method 'CONNECT' is not supported" }));
  // Expectations other than `100-continue` are nothing that a request needs.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function secured<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new TerminalError('the certificate and the key are not such, or do not belong together', { cause: error });
  }
}

function listening(server: Server, { host, port, addressName = 'address' }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new TerminalError(`${addressName}: ${error.message}`, { cause: error })));
    server.listen({ port, ...(host !== '' && { host }) }, resolve);
  });
}
