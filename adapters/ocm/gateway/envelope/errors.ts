// Errors as clients parse them.
import type { Version } from '../../model/mod.ts';
import type { Refusal } from './faults.ts';

/** Place of an error; without a version where the path leads to none. */
export interface ErrorPlace {
  readonly service: string | undefined;
  readonly version: string | undefined;
}

export interface ErrorForm {
  readonly place: ErrorPlace;
  readonly operationId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Beginnings of codes by service, where they are not the service's name. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/** Prefix of the account service's error codes. */
export const PREFIXES: Readonly<Record<string, string>> = { accounts_mgmt: 'ACCT-MGMT' };

/** Errors that every service knows, by status. */
const GENERIC: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The caller is not authenticated',
  403: 'The caller is not allowed to do this',
  404: 'There is no such object or path',
  405: 'The path has no such method',
  408: 'The request did not arrive in time',
  409: 'The request conflicts with the state of the object',
  410: 'The path is served no more',
  413: 'The body of the request is too large',
  415: 'The body of the request is not JSON',
  429: 'There are too many requests',
  431: 'The headers of the request are too large',
  500: 'The server failed',
  501: 'Nothing serves the resource',
  503: 'The server cannot answer now',
};

export function errorBody({ status, code, reason, details }: Refusal, form: ErrorForm): object {
  // mutant: gateway-error-number () -> Number(code ?? status)
  const id = String(code ?? status);
  const { place, operationId, at, prefixes } = form;
  return {
    kind: 'Error',
    id,
    href: `${urlOf(place)}/errors/${id}`,
    code: `${prefixOf(place.service, prefixes)}-${id}`,
    reason,
    operation_id: operationId,
    timestamp: new Date(at).toISOString(),
    ...(details !== undefined && { details }),
  };
}

/** The errors that a version can answer with, by identifier: the model's own and those of HTTP. */
export function knownErrors(version: Version, prefixes: ErrorForm['prefixes']): object[] {
  const service = version.service.name.snake;
  const entry = (code: number, reason: string): object => ({
    kind: 'Error',
    id: String(code),
    href: `${version.url}/errors/${code}`,
    code: `${prefixOf(service, prefixes)}-${code}`,
    reason,
  });
  const own = version.errors.map(({ code, documentation, name }) => entry(code, documentation || name.camel));
  const codes = new Set(version.errors.map(({ code }) => code));
  const generic = Object.entries(GENERIC).filter(([status]) => !codes.has(Number(status)));
  // mutant: gateway-own-errors ...#2 drop
  return [...generic.map(([status, reason]) => entry(Number(status), reason)), ...own];
}

function urlOf({ service, version }: ErrorPlace): string {
  return ['/api', service, version].filter((each) => each !== undefined).join('/');
}

function prefixOf(service: string | undefined, prefixes: ErrorForm['prefixes']): string {
  // mutant: gateway-error-prefix if -> true
  if (service === undefined) return 'API';
  return (
    (Object.hasOwn(prefixes, service) ? prefixes[service] : undefined) ?? service.toUpperCase().replaceAll('_', '-')
  );
}
