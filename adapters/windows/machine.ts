// Machine whose storage a process manages: its own, or one in memory.
import { TerminalError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import type { AdapterLog, Settings } from '../api/adapter.ts';
import type { Host } from '../csi-proxy/hosts/host.ts';
import { readSeedFile, seededMachine } from '../csi-proxy/hosts/memory/seeded-machine.ts';
import { realFiles } from '../csi-proxy/hosts/real-files.ts';
import { windowsHost } from '../csi-proxy/hosts/windows/windows-host.ts';
import { PowerShellWorker } from '../csi-proxy/hosts/windows/worker.ts';
import { powerShellCommand, startWorkerProcess } from '../csi-proxy/hosts/windows/worker-process.ts';
import { DEVELOPMENT_MACHINE } from './development.ts';
import type { WindowsOptions } from './options.ts';

export interface OpeningPorts {
  readonly clock: Clock;
  readonly log: AdapterLog;
  readonly node: string;
}

/** Environment variables that PowerShell needs to find its modules and a place for files. */
const VARIABLES = ['SystemRoot', 'SystemDrive', 'Path', 'PSModulePath', 'TEMP', 'TMP', 'ComSpec'];

/** @throws {TerminalError} there is no Windows here, or the file of a machine in memory makes no sense */
export async function openMachine(
  { machine, machineFile }: WindowsOptions,
  variable: Settings['variable'],
  { clock, log }: OpeningPorts,
): Promise<Host> {
  if (machine !== 'windows') {
    const otherwise = machine === 'development' ? DEVELOPMENT_MACHINE : undefined;
    const data = machineFile === undefined ? otherwise : await readSeedFile('--windows-machine-file', machineFile);
    return (await seededMachine(data, { clock })).host;
  }
  if (process.platform !== 'win32') {
    throw new TerminalError('--windows-machine windows needs Windows; --windows-machine memory runs anywhere');
  }
  const environment = Object.fromEntries(
    VARIABLES.flatMap((name) => {
      const value = variable(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const command = powerShellCommand(environment['SystemRoot'] ?? 'C:\\Windows');
  const start = () => startWorkerProcess(command, { environment, log });
  return windowsHost({
    clock,
    files: realFiles({ drives: 'own' }),
    worker: new PowerShellWorker({ start, clock, log }),
  });
}
