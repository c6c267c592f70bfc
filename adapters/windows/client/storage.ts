// A machine by way of the csi-proxy on it.
import type { Storage } from '../operations/storage.ts';
import { DISK, pipeDisks } from './disks.ts';
import { FILESYSTEM, pipeFiles, pipeShares, SMB } from './files.ts';
import type { Groups } from './groups.ts';
import { ISCSI, pipeSystem, pipeTargets, SYSTEM } from './targets.ts';
import { pipeVolumes, VOLUME } from './volumes.ts';

/** The versions that can do what is needed, by group. */
export const USABLE = [DISK, VOLUME, FILESYSTEM, SMB, ISCSI, SYSTEM] as const;

export function pipeStorage(groups: Groups): Storage {
  const filesystem = pipeFiles(groups);
  const volume = pipeVolumes(groups, filesystem);
  return {
    disk: pipeDisks(groups, volume),
    volume,
    filesystem,
    smb: pipeShares(groups, filesystem),
    iscsi: pipeTargets(groups),
    system: pipeSystem(groups),
  };
}
