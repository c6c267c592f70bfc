// How often Windows is asked while volumes are mounted the way drivers do it, through the generated clients: each volume by
// itself, as if there were no other. Windows is a machine in memory behind the worker's double, which counts.

import { openLog } from '../../actors/base/log.ts';
import { pipePath } from '../../adapters/csi-proxy/base/pipes.ts';
import * as disk from '../../adapters/csi-proxy/client/disk/v1/client_generated.ts';
import * as filesystem from '../../adapters/csi-proxy/client/filesystem/v1/client_generated.ts';
import * as volume from '../../adapters/csi-proxy/client/volume/v1/client_generated.ts';
import { memoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { windowsHost } from '../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import type { Worker } from '../../adapters/csi-proxy/hosts/windows/worker.ts';
import { allGroups } from '../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer } from '../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { groupDeps, KUBELET_PATH } from '../../adapters/csi-proxy/server/group-deps.ts';
import { serverMetrics } from '../../adapters/csi-proxy/server/metrics.ts';
import type { Clock } from '../../bus/time.ts';
import { freshPrefix } from '../adapters/csi-proxy/echo-group.ts';
import { WorkerDouble } from '../adapters/csi-proxy/hosts/worker-double.ts';

/**
 * What the original asks of Windows for one disk that has its partition and file system already: Rescan, ListDiskIDs,
 * IsDiskInitialized, BasicPartitionsExist, GetDiskState (in SetDiskState), ListVolumesOnDisk, IsVolumeFormatted,
 * MountVolume, GetDiskStats, GetVolumeStats. What is done to files alone is not counted, neither there nor here.
 */
export const ASKED_BY_THE_ORIGINAL = 10;

export interface MountOptions {
  readonly clock: Clock;
  /** How long Windows takes to answer. */
  readonly latencyMs: number;
  /** How many volumes are mounted at the same time. */
  readonly atATime: number;
}

/** @returns how many requests went to Windows */
export async function askedToMount(volumes: number, { clock, latencyMs, atATime }: MountOptions): Promise<number> {
  const machine = await memoryMachine({ clock });
  for (let index = 0; index < volumes; index++) {
    const content = { style: 'GPT', fileSystem: 'NTFS' } as const;
    machine.disks.attach(machine.disks.make({ sizeBytes: 2n ** 30n, page83: `Google  data-${index}`, content }));
  }
  const double = new WorkerDouble(machine);
  const worker: Worker = {
    async ask(operation, given) {
      const answer = await double.ask(operation, given);
      await clock.sleep(latencyMs);
      return answer;
    },
    ready: () => undefined,
    close: () => double.close(),
  };
  const host = windowsHost({ worker, files: machine.files, clock });
  const deps = groupDeps({ clock, host });
  const { prefix, remove } = freshPrefix();
  const server = new CsiProxyServer({
    groups: allGroups.map((group) => group.serve(deps)),
    pipePrefix: prefix,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    metrics: serverMetrics(),
  });
  await server.start();
  const clients = {
    disks: await disk.newClientWithPipePath(pipePath('disk', 'v1', prefix), { clock }),
    volumes: await volume.newClientWithPipePath(pipePath('volume', 'v1', prefix), { clock }),
    files: await filesystem.newClientWithPipePath(pipePath('filesystem', 'v1', prefix), { clock }),
  };
  try {
    const indexes = Array.from({ length: volumes }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: atATime }, async () => {
        for (const index of indexes) await mount(clients, `data-${index}`);
      }),
    );
    return double.asked.length;
  } finally {
    for (const client of Object.values(clients)) client.close();
    await server.stop(0);
    remove();
  }
}

interface Clients {
  readonly disks: disk.Client;
  readonly volumes: volume.Client;
  readonly files: filesystem.Client;
}

/** NodeStageVolume of a driver that knows its disk by the last word of page 83. */
async function mount({ disks, volumes, files }: Clients, device: string): Promise<void> {
  await disks.rescan({});
  const { diskIDs } = await disks.listDiskIDs({});
  const [diskNumber] = [...diskIDs].find(([, { page83 }]) => page83.endsWith(`  ${device}`)) ?? [];
  if (diskNumber === undefined) throw new Error(`${device} is not attached`);
  const targetPath = `${KUBELET_PATH}\\plugins\\${device}\\globalmount`;
  if ((await files.pathExists({ path: targetPath })).exists) throw new Error(`${targetPath} is there`);
  await disks.partitionDisk({ diskNumber });
  await disks.setDiskState({ diskNumber, isOnline: true });
  const [volumeId] = (await volumes.listVolumesOnDisk({ diskNumber })).volumeIds;
  if (volumeId === undefined) throw new Error(`${device} has no volume`);
  if (!(await volumes.isVolumeFormatted({ volumeId })).formatted) throw new Error(`${device} is not formatted`);
  await files.rmdir({ path: targetPath, force: true });
  await files.mkdir({ path: targetPath });
  await volumes.mountVolume({ volumeId, targetPath });
  const { totalBytes } = await volumes.getVolumeStats({ volumeId });
  if (totalBytes > (await disks.getDiskStats({ diskNumber })).totalBytes) throw new Error(`${device} is too small`);
}
