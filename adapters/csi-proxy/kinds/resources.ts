// Kinds as the API server is asked for their objects by operations.
import { resource } from './windows-kind.ts';

export const STORAGE_NODES = resource('WindowsStorageNode', 'windowsstoragenodes');
export const WINDOWS_DISKS = resource('WindowsDisk', 'windowsdisks');
export const ISCSI_TARGETS = resource('IscsiTarget', 'iscsitargets');
export const SMB_MAPPINGS = resource('SmbMapping', 'smbmappings');
