// Meaning of an Ironic error response: whether a retry is useful, and when.
//
// Invariants:
//   IRONIC-ERRORS-1. 404 is absence only where Ironic says so of what was asked for.
//   IRONIC-ERRORS-2. No password, token or config drive is in a message.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import {
  AbsentError,
  Fault,
  TerminalError,
  TransientError,
  type TransientErrorOptions,
  type TroupeError,
  UnknownOutcomeError,
} from '../../../bus/errors.ts';
import { hiding, passwordsIn } from '../../http/secrets.ts';
import { GATEWAY_FAILURES, type TransportResponse } from '../../http/transport.ts';
import { wordsOf } from './error-text.ts';
import { SHORT_PACE_MS } from './pace.ts';

/** The node is held, or another has what is asked for: nothing failed, and it is asked again after the short pause. */
export class BusyError extends TransientError {
  override name = 'BusyError';
  constructor(message: string, options: TransientErrorOptions = {}) {
    super(message, { ...options, retryAfterMs: Math.max(options.retryAfterMs ?? 0, SHORT_PACE_MS) });
  }
}

/** Reason of a failed host operation that has its own counter. */
export const ErrorReason = { NotReady: 'ProvisionerNotReady', SecretUnread: 'CredentialsUnread' } as const;

/** Ironic cannot be used now: it does not answer, is too old, has no driver, or does not let us in. */
export class NotReadyError extends TransientError {
  override name = 'NotReadyError';
  constructor(message: string, options: TransientErrorOptions = {}) {
    const retryAfterMs = Math.max(options.retryAfterMs ?? 0, NOT_READY_MS);
    super(message, { ...options, retryAfterMs, reason: ErrorReason.NotReady });
  }
}

/** Pause until an Ironic that is not ready is checked again, in milliseconds. */
const NOT_READY_MS = 30_000;

/** An answer that was no success, as the cause of what it amounts to. */
export class IronicRefusal extends Error {
  override name = 'IronicRefusal';
  readonly status: number;
  /** Text of Ironic's error, without secrets; empty if there is none. */
  readonly detail: string;
  constructor(message: string, { status, detail }: { readonly status: number; readonly detail: string }) {
    super(message);
    this.status = status;
    this.detail = detail;
  }
}

/** The answer that an error of a call is about; undefined: it is about none. */
export function refusalIn(error: unknown): Pick<IronicRefusal, 'status' | 'detail'> | undefined {
  return error instanceof Error && error.cause instanceof IronicRefusal ? error.cause : undefined;
}

/** Description of a failed call for the code that judges the response. */
export interface Refused {
  /** The request in words: no query, no secret. */
  readonly label: string;
  readonly answer: Pick<TransportResponse, 'status' | 'body' | 'retryAfterMs'>;
  readonly requestBody: Json | undefined;
  /** Secrets of the connection. */
  readonly secrets: readonly string[];
}

/** The error that an answer which is no success amounts to. */
export function refusalOf({ label, answer, requestBody, secrets }: Refused): TroupeError {
  const { status, body, retryAfterMs } = answer;
  // mutant: ironic-password-quoted [].2 drop
  const said = wordsOf(body, hiding([...secrets, ...secretsIn(requestBody)]));
  // mutant: ironic-config-drive-told !.1 -> false
  const isTold = said.text !== '' && !(holdsConfigDrive(requestBody) && CONFIG_DRIVE.test(said.text));
  const message = `${label} answered ${status}${isTold ? `: ${said.text}` : ''}`;
  const cause = new IronicRefusal(message, { status, detail: isTold ? said.text : '' });
  if (status >= 200 && status < 300)
    return new UnknownOutcomeError(`${message}, which is no answer to what was done`, { cause });
  if (status < 400) return new TransientError(`${message}: redirections are not followed`, { cause });
  switch (status) {
    case 400:
      return new TerminalError(message, { cause });
    case 401:
    case 403:
      return new TransientError(message, { cause, retryAfterMs, fault: Fault.Credentials });
    case 404:
      // An unknown path does not mean that the resource is absent, whichever server reports it.
      // mutant: ironic-unknown-path ?:.1 -> true
      return said.kind === 'fault'
        ? new AbsentError(message, { cause })
        : new TransientError(`${message}: what answers there is no Ironic, or an older one`, { cause });
    case 409:
      return new BusyError(message, { cause, retryAfterMs });
  }
  if (GATEWAY_FAILURES.has(status))
    return new UnknownOutcomeError(message, { cause, retryAfterMs, fault: Fault.Unreachable });
  return new TransientError(message, { cause, retryAfterMs });
}

/** Prefixes of messages about failures before a response arrived. */
const UNREACHED = /^Ironic does not answer: | failed: | was not answered by its deadline$/;

/** An error of a call that was not answered, with what is in the way. */
export function unreached(error: unknown): unknown {
  if (!(error instanceof TransientError) || !UNREACHED.test(error.message)) return error;
  const { message, retryAfterMs, inDoubtUntil } = error;
  const options = { cause: error, retryAfterMs, inDoubtUntil, fault: Fault.Unreachable };
  return error instanceof UnknownOutcomeError
    ? new UnknownOutcomeError(message, options)
    : new TransientError(message, options);
}

/** Parts of a request that no message may quote. */
const SECRET = /password|secret|token|http_?headers/i;
/** `user:password`, as a registry takes them. */
const PAIR = /^[^:]*:(.+)$/s;

/** Texts in a request's body that are secrets: by the names of what holds them, or as the password of a URL. */
export function secretsIn(body: Json | undefined): readonly string[] {
  const found: string[] = [];
  const visit = (value: Json | undefined, isSecret: boolean): void => {
    if (typeof value === 'string') {
      if (isSecret) found.push(value, ...(PAIR.exec(value)?.slice(1) ?? []));
      else found.push(...passwordsIn([value]));
    } else if (Array.isArray(value)) {
      for (const item of value) visit(item, isSecret);
    } else if (typeof value === 'object' && value !== null) {
      const { op, path } = value as JsonObject;
      const isPatched = op !== undefined && typeof path === 'string' && SECRET.test(path);
      for (const [name, member] of Object.entries(value)) {
        visit(member, isSecret || SECRET.test(name) || (isPatched && name === 'value'));
      }
    }
  };
  visit(body, false);
  return found;
}

/** Words about it may quote it, cut and spelled in ways that nothing would find again. */
const CONFIG_DRIVE = /config ?drive|user_data|meta_data|network_data/i;

function holdsConfigDrive(body: Json | undefined): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'configdrive');
}
