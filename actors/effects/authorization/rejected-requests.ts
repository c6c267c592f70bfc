// Rejected requests for operations: counted, and logged at a limited rate.
import type { Logger } from 'pino';
import type { Clock } from '../../../bus/mod.ts';
import { RateLimitedWarning } from '../../base/rate-limited-warning.ts';
import { type AdmissionDeps, RejectionReason } from './request-authorizer.ts';

/** One that was refused. */
export interface RefusedRecord {
  readonly realm: string;
  readonly operation: string;
  readonly reason: RejectionReason;
}

export interface RefusedRequestsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRejected: (record: RefusedRecord) => void;
}

export class RejectedRequests {
  readonly #deps: RefusedRequestsDeps;
  readonly #warning: RateLimitedWarning;

  constructor(deps: RefusedRequestsDeps) {
    this.#deps = deps;
    this.#warning = new RateLimitedWarning(
      'a request on the bus is not what its object asks for, and is refused',
      deps,
    );
  }

  /** Callback for the requests to an adapter. */
  of(realm: string): AdmissionDeps['onRejected'] {
    return ({ kind: { plural }, operation, refusal, asked }) => {
      const { log, onRejected } = this.#deps;
      onRejected({ realm, operation, reason: refusal });
      const fields = { realm, plural, operation, reason: refusal, namespace: asked?.namespace, name: asked?.name };
      // A caller may not have received an edit yet: that is normal.
      if (refusal === RejectionReason.Outdated)
        log.debug(fields, 'a request on the bus came after its object was changed');
      else this.#warning.report(fields);
    };
  }
}
