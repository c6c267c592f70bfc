// The page over HTTP: its files, what it asks, and the feed that it follows. Read-only.
//
// Invariants:
//   UI-SERVER-1. Only readers that the token lets in are answered; without a token only those that name this very address as a loopback one,
//       so that no page of another site reaches it by a name of its own (DNS rebinding).
//   UI-SERVER-2. A slow reader gets less, and nothing piles up: changes that it has not taken yet are merged, last value of each object.
//   UI-SERVER-3. The page loads nothing from elsewhere and runs no script but its own: the policy says so to the browser.
//   UI-SERVER-4. What is sent is JSON or a file of the page; nothing from clusters or clouds is ever part of markup.
//   UI-SERVER-5. A page of another site gets nothing, and makes this process keep nothing.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Clock, ErrorCode, TerminalError, toErrorData } from '../../bus/mod.ts';
import { isLoopback, type ListenAddress } from '../base/listen-address.ts';
import { type Asset, type Assets, assets } from './files.ts';
import { PageAuth } from './page-auth.ts';
import { SseStream } from './sse-stream.ts';
import type { Source } from './wire.ts';

// An `import` reads all that a module exports, and with `WebSocket` this one loads all of Node's `fetch`.
const { createServer } = process.getBuiltinModule('node:http');
const { gzipSync } = process.getBuiltinModule('node:zlib');

export interface VisualizerOptions {
  readonly source: Source;
  readonly address: ListenAddress;
  /** A reader that knows it may read; undefined: all users of this machine. */
  readonly token: string | undefined;
  readonly clock: Clock;
  /** Files of the page; default: those beside this module. */
  readonly files?: Assets;
}

export interface Visualizer {
  /** Address. */
  readonly url: string;
  /** The same with the token, by which people get in: for their eyes, and no log's. */
  readonly link: string;
  close(): Promise<void>;
}

/** Answer as JSON. */
interface AnswerText {
  readonly text: string;
  /** The same compressed. Undefined until a reader takes it. */
  zipped: Buffer | undefined;
}

/** Longest list of keys in one question. */
const KEYS = 20;
/** Answers of fewer bytes are sent as they are. */
const SMALL = 1_024;
/** Open feeds at a time. */
const FEEDS = 100;

/** @throws {TerminalError} the address is taken, is none of this machine's, or is open to others without a token */
export async function serveVisualizer({
  source,
  address,
  token,
  clock,
  files = assets(),
}: VisualizerOptions): Promise<Visualizer> {
  if (token === undefined && !isLoopback(address.host)) {
    throw new TerminalError(
      `--visualizer-bind-address: '${address.host || 'all addresses'}' is open to others, so a token is needed: name its file with --visualizer-token-file`,
    );
  }
  const admittance = new PageAuth(token);
  const feeds = new Set<SseStream>();
  /** Texts of answers: one that several readers get is written and compressed once. */
  const texts = new WeakMap<object, AnswerText>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://page');
    for (const [name, value] of Object.entries(files.headers)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'only GET');
    const verdict = admittance.judge(request, url);
    if (verdict.kind === 'refused') return refuse(response, verdict.status, verdict.why);
    if (verdict.kind === 'admitted') {
      // The token goes into a cookie, and out of the address that people copy.
      response.setHeader('Set-Cookie', verdict.cookie);
      response.writeHead(303, { Location: url.pathname }).end();
      return;
    }
    if (url.pathname === '/api/feed') return follow(response);
    if (!url.pathname.startsWith('/api/')) {
      const asset = files.find(url.pathname);
      return asset === undefined ? refuse(response, 404, 'not found') : sendFile(request, response, asset);
    }
    const found = await ask(source, url);
    if (found === undefined) return refuse(response, 404, 'not found');
    const text = texts.get(found) ?? { text: JSON.stringify(found), zipped: undefined };
    texts.set(found, text);
    sendText(request, response, text);
  };

  const follow = async (response: ServerResponse): Promise<void> => {
    if (feeds.size >= FEEDS) return refuse(response, 503, 'too many pages are open');
    const feed = new SseStream(response, clock);
    feeds.add(feed);
    const leave = (): void => {
      feeds.delete(feed);
      feed.close();
      void following.then((each) => each.close()).catch(() => undefined);
    };
    const following = source.follow(feed);
    response.on('close', leave);
    try {
      await following;
    } catch (error) {
      feed.onTrouble({ what: toErrorData(error).message });
      leave();
    }
  };

  const listener: RequestListener = (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { code, message } = toErrorData(error);
      const status = code === ErrorCode.Transient ? 503 : code === ErrorCode.Absent ? 404 : 500;
      if (response.headersSent) response.destroy();
      else refuse(response, status, message);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new TerminalError(`--visualizer-bind-address: ${error.message}`, { cause: error })),
    );
    server.listen({ port: address.port, ...(address.host === '' ? {} : { host: address.host }) }, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  const host = address.host === '' ? 'localhost' : address.host.includes(':') ? `[${address.host}]` : address.host;
  const url = `http://${host}:${port}/`;
  return {
    url,
    link: token === undefined ? url : `${url}?token=${encodeURIComponent(token)}`,
    close: () =>
      new Promise((resolve) => {
        for (const feed of feeds) feed.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Undefined: there is no such thing. */
async function ask(source: Source, { pathname, searchParams }: URL): Promise<object | undefined> {
  switch (pathname) {
    case '/api/hello':
      return source.hello();
    case '/api/history':
      return source.history(Number(searchParams.get('since')) || 0);
    case '/api/object':
      return source.inspect(searchParams.get('key') ?? '');
    case '/api/messages':
      return source.messages((searchParams.get('keys') ?? '').split(',').filter(Boolean).slice(0, KEYS));
    case '/api/problems':
      return source.problems();
    default: {
      const name = /^\/api\/machines\/([^/]+)$/.exec(pathname)?.[1];
      return name === undefined ? undefined : source.machine(decodeURIComponent(name));
    }
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, etag, lasting } = asset;
  response.setHeader('Content-Type', type);
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  const zipped = takesGzip(request);
  if (zipped) response.setHeader('Content-Encoding', 'gzip');
  response.end(request.method === 'HEAD' ? undefined : zipped ? asset.zipped() : asset.bytes);
}

function sendText(request: IncomingMessage, response: ServerResponse, answer: AnswerText): void {
  const { text } = answer;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  const zipped = text.length > SMALL && takesGzip(request);
  if (zipped) response.setHeader('Content-Encoding', 'gzip');
  if (zipped) answer.zipped ??= gzipSync(text, { level: 1 });
  response.end(zipped ? answer.zipped : text);
}

function takesGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}
