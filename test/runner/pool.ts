// Processes that run test files: a few that take one file after another, and one for each file that must be alone.
//
// Invariants:
//   TEST-POOL-1. A file that exceeds its limit is ended with everything it started, and has failed.
//   TEST-POOL-2. No file runs in a process in which another one failed.
//   TEST-POOL-3. What becomes of a process after its last file says nothing of the next file.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../bus/time.ts';
import type { TestFile } from './files.ts';
import { ended, judge, type Verdict } from './verdict.ts';
import { type Counts, END, type Order } from './worker.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** Kept of what a file prints, in characters: the end. */
const OUTPUT_LENGTH = 400_000;
/** A process that holds more than this after a file takes no other, in bytes. */
const MOST_BYTES = 1_500_000_000;

interface Listener {
  onOutput(chunk: string): void;
  onExit(how: string): void;
}

export interface Ran {
  readonly verdict: Verdict;
  readonly output: string;
}

/** One process for test files, started with its first one. */
export class Runner {
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  /** Who hears of a process: nobody any more once another file has begun. */
  readonly #listeners = new WeakMap<ChildProcess, Listener>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs one file; a file that must be alone gets a new process, and so does the next one after it. */
  async run(file: TestFile): Promise<Ran> {
    if (file.ownProcess) await this.end();
    const child = this.#child ?? this.#start();
    const { promise, resolve } = Promise.withResolvers<Ran>();
    let output = '';
    const finish = (verdict: (output: string) => Verdict): void => {
      this.#clock.clearTimeout(limit);
      this.#listeners.delete(child);
      const printed = stripVTControlCharacters(output);
      resolve({ verdict: verdict(printed), output: printed });
    };
    const limit = this.#clock.setTimeout(() => {
      this.#listeners.delete(child);
      void this.end().then(() => finish(() => ended(`stopped after ${file.limitMs / 1_000} s`)));
    }, file.limitMs);
    const onOutput = (chunk: string): void => {
      output = (output + chunk).slice(-OUTPUT_LENGTH);
      const at = output.indexOf(END);
      const until = at < 0 ? -1 : output.indexOf('\n', at);
      if (until < 0) return;
      const counts = JSON.parse(output.slice(at + END.length, until)) as Counts;
      output = output.slice(0, at);
      finish((printed) => judge(counts, printed));
    };
    const onExit = (how: string): void =>
      finish((printed) => (judge(NONE, printed).skipped === 1 ? judge(NONE, printed) : ended(how)));
    this.#listeners.set(child, { onOutput, onExit });
    child.send({ path: file.path, isAlone: file.ownProcess } satisfies Order);
    const ran = await promise;
    if (file.ownProcess || ran.verdict.failed > 0 || residentBytes(child) > MOST_BYTES) await this.end();
    return ran;
  }

  #start(): ChildProcess {
    const args = ['--conditions=development', '--conditions=@troupe/source', WORKER];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: process.platform !== 'win32', // a process group of its own
      env: { ...process.env, FORCE_COLOR: '0', NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile') },
    });
    const hear = (text: string): void => this.#listeners.get(child)?.onOutput(text);
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear);
    child.on('error', (error) => hear(`${error.message}\n`));
    child.on('exit', (code, signal) => {
      // What a file left running would hold the pipes open, and outlive this run.
      killGroup(child);
      if (this.#child === child) this.#child = undefined;
      const how = `the process ended by ${signal ?? `exit code ${code}`}`;
      child.on('close', () => this.#listeners.get(child)?.onExit(how));
    });
    this.#child = child;
    return child;
  }

  /** Ends the process with everything that its files started. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    killGroup(child);
    await exited;
  }

  /** The same, without waiting. */
  kill(): void {
    if (this.#child !== undefined) killGroup(this.#child);
  }
}

const NONE: Counts = { total: 0, passed: 0, skipped: 0, suites: 0 };

function residentBytes({ pid }: ChildProcess): number {
  if (process.platform !== 'linux' || pid === undefined) return 0;
  try {
    const pages = /^\d+ (\d+)/.exec(readFileSync(`/proc/${pid}/statm`, 'utf8'))?.[1];
    return Number(pages ?? 0) * 4_096;
  } catch {
    return 0; // it has ended meanwhile
  }
}

/** Ends a process and whatever it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)]);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: nobody is left in the group, which is how it should be. EPERM: only zombies are (macOS).
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
