// The Windows machine of the demo, in memory, and what is in use on it.
import type { Adapter, Settings } from '../../../adapters/api/adapter.ts';
import type { MemoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { seededMachine } from '../../../adapters/csi-proxy/hosts/memory/seeded-machine.ts';
import { KUBELET_PATH } from '../../../adapters/csi-proxy/server/group-deps.ts';
import { windowsWith } from '../../../adapters/windows/adapter.ts';
import { DEVELOPMENT_MACHINE } from '../../../adapters/windows/development.ts';
import { GROUP, REALM, ROLE } from '../../../adapters/windows/mod.ts';
import type { Clock, JsonObject } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import type { Inventory } from './cloud.ts';
import type { History } from './history.ts';
import type { LandscapeObject } from './landscape.ts';

/** With the disk that it runs from. */
const SYSTEM_DISK = 0;
/** Sorts of storage, in the order in which they are counted. */
const PARTS = ['target', 'disk', 'share', 'path'] as const;

export interface WindowsInUse {
  /** Undefined: there is no machine in memory, and no storage to show. */
  readonly machine: MemoryMachine | undefined;
  /** One line. */
  readonly description: string;
  /** The adapter, leading to the machine; any other as it is. */
  over(adapter: Adapter): Adapter;
  /** An object of the samples on the node that the machine is here; any other as it is. */
  localized(object: LandscapeObject): LandscapeObject;
  /** Storage in use on the machine, in the form of the cloud's list. */
  inventory(): Promise<Inventory>;
}

/** A machine in memory, where this process plays the role for its node and no other machine was asked for. */
export async function windowsInUse(
  clock: Clock,
  { roles, nodeName = '' }: Pick<Config, 'roles' | 'nodeName'>,
  { flag }: Pick<Settings, 'flag'>,
): Promise<WindowsInUse> {
  const isNamed = [flag('windows-machine'), flag('windows-machine-file')].some(({ value }) => Boolean(value));
  if (isNamed || !roles.has(ROLE)) {
    const why = isNamed ? 'a machine was named' : `the role ${ROLE} is not played`;
    return {
      machine: undefined,
      description: `no Windows storage, as ${why}: that of the demo is for a machine in memory`,
      over: (adapter) => adapter,
      localized: (object) => object,
      inventory: async () => new Map(),
    };
  }
  const machine = await seededMachine(DEVELOPMENT_MACHINE, { clock });
  return {
    machine,
    description: `Windows: node ${nodeName} (a machine in memory)`,
    over: (adapter) => (adapter.realm === REALM ? windowsWith(async () => machine.host) : adapter),
    localized: (object) => localized(object, nodeName),
    inventory: () => inventoryOf(machine),
  };
}

function localized(object: LandscapeObject, nodeName: string): LandscapeObject {
  const { spec } = object.manifest as { readonly spec?: JsonObject };
  if (!isStorage(object) || spec?.['nodeName'] === undefined) return object;
  return { ...object, manifest: { ...object.manifest, spec: { ...spec, nodeName } } };
}

export function isStorage({ manifest }: LandscapeObject): boolean {
  return String(manifest['apiVersion']).startsWith(`${GROUP}/`);
}

async function inventoryOf({ host, files }: MemoryMachine): Promise<Inventory> {
  const { disk, smb, iscsi } = host;
  const found: [part: (typeof PARTS)[number], name: string][] = [];
  for (const [number, { serialNumber }] of (await disk.listDiskIDs()).disks) {
    if (number !== SYSTEM_DISK && (await disk.getDiskState(number)) === 'online') found.push(['disk', serialNumber]);
  }
  for (const { path } of DEVELOPMENT_MACHINE.shares) {
    if ((await smb.isSmbMapped(path)) !== 'absent') found.push(['share', path]);
  }
  // A client that asks before the service runs is refused: nothing can be connected then.
  const portals = await iscsi.listTargetPortals().catch(() => []);
  for (const { iqn, portal } of DEVELOPMENT_MACHINE.targets) {
    if (portals.some(({ address }) => address === portal.address)) found.push(['target', iqn]);
  }
  const names = (await files.reaches(KUBELET_PATH)) ? await files.list(KUBELET_PATH) : [];
  for (const name of names) found.push(['path', `${KUBELET_PATH}\\${name}`]);
  return new Map(found.map(([part, name]) => [`${part} ${name}`, { what: `${part} ${name} in use`, name }]));
}

/** Storage in use: `Windows storage in use: 1 target, 2 disks, 1 share, 4 paths`. */
export function storageLine(inventory: Inventory): string {
  const counts = PARTS.map((part) => {
    const count = [...inventory.keys()].filter((id) => id.startsWith(`${part} `)).length;
    return `${count} ${part}${count === 1 ? '' : 's'}`;
  });
  return `Windows storage in use: ${counts.join(', ')}`;
}

/** Number of objects that were deleted from Kubernetes before those that they are on: their storage was, in any case. */
export function storageOrder(history: History): readonly string[] {
  const pairs = [...history.objects.values()].filter(isStorage).flatMap(({ key, guarded }) =>
    guarded.flatMap((guard) => {
      const on = history.objects.get(guard);
      return on !== undefined && isStorage(on)
        ? [{ goneAt: history.goneAt(key), onGoneAt: history.goneAt(guard) }]
        : [];
    }),
  );
  if (pairs.length === 0) return [];
  const kept = pairs.filter(({ goneAt, onGoneAt }) => goneAt !== undefined && goneAt <= (onGoneAt ?? goneAt));
  return [`Windows storage: ${kept.length} of ${pairs.length} were deleted before what they are on`];
}
