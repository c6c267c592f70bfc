// Wire of a world in one process: HTTP requests reach servers as function calls, without sockets and TLS.
//
// Clients and servers are the real ones: a request goes through undici's interface of dispatchers into the listener of an
// HTTP server. A connection is an idea here: what is cut fails as a broken connection does.
import type { RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import inject from 'light-my-request';
import { Dispatcher, fetch, type RequestInit, type Response } from 'undici';

/** What undici gives to handlers, so that they can end a request or slow it down. */
type Controller = Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>[0];

export class Wire extends Dispatcher {
  readonly #listeners = new Map<string, RequestListener>();
  readonly #cut = new Set<string>();
  readonly #open = new Set<{ readonly origin: string; readonly end: () => void }>();

  /** Requests to `origin`, such as `https://api-server.test`, are answered by `listener` from now on. */
  serve(origin: string, listener: RequestListener): void {
    this.#listeners.set(origin, listener);
  }

  /** As anybody would ask. */
  fetch(url: string | URL, options: RequestInit = {}): Promise<Response> {
    return fetch(url, { ...options, dispatcher: this });
  }

  /** Ends all requests to `origin` and refuses new ones. @returns the way to let them through again */
  cut(origin: string): () => void {
    this.#cut.add(origin);
    for (const exchange of [...this.#open]) if (exchange.origin === origin) exchange.end();
    return () => void this.#cut.delete(origin);
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin);
    const exchange = new Exchange(options, handler);
    // Never in the caller's own turn: a request takes the way of the event loop at least.
    queueMicrotask(() => {
      const listener = this.#listeners.get(origin);
      const entry = { origin, end: () => exchange.abort(new Error('the other side closed')) };
      this.#open.add(entry);
      exchange
        .run(this.#cut.has(origin) || listener === undefined ? refusalOf(origin) : listener)
        .catch((error: unknown) => exchange.fail(error as Error))
        .finally(() => this.#open.delete(entry));
    });
    return true;
  }

  override async close(): Promise<void> {
    await this.destroy();
  }

  override async destroy(): Promise<void> {
    for (const { end } of [...this.#open]) end();
  }
}

/** One request and its answer. */
class Exchange implements Controller {
  readonly rawHeaders: Buffer[] = [];
  readonly #options: Dispatcher.DispatchOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  #response: ServerResponse | undefined;
  #resumed = Promise.withResolvers<void>();
  #isOver = false;
  aborted = false;
  paused = false;
  reason: Error | null = null;

  constructor(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.#options = options;
    this.#handler = handler;
  }

  /** @param listener  or why nobody answers */
  async run(listener: RequestListener | Error): Promise<void> {
    // Without a connection nothing is begun.
    if (listener instanceof Error) throw listener;
    this.#handler.onRequestStart?.(this, {});
    if (this.aborted) return;
    const { path, method, body, query } = this.#options;
    const headersDistinct = distinct(this.#options.headers);
    const answer = await inject(
      (request, response) => {
        this.#response = response as unknown as ServerResponse;
        if (this.aborted) this.#response.destroy();
        else listener(Object.assign(request, { headersDistinct }) as never, response as never);
      },
      {
        method: method as 'GET',
        path,
        headers: Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values.join(', ')])),
        authority: new URL(String(this.#options.origin)).host,
        payloadAsStream: true,
        ...(query !== undefined && { query: query as Record<string, string> }),
        ...(body !== null && body !== undefined && { payload: payloadOf(body) }),
      },
    );
    if (this.aborted) return;
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      const values = [value].flat().map(String);
      headers[name] = values.length === 1 ? (values[0] as string) : values;
      for (const each of values) this.rawHeaders.push(Buffer.from(name), Buffer.from(each));
    }
    this.#handler.onResponseStart?.(this, answer.statusCode, headers, answer.statusMessage);
    for await (const chunk of answer.stream()) {
      if (this.aborted) return;
      this.#handler.onResponseData?.(this, chunk as Buffer);
      if (this.paused) await this.#resumed.promise;
    }
    if (this.aborted) return;
    this.#isOver = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // That of a body that breaks off is its source's own.
    this.#handler.onResponseError?.(this, this.reason ?? error);
  }

  abort(reason: Error): void {
    if (this.#isOver || this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.resume();
    this.#response?.destroy();
    this.fail(reason);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.#resumed = Promise.withResolvers();
  }

  resume(): void {
    this.paused = false;
    this.#resumed.resolve();
  }
}

/** As Node's sockets fail where nothing is served. */
function refusalOf(origin: string): Error {
  const { hostname, port } = new URL(origin);
  return isIP(hostname) === 0
    ? new Error(`getaddrinfo ENOTFOUND ${hostname}`)
    : new Error(`connect ECONNREFUSED ${hostname}:${port}`);
}

/** As it is, but for what only flows. */
function payloadOf(body: NonNullable<Dispatcher.DispatchOptions['body']>): string {
  const flows = typeof body === 'object' && Symbol.asyncIterator in body && !(body instanceof Readable);
  return (flows ? Readable.from(body) : body) as string;
}

/** All values of each header, by its name in lower case. */
function distinct(headers: Dispatcher.DispatchOptions['headers']): Record<string, string[]> {
  const entries = Array.isArray(headers)
    ? headers.flatMap((value, at) => (at % 2 === 0 ? [[String(value), headers[at + 1]] as const] : []))
    : headers === null || headers === undefined
      ? []
      : Symbol.iterator in headers
        ? [...headers]
        : Object.entries(headers);
  const given = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), [value].flat().map(String)]));
}
