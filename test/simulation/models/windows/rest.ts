// Whether an object of Windows storage has come to its end: it is as its spec asks for, of which the machine is asked too, or says why
// not, and that is so.
import { isAsAsked, placeAt, type Source } from '../../../../adapters/windows/operations/paths.ts';
import { onShare } from '../../../../adapters/windows/places.ts';
import { wordOf } from '../../../../adapters/windows/values.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { PORTAL } from './estate.ts';
import { type Machines, type SimulatedMachine, seenOn, volumesOf } from './machines.ts';
import { isUsable, isUsed, type Objects, PLURALS, readyOf, referencesOf } from './relations.ts';
import { serialOf } from './tenancy.ts';

export interface WindowsRestDeps {
  readonly machines: Pick<Machines, 'of'>;
  readonly cluster: Objects;
}

/** What an object is to say of itself: that it is ready, or one of these reasons; and what is wrong with it all the same. */
interface Due {
  readonly reasons: readonly string[];
  readonly wrong?: string | undefined;
}

const READY: Due = { reasons: ['Success'] };
export class WindowsRest {
  readonly #deps: WindowsRestDeps;

  constructor(deps: WindowsRestDeps) {
    this.#deps = deps;
  }

  /** What is not yet as it has to be in the end; undefined when all is. */
  async unrest(): Promise<string | undefined> {
    for (const plural of PLURALS)
      for (const object of this.#deps.cluster.objects(plural)) {
        const why = await this.#unrestOf(object);
        if (why !== undefined)
          return `${object.kind} '${object.metadata.namespace}/${object.metadata.name}' ${why}: ${JSON.stringify(object.status)}`;
      }
    return undefined;
  }

  async #unrestOf(object: KubeObject): Promise<string | undefined> {
    const { reason, observedGeneration } = readyOf(object);
    if (object.metadata.deletionTimestamp !== undefined) {
      if (!isUsed(this.#deps.cluster, object) && !this.#isLeftToUsed(object))
        return 'is deleted, used by nobody, and still there';
      return reason === 'WaitingForUsers' ? undefined : `is deleted and used, and says ${reason}`;
    }
    if (observedGeneration !== object.metadata.generation) return 'has not looked at its edit';
    const { reasons, wrong } = await this.#dueOf(object);
    if (!reasons.includes(String(reason))) return `says ${reason}, and is to say ${reasons.join(' or ')}`;
    return wrong === undefined ? undefined : `says ${reason}, and ${wrong}`;
  }

  /** Whether another object of the same share or target is being deleted and used: it does not look again, and the maker waits for it (WIN-SHARED-4). */
  #isLeftToUsed({ kind, metadata, spec, status }: KubeObject): boolean {
    const plural = kind === 'SmbMapping' ? 'smbmappings' : 'iscsitargets';
    if (wordOf(status?.['madeBy']) === undefined) return false;
    return this.#deps.cluster
      .objects(plural)
      .some(
        (other) =>
          other.metadata.uid !== metadata.uid &&
          other.metadata.namespace === metadata.namespace &&
          other.metadata.deletionTimestamp !== undefined &&
          other.spec?.['nodeRef'] === spec?.['nodeRef'] &&
          other.spec?.['iqn'] === spec?.['iqn'] &&
          other.status?.['root'] === status?.['root'] &&
          wordOf(other.status?.['madeBy']) === undefined &&
          isUsed(this.#deps.cluster, other),
      );
  }

  async #dueOf(object: KubeObject): Promise<Due> {
    const waiting = referencesOf(object).some(([plural, name]) => !isUsable(this.#besides(object, plural, name)));
    if (waiting) return { reasons: ['WaitingForDependency'] };
    const { kind } = object;
    const machine = this.#machineOf(object);
    if (kind === 'WindowsStorageNode') return this.#dueOfNode(object, machine);
    if (kind === 'IscsiTarget') return this.#dueOfTarget(object, machine);
    if (kind === 'WindowsDisk') return this.#dueOfDisk(object, machine);
    if (kind === 'WindowsVolume') return this.#dueOfVolume(object, machine);
    if (kind === 'SmbMapping') return this.#dueOfMapping(object, machine);
    return this.#dueOfMount(object, machine);
  }

  async #dueOfNode(object: KubeObject, { memory }: SimulatedMachine): Promise<Due> {
    const { spec, status } = object;
    // Whoever has not taken the name comes last.
    const age = ({ metadata, status: of }: KubeObject): string =>
      `${of?.['nodeTakenAt'] ?? '~'} ${metadata.creationTimestamp} ${metadata.uid}`;
    const isTaken = this.#deps.cluster
      .objects('windowsstoragenodes')
      .some((other) => other.spec?.['nodeName'] === spec?.['nodeName'] && age(other) < age(object));
    if (isTaken) return { reasons: ['NodeTaken'] };
    const seen = (await memory.host.disk.listDiskIDs()).disks;
    const reported = (status?.['disks'] ?? []) as readonly JsonObject[];
    const isSeen = (disk: JsonObject): boolean => {
      const is = seen.get(Number(disk['number']));
      return (
        is !== undefined && (disk['page83'] ?? '') === is.page83 && (disk['serialNumber'] ?? '') === is.serialNumber
      );
    };
    // Without a number it tells of one that is away, and somebody's, or has had a file system.
    const there = reported.filter(({ number }) => number !== undefined);
    const isHad = (disk: JsonObject): boolean =>
      disk['number'] !== undefined || disk['claimedBy'] != null || disk['fileSystems'] != null;
    const isRight = there.length === seen.size && there.every(isSeen) && reported.every(isHad);
    const claims = reported.flatMap((disk) => (disk['claimedBy'] == null ? [] : [String(disk['claimedBy'])]));
    const isGone = claims.find((name) => this.#besides(object, 'windowsdisks', name) === undefined);
    const wrong = isGone === undefined ? undefined : `gives a disk to ${isGone}, which is gone`;
    return { reasons: READY.reasons, wrong: isRight ? wrong : 'tells of other disks than there are' };
  }

  async #dueOfTarget(object: KubeObject, machine: SimulatedMachine): Promise<Due> {
    const { spec } = object;
    const { memory } = machine;
    const isIt = (other: KubeObject): boolean => other.spec?.['iqn'] === spec?.['iqn'];
    if (this.#isOthers(object, machine, isIt)) return { reasons: ['OfOtherNamespace'] };
    const disks = await memory.host.iscsi.getTargetDisks(PORTAL, String(spec?.['iqn'])).catch(() => []);
    const wrong = disks.length === 0 ? 'is not connected' : this.#unrecordedMaker(object, isIt);
    return { reasons: ['Success', 'Found'], wrong };
  }

  async #dueOfDisk(object: KubeObject, { memory, node }: SimulatedMachine): Promise<Due> {
    const { metadata, spec = {}, status = {} } = object;
    const identity = status['identity'];
    const seen = (await seenOn(memory)).filter(([, { page83, serialNumber }]) =>
      [`page83:${page83}`, `serial:${serialNumber}`].includes(String(identity)),
    );
    if (identity === undefined) return { reasons: [await this.#lackOf(spec, memory)] };
    if (seen.length === 0) return { reasons: ['DiskAbsent', 'DiskMoved'] };
    if (seen.length > 1) return { reasons: ['AmbiguousDisk'] };
    const own = this.#besides(object, 'windowsstoragenodes', String(spec['nodeRef']));
    const claims = (own?.status?.['disks'] ?? []) as readonly JsonObject[];
    const holder = claims.find((disk) => disk['identity'] === identity)?.['claimedBy'];
    const isOthers = ({ status: of }: KubeObject): boolean =>
      ((of?.['disks'] ?? []) as readonly JsonObject[]).some(
        (disk) => disk['identity'] === identity && disk['claimedBy'] != null,
      );
    if (holder === undefined && this.#others('windowsstoragenodes', object, node).some(isOthers))
      return { reasons: ['DiskTaken'] };
    if (holder !== metadata.name) {
      const conflictingOwner = this.#besides(object, 'windowsdisks', String(holder));
      const wrong = status['number'] === undefined ? undefined : 'tells what is on a disk that it does not have';
      return conflictingOwner === undefined ? READY : { reasons: ['DiskTaken'], wrong };
    }
    const [[number, disk] = []] = seen;
    const isOnline = spec['online'] !== false;
    const isPartitioned = disk?.partitions.some(({ volume }) => volume !== undefined) === true;
    if (number !== status['number']) return { ...READY, wrong: `the disk is number ${number}` };
    if ((disk?.state === 'online') !== isOnline) return { ...READY, wrong: `the disk is ${disk?.state}` };
    const wrong = isOnline && spec['partition'] === true && !isPartitioned ? 'it has no partition' : undefined;
    return { ...READY, wrong };
  }

  /** Of a disk that was not found so far. */
  async #lackOf(spec: JsonObject, memory: SimulatedMachine['memory']): Promise<string> {
    const { page83, serialNumber, lun } = (spec['selector'] ?? {}) as JsonObject;
    const meant = (await seenOn(memory)).filter(
      ([, disk]) =>
        (page83 === undefined || disk.page83 === page83) &&
        (serialNumber === undefined || disk.serialNumber === serialNumber) &&
        (lun === undefined || disk.location.endsWith(`LUN ${lun}`)),
    );
    if (spec['selector'] === undefined || meant.length === 0) return 'DiskAbsent';
    return meant.length === 1 ? 'Success' : 'AmbiguousDisk';
  }

  async #dueOfVolume(object: KubeObject, { memory, formatting }: SimulatedMachine): Promise<Due> {
    const { spec = {}, status = {} } = object;
    const owner = this.#besides(object, 'windowsdisks', String(spec['diskRef']));
    const disk = (await seenOn(memory)).find(([number]) => number === owner?.status?.['number'])?.[1];
    const [id] = disk?.state === 'online' ? volumesOf(disk) : [];
    if (id === undefined) return { reasons: ['VolumeAbsent'] };
    const { fileSystem } = memory.disks.volume(id).volume;
    if (fileSystem === 'NTFS')
      return { ...READY, wrong: status['volumeID'] === id ? undefined : `the volume is ${id}` };
    if (formatting.has(id)) return { reasons: ['Formatting'], wrong: 'the format goes on' };
    if (status['format'] !== undefined) return { reasons: ['FormatUncertain'] };
    const policy = spec['formatPolicy'];
    const mayFormat = policy === 'IfUnknown' || (policy === 'IfRaw' && owner?.status?.['seenRaw'] !== undefined);
    // Of one volume a disk: what was seen on that was seen on this.
    const wasSeen = status['fileSystem'] !== undefined || owner?.status?.['fileSystems'] !== undefined;
    const isRefused = wasSeen || !mayFormat;
    return isRefused ? { reasons: ['NotFormatted'] } : { ...READY, wrong: 'the volume is not formatted' };
  }

  async #dueOfMapping(object: KubeObject, machine: SimulatedMachine): Promise<Due> {
    const { memory } = machine;
    const root = String(object.spec?.['remotePath']);
    const isIt = ({ status }: KubeObject): boolean => status?.['root'] === root;
    if (this.#isOthers(object, machine, isIt)) return { reasons: ['OfOtherNamespace'] };
    const state = await memory.host.smb.isSmbMapped(root);
    const isMapped = state === 'mapped' && (await memory.host.filesystem.pathValid(root));
    // A mapping that none of them made is left as it is, whether it works or not (WIN-SHARED-1).
    const besides = this.#deps.cluster
      .objects('smbmappings')
      .filter(
        ({ metadata, spec }) =>
          metadata.namespace === object.metadata.namespace && spec?.['nodeRef'] === object.spec?.['nodeRef'],
      );
    const isOurs = besides.some((each) => isIt(each) && each.status?.['madeBy'] !== undefined);
    if (state !== 'absent' && !isMapped && !isOurs) return { reasons: ['MappingBroken'] };
    // Every share has a password.
    const isRefused = !isMapped && object.spec?.['credentialsSecretRef'] === undefined;
    if (isRefused) return { reasons: ['TransientError'] };
    const wrong = isMapped ? this.#unrecordedMaker(object, isIt) : 'the share is not mapped';
    return { reasons: ['Success', 'Found', 'RotationPending'], wrong };
  }

  /** An object beside the maker records the maker when it looks again (WIN-SHARED-4). */
  #unrecordedMaker(object: KubeObject, isIt: (other: KubeObject) => boolean): string | undefined {
    const { uid, namespace } = object.metadata;
    const makerOf = ({ status }: KubeObject): string | undefined => wordOf(status?.['madeBy']);
    // One that recorded itself may only be about to make it.
    const isMade = (other: KubeObject): boolean =>
      makerOf(other) !== other.metadata.uid ||
      other.status?.['credentialHash'] !== undefined ||
      other.status?.['connection'] === 'Connected';
    const maker = this.#deps.cluster
      .objects(`${object.kind.toLowerCase()}s`)
      .find(
        (other) =>
          other.metadata.uid !== uid &&
          other.metadata.namespace === namespace &&
          other.spec?.['nodeRef'] === object.spec?.['nodeRef'] &&
          makerOf(other) !== undefined &&
          isMade(other) &&
          isIt(other),
      );
    return maker === undefined || makerOf(object) !== undefined
      ? undefined
      : `has not recorded that ${maker.metadata.name} made it`;
  }

  async #dueOfMount(object: KubeObject, { node, memory }: SimulatedMachine): Promise<Due> {
    const { host } = memory;
    const path = String(object.spec?.['path']);
    const source = this.#sourceOf(object);
    const ports = { host } as Parameters<typeof placeAt>[0];
    const place = await placeAt(ports, path);
    const isRight = await isAsAsked(ports, place, source);
    if (!isRight && place.kind !== 'absent') return { reasons: ['PathTaken'] };
    if (!isRight && this.#isAttemptedBefore(object, path, node)) return { reasons: ['PathTaken'] };
    if (!isRight) return { ...READY, wrong: 'nothing is there' };
    // Somebody else may have made just that.
    return object.status?.['path'] === undefined ? { reasons: ['PathTaken'] } : READY;
  }

  /**
   * Whether another object may have made the path, and waits for what it depends on: its record stands until it can look
   * (WIN-NEIGHBORS-1).
   */
  #isAttemptedBefore({ metadata, status }: KubeObject, path: string, node: string): boolean {
    if (status?.['path'] !== undefined) return false;
    return this.#deps.cluster
      .objects('windowsmounts')
      .some(
        (other) =>
          other.metadata.uid !== metadata.uid &&
          other.status?.['machine'] === serialOf({ node }) &&
          other.status['path'] === path &&
          readyOf(other).reason === 'WaitingForDependency',
      );
  }

  #besides({ metadata }: KubeObject, plural: string, name: string): KubeObject | undefined {
    return this.#deps.cluster.get(plural, metadata.namespace ?? '', name);
  }

  /** Objects of other namespaces that were on the machine when they were last looked at. */
  #others(plural: string, { metadata }: KubeObject, node: string): readonly KubeObject[] {
    return this.#deps.cluster
      .objects(plural)
      .filter(
        (other) => other.metadata.namespace !== metadata.namespace && other.status?.['machine'] === serialOf({ node }),
      );
  }

  /** Whether one of another namespace has made what the object asks for. */
  #isOthers(object: KubeObject, { node }: SimulatedMachine, isIt: (other: KubeObject) => boolean): boolean {
    const others = this.#others(`${object.kind.toLowerCase()}s`, object, node);
    return others.some((other) => other.status?.['madeBy'] !== undefined && isIt(other));
  }

  #sourceOf(object: KubeObject): Source {
    const { spec } = object;
    const { volumeRef, mountRef, smbMappingRef, subPath } = (spec?.['source'] ?? {}) as Readonly<
      Record<string, string>
    >;
    const of = (plural: string, name: string): KubeObject | undefined => this.#besides(object, plural, name);
    if (volumeRef !== undefined) {
      const volumeID = of('windowsvolumes', volumeRef)?.status?.['volumeID'];
      return { volumeID: String(volumeID) };
    }
    if (mountRef !== undefined) return { target: String(of('windowsmounts', mountRef)?.spec?.['path']) };
    if (smbMappingRef === undefined) return {};
    return { target: onShare(String(of('smbmappings', smbMappingRef)?.spec?.['remotePath']), subPath) };
  }

  #machineOf(object: KubeObject): SimulatedMachine {
    const own = object.spec?.['nodeName'] ?? object.status?.['nodeName'];
    const [reference] = referencesOf(object);
    const other = reference && this.#besides(object, ...reference);
    if (typeof own === 'string') return this.#deps.machines.of(own);
    if (other === undefined) throw new Error(`nobody knows where ${object.kind} '${object.metadata.name}' is`);
    return this.#machineOf(other);
  }
}
