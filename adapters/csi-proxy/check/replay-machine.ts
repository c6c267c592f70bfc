// The machine that recorded calls are made on.
//
// Recordings of releases say what holds on this machine: it may not change, not even by a disk more.
import type { Clock } from '../../../bus/mod.ts';
import type { Host } from '../hosts/host.ts';
import { memoryMachine } from '../hosts/memory/memory-host.ts';
import { KUBELET_PATH } from '../server/group-deps.ts';

/** Every secret of the machine; 15 bytes, as CHAP wants 12 to 16. */
export const MACHINE_SECRET = 'known-to-anyone';

const GIB = 2n ** 30n;
const PORTAL = { address: '192.0.2.1', port: 3260 };

export async function replayMachine(clock: Clock): Promise<Host> {
  const { host, files, disks, smb, iscsi } = await memoryMachine({ clock, unknownShares: 'absent' });

  // Disk 1 has nothing on it, disk 2 a volume and room for more, disk 3 a volume that is not formatted, disk 4 is offline.
  const location = (lun: number): string => `PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN ${lun}`;
  const formatted = { style: 'GPT', fileSystem: 'NTFS' } as const;
  const blank = { style: 'GPT', fileSystem: 'none' } as const;
  for (const disk of [
    { sizeBytes: 10n * GIB, location: location(1), page83: 'Google  data', serialNumber: 'data-1' },
    {
      sizeBytes: 4n * GIB,
      location: location(2),
      page83: 'naa.600224800000',
      serialNumber: 'data-2',
      content: formatted,
    },
    {
      sizeBytes: 2n * GIB,
      location: location(3),
      page83: 'eui.0025385000000003',
      serialNumber: 'data-3',
      content: blank,
    },
    { sizeBytes: GIB, isOdd: true, state: 'offline', content: formatted },
  ] as const) {
    await disks.attachSeen(disks.make(disk));
  }
  disks.grow(2, 8n * GIB);
  await host.disk.rescan();
  // Seen after the next rescan.
  disks.attach(disks.make({ sizeBytes: 3n * GIB, location: location(5), page83: 'Google  late' }));
  disks.grow(1, 12n * GIB);

  for (const path of ['staging', 'pods', 'pods\\one', 'pods\\one\\volume'])
    await host.filesystem.mkdir(`${KUBELET_PATH}\\${path}`);
  await host.filesystem.createSymlink(`${KUBELET_PATH}\\staging`, `${KUBELET_PATH}\\pods\\link`);
  await files.makeDirectory('C:\\private');

  smb.offer('\\\\files\\data', { username: 'EXAMPLE\\node', password: MACHINE_SECRET });
  await host.system.startService('MSiSCSI');
  iscsi.offer({ portal: PORTAL, iqn: 'iqn.2026-01.example:open', disks: [disks.make({ sizeBytes: GIB })] });
  iscsi.offer({
    portal: PORTAL,
    iqn: 'iqn.2026-01.example:closed',
    disks: [disks.make({ sizeBytes: GIB })],
    chap: { username: 'node', secret: MACHINE_SECRET },
    mutualSecret: MACHINE_SECRET,
  });
  return host;
}
