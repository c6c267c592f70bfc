// Metrics: those of Go's gRPC middleware, with its names, and the calls of deprecated parts.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Closing, Guard, Refusal } from './http2/guard.ts';

export interface MethodMetrics {
  /** A request has arrived, decoded. */
  started(): void;
  ended(code: number, durationMs: number): void;
}

/** Metrics of one version of one group. */
export interface PipeMetrics {
  /** A connection was closed by the server. */
  closed(why: Closing): void;
  /** A request was refused before it was whole. */
  refused(why: Refusal): void;
  /** A connection is served whose authority is none. */
  mended(): void;
}

export interface Metrics {
  pipe(group: string, version: string): PipeMetrics;
  /** Reads the open connections and requests from it. */
  watch(guard: Pick<Guard, 'connections' | 'unfinished' | 'heldBytes'>): void;
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
/** Code names by number. Dashboards know them by Go's names. */
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

/** Numbers of one method; prom-client, which looks labels up each time, receives them at each scrape. */
interface Figures {
  readonly labels: Readonly<Record<(typeof METHOD)[number], string>>;
  started: number;
  readonly ended: Map<number, number>;
}

export function serverMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  const methods: Figures[] = [];
  const counter = (name: string, help: string, count: (figures: Figures) => number) =>
    new Counter({
      name,
      help,
      labelNames: METHOD,
      registers,
      collect() {
        this.reset();
        for (const figures of methods) if (figures.started > 0) this.inc(figures.labels, count(figures));
      },
    });
  counter('grpc_server_started_total', 'Calls that have begun.', ({ started }) => started);
  new Counter({
    name: 'grpc_server_handled_total',
    help: 'Calls that have ended, whatever their outcome.',
    labelNames: ['grpc_code', ...METHOD],
    registers,
    collect() {
      this.reset();
      for (const { labels, ended } of methods) {
        for (const [code, count] of ended) this.inc({ grpc_code: GO_CODES[code] ?? `Code(${code})`, ...labels }, count);
      }
    },
  });
  counter('grpc_server_msg_received_total', 'Requests that have arrived.', ({ started }) => started);
  counter('grpc_server_msg_sent_total', 'Responses that have been sent.', ({ ended }) => ended.get(0) ?? 0);
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
  const pipeCounter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['group', 'version', ...labels], registers });
  const closed = pipeCounter('csi_proxy_connections_closed_total', 'Connections that the server closed.', 'reason');
  const refused = pipeCounter('csi_proxy_requests_refused_total', 'Requests refused before they were whole.', 'reason');
  const mended = pipeCounter('csi_proxy_repaired_connections_total', 'Connections served whose authority is none.');
  return {
    pipe(group, version) {
      const labels = { group, version };
      return {
        closed: (reason) => closed.inc({ ...labels, reason }),
        refused: (reason) => refused.inc({ ...labels, reason }),
        mended: () => mended.inc(labels),
      };
    },
    watch(guard) {
      const gauge = (name: string, help: string, value: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value());
          },
        });
      gauge('csi_proxy_connections', 'Connections that are open.', () => guard.connections);
      gauge('csi_proxy_incomplete_requests', 'Requests that are not whole.', () => guard.unfinished);
      gauge('csi_proxy_buffered_request_bytes', 'Of requests that are not answered yet.', () => guard.heldBytes);
    },
    method(service, rpc) {
      const labels = { grpc_method: rpc, grpc_service: service, grpc_type: 'unary' };
      const figures: Figures = { labels, started: 0, ended: new Map() };
      methods.push(figures);
      const took = seconds.labels(labels);
      return {
        started() {
          figures.started += 1;
        },
        ended(code, durationMs) {
          figures.ended.set(code, (figures.ended.get(code) ?? 0) + 1);
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
