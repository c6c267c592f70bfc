// What there is in a history of Windows storage: machines with their disks, iSCSI targets and shares, and the objects that users have
// of them.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Draw } from '../../draw.ts';

/** `raw`: without a partition table; `unformatted`: a volume without a file system; `foreign`: with one that Windows does not know. */
export type Content = 'raw' | 'unformatted' | 'foreign' | 'ntfs';

export interface PlannedDisk {
  /** Empty: it is known by its serial number. */
  readonly page83: string;
  readonly serialNumber: string;
  readonly lun: number;
  readonly content: Content;
  readonly isOnline: boolean;
}

export interface PlannedTarget {
  readonly iqn: string;
  readonly hasChap: boolean;
  readonly disks: readonly PlannedDisk[];
}

export interface PlannedNode {
  readonly name: string;
  readonly disks: readonly PlannedDisk[];
  readonly targets: readonly PlannedTarget[];
}

/** What a Secret is the key to. */
export interface PlannedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly opens: { readonly share: string } | { readonly iqn: string; readonly node: string };
}

/** What somebody else has made before anybody has objects. */
export interface Beforehand {
  readonly node: string;
  readonly what: 'session' | 'mapping' | 'mount';
  /** Name of a target, root of a share, or a path. */
  readonly name: string;
}

/** An object that users have, of whatever life. */
export interface Thing {
  readonly kind: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** Of a node: it stands for `NOWHERE` until it is edited. */
  readonly isBornElsewhere?: boolean;
  /** What an edit writes into its spec, and what takes that back. */
  readonly edit?: readonly [JsonObject, JsonObject];
}

export interface Estate {
  readonly nodes: readonly PlannedNode[];
  /** Roots of shares, in lower case, each of a server of its own. */
  readonly shares: readonly string[];
  readonly secrets: readonly PlannedSecret[];
  readonly things: readonly Thing[];
  readonly beforehand: readonly Beforehand[];
}

export const NAMESPACE = 'a';
/** Of the second tenant, if there is one. */
export const SECOND = 'b';
/** A Kubernetes node that is no machine. */
export const NOWHERE = 'win-none';
export const USERNAME = 'initiator';
/** A text that is in all passwords. */
export const PASSWORD = 'Wq9-nobody-says';
export const PORTAL = { address: '10.9.0.1', port: 3260 };
export const SERVICE = 'MSiSCSI';
/** Where all mounts are. */
export const DIRECTORY = 'C:\\var\\lib\\kubelet';

const CONTENTS: readonly Content[] = ['raw', 'raw', 'raw', 'ntfs', 'foreign', 'unformatted'];

export function estateOf(draw: Draw): Omit<Estate, 'beforehand'> {
  const count = draw.chance(0.3) ? 3 : 2;
  const nodes = Array.from({ length: count }, (_, index) => nodeOf(draw, `win${index + 1}`));
  const shares = ['\\\\srv1\\team', '\\\\srv2\\team'].slice(0, 1 + draw.below(2));
  const secrets: PlannedSecret[] = [
    ...shares.map((share, index) => ({ namespace: NAMESPACE, name: `share${index + 1}`, opens: { share } })),
    ...nodes.flatMap(({ name: node, targets }) =>
      targets.flatMap(({ iqn, hasChap }, index) =>
        hasChap ? [{ namespace: NAMESPACE, name: `chap-${node}-${index}`, opens: { iqn, node } }] : [],
      ),
    ),
  ];
  const things = nodes.flatMap((node) => thingsOn(draw, node, shares));
  return { nodes, shares, secrets, things };
}

export function beforehandOf(draw: Draw, { nodes, shares, things }: Omit<Estate, 'beforehand'>): Beforehand[] {
  if (!draw.chance(0.4)) return [];
  return nodes.flatMap(({ name: node, disks, targets }) => {
    const paths = things
      .filter(({ kind, name }) => kind === 'WindowsMount' && disks.some((_, index) => name === `${node}-d${index}`))
      .map(({ spec }) => String(spec['path']));
    return [
      ...targets.filter(() => draw.chance(0.4)).map(({ iqn }) => ({ node, what: 'session' as const, name: iqn })),
      ...shares.filter(() => draw.chance(0.4)).map((root) => ({ node, what: 'mapping' as const, name: root })),
      ...paths.filter(() => draw.chance(0.3)).map((path) => ({ node, what: 'mount' as const, name: path })),
    ];
  });
}

function nodeOf(draw: Draw, name: string): PlannedNode {
  const disk = (id: string, lun: number): PlannedDisk => ({
    page83: draw.chance(0.15) ? '' : `naa.${id}`,
    serialNumber: `S-${id}`,
    lun,
    content: draw.pick(CONTENTS),
    isOnline: draw.chance(0.3),
  });
  return {
    name,
    disks: Array.from({ length: 1 + draw.below(2) }, (_, index) => disk(`${name}-${index}`, index)),
    targets: Array.from({ length: draw.below(3) }, (_, index) => ({
      iqn: `iqn.2030-01.test:${name}-${index}`,
      hasChap: draw.chance(0.5),
      disks: [disk(`${name}-t${index}`, 40 + index)],
    })),
  };
}

function thingsOn(draw: Draw, { name: node, disks, targets }: PlannedNode, shares: readonly string[]): Thing[] {
  const things: Thing[] = [];
  const add = (kind: string, name: string, spec: JsonObject, edit?: readonly [JsonObject, JsonObject]): string => {
    const plural = `${kind.toLowerCase()}s`;
    things.push({ kind, plural, namespace: NAMESPACE, name, spec, ...(edit !== undefined && { edit }) });
    return name;
  };
  const nodeSpec = { nodeName: node, services: [SERVICE] };
  add('WindowsStorageNode', node, nodeSpec, [{ services: [] }, { services: [SERVICE] }]);
  if (draw.chance(0.1)) add('WindowsStorageNode', `${node}-twin`, nodeSpec);
  const onDisk = (base: string, where: JsonObject): void => {
    const spec = {
      nodeRef: node,
      ...where,
      partition: draw.chance(0.8),
      ...(draw.chance(0.2) && { offlineOnDelete: false }),
    };
    const edits = draw.pick([
      [{ online: false }, { online: true }],
      [{ offlineOnDelete: false }, { offlineOnDelete: true }],
      [{ partition: true }, { partition: spec.partition }],
    ] as const);
    add('WindowsDisk', base, spec, edits);
    if (draw.chance(0.1)) add('WindowsDisk', `${base}-rival`, spec);
    if (!draw.chance(0.85)) return;
    const formatPolicy = draw.pick(['IfRaw', 'IfRaw', 'IfRaw', 'Never', 'IfUnknown']);
    const volume = { diskRef: base, formatPolicy, ...(draw.chance(0.3) && { sizeBytes: 0 }) };
    const other = draw.pick(['IfUnknown', 'Never', 'IfRaw']);
    add('WindowsVolume', base, volume, [{ formatPolicy: other }, { formatPolicy }]);
    if (draw.chance(0.15)) add('WindowsVolume', `${base}-rival`, volume);
    if (!draw.chance(0.75)) return;
    const path = `${DIRECTORY}\\${draw.chance(0.3) ? 'deep\\' : ''}${base}`;
    const mount = add('WindowsMount', base, { path, source: { volumeRef: base } });
    if (draw.chance(0.1)) add('WindowsMount', `${base}-rival`, { path, source: { volumeRef: base } });
    if (draw.chance(0.35))
      add('WindowsMount', `${base}-link`, { path: `${DIRECTORY}\\link-${base}`, source: { mountRef: mount } });
  };
  for (const [index, { page83, serialNumber, lun }] of disks.entries()) {
    if (!draw.chance(0.9)) continue;
    const byName = page83 === '' ? { serialNumber } : { page83 };
    onDisk(`${node}-d${index}`, { selector: draw.pick([byName, byName, { serialNumber }, { lun }]) });
  }
  for (const [index, { iqn, hasChap }] of targets.entries()) {
    const auth = hasChap ? { type: 'OneWayCHAP', secretRef: `chap-${node}-${index}` } : { type: 'None' };
    const target = add('IscsiTarget', `${node}-t${index}`, { nodeRef: node, portal: PORTAL, iqn, auth });
    if (draw.chance(0.8)) onDisk(`${node}-t${index}`, { iscsiTargetRef: target, index: 0 });
  }
  for (const [index, share] of shares.entries()) {
    if (!draw.chance(0.6)) continue;
    const spec = { nodeRef: node, remotePath: share, credentialsSecretRef: `share${index + 1}` };
    const rotations = [{ rotation: 'Immediate' }, { rotation: 'WhenUnused' }] as const;
    const mapping = add('SmbMapping', `${node}-s${index}`, spec, rotations);
    if (draw.chance(0.1)) add('SmbMapping', `${node}-s${index}-rival`, spec);
    if (!draw.chance(0.7)) continue;
    const source = { smbMappingRef: mapping, ...(draw.chance(0.3) && { subPath: 'one\\two' }) };
    add('WindowsMount', `${node}-s${index}`, { path: `${DIRECTORY}\\share-${node}-${index}`, source });
  }
  if (draw.chance(0.4)) {
    const deletionPolicy = draw.pick(['Remove', 'RemoveContents', 'Keep']);
    const spec = { path: `${DIRECTORY}\\plain-${node}`, source: { nodeRef: node }, deletionPolicy };
    add('WindowsMount', `${node}-plain`, spec);
  }
  return things;
}
