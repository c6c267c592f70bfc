// Panels of the Grafana dashboard, row by row. Queries are in PromQL; `HERE` picks the namespaces and pods that were chosen.

/** Of Grafana's names of units. */
type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops' | 'bool_yes_no';

export interface Panel {
  readonly title: string;
  /** Tooltip for readers who see the panel for the first time. */
  readonly description: string;
  /** `figure`: only the last value; `lines` unless stated. */
  readonly shows?: 'figure' | 'lines' | 'areas';
  readonly unit: Unit;
  /** A figure is green below the first, yellow from it on, and red from the second on. */
  readonly steps?: readonly [number, number];
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const HERE = 'namespace=~"$namespace",pod=~"$pod"';
const RATE = '$__rate_interval';

/** PromQL of a percentile of a histogram. */
function quantile(part: number, histogram: string, by: string): string {
  return `histogram_quantile(${part}, sum by (${by}, le) (rate(${histogram}_bucket{${HERE}}[${RATE}])))`;
}

export const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Pods',
        description: 'Pods that Prometheus scrapes, by version.',
        shows: 'figure',
        unit: 'short',
        queries: [{ expr: `count by (version) (troupe_info{${HERE}})`, legend: '{{version}}' }],
      },
      {
        title: 'Objects',
        description: 'Objects of all kinds.',
        shows: 'figure',
        unit: 'short',
        queries: [{ expr: `sum(troupe_objects{${HERE}})`, legend: 'objects' }],
      },
      {
        title: 'Failing',
        description: 'Objects whose last step failed.',
        shows: 'figure',
        unit: 'short',
        steps: [1, 10],
        queries: [{ expr: `sum(troupe_tagged_objects{${HERE},tag="failing"}) or vector(0)`, legend: 'failing' }],
      },
      {
        title: 'Quarantined',
        description: 'Objects that are stopped because the code that serves them failed.',
        shows: 'figure',
        unit: 'short',
        steps: [1, 1],
        queries: [{ expr: `sum(troupe_quarantined_objects{${HERE}})`, legend: 'quarantined' }],
      },
      {
        title: 'Shards without a host',
        description: 'Shards whose objects are not served. Select all pods.',
        shows: 'figure',
        unit: 'short',
        steps: [1, 1],
        queries: [
          {
            expr: `sum(max by (namespace) (troupe_deployment_shards{${HERE}})) - sum(troupe_shards{${HERE},state="live"})`,
            legend: 'shards',
          },
        ],
      },
      {
        title: 'Pods that reach NATS',
        description: 'Pods with a connection to NATS. The others have stopped their objects.',
        shows: 'figure',
        unit: 'short',
        queries: [{ expr: `sum(troupe_bus_connected{${HERE}})`, legend: 'pods' }],
      },
    ],
  },
  {
    title: 'Objects',
    panels: [
      {
        title: 'Objects by state',
        description: 'Objects per leaf state of their state machine.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (state) (troupe_objects{${HERE}})`, legend: '{{state}}' }],
      },
      {
        title: 'Actors by kind',
        description: 'Actors of objects, and of names that objects refer to, per kind.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (realm, plural) (troupe_actors{${HERE}})`, legend: '{{realm}}/{{plural}}' }],
      },
      {
        title: 'Transitions',
        description: 'State transitions per second, by kind. Idle objects have none.',
        unit: 'ops',
        queries: [
          {
            expr: `sum by (realm, plural) (rate(troupe_transitions_total{${HERE}}[${RATE}]))`,
            legend: '{{realm}}/{{plural}}',
          },
        ],
      },
      {
        title: 'Time in a state',
        description:
          '90th percentile of the time that objects spent in a state before they left it, by state, without idle states.',
        unit: 's',
        queries: [{ expr: quantile(0.9, 'troupe_state_duration_seconds', 'state'), legend: '{{state}}' }],
      },
    ],
  },
  {
    title: 'Waiting and failing',
    panels: [
      {
        title: 'Waiting',
        description: 'Objects that wait for other objects, or for a running operation of a cloud.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (realm, plural) (troupe_tagged_objects{${HERE},tag="waiting"})`,
            legend: '{{realm}}/{{plural}}',
          },
        ],
      },
      {
        title: 'Longest unsettled time',
        description:
          'Longest time that an object of a kind has not been idle and healthy. It restarts when another pod takes the object over.',
        unit: 's',
        queries: [
          { expr: `max by (realm, plural) (troupe_unsettled_age_seconds{${HERE}})`, legend: '{{realm}}/{{plural}}' },
        ],
      },
      {
        title: 'Failing',
        description: 'Objects that fail. A rejected one is retried only after its spec or a dependency changes.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (realm, plural, tag) (troupe_tagged_objects{${HERE},tag=~"failing|terminal"})`,
            legend: '{{realm}}/{{plural}} {{tag}}',
          },
        ],
      },
      {
        title: 'Failures',
        description: 'Failed attempts per second, by cause.',
        unit: 'ops',
        queries: [{ expr: `sum by (reason) (rate(troupe_failures_total{${HERE}}[${RATE}]))`, legend: '{{reason}}' }],
      },
      {
        title: 'Being deleted',
        description: 'Objects that are being deleted. Held ones wait until other objects no longer use them.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (tag) (troupe_tagged_objects{${HERE},tag=~"deleting|held"})`,
            legend: '{{tag}}',
          },
        ],
      },
      {
        title: 'Kubernetes Events',
        description: 'Kubernetes Events per second, by reason, and Events that were not written.',
        unit: 'ops',
        queries: [
          { expr: `sum by (reason) (rate(troupe_kubernetes_events_total{${HERE}}[${RATE}]))`, legend: '{{reason}}' },
          {
            expr: `sum by (reason) (rate(troupe_kubernetes_events_dropped_total{${HERE}}[${RATE}]))`,
            legend: 'not written: {{reason}}',
          },
        ],
      },
    ],
  },
  {
    title: 'Calls to clouds',
    panels: [
      {
        title: 'Requests',
        description: 'Requests per second, by service and method.',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (service, method) (rate(troupe_cloud_requests_total{${HERE}}[${RATE}]))`,
            legend: '{{service}} {{method}}',
          },
        ],
      },
      {
        title: 'Errors',
        description:
          'Requests per second that were rejected or not answered, by service and code; code 0 means no answer.',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (service, code) (rate(troupe_cloud_requests_total{${HERE},code!~"2..|3.."}[${RATE}]))`,
            legend: '{{service}} {{code}}',
          },
        ],
      },
      {
        title: 'Response time',
        description: 'Median and 95th percentile of the response time, by service.',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'troupe_cloud_request_duration_seconds', 'service'), legend: '{{service}} half' },
          { expr: quantile(0.95, 'troupe_cloud_request_duration_seconds', 'service'), legend: '{{service}} 19 in 20' },
        ],
      },
      {
        title: 'Concurrency',
        description: 'Running requests, requests that wait for a slot, and the concurrency limit.',
        unit: 'short',
        queries: [
          { expr: `sum(troupe_cloud_requests_in_flight{${HERE}})`, legend: 'under way' },
          { expr: `sum(troupe_cloud_requests_waiting{${HERE}})`, legend: 'waiting' },
          { expr: `sum(troupe_cloud_request_limit{${HERE}})`, legend: 'places' },
        ],
      },
      {
        title: 'Operations',
        description: '90th percentile of the duration, by operation, including the wait for a slot.',
        unit: 's',
        queries: [{ expr: quantile(0.9, 'troupe_operation_duration_seconds', 'operation'), legend: '{{operation}}' }],
      },
      {
        title: 'Outcomes of operations',
        description: 'Operations per second, by outcome, and running operations.',
        unit: 'ops',
        queries: [
          {
            expr: `sum by (outcome) (rate(troupe_operation_duration_seconds_count{${HERE}}[${RATE}]))`,
            legend: '{{outcome}}',
          },
          { expr: `sum(troupe_operations_in_flight{${HERE}})`, legend: 'under way' },
        ],
      },
    ],
  },
  {
    title: 'Bus and leases',
    panels: [
      {
        title: 'Connected to NATS',
        description: 'Whether the pod has a connection to NATS.',
        unit: 'bool_yes_no',
        queries: [
          { expr: `troupe_bus_connected{${HERE}}`, legend: '{{pod}}' },
          { expr: `increase(troupe_bus_disconnections_total{${HERE}}[${RATE}])`, legend: '{{pod}}: times away' },
        ],
      },
      {
        title: 'Leases',
        description: 'Held leases, by role and pod. One pod leads the watch.',
        unit: 'short',
        queries: [{ expr: `troupe_leases_held{${HERE}}`, legend: '{{pod}} {{lease}}' }],
      },
      {
        title: 'Leases lost',
        description: 'Leases that could not be renewed in time.',
        unit: 'short',
        queries: [{ expr: `sum by (pod) (increase(troupe_leases_lost_total{${HERE}}[${RATE}]))`, legend: '{{pod}}' }],
      },
      {
        title: 'Shards',
        description:
          'Shards by phase. Opening: the pod reads their messages. Closing: calls to a cloud have not ended.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (state) (troupe_shards{${HERE}})`, legend: '{{state}}' }],
      },
      {
        title: 'Message lag',
        description:
          'Median and 99th percentile of the time from storing a message to handling it; the clocks of NATS and of the pod may differ.',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'troupe_mail_lag_seconds', 'pod'), legend: '{{pod}} half' },
          { expr: quantile(0.99, 'troupe_mail_lag_seconds', 'pod'), legend: '{{pod}} 99 in 100' },
        ],
      },
      {
        title: 'Queues',
        description: 'Messages to publish, delayed answers, and throttled status writes.',
        unit: 'short',
        queries: [{ expr: `sum by (queue) (troupe_queue_length{${HERE}})`, legend: '{{queue}}' }],
      },
      {
        title: 'Rejected',
        description: 'Requests and messages that no process of Troupe would send; they are ignored.',
        unit: 'ops',
        queries: [
          {
            expr: `sum by (operation, reason) (rate(troupe_rejected_requests_total{${HERE}}[${RATE}]))`,
            legend: '{{operation}} {{reason}}',
          },
          { expr: `sum(rate(troupe_rejected_messages_total{${HERE}}[${RATE}]))`, legend: 'mail' },
        ],
      },
      {
        title: 'Messages handled',
        description: 'Messages per second, by topic, without those that are replayed at a start.',
        unit: 'ops',
        queries: [
          { expr: `sum by (topic) (rate(troupe_mail_lag_seconds_count{${HERE}}[${RATE}]))`, legend: '{{topic}}' },
        ],
      },
    ],
  },
  {
    title: 'Process and API server',
    panels: [
      {
        title: 'Memory',
        description: 'Resident memory, and the memory limit of the container.',
        unit: 'bytes',
        queries: [
          { expr: `process_resident_memory_bytes{${HERE}} and on (job, instance) troupe_info`, legend: '{{pod}}' },
          { expr: `troupe_memory_limit_bytes{${HERE}} > 0`, legend: '{{pod}} limit' },
        ],
      },
      {
        title: 'Processors',
        description: 'Used processors. Actors run on one.',
        unit: 'short',
        queries: [
          {
            expr: `rate(process_cpu_seconds_total{${HERE}}[${RATE}]) and on (job, instance) troupe_info`,
            legend: '{{pod}}',
          },
        ],
      },
      {
        title: 'Event loop lag',
        description: '99th percentile of the delay of timers in the event loop.',
        unit: 's',
        queries: [
          { expr: `nodejs_eventloop_lag_p99_seconds{${HERE}} and on (job, instance) troupe_info`, legend: '{{pod}}' },
        ],
      },
      {
        title: 'Requests to the API server',
        description: 'Requests per second, by method and outcome.',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (method, outcome) (rate(troupe_kubernetes_requests_total{${HERE}}[${RATE}]))`,
            legend: '{{method}} {{outcome}}',
          },
        ],
      },
      {
        title: 'Response time of the API server',
        description: '95th percentile of the response time, by method.',
        unit: 's',
        queries: [
          { expr: quantile(0.95, 'troupe_kubernetes_request_duration_seconds', 'method'), legend: '{{method}}' },
        ],
      },
      {
        title: 'Broken watches',
        description: 'Broken watches, by kind. Watches that the server ended are not counted.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (realm, plural) (increase(troupe_watch_interruptions_total{${HERE}}[${RATE}]))`,
            legend: '{{realm}}/{{plural}}',
          },
        ],
      },
    ],
  },
];
