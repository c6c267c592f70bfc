// Faults that a test injects: which requests they hit, and the result of these requests.
import type { Json } from '../../../bus/json.ts';

/** Part of a request by which faults are chosen. */
interface Request {
  /** Name of the service; undefined where a simulator has only one. */
  readonly service?: string;
  readonly method: string;
  /** Path below the version, without its query. */
  readonly path: string;
}

export interface Fault {
  /** All given conditions must hold. Every request matches if there are none. */
  readonly match?: { readonly service?: string; readonly method?: string; readonly path?: RegExp };
  /** Number of requests it hits; 1 by default. */
  readonly times?: number;
  /** Wait before anything else, in milliseconds. */
  readonly delayMs?: number;
  /** Answer with this status; nothing is done for the request. */
  readonly status?: number;
  /** Body of that answer. */
  readonly body?: Json;
  /** Headers of that answer, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request is served, but this text is sent in place of its answer (with `status`: in place of `body`). */
  readonly garbage?: string;
  /** For an upload: the connection ends after this number of bytes of its content. */
  readonly cutAfterBytes?: number;
  /** For an upload: the stored content differs from the sent one. */
  readonly altersContent?: true;
  /** The connection ends before anything is done for the request. */
  readonly dropBeforeWork?: true;
  /** The request is served, and the connection ends before the answer. */
  readonly dropAfterWork?: true;
}

export interface InjectedFault {
  /** Requests hit so far. */
  readonly hits: number;
  remove(): void;
}

interface Armed {
  readonly fault: Fault;
  hits: number;
}

/** The faults of one simulator. Of several that match a request, the oldest hits. */
export class Faults {
  readonly #armed = new Set<Armed>();

  inject(fault: Fault): InjectedFault {
    const armed: Armed = { fault, hits: 0 };
    this.#armed.add(armed);
    return {
      get hits() {
        return armed.hits;
      },
      remove: () => {
        this.#armed.delete(armed);
      },
    };
  }

  clear(): void {
    this.#armed.clear();
  }

  /** The fault that hits this request, which is counted. */
  take(request: Request): Fault | undefined {
    for (const armed of this.#armed) {
      const { match, times = 1 } = armed.fault;
      if (match?.service !== undefined && match.service !== request.service) continue;
      if (match?.method !== undefined && match.method !== request.method) continue;
      if (match?.path !== undefined && !match.path.test(request.path)) continue;
      armed.hits++;
      if (armed.hits >= times) this.#armed.delete(armed);
      return armed.fault;
    }
    return undefined;
  }
}
