// A Windows machine in memory, as far as the API can see one: for tests, demonstrations and development on any system.
import type { Clock } from '../../../../bus/mod.ts';
import type { DetachableFiles } from '../files.ts';
import { filesystem as filesystemOn } from '../filesystem.ts';
import type { Host } from '../host.ts';
import { services } from '../services.ts';
import { MemoryDisks, type NewDisk } from './memory-disks.ts';
import { MemoryFiles } from './memory-files.ts';
import { MemoryIscsi } from './memory-iscsi.ts';
import { type MemoryService, MemoryServices } from './memory-services.ts';
import { MemorySmb } from './memory-smb.ts';
import { memoryVolumes } from './memory-volumes.ts';

const GIB = 2n ** 30n;

/** The disk that every machine has: number 0, with the drive C. */
const SYSTEM_DISK: NewDisk = {
  sizeBytes: 64n * GIB,
  location: 'Integrated : Bus 0 : Device 63488 : Function 31744 : Adapter 0',
  page83: 'system',
  serialNumber: 'SYSTEM-0',
  content: { style: 'GPT', fileSystem: 'NTFS', drive: 'C:\\' },
};

const SERVICES: readonly MemoryService[] = [
  {
    name: 'MSiSCSI',
    displayName: 'Microsoft iSCSI Initiator Service',
    startType: 'MANUAL',
    status: 'STOPPED',
  },
];

export interface MemoryMachine {
  readonly host: Host;
  readonly files: DetachableFiles;
  /** Outside of the machine, and events that happen to it. */
  readonly disks: MemoryDisks;
  readonly smb: MemorySmb;
  readonly iscsi: MemoryIscsi;
  readonly services: MemoryServices;
}

/**
 * @param deps.files  in memory by default
 * @param deps.unknownShares  `offered` by default: every share that is mapped for the first time is there
 */
export async function memoryMachine({
  clock,
  files = new MemoryFiles(),
  unknownShares = 'offered',
}: {
  clock: Clock;
  files?: DetachableFiles;
  unknownShares?: 'offered' | 'absent';
}): Promise<MemoryMachine> {
  await files.attach('C:\\');
  const filesystem = filesystemOn({ files });
  const disks = new MemoryDisks({ files });
  await disks.attachSeen(disks.make(SYSTEM_DISK));
  const smb = new MemorySmb({ files, filesystem, unknownShares });
  const machineServices = new MemoryServices({ clock, services: SERVICES });
  const iscsi = new MemoryIscsi({ disks, isServiceRunning: () => machineServices.isRunning('MSiSCSI') });
  const host: Host = {
    disk: disks.host(),
    volume: memoryVolumes({ disks, files, filesystem }),
    filesystem,
    smb: smb.host(),
    iscsi: iscsi.host(),
    system: {
      getBIOSSerialNumber: async () => 'TROUPE-0000-0001',
      ...services({ control: machineServices.control(), clock }),
    },
    close: async () => undefined,
  };
  return { host, files, disks, smb, iscsi, services: machineServices };
}
