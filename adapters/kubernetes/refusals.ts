// Refusals of a Kubernetes API server: an error class for each answer to "what now?".
import type { JsonObject } from '../../bus/bus.ts';
import {
  AbsentError,
  ConflictError,
  TerminalError,
  TransientError,
  toErrorData,
  UnknownOutcomeError,
} from '../../bus/errors.ts';
import { isProof } from './absence.ts';

/** 410: the requested version or page is no longer kept. It says nothing about the objects: list again. */
export class ExpiredError extends TransientError {
  override name = 'ExpiredError';
}

/** An answer of more bytes than were asked for. */
export class TooLargeError extends TransientError {
  override name = 'TooLargeError';
}

/** 403. Permissions may change at any time, so a retry may succeed. */
export class ForbiddenError extends TransientError {
  override name = 'ForbiddenError';
  /** Nothing new may be made in the namespace, as it is being deleted. */
  readonly isTerminating: boolean;
  constructor(message: string, { isTerminating }: { readonly isTerminating: boolean }) {
    super(message);
    this.isTerminating = isTerminating;
  }
}

/** 422: what of the object is wrong, field by field. */
export class InvalidError extends TerminalError {
  override name = 'InvalidError';
  readonly causes: readonly Cause[];
  constructor(message: string, causes: readonly Cause[]) {
    super(message);
    this.causes = causes;
  }
}

/** One thing that is wrong with an object. */
export interface Cause {
  /** `spec.nodes.compute`. */
  readonly field: string;
  readonly message: string;
}

/** The cause that the server names when it refuses new content of a namespace that is being deleted. */
const TERMINATING = 'NamespaceTerminating';

/**
 * Meaning of a response with a status of 400 or more; an ambiguous 404 is transient.
 *
 * @param request.path  without a query
 * @param retryAfter  pause that the server requests, in milliseconds
 */
export function refusalOf(
  status: number,
  body: JsonObject | undefined,
  { method, path }: { readonly method: string; readonly path: string },
  retryAfter?: number | undefined,
): Error {
  const message = `${method} ${path}: ${typeof body?.['message'] === 'string' ? body['message'] : `HTTP ${status}`}`;
  // mutant: patch-test-no-conflict && -> false
  const isPatchTest = status === 422 && body?.['details'] === undefined && /test/i.test(message);
  // mutant: any-404-is-absence && -> $1
  if (status === 404 && isProof(body, path)) return new AbsentError(message);
  if (status === 409 || isPatchTest) return new ConflictError(message);
  // mutant: expired-is-absent new.0 -> AbsentError
  if (status === 410) return new ExpiredError(message);
  if (status === 422) return new InvalidError(message, causesIn(body));
  if ([400, 405, 406, 413, 415].includes(status)) return new TerminalError(message);
  if (status === 403) {
    const { causes = [] } = (body?.['details'] ?? {}) as { readonly causes?: readonly { readonly reason?: string }[] };
    // mutant: terminating-namespace : -> false
    return new ForbiddenError(message, { isTerminating: causes.some((cause) => cause.reason === TERMINATING) });
  }
  const Failure = status >= 500 ? failureOf(method) : TransientError;
  // mutant: retry-after-ignored {} -> {}
  return new Failure(message, { retryAfterMs: retryAfter });
}

/** Outcome of a failed request, as metrics count it: the code of its error, or which answer it was that a later try may change. */
export function outcomeOf(error: unknown): string {
  if (error instanceof ForbiddenError) return 'forbidden';
  if (error instanceof ExpiredError) return 'expired';
  return error instanceof TooLargeError ? 'too_large' : toErrorData(error).code;
}

/** Class of the error for a request that may have reached the server: a write may have had its effect. */
export function failureOf(method: string): typeof TransientError {
  // mutant: kube-write-unanswered ?: -> $2
  return method === 'GET' || method === 'watch' ? TransientError : UnknownOutcomeError;
}

function causesIn(body: JsonObject | undefined): readonly Cause[] {
  const { causes = [] } = (body?.['details'] ?? {}) as { readonly causes?: readonly Partial<Cause>[] };
  return causes.map(({ field = '', message = '' }) => ({ field, message }));
}
