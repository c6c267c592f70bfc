// How the objects of Windows storage hang together, as they say it.
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Cluster } from '../../cluster.ts';

/** What is there, whoever keeps it. */
export type Objects = Pick<Cluster, 'get' | 'objects'>;

export const PLURALS: readonly string[] = windowsContracts.map(({ plural }) => plural);

/** What each member of a spec refers to. */
const REFERENCES: Readonly<Record<string, string>> = {
  nodeRef: 'windowsstoragenodes',
  iscsiTargetRef: 'iscsitargets',
  diskRef: 'windowsdisks',
  volumeRef: 'windowsvolumes',
  mountRef: 'windowsmounts',
  smbMappingRef: 'smbmappings',
};

/** Whoever refers to it. */
export function usersOf(cluster: Pick<Objects, 'objects'>, { kind, metadata }: KubeObject): readonly KubeObject[] {
  const plural = `${kind.toLowerCase()}s`;
  return PLURALS.flatMap((each) => cluster.objects(each)).filter(
    (each) =>
      each.metadata.namespace === metadata.namespace &&
      referencesOf(each).some(([of, name]) => of === plural && name === metadata.name),
  );
}

export function referencesOf({ spec = {} }: KubeObject): readonly (readonly [plural: string, name: string])[] {
  const members = { ...spec, ...((spec['source'] ?? {}) as JsonObject) };
  return Object.entries(REFERENCES).flatMap(([member, plural]) => {
    const name = members[member];
    return typeof name === 'string' ? [[plural, name] as const] : [];
  });
}

/** There is, or may be, something of it on a machine. */
export function hasAny({ kind, status = {} }: KubeObject): boolean {
  const member = {
    IscsiTarget: status['connection'],
    WindowsDisk: status['identity'],
    WindowsVolume: status['volumeID'],
    SmbMapping: status['madeBy'],
    WindowsMount: status['path'],
  }[kind];
  return member !== undefined;
}

/** Somebody has something on it, or is deleted and waits for others who have something on that. */
export function isUsed(cluster: Pick<Objects, 'objects'>, object: KubeObject): boolean {
  return usersOf(cluster, object).some(
    (user) => hasAny(user) || (user.metadata.deletionTimestamp !== undefined && isUsed(cluster, user)),
  );
}

export function isUsable(object: KubeObject | undefined): boolean {
  return object !== undefined && object.metadata.deletionTimestamp === undefined && readyOf(object).status === 'True';
}

export function readyOf({ status }: KubeObject): JsonObject {
  const conditions = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return conditions.find(({ type }) => type === 'Ready') ?? {};
}
