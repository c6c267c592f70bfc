// An API server for development and tests, never for production. It speaks the wire protocol of a kube-apiserver over
// TLS and HTTP/1.1, on loopback unless told otherwise, and keeps everything in memory, or in a folder too.
//
// Not implemented:
//   - etcd, encryption at rest, auditing
//   - users by client certificates or other means than bearer tokens; authorization by other means than RBAC
//   - admission: no webhooks, no policies, no quotas, no limits
//   - pods and everything that is not listed in builtins.ts; controllers other than those of namespaces, the
//     accounts and tokens in them, aggregated roles, the cleanup of definitions and garbage collection by owner references
//   - conversion webhooks behind services, since nothing runs behind one; CBOR, HTTP/2
//   - protobuf, but for bodies of built-in kinds, as controllers send them, and for OpenAPI v2, as Argo CD reads it
//   - the scale subresource: definitions may name it, and nothing is served there
//   - the cost of CEL rules as they run (their estimated cost is limited)
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { certify } from '../../kubernetes/tls/certificates.ts';
import { rbac } from './access/rbac.ts';
import { accountTokens } from './auth/account-tokens.ts';
import { aggregateRoles } from './auth/aggregation.ts';
import { authentication } from './auth/authentication.ts';
import { addBootstrapRoles } from './auth/bootstrap.ts';
import { reviewResources } from './auth/reviews.ts';
import { roleResources } from './auth/role-kinds.ts';
import { tokenAction } from './auth/token-requests.ts';
import { ApiError, badRequest, internalError, PlainAnswer } from './base/api-error.ts';
import { type Credentials, makeCredentials } from './base/credentials.ts';
import { followAccounts } from './controllers/accounts.ts';
import { expireEvents } from './controllers/expiry.ts';
import { collectGarbage } from './controllers/garbage.ts';
import { followNamespaces } from './controllers/namespaces.ts';
import { builtinResources } from './kinds/builtins.ts';
import {
  type CompiledDefinition,
  compiledDefinitions,
  definitionResource,
  followDefinitions,
} from './kinds/definitions.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { requestHandler } from './requests/requests.ts';
import type { Api } from './resources/api.ts';
import { registry } from './resources/registry.ts';
import { type Files, realFiles } from './storage/files.ts';
import { openFolder } from './storage/folder.ts';
import type { HistoryLimits } from './storage/history.ts';
import { readIdentity, writeIdentity } from './storage/identity.ts';
import { memoryStore, type Store } from './storage/store.ts';
import { inAcceptedType } from './wire/answers.ts';
import { send } from './wire/http.ts';
import { openApi } from './wire/openapi.ts';

const REMEMBERED: HistoryLimits = { changes: 10_000, characters: 4 * 1024 * 1024 };

/** What Go's server takes of headers, in bytes. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Part of a pino logger's interface. */
export interface ServerLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface ApiServerOptions {
  readonly clock: Clock;
  /**
   * Folder of all data, the server's identity included; made, for its owner alone, when it is not there. In
   * memory only unless told.
   */
  readonly folder?: string;
  /** Access to the folder; the file system by default. */
  readonly files?: Files;
  /** 0 for the one that the folder was served at before, or else a free one; the default. */
  readonly port?: number;
  /** Address to listen at; `127.0.0.1` unless said otherwise. `none`: requests come by `handle` alone. */
  readonly host?: string | 'none';
  /** Whether every namespace gets a ConfigMap with the authority's certificate, as most clusters do it: yes unless told. */
  readonly publishesAuthority?: boolean;
  /** Changes that each collection remembers for watches that come back; 10,000 changes and 4 Mi characters by default. */
  readonly remembered?: HistoryLimits;
  /** Definitions that a new server serves from the start: `definitions()` of another one. */
  readonly definitions?: readonly CompiledDefinition[];
  readonly log?: ServerLog;
}

/** Requests since the start, by method; watches count as `WATCH`. */
export type RequestCounts = Readonly<Record<string, number>>;

export interface EmbeddedApiServer {
  /** `https://<host>:<port>`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly caCertificate: string;
  /** The administrator's bearer token. */
  readonly token: string;
  /** YAML, with authority and token inline. */
  kubeconfig(): string;
  /** All definitions that convert nothing, compiled. */
  definitions(): readonly CompiledDefinition[];
  /** Answers a request, however it came. */
  readonly handle: RequestListener;
  requests(): RequestCounts;
  /** Ends all watches and connections, and waits for the folder. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Starts a server with what is in the folder, or else with the namespaces every cluster has and nothing else.
 *
 * @throws {Error} the port is taken
 * @throws {TerminalError} the folder is in use by another server, or damaged, or its port is taken
 */
export async function startApiServer(options: ApiServerOptions): Promise<EmbeddedApiServer> {
  const { clock, folder, files = realFiles, remembered = REMEMBERED, log } = options;
  // Revisions are ordered across restarts: fewer than a thousand writes a second never reach the next start's time.
  const firstRevision = Math.max(1, Math.floor(clock.now()));
  if (folder === undefined) {
    const store = memoryStore({ remembered, firstRevision });
    const server = await serve(options, store, await makeCredentials(clock.now()), options.port ?? 0);
    return { ...server, close: once(server.close) };
  }
  const { store, close } = await openFolder({ folder, files, clock, remembered, firstRevision, log });
  try {
    const known = await readIdentity(folder);
    const credentials = known?.credentials ?? (await makeCredentials(clock.now()));
    // Before any client learns of it.
    if (known === undefined) await writeIdentity(folder, { credentials, port: undefined });
    const server = await serve(options, store, credentials, options.port || (known?.port ?? 0));
    const port = options.host === 'none' ? known?.port : Number(new URL(server.url).port);
    if (port !== known?.port) await writeIdentity(folder, { credentials, port });
    return { ...server, close: once(() => server.close().then(close)) };
  } catch (error) {
    await close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const { message } = error as Error;
    const remedy = 'end what listens there, or give another port, and then all clients a new kubeconfig';
    throw new TerminalError(`the folder '${folder}' cannot be served at its port (${message}): ${remedy}`);
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
}

/** Serves what is in a store. */
async function serve(
  { clock, host = '127.0.0.1', log, publishesAuthority = true, definitions }: ApiServerOptions,
  store: Store,
  credentials: Credentials,
  port: number,
): Promise<EmbeddedApiServer> {
  const { token, authority } = credentials;
  const { certificate: caCertificate } = authority;
  const closing = new AbortController();
  const api: Api = { store, registry: registry(), clock, closing: closing.signal, access: rbac(store) };
  const tokens = accountTokens({ store, clock, key: credentials.accountKey });
  const authenticated = authentication(token, tokens);
  for (const resource of [
    ...builtinResources({ token: tokenAction(tokens) }),
    definitionResource(),
    ...roleResources(),
    ...reviewResources(authenticated),
  ]) {
    const shared = api.registry.ofStoreKey(resource.storeKey);
    api.registry.set(resource.storeKey, [...shared, resource]);
  }
  addBootstrapRoles(api);
  aggregateRoles(api);
  followDefinitions(api, definitions);
  collectGarbage(api);
  followNamespaces(api);
  followAccounts({ api, tokens, caCertificate, publishesAuthority });
  expireEvents(api);
  const counts: Record<string, number> = {};
  const watches = new Set<() => void>();
  let address = '';
  const handle = requestHandler({
    api,
    authentication: authenticated,
    documents: openApi(api.registry),
    tokens,
    address: () => address,
    watches,
    count: (method) => {
      counts[method] = (counts[method] ?? 0) + 1;
    },
  });
  const listener: RequestListener = (request, response) => {
    response.setHeader('Date', new Date(clock.now()).toUTCString());
    handle(request, response).catch((error: unknown) => {
      if (error instanceof PlainAnswer && !response.headersSent) {
        const sent = { code: error.code, body: error.message, type: 'text/plain; charset=utf-8' };
        send(response, error.code === 500 ? { ...sent, cache: '' } : sent);
        return;
      }
      if (!(error instanceof ApiError)) {
        log?.error({ err: error, method: request.method, path: request.url?.split('?', 1)[0] }, 'request failed');
      }
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status } = refusalOf(error);
      const { retryAfterSeconds } = status.details ?? {};
      if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
      if (status.code === 413) response.setHeader('Connection', 'close');
      const sent = { code: status.code, body: JSON.stringify(status) };
      send(response, inAcceptedType(sent, request.headers.accept ?? ''));
    });
  };
  const listening = host === 'none' ? undefined : await listen(listener, { host, port, authority, now: clock.now() });
  address = listening?.address ?? 'api-server.test';
  const url = `https://${address}`;
  if (listening !== undefined) log?.debug({ url }, 'embedded api server listens');
  return {
    url,
    caCertificate,
    token,
    kubeconfig: () => kubeconfigText({ url, caCertificate, token }),
    definitions: () => compiledDefinitions(api),
    handle: listener,
    requests: () => ({ ...counts }),
    async close() {
      closing.abort();
      for (const close of watches) close();
      await listening?.close();
    },
  };
}

/** Opens the port. @throws {Error} it is taken */
async function listen(
  listener: RequestListener,
  { host, port, authority, now }: { host: string; port: number; authority: Credentials['authority']; now: number },
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { certificate, key } = await certify(authority, { name: 'embedded-api-server', hosts: [host] }, now);
  const server = createServer({ cert: certificate, key, maxHeaderSize: MAX_HEADER_BYTES }, listener);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    address: `${shown}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RangeError) return badRequest('exceeded max depth');
  return internalError(error instanceof Error ? error.message : String(error));
}
