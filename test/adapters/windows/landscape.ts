// Objects of all six kinds on one machine, each of which uses what others have made.
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, type World } from '../../world/windows.ts';
import type { Machine } from '../../world/windows-machine.ts';

export const PAGE83 = 'naa.600a0b80001';
export const SHARE = '\\\\files\\data';
export const ROOT = 'C:\\var\\lib\\kubelet';
export const PORTAL = { address: '192.0.2.60', port: 3260 };
export const IQN = 'iqn.2026-01.com.example:orders';

/** What has to be kept secret. */
export const PASSWORDS = { smb: 'Wp7-first-of-all', chap: 'Xq8-initiator', mutual: 'Mz3-the-target' } as const;

/** All of it but its machine, whoever uses something before that. */
export const OBJECTS = [
  'windowsmounts/pod',
  'windowsmounts/pub',
  'windowsvolumes/data',
  'windowsdisks/data',
  'windowsmounts/shared',
  'smbmappings/share',
  'windowsdisks/remote',
  'iscsitargets/target',
  'windowsmounts/plain',
] as const;

/** What the machine and the network have of it to begin with. @returns the number of the disk `data` */
export async function furnish({ disks, smb, iscsi }: Machine): Promise<number> {
  smb.offer(SHARE, { username: 'user', password: PASSWORDS.smb });
  const remote = disks.make({ sizeBytes: GIB, page83: 'naa.remote', state: 'offline' });
  const chap = { username: 'user', secret: PASSWORDS.chap };
  iscsi.offer({ portal: PORTAL, iqn: IQN, disks: [remote], chap, mutualSecret: PASSWORDS.mutual });
  return disks.attachSeen(disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, serialNumber: 'S-1', state: 'offline' }));
}

/** Makes all objects, users first: each waits for what it uses. */
export async function declare(world: World, node = 'one'): Promise<void> {
  const login = (password: string): JsonObject => ({ stringData: { username: 'user', password } });
  const specs: Readonly<Record<(typeof OBJECTS)[number], JsonObject>> = {
    'windowsmounts/pod': { path: `${ROOT}\\pods\\a`, source: { mountRef: 'pub' } },
    'windowsmounts/pub': { path: `${ROOT}\\pub`, source: { volumeRef: 'data' } },
    'windowsvolumes/data': { diskRef: 'data', formatPolicy: 'IfRaw' },
    'windowsdisks/data': { nodeRef: node, selector: { page83: PAGE83 }, partition: true },
    'windowsmounts/shared': { path: `${ROOT}\\shared`, source: { smbMappingRef: 'share' } },
    'smbmappings/share': { nodeRef: node, remotePath: SHARE, credentialsSecretRef: 'login' },
    'windowsdisks/remote': { nodeRef: node, iscsiTargetRef: 'target', index: 0 },
    'iscsitargets/target': {
      nodeRef: node,
      portal: PORTAL,
      iqn: IQN,
      auth: { type: 'MutualCHAP', secretRef: 'chap' },
    },
    'windowsmounts/plain': { path: `${ROOT}\\plain`, source: { nodeRef: node }, deletionPolicy: 'RemoveContents' },
  };
  await world.merge(`windowsstoragenodes/${node}`, { spec: { mutualChapSecretRef: 'mutual' } });
  for (const path of OBJECTS) await world.create(path, { spec: specs[path] });
  await world.create('secrets/login', login(PASSWORDS.smb));
  await world.create('secrets/chap', login(PASSWORDS.chap));
  await world.create('secrets/mutual', { stringData: { password: PASSWORDS.mutual } });
}

export async function allReady(world: World, except: readonly string[] = []): Promise<void> {
  for (const path of OBJECTS) if (!except.includes(path)) await world.ready(path);
}

/** What is left of it on a machine: where something is, or is connected. */
export async function leftOn({ files, host, services }: Machine): Promise<readonly string[]> {
  const names = ['pods\\a', 'pub', 'shared', 'plain'];
  const kinds = await Promise.all(names.map(async (name) => (await files.look(`${ROOT}\\${name}`)).kind));
  const left = names.filter((_, index) => kinds[index] !== 'absent');
  const isMapped = (await host.smb.isSmbMapped(SHARE)) !== 'absent';
  const portals = services.isRunning('MSiSCSI') ? await host.iscsi.listTargetPortals() : [];
  return [...left, ...(isMapped ? [SHARE] : []), ...portals.map(({ address }) => address)];
}
