// One request to a cloud and what its answer must be like: the tool of `services.suite.ts`.
import * as assert from 'uvu/assert';
import type { Stream } from '../../../adapters/http/transport.ts';
import { HttpError, type Session } from '../../../adapters/openstack/client/session.ts';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { serviceOf } from './service-paths.ts';

/** Longest that one request of a suite may take, in milliseconds. */
const REQUEST_LIMIT_MS = 20_000;

/** A value, a pattern for a text, or of an object as many members as matter. */
export type Like = null | boolean | number | string | RegExp | readonly Like[] | { readonly [key: string]: Like };

/** An error of Neutron's. */
export function neutronError(type: string, message: string | RegExp): Like {
  return { NeutronError: { type, message, detail: '' } };
}

/** An error of Cinder's, or of Manila's. */
export function fault(name: string, code: number, message: string | RegExp): Like {
  return { [name]: { code, message } };
}

/** An error of Keystone's. */
export function keystoneError(code: number, message: string | RegExp): Like {
  return { error: { code, message } };
}

export interface Ask {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonObject[];
  /** Sent as it is, in place of a body. */
  readonly content?: Uint8Array;
}

export interface Cloud {
  /** Begins the names of all that the suite makes, different in every run. */
  readonly prefix: string;
  /** Sends a request; its answer must have this status and be like that. @returns the body */
  expect(request: `${string} /${string}`, ask: Ask, status: number, like?: Like): Promise<JsonObject>;
  /** Makes a thing that goes at the end of the test. @returns it */
  make(collection: string, attributes: JsonObject): Promise<JsonObject>;
  /** Removes what `make` made. */
  clean(): Promise<void>;
}

/** Takes a test of the suite. */
export type Register = (title: string, run: (cloud: Cloud, session: Session, clock: Clock) => Promise<void>) => void;

/** An error of Glance's, as WebOb spells it. */
export function glanceError(message: string | RegExp): Like {
  return { message: typeof message === 'string' ? `${message}<br /><br />\n\n\n` : message };
}

/** The same, where WebOb's own words come first. */
export function glanceDetail(message: string): Like {
  return { message: new RegExp(`^[A-Z][^<]*\\.<br /><br />\\n${message}\\n\\n$`) };
}

/** What a create answers with, of services that do not say 201. */
const MADE: Readonly<Record<string, { readonly singular: string; readonly status: number }>> = {
  volumes: { singular: 'volume', status: 202 },
  types: { singular: 'volume_type', status: 200 },
  'share-networks': { singular: 'share_network', status: 200 },
};

const MOST_LOST = 5;

/**
 * A service that refuses content may close the connection before all of it was sent: the client then loses the answer
 * (RFC 9112, 9.6). Refused content changes nothing, so it is sent again.
 */
async function untilHeard<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let lost = 0; ; lost++) {
    try {
      return await send();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      if ((code !== 'EPIPE' && code !== 'ECONNRESET') || lost === MOST_LOST) throw error;
    }
  }
}

export function probe(session: Session, clock: Clock): Cloud {
  const made: string[] = [];
  const prefix = `simcheck-${Math.floor(clock.random() * 2 ** 32).toString(36)}-`;
  const send = async (
    request: string,
    { query = '', headers, body, content }: Ask,
  ): Promise<{ status: number; body: JsonObject }> => {
    const [method = '', path = ''] = request.split(' ');
    try {
      return await session.call({
        service: serviceOf(path),
        method: method as 'GET',
        path,
        query: [...new URLSearchParams(query)],
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
        ...(content === undefined ? {} : { stream: streamOf(content) }),
        deadlineAt: clock.now() + REQUEST_LIMIT_MS,
        traceparent: `00-${'5'.repeat(32)}-${'5'.repeat(16)}-01`,
      });
    } catch (error) {
      if (error instanceof HttpError) return { status: error.status, body: error.body };
      throw error;
    }
  };
  /** Takes all interfaces off a router. */
  const unplug = async (path: string): Promise<void> => {
    const { body } = await send('GET /ports', { query: `device_id=${path.split('/').at(-1)}&fields=id` });
    for (const { id } of (body['ports'] ?? []) as readonly { readonly id: string }[]) {
      await send(`PUT ${path}/remove_router_interface`, { body: { port_id: id } });
    }
  };
  const cloud: Cloud = {
    prefix,
    async expect(request, ask, status, like) {
      const answer = await (ask.content === undefined ? send(request, ask) : untilHeard(() => send(request, ask)));
      const what = `${request}${ask.query === undefined ? '' : `?${ask.query}`} ${JSON.stringify(ask.body ?? '')}`;
      assert.is(answer.status, status, `${what}: status ${answer.status}, ${JSON.stringify(answer.body)}`);
      if (like !== undefined) mustBeLike(answer.body, like, what);
      return answer.body;
    },
    async make(collection, attributes) {
      const { singular, status } = MADE[collection] ?? {
        singular: collection.slice(0, -1).replaceAll('-', '_'),
        status: 201,
      };
      const isBare = collection === 'images';
      const given = isBare ? attributes : { [singular]: attributes };
      const body = await cloud.expect(`POST /${collection}`, { body: given }, status);
      const item = isBare ? body : (body[singular] as JsonObject);
      made.unshift(`/${collection}/${item['id']}`);
      return item;
    },
    async clean() {
      for (const path of made.splice(0)) {
        if (path.startsWith('/domains')) await send(`PATCH ${path}`, { body: { domain: { enabled: false } } });
        if (path.startsWith('/routers')) await unplug(path);
        await send(`DELETE ${path}`, {});
      }
    },
  };
  return cloud;
}

function streamOf(content: Uint8Array): Stream {
  return {
    contentType: 'application/octet-stream',
    chunks: async function* () {
      yield content;
    },
    signal: new AbortController().signal,
  };
}

/** Lists that Neutron gives in any order. */
const UNORDERED: ReadonlySet<string> = new Set(['allocation_pools', 'allowed_address_pairs', 'fixed_ips']);

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function mustBeLike(actual: Json | undefined, like: Like, what: string): void {
  if (like instanceof RegExp) {
    assert.match(String(actual), like, what);
  } else if (Array.isArray(like)) {
    assert.ok(Array.isArray(actual), `${what}: ${JSON.stringify(actual)} is not a list`);
    assert.is((actual as readonly Json[]).length, like.length, `${what}: ${JSON.stringify(actual)}`);
    for (const [index, each] of (like as readonly Like[]).entries()) {
      mustBeLike((actual as readonly Json[])[index], each, `${what} [${index}]`);
    }
  } else if (typeof like === 'object' && like !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${what}: ${JSON.stringify(actual)} is not an object`);
    for (const [key, each] of Object.entries(like)) {
      const [value, wanted] = [(actual as JsonObject)[key], each as Like].map((side) =>
        UNORDERED.has(key) && Array.isArray(side) ? side.toSorted(byText) : side,
      );
      mustBeLike(value as Json | undefined, wanted as Like, `${what} .${key}`);
    }
  } else {
    assert.equal(actual, like, `${what}: ${JSON.stringify(actual)}`);
  }
}

/** The object has these members and no others. */
export function mustHaveKeys(object: Json | undefined, keys: readonly string[]): void {
  assert.equal(Object.keys(object as JsonObject).sort(), [...keys].sort());
}
