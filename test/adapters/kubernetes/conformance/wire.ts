// HTTPS as the cases need it: any method, any bytes, every answer. Credentials come from a kubeconfig.
import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { Answer } from './case.ts';

/** Of an answer, what clients act on. */
const COMPARED_HEADERS = [
  'allow',
  'cache-control',
  'content-encoding',
  'content-type',
  'location',
  'retry-after',
  'vary',
  'warning',
  'www-authenticate',
  'x-content-type-options',
];

/** Longest wait for an answer or the next event, in milliseconds. */
const DEADLINE_MS = 20_000;

const clock = systemClock();

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface Wire {
  send(outgoing: Outgoing): Promise<Answer>;
  /** `next` gives the lines of the answer's body, undefined at its end. A refusal is one line, too. */
  follow(path: string, accept: string | undefined): Promise<Followed>;
  close(): void;
}

export interface Followed {
  readonly head: Answer;
  next(): Promise<string | undefined>;
  stop(): void;
}

/** The server closed the connection instead of answering: an answer, too. */
class HungUp extends Error {
  override name = 'HungUp';
  constructor() {
    super('the server closed the connection');
  }
}

export async function wire(kubeconfig: string): Promise<Wire> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  const credentials: RequestOptions = {};
  await config.applyToHTTPSOptions(credentials);
  const agent = new Agent({ keepAlive: true, maxSockets: 64, ...tlsOf(credentials) });

  const open = (outgoing: Outgoing, tries = 3): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = outgoing;
      const { hostname, port } = new URL(cluster.server);
      const all = { 'user-agent': 'conformance/1.0', ...credentials.headers, ...headers };
      const sent = request({ hostname, port, method, path, agent, headers: all }, resolve);
      sent.setTimeout(DEADLINE_MS, () => sent.destroy(new Error('no answer in time')));
      // A server that refuses a body early closes while it is still being sent; its answer came first.
      sent.on('error', (error: Error & { code?: string }) => {
        // A kept connection that the server closed at the same moment: nobody has seen the request.
        if (sent.reusedSocket && error.code === 'ECONNRESET' && tries > 1)
          open(outgoing, tries - 1).then(resolve, reject);
        else if (error.code === 'ECONNRESET') reject(new HungUp());
        else reject(new Error(`${method} ${path.slice(0, 200)}: ${error.message}`, { cause: error }));
      });
      if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body));
      sent.end(body);
    });

  return {
    async send(outgoing) {
      try {
        const response = await open(outgoing);
        const chunks: Buffer[] = [];
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
        return answerOf(response, Buffer.concat(chunks).toString());
      } catch (error) {
        if (error instanceof HungUp) return { status: 0, headers: {}, body: error.message };
        throw error;
      }
    },
    async follow(path, accept) {
      const headers = accept === undefined ? {} : { accept };
      const response = await open({ method: 'GET', path, headers, body: undefined });
      const lines = linesOf(response);
      return {
        head: answerOf(response, ''),
        async next() {
          const deadline = clock.setTimeout(() => response.destroy(new Error('no event in time')), DEADLINE_MS);
          try {
            return (await lines.next()).value ?? undefined;
          } finally {
            clock.clearTimeout(deadline);
          }
        },
        stop: () => void response.destroy(),
      };
    },
    close: () => agent.destroy(),
  };
}

function tlsOf({ ca, cert, key, passphrase, rejectUnauthorized, servername }: RequestOptions): AgentOptions {
  const given = Object.entries({ ca, cert, key, passphrase, rejectUnauthorized, servername });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, undefined> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part !== '');
  }
  if (rest !== '') yield rest;
  return undefined;
}

function answerOf(response: IncomingMessage, text: string): Answer {
  const headers: Record<string, string> = {};
  for (const name of COMPARED_HEADERS) {
    const value = response.headers[name];
    if (value !== undefined) headers[name] = String(value);
  }
  return { status: response.statusCode ?? 0, headers, body: parsed(text) };
}

export function parsed(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
