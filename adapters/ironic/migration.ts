// v1beta1 has no place for what was found out about the hardware of a host: before a host is stored in it, HardwareData has that.
import type { Companions } from '../api/migration.ts';
import { hardwareDataFor } from './api/conversion/storage.ts';
import { GROUP } from './api/types.ts';

export const metal3Companions: Companions = {
  group: GROUP,
  plural: 'baremetalhosts',
  companions: 'hardwaredata',
  wanted(host, hardwareData) {
    const change = hardwareDataFor(host, hardwareData);
    // Only what an inspection has just found replaces what is there, and there was none.
    return change.kind === 'replace' ? { ...change, kind: 'update' } : change;
  },
};
