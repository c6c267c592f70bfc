// Windows machine of `troupe dev`: in memory by default, and lost with the process.
import type { DevBackend, DevBackendPorts } from '../api/adapter.ts';
import { windowsOptions } from './options.ts';

const MACHINE = 'naa.600a0b8000';

/** A little of everything, as a file for `--windows-machine-file` would have it. The addresses are of documentation (RFC 5737). */
export const DEVELOPMENT_MACHINE = {
  disks: [
    { page83: `${MACHINE}01`, serialNumber: 'DEV-1', lun: 1, sizeGib: 20, state: 'offline' },
    { page83: `${MACHINE}02`, serialNumber: 'DEV-2', lun: 2, sizeGib: 10, state: 'offline' },
  ],
  shares: [{ path: '\\\\files.example.com\\reports', username: 'EXAMPLE\\reports', password: 'correct-horse' }],
  unknownShares: 'absent',
  targets: [
    {
      portal: { address: '192.0.2.60' },
      iqn: 'iqn.2026-01.com.example:orders',
      chap: { username: 'initiator', secret: 'twelve-bytes' },
      disks: [{ page83: `${MACHINE}03`, serialNumber: 'DEV-3', sizeGib: 40, state: 'offline' }],
    },
  ],
} as const;

/** Line that is printed about it. @throws {TerminalError} an option is wrong */
export async function devBackend(ports: DevBackendPorts): Promise<DevBackend> {
  const { machine, machineFile } = windowsOptions(ports);
  const close = async (): Promise<void> => undefined;
  if (machine === 'windows') return { description: 'Windows machine: this one', usage: [], close };
  return { description: `Windows machine: in memory, ${beginningOf(machine, machineFile)}`, usage: [], close };
}

function beginningOf(machine: 'memory' | 'development', file: string | undefined): string {
  if (file !== undefined) return `as ${file} says`;
  if (machine === 'memory') return 'with its drive C alone';
  const { disks, shares, targets } = DEVELOPMENT_MACHINE;
  return `with ${disks.length} disks, ${shares.length} share and ${targets.length} iSCSI target`;
}
