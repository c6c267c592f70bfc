// Disks by csi-proxy. Whether one is raw it does not tell: it gives a disk a partition by a call that looks itself, and changes nothing on
// one that has any.
import * as v1 from '../../csi-proxy/client/disk/v1/client_generated.ts';
import * as v1beta2 from '../../csi-proxy/client/disk/v1beta2/client_generated.ts';
import * as v1beta3 from '../../csi-proxy/client/disk/v1beta3/client_generated.ts';
import type { DiskIdentity } from '../../csi-proxy/hosts/host.ts';
import { formatLocation } from '../../csi-proxy/server/disk/location.ts';
import type { StorageDisks, StorageVolumes } from '../operations/storage.ts';
import type { Groups } from './groups.ts';
import { done } from './outcome.ts';

/** Older ones do not tell whether a disk is online, or by what it is known. */
export const DISK = [v1, v1beta3, v1beta2] as const;

export function pipeDisks(
  groups: Groups,
  { listVolumesOnDisk }: Pick<StorageVolumes, 'listVolumesOnDisk'>,
): StorageDisks {
  const open = () => groups.open(DISK);
  const isOnline = async (disk: number): Promise<boolean> => {
    const opened = await open();
    if (opened.version === 'v1beta2') return (await opened.client.getAttachState({ diskID: String(disk) })).isOnline;
    return (await opened.client.getDiskState({ diskNumber: disk })).isOnline;
  };
  const hasVolume = async (disk: number): Promise<boolean> => (await listVolumesOnDisk(disk, 0)).length > 0;
  return {
    async listDiskLocations() {
      const { client } = await open();
      const { diskLocations } = await client.listDiskLocations({});
      return new Map([...diskLocations].map(([disk, location]) => [Number(disk), formatLocation(location)]));
    },
    async listDiskIDs() {
      const opened = await open();
      const failures = new Map<number, string>();
      if (opened.version !== 'v1beta2') return { disks: (await opened.client.listDiskIDs({})).diskIDs, failures };
      const { diskIDs } = await opened.client.listDiskIDs({});
      const known = [...diskIDs].map(([disk, { identifiers }]): [number, DiskIdentity] => {
        const [page83 = '', serialNumber = ''] = [identifiers.get('page83'), identifiers.get('serialNumber')];
        return [Number(disk), { page83, serialNumber }];
      });
      return { disks: new Map(known), failures };
    },
    async getDiskStats(disk) {
      const opened = await open();
      if (opened.version !== 'v1beta2') return opened.client.getDiskStats({ diskNumber: disk });
      return { totalBytes: (await opened.client.diskStats({ diskID: String(disk) })).diskSize };
    },
    getDiskState: async (disk) => ((await isOnline(disk)) ? 'online' : 'offline'),
    async setDiskState(disk, state) {
      const opened = await open();
      const wanted = state === 'online';
      const change =
        opened.version === 'v1beta2'
          ? opened.client.setAttachState({ diskID: String(disk), isOnline: wanted })
          : opened.client.setDiskState({ diskNumber: disk, isOnline: wanted });
      await done(change, async () => (await isOnline(disk)) === wanted);
    },
    // A partition without a volume is not told of; the call that makes one finds it.
    basicPartitionsExist: hasVolume,
    async createBasicPartition(disk) {
      const opened = await open();
      const change =
        opened.version === 'v1beta2'
          ? opened.client.partitionDisk({ diskID: String(disk) })
          : opened.client.partitionDisk({ diskNumber: disk });
      await done(change, () => hasVolume(disk));
    },
    async rescan() {
      const { client } = await open();
      await client.rescan({});
    },
  };
}
