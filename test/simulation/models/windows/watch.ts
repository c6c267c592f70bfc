// Looks at every change of an object, at all that is said, and at every change of a machine, and says when one of these is broken:
//
//   S1. No data is lost: what has a file system is not formatted, nor what an object was ready with, whatever Windows says of it by now;
//       what others may have put on a disk only if the policy says so;
//       only what is raw is given a partition table, and only when it is on record that it was raw.
//   S2. Nothing is formatted twice, and no format is asked for that is not on record.
//   S3. A disk is changed for the object that its node says has it, and for no other, nor by a number that another disk has got.
//   S4. What is mapped, mounted, connected or online for an object is not any more when that is gone.
//   S5. No password is in an object, in mail, in a request, in an answer or in the log.
//   S6. Nothing is taken down for an object that is not deleted, or that others hold.
//   S7. What an object has not made stays, and so does what is in a directory, unless its policy says otherwise.
//   `tenancy.ts` has the next, S8: what one tenant has on a machine is not the other one’s.
import type { MemoryDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import { finalizerOf } from '../../../../adapters/windows/kinds/windows-kind.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { HistoryContext } from '../../model.ts';
import { PASSWORD, PORTAL } from './estate.ts';
import { type Caller, diskAt, type MachineChange, type Machines, type SimulatedMachine, volumeAt } from './machines.ts';
import type { HandDeed } from './plan.ts';
import { hasAny, readyOf, usersOf } from './relations.ts';
import { isOf, Tenancy } from './tenancy.ts';

export interface WindowsWatchDeps extends HistoryContext {
  readonly machines: Machines;
}

/** What is known of a disk, wherever it is. */
interface DiskHistory {
  /** Others may have put something on it. */
  isOthers: boolean;
  /** Uid of the object that it was set online for, until that is over or somebody else has a hand in it. */
  onlineFor: string | undefined;
}

/** A part of all passwords, as it is and as Secrets have it. */
const SECRETS = [PASSWORD, Buffer.from(PASSWORD.slice(0, 12)).toString('base64')];
/** Between a last look at a machine and the call that it was for nobody can look once more. */
const CALL_MS = 1;
const OUR_FINALIZER = /^windows\.troupe\.dev\//;
/** What takes down what an object stands for. */
const ENDS = new Set(['release', 'disconnect', 'unmap', 'unmake']);

/** What calls take down, by name. */
const TAKEN_DOWN: Readonly<Record<string, (args: readonly unknown[]) => string>> = {
  'smb.removeSmbGlobalMapping': ([root]) => String(root),
  'iscsi.disconnectTarget': ([, iqn]) => String(iqn),
  'iscsi.removeTargetPortal': () => PORTAL.address,
  'volume.unmountVolume': ([, path]) => String(path),
  'filesystem.rmdir': ([path]) => String(path),
};

export class WindowsWatch {
  readonly #deps: WindowsWatchDeps;
  readonly #disks = new Map<MemoryDisk, DiskHistory>();
  /** Policies that an object of a uid has had. */
  readonly #policies = new Map<string, Set<string>>();
  /** Uids of objects for which something was formatted. */
  readonly #formattedFor = new Set<string>();
  /** Ids of volumes with which an object was ready. */
  readonly #wereReady = new Set<unknown>();
  /** Nodes and paths, roots or names of targets where people have had a hand in it. */
  readonly #byHand = new Set<string>();
  /** The same of what somebody else has made before, and nobody has touched. */
  readonly #beforehand = new Set<string>();
  readonly #objects = new Map<string, KubeObject>();
  readonly #judging: Promise<void>[] = [];
  readonly #tenancy: Tenancy;
  /** When somebody last had a hand in a disk, by node. */
  readonly #handAtMs = new Map<string, number>();

  constructor(deps: WindowsWatchDeps) {
    this.#deps = deps;
    this.#tenancy = new Tenancy(deps);
  }

  /** What people do on a machine is no defect of ours, nor what follows from it. */
  onHand(node: string, deed: HandDeed, what: string | MemoryDisk): void {
    this.#tenancy.forget(typeof what === 'string' ? `${node} ${what.toLowerCase()}` : what);
    if (typeof what === 'string') {
      this.#byHand.add(`${node} ${what}`);
      this.onBeforehandEnds(node, what);
      return;
    }
    this.#handAtMs.set(node, this.#deps.time.elapsed());
    const known = this.historyOf(what);
    known.onlineFor = undefined;
    if (deed === 'partition' || deed === 'spoilVolume') known.isOthers = true;
  }

  /** What somebody else has made before all objects is taken down by none of them (S7). */
  onBeforehand(node: string, what: string): void {
    this.#byHand.add(`${node} ${what}`);
    this.#beforehand.add(`${node} ${what}`);
  }

  /** It is gone, or does not work any more. */
  onBeforehandEnds(node: string, what: string): void {
    this.#beforehand.delete(`${node} ${what}`);
  }

  isByHand(node: string, what: string): boolean {
    return this.#byHand.has(`${node} ${what}`);
  }

  historyOf(disk: MemoryDisk): DiskHistory {
    const known = this.#disks.get(disk) ?? { isOthers: disk.style !== 'RAW', onlineFor: undefined };
    this.#disks.set(disk, known);
    return known;
  }

  // --- what is stored, said and logged ---------------------------------------------------------------------------

  onChange(plural: string, { type, stored }: Change): void {
    if (plural === 'secrets' || plural === 'namespaces') return;
    const object = stored.object as unknown as KubeObject;
    this.judgeText(`${plural} '${stored.metadata.name}'`, stored.text);
    if (type === 'DELETED') {
      this.#objects.delete(object.metadata.uid);
      this.#judging.push(this.#judgeEnd(object));
      return;
    }
    this.#objects.set(object.metadata.uid, object);
    this.#tenancy.onChange(object);
    if (plural === 'windowsvolumes' && readyOf(object).status === 'True')
      this.#wereReady.add(object.status?.['volumeID']);
    const { uid } = object.metadata;
    const policies = this.#policies.get(uid) ?? new Set();
    for (const policy of [object.spec?.['formatPolicy'], object.spec?.['deletionPolicy']])
      policies.add(String(policy ?? ''));
    this.#policies.set(uid, policies);
  }

  /** What is under way of the judgement is over. */
  async judged(): Promise<void> {
    while (this.#judging.length > 0) await this.#judging.shift();
  }

  /** When all is as it is to be. */
  judgeRest(): void {
    this.#tenancy.judgeFound();
  }

  judgeText(where: string, text: string): void {
    if (SECRETS.some((secret) => text.includes(secret))) this.#violate('S5', `a password is in ${where}`);
  }

  /** A process asks the bus for an operation. */
  onRequest(pod: string, subject: string, request: JsonObject): void {
    this.judgeText(`a request: ${subject}`, JSON.stringify(request));
    const object = request['object'] as unknown as KubeObject | undefined;
    const plural = subject.split('.').at(-2) ?? '';
    const { namespace = '', name = '' } = object?.metadata ?? {};
    const holder = this.#deps.hostOf({ realm: 'windows', plural, namespace, name });
    if (holder !== undefined && holder !== pod)
      this.#violate('P10', `${pod} asks for ${subject} for '${name}', which is ${holder}'s`);
  }

  // --- what is done to machines ----------------------------------------------------------------------------------

  onBegun(change: MachineChange): void {
    const { call, caller, machine, args } = change;
    if (caller === undefined) return;
    const disk = call.startsWith('disk.') ? diskAt(machine.memory, Number(args[0])) : undefined;
    // As it is before it is given a partition table.
    if (disk !== undefined) this.historyOf(disk);
    this.#tenancy.onBegun(change);
    const known = this.#objects.get(caller.object.metadata.uid);
    const { namespace, name } = caller.object.metadata;
    const what = `${call} for ${caller.plural} '${namespace}/${name}' on ${machine.node}`;
    const foreign = TAKEN_DOWN[call]?.(args);
    if (foreign !== undefined && this.#beforehand.has(`${machine.node} ${foreign}`))
      this.#violate('S7', `${what}: somebody else has made ${foreign}`);
    if (ENDS.has(caller.operation)) this.#judgeEnding(what, caller, known);
    switch (call) {
      case 'volume.formatVolume':
        this.#judgeFormat(what, change, known);
        return;
      case 'disk.initializeDisk':
        if (known?.status?.['seenRaw'] === undefined)
          this.#violate('S1', `${what}: it is not on record that it was raw`);
        this.#judgeHolder(what, caller, { machine, disk });
        return;
      case 'disk.setDiskState':
      case 'disk.createBasicPartition':
        this.#judgeHolder(what, caller, { machine, disk });
        return;
      case 'filesystem.rmdir': {
        const { contents } = args[1] as { readonly contents: string };
        if (contents === 'removed' && this.#policies.get(caller.object.metadata.uid)?.has('RemoveContents') !== true)
          this.#violate('S7', `${what}: with all that is in ${args[0]}`);
        if (known !== undefined && known.status?.['path'] === undefined)
          this.#violate('S7', `${what}: the object has not made what is at ${args[0]}`);
        return;
      }
      case 'filesystem.rmdirContents':
        this.#violate('S7', what);
        return;
      case 'smb.newSmbGlobalMapping':
      case 'smb.removeSmbGlobalMapping':
        if (known !== undefined && known.status?.['madeBy'] === undefined)
          this.#violate('S7', `${what}: the object has not made the mapping`);
        return;
    }
  }

  onDone(change: MachineChange, error: unknown): void {
    if (error !== undefined) return;
    const { call, args, machine, caller } = change;
    this.#tenancy.onDone(change);
    const { memory } = machine;
    if (call === 'volume.formatVolume' && caller !== undefined) this.#formattedFor.add(caller.object.metadata.uid);
    if (call === 'disk.setDiskState') {
      const disk = diskAt(memory, Number(args[0]));
      if (disk !== undefined)
        this.historyOf(disk).onlineFor = args[1] === 'online' ? caller?.object.metadata.uid : undefined;
    }
    if (call === 'iscsi.removeTargetPortal') this.#judging.push(this.#judgePortal(machine));
  }

  #judgeFormat(what: string, { args, machine }: MachineChange, known: KubeObject | undefined): void {
    const volumeID = String(args[0]);
    const found = volumeAt(machine.memory, volumeID);
    // It has gone since the last look, and Windows refuses.
    if (found === undefined) return;
    const { disk, volume } = found;
    const uid = known?.metadata.uid ?? '';
    const policies = this.#policies.get(uid) ?? new Set();
    if (volume.fileSystem === 'NTFS') this.#violate('S1', `${what}: it has a file system`);
    if (this.#wereReady.has(volumeID)) this.#violate('S1', `${what}: it had a file system`);
    if (this.historyOf(disk).isOthers && !policies.has('IfUnknown'))
      this.#violate('S1', `${what}: others may have put something on it, and the policy is not IfUnknown`);
    if (!policies.has('IfRaw') && !policies.has('IfUnknown')) this.#violate('S1', `${what}: the policy is Never`);
    if (known === undefined) this.#violate('S2', `${what}: the object is gone`);
    else if (this.#formattedFor.has(uid)) this.#violate('S2', `${what}: it was formatted for it`);
    else if ((known.status?.['format'] as JsonObject | undefined)?.['volumeID'] !== volumeID)
      this.#violate('S2', `${what}: that is not on record`);
  }

  /** The disk is that of the object (S3). @param at.disk  of the number that was told; undefined: there is none */
  #judgeHolder(
    what: string,
    { object }: Caller,
    { machine, disk }: { readonly machine: SimulatedMachine; readonly disk: MemoryDisk | undefined },
  ): void {
    const { node } = machine;
    const known = this.#objects.get(object.metadata.uid);
    if (known === undefined) {
      this.#violate('S3', `${what}: the object is gone`);
      return;
    }
    if (known.metadata.finalizers?.includes(finalizerOf('WindowsDisk')) !== true)
      this.#violate('S3', `${what}: the object lacks its finalizer`);
    const { identity } = known.status ?? {};
    const isRecent = this.#deps.time.elapsed() - (this.#handAtMs.get(node) ?? Number.NEGATIVE_INFINITY) < CALL_MS;
    const isOther = disk !== undefined && !isOf(disk, `${identity}`);
    if (isOther && !isRecent) this.#violate('S3', `${what}: the disk of that number is not ${identity}`);
    const { namespace = '' } = known.metadata;
    const own = this.#deps.cluster.get('windowsstoragenodes', namespace, String(known.spec?.['nodeRef']));
    const holders = [own]
      .flatMap((each) => (each?.status?.['disks'] ?? []) as readonly JsonObject[])
      .flatMap((disk) => (disk['identity'] === identity && disk['claimedByUID'] != null ? [disk['claimedByUID']] : []));
    if (!holders.includes(known.metadata.uid))
      this.#violate('S3', `${what}: ${identity} is ${holders.join(' and ') || 'nobody'}'s`);
  }

  #judgeEnding(what: string, { plural, object }: Caller, known: KubeObject | undefined): void {
    if (known === undefined) return;
    if (known.metadata.deletionTimestamp === undefined) this.#violate('S6', `${what}: the object is not deleted`);
    const others = known.metadata.finalizers?.filter((each) => !OUR_FINALIZER.test(each)) ?? [];
    if (others.length > 0) this.#violate('S6', `${what}: ${plural} is held by ${others.join(', ')}`);
    const user = usersOf(this.#deps.cluster, object).find(
      (each) => each.metadata.deletionTimestamp === undefined && hasAny(each),
    );
    if (user !== undefined) this.#violate('S6', `${what}: ${user.kind} '${user.metadata.name}' uses it`);
  }

  /** A portal goes with the last connection through it. */
  async #judgePortal({ node, memory }: SimulatedMachine): Promise<void> {
    for (const { iqn, spec } of this.#targetsOf(node)) {
      await memory.host.iscsi.addTargetPortal(PORTAL);
      const disks = await memory.host.iscsi.getTargetDisks(PORTAL, iqn);
      await memory.host.iscsi.removeTargetPortal(PORTAL);
      if (disks.length > 0 && spec.status?.['connection'] !== undefined)
        this.#violate('S6', `the portal of ${node} goes while ${iqn} is connected through it`);
    }
  }

  #targetsOf(node: string): readonly { readonly iqn: string; readonly spec: KubeObject }[] {
    return this.#deps.cluster
      .objects('iscsitargets')
      .filter(({ spec }) => spec?.['nodeRef'] === node)
      .map((spec) => ({ iqn: String(spec.spec?.['iqn']), spec }));
  }

  // --- what is left ----------------------------------------------------------------------------------------------

  /** Of an object that is gone (S4). */
  async #judgeEnd({ kind, metadata, spec = {}, status = {} }: KubeObject): Promise<void> {
    const node = String(status['nodeName'] ?? '');
    const machine = this.#deps.machines.all.find((each) => each.node === node);
    if (machine === undefined) return;
    const { memory } = machine;
    const gone = `${kind} '${metadata.namespace}/${metadata.name}' is gone`;
    if (kind === 'WindowsMount' && status['path'] !== undefined) {
      const path = String(spec['path']);
      const { kind: is } = await memory.files.look(path);
      const isOthers = this.#tenancy.isOthers(node, path, metadata.namespace);
      const isLeft = (is === 'mount' || is === 'link') && !isOthers;
      if (isLeft && !this.isByHand(node, path)) this.#violate('S4', `${gone}, and a ${is} is left at ${path}`);
    }
    if (kind === 'SmbMapping' && status['origin'] === 'Made') {
      const root = String(status['root']);
      const isOthers =
        this.#tenancy.isOthers(node, root, metadata.namespace) ||
        this.#deps.cluster
          .objects('smbmappings')
          .some((other) => other.status?.['root'] === root && other.status['nodeName'] === node);
      const isLeft = (await memory.host.smb.isSmbMapped(root)) !== 'absent';
      if (isLeft && !isOthers && !this.isByHand(node, root)) this.#violate('S4', `${gone}, and ${root} is mapped`);
    }
    if (kind === 'IscsiTarget' && status['connection'] !== undefined) {
      const iqn = String(spec['iqn']);
      const portals = await memory.host.iscsi.listTargetPortals().catch(() => []);
      const disks = portals.length === 0 ? [] : await memory.host.iscsi.getTargetDisks(PORTAL, iqn);
      const isOthers = this.#tenancy.isOthers(node, iqn, metadata.namespace);
      if (disks.length > 0 && !isOthers && !this.isByHand(node, iqn))
        this.#violate('S4', `${gone}, and ${iqn} is connected`);
    }
    if (kind !== 'WindowsDisk') return;
    for (const [number] of await memory.host.disk.listDiskLocations()) {
      const disk = memory.disks.disk(number);
      const known = this.historyOf(disk);
      if (known.onlineFor !== metadata.uid) continue;
      if (spec['offlineOnDelete'] === false) known.onlineFor = undefined;
      else this.#violate('S4', `${gone}, and disk ${number} of ${node} is online`);
    }
  }

  #violate(invariant: string, text: string): void {
    this.#deps.violate(invariant, text);
  }
}
