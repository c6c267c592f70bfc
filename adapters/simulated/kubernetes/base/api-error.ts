// The failures of the API as `Status` objects, with the reasons, codes and wording of a real API server.
import { aggregate, type FieldError } from './field-error.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Group and plural, or group and kind: what a message is about. */
export interface Subject {
  readonly group: string;
  readonly name: string;
}

/** Thrown anywhere below a request; the server answers with `status`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: Status & { readonly code: number };
  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    metadata: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** `images.openstack.k-orc.cloud`, or `secrets` in the core group. */
export function qualified({ group, name }: Subject): string {
  return group === '' ? name : `${name}.${group}`;
}

function detailsOf(subject: Subject, name: string, more: StatusDetails = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    ...(subject.name === '' ? {} : { kind: subject.name }),
    ...more,
  };
}

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const forbiddenError = (
  subject: Subject,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiError =>
  new ApiError(
    403,
    'Forbidden',
    name === '' ? `${qualified(subject)} is forbidden: ${why}` : `${qualified(subject)} "${name}" is forbidden: ${why}`,
    detailsOf(subject, name, causes === undefined ? {} : { causes }),
  );

/** In quotes, control characters by their number. */
const quotedName = (name: string): string => JSON.stringify(name).replaceAll(/\\u00([01][0-9a-f])/g, '\\x$1');

export const notFound = (subject: Subject, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(subject)} ${quotedName(name)} not found`, detailsOf(subject, name));

/** The answer to a path that nothing serves. */
export const unknownPath = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

/** Thrown where the API server answers with text instead of a `Status`. */
export class PlainAnswer extends Error {
  override name = 'PlainAnswer';
  readonly code: number;
  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** The answer to a path that no API at all is behind. */
export const pageNotFound = (): PlainAnswer => new PlainAnswer(404, '404 page not found\n');

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const notSupportedOn = (subject: Subject, action: string): ApiError =>
  new ApiError(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind "${qualified(subject)}"`,
    detailsOf(subject, ''),
  );

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  unanswerable(`only the following media types are accepted: ${accepted.join(', ')}`);

/** The requested form of the answer is not available. */
export const unanswerable = (why: string): ApiError => new ApiError(406, 'NotAcceptable', why);

export const notAcceptableByRouter = (produced: readonly string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`, {});

export const alreadyExists = (subject: Subject, name: string, isGoing: boolean): ApiError => {
  const message = `${qualified(subject)} "${name}" already exists`;
  const said = isGoing ? `object is being deleted: ${message}` : message;
  return new ApiError(409, 'AlreadyExists', said, detailsOf(subject, name));
};

export const conflict = (subject: Subject, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`,
    detailsOf(subject, name),
  );

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const applyConflict = (message: string, causes: readonly StatusCause[]): ApiError =>
  new ApiError(409, 'Conflict', message, { causes });

/** @param metadata  of the Status: how a list may continue nevertheless */
export const expired = (message: string, metadata: Readonly<Record<string, unknown>> = {}): ApiError =>
  new ApiError(410, 'Expired', message, undefined, metadata);

export const tooLarge = (message: string): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** A refusal that comes before the request reaches its resource. */
export const routeRefusal = (code: 406 | 415, why: string): ApiError =>
  new ApiError(code, code === 406 ? 'NotAcceptable' : 'UnsupportedMediaType', `${code}: ${why}`, {});

export const invalid = (kind: Subject, name: string, errors: readonly FieldError[]): ApiError =>
  new ApiError(
    422,
    'Invalid',
    `${qualified(kind)} ${JSON.stringify(name)} is invalid: ${aggregate(errors)}`,
    detailsOf(kind, name, {
      causes: errors.map(({ type, body, field }) => ({ reason: type, message: body, field })),
    }),
  );

/** A patch that does not fit the object: a failed `test`, a path that is not there. The API server does not say which. */
export const unprocessable = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** A failure without a reason of its own: what the API server answers to plain errors of its own code. */
export const plainFailure = (message: string): ApiError => new ApiError(500, '', message);

export const internalError = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

export const tooLargeRevision = (asked: number, current: number): ApiError =>
  new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** A request that took too long. */
export const timeout = (): ApiError =>
  new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
