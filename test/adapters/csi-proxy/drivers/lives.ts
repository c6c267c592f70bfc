// The lives of three volumes on a seeded machine, from their staging to their end, and what is left of them.
import { parse } from 'yaml';
import { AuthenticationType } from '../../../../adapters/csi-proxy/api/iscsi/v1alpha2/api_generated.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import type { MemoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { parseSeed } from '../../../../adapters/csi-proxy/hosts/memory/seed.ts';
import type { Driver, IscsiVolume } from './driver.ts';

export const SEED = parseSeed(
  parse(`
    disks: [{sizeGib: 10, lun: 1, page83: 'Google  data', state: offline, attached: on-rescan}]
    unknownShares: absent
    shares: [{path: //files/data, username: me, password: hunter2}]
    targets:
      - portal: {address: 192.0.2.1}
        iqn: iqn.2026-01.example:data
        chap: {username: node, secret: of-16-characters}
        mutualSecret: 12-characters
        disks: [{sizeGib: 2, page83: far, state: offline}]
  `),
);

const KUBELET = 'C:\\var\\lib\\kubelet';
const STAGING = `${KUBELET}\\plugins\\pv1\\globalmount`;
const TARGET = `${KUBELET}\\pods\\p1\\mount`;
const DATA = `${TARGET}\\data`;
const GIB = 2n ** 30n;

const TARGET_VOLUME: IscsiVolume = {
  portal: { targetAddress: '192.0.2.1', targetPort: 3_260 },
  iqn: 'iqn.2026-01.example:data',
  login: { authType: AuthenticationType.MUTUAL_CHAP, chapUsername: 'node', chapSecret: 'of-16-characters' },
  mutualSecret: '12-characters',
};

export interface Lifecycle {
  readonly title: string;
  /** @returns what its end is known by; the same, whatever goes wrong on the way */
  live(driver: Driver, machine: MemoryMachine): Promise<unknown>;
}

export const LIVES: readonly Lifecycle[] = [
  {
    title: 'a disk that is staged, published, written to, expanded, unpublished, unstaged, and staged again',
    async live(driver, { host, disks }) {
      await driver.stageDisk('Google  data', STAGING);
      await driver.publish(STAGING, TARGET);
      await host.filesystem.mkdir(DATA);
      disks.grow(1, 20n * GIB);
      const grownBytes = await driver.expand(STAGING);
      await driver.unpublish(TARGET);
      await driver.unstageDisk(STAGING);
      const afterwards = await left(host);
      await driver.stageDisk('Google  data', STAGING);
      await driver.publish(STAGING, TARGET);
      return { grownBytes, afterwards, isDataKept: await host.filesystem.pathExists(DATA) };
    },
  },
  {
    title: 'a share that is mapped, published, written to and given up',
    async live(driver, { host }) {
      const share = { remotePath: '//files/data/sub', username: 'me', password: 'hunter2' };
      await host.smb.newSmbGlobalMapping({ root: '\\\\files\\data', ...share, encryption: 'required' });
      await host.filesystem.mkdir('\\\\files\\data\\sub');
      await host.smb.removeSmbGlobalMapping('\\\\files\\data');
      await driver.stageShare(share, STAGING);
      await driver.publish(STAGING, TARGET);
      await host.filesystem.mkdir(DATA);
      await driver.unpublish(TARGET);
      await driver.unstageShare(share.remotePath, STAGING);
      const afterwards = await left(host);
      await driver.stageShare(share, STAGING);
      await driver.publish(STAGING, TARGET);
      return { afterwards, isDataKept: await host.filesystem.pathExists(DATA) };
    },
  },
  {
    title: 'an iSCSI target with mutual CHAP whose disk is staged and given up',
    async live(driver, { host }) {
      await driver.stageTarget(TARGET_VOLUME, STAGING);
      await driver.publish(STAGING, TARGET);
      await host.filesystem.mkdir(DATA);
      await driver.unpublish(TARGET);
      await driver.unstageTarget(TARGET_VOLUME, STAGING);
      const afterwards = { ...(await left(host)), portals: await host.iscsi.listTargetPortals() };
      await driver.stageTarget(TARGET_VOLUME, STAGING);
      await driver.publish(STAGING, TARGET);
      return { afterwards, isDataKept: await host.filesystem.pathExists(DATA) };
    },
  },
];

/** What an unstaged volume must not leave: paths, mappings, disks that are still online. */
async function left({ disk, filesystem, smb }: Host): Promise<object> {
  const numbers = [...(await disk.listDiskIDs()).disks.keys()].filter((number) => number > 0);
  return {
    staging: await filesystem.pathExists(STAGING),
    target: await filesystem.pathExists(TARGET),
    mapping: await smb.isSmbMapped('\\\\files\\data'),
    disks: await Promise.all(numbers.map((number) => disk.getDiskState(number))),
  };
}
