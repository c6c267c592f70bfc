// long
// The rules as Prometheus understands them: promtool, on the PATH, reads all queries and lets time pass for each alert.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { ROWS } from '../../deploy/panels.ts';
import { ALERTS, RULES_FILE as RULES } from './rules.ts';

const POD = 'namespace="troupe-system",pod="troupe-0"';
const TARGET = `${POD},job="troupe-metrics",instance="10.0.0.1:8443"`;

/** Values a minute, as promtool writes them: from 0 on, `+N` each minute, `xN` times. */
interface Case {
  readonly series: Readonly<Record<string, string>>;
  /** The same without the trouble. */
  readonly quiet: Readonly<Record<string, string>>;
}

const bucket = (name: string, labels: string, le: string): string => `${name}_bucket{${POD},${labels},le="${le}"}`;

const CASES: Readonly<Record<string, Case>> = {
  // At work whenever it is looked at, but for once in a while.
  TroupeObjectsFailing: {
    series: {
      [`troupe_tagged_objects{${POD},realm="openstack",plural="ports",tag="failing"}`]: '2 0x7 '.repeat(14).trim(),
    },
    quiet: { [`troupe_tagged_objects{${POD},realm="openstack",plural="ports",tag="waiting"}`]: '2x120' },
  },
  TroupeObjectsQuarantined: {
    series: { [`troupe_quarantined_objects{${POD}}`]: '1x120' },
    quiet: { [`troupe_quarantined_objects{${POD}}`]: '0x120' },
  },
  TroupeObjectsWaiting: {
    series: { [`troupe_unsettled_age_seconds{${POD},realm="openstack",plural="servers"}`]: '3000+60x120' },
    quiet: { [`troupe_unsettled_age_seconds{${POD},realm="openstack",plural="servers"}`]: '0+20x120' },
  },
  TroupeCloudErrors: {
    series: {
      [`troupe_cloud_requests_total{${POD},service="network",method="GET",code="200"}`]: '0+80x120',
      [`troupe_cloud_requests_total{${POD},service="network",method="GET",code="503"}`]: '0+20x120',
    },
    quiet: {
      [`troupe_cloud_requests_total{${POD},service="network",method="GET",code="200"}`]: '0+80x120',
      [`troupe_cloud_requests_total{${POD},service="network",method="GET",code="404"}`]: '0+20x120',
    },
  },
  TroupeCloudSlow: {
    series: {
      [bucket('troupe_cloud_request_duration_seconds', 'service="compute",method="POST"', '5')]: '0+50x120',
      [bucket('troupe_cloud_request_duration_seconds', 'service="compute",method="POST"', '10')]: '0+100x120',
      [bucket('troupe_cloud_request_duration_seconds', 'service="compute",method="POST"', '+Inf')]: '0+100x120',
    },
    quiet: {
      [bucket('troupe_cloud_request_duration_seconds', 'service="compute",method="POST"', '5')]: '0+100x120',
      [bucket('troupe_cloud_request_duration_seconds', 'service="compute",method="POST"', '+Inf')]: '0+100x120',
    },
  },
  TroupeKubernetesErrors: {
    series: {
      [`troupe_kubernetes_requests_total{${POD},method="PATCH",outcome="transient"}`]: '0+30x120',
      [`troupe_kubernetes_requests_total{${POD},method="PATCH",outcome="done"}`]: '0+70x120',
    },
    quiet: {
      [`troupe_kubernetes_requests_total{${POD},method="PATCH",outcome="conflict"}`]: '0+30x120',
      [`troupe_kubernetes_requests_total{${POD},method="PATCH",outcome="done"}`]: '0+70x120',
    },
  },
  TroupeNoWatchLeader: {
    series: { [`troupe_leases_held{${POD},lease="watch"}`]: '0x120' },
    quiet: { [`troupe_leases_held{${POD},lease="watch"}`]: '1x120' },
  },
  TroupeWatchesInterrupted: {
    series: { [`troupe_watch_interruptions_total{${POD},realm="openstack",plural="ports"}`]: '0+1x120' },
    quiet: { [`troupe_watch_interruptions_total{${POD},realm="openstack",plural="ports"}`]: '3x120' },
  },
  TroupeBusUnreachable: {
    series: { [`troupe_bus_connected{${POD}}`]: '1x10 0x120' },
    quiet: { [`troupe_bus_connected{${POD}}`]: '1 0 1x120' },
  },
  TroupeBusFlapping: {
    series: { [`troupe_bus_disconnections_total{${POD}}`]: '0+1x120' },
    quiet: { [`troupe_bus_disconnections_total{${POD}}`]: '0x20 1x100' },
  },
  TroupeLeasesLost: {
    series: { [`troupe_leases_lost_total{${POD},lease="shard"}`]: '0x100 32x20' },
    quiet: { [`troupe_leases_lost_total{${POD},lease="shard"}`]: '32x120' },
  },
  TroupeShardsUnassigned: {
    series: {
      [`troupe_shards{${POD},state="live"}`]: '32x120',
      [`troupe_deployment_shards{${POD}}`]: '64x120',
    },
    quiet: {
      [`troupe_shards{${POD},state="live"}`]: '64x120',
      [`troupe_deployment_shards{${POD}}`]: '64x120',
    },
  },
  TroupeKindsUnserved: {
    series: { [`troupe_unserved_kinds{${POD}}`]: '0x20 2x100' },
    // A roll-out that adds kinds at one place and others at another one passes.
    quiet: { [`troupe_unserved_kinds{${POD}}`]: '0x20 2x5 0x95' },
  },
  TroupeMailboxLagging: {
    series: {
      [bucket('troupe_mail_lag_seconds', 'topic="ready"', '2')]: '0+10x120',
      [bucket('troupe_mail_lag_seconds', 'topic="ready"', '10')]: '0+100x120',
      [bucket('troupe_mail_lag_seconds', 'topic="ready"', '+Inf')]: '0+100x120',
    },
    quiet: {
      [bucket('troupe_mail_lag_seconds', 'topic="ready"', '0.1')]: '0+100x120',
      [bucket('troupe_mail_lag_seconds', 'topic="ready"', '+Inf')]: '0+100x120',
    },
  },
  TroupeRequestsRejected: {
    series: { [`troupe_rejected_messages_total{${POD}}`]: '0+1x120' },
    quiet: { [`troupe_rejected_messages_total{${POD}}`]: '2x120' },
  },
  TroupeMetricsMissing: {
    series: { [`up{${TARGET}}`]: '0x120' },
    quiet: { [`troupe_info{${TARGET},version="1.0.0"}`]: '1x120' },
  },
  TroupeRestarts: {
    series: {
      [`troupe_info{${TARGET},version="1.0.0"}`]: '1x120',
      [`process_start_time_seconds{${TARGET}}`]: '0x60 600x15 1200x15 1800x30',
    },
    quiet: {
      [`process_start_time_seconds{${TARGET},app="somebody-else"}`]: '0x60 600x15 1200x15 1800x30',
      [`troupe_info{${POD},job="troupe-metrics",instance="10.0.0.2:8443"}`]: '1x120',
    },
  },
  TroupeMemoryHigh: {
    series: {
      [`process_resident_memory_bytes{${TARGET}}`]: '500000000x120',
      [`troupe_memory_limit_bytes{${TARGET}}`]: '536870912x120',
    },
    quiet: {
      [`process_resident_memory_bytes{${TARGET}}`]: '500000000x120',
      [`troupe_memory_limit_bytes{${TARGET}}`]: '0x120',
    },
  },
  TroupeEventLoopLagging: {
    series: {
      [`nodejs_eventloop_lag_p99_seconds{${TARGET}}`]: '2x120',
      [`troupe_info{${TARGET},version="1.0.0"}`]: '1x120',
    },
    quiet: {
      [`nodejs_eventloop_lag_p99_seconds{${TARGET}}`]: '0.02x120',
      [`troupe_info{${TARGET},version="1.0.0"}`]: '1x120',
    },
  },
  // Time begins at 0 there.
  TroupeWebhookCertificateExpiring: {
    series: { [`troupe_webhook_certificate_expiry_timestamp_seconds{${POD}}`]: `${6 * 86_400}x120` },
    quiet: {
      [`troupe_webhook_certificate_expiry_timestamp_seconds{${POD}}`]: `${6 * 86_400}x70 ${90 * 86_400}x50`,
      ['troupe_webhook_certificate_expiry_timestamp_seconds{namespace="troupe-system",pod="without"}']: '0x120',
    },
  },
};

/** When all of them have been so for long enough. */
const AT = '110m';
const SEVERITIES = new Map(ALERTS.map(({ alert, labels }) => [alert, labels.severity]));

function promtool(args: readonly string[], file: object): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-alerts-'));
  try {
    const path = join(folder, 'given.yaml');
    writeFileSync(path, stringify(file, { version: '1.1', lineWidth: 0 }));
    const { status, stdout, stderr } = spawnSync('promtool', [...args, path], { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (spawnSync('promtool', ['--version']).status !== 0) {
  console.log('skipped: there is no promtool on the PATH');
} else {
  const test = suite('alerts');

  test('promtool finds nothing to complain about in the rules', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', RULES], {
      encoding: 'utf8',
    });
    assert.is(status, 0, stdout + stderr);
  });

  test('nor in the queries of the dashboard', () => {
    const queries = ROWS.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)));
    const rules = queries.map((expr, index) => ({
      record: `query:number${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const { status, output } = promtool(['check', 'rules', '--lint=none'], { groups: [{ name: 'dashboard', rules }] });
    assert.is(status, 0, output);
  });

  test('each alert fires when it should, and only then', () => {
    assert.equal(Object.keys(CASES).sort(), [...SEVERITIES.keys()].sort());
    const tests = Object.entries(CASES).flatMap(([name, { series, quiet }]) => {
      const of = (values: Readonly<Record<string, string>>, count: number): object => ({
        name: `${name}, ${count === 0 ? 'quiet' : 'problem'}`,
        interval: '1m',
        input_series: Object.entries(values).map(([text, each]) => ({ series: text, values: each })),
        promql_expr_test: [
          {
            expr: `count by (alertname, severity) (ALERTS{alertname="${name}",alertstate="firing"})`,
            eval_time: AT,
            exp_samples:
              count === 0 ? [] : [{ labels: `{alertname="${name}",severity="${SEVERITIES.get(name)}"}`, value: count }],
          },
        ],
      });
      return [of(series, 1), of(quiet, 0)];
    });
    const { status, output } = promtool(['test', 'rules'], {
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests,
    });
    assert.is(status, 0, output);
  });

  test('what an alert says has names and figures in it', () => {
    const { status, output } = promtool(['test', 'rules'], {
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [
            { series: `troupe_unsettled_age_seconds{${POD},realm="r",plural="servers"}`, values: '7200x30' },
          ],
          alert_rule_test: [
            {
              eval_time: '20m',
              alertname: 'TroupeObjectsWaiting',
              exp_alerts: [
                {
                  exp_labels: { severity: 'info', namespace: 'troupe-system', realm: 'r', plural: 'servers' },
                  exp_annotations: {
                    summary: 'An object has not come to rest for more than an hour.',
                    description: 'One of the servers (r) has been on its way for 2h 0m 0s.',
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    assert.is(status, 0, output);
  });

  test.run();
}
