// Who has what of a machine, by what was done to it, and says when this is broken:
//
//   S8. What an object of one namespace has made, mounted, mapped, connected or formatted is neither used nor changed nor taken down by
//       those of another one, nor said to be found by them, for as long as it stands for that. A machine is that of who took its name
//       first, until that gives it up.
import type { MemoryDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Cluster } from '../../cluster.ts';
import { Situations } from '../../situations.ts';
import { SECOND } from './estate.ts';
import { diskAt, type MachineChange, type SimulatedMachine, volumeAt } from './machines.ts';
import { readyOf } from './relations.ts';

export const TENANT_SITUATIONS = new Situations('two tenants of a machine', [
  'one is refused the name',
  'the name is given up while something is there',
  'the second takes a name that was given up',
  'the first comes back too late',
  'a disk is had on record by the other',
  'a share is mapped by the other',
  'a target is connected by the other',
  'something is at a path of the other',
  'one takes down what it made after it lost the name',
]);

/** What one namespace has of a machine. */
interface Claim {
  readonly namespace: string;
  /** In words. */
  readonly what: string;
  /** Whether an object of the namespace stands for it still. */
  readonly isHeld: () => boolean;
}

interface TenancyDeps {
  readonly cluster: Cluster;
  readonly violate: (invariant: string, text: string) => void;
}

const UNDOES = new Set([
  'smb.removeSmbGlobalMapping',
  'iscsi.disconnectTarget',
  'volume.unmountVolume',
  'filesystem.rmdir',
]);

export class Tenancy {
  readonly #deps: TenancyDeps;
  /** By disk, or by node and path, share or target. */
  readonly #claims = new Map<MemoryDisk | string, Claim>();
  /** Uids of the objects that stand for machines, by Kubernetes node. */
  readonly #holders = new Map<string, string>();

  constructor(deps: TenancyDeps) {
    this.#deps = deps;
  }

  /** People had a hand in it: whose it is by now nobody knows. */
  forget(what: MemoryDisk | string): void {
    this.#claims.delete(what);
  }

  // --- what is done to machines ----------------------------------------------------------------------------------

  onBegun(change: MachineChange): void {
    const { caller, call, machine } = change;
    if (caller === undefined) return;
    const { namespace = '', name } = caller.object.metadata;
    for (const [, { namespace: other, what, isHeld }] of this.#touched(change)) {
      if (other === namespace || !isHeld()) continue;
      const who = `${caller.plural} '${namespace}/${name}'`;
      this.#deps.violate('S8', `${call} for ${who} on ${machine.node}: ${what} is that of namespace ${other}`);
    }
    if (UNDOES.has(call) && !this.#hasName(machine, namespace))
      TENANT_SITUATIONS.note('one takes down what it made after it lost the name');
  }

  onDone(change: MachineChange): void {
    const { caller, call } = change;
    if (caller === undefined) return;
    if (UNDOES.has(call)) {
      for (const what of this.#whatOf(change)) if (typeof what === 'string') this.#claims.delete(what);
      return;
    }
    for (const what of this.#whatOf(change)) {
      const claim = this.#claimOf(what, change);
      if (claim !== undefined) this.#claims.set(what, claim);
    }
  }

  /** Claims of whoever on what is done something to, and on what is in a directory that is emptied. */
  #touched(change: MachineChange): readonly (readonly [MemoryDisk | string, Claim])[] {
    const touched = this.#whatOf(change);
    const { call, args, machine } = change;
    const inside = call === 'filesystem.rmdir' ? `${machine.node} ${String(args[0]).toLowerCase()}\\` : undefined;
    return [...this.#claims].filter(
      ([what]) =>
        touched.includes(what) || (inside !== undefined && typeof what === 'string' && what.startsWith(inside)),
    );
  }

  /** What a call is about, and what it makes use of. */
  #whatOf({ call, args, machine, caller }: MachineChange): readonly (MemoryDisk | string)[] {
    const named = (...names: readonly unknown[]): readonly string[] =>
      names.map((name) => `${machine.node} ${String(name).toLowerCase()}`);
    const disk = (found: MemoryDisk | undefined): readonly MemoryDisk[] => (found === undefined ? [] : [found]);
    const ofVolume = (): readonly MemoryDisk[] => disk(volumeAt(machine.memory, String(args[0]))?.disk);
    switch (call) {
      case 'disk.setDiskState':
      case 'disk.initializeDisk':
      case 'disk.createBasicPartition':
        return disk(diskAt(machine.memory, Number(args[0])));
      case 'volume.formatVolume':
      case 'volume.resizeVolume':
        return ofVolume();
      case 'volume.mountVolume':
      case 'volume.unmountVolume':
        return [...ofVolume(), ...named(args[1])];
      case 'filesystem.rmdir':
        return named(args[0]);
      case 'filesystem.mkdir':
        // Others are made on the way to a path, for all that lie there.
        return args[0] === caller?.object.spec?.['path'] ? named(args[0]) : [];
      case 'filesystem.createSymlink':
        return named(args[1], args[0]);
      case 'smb.newSmbLink':
        return named(args[0], String(args[1]).split('\\').slice(0, 4).join('\\'));
      case 'smb.newSmbGlobalMapping':
        return named((args[0] as JsonObject)['root']);
      case 'smb.removeSmbGlobalMapping':
        return named(args[0]);
      case 'iscsi.connectTarget':
      case 'iscsi.disconnectTarget':
        return named(args[1]);
      default:
        return [];
    }
  }

  /** Of what the caller has made; undefined: it only makes use of it. */
  #claimOf(what: MemoryDisk | string, { caller, machine, call }: MachineChange): Claim | undefined {
    const { cluster } = this.#deps;
    const object = caller?.object;
    if (object === undefined) return undefined;
    const { namespace = '', uid } = object.metadata;
    const held = (plural: string, isIt: (each: KubeObject) => boolean): (() => boolean) => {
      const isThere = (each: KubeObject): boolean => each.metadata.namespace === namespace && isIt(each);
      return () => cluster.objects(plural).some(isThere);
    };
    if (typeof what !== 'string') {
      const disk = caller?.plural === 'windowsvolumes' ? String(object.spec?.['diskRef']) : object.metadata.name;
      const owner = cluster.get('windowsdisks', namespace, disk)?.metadata.uid;
      if (owner === undefined || call === 'volume.mountVolume') return undefined;
      const isIt = ({ metadata, status }: KubeObject): boolean =>
        metadata.uid === owner && isOf(what, String(status?.['identity']));
      return { namespace, what: `the disk ${what.serialNumber}`, isHeld: held('windowsdisks', isIt) };
    }
    const name = what.slice(machine.node.length + 1);
    const isMade = ({ status }: KubeObject): boolean =>
      status?.['madeBy'] !== undefined && status['machine'] === serialOf(machine);
    if (call === 'smb.newSmbGlobalMapping')
      return { namespace, what: name, isHeld: held('smbmappings', (each) => isMade(each) && rootOf(each) === name) };
    if (call === 'iscsi.connectTarget') {
      const isIt = (each: KubeObject): boolean => isMade(each) && each.spec?.['iqn'] === name;
      return { namespace, what: name, isHeld: held('iscsitargets', isIt) };
    }
    if (name !== String(object.spec?.['path']).toLowerCase()) return undefined;
    const isIt = ({ metadata, status }: KubeObject): boolean => metadata.uid === uid && status?.['path'] !== undefined;
    return { namespace, what: name, isHeld: held('windowsmounts', isIt) };
  }

  #hasName({ node }: SimulatedMachine, namespace: string): boolean {
    return this.#holderOf(node)?.metadata.namespace === namespace;
  }

  // --- what objects say ------------------------------------------------------------------------------------------

  /** Somebody else has it now. @param name  root of a share, name of a target, or a path */
  isOthers(node: string, name: string, namespace: string | undefined): boolean {
    const claim = this.#claims.get(`${node} ${name.toLowerCase()}`);
    return claim !== undefined && claim.namespace !== namespace && claim.isHeld();
  }

  onChange(object: KubeObject): void {
    const { kind, metadata, spec = {}, status = {} } = object;
    const { status: ready, reason, message, observedGeneration } = readyOf(object);
    this.#noteSituation(object, `${reason}`, `${message}`);
    if (kind !== 'WindowsStorageNode') return;
    const name = String(spec['nodeName']);
    for (const [other, uid] of this.#holders)
      if (uid === metadata.uid && (other !== name || reason === 'NodeTaken')) this.#holders.delete(other);
    if (ready !== 'True' || observedGeneration !== metadata.generation || status['nodeName'] !== name) return;
    const holder = this.#holderOf(name);
    if (holder !== undefined && holder.metadata.uid !== metadata.uid)
      this.#deps.violate('S8', `node '${name}' is that of ${nameOf(holder)}, and ${nameOf(object)} takes it`);
    this.#holders.set(name, metadata.uid);
  }

  /** In the end: what others have is nobody's finding. */
  judgeFound(): void {
    const { cluster } = this.#deps;
    for (const object of [...cluster.objects('smbmappings'), ...cluster.objects('iscsitargets')]) {
      const { metadata, spec = {}, status = {} } = object;
      if (readyOf(object).status !== 'True' || metadata.deletionTimestamp !== undefined) continue;
      const name = String(object.kind === 'SmbMapping' ? status['root'] : spec['iqn']);
      const node = String(status['machine']).replace(/^serial-/, '');
      if (this.isOthers(node, name, metadata.namespace))
        this.#deps.violate('S8', `${nameOf(object)} says ${readyOf(object).reason} of what is another namespace's`);
    }
  }

  /** Undefined: it is gone, or has given up the name. */
  #holderOf(node: string): KubeObject | undefined {
    const uid = this.#holders.get(node);
    return this.#deps.cluster.objects('windowsstoragenodes').find(({ metadata }) => metadata.uid === uid);
  }

  #noteSituation(object: KubeObject, reason: string, message: string): void {
    const { kind, metadata, spec = {}, status = {} } = object;
    if (kind === 'WindowsStorageNode') {
      const name = String(spec['nodeName']);
      const holder = this.#holderOf(name);
      const isOther = holder !== undefined && holder.metadata.namespace !== metadata.namespace;
      if (reason === 'NodeTaken' && isOther) {
        TENANT_SITUATIONS.note('one is refused the name');
        if (metadata.namespace !== SECOND && this.#hasAnything(metadata.namespace))
          TENANT_SITUATIONS.note('the first comes back too late');
      }
      const before = [...this.#holders].find(([, uid]) => uid === metadata.uid)?.[0];
      if (before !== undefined && before !== name && this.#hasAnything(metadata.namespace))
        TENANT_SITUATIONS.note('the name is given up while something is there');
      const isNew = this.#holders.get(name) === undefined && status['nodeName'] === name && reason === 'Success';
      if (isNew && metadata.namespace === SECOND) TENANT_SITUATIONS.note('the second takes a name that was given up');
    }
    if (reason === 'DiskTaken' && message.includes('which that one sees, too'))
      TENANT_SITUATIONS.note('a disk is had on record by the other');
    if (reason === 'OfOtherNamespace' && kind === 'SmbMapping')
      TENANT_SITUATIONS.note('a share is mapped by the other');
    if (reason === 'OfOtherNamespace' && kind === 'IscsiTarget')
      TENANT_SITUATIONS.note('a target is connected by the other');
    if (reason === 'PathTaken' && this.isOthers(String(status['nodeName']), String(spec['path']), metadata.namespace))
      TENANT_SITUATIONS.note('something is at a path of the other');
  }

  #hasAnything(namespace: string | undefined): boolean {
    return [...this.#claims.values()].some((claim) => claim.namespace === namespace && claim.isHeld());
  }
}

/** What the machine says of itself. */
export function serialOf({ node }: Pick<SimulatedMachine, 'node'>): string {
  return `serial-${node}`;
}

export function isOf({ page83, serialNumber }: MemoryDisk, identity: string): boolean {
  return [`page83:${page83}`, `serial:${serialNumber}`].includes(identity);
}

function rootOf({ status }: KubeObject): string {
  return String(status?.['root']).toLowerCase();
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} '${metadata.namespace}/${metadata.name}'`;
}
