// Calls to a Kubernetes API server over kept connections.
//
// The requests go through one `undici` agent, and the watches through another, which are renewed with the credentials.
import { createSecureContext, type SecureContext } from 'node:tls';
import type { JsonObject } from '../../bus/bus.ts';
import { AbsentError, TerminalError, TransientError } from '../../bus/errors.ts';
import type { Clock, Timer } from '../../bus/time.ts';
import { FairSemaphore } from '../http/fair-semaphore.ts';
import { Agent, type Dispatcher, type Progress, request, requestWhole, type WholeAnswer } from '../http/undici.ts';
import { isHeaderValue } from '../text/header-value.ts';
import { retryAfterMs } from '../text/retry-after.ts';
import { isUnserved } from './absence.ts';
import { bodyWithin, lines, parse, reason } from './answers.ts';
import type { Environment } from './exec-plugin.ts';
import { type Access, accessByKubeconfig, accessByPod, type Credentials } from './kubeconfig.ts';
import type { Impersonated, KubeAnswer, KubeCall, KubeClient } from './ports.ts';
import { agentThrough } from './proxy.ts';
import { failureOf, refusalOf, TooLargeError } from './refusals.ts';

/** Longest wait for an answer, in milliseconds; kube-apiserver itself gives up after 60 s. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time for which credentials from the kubeconfig are used before they are read again, in milliseconds. */
const CREDENTIALS_FOR_MS = 60_000;
/**
 * Connections kept to the server for requests; further requests wait, with namespaces served round-robin. Each watch
 * has a connection of its own: there are as many as kinds, and they would leave none for requests.
 */
const CONNECTIONS = 32;

interface LoggedIn {
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** Tells credentials of connections apart. */
  readonly key: string;
  /** Instant from which the credentials must be read again, in milliseconds since the epoch. */
  readonly until: number;
}

export interface KubeClientDeps {
  clock: Clock;
  /** Path of a kubeconfig, or of several: see `accessByKubeconfig`. */
  kubeconfig?: string | undefined;
  /** Context of the kubeconfig; its current one by default. */
  context?: string | undefined;
  /** Without a kubeconfig: URL of the API server for a pod, which has a service account. */
  inCluster?: string | undefined;
  /** Variables for the kubeconfig's plugins, and of proxies; none by default. */
  env?: Environment | undefined;
  /** `troupe/<version>`. */
  userAgent?: string;
  /** Carries all requests and watches in place of connections of its own; the caller closes it. */
  dispatcher?: Dispatcher | undefined;
}

/**
 * A client for a context of a kubeconfig, or for the service account of this pod.
 *
 * @throws {TerminalError} the kubeconfig cannot be read, names no server, or a proxy of a kind that is not supported
 */
export function kubeClient({
  clock,
  kubeconfig,
  context,
  inCluster,
  env,
  userAgent = 'troupe',
  dispatcher,
}: KubeClientDeps): KubeClient {
  const access = accessOf({ kubeconfig, context, inCluster, env });
  const { server, proxy } = access;
  let session: LoggedIn | undefined;
  /** Login in progress, shared by all calls that need it: a plugin must not run once per call. */
  let renewal: Promise<LoggedIn> | undefined;
  /** With requests in flight, perhaps: those of credentials that were replaced, and that of the session. */
  const agents = new Set<Dispatcher>();
  /** Those of the session. */
  let current: readonly Dispatcher[] = [];
  const turns = new FairSemaphore(CONNECTIONS);

  async function login(): Promise<Credentials> {
    try {
      return await access.credentials(clock.now());
    } catch (error) {
      throw noCredentials(error);
    }
  }

  /** Files are being replaced and plugins fail occasionally: a retry may succeed. */
  function noCredentials(error: unknown): TransientError {
    return new TransientError(`no credentials for the API server at ${server}: ${reason(error)}`, { cause: error });
  }

  /** Shared by all connections: otherwise each would parse the authorities and the key again. */
  function contextOf(tls: Credentials['tls']): SecureContext {
    try {
      return createSecureContext(tls);
    } catch (error) {
      throw noCredentials(error);
    }
  }

  async function credentials(): Promise<LoggedIn> {
    if (session !== undefined && clock.now() < session.until) return session;
    // mutant: login-per-call ??= -> renewal = $2
    renewal ??= renewed().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function renewed(): Promise<LoggedIn> {
    const { tls, headers, expiresAt = Number.POSITIVE_INFINITY } = await login();
    const until = Math.min(expiresAt, clock.now() + CREDENTIALS_FOR_MS);
    const key = JSON.stringify(tls);
    if (session?.key === key) {
      session = { ...session, headers, until };
      return session;
    }
    const { requests, watches } =
      dispatcher === undefined ? connected(tls) : { requests: dispatcher, watches: dispatcher };
    session = { requests, watches, headers, key, until };
    return session;
  }

  function connected(tls: Credentials['tls']): Pick<LoggedIn, 'requests' | 'watches'> {
    const connect = { ...tls, secureContext: contextOf(tls) };
    // HTTP/1.1 alone: each watch has a connection of its own. A stream of HTTP/2 that is still open when the client is
    // closed emits an error that no caller can catch, and the process ends.
    const agentWith = (connections: number | null): Dispatcher => {
      // mutant: kubernetes-by-http2 {} -> { connect, connections, keepAliveTimeout: 60_000, bodyTimeout: 0 }
      const options = { connect, connections, allowH2: false, keepAliveTimeout: 60_000, bodyTimeout: 0 };
      return proxy === undefined ? new Agent(options) : agentThrough(proxy, options);
    };
    const [requests, watches] = [agentWith(CONNECTIONS), agentWith(null)];
    for (const agent of current) retire(agent);
    current = [requests, watches];
    for (const agent of [requests, watches]) agents.add(agent);
    return { requests, watches };
  }

  /** Requests in flight end on the old agent. */
  function retire(agent: Dispatcher): void {
    void agent.close().then(() => agents.delete(agent));
  }

  /**
   * The credentials that `refused` has are requested again before the next request. The connections stay, since only the
   * token may be invalid.
   */
  function distrust(refused: LoggedIn): void {
    // The first refusal of many with the same token replaces that token; the others have nothing to add.
    if (refused !== session) return;
    // mutant: refused-plugin-token drop
    access.forget();
    // mutant: refused-token-connections =.2 -> undefined
    session = { ...session, until: Number.NEGATIVE_INFINITY };
  }

  /** Headers of a request, and the way to the API server. Its first word becomes the field manager of writes that name none. */
  async function addressed(
    by: 'requests' | 'watches',
    accept = 'application/json',
    contentType?: string,
  ): Promise<{
    readonly loggedIn: LoggedIn;
    readonly dispatcher: Dispatcher;
    readonly headers: Record<string, string>;
  }> {
    const loggedIn = await credentials();
    const type = contentType !== undefined && { 'content-type': contentType };
    const headers = { 'user-agent': userAgent, ...loggedIn.headers, accept, ...type };
    return { loggedIn, dispatcher: loggedIn[by], headers };
  }

  const noAnswer = `no answer from the API server at ${server}`;

  /**
   * Sends a request and reads its answer to the end.
   *
   * @throws {TooLargeError} {TransientError} {UnknownOutcomeError} {TerminalError} a name in `as`
   */
  async function answerTo({
    method,
    path,
    accept,
    contentType,
    body,
    mostBytes = Number.POSITIVE_INFINITY,
    as,
  }: KubeCall): Promise<WholeAnswer> {
    const type = body === undefined ? undefined : (contentType ?? 'application/json');
    // mutant: impersonation-forgotten =.2 -> {}
    const impersonation = as === undefined ? {} : impersonationHeaders(as);
    const { loggedIn, dispatcher, headers } = await addressed('requests', accept, type);
    let timer: Timer | undefined;
    try {
      const { answer, end } = requestWhole(`${server}${path}`, {
        dispatcher,
        headers: { ...headers, ...impersonation },
        method,
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: REQUEST_TIMEOUT_MS,
        onAnswer() {
          const late = (): void => end(new Error(`nothing more within ${REQUEST_TIMEOUT_MS} ms`));
          timer = clock.setTimeout(late, REQUEST_TIMEOUT_MS);
        },
        bodyOf: () => bodyWithin(mostBytes, server),
      });
      const whole = await answer;
      // mutant: refused-token-kept drop
      if (whole.status === 401) distrust(loggedIn);
      return whole;
    } catch (failure) {
      const { error, progress } = failure as { readonly error: unknown; readonly progress: Progress };
      if (error instanceof TooLargeError) throw error;
      const Failure = progress === 'unsent' ? TransientError : failureOf(method);
      const what = progress === 'answered' ? `the answer of the API server at ${server} broke off` : noAnswer;
      throw new Failure(`${what}: ${reason(error)}`, { cause: error });
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  async function exchange(call: KubeCall): Promise<KubeAnswer> {
    const answer = await answerTo(call);
    const parsed = parse(answer.text);
    if (answer.status >= 400) throw await refused(answer, parsed, call);
    if (parsed === undefined)
      throw new (failureOf(call.method))(`the API server at ${server} answered something that is not JSON`);
    return { body: parsed, serverTime: Date.parse(String(answer.headers['date'] ?? '')) || clock.now() };
  }

  /** The text by which a watch is refused. */
  async function refusalText({ body }: Dispatcher.ResponseData): Promise<string> {
    const timer = clock.setTimeout(() => body.destroy(new Error('timed out')), REQUEST_TIMEOUT_MS);
    try {
      return await body.text();
    } catch (error) {
      throw new TransientError(`the answer of the API server at ${server} broke off: ${reason(error)}`, {
        cause: error,
      });
    } finally {
      clock.clearTimeout(timer);
    }
  }

  /** Error for a rejected request. After an ambiguous 404 it checks whether the kind is served at all. */
  async function refused(
    { status, headers }: Pick<WholeAnswer, 'status' | 'headers'>,
    body: JsonObject | undefined,
    { method, path: whole }: Pick<KubeCall, 'path'> & { readonly method: string },
  ): Promise<Error> {
    const [path = ''] = whole.split('?');
    const refusal = refusalOf(status, body, { method, path }, retryAfterMs(headers['retry-after'], clock.now()));
    if (status !== 404 || refusal instanceof AbsentError) return refusal;
    try {
      return (await isUnserved(path, listed)) ? new AbsentError(refusal.message) : refusal;
    } catch (error) {
      if (error instanceof TransientError) return refusal;
      throw error;
    }
  }

  /** Lists of what is served that are on their way: at the start many ask for the same. */
  const listing = new Map<string, Promise<JsonObject>>();

  function listed(path: string): Promise<JsonObject> {
    const known = listing.get(path);
    if (known !== undefined) return known;
    const list = read(path).finally(() => listing.delete(path));
    listing.set(path, list);
    return list;
  }

  async function read(path: string): Promise<JsonObject> {
    const { status, text } = await answerTo({ method: 'GET', path });
    const body = parse(text);
    if (status !== 200 || body === undefined) throw refusalOf(status, body, { method: 'GET', path });
    return body;
  }

  return {
    server,
    namespace: access.namespace,
    async call(call) {
      await turns.enter(namespaceOf(call.path));
      try {
        return await exchange(call);
      } finally {
        turns.leave();
      }
    },
    async *stream(path, accept, signal, onOpen) {
      const { loggedIn, ...to } = await addressed('watches', accept);
      const opening = request(`${server}${path}`, { ...to, method: 'GET', signal, bodyTimeout: 0 });
      const answer = await opening.catch((error: unknown) => {
        throw new TransientError(`${noAnswer}: ${reason(error)}`, { cause: error });
      });
      const { statusCode: status, headers } = answer;
      if (status >= 400) {
        if (status === 401) distrust(loggedIn);
        throw await refused({ status, headers }, parse(await refusalText(answer)), { method: 'watch', path });
      }
      onOpen?.();
      yield* lines(answer.body, signal, server);
    },
    async close() {
      await Promise.all([...agents].map((agent) => agent.destroy()));
    },
  };
}

/** @throws {TerminalError} a name would be another one at the API server */
function impersonationHeaders({ user, groups }: Impersonated): Record<string, string | string[]> {
  for (const name of [user, ...groups]) {
    // mutant: impersonation-of-another if -> false
    if (!isHeaderValue(name)) {
      throw new TerminalError(`the user or group ${JSON.stringify(name.slice(0, 100))} cannot be named in a header`);
    }
  }
  return { 'impersonate-user': headerBytes(user), 'impersonate-group': groups.map(headerBytes) };
}

/** undici writes one byte per character, and the API server reads UTF-8. */
function headerBytes(text: string): string {
  // mutant: impersonation-in-latin1 return -> text
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whose request it is; '' for what belongs to no namespace. */
function namespaceOf(path: string): string {
  return /\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? '';
}

function accessOf({
  kubeconfig,
  context,
  inCluster,
  env,
}: Pick<KubeClientDeps, 'kubeconfig' | 'context' | 'inCluster' | 'env'>): Access {
  if (kubeconfig !== undefined) return accessByKubeconfig(kubeconfig, context, env);
  if (inCluster !== undefined) return accessByPod(inCluster);
  throw new TerminalError('there is no API server to talk to: no kubeconfig was named, and this is no pod');
}
