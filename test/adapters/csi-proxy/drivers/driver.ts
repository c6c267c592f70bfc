// What CSI drivers do on a node, in their order, through the clients of this project.

import type {
  AuthenticationType,
  TargetPortal,
} from '../../../../adapters/csi-proxy/api/iscsi/v1alpha2/api_generated.ts';
import { ServiceStatus } from '../../../../adapters/csi-proxy/api/system/v1alpha1/api_generated.ts';
import { pipePath } from '../../../../adapters/csi-proxy/base/pipes.ts';
import * as diskV1 from '../../../../adapters/csi-proxy/client/disk/v1/client_generated.ts';
import * as filesystemV1 from '../../../../adapters/csi-proxy/client/filesystem/v1/client_generated.ts';
import * as iscsiV1alpha2 from '../../../../adapters/csi-proxy/client/iscsi/v1alpha2/client_generated.ts';
import type { ConnectionDeps } from '../../../../adapters/csi-proxy/client/open-connection.ts';
import * as smbV1 from '../../../../adapters/csi-proxy/client/smb/v1/client_generated.ts';
import * as systemV1alpha1 from '../../../../adapters/csi-proxy/client/system/v1alpha1/client_generated.ts';
import * as volumeV1 from '../../../../adapters/csi-proxy/client/volume/v1/client_generated.ts';
import type { Clock } from '../../../../bus/time.ts';
import { type Change, carryOut, isRefused } from './uncertain.ts';

const SERVICE = 'MSiSCSI';

export interface IscsiVolume {
  readonly portal: TargetPortal;
  readonly iqn: string;
  readonly login: { readonly authType: AuthenticationType; readonly chapUsername: string; readonly chapSecret: string };
  readonly mutualSecret: string;
}

/** The versions that the sequences use, and what a driver is told to serve. */
export const MODULES = [diskV1, volumeV1, filesystemV1, smbV1, iscsiV1alpha2, systemV1alpha1] as const;

export async function openDriver(prefix: string, deps: ConnectionDeps) {
  const at = ({ groupName, version }: { groupName: string; version: string }) => pipePath(groupName, version, prefix);
  const disk = await diskV1.newClientWithPipePath(at(diskV1), deps);
  const volume = await volumeV1.newClientWithPipePath(at(volumeV1), deps);
  const filesystem = await filesystemV1.newClientWithPipePath(at(filesystemV1), deps);
  const smb = await smbV1.newClientWithPipePath(at(smbV1), deps);
  const iscsi = await iscsiV1alpha2.newClientWithPipePath(at(iscsiV1alpha2), deps);
  const system = await systemV1alpha1.newClientWithPipePath(at(systemV1alpha1), deps);
  return new Driver({ disk, volume, filesystem, smb, iscsi, system }, deps.clock);
}

interface Clients {
  readonly disk: diskV1.Client;
  readonly volume: volumeV1.Client;
  readonly filesystem: filesystemV1.Client;
  readonly smb: smbV1.Client;
  readonly iscsi: iscsiV1alpha2.Client;
  readonly system: systemV1alpha1.Client;
}

export class Driver {
  readonly #clients: Clients;
  readonly #clock: Clock;

  constructor(clients: Clients, clock: Clock) {
    this.#clients = clients;
    this.#clock = clock;
  }

  close(): void {
    for (const client of Object.values(this.#clients)) client.close();
  }

  /** 11.1, of the disk with these words of page 83. */
  async stageDisk(page83: string, staging: string): Promise<void> {
    const { disk } = this.#clients;
    await this.#do({ make: () => disk.rescan({}) });
    const { diskIDs } = await disk.listDiskIDs({});
    const found = [...diskIDs].find(([, ids]) => ids.page83 === page83);
    if (found === undefined) throw new Error(`there is no disk ${page83}`);
    await this.#stage(found[0], staging);
  }

  /** 11.2: kubelet has made the target as a directory. */
  async publish(staging: string, target: string): Promise<void> {
    const { filesystem } = this.#clients;
    await this.#remove(target);
    await this.#makeDirectory(target.slice(0, target.lastIndexOf('\\')));
    await this.#do({
      make: () => filesystem.createSymlink({ sourcePath: staging, targetPath: target }),
      isDone: () => this.#isLink(target),
    });
  }

  async unpublish(target: string): Promise<void> {
    await this.#remove(target);
  }

  /** 11.3: the number of the disk is asked for while the volume is surely there. */
  async unstageDisk(staging: string): Promise<void> {
    const { disk, volume, filesystem } = this.#clients;
    if (!(await filesystem.pathExists({ path: staging })).exists) return;
    const { volumeId } = await volume.getVolumeIDFromTargetPath({ targetPath: staging });
    const { diskNumber } = await volume.getDiskNumberFromVolumeID({ volumeId });
    await this.#do({ make: () => volume.writeVolumeCache({ volumeId }) });
    await this.#do({
      make: () => volume.unmountVolume({ volumeId, targetPath: staging }),
      isDone: async () =>
        (await isRefused(volume.getVolumeIDFromTargetPath({ targetPath: staging }))) &&
        (await filesystem.pathExists({ path: staging })).exists,
    });
    await this.#remove(staging);
    await this.#setDiskState(disk, diskNumber, 'offline');
  }

  /** 11.4, to all that the disk has. */
  async expand(staging: string): Promise<bigint> {
    const { disk, volume } = this.#clients;
    await this.#do({ make: () => disk.rescan({}) });
    const { volumeId } = await volume.getVolumeIDFromTargetPath({ targetPath: staging });
    await this.#fill(volumeId);
    return (await volume.getVolumeStats({ volumeId })).totalBytes;
  }

  /** 11.5 */
  async stageShare(share: { remotePath: string; username: string; password: string }, staging: string): Promise<void> {
    const { smb } = this.#clients;
    await this.#remove(staging);
    await this.#makeDirectory(staging.slice(0, staging.lastIndexOf('\\')));
    await this.#do({
      make: () => smb.newSmbGlobalMapping({ ...share, localPath: staging }),
      isDone: () => this.#isLink(staging),
    });
  }

  /** The last user of the share goes. */
  async unstageShare(remotePath: string, staging: string): Promise<void> {
    const { smb } = this.#clients;
    await this.#remove(staging);
    let tries = 0;
    await this.#do({
      // Nothing tells of mappings; one that is gone is refused the second time.
      make: async () => {
        const remove = smb.removeSmbGlobalMapping({ remotePath });
        return tries++ === 0 ? remove : isRefused(remove);
      },
    });
  }

  /** 11.5 */
  async stageTarget({ portal, iqn, login, mutualSecret }: IscsiVolume, staging: string): Promise<void> {
    const { iscsi, system } = this.#clients;
    await this.#do({
      make: () => system.startService({ name: SERVICE }),
      isDone: async () => (await system.getService({ name: SERVICE })).status === ServiceStatus.RUNNING,
    });
    await this.#do({
      make: () => iscsi.addTargetPortal({ targetPortal: portal }),
      isDone: () => this.#knowsPortal(portal),
    });
    const { iqns } = await iscsi.discoverTargetPortal({ targetPortal: portal });
    if (!iqns.includes(iqn)) throw new Error(`there is no target ${iqn}`);
    await this.#do({ make: () => iscsi.setMutualChapSecret({ MutualChapSecret: mutualSecret }) });
    await this.#do({
      make: () => iscsi.connectTarget({ targetPortal: portal, iqn, ...login }),
      isDone: async () => (await this.#disksOf(portal, iqn)).length > 0,
    });
    const [number] = await this.#disksOf(portal, iqn);
    if (number === undefined) throw new Error(`target ${iqn} has no disk`);
    await this.#stage(number, staging);
  }

  async unstageTarget({ portal, iqn }: IscsiVolume, staging: string): Promise<void> {
    const { iscsi } = this.#clients;
    await this.unstageDisk(staging);
    await this.#do({
      make: () => iscsi.disconnectTarget({ targetPortal: portal, iqn }),
      isDone: async () => (await this.#disksOf(portal, iqn)).length === 0,
    });
    await this.#do({
      make: () => iscsi.removeTargetPortal({ targetPortal: portal }),
      isDone: async () => !(await this.#knowsPortal(portal)),
    });
  }

  /** From the number of a disk to a mounted volume that fills it. */
  async #stage(diskNumber: number, staging: string): Promise<void> {
    const { disk, volume } = this.#clients;
    await this.#setDiskState(disk, diskNumber, 'online');
    const volumesOf = async () => (await volume.listVolumesOnDisk({ diskNumber })).volumeIds;
    await this.#do({
      make: () => disk.partitionDisk({ diskNumber }),
      isDone: async () => (await volumesOf()).length > 0,
    });
    const [volumeId] = await volumesOf();
    if (volumeId === undefined) throw new Error(`disk ${diskNumber} has no volume`);
    const isFormatted = async () => (await volume.isVolumeFormatted({ volumeId })).formatted;
    if (!(await isFormatted())) {
      await this.#do({ make: () => volume.formatVolume({ volumeId }), isDone: isFormatted, again: 'after-limit' });
    }
    if (await this.#isLink(staging)) return;
    await this.#remove(staging);
    await this.#makeDirectory(staging);
    await this.#do({
      make: () => volume.mountVolume({ volumeId, targetPath: staging }),
      isDone: () => this.#isLink(staging),
    });
    await this.#fill(volumeId);
  }

  async #fill(volumeId: string): Promise<void> {
    const { volume } = this.#clients;
    // What it has to be is not told beforehand: asked for twice, the second one changes nothing.
    await this.#do({ make: () => volume.resizeVolume({ volumeId, sizeBytes: 0n }) });
  }

  async #setDiskState(disk: diskV1.Client, diskNumber: number, state: 'online' | 'offline'): Promise<void> {
    const isOnline = state === 'online';
    await this.#do({
      make: () => disk.setDiskState({ diskNumber, isOnline }),
      isDone: async () => (await disk.getDiskState({ diskNumber })).isOnline === isOnline,
    });
  }

  async #remove(path: string): Promise<void> {
    const { filesystem } = this.#clients;
    await this.#do({
      make: () => filesystem.rmdir({ path, force: true }),
      isDone: async () => !(await filesystem.pathExists({ path })).exists,
    });
  }

  async #makeDirectory(path: string): Promise<void> {
    const { filesystem } = this.#clients;
    await this.#do({
      make: () => filesystem.mkdir({ path }),
      isDone: async () => (await filesystem.pathExists({ path })).exists,
    });
  }

  /** What is absent is refused, and is none. */
  async #isLink(path: string): Promise<boolean> {
    const { filesystem } = this.#clients;
    return (await filesystem.pathExists({ path })).exists && (await filesystem.isSymlink({ path })).isSymlink;
  }

  async #knowsPortal({ targetAddress, targetPort }: TargetPortal): Promise<boolean> {
    const { targetPortals } = await this.#clients.iscsi.listTargetPortals({});
    return targetPortals.some((known) => known.targetAddress === targetAddress && known.targetPort === targetPort);
  }

  async #disksOf(portal: TargetPortal, iqn: string): Promise<number[]> {
    const { diskIDs } = await this.#clients.iscsi.getTargetDisks({ targetPortal: portal, iqn });
    return diskIDs.map(Number);
  }

  #do(change: Change): Promise<void> {
    return carryOut(change, this.#clock);
  }
}
