// Histories by the thousand, in several processes. One that breaks something is played again, made smaller, and told.
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../actors/base/clock.ts';
import { refuse, scriptOptions, wholeNumber } from '../../deploy/script-options.ts';
import { judged } from './coverage.ts';
import { play, type Violation } from './history.ts';
import type { HistoryModel } from './model.ts';
import { mutated } from './mutant.ts';
import { MUTATIONS } from './mutations.ts';
import { MODELS, modelOf } from './plans.ts';
import { shrunk } from './shrink.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [MAIN, ...OTHERS] = MODELS as [HistoryModel, ...HistoryModel[]];

const USAGE = `Usage: npm run simulate -- [options]

Plays histories of the whole runtime under simulated time.

  --seed N         the first of them; 1 by default
  --histories N    how many; 100 by default, and beside ${OTHERS.map(({ about, every }) => `every ${every}th one of ${about}`).join(', ')}
  --jobs N         processes; one a processor by default
  --coverage       which transitions of the state machines were never taken; fails when there is one
  --without RULES  with rules switched off, one after another (names with commas between them, or 'all'):
                   fails unless a history notices
${OTHERS.map(({ name, about }) => `  --${name.padEnd(13)}  histories of ${about}, in place of all else`).join('\n')}
  --reported       tells the story of the first one
  --help           this
`;

interface Played {
  readonly seed: number;
  readonly model: string;
  readonly violation?: Violation;
}

interface Outcome {
  /** How many, by model. */
  readonly played: ReadonlyMap<string, number>;
  /** The least seed that broke something. */
  readonly broken: Played | undefined;
  readonly taken: ReadonlySet<string>;
}

interface Range {
  readonly first: number;
  readonly histories: number;
  readonly jobs: number;
  readonly coverage: boolean;
  /** Undefined: of all models. */
  readonly only: HistoryModel | undefined;
}

/** Histories a process: what simulated processes were waiting for when their history ended stays in memory, 1.5 MB of each. */
const A_PROCESS = 500;
// Little outlives its history, and nobody looks at the stack of an error before it is told.
const FLAGS = ['--max-semi-space-size=128', '--stack-trace-limit=0', '--conditions=@troupe/source'];

/** Plays histories in several processes, until all are played or one breaks something. */
async function playAll(root: string, { first, histories, jobs, coverage, only }: Range): Promise<Outcome> {
  const children: ChildProcess[] = [];
  const taken = new Set<string>();
  const played = new Map<string, number>();
  let broken: Played | undefined;
  const work = async (job: number): Promise<void> => {
    const all = Math.floor((histories - job + jobs - 1) / jobs);
    for (let done = 0; done < all && broken === undefined; done += A_PROCESS)
      await run(first + job + done * jobs, Math.min(A_PROCESS, all - done));
  };
  const run = async (from: number, count: number): Promise<void> => {
    const options = [...(coverage ? ['--coverage'] : []), ...(only === undefined ? [] : [only.name])];
    const worker = join(root, 'test/simulation/worker.ts');
    const child = spawn(process.execPath, [...FLAGS, worker, `${from}`, `${count}`, `${jobs}`, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    for await (const line of createInterface({ input: child.stdout })) {
      const reported = JSON.parse(line) as Partial<Played> & { readonly taken?: readonly string[] };
      for (const id of reported.taken ?? []) taken.add(id);
      if (reported.seed === undefined || reported.model === undefined) continue;
      played.set(reported.model, (played.get(reported.model) ?? 0) + 1);
      if (reported.violation === undefined || (broken !== undefined && broken.seed < reported.seed)) continue;
      broken = reported as Played;
      for (const other of children) other.kill();
    }
    const code = await ended;
    if (code !== 0 && broken === undefined) throw new Error(`a worker ended with exit code ${code}`);
  };
  await Promise.all(Array.from({ length: Math.min(jobs, histories) }, (_, job) => work(job)));
  return { played, broken, taken };
}

async function report(model: HistoryModel, seed: number, how: 'asIs' | 'smaller'): Promise<void> {
  let plan = model.plan(seed);
  const { violation } = await play(plan);
  if (violation !== undefined && how === 'smaller') plan = await shrunk(plan, violation);
  const { story } = await play(plan, { reported: true });
  process.stdout.write(`\nseed ${seed}, ${plan.steps.length} things that happen, ${plan.pods} processes:\n`);
  process.stdout.write(`${story.join('\n')}\n`);
}

async function withoutRule(names: readonly string[], range: Range): Promise<number> {
  let areFound = true;
  for (const mutation of MUTATIONS.filter(({ name }) => names.includes(name))) {
    const mutant = mutated(ROOT, mutation);
    try {
      const only = mutation.matter === undefined ? range.only : modelOf(mutation.matter);
      const { broken } = await playAll(mutant.root, { ...range, only });
      const { seed, violation } = broken ?? {};
      const found =
        violation === undefined ? `NOT FOUND in ${range.histories}` : `seed ${seed}: ${violation.invariant}`;
      process.stdout.write(`${mutation.name.padEnd(9)} ${mutation.without}: ${found}\n`);
      if (violation !== undefined) process.stdout.write(`          ${violation.text.slice(0, 200)}\n`);
      else areFound = false;
    } finally {
      mutant.remove();
    }
  }
  return areFound ? 0 : 1;
}

function tellCoverage(models: readonly HistoryModel[], taken: ReadonlySet<string>): number {
  const { all, taken: count, absent, missed, wrong } = judged(models, taken);
  process.stdout.write(`${count} of ${all} transitions were taken, and situations seen\n`);
  for (const id of absent) process.stdout.write(`rare, and not this time: ${id}\n`);
  for (const id of missed) process.stdout.write(`never: ${id}\n`);
  for (const id of wrong) process.stdout.write(`called unreachable, but taken or not in the charts: ${id}\n`);
  return missed.length + wrong.length === 0 ? 0 : 1;
}

async function playRange(range: Range): Promise<number> {
  const clock = systemClock();
  const startedAt = clock.now();
  const { played, broken, taken } = await playAll(ROOT, range);
  const seconds = ((clock.now() - startedAt) / 1_000).toFixed(1);
  const model = broken && modelOf(broken.model);
  if (broken?.violation !== undefined && model !== undefined) {
    const { invariant, text } = broken.violation;
    const among = model === MAIN ? '' : ` (${model.name})`;
    process.stdout.write(`seed ${broken.seed}${among} breaks ${invariant}: ${text}\n`);
    await report(model, broken.seed, 'smaller');
    return 1;
  }
  const all = [...played.values()].reduce((sum, count) => sum + count, 0);
  const others = OTHERS.map(({ name, about }) => `${played.get(name) ?? 0} of them of ${about}`);
  process.stdout.write(`${all} histories, ${others.join(', ')}, without a violation in ${seconds} s\n`);
  return range.coverage ? tellCoverage(range.only === undefined ? MODELS : [range.only], taken) : 0;
}

async function main(): Promise<number> {
  const only = Object.fromEntries(OTHERS.map(({ name }) => [name, { type: 'boolean' as const }]));
  const options = {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '100' },
    jobs: { type: 'string', default: `${availableParallelism()}` },
    coverage: { type: 'boolean', default: false },
    without: { type: 'string' },
    reported: { type: 'boolean', default: false },
  } as const;
  const { values } = scriptOptions(USAGE, { options: { ...only, ...options } });
  const whole = (name: 'seed' | 'histories' | 'jobs'): number => wholeNumber(name, values[name]);
  const range = {
    first: whole('seed'),
    histories: whole('histories'),
    jobs: whole('jobs'),
    coverage: values.coverage,
    only: OTHERS.find(({ name }) => (values as Readonly<Record<string, unknown>>)[name] === true),
  };
  if (values.without !== undefined) {
    const all = MUTATIONS.map(({ name }) => name);
    const names = values.without === 'all' ? all : values.without.split(',');
    const unknown = names.find((name) => !all.includes(name));
    if (unknown === undefined) return withoutRule(names, range);
    return refuse(`--without must name rules among ${all.join(', ')}; got '${unknown}'`);
  }
  if (!values.reported) return playRange(range);
  await report(range.only ?? MAIN, range.first, 'asIs');
  return 0;
}

process.exitCode = await main();
