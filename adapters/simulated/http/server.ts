// HTTP server of a simulator: it listens on loopback, and counts requests, their callers that left, and how many ran at a time.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../../bus/json.ts';

export interface SentReply {
  readonly status: number;
  readonly body?: Json | undefined;
  /** Sent in place of `body`. */
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keep idle connections longer than any client does, so that none is closed under a request. */
const KEEP_ALIVE_MS = 70_000;

export abstract class CountingServer {
  readonly #server: Server;
  readonly #calls = new Map<string, number>();
  #inFlight = 0;
  #mostInFlight = 0;
  #abandoned = 0;

  constructor() {
    this.#server = createServer((request, response) => this.handle(request, response));
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Answers one request, and counts it by `count`. */
  protected abstract serve(incoming: IncomingMessage, response: ServerResponse): Promise<void>;

  /** Answer to a request that a defect of the simulator ended: the waiting caller must receive it. */
  protected abstract defect(error: unknown): SentReply;

  /** Answers a request of any transport. */
  readonly handle: RequestListener = (incoming, response) => {
    this.#mostInFlight = Math.max(this.#mostInFlight, ++this.#inFlight);
    response.on('close', () => {
      this.#inFlight--;
      if (!response.writableEnded) this.#abandoned++;
    });
    void this.serve(incoming, response).catch((error: unknown) => send(response, 'req-none', this.defect(error)));
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

  /** Number of requests by method and path (and service, if there are several), ids written as `{id}`. */
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

  protected count(template: string): void {
    this.#calls.set(template, (this.#calls.get(template) ?? 0) + 1);
  }
}

export async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export function send(response: ServerResponse, requestId: string, { status, body, html, headers }: SentReply): void {
  const text = html ?? (body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    ...(text === '' ? {} : { 'Content-Type': html === undefined ? 'application/json' : 'text/html; charset=utf-8' }),
    'x-openstack-request-id': requestId,
    ...headers,
  });
  response.end(text);
}
