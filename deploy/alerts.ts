// Alerts, from one table: as a file of rules for Prometheus, and as the PrometheusRule of Prometheus' operator.
import { stringify } from 'yaml';

/** `critical`: nothing goes on; `warning`: something does not, or soon will not; `info`: somebody's objects want him. */
type Severity = 'critical' | 'warning' | 'info';

export interface Alert {
  readonly name: string;
  /** In PromQL. */
  readonly expr: string;
  /** How long it must hold: a duration of Prometheus. */
  readonly for: string;
  readonly severity: Severity;
  /** One line, the same for all. */
  readonly summary: string;
  /** What is so, with labels and the value. */
  readonly description: string;
}

export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}

/** Where each alert has a section of its own, under its name. */
const RUNBOOK = 'deploy/operating.md';

export const ALERT_GROUPS: readonly AlertGroup[] = [
  {
    name: 'troupe-objects',
    alerts: [
      {
        name: 'TroupeObjectsFailing',
        // Between two attempts an object is at work, and not failing.
        expr: 'sum by (namespace, realm, plural) (max_over_time(troupe_tagged_objects{tag="failing"}[10m])) > 0',
        for: '15m',
        severity: 'info',
        summary: 'Objects fail again and again.',
        description: '{{ $value }} {{ $labels.plural }} ({{ $labels.realm }}) have failed for a quarter of an hour.',
      },
      {
        name: 'TroupeObjectsQuarantined',
        expr: 'sum by (namespace) (troupe_quarantined_objects) > 0',
        for: '5m',
        severity: 'warning',
        summary: 'Objects are stopped, since the code that serves them failed.',
        description: '{{ $value }} objects are stopped, and are tried again ever less often.',
      },
      {
        name: 'TroupeObjectsWaiting',
        expr: 'max by (namespace, realm, plural) (troupe_unsettled_age_seconds) > 3600',
        for: '10m',
        severity: 'info',
        summary: 'An object has not come to rest for more than an hour.',
        description:
          'One of the {{ $labels.plural }} ({{ $labels.realm }}) has been on its way for {{ $value | humanizeDuration }}.',
      },
    ],
  },
  {
    name: 'troupe-clouds',
    alerts: [
      {
        name: 'TroupeCloudErrors',
        expr:
          'sum by (namespace, service) (rate(troupe_cloud_requests_total{code=~"0|429|5.."}[5m])) ' +
          '/ sum by (namespace, service) (rate(troupe_cloud_requests_total[5m])) > 0.1',
        for: '10m',
        severity: 'warning',
        summary: 'A service of a cloud refuses or does not answer.',
        description:
          '{{ $value | humanizePercentage }} of the requests to {{ $labels.service }} had no answer, 429 or 5xx.',
      },
      {
        name: 'TroupeCloudSlow',
        expr:
          'histogram_quantile(0.9, sum by (namespace, service, le) ' +
          '(rate(troupe_cloud_request_duration_seconds_bucket[10m]))) > 5',
        for: '15m',
        severity: 'warning',
        summary: 'A service of a cloud answers slowly.',
        description: 'One in ten requests to {{ $labels.service }} takes {{ $value | humanizeDuration }} or more.',
      },
    ],
  },
  {
    name: 'troupe-kubernetes',
    alerts: [
      {
        name: 'TroupeKubernetesErrors',
        expr:
          'sum by (namespace, pod) (rate(troupe_kubernetes_requests_total{outcome="transient"}[5m])) ' +
          '/ sum by (namespace, pod) (rate(troupe_kubernetes_requests_total[5m])) > 0.1',
        for: '10m',
        severity: 'warning',
        summary: 'The API server does not do what it is asked for.',
        description:
          '{{ $value | humanizePercentage }} of the requests of {{ $labels.pod }} to the API server failed in passing.',
      },
      {
        name: 'TroupeNoWatchLeader',
        expr: 'sum by (namespace) (troupe_leases_held{lease="watch"}) < 1',
        for: '2m',
        severity: 'critical',
        summary: 'Nobody watches the API server.',
        description: 'No pod holds the lease of the watch: what users change is not heard of.',
      },
      {
        name: 'TroupeWatchesInterrupted',
        expr: 'sum by (namespace, pod) (increase(troupe_watch_interruptions_total[30m])) > 5',
        for: '5m',
        severity: 'warning',
        summary: 'Watches of the API server break again and again.',
        description: 'Watches of {{ $labels.pod }} broke {{ $value | humanize }} times within half an hour.',
      },
    ],
  },
  {
    name: 'troupe-bus',
    alerts: [
      {
        name: 'TroupeBusUnreachable',
        expr: 'troupe_bus_connected == 0',
        for: '2m',
        severity: 'critical',
        summary: 'A pod does not reach NATS.',
        description: '{{ $labels.pod }} has had no connection to NATS for two minutes: its objects are stopped.',
      },
      {
        name: 'TroupeBusFlapping',
        expr: 'increase(troupe_bus_disconnections_total[1h]) > 5',
        for: '5m',
        severity: 'warning',
        summary: 'A pod loses its connection to NATS again and again.',
        description: '{{ $labels.pod }} lost its connection {{ $value | humanize }} times within an hour.',
      },
      {
        name: 'TroupeLeasesLost',
        expr: 'sum by (namespace, pod) (increase(troupe_leases_lost_total[15m])) > 0',
        for: '1m',
        severity: 'warning',
        summary: 'A pod lost leases that it had not given up.',
        description: '{{ $labels.pod }} lost {{ $value | humanize }} leases; other pods begin anew with its objects.',
      },
      {
        name: 'TroupeShardsUnassigned',
        expr: 'sum by (namespace) (troupe_shards{state="live"}) < max by (namespace) (troupe_deployment_shards)',
        for: '5m',
        severity: 'critical',
        summary: 'Some objects are hosted by nobody.',
        description: 'Only {{ $value }} shards are live: nothing is done for the objects of the others.',
      },
      {
        name: 'TroupeKindsUnserved',
        expr: 'max by (namespace) (troupe_unserved_kinds) > 0',
        for: '10m',
        severity: 'warning',
        summary: 'No pod serves all kinds that pods serve.',
        description: '{{ $value }} kinds are served by pods that get no objects: nothing is done for theirs.',
      },
      {
        name: 'TroupeMailboxLagging',
        expr: 'histogram_quantile(0.9, sum by (namespace, pod, le) (rate(troupe_mail_lag_seconds_bucket[5m]))) > 2',
        for: '10m',
        severity: 'warning',
        summary: 'Mail between objects comes late.',
        description:
          'One in ten messages reaches {{ $labels.pod }} {{ $value | humanizeDuration }} after it was stored, or later.',
      },
      {
        name: 'TroupeRequestsRejected',
        expr:
          'sum by (namespace) (increase(troupe_rejected_requests_total[1h])) > 5 ' +
          'or sum by (namespace) (increase(troupe_rejected_messages_total[1h])) > 5',
        for: '1m',
        severity: 'warning',
        summary: 'Somebody says on the bus what Troupe would not.',
        description: '{{ $value | humanize }} requests, or messages of the mail, were refused within an hour.',
      },
    ],
  },
  {
    name: 'troupe-process',
    alerts: [
      {
        name: 'TroupeMetricsMissing',
        expr: 'absent(troupe_info)',
        for: '10m',
        severity: 'critical',
        summary: 'Prometheus sees no pod of Troupe.',
        description: 'There is no pod, or Prometheus may not read its metrics.',
      },
      {
        name: 'TroupeRestarts',
        expr: 'changes(process_start_time_seconds[1h]) > 2 and on (job, instance) troupe_info',
        for: '1m',
        severity: 'warning',
        summary: 'A pod restarts again and again.',
        description: '{{ $labels.pod }} began {{ $value }} times within an hour.',
      },
      {
        name: 'TroupeMemoryHigh',
        expr: 'process_resident_memory_bytes / (troupe_memory_limit_bytes > 0) > 0.9',
        for: '15m',
        severity: 'warning',
        summary: 'A pod is close to its limit of memory.',
        description: '{{ $labels.pod }} uses {{ $value | humanizePercentage }} of the memory that it may have.',
      },
      {
        name: 'TroupeEventLoopLagging',
        expr: 'nodejs_eventloop_lag_p99_seconds > 1 and on (job, instance) troupe_info',
        for: '15m',
        severity: 'warning',
        summary: 'A pod has more to do than one processor does in time.',
        description: 'In {{ $labels.pod }} what is due comes {{ $value | humanizeDuration }} late.',
      },
      {
        name: 'TroupeWebhookCertificateExpiring',
        // 0 is none: a pod without webhooks. Troupe makes the next one 30 days before the end.
        expr: '(troupe_webhook_certificate_expiry_timestamp_seconds > 0) - time() < 7 * 86400',
        for: '15m',
        severity: 'warning',
        summary: 'The certificate of the webhooks ends soon, and no other has come.',
        description:
          'That of {{ $labels.pod }} ends in {{ $value | humanizeDuration }}: then the API server asks in vain.',
      },
    ],
  },
];

const HEADER = '# Generated from alerts.ts by `npm run generate`; changes made here are lost.\n';

/** For Prometheus itself: `rule_files`. */
export function rulesFile(): string {
  return `${HEADER}${yaml({ groups: groups() })}`;
}

/** For Prometheus' operator. */
export function prometheusRule(namespace: string): string {
  const metadata = { name: 'troupe', namespace, labels: { 'app.kubernetes.io/name': 'troupe' } };
  const rule = { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata };
  return `${HEADER}${yaml({ ...rule, spec: { groups: groups() } })}`;
}

export function runbookUrl(name: string): string {
  return `${RUNBOOK}#${name.toLowerCase()}`;
}

function groups(): readonly object[] {
  return ALERT_GROUPS.map(({ name, alerts }) => ({
    name,
    rules: alerts.map(({ name: alert, expr, for: least, severity, summary, description }) => ({
      alert,
      expr,
      for: least,
      labels: { severity },
      annotations: { summary, description, runbook_url: runbookUrl(alert) },
    })),
  }));
}

function yaml(value: object): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
