// Translation of the NATS client's errors into ours.
import {
  AuthorizationError,
  ConnectionError,
  InvalidArgumentError,
  PermissionViolationError,
  TimeoutError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';
import { ErrorCode, TerminalError, TransientError, TroupeError } from './errors.ts';

/** The subject has no listener: a stream or a service does not exist. */
export class NoResponderError extends TransientError {
  override name = 'NoResponderError';
}

/** Error of a request that the client or the server refused. */
export function requestError(error: unknown, subject: string): Error {
  const options = { cause: error };
  // Among the arguments used here, only the payload can be invalid.
  if (error instanceof InvalidArgumentError)
    return new TerminalError(
      `'${subject}' was not sent: it is larger than max_payload of nats; raise that: 4 MiB hold any object`,
      options,
    );
  if (error instanceof PermissionViolationError) {
    return new TransientError(`nats does not let us ask '${subject}', or hear the answer`, options);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new TransientError(`'${subject}' was not sent: ${reason}`, options);
}

/** Message of the client about a server without TLS, which has no class of its own. */
const NO_TLS = "server does not support 'tls'";
/** The server closed the connection without a message. */
const SHUT = Symbol('shut');

/** Error of the first attempt to connect: cause, address and action. */
export function connectError(error: unknown, place: string): TroupeError {
  if (error instanceof TroupeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const say = (why: string, todo: string, kind: ErrorCode): TroupeError =>
    new TroupeError(kind, `cannot connect to nats at ${place}: ${why}; ${todo}`, { cause: error });
  if (error instanceof TimeoutError) {
    return say('no answer', 'check the address and that no firewall is in between', ErrorCode.Transient);
  }
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return say('it refuses us', 'check user and password, the credentials or the seed', ErrorCode.Terminal);
  }
  if (error instanceof ConnectionError && message === NO_TLS) {
    const todo = 'use tls:// with its authority, or nats://';
    return say('one side wants TLS and the other does not', todo, ErrorCode.Terminal);
  }
  switch (error instanceof ConnectionError && error.cause === undefined ? SHUT : systemCode(error)) {
    case 'ECONNREFUSED':
    case SHUT:
      return say('connection refused', 'check that it runs there, or give another address', ErrorCode.Transient);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return say('the host is not known', 'check the address', ErrorCode.Transient);
    case 'ENOENT':
    case 'EACCES':
      return say(message, 'check the files of certificates and credentials', ErrorCode.Terminal);
    default:
      return say(message, 'check the address, and the authority if it speaks TLS', ErrorCode.Transient);
  }
}

/** Error code of the operating system, which the client may have wrapped. */
function systemCode(error: unknown): unknown {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code ?? (cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined);
}
