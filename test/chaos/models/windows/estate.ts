// The Windows machines of a run, each with disks, iSCSI targets behind one portal and shares, and the objects that somebody has of them.
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import { GROUP } from '../../../../adapters/windows/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Content } from '../../../simulation/models/windows/estate.ts';
import { DIRECTORY, PORTAL, SERVICE, USERNAME } from '../../../simulation/models/windows/estate.ts';
import { referencesOf } from '../../../simulation/models/windows/relations.ts';

export { DIRECTORY, PORTAL, USERNAME };

export interface EstateDisk {
  readonly page83: string;
  readonly content: Content;
}

/** As a process is told of it. */
export interface EstateMachine {
  readonly node: string;
  readonly disks: readonly EstateDisk[];
  readonly targets: readonly { readonly iqn: string; readonly secret?: string; readonly disk: EstateDisk }[];
  readonly shares: readonly { readonly root: string; readonly password: string }[];
}

/** What a Secret is the key to: a share, wherever it is mapped, or a target. */
export interface Lock {
  readonly secret: string;
  readonly opens: { readonly share: string } | { readonly iqn: string; readonly node: string };
}

/** An object that somebody has, of whatever life. */
export interface Thing {
  /** `windowsdisks/win1-data` */
  readonly key: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
  readonly node: string;
  readonly spec: JsonObject;
  /** Keys of what it refers to. */
  readonly on: readonly string[];
  /** What its spec is changed to, now and then. */
  readonly edits: readonly JsonObject[];
  /** Of a disk, as its object knows it. */
  readonly identity?: string;
  /** Of one that now and then is a new one when somebody has it anew. */
  readonly renewed?: string;
  /** What it says in the end; that it is as specified unless stated. */
  readonly says?: string;
}

export interface Estate {
  readonly machines: readonly EstateMachine[];
  readonly locks: readonly Lock[];
  readonly things: readonly Thing[];
}

const NODES = ['win1', 'win2', 'win3'];
/** Disks that somebody has for a while, and with nothing on them whenever he has them anew. */
const LENT = ['lent1', 'lent2'];
/** Each of a server of its own, and when an object of it gets other credentials. */
const SHARES = [
  { name: 'team', root: '\\\\srv1\\team', rotation: 'Immediate' },
  { name: 'docs', root: '\\\\srv2\\docs', rotation: 'WhenUnused' },
];

/** @param passwordOf  of a lock, by the name of its Secret */
export function estate(passwordOf: (secret: string) => string): Estate {
  const locks: Lock[] = SHARES.map(({ name, root }) => ({ secret: secretOf(name), opens: { share: root } }));
  const machines = NODES.map((node): EstateMachine => {
    const disk = (name: string, content: Content): EstateDisk => ({ page83: `naa.${node}-${name}`, content });
    const secret = secretOf(`${node}-chap`);
    locks.push({ secret, opens: { iqn: iqnOf(node, 'chap'), node } });
    return {
      node,
      disks: [
        disk('data', 'raw'),
        ...LENT.map((name) => disk(name, 'raw')),
        disk('kept', 'ntfs'),
        disk('old', 'foreign'),
      ],
      targets: [
        { iqn: iqnOf(node, 'chap'), secret: passwordOf(secret), disk: disk('chap', 'raw') },
        { iqn: iqnOf(node, 'open'), disk: disk('open', 'ntfs') },
      ],
      shares: SHARES.map(({ name, root }) => ({ root, password: passwordOf(secretOf(name)) })),
    };
  });
  return { machines, locks, things: NODES.flatMap(thingsOn) };
}

export function manifestOf({ kind, name, spec }: Thing): JsonObject {
  return { apiVersion: `${GROUP}/v1alpha1`, kind, metadata: { name }, spec };
}

function secretOf(name: string): string {
  return `${name}-login`;
}

function iqnOf(node: string, name: string): string {
  return `iqn.2030-01.test:${node}-${name}`;
}

function thingsOn(node: string): readonly Thing[] {
  const things: Thing[] = [];
  const add = (kind: string, name: string, spec: JsonObject, more: Partial<Thing> = {}): string => {
    const { plural = '' } = windowsContracts.find((contract) => contract.kind === kind) ?? {};
    const on = referencesOf({ spec } as unknown as KubeObject).map((reference) => reference.join('/'));
    things.push({ key: `${plural}/${name}`, kind, plural, name, node, spec, on, edits: [], ...more });
    return name;
  };
  const named = (name: string): string => `${node}-${name}`;
  const pathOf = (name: string): string => `${DIRECTORY}\\${named(name)}`;
  const disk = (name: string, spec: JsonObject, use: 'renewed' | 'kept' = 'kept'): string => {
    const page83 = `naa.${named(name)}`;
    const renewed = use === 'renewed' ? { renewed: page83 } : {};
    return add('WindowsDisk', named(name), { nodeRef: node, ...spec }, { identity: `page83:${page83}`, ...renewed });
  };
  const byName = (name: string): JsonObject => ({ selector: { page83: `naa.${named(name)}` } });
  const target = (name: string, auth: JsonObject): string =>
    add('IscsiTarget', named(name), { nodeRef: node, portal: PORTAL, iqn: iqnOf(node, name), auth });
  const mount = (name: string, source: JsonObject, more: JsonObject = {}): string =>
    add('WindowsMount', named(name), { path: pathOf(name), source, ...more });
  add('WindowsStorageNode', node, { nodeName: node, services: [SERVICE] });

  const data = disk('data', { ...byName('data'), partition: true }, 'renewed');
  const sizes = { edits: [{ sizeBytes: 0 }, { sizeBytes: 2 ** 30 }] };
  const volume = add('WindowsVolume', named('data'), { diskRef: data, formatPolicy: 'IfRaw' }, sizes);
  const published = mount('data', { volumeRef: volume });
  mount('data-link', { mountRef: published });
  for (const name of LENT) {
    const lent = disk(name, { ...byName(name), partition: true }, 'renewed');
    add('WindowsVolume', named(name), { diskRef: lent, formatPolicy: 'IfRaw' });
  }
  // What others have put on a disk: it is used as it is, or not at all.
  const kept = disk('kept', { ...byName('kept'), offlineOnDelete: false });
  const policies = { edits: [{ formatPolicy: 'IfRaw' }, { formatPolicy: 'Never' }] };
  mount('kept', {
    volumeRef: add('WindowsVolume', named('kept'), { diskRef: kept, formatPolicy: 'Never' }, policies),
  });
  const old = disk('old', { ...byName('old'), partition: true });
  add('WindowsVolume', named('old'), { diskRef: old, formatPolicy: 'IfRaw' }, { says: 'NotFormatted' });

  const chap = target('chap', { type: 'OneWayCHAP', secretRef: secretOf(named('chap')) });
  const distant = disk('chap', { iscsiTargetRef: chap, index: 0, partition: true }, 'renewed');
  mount('chap', { volumeRef: add('WindowsVolume', named('chap'), { diskRef: distant, formatPolicy: 'IfRaw' }) });
  disk('open', { iscsiTargetRef: target('open', { type: 'None' }), index: 0 });

  for (const { name, root, rotation } of SHARES) {
    const spec = { nodeRef: node, remotePath: root, credentialsSecretRef: secretOf(name), rotation };
    const mapping = add('SmbMapping', named(name), spec);
    mount(name, { smbMappingRef: mapping, ...(rotation === 'Immediate' && { subPath: 'one\\two' }) });
  }
  mount('plain', { nodeRef: node }, { deletionPolicy: 'RemoveContents' });
  return things;
}
