// What is counted, under Prometheus names.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallRecord } from '../../adapters/adapter.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Trace, toErrorData } from '../../bus/mod.ts';
import type { RefusedRecord } from '../effects/refused-requests.ts';
import { QUARANTINED } from '../object/charts.ts';

/** Where objects live. */
export interface Populated {
  /** How many objects live here, by state. */
  census(): ReadonlyMap<string, number>;
  /** How many messages of the mail could not be understood. */
  readonly refusedMail: number;
}

export interface Metrics {
  /** Notes a call to a cloud. */
  onCall(record: CallRecord): void;
  /** Notes that users were told of an object. @param reason  one of a few, CamelCase */
  onNews(kind: string, reason: string): void;
  /** Notes a request for an operation that was refused. */
  onRefused(record: RefusedRecord): void;
  /** The same trace; transitions are counted. */
  traced(trace: Trace): Trace;
  /** The same client; requests are counted. */
  counted(client: KubeClient): KubeClient;
  /** Counts the objects that live there, whenever somebody asks. */
  follow(populated: Populated): void;
  /** All figures in the text format of Prometheus. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Seconds. A cloud answers in milliseconds when it reads, in minutes when it builds. */
const DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function metrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  const transitions = new Counter({
    name: 'troupe_transitions_total',
    help: 'Changes of state of objects, by kind and by the state that was entered.',
    labelNames: ['realm', 'plural', 'to'],
    registers,
  });
  const failures = new Counter({
    name: 'troupe_failures_total',
    help: 'Attempts for objects that failed, by kind and by what is in the way.',
    labelNames: ['realm', 'plural', 'reason'],
    registers,
  });
  const news = new Counter({
    name: 'troupe_news_total',
    help: 'What users were told of objects, by kind and reason: Drifted, Outdated, Vanished, Failed and others.',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const cloudCalls = new Counter({
    name: 'troupe_cloud_requests_total',
    help: 'Requests to clouds, by service, method and status code; code 0 is no answer.',
    labelNames: ['service', 'method', 'code'],
    registers,
  });
  const cloudSeconds = new Histogram({
    name: 'troupe_cloud_request_duration_seconds',
    help: 'Time that clouds took to answer.',
    labelNames: ['service', 'method'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const kubernetesCalls = new Counter({
    name: 'troupe_kubernetes_requests_total',
    help: 'Requests to the API server, by method and outcome.',
    labelNames: ['method', 'outcome'],
    registers,
  });
  const refusedRequests = new Counter({
    name: 'troupe_refused_requests_total',
    help: 'Requests for operations on the bus that are not what their objects ask for, by the reason.',
    labelNames: ['realm', 'operation', 'reason'],
    registers,
  });
  let populated: Populated | undefined;
  new Gauge({
    name: 'troupe_objects',
    help: 'Objects that live in this process, by the state they are in.',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const [state, count] of populated?.census() ?? []) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'troupe_quarantined_objects',
    help: 'Objects in this process that are stopped, since the code that serves them failed.',
    registers,
    collect() {
      this.set(populated?.census().get(QUARANTINED) ?? 0);
    },
  });
  new Counter({
    name: 'troupe_refused_mail_total',
    help: 'Messages of the mail that could not be understood, and were taken away.',
    registers,
    collect() {
      this.reset();
      this.inc(populated?.refusedMail ?? 0);
    },
  });
  return {
    onCall({ service, method, status, durationMs }) {
      cloudCalls.inc({ service, method, code: String(status ?? 0) });
      cloudSeconds.observe({ service, method }, durationMs / 1_000);
    },
    onNews: (kind, reason) => news.inc({ kind, reason }),
    onRefused({ realm, operation, reason }) {
      refusedRequests.inc({ realm, operation, reason });
    },
    traced: (trace) => ({
      subscribe: (onEvent) => trace.subscribe(onEvent),
      history: (query) => trace.history(query),
      emit(event) {
        const { actor, type, data } = event;
        const { realm, plural } = actor;
        if (type === 'transition') transitions.inc({ realm, plural, to: String(data?.['to'] ?? '') });
        const reason = data?.['failure'];
        if (typeof reason === 'string') failures.inc({ realm, plural, reason });
        trace.emit(event);
      },
    }),
    counted: (client) => ({
      ...client,
      async call(call) {
        try {
          const answer = await client.call(call);
          kubernetesCalls.inc({ method: call.method, outcome: 'done' });
          return answer;
        } catch (error) {
          kubernetesCalls.inc({ method: call.method, outcome: toErrorData(error).code });
          throw error;
        }
      },
      stream(...given) {
        kubernetesCalls.inc({ method: 'WATCH', outcome: 'done' });
        return client.stream(...given);
      },
    }),
    follow(started) {
      populated = started;
    },
    text: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  };
}
