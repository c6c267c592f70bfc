// One request and its answer as the simulated Ironic sees them, and its forms of refusal.
import type { Json, JsonObject } from '../../../bus/json.ts';

export interface SimulatedRequest {
  readonly method: string;
  /** Below `/v1`, without its query: `/nodes/<id>`. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Json | undefined;
  /** Why the body cannot be read. */
  readonly unreadable?: string;
  /** Version of the API that is spoken. */
  readonly minor: number;
  /** Without a slash at its end, as links show it. */
  readonly origin: string;
}

export interface Reply {
  readonly status: number;
  readonly body?: Json | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The conductor holds the node: the same may be answered otherwise a moment later. */
  readonly isLocked?: true;
}

/** Thrown by a handler: the answer is an error. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reply: Reply;
  constructor(reply: Reply) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

/** What Ironic itself refuses: a fault, as JSON text in JSON. */
export function refusal(status: number, message: string): Refusal {
  const faultcode = status < 500 ? 'Client' : 'Server';
  const fault = { faultcode, faultstring: message, debuginfo: null };
  return new Refusal({ status, body: { error_message: JSON.stringify(fault) } });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
};

/** Requests that its web framework refuses before any handler sees them. */
export function frameworkRefusal(status: number, description = ''): Refusal {
  const fault = { code: status, title: TITLES[status] ?? 'Error', description };
  return new Refusal({ status, body: { error_message: JSON.stringify(fault) } });
}

export function notAcceptable(): Refusal {
  return refusal(406, 'Request not acceptable.');
}

export function locked(uuid: string, host: string): Refusal {
  const message = `Node ${uuid} is locked by host ${host}, please retry after the current operation is completed.`;
  return new Refusal({ ...refusal(409, message).reply, isLocked: true });
}

/** The body's object. @throws what Ironic says of a body that is none */
export function objectOf({ body, unreadable }: SimulatedRequest): JsonObject {
  if (unreadable !== undefined) throw refusal(500, unreadable);
  return asObject(body) ?? {};
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as JsonObject;
}

/** A parameter of a body that has to be there. */
export function mandatory(body: JsonObject, name: string): Json {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) throw refusal(400, `Missing mandatory parameter: ${name}`);
  return value;
}

/** A value as Python prints it, for messages that quote it. */
export function pythonRepr(value: Json | undefined): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value}'`;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => `${pythonRepr(key)}: ${pythonRepr(member)}`);
  return `{${members.join(', ')}}`;
}

export const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
export const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;
