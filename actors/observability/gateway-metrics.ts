// Metrics of a served model.
import { Counter, Histogram, Registry } from 'prom-client';

/** One answer. */
export interface AnsweredCall {
  readonly service: string | undefined;
  readonly verb: string;
  readonly status: number;
  readonly seconds: number;
}

export interface GatewayMetrics {
  onAnswered(call: AnsweredCall): void;
  /** All figures in the text format of Prometheus. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Seconds. Objects come from memory; a write waits for its store. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const NONE = 'none';

/** The metrics alone, for processes that serve nothing else. */
export function gatewayMetrics(): GatewayMetrics {
  const register = new Registry();
  return {
    ...answeredMetrics({ registers: [register] }),
    text: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  };
}

export function answeredMetrics({ registers }: { readonly registers: Registry[] }): Pick<GatewayMetrics, 'onAnswered'> {
  const requests = new Counter({
    name: 'troupe_api_requests_total',
    help: 'Requests to served models, by service, HTTP method and status code.',
    labelNames: ['service', 'method', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'troupe_api_request_duration_seconds',
    help: 'Time from a request to a served model to its answer.',
    labelNames: ['service', 'method'],
    buckets: BUCKETS,
    registers,
  });
  return {
    onAnswered({ service = NONE, verb, status, seconds: took }) {
      requests.inc({ service, method: verb, code: String(status) });
      seconds.observe({ service, method: verb }, took);
    },
  };
}
