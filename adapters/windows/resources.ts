// Kinds as the API server is asked for their objects by operations.

import { MANAGER, resource } from './kinds/windows-kind.ts';
import { NODE_GONE } from './names.ts';

export const STORAGE_NODES = {
  ...resource('WindowsStorageNode', 'windowsstoragenodes'),
  retains: { annotations: [NODE_GONE], recorded: { manager: MANAGER, members: ['nodeName', 'nodeTakenAt'] } },
} as const;
export const WINDOWS_DISKS = resource('WindowsDisk', 'windowsdisks');
export const WINDOWS_VOLUMES = resource('WindowsVolume', 'windowsvolumes');
export const WINDOWS_MOUNTS = resource('WindowsMount', 'windowsmounts');
export const SMB_MAPPINGS = resource('SmbMapping', 'smbmappings');
export const ISCSI_TARGETS = resource('IscsiTarget', 'iscsitargets');
