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
import { BUILT_IN as ADAPTERS } from '../../actors/process/adapters.ts';
import { toldMetrics } from '../deploy/told-metrics.ts';
import { documents, ROOT } from './blocks.ts';

const test = suite('names in the documentation');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Options of all commands. */
const EVERYWHERE = ['help', 'version'];

/** The options of a command, by what follows `troupe`. */
const OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...(Object.keys(USAGES) as CommandName[]).map((name) => usageOf(name, ADAPTERS)),
    ...[BUS, MODEL, CSI_PROXY].flatMap((usages): Usage[] => Object.values(usages)),
  ].map(({ name, options }) => [name, new Set([...Object.keys(options), ...EVERYWHERE])]),
);
const KNOWN: ReadonlySet<string> = new Set([
  ...[...OPTIONS.values()].flatMap((options) => [...options]),
  ...Object.keys(allOptions(ADAPTERS)),
]);

/** Options of other programs that documents name by themselves. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'adapters/ocm/README.md': ['prefix'],
  'bus/recipes.md': ['raw'],
  'deploy/README.md': ['set'],
  'deploy/from-orc.md': ['leader-elect', 'scope-cache-max-size', 'zap-log-level', 'enable-http2'],
};

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

test('each variable that a document names is read', () => {
  const product = sourcesIn('actors', 'adapters', 'bus');
  const all = `${product}\n${sourcesIn('test')}`;
  /** Streams and buckets, which look alike. */
  const streams = ['TROUPE_HISTORY', 'TROUPE_MAIL', 'TROUPE_LEASES'];
  let count = 0;
  for (const file of documents()) {
    for (const [name] of read(file).matchAll(/\b(?<!KV_)(?:TROUPE|NATS|OTEL_EXPORTER|OS)_[A-Z][A-Z_]*[A-Z]\b/g)) {
      if (streams.includes(name)) continue;
      count++;
      const source = isOfTests(file) ? all : product;
      assert.ok(new RegExp(`['".]${name}\\b`).test(source), `${file}: nothing reads ${name}`);
    }
  }
  assert.ok(count > 30, `only ${count} were found`);
});

test('each metric that a document names is told', async () => {
  const names = new Set((await toldMetrics()).keys());
  let count = 0;
  for (const file of documents()) {
    for (const [name] of read(file).matchAll(/\btroupe_[a-z_]*[a-z]\b/g)) {
      count++;
      assert.ok(names.has(name) || names.has(`${name}_count`), `${file}: no pod tells ${name}`);
    }
  }
  assert.ok(count > 0, 'none was found');
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
