// Authentication of requests.
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../store/store.ts';

export interface AuthRequest {
  readonly headers: IncomingHttpHeaders;
}

export interface Authenticator {
  /** @throws {Unauthenticated} */
  authenticate(request: AuthRequest): Promise<Caller>;
}

/** A request whose sender is not known. `status` 403: a known sender that may not do this at all. */
export class Unauthenticated extends Error {
  override name = 'Unauthenticated';
  readonly status: 401 | 403;

  constructor(reason: string, status: 401 | 403 = 401) {
    super(reason);
    this.status = status;
  }
}

export const ANONYMOUS: Caller = { name: '', groups: [] };

export interface Credentials {
  /** In lower case. */
  readonly scheme: string;
  readonly value: string;
}

/** @throws {Unauthenticated} there is no such header, or it is malformed */
export function credentialsOf({ headers }: AuthRequest): Credentials {
  const { authorization } = headers;
  if (authorization === undefined || authorization === '') {
    throw new Unauthenticated("Request doesn't contain the 'Authorization' header");
  }
  const [, scheme, value] = /^(\S+)\s+(\S.*)$/.exec(authorization) ?? [];
  if (scheme === undefined || value === undefined) {
    throw new Unauthenticated("The 'Authorization' header is malformed");
  }
  return { scheme: scheme.toLowerCase(), value: value.trimEnd() };
}
