// HTTP of a simulated Ironic: reads requests, applies faults and latency, counts, and sends answers.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../bus/time.ts';
import type { Reply } from './exchange.ts';
import { pathOf, type RawRequest, type SimulatedIronic } from './ironic.ts';

export interface ServerDeps {
  clock: Clock;
  ironic: SimulatedIronic;
  latencyMs: () => number;
  onServed: ((call: ServedCall) => void) | undefined;
  /** Resolves when what was done is kept, as far as it is: no answer leaves before. */
  settled: () => Promise<void>;
}

/** A request that was served, whether or not its answer came through. */
export interface ServedCall {
  /** When it was done, milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Below `/v1`, without its query. */
  readonly path: string;
  readonly requestId: string;
  readonly status: number;
  /** As it came. */
  readonly body: string;
  readonly answer: Reply['body'];
}

/** Keep idle connections longer than any client does, so that none is closed under a request. */
const KEEP_ALIVE_MS = 70_000;
/** A request waits for a node that is held for so long, and looks so often. */
const LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 200;

export class IronicServer {
  readonly #deps: ServerDeps;
  readonly #server: Server;
  readonly #calls = new Map<string, number>();
  #inFlight = 0;
  #mostInFlight = 0;
  #abandoned = 0;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#server = createServer(this.handle);
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Answers a request, however it came. */
  readonly handle: RequestListener = (request, response) => {
    void this.#serve(request, response).catch((error: unknown) => {
      // A defect of the simulator: the caller that waits for the answer is to see it.
      send(response, 'req-none', { status: 500, body: { error_message: String(error) } });
    });
  };

  /** Resolves once the port is open. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  /** 0 while it does not listen. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Number of requests by method and path, ids written as `{id}`. */
  get calls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#calls);
  }

  /** Requests whose caller disconnected before the answer, or whose connection a fault has cut. */
  get abandoned(): number {
    return this.#abandoned;
  }

  get mostInFlight(): number {
    return this.#mostInFlight;
  }

  resetCounts(): void {
    this.#calls.clear();
    this.#mostInFlight = this.#inFlight;
    this.#abandoned = 0;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve, reject) => {
      this.#server.close((error) => (error === undefined ? resolve() : reject(error)));
    });
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, ironic, latencyMs, onServed, settled } = this.#deps;
    this.#mostInFlight = Math.max(this.#mostInFlight, ++this.#inFlight);
    response.on('close', () => {
      this.#inFlight--;
      if (!response.writableEnded) this.#abandoned++;
    });
    const { method = 'GET', url = '', headers } = incoming;
    const given = String(headers['x-openstack-request-id'] ?? '');
    const requestId = /^req-[\w-]{1,60}$/.test(given) ? given : `req-${ironic.newUuid()}`;
    const body = await readText(incoming);
    const raw: RawRequest = { method, url, headers, body };
    const path = pathOf(url);
    const template = `${method} ${pathTemplate(path)}`;
    this.#calls.set(template, (this.#calls.get(template) ?? 0) + 1);
    const fault = ironic.faults.take({ method, path });
    const delayMs = latencyMs() + (fault?.delayMs ?? 0);
    if (delayMs > 0) await clock.sleep(delayMs);
    if (fault?.dropBeforeWork) {
      response.destroy();
      return;
    }
    if (fault?.status !== undefined) {
      const { status, body: answer = {}, headers: with_ = {}, garbage } = fault;
      send(response, requestId, { status, body: answer, headers: with_ }, garbage);
      return;
    }
    const reply = await this.#patiently(raw);
    await settled();
    onServed?.({ at: clock.now(), method, path, requestId, status: reply.status, body, answer: reply.body });
    if (fault?.dropAfterWork) response.destroy();
    else send(response, requestId, { ...reply, headers: { ...reply.headers, ...fault?.headers } }, fault?.garbage);
  }

  /** Answers once the node is free, or when it has not been for too long. */
  async #patiently(raw: RawRequest): Promise<Reply> {
    const { clock, ironic } = this.#deps;
    const until = clock.now() + LOCK_WAIT_MS;
    for (;;) {
      const reply = ironic.handle(raw);
      if (reply.isLocked !== true || clock.now() >= until) return reply;
      await clock.sleep(LOCK_LOOK_MS);
    }
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, requestId: string, { status, body, headers }: Reply, garbage?: string): void {
  const text = garbage ?? (body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    ...(text === '' ? {} : { 'Content-Type': garbage === undefined ? 'application/json' : 'text/html; charset=utf-8' }),
    'x-openstack-request-id': requestId,
    'openstack-request-id': requestId,
    ...headers,
  });
  response.end(text);
}

/** The path with `{id}` for whatever names one thing. */
function pathTemplate(path: string): string {
  return path.replace(/^\/(nodes|ports)\/[^/]+/, '/$1/{id}');
}
