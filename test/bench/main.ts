// Benchmarks: `npm run bench -- NAME [options]`; README.md in this folder says what each measures. Figures, limits and
// ratios are printed as medians over the runs; `--json` prints every run as well, for programs.
import { systemClock } from '../../actors/base/clock.ts';
import { refuse, scriptOptions, wholeNumber } from '../../deploy/script-options.ts';
import { apiServer } from './api-server.ts';
import { chain } from './chain.ts';
import { churn } from './churn.ts';
import { csiProxy } from './csi-proxy.ts';
import { fan } from './fan.ts';
import { profileTable, type Report, summary, table } from './figures.ts';
import { gateway } from './gateway.ts';
import { hosts } from './hosts.ts';
import { idle, idleAll } from './idle.ts';
import { model } from './model.ts';
import { neighbor } from './neighbor.ts';
import { openstack } from './openstack.ts';
import { page } from './page.ts';
import { CLIENTS, real } from './real.ts';
import { walk } from './walk.ts';

/** Between two lines of progress where there is no terminal, in milliseconds. */
const TOLD_EVERY_MS = 10_000;
const IN_FLIGHT = 64;

const clock = systemClock();
let toldAt = Number.NEGATIVE_INFINITY;

interface Options {
  readonly count: number;
  readonly latencyMs: number;
  readonly inFlight: number;
  readonly profile: boolean;
  /** On real services: `openstack` alone. */
  readonly isReal: boolean;
  onProgress(line: string): void;
}

interface Benchmark {
  readonly counts: readonly number[];
  readonly runs: number;
  /** Calls to the cloud at a time, unless the command line says otherwise. */
  readonly inFlight?: number;
  readonly goals: Readonly<Record<string, number>>;
  run(options: Options): Promise<Report>;
}

const USAGE = `Usage: npm run bench -- [NAME] [options]

Measures the benchmark NAME (default chain): chain, real, idle, idle-all, openstack, hosts, fan, neighbor, churn, api-server,
csi-proxy, model, gateway, page or walk. test/bench/README.md explains each one.

  --count N        number of objects (default: of the benchmark)
  --runs N         number of runs; figures are medians (default: of the benchmark)
  --latency-ms N   latency of the cloud, in milliseconds (default 50)
  --in-flight N    calls to the cloud at a time (default: of the benchmark)
  --real           on the cloud of OS_CLIENT_CONFIG_FILE; openstack only
  --profile        where processor time goes; of walk, which functions ran
  --json           every run, for programs
  --help           this text
`;
const { values, positionals } = scriptOptions(USAGE, {
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    'latency-ms': { type: 'string', default: '50' },
    'in-flight': { type: 'string' },
    runs: { type: 'string' },
    real: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const CALLS = { 'up.callsPerObject': 1.1 };

const benchmarks: Readonly<Record<string, Benchmark>> = {
  chain: {
    counts: [1_000],
    runs: 3,
    goals: { ...CALLS, 'up.ratio': 1.5, 'up.writesPerObject': 2.2, 'reaction.medianMs': 3, 'reaction.p99Ms': 20 },
    run: chain,
  },
  real: {
    counts: [100],
    runs: 3,
    inFlight: CLIENTS,
    goals: { ...CALLS, 'up.ratio': 1.3, 'down.ratio': 1.3 },
    run: real,
  },
  idle: {
    counts: [10_000, 50_000],
    runs: 1,
    goals: {
      '10000.residentMb': 150,
      '50000.residentMb': 600,
      '10000.restartMs': 5_000,
      '10000.idle.callsAMinute': 0,
      '50000.idle.callsAMinute': 0,
    },
    run: idle,
  },
  'idle-all': {
    counts: [10_000],
    runs: 1,
    goals: { 'restart.calls': 0, 'restart.writes': 0, 'idle.callsAMinute': 0, 'idle.writesAMinute': 0 },
    run: idleAll,
  },
  openstack: {
    counts: [values.real ? 30 : 300],
    runs: 3,
    ...(values.real && { inFlight: CLIENTS }),
    goals: { 'up.ratio': 1.3, 'down.ratio': 1.3, 'up.directRatio': 1.3, 'down.directRatio': 1.3 },
    run: openstack,
  },
  hosts: {
    counts: [1_000],
    runs: 1,
    inFlight: 100,
    goals: {
      'settled.callsOfReference': 0.01,
      'waiting.callsOfReference': 0.01,
      'reaction.longPauses': 1.5,
      'enrol.reactionPauses': 1.5,
      'enrol.referenceRatio': 1,
    },
    run: hosts,
  },
  fan: { counts: [1_000], runs: 3, goals: {}, run: fan },
  neighbor: {
    counts: [3_000],
    runs: 1,
    inFlight: CLIENTS,
    goals: { 'creating.ratio': 3, 'deleting.ratio': 3 },
    run: neighbor,
  },
  churn: { ...alone(1_000_000, churn), runs: 1 },
  'api-server': alone(10_000, apiServer),
  'csi-proxy': alone(10_000, csiProxy, {
    'ratio.1.perSecond': 0.8,
    'ratio.64.perSecond': 0.8,
    'mounts.atOnceRatio': 0.1,
  }),
  model: alone(958, model),
  walk: {
    counts: [1],
    runs: 1,
    goals: { 'subnet.up.files': 70, 'subnet.up.functions': 600, 'host.up.files': 110 },
    run: ({ profile }) => walk({ isListed: profile }),
  },
  page: {
    ...alone(5_000, page, {
      'small.firstMs': 300,
      'large.firstMs': 1_000,
      'changes.delayMs': 250,
      'changes.scriptMsABatch': 8,
      'memory.heapMb': 150,
      'memory.grownMb': 5,
    }),
    runs: 1,
  },
  gateway: alone(10_000, gateway, { 'search.p99Ms': 20, 'get.p99Ms': 5, 'start.ms': 1_500, 'start.residentMb': 150 }),
};

const [name = 'chain'] = positionals;
const benchmark = benchmarks[name];
if (benchmark === undefined) refuse(`there is no benchmark '${name}'; there is: ${Object.keys(benchmarks).join(', ')}`);
await measure(name, benchmark);

async function measure(name: string, benchmark: Benchmark): Promise<void> {
  const counts = values.count === undefined ? benchmark.counts : [wholeNumber('count', values.count)];
  const runs = values.runs === undefined ? benchmark.runs : wholeNumber('runs', values.runs);
  const reports: Report[] = [];
  for (let run = 1; run <= runs; run++) {
    let report: Report = { figures: {} };
    for (const count of counts) {
      const {
        figures,
        profile,
        notes = [],
      } = await benchmark.run({
        count,
        latencyMs: wholeNumber('latency-ms', values['latency-ms']),
        inFlight: wholeNumber('in-flight', values['in-flight'] ?? String(benchmark.inFlight ?? IN_FLIGHT)),
        profile: values.profile,
        isReal: values.real,
        onProgress: (line) => progress(`${name} ${count}, run ${run} of ${runs}: ${line}`),
      });
      report = {
        figures: { ...report.figures, ...(counts.length > 1 || name === 'idle' ? prefixed(count, figures) : figures) },
        profile,
        notes,
      };
    }
    reports.push(report);
  }
  progress('');
  const figures = summary(reports);
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ name, runs: reports, summary: figures, goals: benchmark.goals })}\n`);
    return;
  }
  process.stdout.write(`${name}, median${runs > 1 ? ` (min..max) of ${runs} runs` : ''}\n`);
  process.stdout.write(table(figures, benchmark.goals));
  for (const note of new Set(reports.flatMap(({ notes = [] }) => notes))) process.stdout.write(`${note}\n`);
  const { profile } = reports.at(-1) ?? {};
  if (profile !== undefined) process.stdout.write(`\n${profileTable(profile)}`);
}

/** A benchmark that needs neither a stage nor a goal. */
function alone(
  count: number,
  run: (options: Options) => Promise<Report['figures']>,
  goals: Benchmark['goals'] = {},
): Benchmark {
  return { counts: [count], runs: 3, goals, run: async (options) => ({ figures: await run(options) }) };
}

function prefixed(count: number, figures: Report['figures']): Report['figures'] {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${count}.${name}`, value]));
}

/** One line on a terminal that is written over and over; elsewhere a line now and then. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else if (line !== '' && clock.now() - toldAt >= TOLD_EVERY_MS) {
    toldAt = clock.now();
    process.stderr.write(`${line}\n`);
  }
}
