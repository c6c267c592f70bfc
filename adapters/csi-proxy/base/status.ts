// Error of a call: a gRPC status code and a message.

/** The status codes of gRPC. */
export const Code = {
  Ok: 0,
  Cancelled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

/** As gRPC writes it: `NOT_FOUND`. */
export function codeName(code: Code): string {
  const [name = 'Unknown'] = Object.entries(Code).find(([, other]) => other === code) ?? [];
  return name.replaceAll(/(?<!^)(?=[A-Z])/g, '_').toUpperCase();
}

/** A server ends a call with it; a client's call is rejected with it. `message` goes over the wire as it is. */
export class StatusError extends Error {
  override name = 'StatusError';
  readonly code: Code;
  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/** The outcome of the work is unknown: it may be done, still running, or never have started. */
export class UnknownEndError extends StatusError {}
