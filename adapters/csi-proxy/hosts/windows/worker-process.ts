// The process of a worker, as lines.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { getAsset, isSea } from 'node:sea';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { AdapterLog } from '../../../api/adapter.ts';

export interface WorkerProcess {
  /** Called once, before anything is sent. */
  listen(listener: { line(line: string): void; ended(how: string): void }): void;
  send(line: string): void;
  /** It ends when it has read what was sent. */
  end(): void;
  kill(): void;
}

/** Everything that the process is started with: nothing of it comes from a caller. */
export interface WorkerCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const SCRIPT = 'worker.ps1';

/**
 * The command that starts the worker. The script, or its place, is a variable, so that it need not be quoted either.
 *
 * @param systemRoot  such as `C:\Windows`: the program is not looked for
 * @param script  the text itself, where it is in the executable: a file that is written first could be replaced by others
 */
export function powerShellCommand(
  systemRoot: string,
  script: string | undefined = isSea() ? getAsset(SCRIPT, 'utf8') : undefined,
): WorkerCommand {
  const place = (): string => fileURLToPath(new URL(`./${SCRIPT}`, import.meta.url));
  return {
    program: `${systemRoot}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    arguments: [
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-ExecutionPolicy',
      'Bypass',
      '-Command',
      script === undefined
        ? '& $env:TROUPE_CSI_PROXY_WORKER'
        : '& ([scriptblock]::Create($env:TROUPE_CSI_PROXY_WORKER))',
    ],
    environment: { TROUPE_CSI_PROXY_WORKER: script ?? place() },
  };
}

/** @param options.environment  of this process, handed on as it is */
export function startWorkerProcess(
  command: WorkerCommand,
  { environment, log }: { environment: NodeJS.ProcessEnv; log: AdapterLog },
): WorkerProcess {
  const child = spawn(command.program, command.arguments, {
    env: { ...environment, ...command.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // A failed write is reported when the process ends.
  child.stdin.on('error', (err) => log.debug({ err }, 'the worker of PowerShell does not read'));
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.warn({ line: line.slice(0, 500) }, 'PowerShell worker wrote to standard error');
  });
  return {
    listen({ line, ended }) {
      eachLine(child.stdout, line);
      let failure: Error | undefined;
      child.once('error', (error) => {
        failure = error;
        // A program that could not be started has no end to wait for.
        if (child.pid === undefined) ended(error.message);
      });
      child.once('close', (code, signal) => {
        if (child.pid !== undefined) ended(failure?.message ?? (signal === null ? `exit code ${code}` : signal));
      });
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    end: () => child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Not with `node:readline`, for which U+2028, part of a name perhaps, ends a line too. */
function eachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
