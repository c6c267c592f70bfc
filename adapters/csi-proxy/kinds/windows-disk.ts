// WindowsDisk: one disk of a machine, known by its identity from when it was found.
//
// Invariants:
//   K1. Nothing is done to a disk before its node says that this object has it, in the end neither.
//   K2. That the disk was seen raw is stored before it is given a partition table, and of a disk that had one it is never said.
//       By what its table is known by, which was seen empty, is stored before it is given a partition. Of a disk with a
//       partition in another table, or with a file system, it is not said any more that it was raw: what is there from then on
//       is somebody's.
//   K3. The status says what is on a disk only of the object that has it. Others look at it less often than it changes.
import type { Json } from '../../../bus/json.ts';
import type { Reference } from '../../../machines/kind.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../adapter.ts';
import { READY, Reason, timeOf, unready, type Verdict } from './conditions.ts';
import type { WindowsOptions } from './options.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from './values.ts';
import { finalizerOf, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'WindowsDisk';

export function windowsDisk({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'windowsdisks',
    operations: ['look', 'prepare', 'release'],
    references,
    attributes: ({ status = {} }) =>
      said({
        identity: wordOf(status['identity']),
        number: numberOf(status['number']),
        seenRaw: status['seenRaw'] !== undefined && status['partitionTable'] !== undefined,
        volumes: status['volumeIDs'],
      }),
    // What is done to it by hand, or where else it is seen, is told by nobody.
    keep: async (pass) => ({ ...(await keep(pass)), lookAgainMs: lookEveryMs }),
    async takeDown({ object, ask, attributesOf }) {
      const identity = identityOf(object) ?? '';
      const holder = holderOf(attributesOf('WindowsStorageNode'), identity);
      // What is under way on it ends before the object goes, be it set offline or not.
      if (holder?.uid === object.metadata.uid) await ask('release', { identity });
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
      ...(identity !== undefined && { attributes: { identity, uid: object.metadata.uid } }),
    },
    ...(iscsiTargetRef === undefined ? [] : [{ kind: 'IscsiTarget', name: textOf(iscsiTargetRef), ...common }]),
  ];
}

function identityOf({ status }: KubeObject): string | undefined {
  return wordOf(status?.['identity']);
}

async function keep(pass: WindowsPass): Promise<Kept> {
  const { object, ports, key, ask, note, attributesOf } = pass;
  const node = attributesOf('WindowsStorageNode');
  const known = identityOf(object);
  const among = object.spec?.['iscsiTargetRef'] === undefined ? undefined : attributesOf('IscsiTarget')['disks'];
  const meant = said({ identity: known, among });
  const look = await ask('look', meant);
  const [disk, other] = listOf(look['matches']).map(mapOf);
  let origin = originOf(object.status ?? {}, disk);
  const before = { identity: known, ...origin };
  if (disk === undefined) return { status: said(before), verdict: absent(object, look) };
  const identity = textOf(disk['identity']);
  if (other !== undefined) {
    const numbers = listOf(look['matches']).map((each) => numberOf(mapOf(each)['number']));
    const message = `disks ${numbers.join(' and ')} may be meant, or have one identity: none of them is touched`;
    return { status: said(before), verdict: unready(Reason.AmbiguousDisk, message) };
  }
  const holder = holderOf(node, identity);
  const elsewhere = wordOf(claimOf(node, identity)['claimedOn']);
  if (elsewhere !== undefined) {
    const message = `an object on WindowsStorageNode/${elsewhere} has disk ${identity}, which both machines see`;
    return { status: { identity }, verdict: unready(Reason.DiskTaken, message) };
  }
  // The node may tell of an object of this name that was there before.
  // mutant: disk-of-that-name === -> $1.1?.name === $2.1.name
  // mutant: disk-of-nobody === -> true
  const isSame = holder?.uid === object.metadata.uid;
  if (holder === undefined || (holder.name === object.metadata.name && !isSame)) {
    // The node hears of it by the claim, which says so from now on, and answers by what it says of the disk.
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
  if (isDone(disk)) return { status: said(found), verdict: READY };
  let now: JsonObject | undefined = disk;
  const prepare = async (given: JsonObject): Promise<void> => {
    [now] = listOf((await ask('prepare', { identity, ...given }))['matches']).map(mapOf);
  };
  if (isToBePartitioned && disk['isInitialized'] === false) {
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
    const { conditions: _, ...stored } = ports.object(key).status ?? {};
    return { status: stored, verdict: absent(object, {}) };
  }
  if (!isDone(now)) throw { code: 'transient', message: lackOf(now) } satisfies ErrorData;
  return { status: said({ ...found, ...originOf(said({ ...origin }), now), ...seen(now) }), verdict: READY };
}

/** Why the disk has no partition, though it was asked for. */
function lackOf({ table }: JsonObject): string {
  return table === undefined
    ? 'csi-proxy tells of no volume on it: what partitions it has are not for Windows, or there is none yet'
    : 'its partition table is another one than it was';
}

/** What is known of who has put something on the disk. */
interface Origin {
  /** When it was seen raw. */
  readonly seenRaw: Json | undefined;
  /** The partition table that was seen empty since. */
  readonly partitionTable: Json | undefined;
}

/** What is left of that when the disk is seen as it is now (K2). */
function originOf({ seenRaw, partitionTable }: JsonObject, disk: JsonObject | undefined): Origin {
  if (disk === undefined) return { seenRaw, partitionTable };
  const isSame = partitionTable !== undefined && disk['table'] === partitionTable;
  // mutant: partition-of-others ! -> false
  const isOthers = disk['hasFileSystem'] === true || (disk['isPartitioned'] === true && !isSame);
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

/** What the node says of the disk. */
function claimOf({ disks }: JsonObject, identity: string): JsonObject {
  const all = listOf(disks).map(mapOf);
  return all.find((disk) => disk['identity'] === identity) ?? {};
}

/** What became of it, as far as that is known. */
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
