// An embedded API server of its own for each test, and plain calls to it.
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher, request } from 'undici';
import type { Test } from 'uvu';
import { systemClock } from '../../actors/base/clock.ts';
import {
  type ApiServerOptions,
  type EmbeddedApiServer,
  startApiServer,
} from '../../adapters/simulated/kubernetes/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { simulatedClock } from './clock.ts';
import { Wire } from './wire.ts';

export interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; properties may be read as deep as they go. */
  readonly body: Deep;
}

/** JSON that a test reads without narrowing every step: what is not there fails the assertion. */
export interface Deep {
  readonly [key: string]: Deep & string & number & boolean & Deep[];
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: Buffer;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Record<string, string | string[]>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Deep;
}

export interface Harness {
  readonly clock: Clock;
  readonly server: EmbeddedApiServer;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Follows a watch; `next` fails after a deadline. */
  watch(path: string, accept?: string): Promise<{ next(): Promise<WatchEvent | undefined>; stop(): void }>;
  close(): Promise<void>;
}

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Longest wait for an event that must come, in milliseconds. */
const DEADLINE_MS = 10_000;

/** How a server is reached: by a wire unless sockets are what is tested, which takes real time. */
export type Way = 'wire' | 'sockets';

export async function started(options: Partial<ApiServerOptions> = {}, by: Way = 'wire'): Promise<Harness> {
  const simulated = by === 'wire' ? simulatedClock({ seed: 7 }) : undefined;
  const clock = options.clock ?? simulated ?? systemClock({ seed: 7 });
  const server = await startApiServer({ ...(by === 'wire' && { host: 'none' }), ...options, clock });
  const wire = new Wire();
  wire.serve(server.url, server.handle);
  const dispatcher = by === 'wire' ? wire : new Agent({ connect: { ca: server.caCertificate } });
  const send = (
    method: string,
    path: string,
    { body, raw, type, accept, headers }: CallOptions = {},
  ): Promise<Dispatcher.ResponseData> => {
    const text = raw ?? (body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body));
    return request(`${server.url}${path}`, {
      dispatcher,
      method: method as 'GET',
      body: text,
      headers: {
        authorization: `Bearer ${server.token}`,
        'user-agent': 'tester/1.0',
        ...(accept !== undefined && { accept }),
        ...(text !== null && { 'content-type': type ?? 'application/json' }),
        ...headers,
      },
    });
  };
  return {
    clock,
    server,
    async call(method, path, options) {
      const { statusCode: code, headers, body: stream } = await send(method, path, options);
      const text = await stream.text();
      const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
      return { code, headers, text, body: (isJson ? JSON.parse(text) : {}) as Deep };
    },
    async watch(path, accept) {
      const { body: response } = await send('GET', path, accept === undefined ? {} : { accept });
      const lines: string[] = [];
      let rest = '';
      let ended = false;
      let wake = (): void => undefined;
      response.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        wake();
      });
      const finish = (): void => {
        ended = true;
        wake();
      };
      response.on('end', finish);
      response.on('close', finish);
      response.on('error', finish);
      return {
        async next() {
          if (lines.length === 0 && !ended) {
            await new Promise<void>((resolve, reject) => {
              const timer = clock.setTimeout(() => reject(new Error('no event in time')), DEADLINE_MS);
              wake = () => {
                clock.clearTimeout(timer);
                resolve();
              };
            });
          }
          const line = lines.shift();
          return line === undefined ? undefined : (JSON.parse(line) as WatchEvent);
        },
        stop: () => void response.destroy(),
      };
    },
    async close() {
      await dispatcher.destroy();
      await server.close();
      simulated?.stop();
    },
  };
}

/** Takes a test that has a server of its own. */
export type Check = (title: string, run: (harness: Harness) => Promise<void>, by?: Way) => void;

export const serverChecks =
  (test: Test): Check =>
  (title, run, by) =>
    void test(title, withServer(run, by));

/** Runs a test with a server, and closes it whatever happens. */
export function withServer(run: (harness: Harness) => Promise<void>, by?: Way): () => Promise<void> {
  return async () => {
    const harness = await started({}, by);
    try {
      await run(harness);
    } finally {
      await harness.close();
    }
  };
}

/** The list at the end of a path that must lead to one. */
export function listAt(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error(`no list but ${JSON.stringify(value)}`);
  return value;
}
