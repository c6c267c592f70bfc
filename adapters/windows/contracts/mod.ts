// The contracts of the group `windows.troupe.dev`, those that others build on first.
import type { KindContract } from '../../api/contract/crds.ts';
import { iscsiTargetContract, smbMappingContract, windowsStorageNodeContract } from './machine.ts';
import { windowsDiskContract, windowsMountContract, windowsVolumeContract } from './storage.ts';

export const windowsContracts: readonly KindContract[] = [
  windowsStorageNodeContract,
  iscsiTargetContract,
  windowsDiskContract,
  windowsVolumeContract,
  smbMappingContract,
  windowsMountContract,
];
