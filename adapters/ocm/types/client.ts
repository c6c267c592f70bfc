// Base of the typed clients beside this file: requests over `fetch`, lists page by page, and errors.

/** Request of a call. Undefined members are not sent. */
export interface Call {
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From the root of the server on, with its identifiers encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Sent besides those of every call. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One answer of a list. */
export interface Page<T> {
  readonly items?: T[];
  readonly total?: number;
}

export type Answer<T> = Promise<T>;
export type Items<T> = AsyncIterable<T>;

/** Connection of clients to a server. */
export interface Transport {
  /**
   * @throws {ApiError} the server refused
   * @throws {ConnectionError} there was no answer, or none that can be understood
   */
  call<T>(call: Call, options?: CallOptions): Promise<T>;
  /**
   * All items of a list, page after page, as they are asked for.
   *
   * @param first  number of the page to begin with
   * @param fetchPage  asks for the page of a number
   */
  items<T>(first: number, fetchPage: (page: number) => Promise<Page<T>>): AsyncIterable<T>;
  /**
   * An identifier as a segment of a path.
   *
   * @throws {TypeError} it cannot be one
   */
  segment(id: string): string;
}

export interface ServerOptions {
  /** Address of the server, such as `https://api.openshift.com`. */
  readonly url: string;
  /** Asked for with every call, and sent as a bearer token. */
  readonly token?: () => string | Promise<string>;
  readonly fetch?: typeof globalThis.fetch;
}

/** The body of an error; services send some members only. */
export interface ErrorBody {
  readonly kind?: string;
  readonly id?: string;
  readonly href?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly operation_id?: string;
  readonly timestamp?: string;
  readonly details?: unknown;
}

/** A refusal of the server. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(
      `status is ${status}${body.code === undefined ? '' : `, code is '${body.code}'`}: ${body.reason ?? 'no reason'}`,
    );
    this.status = status;
    this.body = body;
  }

  /** True for the error of the model that has this number, such as `ERROR_CODES.AlreadyLent`. */
  is(code: number): boolean {
    return this.body.id === String(code);
  }
}

/** No answer, or one that is no JSON. Whether the call had an effect is not known. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

export function server({ url, token, fetch = globalThis.fetch }: ServerOptions): Transport {
  const base = url.replace(/\/+$/, '');
  return {
    items,
    segment,
    async call<T>({ verb, path, query = {}, body }: Call, { signal, headers }: CallOptions = {}): Promise<T> {
      const sent: Record<string, string> = { accept: 'application/json' };
      if (body !== undefined) sent['content-type'] = 'application/json';
      if (token !== undefined) sent['authorization'] = `Bearer ${await token()}`;
      const target = `${verb} ${path}`;
      const init: RequestInit = { method: verb, headers: { ...sent, ...headers } };
      if (body !== undefined) init.body = JSON.stringify(body);
      if (signal !== undefined) init.signal = signal;
      try {
        const response = await fetch(`${base}${path}${search(query)}`, init);
        const text = await response.text();
        if (!response.ok) throw new ApiError(response.status, errorBody(text));
        return (text === '' ? undefined : JSON.parse(text)) as T;
      } catch (error) {
        if (error instanceof ApiError || signal?.aborted === true) throw error;
        throw new ConnectionError(`${target}: no usable answer`, { cause: error });
      }
    },
  };
}

async function* items<T>(first: number, fetchPage: (page: number) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let seen = 0;
  for (let page = first; ; page++) {
    const { items: found = [], total } = await fetchPage(page);
    yield* found;
    seen += found.length;
    // Servers may send fewer items than were asked for: only an empty page, or the total, says that this was the last.
    if (found.length === 0 || (total !== undefined && first === 1 && seen >= total)) return;
  }
}

function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`'${id}' cannot be an identifier`);
  return encodeURIComponent(id);
}

function search(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    parameters.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** Text that is no JSON, such as a proxy's page, is the reason as it is. */
function errorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { reason: text };
}
