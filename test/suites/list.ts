// Suites: what `npm run test:all` runs, and the gate, each with a name of its own.
//
// A test file that says `// needs: kube nats` in its first lines is a suite of its own, with the counterparts of
// `counterparts.ts` that it names; `// needs: nothing` is one that brings all it needs. Everything else is listed here.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ROOT } from './counterparts.ts';

export interface Suite {
  readonly name: string;
  /** What it runs, as an argument list of `npm`; `run.ts` for test files. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Counterparts, by name. */
  readonly needs: readonly string[];
  /** Things that no other suite may use meanwhile, beside the counterparts. */
  readonly uses?: readonly string[];
  readonly load: number;
  readonly limitMinutes: number;
  /** Whether the last line has totals; else the exit code decides. */
  readonly counts: 'tests' | 'exit code';
  /** Files or folders of which a change affects it, beyond what they import. `.` is everything. */
  readonly roots: readonly string[];
}

const HEAD_LENGTH = 1_000;
const TEST = join(ROOT, 'test');
/** Real servers that a suite has for itself; and Wine, where a program starts too late beside the start of another Windows. */
const SHARED = new Set(['kube', 'openstack', 'ironic', 'nats', 'wine']);

/** Seeds are the same for everybody: others each day would find more, and be nobody's fault. */
const SEED = '1';

function runs(...args: readonly string[]): readonly string[] {
  return ['run', '-s', ...args];
}

/** The test files that are suites of their own. */
export function fileSuites(): readonly Suite[] {
  return readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path).split(sep).join('/'))
    .sort()
    .flatMap((path): readonly Suite[] => {
      const head = readFileSync(join(ROOT, path), 'utf8').slice(0, HEAD_LENGTH);
      const needs = /^\/\/ needs: (.+)$/m.exec(head)?.[1]?.split(' ');
      if (needs === undefined) return [];
      const counterparts = needs.filter((need) => need !== 'nothing');
      return [
        {
          name: path.replace(/^test\/(real\/)?/, '').replace(/\.test\.ts$/, ''),
          command: ['test', '-s', '--', '--jobs', '1', path],
          env: { SEED },
          needs: counterparts,
          uses: counterparts.filter((need) => SHARED.has(need)),
          load: 0.5,
          limitMinutes: 60,
          counts: 'tests',
          roots: [path],
        },
      ];
    });
}

const CHECK: Suite = {
  name: 'check',
  command: runs('check'),
  needs: [],
  load: 1,
  limitMinutes: 15,
  counts: 'exit code',
  roots: ['.'],
};
const UNIT: Suite = {
  name: 'unit',
  command: ['test', '-s'],
  needs: ['nats-programs'],
  load: 2,
  limitMinutes: 20,
  counts: 'tests',
  roots: ['.'],
};
const DEMO: Suite = {
  name: 'demo',
  command: runs('demo'),
  needs: [],
  load: 1,
  limitMinutes: 10,
  counts: 'exit code',
  roots: ['actors/cli.js', 'actors/cli'],
};
/** The tests that are too long for each change; with the programs that some of them look for. */
const LONG: Suite = {
  name: 'long',
  command: runs('test:long'),
  env: { SEED, KILLS: '50', CROWD: '1000', CASES: '50000', SEQUENCES: '1000' },
  needs: ['nats-programs', 'kube-programs', 'chromium', 'helm', 'actionlint', 'otlp-reader', 'promtool'],
  load: 2,
  limitMinutes: 60,
  counts: 'tests',
  roots: ['.'],
};
const DEPLOY: Suite = {
  name: 'deploy',
  command: ['test', '-s', '--', 'test/deploy', 'test/docs'],
  needs: ['nats-programs', 'kube-programs', 'helm', 'actionlint', 'promtool'],
  load: 2,
  limitMinutes: 20,
  counts: 'tests',
  roots: ['deploy', 'test/deploy', 'test/docs', 'README.md', 'CONTRIBUTING.md', '.github'],
};
/** More mutated models and calls at random, and in any order, than there is time for each time. */
const CASES: Suite = {
  name: 'more cases',
  command: ['test', '-s', '--', 'ocm/fuzz.test', 'csi-proxy/server/fuzz.test', 'csi-proxy/server/model.test'],
  env: { SEED, CASES: '50000', SEQUENCES: '1000' },
  needs: [],
  load: 2,
  limitMinutes: 20,
  counts: 'tests',
  roots: ['adapters/ocm', 'adapters/csi-proxy'],
};

function histories(count: number, ...args: readonly string[]): Suite {
  return {
    name: `${count} histories`,
    command: runs('simulate', '--', '--histories', String(count), ...args),
    needs: [],
    load: 2,
    limitMinutes: 60,
    counts: 'exit code',
    roots: ['test/simulation/main.ts', 'test/simulation'],
  };
}

function mutations(name: string, ...args: readonly string[]): Suite {
  return {
    name,
    command: runs('mutate', ...(args.length > 0 ? ['--', ...args] : [])),
    needs: [],
    load: 2,
    limitMinutes: 240,
    counts: 'exit code',
    roots: ['.'],
  };
}

/** As CONTRIBUTING.md says, where nobody has done it before. */
const SCAFFOLD: Suite = {
  name: 'scaffold',
  command: runs('test:scaffold'),
  needs: ['kube-programs'],
  load: 1,
  limitMinutes: 20,
  counts: 'exit code',
  roots: ['adapters/openstack', 'actors/cli', 'deploy'],
};

/** Everything. */
export function allSuites(): readonly Suite[] {
  return [
    CHECK,
    UNIT,
    DEMO,
    DEPLOY,
    CASES,
    LONG,
    SCAFFOLD,
    histories(2_000, '--coverage'),
    ...fileSuites(),
    mutations('all mutations'),
  ];
}

/** Long tests that each change is judged by, too, though not each run of `npm test`. */
export const JUDGED_BY = [
  'test/actors/building.test.ts',
  'test/actors/cli/bus/credentials.test.ts',
  'test/actors/sharing.test.ts',
  'test/actors/visualizer/source.test.ts',
  'test/actors/webhooks/server.test.ts',
  'test/adapters/csi-proxy/check/replay.test.ts',
  'test/adapters/csi-proxy/codec/reference.test.ts',
  'test/adapters/windows/connections.test.ts',
  'test/adapters/windows/paths-of-others.test.ts',
  'test/adapters/windows/client/nodes.test.ts',
  'test/adapters/windows/client/paths-of-others.test.ts',
  'test/adapters/windows/kinds/windows-volume.test.ts',
  'test/adapters/ironic/calls.test.ts',
  'test/adapters/ironic/kinds/firmware.test.ts',
  'test/adapters/ironic/takeover.test.ts',
  'test/adapters/simulated/kubernetes/storage/folder.test.ts',
  'test/adapters/kubernetes/list-memory.test.ts',
  'test/adapters/ocm/commands.test.ts',
  'test/adapters/ocm/fuzz.test.ts',
  'test/adapters/ocm/generators.test.ts',
  'test/adapters/ocm/lsp-answers.test.ts',
  'test/bus/nats-server.test.ts',
  'test/docs/manifests.test.ts',
  'test/example-adapter/example.test.ts',
  'test/machines/bare-metal-host/histories.test.ts',
];
const HEAVY: Suite = {
  name: 'heavy',
  command: runs('test:long', '--', ...JUDGED_BY),
  needs: ['nats-programs'],
  load: 2,
  limitMinutes: 10,
  counts: 'tests',
  roots: JUDGED_BY,
};

/** One smoke on each real counterpart. */
const SMOKES = [
  'smoke/landscape',
  'smoke/host',
  'bus/nats-bus',
  'bus/nats-bus-oldest',
  'smoke/pipe',
  'actors/landscape-page',
];
/** Histories that have found a fault before. */
const NAMED = 'simulation/named';

/** What is judged before a change is taken. */
export function gateSuites(): readonly Suite[] {
  const files = fileSuites();
  const those = [...SMOKES, NAMED].map((name) => {
    const found = files.find((suite) => suite.name === name);
    if (found === undefined) throw new Error(`there is no suite '${name}'`);
    return { ...found, limitMinutes: 15 };
  });
  return [CHECK, UNIT, HEAVY, ...those, histories(500), mutations('10 mutations', '--sample', '10'), DEMO];
}
