// A client over real HTTP that sends exactly what it is told, and shows all that comes back.
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as send } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export type Json = { readonly [name: string]: unknown };

export class Client {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #headers: OutgoingHttpHeaders;

  constructor(port: number, headers: OutgoingHttpHeaders = {}) {
    this.#port = port;
    this.#headers = headers;
  }

  send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: string; headers?: OutgoingHttpHeaders } = {},
  ): Promise<Reply> {
    const ofBody = body !== undefined && { ...JSON_BODY, 'Content-Length': Buffer.byteLength(body) };
    const sent = { Accept: 'application/json', ...ofBody, ...this.#headers, ...headers };
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#port, method, path, headers: given, agent: this.#agent };
      const outgoing = send(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  get(path: string, headers?: OutgoingHttpHeaders): Promise<Reply> {
    return this.send('GET', path, headers === undefined ? {} : { headers });
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.send('POST', path, { body: JSON.stringify(body) });
  }

  patch(path: string, body: unknown): Promise<Reply> {
    return this.send('PATCH', path, { body: JSON.stringify(body) });
  }

  delete(path: string): Promise<Reply> {
    return this.send('DELETE', path);
  }

  /** A list with a search, whose value is encoded. */
  search(path: string, parameters: Readonly<Record<string, string>>): Promise<Reply> {
    return this.get(`${path}?${new URLSearchParams(parameters)}`);
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };

export function json({ text }: Reply): Json {
  return JSON.parse(text) as Json;
}

export function itemsOf(reply: Reply): readonly Json[] {
  return json(reply)['items'] as Json[];
}

export function idsOf(reply: Reply): readonly unknown[] {
  return itemsOf(reply).map(({ id }) => id);
}
