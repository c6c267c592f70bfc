// One request and its answer as the simulated services see them, and the two forms of refusal.

import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { SentReply } from '../http/mod.ts';

export const SimulatedService = {
  Identity: 'identity',
  Network: 'network',
  Compute: 'compute',
  BlockStorage: 'block-storage',
  SharedFileSystem: 'shared-file-system',
  Image: 'image',
} as const;
export type SimulatedService = (typeof SimulatedService)[keyof typeof SimulatedService];

/** The user, from the token. */
export interface TokenRecord {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | undefined;
  /** Has a scope, and thereby roles. */
  readonly scoped: boolean;
  readonly expiresAt: number;
  readonly token: JsonObject;
}

export interface SimulatedRequest {
  readonly service: SimulatedService;
  readonly method: string;
  /** Below the version, without its query: `/networks/<id>`. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `absent`: no body; `broken`: not a JSON object. */
  readonly body: JsonObject | 'absent' | 'broken';
  /** The body, where it is a list. */
  readonly list?: readonly Json[] | undefined;
  /** URL of the service with its version, as links show it. */
  readonly baseUrl: string;
}

export type Reply = SentReply;

/** Thrown by a handler: the answer is an error. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reply: Reply;
  constructor(reply: Reply) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

/** Neutron's form of an error. */
export function neutronRefusal(status: number, type: string, message: string): Refusal {
  return new Refusal({ status, body: { NeutronError: { type, message, detail: '' } } });
}

const FAULTS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
};

/** The form of an error that Cinder and Manila share. */
export function faultRefusal(status: number, message: string): Refusal {
  return new Refusal({ status, body: { [FAULTS[status] ?? 'computeFault']: { code: status, message } } });
}

const KEYSTONE_TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
};

/** Keystone's form of an error. */
export function keystoneRefusal(status: number, message: string): Refusal {
  const body = { error: { code: status, message, title: KEYSTONE_TITLES[status] ?? 'Error' } };
  return new Refusal({ status, body });
}

/** What Keystone answers to methods that a path does not have. */
export const NOT_ALLOWED: Reply = {
  status: 405,
  body: { message: 'The method is not allowed for the requested URL.' },
};

/** Answer to paths that it does not have. */
export const NOT_FOUND_PAGE = `<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
`;

/** What Keystone, and its middleware in other services, answers to a bad or missing token. */
export const UNAUTHENTICATED = 'The request you have made requires authentication.';

/** A value as Python prints it, for messages that quote it. */
export function pythonRepr(value: Json | undefined): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `'${key}': ${pythonRepr(member)}`)
    .join(', ')}}`;
}
