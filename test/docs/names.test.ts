// What documents name of the program is there: options of commands, variables of the environment, metrics.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { USAGES as BUS } from '../../actors/cli/bus/usage.ts';
import type { Usage } from '../../actors/cli/command-line.ts';
import { USAGES as CSI_PROXY } from '../../actors/cli/csi-proxy/usage.ts';
import { USAGES as MODEL } from '../../actors/cli/model/usage.ts';
import { allOptions, type CommandName, USAGES, usageOf } from '../../actors/cli/usage.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { toldMetrics } from '../deploy/told-metrics.ts';
import { documents, ROOT } from './blocks.ts';

const test = suite('names in the documentation');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Options of all commands. */
const EVERYWHERE = ['help', 'version'];

/** The options of a command, by what follows `troupe`. */
const OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...(Object.keys(USAGES) as CommandName[]).map((name) => usageOf(name, BUILT_IN)),
    ...[BUS, MODEL, CSI_PROXY].flatMap((usages): Usage[] => Object.values(usages)),
  ].map(({ name, options }) => [name, new Set([...Object.keys(options), ...EVERYWHERE])]),
);
const KNOWN: ReadonlySet<string> = new Set([
  ...[...OPTIONS.values()].flatMap((options) => [...options]),
  ...Object.keys(allOptions(BUILT_IN)),
]);

/** Options of other programs that documents name by themselves. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'adapters/ocm/README.md': ['prefix'],
  'bus/recipes.md': ['raw'],
  'deploy/from-baremetal-operator.md': [
    ...['metrics-addr', 'health-addr', 'webhook-port', 'enable-leader-election', 'dev', 'provisioner'],
    ...['lease-duration-seconds', 'renew-deadline-seconds', 'retry-period-seconds'],
    ...['kube-api-qps', 'kube-api-burst', 'controller-concurrency', 'force-conflicts', 'take-ownership'],
    ...['tls-min-version', 'tls-max-version', 'tls-cipher-suites', 'tls-curve-preferences'],
  ],
  'deploy/from-orc.md': [...['leader-elect', 'scope-cache-max-size', 'zap-log-level', 'enable-http2', 'server-side']],
};

/** Variables of others, which Troupe does not read. */
const VARIABLES_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'deploy/from-baremetal-operator.md': [
    ...['BMO_CONCURRENCY', 'LEASE_DURATION_SECONDS', 'RENEW_DEADLINE_SECONDS', 'RETRY_PERIOD_SECONDS'],
  ],
  // Kubernetes puts it into another one.
  'deploy/chart/README.md': ['TROUPE_NATS_WINDOWS_SERVICE_HOST'],
};

/** Metrics of other programs, which Troupe does not tell. */
const METRICS_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {};

/** What may be said to the baremetal-operator: all of it has a row in the document for who comes from there. */
const OF_THE_BAREMETAL_OPERATOR = [
  ...['--namespace', '--metrics-addr', '--health-addr', '--webhook-port', '--enable-leader-election', '--dev'],
  ...['--lease-duration-seconds', '--renew-deadline-seconds', '--retry-period-seconds', '--build-preprov-image'],
  ...['--hostclaims', '--provisioner', '--kube-api-qps', '--kube-api-burst', '--controller-concurrency'],
  ...['--max-provisioning-retries', '--tls-min-version', '--tls-max-version', '--tls-cipher-suites'],
  ...['--tls-curve-preferences', 'WATCH_NAMESPACE', 'POD_NAMESPACE', 'LEASE_DURATION_SECONDS'],
  ...['RENEW_DEADLINE_SECONDS', 'RETRY_PERIOD_SECONDS', 'BMO_CONCURRENCY', 'IRONIC_ENDPOINT', 'IRONIC_NAME'],
  ...['IRONIC_NAMESPACE', 'IRONIC_CACERT_FILE', 'IRONIC_CLIENT_CERT_FILE', 'IRONIC_CLIENT_PRIVATE_KEY_FILE'],
  ...['IRONIC_INSECURE', 'IRONIC_SKIP_CLIENT_SAN_VERIFY', 'IRONIC_CLIENT_CACHE_TTL', 'IRONIC_CLIENT_TIMEOUT'],
  ...['METAL3_AUTH_ROOT_DIR', 'DEPLOY_KERNEL_URL', 'DEPLOY_RAMDISK_URL', 'DEPLOY_ISO_URL', 'DEPLOY_KERNEL_BY_ARCH'],
  ...['DEPLOY_RAMDISK_BY_ARCH', 'DEPLOY_ISO_BY_ARCH', 'PROVISIONING_LIMIT'],
  ...['LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE', 'DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE'],
  ...['IRONIC_EXTERNAL_URL_V6', 'PROVISIONING_NETWORK_DISABLED', 'IRONIC_NETWORKING_ENABLED'],
  ...['IRONIC_SWITCH_CONFIGS_SECRET', 'IRONIC_SWITCH_CREDENTIALS_SECRET', 'IRONIC_SWITCH_CREDENTIALS_PATH'],
];

const KNOWN_TO_RUN = OPTIONS.get('run') ?? new Set<string>();

const named = (names: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.entries(names)
    .flatMap(([file, of]) => of.map((name) => `${file} ${name}`))
    .sort();

/** Beginning with the longest: `model check` before `model`. */
const COMMANDS = [...OPTIONS.keys()].sort((a, b) => b.length - a.length);

interface Named {
  readonly command: string;
  readonly option: string;
}

/** Options that a text gives to a command of `troupe`, on one line. */
function commandOptions(text: string): readonly Named[] {
  const named: Named[] = [];
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  for (const line of lines) {
    for (const [, rest = ''] of line.matchAll(
      /(?:\btroupe |\bnpm run (?:-s )?(?:troupe -- |(?=dev |demo )))([^`|;#()]*)/g,
    )) {
      const command = COMMANDS.find((name) => rest === name || rest.startsWith(`${name} `));
      if (command === undefined) continue;
      for (const [, option = ''] of rest.matchAll(/(?:^|\s)--([a-z][a-z0-9-]*)/g)) named.push({ command, option });
    }
  }
  return named;
}

/** Options that stand by themselves, as code. */
function loneOptions(text: string): readonly string[] {
  return [...text.matchAll(/`--([a-z][a-z0-9-]*)[^`]*`/g)].map(([, option = '']) => option);
}

/** Of the tests' own programs, whose options are theirs. */
const isOfTests = (file: string): boolean => file.startsWith('test/') || file === 'CONTRIBUTING.md';

function sourcesIn(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|js|cjs)$/.test(name))
        .map((name) => read(join(folder, name))),
    )
    .join('\n');
}

test('each option that a document gives to a command is one of that command', () => {
  let count = 0;
  for (const file of documents()) {
    for (const { command, option } of commandOptions(read(file))) {
      count++;
      assert.ok(OPTIONS.get(command)?.has(option), `${file}: 'troupe ${command}' takes no --${option}`);
    }
  }
  assert.ok(count > 15, `only ${count} were found`);
});

test('each option that stands by itself is one of some command, or of a program that is named here', () => {
  let count = 0;
  const unused = new Set(Object.entries(OF_OTHERS).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)));
  for (const file of documents().filter((each) => !isOfTests(each))) {
    for (const option of loneOptions(read(file))) {
      count++;
      if (KNOWN.has(option)) continue;
      assert.ok(OF_OTHERS[file]?.includes(option), `${file}: no command takes --${option}`);
      unused.delete(`${file} ${option}`);
    }
  }
  assert.equal([...unused], []);
  assert.ok(count > 30, `only ${count} were found`);
});

/** What adapters ask for when they are configured: some of the names are put together. */
function askedByAdapters(): ReadonlySet<string> {
  const asked = new Set<string>();
  for (const { flags = [], definitionFlags = [], configure } of BUILT_IN) {
    for (const { variable } of [...flags, ...definitionFlags]) asked.add(variable);
    configure({
      flag: (name) => ({ name, value: undefined }),
      variable(name) {
        asked.add(name);
        return undefined;
      },
    });
  }
  return asked;
}

/** Names of variables, by what they begin with. */
const VARIABLE =
  /\b(?<!KV_)(?:TROUPE|NATS|OTEL_EXPORTER|OS|IRONIC|METAL3|DEPLOY|PROVISIONING|LIVE_ISO|DIRECT_DEPLOY|WATCH|POD|BMO|LEASE|RENEW|RETRY)_[A-Z][A-Z0-9_]*[A-Z0-9]\b/g;

test('each variable that a document names is read', () => {
  const product = sourcesIn('actors', 'adapters', 'bus');
  const all = `${product}\n${sourcesIn('test')}`;
  /** Streams and buckets, which look alike. */
  const streams = ['TROUPE_HISTORY', 'TROUPE_MAIL', 'TROUPE_LEASES'];
  const asked = askedByAdapters();
  const unread = new Set<string>();
  let count = 0;
  for (const file of documents()) {
    for (const [name] of read(file).matchAll(VARIABLE)) {
      if (streams.includes(name)) continue;
      count++;
      const source = isOfTests(file) ? all : product;
      if (asked.has(name) || new RegExp(`['".]${name}\\b`).test(source)) continue;
      assert.ok(VARIABLES_OF_OTHERS[file]?.includes(name), `${file}: nothing reads ${name}`);
      unread.add(`${file} ${name}`);
    }
  }
  assert.equal([...unread].sort(), named(VARIABLES_OF_OTHERS));
  assert.ok(count > 30, `only ${count} were found`);
});

test('each metric that a document names is told', async () => {
  const names = new Set((await toldMetrics()).keys());
  const untold = new Set<string>();
  let count = 0;
  for (const file of documents()) {
    for (const [name] of read(file).matchAll(/\b(?:troupe|metal3)_[a-z_]*[a-z]\b/g)) {
      count++;
      if (names.has(name) || names.has(`${name}_count`)) continue;
      assert.ok(METRICS_OF_OTHERS[file]?.includes(name), `${file}: no pod tells ${name}`);
      untold.add(`${file} ${name}`);
    }
  }
  assert.equal([...untold].sort(), named(METRICS_OF_OTHERS));
  assert.ok(count > 0, 'none was found');
});

test('each metric of hosts is explained', () => {
  const text = read('deploy/operating.md');
  const metrics = BUILT_IN.flatMap(({ metrics: declared = [] }) => declared);
  assert.ok(metrics.length > 10, `only ${metrics.length} are declared`);
  for (const { name, labels } of metrics) {
    const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
    assert.ok(row, `deploy/operating.md has no row for ${name}`);
    for (const label of labels) assert.ok(row.includes(`\`${label}\``), `the row of ${name} lacks ${label}`);
  }
});

test('all that may be said to the baremetal-operator has a row, and what is said to be the same is', () => {
  const text = read('deploy/from-baremetal-operator.md');
  const rows = [...text.matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)].map(([, theirs = '', ours = '']) => ({
    theirs: [...theirs.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    ours: ours.trim(),
  }));
  for (const name of OF_THE_BAREMETAL_OPERATOR) {
    assert.is(rows.filter(({ theirs }) => theirs.includes(name)).length, 1, name);
  }
  const others = Object.values(VARIABLES_OF_OTHERS).flat();
  for (const { theirs, ours } of rows.filter((row) => /^(the same|none|`--)/.test(row.ours))) {
    for (const name of theirs) {
      const isOurs = name.startsWith('--') ? KNOWN_TO_RUN.has(name.slice(2)) : !others.includes(name);
      assert.is(isOurs, ours === 'the same', `${name}: ${ours}`);
    }
  }
});

test('options are found wherever a command is', () => {
  assert.equal(commandOptions('a `troupe why --output x`, `--y`\nnpm run -s troupe -- top --since 10m  # --z'), [
    { command: 'why', option: 'output' },
    { command: 'top', option: 'since' },
  ]);
  assert.equal(commandOptions('troupe bus credentials --secrets \\\n  --user=a'), [
    { command: 'bus credentials', option: 'secrets' },
    { command: 'bus credentials', option: 'user' },
  ]);
  assert.equal(loneOptions('`--a=b` and `--c-d`'), ['a', 'c-d']);
});

test.run();
