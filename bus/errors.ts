// The errors of Troupe: one base and a class for each answer to "what now?".
//
// `code` is for programs, `message` for people: lower case, names in quotes, never a secret. An error that crosses
// the bus is data (`ErrorData`); receivers test `code`, never `instanceof`.

/** Reaction that the receiver of an error should choose. */
export const ErrorCode = {
  /** Try again later. */
  Transient: 'transient',
  /** The user must change the spec. */
  Terminal: 'terminal',
  /** The thing is not there. */
  Absent: 'absent',
  /** Another writer was first; read and decide again. */
  Conflict: 'conflict',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** Cause of a retried failure for which a person may have to act. */
export const Fault = {
  /** The credentials, or where they are kept. */
  Credentials: 'credentials',
  /** No response, or none at that address. */
  Unreachable: 'unreachable',
  /** The spec was rejected as it is. */
  Spec: 'spec',
  /** There is no room for what it asks for. */
  Quota: 'quota',
} as const;
export type Fault = (typeof Fault)[keyof typeof Fault];

const FAULTS: ReadonlySet<unknown> = new Set(Object.values(Fault));

/**
 * Maximum accepted pause, in milliseconds: a longer request may be a mistake, and waiting work must continue at some
 * time.
 */
const LONGEST_PAUSE_MS = 600_000;

/** Pause requested by another system, up to the limit. */
export function boundedPauseMs(askedMs: number): number {
  // mutant: retry-after-a-year ()#3 -> askedMs
  return Number.isNaN(askedMs) ? 0 : Math.max(0, Math.min(askedMs, LONGEST_PAUSE_MS));
}

/** An error as it travels between processes. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  /** Least wait before another try, in milliseconds, when the other side said. */
  readonly retryAfterMs?: number;
  /** Time until which the request may still take effect, in milliseconds since the epoch, if it had no response. */
  readonly inDoubtUntil?: number;
  /** A reason for people, conditions and counts, CamelCase, where the contract of a kind names one. */
  readonly reason?: string;
  readonly fault?: Fault;
  /** Nothing failed: what was asked for needs something that is not there yet. */
  readonly waiting?: true;
  /** With `terminal`: no change of the spec helps, but the state in the external system may change. */
  readonly passing?: true;
  /** The request was not sent: there was no turn for it in time. It says nothing of what was asked about. */
  readonly unsent?: true;
  /** In a response: the server does not know the outcome. */
  readonly outcomeUnknown?: true;
}

/** Base of all errors of Troupe. `code` is the reaction, `message` is for users and contains no secret. */
export class TroupeError extends Error {
  override name = 'TroupeError';
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/** The request may succeed later: it is retried with backoff. */
export class TransientError extends TroupeError {
  override name = 'TransientError';
  /** Least wait before another try, in milliseconds, when the other side said: ten minutes at most, whatever it said. */
  readonly retryAfterMs: number | undefined;
  /** Time until which the request may still take effect, in milliseconds since the epoch, if it had no response. */
  readonly inDoubtUntil: number | undefined;
  readonly fault: Fault | undefined;
  /** Reason in CamelCase, if callers distinguish it. */
  readonly reason: string | undefined;
  constructor(message: string, options: TransientErrorOptions = {}) {
    super(ErrorCode.Transient, message, options);
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs === undefined ? undefined : boundedPauseMs(options.retryAfterMs);
    this.inDoubtUntil = options.inDoubtUntil;
    this.fault = options.fault;
  }
}

export interface TransientErrorOptions extends ErrorOptions {
  retryAfterMs?: number | undefined;
  inDoubtUntil?: number | undefined;
  fault?: Fault | undefined;
  reason?: string | undefined;
}

/** The request was sent, and had no response: it may still take effect. */
export class UnknownOutcomeError extends TransientError {
  override name = 'UnknownOutcomeError';
}

/** The request was not sent: there was no turn for it in time. It says nothing of what was asked about. */
export class UnsentError extends TransientError {
  override name = 'UnsentError';
}

/** The request lacks a prerequisite, and was not started: its message names the prerequisite. */
export class WaitingError extends TransientError {
  override name = 'WaitingError';
}

/** The request is invalid: nothing is tried until the spec changes. */
export class TerminalError extends TroupeError {
  override name = 'TerminalError';
  /** CamelCase, shown in conditions; `InvalidConfiguration` unless said otherwise. */
  readonly reason: string;
  /** No change of the spec helps, but the state in the external system may change: it is polled again. */
  readonly passing: boolean;
  constructor(message: string, options: ErrorOptions & { reason?: string; passing?: boolean } = {}) {
    super(ErrorCode.Terminal, message, options);
    this.reason = options.reason ?? 'InvalidConfiguration';
    this.passing = options.passing === true;
  }
}

/** The thing does not exist: an HTTP 404. */
export class AbsentError extends TroupeError {
  override name = 'AbsentError';
  constructor(message: string, options: ErrorOptions = {}) {
    super(ErrorCode.Absent, message, options);
  }
}

/** Another writer was faster: read again and decide again. */
export class ConflictError extends TroupeError {
  override name = 'ConflictError';
  constructor(message: string, options: ErrorOptions = {}) {
    super(ErrorCode.Conflict, message, options);
  }
}

/** The error as data. Whatever is not a `TroupeError` is a defect or an accident of the system: transient. */
export function toErrorData(error: unknown): ErrorData {
  if (!(error instanceof TroupeError)) {
    return { code: ErrorCode.Transient, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message } = error;
  if (code === ErrorCode.Transient) {
    const { retryAfterMs, inDoubtUntil, fault, reason } = error as { readonly [Member in keyof ErrorData]?: unknown };
    return {
      code,
      message,
      ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
      ...(typeof inDoubtUntil === 'number' && { inDoubtUntil }),
      ...(isFault(fault) && { fault }),
      ...(typeof reason === 'string' && { reason }),
      ...(error instanceof WaitingError && { waiting: true }),
      ...(error instanceof UnsentError && { unsent: true }),
    };
  }
  if (!(error instanceof TerminalError)) return { code, message };
  return { code, message, reason: error.reason, ...(error.passing && { passing: true }) };
}

/** The same for the caller: includes whether the error leaves the outcome unknown. */
export function toAnswerData(error: unknown): ErrorData {
  const isProof = error instanceof TroupeError && !(error instanceof UnknownOutcomeError);
  // mutant: proof-lost-between-processes {}.2 drop
  return { ...toErrorData(error), ...(!isProof && { outcomeUnknown: true }) };
}

/** The inverse of `toErrorData` and `toAnswerData`, for an error that came over the bus. */
export function fromErrorData(data: ErrorData): TroupeError {
  const { code, message, retryAfterMs, inDoubtUntil, reason, waiting, passing, unsent, outcomeUnknown } = data;
  // Another version may know others.
  const fault = isFault(data.fault) ? data.fault : undefined;
  switch (code) {
    case ErrorCode.Transient:
      if (waiting === true) return new WaitingError(message, { retryAfterMs, inDoubtUntil, fault, reason });
      if (unsent === true) return new UnsentError(message, { retryAfterMs, inDoubtUntil, fault, reason });
      if (outcomeUnknown === true)
        return new UnknownOutcomeError(message, { retryAfterMs, inDoubtUntil, fault, reason });
      return new TransientError(message, { retryAfterMs, inDoubtUntil, fault, reason });
    case ErrorCode.Terminal:
      return new TerminalError(message, { ...(reason !== undefined && { reason }), passing: passing === true });
    case ErrorCode.Absent:
      return new AbsentError(message);
    case ErrorCode.Conflict:
      return new ConflictError(message);
  }
}

function isFault(value: unknown): value is Fault {
  return FAULTS.has(value);
}
