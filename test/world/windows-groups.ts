// The groups' servers on a host, without gRPC in between.
import { pino } from 'pino';
import type { MemoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { Server as DiskServer } from '../../adapters/csi-proxy/server/disk/server.ts';
import { Server as FilesystemServer } from '../../adapters/csi-proxy/server/filesystem/server.ts';
import { type GroupOptions, groupDeps, KUBELET_PATH } from '../../adapters/csi-proxy/server/group-deps.ts';
import { Server as IscsiServer } from '../../adapters/csi-proxy/server/iscsi/server.ts';
import type { CallContext } from '../../adapters/csi-proxy/server/runtime.ts';
import { Server as SmbServer } from '../../adapters/csi-proxy/server/smb/server.ts';
import { Server as SystemServer } from '../../adapters/csi-proxy/server/system/server.ts';
import { Server as VolumeServer } from '../../adapters/csi-proxy/server/volume/server.ts';

export const KUBELET = KUBELET_PATH;
export const GIB = 2n ** 30n;
export const MIB = 2n ** 20n;

const log = pino({ level: 'silent' });

export function callContext(signal = new AbortController().signal): CallContext {
  return { signal, deadlineAt: undefined, log };
}

export function groupServers(options: GroupOptions) {
  const deps = groupDeps(options);
  return {
    disk: new DiskServer(deps),
    volume: new VolumeServer(deps),
    filesystem: new FilesystemServer(deps),
    smb: new SmbServer(deps),
    iscsi: new IscsiServer(deps),
    system: new SystemServer(deps),
  };
}

export type GroupServers = ReturnType<typeof groupServers>;

/** A disk with one volume of NTFS, seen by the machine. */
export async function formattedDisk(machine: MemoryMachine, sizeBytes = 10n * GIB): Promise<number> {
  return machine.disks.attachSeen(machine.disks.make({ sizeBytes, content: { style: 'GPT', fileSystem: 'NTFS' } }));
}
