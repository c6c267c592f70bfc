// An API server for development and tests, never for production. It speaks the wire protocol of a kube-apiserver over
// TLS and HTTP/1.1, on loopback unless told otherwise, and keeps everything in memory.
//
// What it does not do:
//   - keep anything across a restart; etcd, encryption at rest, audit
//   - authorization: whoever has the token may do anything; no users, no impersonation, no service account tokens
//   - admission: no webhooks, no policies, no quotas, no limits
//   - pods and everything that is not listed in builtins.ts; controllers beyond the life of namespaces, the default
//     service account, the cleanup of definitions and garbage collection by owner references
//   - conversion webhooks, the scale subresource, protobuf, CBOR, HTTP/2, compression, OpenAPI v2
//   - lists and reads of older revisions: a page after the first shows the present, under the first one's revision
//   - the cost limits of CEL rules, and most of the type check of rules before they are evaluated
//   - expiry of events
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../bus/time.ts';
import type { Api } from './api.ts';
import { collectGarbage } from './controllers/garbage.ts';
import { followNamespaces } from './controllers/namespaces.ts';
import { builtinResources } from './kinds/builtins.ts';
import { definitionResource, followDefinitions } from './kinds/definitions.ts';
import { registry } from './kinds/resources.ts';
import { watchObjects } from './objects/watch.ts';
import { memoryStore } from './storage/store.ts';
import { makeCertificates } from './tls/certificates.ts';
import { kubeconfigText } from './tls/kubeconfig.ts';
import { ApiError, internalError, methodNotAllowed, tooLarge, unauthorized, unknownPath } from './wire/api-error.ts';
import { AGGREGATED_TYPE, discover, VERSION, wantsAggregated } from './wire/discovery.ts';
import { openApi } from './wire/openapi.ts';
import { answer, isWatch, parseRoute, resourceOf } from './wire/routes.ts';

/** The API server's limit for the body of a request, in bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** What a collection remembers for watches that come back. */
const REMEMBERED = { changes: 10_000, characters: 16 * 1024 * 1024 };

const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version'];

/** What a pino logger offers of the kind. */
export interface ServerLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface ApiServerOptions {
  readonly clock: Clock;
  /** 0 for a free one, the default. */
  readonly port?: number;
  /** Address to listen at; `127.0.0.1` unless said otherwise. */
  readonly host?: string;
  readonly log?: ServerLog;
}

/** Requests since the start, by method; watches count as `WATCH`. */
export type RequestCounts = Readonly<Record<string, number>>;

export interface EmbeddedApiServer {
  /** `https://<host>:<port>`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly caCertificate: string;
  /** The bearer token that every request needs. */
  readonly token: string;
  /** YAML, with authority and token inline. */
  kubeconfig(): string;
  requests(): RequestCounts;
  /** Ends all watches and connections. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Starts a server with the namespaces every cluster has and nothing else.
 *
 * @throws {Error} the port is taken
 */
export async function startApiServer({
  clock,
  port = 0,
  host = '127.0.0.1',
  log,
}: ApiServerOptions): Promise<EmbeddedApiServer> {
  // Revisions are ordered across restarts: fewer than a thousand writes a second never reach the next start's time.
  const store = memoryStore({ remembered: REMEMBERED, firstRevision: Math.max(1, Math.floor(clock.now())) });
  const api: Api = { store, registry: registry(), clock };
  for (const resource of [...builtinResources(), definitionResource()]) {
    const shared = api.registry.ofStoreKey(resource.storeKey);
    api.registry.set(resource.storeKey, [...shared, resource]);
  }
  followDefinitions(api);
  collectGarbage(api);
  followNamespaces(api);
  const documents = openApi(api.registry);
  const token = randomBytes(24).toString('base64url');
  const certificates = await makeCertificates(host, clock.now());
  const counts: Record<string, number> = {};
  const watches = new Set<() => void>();
  let address = '';

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'https://server');
    const { pathname, searchParams: query } = url;
    const method = request.method ?? 'GET';
    const accept = request.headers.accept ?? '';
    const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
    const isHealth = PUBLIC_PATHS.slice(0, 3).some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
    if (!isHealth && path !== '/version' && !hasToken(request, token)) {
      request.resume();
      throw unauthorized();
    }
    const watching = isWatch(method, query);
    const counted = watching ? 'WATCH' : method;
    counts[counted] = (counts[counted] ?? 0) + 1;
    if (isHealth) return void sendText(response, 'ok');
    if (path === '/version') return void send(response, 200, JSON.stringify(VERSION));
    if (path === '/openapi/v3') return void send(response, 200, documents.index());
    if (path.startsWith('/openapi/v3/')) {
      const document = documents.document(path.slice('/openapi/v3/'.length));
      if (document === undefined) throw unknownPath();
      return void send(response, 200, document);
    }
    const route = parseRoute(path);
    if (route === undefined) {
      if (!path.startsWith('/api')) throw unknownPath();
      if (method !== 'GET') throw methodNotAllowed();
      const isAggregated = wantsAggregated(accept) && (path === '/api' || path === '/apis');
      const body = JSON.stringify(discover(api.registry, path, accept, address));
      return void send(response, 200, body, isAggregated ? AGGREGATED_TYPE : 'application/json');
    }
    const resource = resourceOf(api, route);
    const warnings: string[] = resource.warning === undefined ? [] : [resource.warning];
    const resourceRequest = {
      resource,
      namespace: route.namespace,
      name: route.name,
      subresource: route.subresource,
      query,
      accept,
      contentType: request.headers['content-type'] ?? '',
      userAgent: request.headers['user-agent'] ?? '',
      body: await readBody(request),
      warn: (text: string): void => void warnings.push(text),
    };
    if (watching) {
      const { open } = watchObjects(api, resourceRequest);
      setWarnings(response, warnings);
      response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
      response.flushHeaders();
      const close = open({
        write(chunk) {
          response.write(chunk);
          return response.writableLength;
        },
        end() {
          response.end();
        },
        onClose(run) {
          response.on('close', run);
        },
      });
      watches.add(close);
      response.on('close', () => watches.delete(close));
      return;
    }
    const { code, body } = answer(api, method, resourceRequest);
    setWarnings(response, warnings);
    send(response, code, body);
  };

  const server = createServer({ cert: certificates.certificate, key: certificates.key }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!(error instanceof ApiError))
        log?.error({ err: error, method: request.method, url: request.url }, 'request failed');
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status } =
        error instanceof ApiError ? error : internalError(error instanceof Error ? error.message : String(error));
      send(response, status.code, JSON.stringify(status));
      if (status.code === 413) request.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const listening = server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  address = `${shown}:${listening.port}`;
  const { caCertificate } = certificates;
  const url = `https://${address}`;
  log?.debug({ url }, 'embedded api server listens');
  let closing: Promise<void> | undefined;
  return {
    url,
    caCertificate,
    token,
    kubeconfig: () => kubeconfigText({ url, caCertificate, token }),
    requests: () => ({ ...counts }),
    close() {
      closing ??= new Promise((resolve) => {
        for (const close of watches) close();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

function hasToken(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(/^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge(`limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const quoted = warnings.map((text) => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  response.setHeader('Warning', quoted);
}

function send(response: ServerResponse, code: number, body: string, type = 'application/json'): void {
  const bytes = Buffer.from(body);
  response.writeHead(code, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-cache, private',
  });
  response.end(bytes);
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
