// Webhooks over HTTPS: what the API server asks while it serves objects. It waits for each answer, and fails the user's request
// if there is none.
//
// Invariants:
//   HOOK-SERVER-1. A request that has arrived is answered by whatever certificate is served meanwhile, and before the server is closed.
//   HOOK-SERVER-2. No answer tells anything of a body but what the API server has to say of it to the user.
//   HOOK-SERVER-3. The memory of one request is always limited, and so is that of all together; requests from one
//       address leave as much for others (`AnswerMemory`).
//   HOOK-SERVER-4. A client that stops sending, or does not read the response, never blocks the server beyond a
//       timeout.
//   HOOK-SERVER-5. Large requests are always read in pieces, round-robin by address: many of them delay another one by
//       a single piece.
//   HOOK-SERVER-6. With configured client authorities, a review is answered only for clients with a certificate of
//       them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { AdmissionWebhook, ConversionWebhook, ReviewPorts, Webhooks } from '../../adapters/api/webhooks.ts';
import { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import { AnswerMemory, type Holding } from '../../adapters/http/response.ts';
import { readJson } from '../../adapters/text/exact-json.ts';
import { type Clock, TerminalError, TransientError } from '../../bus/mod.ts';
import type { ListenAddress } from '../base/listen-address.ts';
import type { AnsweredWebhook } from '../observability/webhook-metrics.ts';
import { arriving, MOST_VALUES, valuesOf } from './body.ts';
import { answeredReview } from './conversion-review.ts';
import { RefusedBody } from './review-reader.ts';

/** PEM both. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookServerDeps {
  readonly address: ListenAddress;
  readonly webhooks: readonly Webhooks[];
  readonly ports: ReviewPorts;
  /** Whether reviews are answered only to whom `admit` names. */
  readonly areClientsChecked?: boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  onAnswered?(answered: AnsweredWebhook): void;
}

export interface WebhookServer {
  /** Port of the server; undefined: it does not listen yet. */
  readonly port: number | undefined;
  /**
   * Has this certificate for connections from now on; with the first one it begins to listen.
   * @throws {TerminalError} they are no certificate and its key, or the address is taken or none of this machine's
   */
  serve(certificate: Certificate): Promise<void>;
  /** Whose certificates clients show, as PEM, from now on. */
  admit(authorities: string): void;
  /** Connections end with their next answer: this server is about to go. */
  retire(): void;
  /** Answers what has arrived, for DRAIN_MS at most. */
  close(): Promise<void>;
}

/** Maximum size of an AdmissionReview: the object twice, each of 3 MB at most. */
const REVIEW_BYTES = 8 * 1024 * 1024;
/** All bodies that are being read; in bytes. */
const BODIES_BYTES = 48 * 1024 * 1024;
/** Approximate overhead of a JSON value beyond its text, in bytes. */
const VALUE_BYTES = 64;
/**
 * The API server waits for 30 s at most, for a conversion, and for the configured timeout of an admission, 10 s by
 * default.
 */
const ANSWER_MS = 60_000;
const HEADERS_MS = 10_000;
/** Longer than Kubernetes keeps an idle connection (90 s): who closes first while the other one asks breaks a request. */
const IDLE_MS = 120_000;
/** Two for each of very many API servers. */
const CONNECTIONS = 1_000;
const DRAIN_MS = 3_000;
const JSON_TYPE = 'application/json';
const OTHER = 'other';

type Route =
  | { readonly kind: 'conversion'; readonly webhook: ConversionWebhook }
  | { readonly kind: 'admission'; readonly webhook: AdmissionWebhook };

/** @throws {TerminalError} two webhooks have the same path */
export function webhookServer(deps: WebhookServerDeps): WebhookServer {
  const { address, webhooks, ports, clock, log, onAnswered = () => undefined } = deps;
  const routes = routesOf(webhooks);
  const areClientsChecked = deps.areClientsChecked === true;
  const memory = new AnswerMemory(BODIES_BYTES);
  const turns = new FairSemaphore(1);
  let server: Server | undefined;
  let served: Certificate | undefined;
  let clients: string | undefined;
  let isRetired = false;
  const underWay = new Set<Promise<void>>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = clock.now();
    const path = pathOf(request);
    let objects = 0;
    if (isRetired) response.setHeader('Connection', 'close');
    const source = request.socket.remoteAddress ?? '';
    const holding = memory.open([source]);
    // mutant: webhook-answer-not-taken =.2 -> undefined
    const late = clock.setTimeout(() => response.destroy(), ANSWER_MS);
    try {
      const route = routes.get(path);
      checked(request, route);
      // mutant: webhook-any-client if -> false
      if (areClientsChecked && route?.kind === 'admission' && !(request.socket as TLSSocket).authorized)
        throw new RefusedBody(401, 'a review is answered to who shows a certificate of --webhook-client-ca');
      if (route?.kind === 'conversion') {
        const { convert } = route.webhook;
        const onDefect = (err: unknown): void => log.error({ path, err }, 'converting an object failed');
        const pieces = answeredReview(arriving(request, clock), {
          convert,
          onDefect,
          onConverted: () => (objects += 1),
          onHeld: (bytes) => hold(holding, bytes),
        });
        await sendPieces(response, pieces);
      } else if (route !== undefined) {
        const text = await textOf(arriving(request, clock), holding);
        // mutant: webhook-turns await -> undefined
        await turns.enter(source);
        const review = await reviewOf(text, holding).finally(() => turns.leave());
        const { status, body } = await route.webhook.review(review, path, ports);
        send(response, status, body);
      }
    } catch (error) {
      refuse(request, response, error, (err) => log.error({ path, err }, 'answering a webhook request failed'));
    } finally {
      clock.clearTimeout(late);
      holding.release();
    }
    const code = response.headersSent && !request.socket.destroyed ? response.statusCode : 0;
    onAnswered({
      path: routes.has(path) ? path : OTHER,
      code,
      durationMs: clock.now() - startedAt,
      objects,
    });
  };

  const open = async (certificate: Certificate): Promise<void> => {
    // An `import` reads all that a module exports, and with `WebSocket` this one loads all of Node's `fetch`.
    const { createServer } = process.getBuiltinModule('node:https');
    const opened = createServer(
      {
        ...tlsOf(certificate, clients),
        // Conversions are sent without a certificate: missing certificates are checked per request.
        requestCert: areClientsChecked,
        rejectUnauthorized: false,
        requestTimeout: ANSWER_MS,
        headersTimeout: HEADERS_MS,
        keepAliveTimeout: IDLE_MS,
        // The interval halves the error: a header may be late by that.
        connectionsCheckingInterval: HEADERS_MS / 2,
      },
      (request, response) => {
        const answering = answer(request, response).finally(() => underWay.delete(answering));
        underWay.add(answering);
      },
    );
    opened.maxConnections = CONNECTIONS;
    // Connections without TLS, or that break during the handshake, are ignored.
    opened.on('tlsClientError', (_, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      opened.once('error', (error) =>
        reject(new TerminalError(`--webhook-address: ${error.message}`, { cause: error })),
      );
      const { host, port } = address;
      opened.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
    });
    server = opened;
  };

  return {
    get port() {
      const bound = server?.address();
      return typeof bound === 'object' && bound !== null ? bound.port : undefined;
    },
    async serve(certificate) {
      const options = tlsOf(certificate, clients);
      // Connections that there are keep theirs.
      if (server === undefined) await open(certificate);
      else server.setSecureContext(options);
      served = certificate;
    },
    admit(authorities) {
      clients = authorities;
      if (served !== undefined) server?.setSecureContext(tlsOf(served, clients));
    },
    retire() {
      isRetired = true;
      server?.closeIdleConnections();
    },
    async close() {
      isRetired = true;
      const closing = server;
      if (closing === undefined) return;
      const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
      const ended = new AbortController();
      await Promise.race([Promise.allSettled([...underWay]), clock.sleep(DRAIN_MS, ended.signal)]);
      ended.abort();
      closing.closeAllConnections();
      await closed;
    },
  };
}

function routesOf(all: readonly Webhooks[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  const add = (path: string, route: Route): void => {
    if (routes.has(path)) throw new TerminalError(`two adapters have the webhook '${path}'; leave one of them out`);
    routes.set(path, route);
  };
  for (const { conversion, admission } of all) {
    if (conversion !== undefined) add(conversion.path, { kind: 'conversion', webhook: conversion });
    for (const path of admission?.paths ?? []) add(path, { kind: 'admission', webhook: admission as AdmissionWebhook });
  }
  return routes;
}

interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
  readonly minVersion: 'TLSv1.2';
}

/** @throws {TerminalError} they do not fit; nothing of them is in the message */
function tlsOf({ certificate, key }: Certificate, clients: string | undefined): TlsOptions {
  const trusted = clients === undefined ? {} : { ca: clients };
  const options: TlsOptions = { cert: certificate, key, ...trusted, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    const { code = 'no PEM' } = error as { code?: string };
    throw new TerminalError(`the certificate and the key of the webhooks cannot be used: ${code}`, { cause: error });
  }
  return options;
}

/** @throws {RefusedBody} it is no question that anybody here answers */
function checked({ method, headers }: IncomingMessage, route: Route | undefined): void {
  if (route === undefined) throw new RefusedBody(404, 'there is no webhook at this path');
  if (method !== 'POST') throw new RefusedBody(405, 'a webhook is asked with POST');
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== JSON_TYPE) throw new RefusedBody(415, `a webhook is asked in ${JSON_TYPE}`);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new RefusedBody(415, 'a webhook is asked without a content encoding');
}

/** @throws {RefusedBody} there is no room for it now */
function hold(holding: Holding, bytes: number): void {
  try {
    // mutant: webhook-bodies-unbounded drop
    holding.hold(bytes);
  } catch (error) {
    if (error instanceof TransientError) throw new RefusedBody(503, 'too much is asked at once; ask again');
    throw error;
  }
}

/** @throws {RefusedBody} it is too large, alone or with others */
async function textOf(body: AsyncIterable<Buffer>, holding: Holding): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > REVIEW_BYTES) throw new RefusedBody(413, `a review has ${REVIEW_BYTES} bytes at most`);
    hold(holding, bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Afterwards other requests run. @throws {RefusedBody} it is too large, or no JSON */
async function reviewOf(text: string, holding: Holding): Promise<unknown> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
  const values = valuesOf(text);
  if (values > MOST_VALUES) throw new RefusedBody(413, `a review has ${MOST_VALUES} values at most`);
  hold(holding, text.length + values * VALUE_BYTES);
  try {
    return readJson(text);
  } catch (error) {
    // The platform quotes the text.
    if (error instanceof SyntaxError) throw new RefusedBody(400, 'the body is no JSON');
    throw error;
  }
}

/** No faster than it is taken. */
async function sendPieces(response: ServerResponse, pieces: AsyncGenerator<string, void>): Promise<void> {
  for await (const piece of pieces) {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': JSON_TYPE });
    if (!response.write(piece)) await writable(response);
    if (response.destroyed) return;
  }
  response.end();
}

/** Or gone. */
function writable(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    response.off('drain', settle);
    response.off('close', settle);
    resolve();
  };
  response.on('drain', settle);
  response.on('close', settle);
  if (response.destroyed) settle();
  return promise;
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  onDefect: (error: unknown) => void,
): void {
  const isRefusal = error instanceof RefusedBody;
  // A broken connection is no error.
  const isGone = request.destroyed && !request.complete;
  if (!isRefusal && !isGone) onDefect(error);
  if (response.headersSent || response.destroyed || isGone) {
    response.destroy();
    return;
  }
  const [status, message] = isRefusal ? [error.status, error.message] : [500, 'the webhook failed; its log says how'];
  if (status === 405) response.setHeader('Allow', 'POST');
  // The rest of the body is not read.
  if (!request.complete) response.setHeader('Connection', 'close');
  send(response, status, { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: status, message });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': JSON_TYPE }).end(JSON.stringify(body));
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
