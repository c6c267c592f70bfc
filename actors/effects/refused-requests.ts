// Requests for operations that were refused: counted, and told of now and then.
import type { Logger } from 'pino';
import type { Clock } from '../../bus/mod.ts';
import { SparseWarning } from '../telling/sparse-warning.ts';
import { type AdmissionDeps, Refusal } from './admission.ts';

/** One that was refused. */
export interface RefusedRecord {
  readonly realm: string;
  readonly operation: string;
  readonly reason: Refusal;
}

export interface RefusedRequestsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRefused: (record: RefusedRecord) => void;
}

export class RefusedRequests {
  readonly #deps: RefusedRequestsDeps;
  readonly #warning: SparseWarning;

  constructor(deps: RefusedRequestsDeps) {
    this.#deps = deps;
    this.#warning = new SparseWarning('a request on the bus is not what its object asks for, and is refused', deps);
  }

  /** Hears of those to an adapter. */
  of(realm: string): AdmissionDeps['onRefused'] {
    return ({ kind: { plural }, operation, refusal, asked }) => {
      const { log, onRefused } = this.#deps;
      onRefused({ realm, operation, reason: refusal });
      const fields = { realm, plural, operation, reason: refusal, namespace: asked?.namespace, name: asked?.name };
      // Who asks may not have heard of an edit yet: that is the way of things.
      if (refusal === Refusal.Outdated) log.debug(fields, 'a request on the bus came after its object was changed');
      else this.#warning.tell(fields);
    };
  }
}
