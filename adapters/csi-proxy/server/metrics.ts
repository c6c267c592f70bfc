// What is counted: the figures of Go's gRPC middleware, under its names, and the calls of what is deprecated.
import { Counter, Histogram, Registry } from 'prom-client';

export interface MethodMetrics {
  /** A request has arrived, decoded. */
  started(): void;
  ended(code: number, durationMs: number): void;
}

export interface Metrics {
  /** @param service  with the proto package, such as `v1.Disk` */
  method(service: string, rpc: string): MethodMetrics;
  /** A call of something deprecated. */
  deprecated(group: string, version: string, rpc: string): void;
  /** All figures in the text format of Prometheus. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Seconds. */
const HANDLING_BUCKETS = [0.001, 0.01, 0.1, 0.3, 0.6, 1, 3, 6, 9, 20, 30, 60, 90, 120];
const METHOD = ['grpc_method', 'grpc_service', 'grpc_type'] as const;
/** By number. Dashboards know the codes under the names that Go gives them. */
const GO_CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

export function serverMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames: METHOD, registers });
  const started = counter('grpc_server_started_total', 'Calls that have begun.');
  const handled = new Counter({
    name: 'grpc_server_handled_total',
    help: 'Calls that have ended, whatever their outcome.',
    labelNames: ['grpc_code', ...METHOD],
    registers,
  });
  const received = counter('grpc_server_msg_received_total', 'Requests that have arrived.');
  const sent = counter('grpc_server_msg_sent_total', 'Responses that have been sent.');
  const seconds = new Histogram({
    name: 'grpc_server_handling_seconds',
    help: 'Time from the arrival of a request to its response, in seconds.',
    labelNames: METHOD,
    buckets: HANDLING_BUCKETS,
    registers,
  });
  const deprecated = new Counter({
    name: 'csi_proxy_deprecated_calls_total',
    help: 'Calls of versions and methods that will be removed.',
    labelNames: ['group', 'rpc', 'version'],
    registers,
  });
  return {
    method(service, rpc) {
      const labels = [rpc, service, 'unary'] as const;
      const [begun, arrived, answered, took] = [
        started.labels(...labels),
        received.labels(...labels),
        sent.labels(...labels),
        seconds.labels(...labels),
      ];
      const outcomes = new Map<number, Counter.Internal>();
      return {
        started() {
          begun.inc();
          arrived.inc();
        },
        ended(code, durationMs) {
          let outcome = outcomes.get(code);
          if (outcome === undefined) {
            outcome = handled.labels(GO_CODES[code] ?? `Code(${code})`, ...labels);
            outcomes.set(code, outcome);
          }
          outcome.inc();
          if (code === 0) answered.inc();
          took.observe(durationMs / 1_000);
        },
      };
    },
    deprecated(group, version, rpc) {
      deprecated.inc({ group, rpc, version });
    },
    async text() {
      const text = await register.metrics();
      // All labels of a line in the order of the alphabet: prom-client puts the bound of a bucket first.
      const body = text.replaceAll(/\{(le="[^"]*"),([^}]*)\}/g, '{$2,$1}');
      return { contentType: register.contentType, body };
    },
  };
}
