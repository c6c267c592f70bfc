// Kinds as the API server is asked for their objects by operations.
import { resource } from './windows-kind.ts';

export const STORAGE_NODES = resource('WindowsStorageNode', 'windowsstoragenodes');
export const WINDOWS_DISKS = resource('WindowsDisk', 'windowsdisks');
export const WINDOWS_VOLUMES = resource('WindowsVolume', 'windowsvolumes');
export const WINDOWS_MOUNTS = resource('WindowsMount', 'windowsmounts');
export const SMB_MAPPINGS = resource('SmbMapping', 'smbmappings');
export const ISCSI_TARGETS = resource('IscsiTarget', 'iscsitargets');
