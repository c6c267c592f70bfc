// The machine that `troupe csi-proxy serve` serves: the one it runs on, or one in memory.
import type { Logger } from 'pino';
import type { Host } from '../../../adapters/csi-proxy/hosts/host.ts';
import { readSeedFile, seededMachine } from '../../../adapters/csi-proxy/hosts/memory/seeded-machine.ts';
import { realFiles } from '../../../adapters/csi-proxy/hosts/real-files.ts';
import { answerLimitMs } from '../../../adapters/csi-proxy/hosts/windows/answer-limits.ts';
import { windowsHost } from '../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { PowerShellWorker } from '../../../adapters/csi-proxy/hosts/windows/worker.ts';
import { powerShellCommand, startWorkerProcess } from '../../../adapters/csi-proxy/hosts/windows/worker-process.ts';
import { HostKind, type ServeFlags } from '../../../adapters/csi-proxy/server/flags.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';

export interface HostDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws {TerminalError} there is no Windows here, or the file with the machine makes no sense */
export async function openHost(
  { host, files, machine, limitsMs }: Pick<ServeFlags, 'host' | 'files' | 'machine' | 'limitsMs'>,
  { clock, log, env }: HostDeps,
): Promise<Host> {
  if (host === HostKind.Memory) {
    const folder = files === undefined ? {} : { files: realFiles({ folder: files, drives: 'folder' }) };
    const data = machine === undefined ? undefined : await readSeedFile('--machine', machine);
    return (await seededMachine(data, { clock, ...folder })).host;
  }
  if (process.platform !== 'win32')
    throw new TerminalError('--host windows needs Windows; --host memory runs anywhere');
  const command = powerShellCommand(env['SystemRoot'] ?? 'C:\\Windows');
  const start = () => startWorkerProcess(command, { environment: env, log });
  return windowsHost({
    clock,
    files: realFiles({ drives: 'own' }),
    worker: new PowerShellWorker({
      start,
      clock,
      log,
      // A caller that lets a call take longer means its work.
      answerLimitMs: (operation) =>
        Math.max(answerLimitMs(operation), limitsMs.get(`${operation[0]?.toUpperCase()}${operation.slice(1)}`) ?? 0),
    }),
  });
}
