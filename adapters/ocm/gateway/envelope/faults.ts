// An error in a request, as a value that becomes an error of the API.

/** An answer other than success. */
export interface Refusal {
  readonly status: number;
  /** One plain sentence that names the object. */
  readonly reason: string;
  /** Code of an error that the model declares, in place of the status. */
  readonly code?: number;
  readonly details?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown while a request is read; the server answers it with its refusal. */
export class RefusedRequest extends Error {
  override name = 'RefusedRequest';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** @throws {RefusedRequest} always */
export function refuse(status: number, reason: string, more: Omit<Refusal, 'status' | 'reason'> = {}): never {
  throw new RefusedRequest({ status, reason, ...more });
}
