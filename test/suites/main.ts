// Everything, as named suites with one table of results: `npm run test:all -- [options] [NAME...]`; and the gate.
//
// Counterparts are brought up as far as ../shared has them, each when the first suite that needs it has its turn, and are
// gone at the end. What cannot be had is said, and counts as skipped. The last line is `N passed, N failed, N skipped`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { refuse, scriptOptions } from '../../deploy/script-options.ts';
import { readImports } from '../imports.ts';
import { affected, changedFiles } from './changed.ts';
import { asOne, asTotals, type Ended, runCommand } from './command.ts';
import {
  bareEnv,
  COUNTERPARTS,
  type Counterpart,
  type Env,
  freePorts,
  type Place,
  PORTS,
  ROOT,
} from './counterparts.ts';
import { allSuites, gateSuites, type Suite } from './list.ts';
import { clockText, type Outcome, type Result, runPlan, type Step, sum, table, totals } from './plan.ts';

const USAGE = `Usage: npm run test:all -- [options] [NAME or part of one]...

Runs suites, each with the real counterparts that it needs.

  --list            the suites and what they need, and nothing else
  --changed         those that a change since origin/main can affect, by the graph of imports
  --since REF       with --changed: since that commit
  --fresh           all anew: without it, what has passed already on this very state of the tree is not run again
  --compare FILE    says what is slower, lost or worse than in an earlier result
  --output FILE     where the result goes; node_modules/.cache/troupe/test-all.json by default
  --gate            what is judged before a change is taken, and no more: all of it anew
  --installed S     with --gate: the seconds that \`npm ci\` took before, for the table
  --help            this text

An interrupted run goes on where it was when it is started again.
`;
const OUTPUT = join(ROOT, 'node_modules/.cache/troupe/test-all.json');

const clock = systemClock();
const beganAt = clock.now();

interface Stored {
  /** Of the commit and of what differs from it. */
  readonly tree: string;
  readonly results: readonly Result[];
}

function say(line: string): void {
  process.stdout.write(`[${clockText(clock.now() - beganAt)}] ${line}\n`);
}

/** Of the tree as it is, changes that are not committed included. */
function treeDigest(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const untracked = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);
    const hash = createHash('sha256').update(git('rev-parse', 'HEAD')).update(git('diff', 'HEAD'));
    for (const path of untracked) hash.update(path).update(readFileSync(join(ROOT, path)));
    return hash.digest('hex');
  } catch {
    return ''; // no checkout of git: nothing is remembered
  }
}

function stored(file: string): Stored | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Stored;
  } catch {
    return undefined;
  }
}

/** Environments of the counterparts that are up, by name. */
class Estate {
  readonly #folder: string;
  readonly #envs = new Map<string, Readonly<Record<string, string>>>();
  readonly #up: { readonly counterpart: Counterpart; readonly place: Place }[] = [];
  readonly #endings: Promise<void>[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whatever a suite with these needs is to know. */
  env(needs: readonly string[]): Env {
    let env = bareEnv(process.env);
    for (const need of closure(needs)) {
      for (const [name, value] of Object.entries(this.#envs.get(need) ?? {})) {
        env = { ...env, [name]: name === 'PATH' ? joined(value, env['PATH'] ?? '') : value };
      }
    }
    return env;
  }

  step(counterpart: Counterpart): Step {
    const { name, load, needs } = counterpart;
    return { name, needs, uses: [], load, run: (signal) => this.#bring(counterpart, signal) };
  }

  async #bring(counterpart: Counterpart, signal: AbortSignal): Promise<Outcome> {
    const { name, absent, up, limitMs, needs } = counterpart;
    const reason = absent();
    if (reason !== undefined) return { passed: 0, failed: 0, skipped: 1, said: reason };
    const { first, distances } = PORTS[name] ?? { first: 0, distances: [] };
    const place = {
      folder: join(this.#folder, name),
      port: distances.length === 0 ? 0 : await freePorts(first, distances),
    };
    mkdirSync(place.folder, { recursive: true });
    this.#up.push({ counterpart, place });
    const reported = join(this.#folder, `${name}.env`);
    const ended = await this.#bash(name, `exec 3>'${reported}'\n${up(place)}`, needs, limitMs, signal);
    const lines = ended.ok ? readFileSync(reported, 'utf8').split('\n') : [];
    this.#envs.set(
      name,
      Object.fromEntries(lines.flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : []))),
    );
    return asOne(ended);
  }

  #bash(name: string, text: string, needs: readonly string[], limitMs: number, signal: AbortSignal): Promise<Ended> {
    const logFile = join(this.#folder, `${name}.log`);
    const command = { program: 'bash', args: ['-c', `set -o pipefail\n${text}`], env: this.env(needs), folder: ROOT };
    return runCommand({ ...command, logFile, limitMs }, clock, signal);
  }

  /** Ends what these suites do not need any more: servers take a part of the processors also when nobody asks them. */
  async endUnneeded(left: readonly Suite[]): Promise<void> {
    const needed = closure(left.flatMap(({ needs }) => needs));
    await this.#end(({ name }) => !needed.includes(name));
  }

  /** Ends what was started. */
  async close(): Promise<void> {
    await this.#end(() => true);
    await Promise.all(this.#endings);
  }

  /** The newest first. */
  async #end(isOver: (counterpart: Counterpart) => boolean): Promise<void> {
    const over = this.#up.filter(({ counterpart }) => isOver(counterpart)).reverse();
    for (const each of over) this.#up.splice(this.#up.indexOf(each), 1);
    const ending = (async () => {
      for (const { counterpart, place } of over) {
        const { name, down, needs, limitMs } = counterpart;
        if (down === undefined) continue;
        const ended = await this.#bash(`${name}-down`, down(place), needs, limitMs, new AbortController().signal);
        if (!ended.ok) say(`${name} did not end as it should: ${ended.how}`);
      }
    })();
    this.#endings.push(ending);
    await ending;
  }
}

/** Entries of one path before those of another, each once. */
function joined(first: string, rest: string): string {
  return [...new Set([...first.split(':'), ...rest.split(':')])].join(':');
}

/** Counterparts with all that they need themselves, these first. */
function closure(needs: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const counterpart = COUNTERPARTS.find((each) => each.name === name);
    if (counterpart === undefined) throw new Error(`there is no counterpart '${name}'`);
    for (const need of counterpart.needs) visit(need);
    found.add(name);
  };
  for (const need of needs) visit(need);
  return [...found];
}

/** @throws {Error} a name that fits no suite: a misspelt one must not look like a pass */
function choose(suites: readonly Suite[], names: readonly string[]): readonly Suite[] {
  for (const name of names) {
    if (!suites.some((suite) => suite.name.includes(name)))
      throw new Error(`no suite fits '${name}'; --list names all`);
  }
  const exact = (suite: Suite, name: string): boolean =>
    suites.some((each) => each.name === name) ? suite.name === name : suite.name.includes(name);
  return names.length === 0 ? suites : suites.filter((suite) => names.some((name) => exact(suite, name)));
}

function stepOf(suite: Suite, estate: Estate, folder: string): Step {
  const { name, needs, uses = [], load, counts, limitMinutes, command } = suite;
  return {
    name,
    needs,
    uses,
    load,
    async run(signal) {
      const logFile = join(folder, `${name.replaceAll(/[^\w.-]+/g, '-')}.log`);
      const env = { ...estate.env(needs), ...suite.env };
      const limitMs = limitMinutes * 60_000;
      const ended = await runCommand(
        { program: 'npm', args: command, env, folder: ROOT, logFile, limitMs },
        clock,
        signal,
      );
      return counts === 'tests' ? asTotals(ended) : asOne(ended);
    },
  };
}

/** Nothing of all this leaves anything in the checkout. */
function untouched(): Result {
  const said = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  const failed = said === '' ? 0 : 1;
  return { name: 'the checkout as it was', passed: 1 - failed, failed, skipped: 0, said, fate: 'run', durationMs: 0 };
}

/** What is worse than it was. */
function compared(results: readonly Result[], before: readonly Result[]): readonly string[] {
  return before.flatMap((old) => {
    const now = results.find(({ name }) => name === old.name);
    if (now === undefined) return [`${old.name}: not run this time`];
    const lines: string[] = [];
    if (now.failed > old.failed) lines.push(`${old.name}: ${now.failed} failed, ${old.failed} before`);
    if (now.passed < old.passed) lines.push(`${old.name}: ${now.passed} passed, ${old.passed} before`);
    if (now.durationMs > 1.5 * old.durationMs + 5_000)
      lines.push(`${old.name}: ${clockText(now.durationMs)}, ${clockText(old.durationMs)} before`);
    return lines;
  });
}

async function main(): Promise<number> {
  const { values, positionals } = scriptOptions(USAGE, {
    options: {
      list: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      since: { type: 'string', default: 'origin/main' },
      installed: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      compare: { type: 'string' },
      output: { type: 'string', default: OUTPUT },
    },
    allowPositionals: true,
  });
  const all = choose(values.gate ? gateSuites() : allSuites(), positionals);
  const suites = values.changed ? affected(all, changedFiles(values.since), readImports(ROOT)) : all;
  if (values.list) {
    for (const { name, needs } of suites) process.stdout.write(`${name.padEnd(40)} ${needs.join(' ') || '-'}\n`);
    return 0;
  }

  const before = values.compare === undefined ? undefined : stored(values.compare);
  if (values.compare !== undefined && before === undefined)
    refuse(`'${values.compare}' is no result of an earlier run, which --output names`);
  const tree = treeDigest();
  const earlier = values.gate || values.fresh ? undefined : stored(values.output);
  const done =
    earlier?.tree === tree && tree !== ''
      ? earlier.results.filter(({ failed, fate }) => failed === 0 && fate === 'run')
      : [];
  const known = done.filter(({ name }) => suites.some((suite) => suite.name === name));
  for (const { name } of known) say(`${name}: passed before on this state of the tree; --fresh runs it again`);
  const wanted = suites.filter(({ name }) => !known.some((result) => result.name === name));

  const folder = mkdtempSync(join(tmpdir(), 'troupe-suites-'));
  const estate = new Estate(folder);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      say('interrupted');
      interruption.abort();
    });
  }
  const results: Result[] = [];
  const keep = (): void => {
    if (values.gate) return;
    mkdirSync(join(values.output, '..'), { recursive: true });
    const others = done.filter(({ name }) => !results.some((result) => result.name === name));
    writeFileSync(
      values.output,
      `${JSON.stringify({ tree, results: [...others, ...results] } satisfies Stored, undefined, 2)}\n`,
    );
  };
  const needed = COUNTERPARTS.filter(({ name }) => closure(wanted.flatMap(({ needs }) => needs)).includes(name));
  const steps = [
    ...needed.map((counterpart) => estate.step(counterpart)),
    ...wanted.map((suite) => stepOf(suite, estate, folder)),
  ];
  try {
    await runPlan(steps, interruption.signal, {
      clock,
      processors: availableParallelism(),
      onBegin: (name) => say(`${name} begins`),
      onEnd(result) {
        const { name, failed, skipped, passed, said, durationMs } = result;
        const word = failed > 0 ? 'FAILED' : passed === 0 && skipped > 0 ? 'skipped' : 'passed';
        const shown =
          failed > 0 ? `\n${said.replace(/^/gm, '    | ')}` : said === '' ? '' : `: ${said.split('\n').join('; ')}`;
        say(`${name} ${word} after ${clockText(durationMs)}${shown}`);
        results.push(result);
        if (!wanted.some((suite) => suite.name === name)) return;
        keep();
        void estate.endUnneeded(wanted.filter((suite) => !results.some((each) => each.name === suite.name)));
      },
    });
  } finally {
    await estate.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const shown = [...known, ...results];
  if (values.installed !== undefined) {
    const durationMs = Number(values.installed) * 1_000;
    shown.unshift({ name: 'npm ci', passed: 1, failed: 0, skipped: 0, said: '', fate: 'run', durationMs });
  }
  if (values.gate) shown.push(untouched());
  for (const { name, failed, said } of shown) {
    if (failed > 0) process.stdout.write(`\n=== ${name}\n${said}\n`);
  }
  process.stdout.write(`\n${table(shown)}`);
  for (const line of compared(shown, before?.results ?? [])) process.stdout.write(`worse than before: ${line}\n`);
  const counts = sum(shown);
  process.stdout.write(`${totals(counts)}\n`);
  return counts.failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.stdout.write('0 passed, 1 failed, 0 skipped\n');
  process.exitCode = 2;
}
