// An HTTP server before one that is not ours, so that a test can say what becomes of each request.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, request } from 'undici';

/** A request on its way. */
export interface Passing {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Aborted when whoever asked has gone. */
  readonly gone: AbortSignal;
}

export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer | Readable;
}

export interface Gateway {
  readonly port: number;
  close(): Promise<void>;
}

/** The servers behind a gateway. */
export interface Upstream {
  /** @returns the answer, its body unread; undefined: the server is away, or broke off */
  send(origin: string, passing: Passing): Promise<Given | undefined>;
  close(): Promise<void>;
}

/** Of one connection, not of what is said on it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);
/** Longer than any client keeps an idle connection, so that none is closed under a request; in milliseconds. */
const KEEP_ALIVE_MS = 70_000;

/** @param pass  answers a request; undefined: the connection ends without an answer */
export async function startGateway(pass: (passing: Passing) => Promise<Given | undefined>): Promise<Gateway> {
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const body = await everything(incoming);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const given = body && (await pass({ method, path, headers, body, gone: gone.signal }));
    if (given === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(given.status, lasting(given.headers));
    if (Buffer.isBuffer(given.body)) response.end(given.body);
    else await pipeline(given.body, response).catch(() => undefined); // one of them has gone, and then both are closed
  };
  // What `pass` throws is a defect of the test, and ends it.
  const server = createServer((incoming, response) => void serve(incoming, response));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @param tls  as `tls.connect` takes it */
export function upstream(tls: Readonly<Record<string, unknown>> = {}): Upstream {
  const agent = new Agent({ connect: tls, headersTimeout: 0, bodyTimeout: 0 });
  return {
    async send(origin, { method, path, headers, body, gone }) {
      const { host: _, expect: __, ...rest } = headers;
      try {
        const { statusCode, ...answer } = await request(`${origin}${path}`, {
          method: method as Dispatcher.HttpMethod,
          dispatcher: agent,
          headers: lasting(rest),
          body: body.length === 0 ? null : body,
          // What was asked for is done, whether or not anybody waits for it; a watch would go on for ever.
          ...(method === 'GET' && { signal: gone }),
        });
        return { status: statusCode, headers: answer.headers, body: answer.body };
      } catch {
        return undefined; // whoever asked sees a connection that ends, as it would without a gateway
      }
    },
    close: () => agent.destroy(),
  };
}

/** The answer with its body read; undefined: it broke off. */
export async function whole(given: Given): Promise<(Given & { readonly body: Buffer }) | undefined> {
  const body = Buffer.isBuffer(given.body) ? given.body : await everything(given.body);
  return body && { ...given, body };
}

/** Undefined: whoever sent it has gone before its end. */
async function everything(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

export function json(status: number, body: unknown, headers: Given['headers'] = {}): Given {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

function lasting(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name.toLowerCase()) ? [] : [[name, value]],
    ),
  );
}
