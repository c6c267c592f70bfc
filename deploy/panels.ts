// What the dashboard shows, row by row. Queries are in PromQL; `HERE` picks the namespaces and pods that were chosen.

/** Of Grafana's names of units. */
type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops' | 'bool_yes_no';

export interface Panel {
  readonly title: string;
  /** What it tells, for who has not seen it before. */
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

/** One of those who take longest: so long or longer. */
function quantile(part: number, histogram: string, by: string): string {
  return `histogram_quantile(${part}, sum by (${by}, le) (rate(${histogram}_bucket{${HERE}}[${RATE}])))`;
}

export const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Pods',
        description: 'That Prometheus sees, by version.',
        shows: 'figure',
        unit: 'short',
        queries: [{ expr: `count by (version) (troupe_info{${HERE}})`, legend: '{{version}}' }],
      },
      {
        title: 'Objects',
        description: 'Of all kinds.',
        shows: 'figure',
        unit: 'short',
        queries: [{ expr: `sum(troupe_objects{${HERE}})`, legend: 'objects' }],
      },
      {
        title: 'Failing',
        description: 'Their last step failed.',
        shows: 'figure',
        unit: 'short',
        steps: [1, 10],
        queries: [{ expr: `sum(troupe_tagged_objects{${HERE},tag="failing"}) or vector(0)`, legend: 'failing' }],
      },
      {
        title: 'Quarantined',
        description: 'Stopped, since the code that serves them failed.',
        shows: 'figure',
        unit: 'short',
        steps: [1, 1],
        queries: [{ expr: `sum(troupe_quarantined_objects{${HERE}})`, legend: 'quarantined' }],
      },
      {
        title: 'Shards without a host',
        description: 'Nothing is done for their objects. Choose all pods.',
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
        description: 'Those that do not have stopped their objects.',
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
        description: 'The leaf of the statechart that each is in.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (state) (troupe_objects{${HERE}})`, legend: '{{state}}' }],
      },
      {
        title: 'Actors by kind',
        description: 'Objects, and names that others refer to.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (realm, plural) (troupe_actors{${HERE}})`, legend: '{{realm}}/{{plural}}' }],
      },
      {
        title: 'Transitions',
        description: 'Changes of state a second, by kind. At rest there are none.',
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
        description: 'How long nine in ten were in the state that they left, by state; states of rest are not counted.',
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
        description: 'For other objects, or for a cloud that is at work.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (realm, plural) (troupe_tagged_objects{${HERE},tag="waiting"})`,
            legend: '{{realm}}/{{plural}}',
          },
        ],
      },
      {
        title: 'Longest on its way',
        description:
          'Of the object of a kind that has not been at rest without trouble for longest. A pod that takes it over begins anew.',
        unit: 's',
        queries: [
          { expr: `max by (realm, plural) (troupe_unsettled_age_seconds{${HERE}})`, legend: '{{realm}}/{{plural}}' },
        ],
      },
      {
        title: 'Failing',
        description: 'Refused: nothing is tried until somebody changes something.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (realm, plural, tag) (troupe_tagged_objects{${HERE},tag=~"failing|refused"})`,
            legend: '{{realm}}/{{plural}} {{tag}}',
          },
        ],
      },
      {
        title: 'Failures',
        description: 'Attempts a second that failed, by what is in the way.',
        unit: 'ops',
        queries: [{ expr: `sum by (reason) (rate(troupe_failures_total{${HERE}}[${RATE}]))`, legend: '{{reason}}' }],
      },
      {
        title: 'Being deleted',
        description: 'Held: others still use them.',
        unit: 'short',
        queries: [
          {
            expr: `sum by (tag) (troupe_tagged_objects{${HERE},tag=~"deleting|held"})`,
            legend: '{{tag}}',
          },
        ],
      },
      {
        title: 'Told to users',
        description: 'News of objects a second, by reason, and Kubernetes Events that were not written.',
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
        description: 'A second, by service and method.',
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
        description: 'Requests a second that were refused or not answered, by service and code; 0 is no answer.',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (service, code) (rate(troupe_cloud_requests_total{${HERE},code!~"2..|3.."}[${RATE}]))`,
            legend: '{{service}} {{code}}',
          },
        ],
      },
      {
        title: 'Time to answer',
        description: 'Of half of the requests, and of nineteen in twenty, by service.',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'troupe_cloud_request_duration_seconds', 'service'), legend: '{{service}} half' },
          { expr: quantile(0.95, 'troupe_cloud_request_duration_seconds', 'service'), legend: '{{service}} 19 in 20' },
        ],
      },
      {
        title: 'Places',
        description: 'Requests under way, those that wait for a place, and how many places there are.',
        unit: 'short',
        queries: [
          { expr: `sum(troupe_cloud_requests_in_flight{${HERE}})`, legend: 'under way' },
          { expr: `sum(troupe_cloud_requests_waiting{${HERE}})`, legend: 'waiting' },
          { expr: `sum(troupe_cloud_request_limit{${HERE}})`, legend: 'places' },
        ],
      },
      {
        title: 'Operations',
        description: 'How long nine in ten took, by operation, with the wait for a place.',
        unit: 's',
        queries: [{ expr: quantile(0.9, 'troupe_operation_duration_seconds', 'operation'), legend: '{{operation}}' }],
      },
      {
        title: 'Outcomes of operations',
        description: 'A second, by outcome, and how many are under way.',
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
        description: 'By pod.',
        unit: 'bool_yes_no',
        queries: [
          { expr: `troupe_bus_connected{${HERE}}`, legend: '{{pod}}' },
          { expr: `increase(troupe_bus_disconnections_total{${HERE}}[${RATE}])`, legend: '{{pod}}: times away' },
        ],
      },
      {
        title: 'Leases',
        description: 'Held, by what they are of and by pod. One pod leads the watch.',
        unit: 'short',
        queries: [{ expr: `troupe_leases_held{${HERE}}`, legend: '{{pod}} {{lease}}' }],
      },
      {
        title: 'Leases lost',
        description: 'They could not be renewed in time.',
        unit: 'short',
        queries: [{ expr: `sum by (pod) (increase(troupe_leases_lost_total{${HERE}}[${RATE}]))`, legend: '{{pod}}' }],
      },
      {
        title: 'Shards',
        description: 'By what they are at. Opening: they are read. Closing: calls to a cloud have not ended.',
        shows: 'areas',
        unit: 'short',
        queries: [{ expr: `sum by (state) (troupe_shards{${HERE}})`, legend: '{{state}}' }],
      },
      {
        title: 'Mail is late by',
        description:
          'From its storing to its handling, of half and of 99 in 100; the clocks of NATS and of the pod may differ.',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'troupe_mail_lag_seconds', 'pod'), legend: '{{pod}} half' },
          { expr: quantile(0.99, 'troupe_mail_lag_seconds', 'pod'), legend: '{{pod}} 99 in 100' },
        ],
      },
      {
        title: 'Queues',
        description: 'Mail to be published, answers that may wait, statuses that wait for a turn.',
        unit: 'short',
        queries: [{ expr: `sum by (queue) (troupe_queue_length{${HERE}})`, legend: '{{queue}}' }],
      },
      {
        title: 'Refused',
        description: 'Requests for operations, and mail, that nobody of Troupe would have sent.',
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
        description: 'A second, by topic, without what is read again at a start.',
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
        description: 'Resident, and the limit of the container, if it has one.',
        unit: 'bytes',
        queries: [
          { expr: `process_resident_memory_bytes{${HERE}} and on (job, instance) troupe_info`, legend: '{{pod}}' },
          { expr: `troupe_memory_limit_bytes{${HERE}} > 0`, legend: '{{pod}} limit' },
        ],
      },
      {
        title: 'Processors',
        description: 'How many are used. Objects are served by one.',
        unit: 'short',
        queries: [
          {
            expr: `rate(process_cpu_seconds_total{${HERE}}[${RATE}]) and on (job, instance) troupe_info`,
            legend: '{{pod}}',
          },
        ],
      },
      {
        title: 'What is due is late by',
        description: 'One in a hundred timers fires so much later than it should, or more.',
        unit: 's',
        queries: [
          { expr: `nodejs_eventloop_lag_p99_seconds{${HERE}} and on (job, instance) troupe_info`, legend: '{{pod}}' },
        ],
      },
      {
        title: 'Requests to the API server',
        description: 'A second, by method and outcome.',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (method, outcome) (rate(troupe_kubernetes_requests_total{${HERE}}[${RATE}]))`,
            legend: '{{method}} {{outcome}}',
          },
        ],
      },
      {
        title: 'Time of the API server to answer',
        description: 'Of nineteen in twenty requests, by method.',
        unit: 's',
        queries: [
          { expr: quantile(0.95, 'troupe_kubernetes_request_duration_seconds', 'method'), legend: '{{method}}' },
        ],
      },
      {
        title: 'Watches that broke',
        description: 'By kind. Those that end in order are not counted.',
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
