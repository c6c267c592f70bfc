// Commands as steps: a process with its output in a file, ended with all that it started when its time is over.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Clock } from '../../bus/time.ts';
import type { Outcome } from './plan.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Where its output goes: a server that it leaves running would hold a pipe open. */
  readonly logFile: string;
  readonly limitMs: number;
}

/** Between being asked to end and being ended, in milliseconds. */
const GRACE_MS = 20_000;
/** Shown of what a command printed, in lines. */
const SHOWN = 150;
const TOTALS = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;

export interface Ended {
  readonly ok: boolean;
  /** All that was printed. */
  readonly output: string;
  readonly how: string;
}

export async function runCommand(command: Command, clock: Clock, signal: AbortSignal): Promise<Ended> {
  const { program, args, env, folder, logFile, limitMs } = command;
  const log = openSync(logFile, 'w');
  const { promise, resolve } = Promise.withResolvers<string>();
  // A process group of its own, so that all of it can be ended.
  const child = spawn(program, [...args], { cwd: folder, env, stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const end = (signalName: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signalName);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  let why: string | undefined;
  let grace: ReturnType<Clock['setTimeout']> | undefined;
  const stop = (reason: string): void => {
    why ??= reason;
    end('SIGTERM');
    grace ??= clock.setTimeout(() => end('SIGKILL'), GRACE_MS);
  };
  const limit = clock.setTimeout(() => stop(`stopped after ${Math.round(limitMs / 1_000)} s`), limitMs);
  const interrupt = (): void => stop('interrupted');
  signal.addEventListener('abort', interrupt);
  child.on('error', (error) => resolve(error.message));
  child.on('exit', (code, by) => resolve(by === null ? (code === 0 ? '' : `exit code ${code}`) : `ended by ${by}`));
  const how = await promise;
  signal.removeEventListener('abort', interrupt);
  clock.clearTimeout(limit);
  if (grace !== undefined) {
    clock.clearTimeout(grace);
    end('SIGKILL');
  }
  const output = readFileSync(logFile, 'utf8');
  return { ok: how === '' && why === undefined, output, how: why ?? how };
}

/** One passed or one failed. */
export function asOne({ ok, output, how }: Ended): Outcome {
  return ok
    ? { passed: 1, failed: 0, skipped: 0, said: '' }
    : { passed: 0, failed: 1, skipped: 0, said: shown(output, how) };
}

/** As many as the last line says; without such a line, or when only the exit code tells of a failure, one failed. */
export function asTotals({ ok, output, how }: Ended): Outcome {
  const [, passed, failed, skipped] = TOTALS.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, skipped: 0, said: shown(output, ok ? 'no totals' : how) };
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  if (counts.failed > 0 || ok) {
    const reasons = output.split('\n').filter((line) => line.startsWith('skipped '));
    const said = counts.failed > 0 ? shown(output, how) : reasons.map((line) => line.replace(/ +/g, ' ')).join('\n');
    return { ...counts, said };
  }
  return { ...counts, failed: 1, said: shown(output, how) };
}

/** What failed where the command tells of that, else the end of what it printed. */
function shown(output: string, how: string): string {
  const lines = output.split('\n');
  const failures: string[] = [];
  let isShown = false;
  for (const line of lines) {
    if (/^[A-Za-z]/.test(line)) isShown = /^(FAILED|failed:)/.test(line);
    if (isShown) failures.push(line);
  }
  const reported = failures.length > 0 ? failures : lines;
  return [...reported.slice(-SHOWN).map((line) => line.slice(0, 400)), how].join('\n').trim();
}
