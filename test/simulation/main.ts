// Histories by the thousand: `npm run simulate -- [options]`.
//
//   --seed N         the first of them; 1 by default
//   --histories N    how many; 100 by default, and beside every fifth one of bare-metal hosts, beside every eleventh one of Windows storage
//   --jobs N         processes; one a processor by default
//   --coverage       which transitions of the shared machines were never taken; fails when there is one
//   --without RULE   with a rule of the protocol, of hosts or of Windows storage switched off (those of `mutations.ts` and the lists that it
//                    has in it; `all`: one after another): fails unless a history notices
//   --hosts          histories of bare-metal hosts, in place of all else
//   --windows        histories of the storage of Windows machines, in place of all else
//   --told           tells the story of the first one
//
// A history that breaks something is played again, made smaller, and told.
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../../actors/clock.ts';
import { allTransitions, ofMatter, RARE, UNREACHABLE } from './coverage.ts';
import { play, type Violation } from './history.ts';
import { mutated } from './mutant.ts';
import { MUTATIONS } from './mutations.ts';
import { type Matter, planOfMatter } from './plans.ts';
import { shrunk } from './shrink.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Played {
  readonly seed: number;
  readonly matter: Matter;
  readonly steps: number;
  readonly violation?: Violation;
}

interface Outcome {
  readonly played: number;
  /** Of these, those of hosts, and of Windows storage. */
  readonly of: Readonly<Record<Matter, number>>;
  /** The least seed that broke something. */
  readonly broken: Played | undefined;
  readonly taken: ReadonlySet<string>;
}

interface Range {
  readonly first: number;
  readonly histories: number;
  readonly jobs: number;
  readonly coverage: boolean;
  readonly matter: Matter;
}

/** Histories a process: what simulated processes were waiting for when their history ended stays in memory, 1.5 MB of each. */
const A_PROCESS = 500;

/** Plays histories in several processes, until all are played or one breaks something. */
async function playAll(root: string, { first, histories, jobs, coverage, matter }: Range): Promise<Outcome> {
  const children: ChildProcess[] = [];
  const taken = new Set<string>();
  let played = 0;
  const of = { all: 0, hosts: 0, windows: 0 };
  let broken: Played | undefined;
  const work = async (job: number): Promise<void> => {
    const all = Math.floor((histories - job + jobs - 1) / jobs);
    for (let done = 0; done < all && broken === undefined; done += A_PROCESS)
      await run(first + job + done * jobs, Math.min(A_PROCESS, all - done));
  };
  const run = async (from: number, count: number): Promise<void> => {
    const options = [...(coverage ? ['--coverage'] : []), ...(matter === 'all' ? [] : [`--${matter}`])];
    const worker = join(root, 'test/simulation/worker.ts');
    // Little outlives its history: room for what is young saves a twentieth of the time.
    const flags = ['--max-semi-space-size=64', '--conditions=@troupe/source'];
    const child = spawn(process.execPath, [...flags, worker, `${from}`, `${count}`, `${jobs}`, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line) as Partial<Played> & { readonly taken?: readonly string[] };
      for (const id of told.taken ?? []) taken.add(id);
      if (told.seed === undefined) continue;
      played += 1;
      of[told.matter ?? 'all'] += 1;
      if (told.violation === undefined || (broken !== undefined && broken.seed < told.seed)) continue;
      broken = told as Played;
      for (const other of children) other.kill();
    }
    const code = await ended;
    if (code !== 0 && broken === undefined) throw new Error(`a worker ended with exit code ${code}`);
  };
  await Promise.all(Array.from({ length: Math.min(jobs, histories) }, (_, job) => work(job)));
  return { played, of, broken, taken };
}

async function tell(
  seed: number,
  { smaller, matter }: { readonly smaller: boolean; readonly matter: Matter },
): Promise<void> {
  let plan = planOfMatter(seed, matter);
  const { violation } = await play(plan);
  if (violation !== undefined && smaller) plan = await shrunk(plan, violation);
  const { story } = await play(plan, { told: true });
  process.stdout.write(`\nseed ${seed}, ${plan.steps.length} things that happen, ${plan.pods} processes:\n`);
  process.stdout.write(`${story.join('\n')}\n`);
}

async function withoutRule(names: readonly string[], range: Range): Promise<boolean> {
  let areFound = true;
  for (const mutation of MUTATIONS.filter(({ name }) => names.includes(name))) {
    const mutant = mutated(ROOT, mutation);
    try {
      const matter = mutation.matter ?? range.matter;
      const { broken } = await playAll(mutant.root, { ...range, matter });
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
  return areFound;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      histories: { type: 'string', default: '100' },
      jobs: { type: 'string', default: `${availableParallelism()}` },
      coverage: { type: 'boolean', default: false },
      hosts: { type: 'boolean', default: false },
      windows: { type: 'boolean', default: false },
      without: { type: 'string' },
      told: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'seed' | 'histories' | 'jobs'): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name} must be a whole number, at least 1; got '${values[name]}'`);
    return value;
  };
  const { coverage } = values;
  const matter: Matter = values.windows ? 'windows' : values.hosts ? 'hosts' : 'all';
  const range = { first: whole('seed'), histories: whole('histories'), jobs: whole('jobs'), coverage, matter };
  if (values.without !== undefined) {
    const all = MUTATIONS.map(({ name }) => name);
    const names = values.without === 'all' ? all : values.without.split(',');
    const unknown = names.find((name) => !all.includes(name));
    if (unknown !== undefined) throw new Error(`--without must name rules among ${all.join(', ')}; got '${unknown}'`);
    return (await withoutRule(names, range)) ? 0 : 1;
  }
  if (values.told) {
    await tell(range.first, { smaller: false, matter });
    return 0;
  }
  const clock = systemClock();
  const startedAt = clock.now();
  const { played, of: counts, broken, taken } = await playAll(ROOT, range);
  const seconds = ((clock.now() - startedAt) / 1_000).toFixed(1);
  if (broken?.violation !== undefined) {
    const { invariant, text } = broken.violation;
    const among = broken.matter === 'all' ? '' : ` (${broken.matter})`;
    process.stdout.write(`seed ${broken.seed}${among} breaks ${invariant}: ${text}\n`);
    await tell(broken.seed, { smaller: true, matter: broken.matter });
    return 1;
  }
  process.stdout.write(
    `${played} histories, ${counts.hosts} of them of hosts and ${counts.windows} of Windows storage, without a violation in ${seconds} s\n`,
  );
  if (!range.coverage) return 0;
  const [all = [], unreachable = [], rare = []] = [allTransitions(), UNREACHABLE, RARE].map((ids) =>
    ofMatter(matter, ids),
  );
  const missed = all.filter((id) => !taken.has(id) && !unreachable.includes(id) && !rare.includes(id));
  const wrong = [
    ...unreachable.filter((id) => taken.has(id) || !all.includes(id)),
    ...rare.filter((id) => !all.includes(id)),
  ];
  process.stdout.write(`${taken.size} of ${all.length} transitions were taken\n`);
  for (const id of rare) if (!taken.has(id)) process.stdout.write(`rare, and not this time: ${id}\n`);
  for (const id of missed) process.stdout.write(`never: ${id}\n`);
  for (const id of wrong) process.stdout.write(`called unreachable, but taken or not in the charts: ${id}\n`);
  return missed.length + wrong.length === 0 ? 0 : 1;
}

process.exitCode = await main();
