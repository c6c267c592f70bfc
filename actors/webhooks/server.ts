// Webhooks over HTTPS: what the API server asks while it serves objects. It waits for each answer, and fails the user's request
// if there is none.
//
// Invariants:
//   S1. A request that has arrived is answered by whatever certificate is served meanwhile, and before the server is closed.
//   S2. No answer tells anything of a body but what the API server has to say of it to the user.
//   S3. What one request takes of memory is bounded, whatever it asks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { readJson } from '../../adapters/exact-json.ts';
import type { AdmissionWebhook, ConversionWebhook, ReviewPorts, Webhooks } from '../../adapters/webhooks.ts';
import { type Clock, TerminalError } from '../../bus/mod.ts';
import type { ListenAddress } from '../telling/listen-address.ts';
import type { AnsweredWebhook } from '../telling/webhook-metrics.ts';
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
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  onAnswered?(answered: AnsweredWebhook): void;
}

export interface WebhookServer {
  /** Where it is; undefined: it does not listen yet. */
  readonly port: number | undefined;
  /**
   * Has this certificate for connections from now on; with the first one it begins to listen.
   * @throws {TerminalError} they are no certificate and its key, or the address is taken or none of this machine's
   */
  serve(certificate: Certificate): Promise<void>;
  /** Connections end with their next answer: this server is about to go. */
  retire(): void;
  /** Answers what has arrived, for DRAIN_MS at most. */
  close(): Promise<void>;
}

/** Of an AdmissionReview: the object twice, each of 3 MB at most. */
const REVIEW_BYTES = 8 * 1024 * 1024;
/** The API server waits for 30 s at most, for a conversion, and as long as it was told for an admission, 10 s unless stated. */
const REQUEST_MS = 60_000;
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
  let server: Server | undefined;
  let isRetired = false;
  const underWay = new Set<Promise<void>>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = clock.now();
    const path = pathOf(request);
    let objects = 0;
    if (isRetired) response.setHeader('Connection', 'close');
    try {
      const route = routes.get(path);
      checked(request, route);
      if (route?.kind === 'conversion') {
        const { convert } = route.webhook;
        const onDefect = (err: unknown): void => log.error({ path, err }, 'an object could not be converted');
        const pieces = answeredReview(request, { convert, onDefect, onConverted: () => (objects += 1) });
        await sendPieces(response, pieces);
      } else if (route !== undefined) {
        const { status, body } = await route.webhook.review(await reviewOf(request), path, ports);
        send(response, status, body);
      }
    } catch (error) {
      refuse(request, response, error, (err) => log.error({ path, err }, 'a webhook could not be answered'));
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
        ...tlsOf(certificate),
        requestTimeout: REQUEST_MS,
        headersTimeout: HEADERS_MS,
        keepAliveTimeout: IDLE_MS,
        // What is asked for first decides: half of it may have come.
        connectionsCheckingInterval: HEADERS_MS / 2,
      },
      (request, response) => {
        const answering = answer(request, response).finally(() => underWay.delete(answering));
        underWay.add(answering);
      },
    );
    opened.maxConnections = CONNECTIONS;
    // Whoever speaks no TLS, or goes away in the middle, is of no interest.
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
      const options = tlsOf(certificate);
      // Connections that there are keep theirs.
      if (server === undefined) await open(certificate);
      else server.setSecureContext(options);
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

/** @throws {TerminalError} they do not fit; nothing of them is in the message */
function tlsOf({ certificate, key }: Certificate): { cert: string; key: string; minVersion: 'TLSv1.2' } {
  const options = { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
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

/** @throws {RefusedBody} it is too large, or no JSON */
async function reviewOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REVIEW_BYTES) throw new RefusedBody(413, `a review has ${REVIEW_BYTES} bytes at most`);
    chunks.push(chunk);
  }
  try {
    return readJson(Buffer.concat(chunks).toString());
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
  // A connection that broke is nobody's fault.
  const isGone = request.destroyed && !request.complete;
  if (!isRefusal && !isGone) onDefect(error);
  if (response.headersSent || response.destroyed || isGone) {
    response.destroy();
    return;
  }
  const [status, message] = isRefusal ? [error.status, error.message] : [500, 'the webhook failed; its log says how'];
  if (status === 405) response.setHeader('Allow', 'POST');
  // What is left of the body is not waited for.
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
