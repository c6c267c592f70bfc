// WindowsDisk: one disk of a machine, known by its identity from when it was found.
//
// Invariants:
//   WIN-KINDS-WINDOWS-DISK-1. Nothing is done to a disk before its node says that this object has it, in the end neither.
//   WIN-KINDS-WINDOWS-DISK-2. That the disk was raw is always stored before it gets a partition table, and never
//       recorded for a disk that had one. The identity of its table, which was empty, is stored before it gets a
//       partition. The record that the disk was raw is removed for a disk with a partition in another table, or with a
//       file system: its content belongs to another owner from then on.
//   WIN-KINDS-WINDOWS-DISK-3. A file system that was seen on the disk is on record with its node before the object goes, and while it is, the disk is given
//       neither table nor partition, unless the object says that just that file system may be lost.
//   WIN-KINDS-WINDOWS-DISK-4. Only the object that holds a disk reports its content. Others read it less often than it
//       changes.
import type { Json } from '../../../bus/json.ts';
import type { Reference } from '../../../machines/kind.ts';
import { Readiness } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { Reason, timeOf, unready, type Verdict } from '../conditions.ts';
import { DISCARD, isGivenUp, latestSeen, mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
import type { WindowsOptions } from '../options.ts';
import { unwritable, usable } from '../read-only.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { finalizerOf, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'WindowsDisk';

export function windowsDisk({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'windowsdisks',
    operations: ['look', 'prepare', 'release', 'yield'],
    references,
    attributes: ({ status = {} }) =>
      said({
        identity: wordOf(status['identity']),
        number: numberOf(status['number']),
        seenRaw: status['seenRaw'] !== undefined && status['partitionTable'] !== undefined,
        fileSystems: status['fileSystems'],
      }),
    // Manual changes, and connections to other machines, are not reported.
    keep: async (pass) => ({ ...(await keep(pass)), lookAgainMs: lookEveryMs }),
    async takeDown({ object, ask, attributesOf, dependencies }) {
      const identity = identityOf(object) ?? '';
      const node = attributesOf('WindowsStorageNode');
      if (holderOf(node, identity)?.uid !== object.metadata.uid) return;
      // Running work on it ends before the object is deleted, whether it is set offline or not.
      await ask('release', { identity });
      // A node that goes forgets what is on record.
      const isNodeGoing = dependencies.some(({ answer }) => answer?.readiness === Readiness.Deleting);
      const own = seenIn(object.status?.['fileSystems']);
      const known = seenIn(claimOf(node, identity)['fileSystems']);
      const isKnown = own.every(({ volumeID }) => known.some((each) => each.volumeID === volumeID));
      // mutant: file-system-forgotten if -> false
      if (!isKnown && !isNodeGoing)
        throw {
          code: 'transient',
          message: 'its node has not recorded yet what was seen on the disk',
        } satisfies ErrorData;
    },
    // mutant: disk-stays-online : -> () => false
    hasAny: (object) => identityOf(object) !== undefined,
  });
}

function references(object: KubeObject): readonly Reference[] {
  const { nodeRef, iscsiTargetRef } = object.spec ?? {};
  const identity = identityOf(object);
  const common = { finalizers: [finalizerOf(KIND)], neededFor: 'always', fixed: true } as const;
  return [
    {
      kind: 'WindowsStorageNode',
      name: textOf(nodeRef),
      ...common,
      ...(identity !== undefined && {
        attributes: said({ identity, uid: object.metadata.uid, fileSystems: object.status?.['fileSystems'] }),
      }),
    },
    ...(iscsiTargetRef === undefined ? [] : [{ kind: 'IscsiTarget', name: textOf(iscsiTargetRef), ...common }]),
  ];
}

function identityOf({ status }: KubeObject): string | undefined {
  return wordOf(status?.['identity']);
}

async function keep(pass: WindowsPass): Promise<Kept> {
  const { object, ports, ask, note, attributesOf } = pass;
  const node = attributesOf('WindowsStorageNode');
  const known = identityOf(object);
  const among = object.spec?.['iscsiTargetRef'] === undefined ? undefined : attributesOf('IscsiTarget')['disks'];
  const meant = said({ identity: known, among });
  const look = await ask('look', meant);
  const [disk, other] = listOf(look['matches']).map(mapOf);
  // With several file systems it is unknown which one is meant.
  const fileSystems = [...fileSystemsOf(pass, other === undefined && disk !== undefined ? disk : {})];
  let origin = originOf(object.status ?? {}, disk, fileSystems);
  const before = { identity: known, fileSystems, ...origin };
  if (disk === undefined) return { status: said(before), verdict: absent(object, look) };
  const identity = textOf(disk['identity']);
  if (other !== undefined) {
    const numbers = listOf(look['matches']).map((each) => numberOf(mapOf(each)['number']));
    const message = `disks ${numbers.join(' and ')} may be meant, or have one identity: none of them is touched`;
    return { status: said(before), verdict: unready(Reason.AmbiguousDisk, message) };
  }
  const holder = holderOf(node, identity);
  const elsewhere = wordOf(claimOf(node, identity)['claimedOn']);
  // The node may report an earlier object of this name.
  // mutant: disk-of-that-name === -> $1.1?.name === $2.1.name
  // mutant: disk-of-nobody === -> true
  const isSame = holder?.uid === object.metadata.uid;
  if (elsewhere !== undefined) {
    const message = `an object on WindowsStorageNode/${elsewhere} has disk ${identity}, which that one sees, too`;
    if (!isSame) return { status: { identity }, verdict: unready(Reason.DiskTaken, message) };
    // Its node waits until the disk is offline here (WIN-CLAIMS-4).
    const { state, kept } = await ask('yield', { identity });
    const whole = kept === undefined ? message : `${message}, and it is still online here: ${textOf(kept)}`;
    // The recorded state says whether this object had it online.
    const recorded = state === 'offline' ? 'Offline' : object.status?.['state'];
    const status = said({ ...before, identity, number: disk['number'], state: recorded });
    return { status, verdict: unready(Reason.DiskTaken, whole) };
  }
  if (holder === undefined || (holder.name === object.metadata.name && !isSame)) {
    // The node receives the claim, which states that from now on, and answers with its data about the disk.
    return {
      status: said({ ...before, identity }),
      verdict: unready(Reason.WaitingForDependency, 'its node has not given it the disk yet'),
    };
  }
  if (!isSame) {
    return { status: { identity }, verdict: unready(Reason.DiskTaken, `${KIND}/${holder.name} has disk ${identity}`) };
  }
  const found = { ...before, identity, ...seen(disk) };
  const isOnline = object.spec?.['online'] !== false;
  const isToBePartitioned = object.spec?.['partition'] === true && isOnline;
  const isDone = ({ state, isPartitioned }: JsonObject): boolean =>
    (state === 'online') === isOnline && (!isToBePartitioned || isPartitioned === true);
  // One that was so before is asked about once, too: another machine may have it online (WIN-CLAIMS-3).
  const isKnown = object.status?.['state'] !== undefined;
  // mutant: found-online-unasked &&.2 -> true
  if (isDone(disk) && isKnown) return { status: said(found), verdict: usable(disk) };
  const refusal = isToBePartitioned && !isDone(disk) && disk['state'] === 'online' ? unwritable(disk) : undefined;
  // mutant: read-only-disk-tried drop
  if (refusal !== undefined) return { status: said(found), verdict: refusal };
  let now: JsonObject | undefined = disk;
  let keptFor: string | undefined;
  const prepare = async (given: JsonObject): Promise<void> => {
    const answer = await ask('prepare', { identity, ...given });
    keptFor = wordOf(answer['keptFor']);
    [now] = listOf(answer['matches']).map(mapOf);
  };
  const isFree = isGivenUp(object.spec, latestSeen(fileSystems));
  if (isToBePartitioned && isFree && disk['isInitialized'] === false) {
    origin = { seenRaw: origin.seenRaw ?? timeOf(ports.now()), partitionTable: undefined };
    // mutant: raw-unrecorded drop
    await note(said({ ...found, ...origin }));
    await prepare({ initialize: true });
  }
  const isEmpty = now?.['isInitialized'] === true && now['isPartitioned'] === false;
  if (isToBePartitioned && origin.seenRaw !== undefined && now !== undefined && isEmpty) {
    origin = { ...origin, partitionTable: now['table'] };
    await note(said({ ...found, ...seen(now), ...origin }));
  }
  await prepare(said({ table: origin.partitionTable }));
  if (now === undefined) {
    const { conditions: _, ...stored } = ports.object().status ?? {};
    return { status: stored, verdict: absent(object, {}) };
  }
  // One that was offline shows only now what is on it.
  const all = [...mergedSeen(fileSystems, fileSystemsOf(pass, now))];
  if (keptFor !== undefined) {
    return {
      status: said({ ...found, fileSystems: all, ...seen(now) }),
      verdict: unready(Reason.NotPartitioned, keptMessage(keptFor)),
    };
  }
  if (!isDone(now)) throw { code: 'transient', message: lackOf(now) } satisfies ErrorData;
  return {
    status: said({ ...found, fileSystems: all, ...originOf(said({ ...origin }), now, all), ...seen(now) }),
    verdict: usable(now),
  };
}

/** All that were seen, by the object, its node and the volumes on it (WIN-FILE-SYSTEMS-1). */
function fileSystemsOf({ object, ports, attributesOf }: WindowsPass, disk: JsonObject): readonly SeenFileSystem[] {
  const identity = identityOf(object) ?? textOf(disk['identity']);
  const node = claimOf(attributesOf('WindowsStorageNode'), identity);
  const known = mergedSeen(
    seenIn(object.status?.['fileSystems']),
    seenIn(node['fileSystems']),
    seenIn(disk['claimed']),
  );
  const news = listOf(disk['formatted'])
    .map(textOf)
    .filter((volumeID) => !known.some((each) => each.volumeID === volumeID));
  return mergedSeen(
    known,
    news.map((volumeID) => ({ volumeID, seenAt: timeOf(ports.now()) })),
  );
}

function keptMessage(seenAt: string): string {
  return `it was seen with a file system at ${seenAt}, and has no partition now: it is given none, unless ${DISCARD}: '${seenAt}' says that what was on it may be lost`;
}

/** Why the disk has no partition, though it was asked for. */
function lackOf({ table }: JsonObject): string {
  return table === undefined
    ? 'csi-proxy reports no volume on it: it has no partition yet, or only ones that are not for Windows'
    : 'its partition table is another one than it was';
}

/** Knowledge about the writer of the disk's content. */
interface Origin {
  /** When it was seen raw. */
  readonly seenRaw: Json | undefined;
  /** The partition table that was seen empty since. */
  readonly partitionTable: Json | undefined;
}

/** Remaining knowledge after the disk was read again (WIN-KINDS-WINDOWS-DISK-2). */
function originOf(
  { seenRaw, partitionTable }: JsonObject,
  disk: JsonObject | undefined,
  fileSystems: readonly SeenFileSystem[],
): Origin {
  if (disk === undefined) return { seenRaw, partitionTable };
  const isSame = partitionTable !== undefined && disk['table'] === partitionTable;
  // mutant: partition-of-others ! -> false
  const isOthers = fileSystems.length > 0 || (disk['isPartitioned'] === true && !isSame);
  return { seenRaw: isOthers ? undefined : seenRaw, partitionTable: isSame ? partitionTable : undefined };
}

function seen({ number, sizeBytes, state, volumeIDs }: JsonObject): Record<string, JsonObject[string] | undefined> {
  return { number, sizeBytes, state: state === 'online' ? 'Online' : 'Offline', volumeIDs };
}

function holderOf(node: JsonObject, identity: string): { readonly name: string; readonly uid: string } | undefined {
  const { claimedBy, claimedByUID } = claimOf(node, identity);
  const name = wordOf(claimedBy);
  return name === undefined ? undefined : { name, uid: textOf(claimedByUID) };
}

/** The node's report about the disk. */
function claimOf({ disks }: JsonObject, identity: string): JsonObject {
  const all = listOf(disks).map(mapOf);
  return all.find((disk) => disk['identity'] === identity) ?? {};
}

/** Condition of a missing disk, if its last place is known. */
function absent(object: KubeObject, { elsewhere }: JsonObject): Verdict {
  const identity = identityOf(object);
  if (identity === undefined) return unready(Reason.DiskAbsent, 'the machine has no disk like that');
  const node = wordOf(elsewhere);
  if (node !== undefined) {
    return unready(Reason.DiskMoved, `disk ${identity} is on WindowsStorageNode/${node}: an object there may have it`);
  }
  const number = numberOf(object.status?.['number']);
  const was = number === undefined ? '' : ` (it was number ${number})`;
  return unready(Reason.DiskAbsent, `the machine does not see disk ${identity} any more${was}`);
}
