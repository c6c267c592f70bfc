// How a hostile cloud answers, by name. All of it tells of `mallory`, so that a test sees where it comes out.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { grant, pour } from './hostile-cloud.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Manner {
  /** Instead of a token. */
  readonly token?: Answer;
  /** To whatever is asked of the network service. */
  readonly network?: Answer;
  /** The URL of the network service in the catalog; its own otherwise. */
  readonly networkUrl?: string;
}

const MIB = 1024 * 1024;
const NESTED = Buffer.alloc(MIB, '[');
const ITEMS = Buffer.from(',{}'.repeat(MIB / 4));
/** Between two bytes of an answer that never ends, in milliseconds. */
const DRIP_MS = 500;
const TEXT = 'mallory was here';

const json =
  (status: number, body: unknown, more: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  };

const refusal = (status: number, message: string, more?: Readonly<Record<string, string>>): Answer =>
  json(status, { NeutronError: { type: 'Mallory', message, detail: '' }, error: { code: status, message } }, more);

/** Answers for ever, a byte at a time. */
const drip: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.once('close', () => clearInterval(timer));
};

/** A network service that makes whatever is asked for, and remembers nothing. */
const oblige: Answer = ({ method, url = '' }, response) => {
  const [, id] = /\/networks\/([^/?]+)$/.exec(url) ?? [];
  const network = { id: id ?? crypto.randomUUID(), name: TEXT, status: 'ACTIVE', admin_state_up: true };
  if (method === 'DELETE') response.writeHead(404).end(JSON.stringify({ NeutronError: { message: TEXT } }));
  else if (method === 'GET' && id === undefined)
    json(200, { networks: [], subnets: [], ports: [] })({} as never, response);
  else json(method === 'POST' ? 201 : 200, { network })({} as never, response);
};

export const MANNERS = {
  nested: { token: (_, response) => pour(response, NESTED, 10 * MIB) },
  giant: {
    network: (_, response) => {
      response.write('{"networks":[{}');
      pour(response, ITEMS, 60 * MIB);
    },
  },
  slow: { token: drip },
  slowList: { network: drip },
  silent: { token: () => undefined },
  cutOff: { network: (request) => void request.socket.destroy() },
  forged: {
    network: ({ method }, response) => {
      const networks = [{ id: '../../mallory', name: TEXT, status: 'ACTIVE' }];
      json(200, method === 'GET' ? { networks } : { network: networks[0] })({} as never, response);
    },
  },
  nonsense: { network: json(200, null) },
  endless: {
    // Each page names another one.
    network: ({ url = '', headers: { host } }, response) => {
      const href = `http://${host}${url.split('?')[0]}?marker=${crypto.randomUUID()}`;
      json(200, { networks: [{ id: crypto.randomUUID() }], networks_links: [{ rel: 'next', href }] })(
        {} as never,
        response,
      );
    },
  },
  redirect: { network: json(302, {}, { location: 'http://169.254.169.254/mallory' }) },
  catalog: { networkUrl: 'http://169.254.169.254/mallory?x=' },
  quoting: {
    token: (request, response) => {
      const quoted = String((request as { readonly said?: string }).said);
      refusal(401, `${TEXT}: ${quoted} ${encodeURIComponent(quoted)} ${Buffer.from(quoted).toString('base64')}`)(
        request,
        response,
      );
    },
  },
  throttling: { network: refusal(429, TEXT, { 'retry-after': '1000000000' }) },
  failing: { network: refusal(500, TEXT.repeat(10_000)) },
  obliging: { network: oblige },
} as const satisfies Readonly<Record<string, Manner>>;

export type MannerName = keyof typeof MANNERS;
export const MANNER_NAMES = Object.keys(MANNERS) as readonly MannerName[];

/** Answers by the manner that the first part of the path names: `/giant/7/v3/auth/tokens`. */
export function answerBy(request: IncomingMessage, response: ServerResponse, url: string): void {
  const [, name = ''] = (request.url ?? '').split('/');
  const manner: Manner | undefined = MANNERS[name as MannerName];
  const isToken = request.url?.endsWith('/auth/tokens') === true;
  if (manner === undefined) response.writeHead(404).end();
  else if (!isToken) (manner.network ?? oblige)(request, response);
  else if (manner.token !== undefined) manner.token(request, response);
  else grant(response, manner.networkUrl ?? `${url}/${name}/network`);
}
