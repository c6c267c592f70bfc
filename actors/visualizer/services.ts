// Health of external systems, from their recent answers to calls.
import type { ReceivedEvent } from '../../bus/mod.ts';
import type { ServiceView } from './wire.ts';

/** Time that an answer counts, in milliseconds, and the resolution of that. */
const LATELY_MS = 300_000;
const SPAN_MS = 10_000;
/** Number of columns in which it is shown. */
const COLUMNS = 30;
/** Number of systems that are distinguished. */
const SERVICES = 200;

interface Span {
  readonly beganAt: number;
  calls: number;
  failed: number;
}

interface Service {
  spans: Span[];
  /** Code of the last failure. */
  last: string;
  at: number;
}

export class ServiceAnswers {
  readonly #services = new Map<string, Service>();

  /** Takes an event `call`. */
  take({ data, at }: ReceivedEvent): void {
    const { service: name, status } = data;
    if (typeof name !== 'string') return;
    const service = this.#services.get(name) ?? { spans: [], last: '', at: 0 };
    if (!this.#services.has(name)) {
      if (this.#services.size >= SERVICES) return;
      this.#services.set(name, service);
    }
    let span = service.spans.at(-1);
    if (span === undefined || at >= span.beganAt + SPAN_MS) {
      span = { beganAt: at, calls: 0, failed: 0 };
      service.spans = [...service.spans.filter(({ beganAt }) => beganAt > at - LATELY_MS), span];
    }
    span.calls += 1;
    if (!isBad(status)) return;
    span.failed += 1;
    service.last = typeof status === 'number' ? `${status}` : 'no answer';
    service.at = at;
  }

  /** Systems that were called recently, the ones that failed first. */
  lately(now: number): readonly ServiceView[] {
    const from = now - LATELY_MS;
    const views = [...this.#services].flatMap(([service, { spans, last, at }]): ServiceView[] => {
      const columns = Array.from({ length: COLUMNS }, () => ({ calls: 0, failed: 0 }));
      for (const { beganAt, calls, failed } of spans) {
        const column = columns[Math.min(COLUMNS - 1, Math.floor(((beganAt - from) / LATELY_MS) * COLUMNS))];
        if (column === undefined || beganAt <= from) continue;
        column.calls += calls;
        column.failed += failed;
      }
      const [calls, failed] = [sum(columns.map((each) => each.calls)), sum(columns.map((each) => each.failed))];
      return calls === 0 ? [] : [{ service, calls, failed, last: failed === 0 ? '' : last, at, spans: columns }];
    });
    return views.sort((one, other) => other.failed - one.failed || other.calls - one.calls);
  }
}

/** A problem of the system, its limits or the credentials, not of a single request. */
function isBad(status: unknown): boolean {
  return typeof status !== 'number' || status >= 500 || [401, 403, 429].includes(status);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
