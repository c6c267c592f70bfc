// A scripted external system for tests: an HTTP server on loopback that answers as scripted, and its faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../bus/json.ts';

/** Request that a scripted system received. */
export interface SystemRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Parameters of the query. */
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed, if it is JSON. */
  readonly body: Json | undefined;
}

/** Response of a scripted system; without a body it is empty. */
export interface SystemAnswer {
  readonly status: number;
  readonly body?: Json;
}

/** Selected requests: each part that is given must fit. */
export interface Match {
  readonly method?: string;
  readonly path?: RegExp;
}

/** External system of a test, with faults. */
export interface ScriptedSystem {
  readonly url: string;
  /** Requests, in order: `POST /lamps`. */
  readonly requests: readonly string[];
  /** The given number of requests that fit is refused, and nothing is done. */
  fail(match: Match, status: number, times?: number): void;
  /** The given number of requests that fit is not answered, and nothing is done. */
  hang(match: Match, times?: number): void;
  /** The given number of requests that fit is done, and the connection breaks before the answer. */
  loseAnswer(match: Match, times?: number): void;
  /** All faults that were not met yet are forgotten. */
  heal(): void;
  /** No request is answered any more. Returns the function that ends this. */
  interrupt(): () => void;
  close(): Promise<void>;
}

interface ScriptedFault extends Match {
  readonly kind: 'fail' | 'hang' | 'lose';
  readonly status: number;
  times: number;
}

/** @param answer  does what the request asks for; state is its own */
export async function scriptedSystem(answer: (request: SystemRequest) => SystemAnswer): Promise<ScriptedSystem> {
  const requests: string[] = [];
  let faults: ScriptedFault[] = [];
  let isInterrupted = false;
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = (await incoming.toArray()).join('');
    if (isInterrupted) return void incoming.socket.destroy();
    const { method = 'GET', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, 'http://system.test');
    requests.push(`${method} ${path}`);
    const fault = faults.find(
      (each) => each.times > 0 && (each.method ?? method) === method && (each.path?.test(path) ?? true),
    );
    if (fault !== undefined) fault.times -= 1;
    if (fault?.kind === 'hang') return;
    const { status, body } =
      fault?.kind === 'fail'
        ? { status: fault.status, body: { message: 'out of order' } }
        : answer({ method, path, query, headers, body: parsed(text) });
    if (fault?.kind === 'lose') return void incoming.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const add =
    (kind: ScriptedFault['kind']) =>
    (match: Match, status: number, times: number): void =>
      void faults.push({ ...match, kind, status, times });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (match, status, times = 1) => add('fail')(match, status, times),
    hang: (match, times = 1) => add('hang')(match, 0, times),
    loseAnswer: (match, times = 1) => add('lose')(match, 0, times),
    heal() {
      faults = [];
    },
    interrupt() {
      isInterrupted = true;
      server.closeAllConnections();
      return () => {
        isInterrupted = false;
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parsed(text: string): Json | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
