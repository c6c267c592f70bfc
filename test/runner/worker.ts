// A process that runs test files one after another, so that all of them share what they import.
//
// The parent sends a file; the answer is a line on standard output that begins with END. Everything printed
// before it belongs to the file.
//
// Invariants:
//   TEST-WORKER-1. A file that leaves a timer, a server, a socket or a child behind has failed if others follow: it would disturb them.
//   TEST-WORKER-2. A promise that nothing can settle any more ends its file as failed, and not the process.
//   TEST-WORKER-3. The environment and the working directory are for each file what they were at the start.
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../actors/base/clock.ts';
import { stopClocks } from '../world/clock.ts';

export const END = '\u0000end ';

export interface Order {
  readonly path: string;
  /** No other file follows in this process. */
  readonly isAlone: boolean;
}

/** What a file came to, counted in tests. */
export interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
  /** Suites that were run: without any, `.run()` is missing. */
  readonly suites: number;
  /** What is wrong with the file itself. */
  readonly reason?: string;
}

/** What uvu hands over for a suite: what failed as text, and the numbers of those passed, left out, and all. */
type RunSuite = () => Promise<readonly [string | true, number, number, number]>;

/** uvu collects suites here, and runs none of them by itself. */
const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: RunSuite[][] };

/** Longest real time in which what a file has closed may come to its end, in milliseconds. */
const ENDING_MS = 5_000;
const LOOK_MS = 20;
const clock = systemClock();
const startEnv = { ...process.env };
const startFolder = process.cwd();
let startResources: readonly string[] = [];
let failure: string | undefined;
/** Ends the wait for a file that waits for nothing. */
let onIdle: (() => void) | undefined;

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    failure ??= `an error that nobody caught: ${error instanceof Error ? error.message : String(error)}`;
    process.stdout.write(`${event}: ${text(error)}\n`);
  });
}

process.on('beforeExit', () => onIdle?.());

async function runSuites(path: string): Promise<Counts> {
  uvu.UVU_QUEUE = [[]];
  uvu.UVU_INDEX = 0;
  await import(pathToFileURL(path).href);
  const counts = { total: 0, passed: 0, skipped: 0, suites: 0 };
  for (const suite of uvu.UVU_QUEUE[0] ?? []) {
    const [errors, passed, skipped, total] = await suite();
    counts.suites += 1;
    counts.total += total;
    counts.passed += passed;
    counts.skipped += skipped;
    if (errors !== true) process.stdout.write(`\n${errors}\n`);
  }
  return counts;
}

/** What keeps the process alive, beyond what it had open before its first file. */
function leftovers(): readonly string[] {
  const own = [...startResources];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = own.indexOf(name);
    if (at >= 0) own.splice(at, 1);
    return at < 0 && name !== 'Immediate';
  });
}

/** Gives what was closed the time to end. @returns what is left then, in words */
async function left(): Promise<string | undefined> {
  for (let waitedMs = 0; leftovers().length > 0; waitedMs += LOOK_MS) {
    if (waitedMs > ENDING_MS) {
      const counts = Object.entries(Object.groupBy(leftovers(), (name) => name));
      return counts.map(([name, all]) => `${all?.length} x ${name}`).join(', ');
    }
    await clock.sleep(LOOK_MS);
  }
  return undefined;
}

async function run({ path, isAlone }: Order): Promise<Counts> {
  failure = undefined;
  // With nothing left to do the process says so, instead of waiting for its parent.
  process.channel?.unref();
  const nothing = Promise.withResolvers<undefined>();
  onIdle = () => nothing.resolve(undefined);
  const none = { total: 0, passed: 0, skipped: 0, suites: 0 };
  try {
    const counts = await Promise.race([runSuites(path), nothing.promise]);
    if (counts === undefined) return { ...none, reason: 'waits for what never happens' };
    await new Promise((resolve) => setImmediate(resolve));
    stopClocks();
    const remains = isAlone ? undefined : await left();
    const reason = failure ?? (remains === undefined ? undefined : `leaves behind ${remains}`);
    return reason === undefined ? counts : { ...counts, reason };
  } catch (error) {
    process.stdout.write(`${text(error)}\n`);
    return { ...none, reason: 'it does not load' };
  } finally {
    onIdle = undefined;
    process.channel?.ref();
    process.exitCode = 0;
    process.chdir(startFolder);
    for (const name of Object.keys(process.env)) if (!(name in startEnv)) delete process.env[name];
    Object.assign(process.env, startEnv);
  }
}

if (import.meta.main) {
  uvu.UVU_DEFER = 1;
  process.on('message', (order: Order) => {
    void run(order).then((counts) => process.stdout.write(`\n${END}${JSON.stringify(counts)}\n`));
  });
  process.on('disconnect', () => process.exit());
  // Opened by their first use.
  for (const stream of [process.stdout, process.stderr]) stream.write('');
  startResources = process.getActiveResourcesInfo();
}
