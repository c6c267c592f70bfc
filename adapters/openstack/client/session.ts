// A session with one cloud: a token, its catalog, and calls to the services in it.
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorCode, TroupeError } from '../../../bus/errors.ts';
import type { Extent } from '../../http/response.ts';
import type { Stream } from '../../http/transport.ts';

/** One HTTP call to a service of the cloud. */
export interface Call {
  /** Catalog type: `network`, `identity`. */
  readonly service: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's endpoint and its version: `/networks/<id>`. */
  readonly path: string;
  /** Query parameters in order; a key may occur several times. */
  readonly query?: readonly (readonly [key: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonObject[];
  /** Texts in the body that no error may quote. */
  readonly secrets?: readonly string[];
  /**
   * Stream that is sent in place of a body. The call must start by its deadline, and continues until `stream.signal` is
   * aborted.
   */
  readonly stream?: Stream;
  /** `page`: the answer is a list, and may be longer than that of one resource. */
  readonly extent?: Extent;
  /** The call is aborted then: milliseconds since the epoch. */
  readonly deadlineAt: number;
  /** Sent as it is, and its trace's id as `X-OpenStack-Request-ID: req-<uuid>`, which every service that takes part logs. */
  readonly traceparent: string;
}

export interface Answer {
  readonly status: number;
  /** `{}` when the answer had no body. */
  readonly body: JsonObject;
  /** Text of the service about a 404, for people. */
  readonly refusal?: string;
}

/**
 * Error response. The caller decides what it means for its operation; an error without interpretation is retried, since
 * its code is `transient`.
 */
export class HttpError extends TroupeError {
  override name = 'HttpError';
  readonly status: number;
  /** Private, since loggers print the members of an error. */
  readonly #body: JsonObject;
  /** Least wait before another try, in milliseconds, when the service said. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    options: ErrorOptions & { status: number; body: JsonObject; retryAfterMs?: number | undefined },
  ) {
    super(ErrorCode.Transient, message, options);
    this.status = options.status;
    this.#body = options.body;
    this.retryAfterMs = options.retryAfterMs;
  }
  /** Body of the error response; `{}` if it has none. */
  get body(): JsonObject {
    return this.#body;
  }
}

export interface Session {
  /**
   * Sends one call: waits for a free slot of the cloud, adds the token, authenticates once more on 401.
   *
   * @returns any answer from 200 to 299, and 404 if the service itself says so in JSON
   * @throws {HttpError} any other status from 400; `status` and `body` tell which
   * @throws {TransientError} no connection, no answer by the deadline, an answer that is not a JSON object, a redirection
   */
  call(call: Call): Promise<Answer>;
  /**
   * All pages of a list. `key` is the member that holds it.
   *
   * @throws as `call`, and {HttpError} on 404; {OversizeError} more than a list may be; {TransientError} when `key` holds no list of objects
   */
  list(call: Omit<Call, 'method' | 'body'>, key: string): Promise<readonly JsonObject[]>;
  /** Id of the user that the credentials are of. @throws {TransientError} as `call`; the cloud does not tell */
  userId(call: Pick<Call, 'deadlineAt' | 'traceparent'>): Promise<string>;
}

/** Gives sessions to operations; one session for all objects of a namespace with the same credentials. */
export interface Sessions {
  /**
   * The session for the credentials that an object names.
   *
   * @param ref  `spec.cloudCredentialsRef`
   * @param version  see `OperationRequest.credentialsVersion`
   * @throws {TransientError} with the messages of the contract
   */
  open(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    deadlineAt: number,
  ): Promise<Session>;
  /** Target of the credentials. Only the API server is read. @throws {TransientError} as `open` */
  identify(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    deadlineAt: number,
  ): Promise<Identity>;
}

/** Target of credentials, as they are written. */
export interface Identity {
  /** The URL of the identity service, and the region. */
  readonly cloud: string;
  /** The project in it. */
  readonly scope: string;
  /** The user in it. */
  readonly user: string;
}
