// Handling of a request: authentication, authorization, routing, and the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { attributesOf } from '../access/attributes.ts';
import { impersonated, isImpersonating } from '../access/impersonation.ts';
import { isMaster, type User } from '../access/user.ts';
import type { Authentication } from '../auth/authentication.ts';
import { ApiError, internalError, methodNotAllowed } from '../base/api-error.ts';
import { ConversionNeeded, conversionsFor, untilConverted } from '../conversion/pending.ts';
import { watchObjects } from '../objects/watch.ts';
import type { Api, ResourceRequest } from '../resources/api.ts';
import type { ConversionWebhook } from '../resources/conversion.ts';
import type { Store } from '../storage/store.ts';
import { demandRoutable, inAcceptedType, LISTED } from '../wire/answers.ts';
import { beginStream, readBody, type Sent, send, setWarnings } from '../wire/http.ts';
import { type InformationDeps, information } from './information.ts';
import { type Answer, answer, isWatch, parseRoute, type Route, resourceOf } from './routes.ts';

export interface RequestsDeps extends Omit<InformationDeps, 'registry'> {
  readonly api: Api;
  readonly authentication: Authentication;
  /** Counts requests that were let in, by method. */
  readonly count: (method: string) => void;
  /** Abort signal of open watches. */
  readonly watches: Set<() => void>;
}

/** A request as far as its head tells. */
interface Asked {
  readonly request: IncomingMessage;
  readonly method: string;
  /** As sent; what rules speak of. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Undefined for what is about no resource. */
  readonly route: Route | undefined;
  /** Only collections are watched: with a name the parameter means nothing. */
  readonly watching: boolean;
  /** Texts of `Warning` headers, so far. */
  readonly warnings: string[];
}

/** Answers requests; what it throws is to be answered by the caller. */
export function requestHandler(
  deps: RequestsDeps,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const asked = read(request);
    const { route } = asked;
    const user = admitted(deps, asked, response);
    deps.count(asked.watching ? 'WATCH' : asked.method);
    if (route === undefined) {
      const make = (): Sent => information({ ...deps, registry: deps.api.registry }, asked);
      send(response, inAcceptedType(await settled(asked.method, () => attempt(deps.api.store, make)), asked.accept));
      return;
    }
    const given = await toResource(deps.api, asked, route, user);
    try {
      if (asked.watching) watch(deps, asked, given, response);
      else {
        const { webhook } = given.resource.versions ?? {};
        const sent = await (webhook === undefined
          ? answered(deps.api, asked.method, given)
          : answeredWith(webhook, deps.api, asked.method, given));
        setWarnings(response, asked.warnings);
        send(response, inAcceptedType(sent, asked.accept));
      }
    } catch (error) {
      if (!response.headersSent) setWarnings(response, asked.warnings); // a refusal carries what was found before
      throw error;
    }
  };
}

function answered(api: Api, method: string, request: ResourceRequest): Promise<Sent> {
  return settled(method, () =>
    attempt(api.store, () => {
      const { code, body } = answer(api, method, request);
      return { code, body: body(request.resource) };
    }),
  );
}

/**
 * Answers a request of a resource whose versions a webhook converts. What is done is done once; only the text of the
 * answer may take another conversion afterwards.
 */
async function answeredWith(
  webhook: ConversionWebhook,
  api: Api,
  method: string,
  request: ResourceRequest,
): Promise<Sent> {
  const conversions = { webhook, results: conversionsFor(request, webhook) };
  const run = (on: Api, about: ResourceRequest): Attempt<Answer> => attempt(api.store, () => answer(on, method, about));
  const { code, body } = await settled(method, () => untilConverted(api, request, conversions, run));
  return { code, body: await untilConverted(api, request, conversions, (_, { resource }) => body(resource)) };
}

/** Result of making an answer. */
interface Attempt<T> {
  readonly made: { readonly value: T } | { readonly error: unknown };
  /** Resolves when nothing can take back what the answer tells, or to why that was undone. */
  readonly settled: ReturnType<Store['settled']>;
}

/** @throws {ConversionNeeded} nothing was done */
function attempt<T>(store: Store, make: () => T): Attempt<T> {
  try {
    return { made: { value: make() }, settled: store.settled() };
  } catch (error) {
    if (error instanceof ConversionNeeded) throw error;
    return { made: { error }, settled: store.settled() };
  }
}

/**
 * Makes an answer, and lets it out when nothing can take back what it tells. A read that told what was undone is made
 * again.
 *
 * @throws {ApiError} of the attempt; 500 if a write of the request, or data in its answer, was rolled back
 */
async function settled<T>(method: string, make: () => Attempt<T> | Promise<Attempt<T>>): Promise<T> {
  for (;;) {
    const attempted = make();
    const last = attempted instanceof Promise ? await attempted : attempted;
    const undone = last.settled === undefined ? undefined : await last.settled;
    if (undone !== undefined && (method === 'GET' || method === 'HEAD')) continue;
    if (undone !== undefined) throw internalError(undone.message);
    if ('error' in last.made) throw last.made.error;
    return last.made.value;
  }
}

function read(request: IncomingMessage): Asked {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  // As it was sent: a path with dots in it is not the path without them.
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = parseQuery(mark < 0 ? '' : url.slice(mark + 1));
  const method = request.method ?? 'GET';
  const accept = request.headers.accept ?? '';
  const route = parseRoute(trimmed(path));
  const watching = route !== undefined && (route.watches || (route.name === '' && isWatch(method, query)));
  return { request, method, path, query, accept, route, watching, warnings: [] };
}

const trimmed = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path);
/** Pairs that cannot be read are not there. */
function parseQuery(text: string): URLSearchParams {
  if (text === '') return new URLSearchParams();
  const isReadable = (pair: string): boolean => !pair.includes(';') && !/%(?![0-9a-fA-F]{2})/.test(pair);
  return new URLSearchParams(text.split('&').filter(isReadable).join('&'));
}

/**
 * The user of the request, if the client may act as that user.
 *
 * @throws {ApiError} 401, 403; 400 for headers that name no user
 */
function admitted({ api, authentication }: RequestsDeps, asked: Asked, response: ServerResponse): User {
  const { request, method, path, query, watching, warnings } = asked;
  try {
    const shown = authentication.userOf(request.headers.authorization, (text) => warnings.push(text));
    const user = isImpersonating(request.headers) ? impersonated(shown, request.headersDistinct, api.access) : shown;
    if (!isMaster(user)) api.access.demand(user, attributesOf(method, path, query, watching));
    return user;
  } catch (error) {
    request.resume(); // the body is not read: drain it, so that the connection can be reused
    setWarnings(response, warnings);
    // The text has words in it that the sender chose.
    if (error instanceof ApiError && error.status.code !== 401) response.setHeader('X-Content-Type-Options', 'nosniff');
    throw error;
  }
}

/** @throws {ApiError} 404 nothing of the kind is served; 413 */
async function toResource(api: Api, asked: Asked, route: Route, user: User): Promise<ResourceRequest> {
  const { request, query, accept, warnings } = asked;
  const resource = resourceOf(api, route);
  if (resource.warning !== undefined) warnings.push(resource.warning);
  return {
    resource,
    namespace: route.namespace,
    name: route.name,
    subresource: route.subresource,
    query,
    accept,
    contentType: request.headers['content-type'] ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    body: await readBody(request),
    user,
    warn: (text) => void warnings.push(text),
  };
}

function watch(
  { api, watches }: RequestsDeps,
  { warnings }: Asked,
  request: ResourceRequest,
  response: ServerResponse,
): void {
  if (!request.resource.verbs.includes('watch')) throw methodNotAllowed();
  if (request.resource.builtin) demandRoutable(request.accept, LISTED);
  const { open } = watchObjects(api, request);
  setWarnings(response, warnings);
  beginStream(response);
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
}
