// Metrics under Prometheus names.
import { totalmem } from 'node:os';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallRecord, Metric } from '../../adapters/api/adapter.ts';
import { type KubeClient, outcomeOf, type Resource } from '../../adapters/kubernetes/mod.ts';
import { type Bus, type Clock, type Trace, toErrorData } from '../../bus/mod.ts';
import { type Measurement, Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import type { RefusedRecord } from '../effects/authorization/rejected-requests.ts';
import type { Timed } from '../effects/operations-service.ts';
import { QUARANTINED } from '../object/object-machines.ts';
import { busMetrics } from './bus-metrics.ts';
import { DeclaredMetrics } from './declared-metrics.ts';
import type { DropReason } from './event-recorder.ts';
import { answeredMetrics, type GatewayMetrics } from './gateway-metrics.ts';
import { type HostedObjects, objectGauges } from './object-gauges.ts';
import { StateDurations } from './state-durations.ts';
import { type WebhookMetrics, webhookMetrics } from './webhook-metrics.ts';

/** Metrics that a runtime records. */
export interface RuntimeMetrics {
  /** Notes a call to a cloud. */
  onCall(record: CallRecord): void;
  /** Counts a user event of an object. @param reason  one of a few, CamelCase */
  onUserEvent(kind: string, reason: string): void;
  /** Notes a request for an operation that was refused. */
  onRefused(record: RefusedRecord): void;
  /** Notes that a Kubernetes Event is not written. */
  onDropped(reason: DropReason): void;
  /** Notes that a watch of the API server broke. */
  onInterrupted(resource: Pick<Resource, 'realm' | 'plural'>): void;
  /** Has figures of adapters. Those of one name are one. */
  declare(metrics: readonly Metric[]): void;
  /** Counts what happened to an object. */
  onMeasure(object: KubeObject, measurement: Measurement): void;
  readonly timed: Timed;
}

export interface Metrics extends RuntimeMetrics, WebhookMetrics, Pick<GatewayMetrics, 'onAnswered'> {
  /** The same trace; transitions are counted, and how long states last. */
  traced(trace: Trace): Trace;
  /** The same bus, with its trace; called once. */
  countedBus(bus: Bus): Bus;
  /** The same client; requests are counted. */
  counted(client: KubeClient): KubeClient;
  /** Counts the hosted objects at each scrape. */
  follow(populated: HostedObjects): void;
  /** All figures in the text format of Prometheus. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Seconds. A cloud answers in milliseconds when it reads, in minutes when it builds. */
const DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Few, as there is a series for each of them, each kind and each operation or state. Seconds. */
const OPERATION_BUCKETS = [0.05, 0.25, 1, 5, 30, 120];
const STATE_BUCKETS = [0.1, 0.5, 2, 10, 60, 300, 1_800];

/** @param deps.hasBus  the process will have a bus, which is not connected until then; otherwise there are no metrics of one */
export function metrics({ clock, hasBus = true }: { readonly clock: Clock; readonly hasBus?: boolean }): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  const stays = new StateDurations();
  const look = objectGauges({ registers, clock, stays });
  // A process without a bus would be reported as one whose bus is away.
  // mutant: no-bus-disconnected ?: -> $2
  const countedBus = hasBus ? busMetrics({ registers, clock }) : (bus: Bus) => bus;
  const webhooks = webhookMetrics({ registers });
  const gateway = answeredMetrics({ registers });
  new Gauge({ name: 'troupe_info', help: 'Always 1.', labelNames: ['version'], registers }).set(
    { version: TROUPE_VERSION },
    1,
  );
  new Gauge({
    name: 'troupe_memory_limit_bytes',
    help: 'How much memory the process may have, as the container says; 0: no less than the machine has.',
    registers,
  }).set(memoryLimit());
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
    name: 'troupe_kubernetes_events_total',
    help: 'Events recorded about objects, by kind and reason: Drifted, DependencyReplaced, DeletedExternally, Failed and others.',
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
    help:
      'Requests to the API server, by method and outcome: done, or transient (no answer, 429, 5xx), forbidden, conflict, ' +
      'absent, terminal (rejected), expired, too_large.',
    labelNames: ['method', 'outcome'],
    registers,
  });
  const refusedRequests = new Counter({
    name: 'troupe_rejected_requests_total',
    help: 'Requests for operations on the bus that are not what their objects ask for, by the reason.',
    labelNames: ['realm', 'operation', 'reason'],
    registers,
  });
  const kubernetesSeconds = new Histogram({
    name: 'troupe_kubernetes_request_duration_seconds',
    help: 'Time that the API server took to answer, without watches.',
    labelNames: ['method'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const stateSeconds = new Histogram({
    name: 'troupe_state_duration_seconds',
    help: 'How long objects were in a state, by kind and by the state that was left, without those in which they rest.',
    labelNames: ['realm', 'plural', 'state'],
    buckets: STATE_BUCKETS,
    registers,
  });
  const operationSeconds = new Histogram({
    name: 'troupe_operation_duration_seconds',
    help:
      'Time that operations of adapters took, by kind, operation and outcome: done, or the code of what was thrown. It ' +
      'holds the wait for a place among the calls of a cloud, and the way over the bus.',
    labelNames: ['realm', 'plural', 'operation', 'outcome'],
    buckets: OPERATION_BUCKETS,
    registers,
  });
  const operationsUnderWay = new Gauge({
    name: 'troupe_operations_in_flight',
    help: 'Operations of adapters that this process waits for.',
    labelNames: ['realm'],
    registers,
  });
  const droppedEvents = new Counter({
    name: 'troupe_kubernetes_events_dropped_total',
    help:
      'Kubernetes Events that were not written, by reason: limited (their object had many), full (too many wait), ' +
      'rejected (by the API server), failed.',
    labelNames: ['reason'],
    registers,
  });
  const interruptions = new Counter({
    name: 'troupe_watch_interruptions_total',
    help: 'How often a watch of the API server broke, by kind; those that end in order are not counted.',
    labelNames: ['realm', 'plural'],
    registers,
  });
  const declared = new DeclaredMetrics(registers);
  let populated: HostedObjects | undefined;
  const traced = (trace: Trace): Trace => ({
    subscribe: (onEvent) => trace.subscribe(onEvent),
    history: (query) => trace.history(query),
    emit(event) {
      const { actor, type, data } = event;
      const { realm, plural } = actor;
      const from = String(data?.['from'] ?? '');
      if (type === 'transition') transitions.inc({ realm, plural, to: String(data?.['to'] ?? '') });
      if (type === 'transition' || type === QUARANTINED) {
        const tags = (data?.['tags'] ?? []) as readonly string[];
        const isPassivated = tags.includes(Tag.Settled) && !tags.includes(Tag.Failing);
        const stayedMs = stays.enter(actor, { from, isPassivated }, clock.now());
        if (stayedMs !== undefined) stateSeconds.observe({ realm, plural, state: from }, stayedMs / 1_000);
      }
      const reason = data?.['failure'];
      if (typeof reason === 'string') failures.inc({ realm, plural, reason });
      trace.emit(event);
    },
  });
  return {
    ...webhooks,
    ...gateway,
    onCall({ service, method, status, durationMs }) {
      cloudCalls.inc({ service, method, code: String(status ?? 0) });
      cloudSeconds.observe({ service, method }, durationMs / 1_000);
    },
    onUserEvent: (kind, reason) => news.inc({ kind, reason }),
    onRefused({ realm, operation, reason }) {
      refusedRequests.inc({ realm, operation, reason });
    },
    onDropped: (reason) => droppedEvents.inc({ reason }),
    onInterrupted: ({ realm, plural }) => interruptions.inc({ realm, plural }),
    traced,
    countedBus: (bus) => ({ ...countedBus(bus), trace: traced(bus.trace) }),
    declare: (all) => declared.declare(all),
    onMeasure: (object, measurement) => declared.recordMetric(object, measurement),
    timed:
      ({ realm, plural, operation }, run) =>
      (request) => {
        const startedAt = clock.now();
        const running = run(request);
        operationsUnderWay.inc({ realm });
        const end = (outcome: string): void => {
          operationsUnderWay.dec({ realm });
          operationSeconds.observe({ realm, plural, operation, outcome }, (clock.now() - startedAt) / 1_000);
        };
        running.then(
          () => end('done'),
          (error: unknown) => end(toErrorData(error).code),
        );
        return running;
      },
    counted: (client) => ({
      ...client,
      async call(call) {
        const { method } = call;
        const startedAt = clock.now();
        try {
          const answer = await client.call(call);
          kubernetesCalls.inc({ method, outcome: 'done' });
          return answer;
        } catch (error) {
          kubernetesCalls.inc({ method, outcome: outcomeOf(error) });
          throw error;
        } finally {
          kubernetesSeconds.observe({ method }, (clock.now() - startedAt) / 1_000);
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
    async text() {
      if (populated !== undefined) look(populated);
      return { contentType: register.contentType, body: await register.metrics() };
    },
  };
}

/** Memory limit of the container, in bytes; 0 if it has none. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit < totalmem() ? limit : 0;
}
