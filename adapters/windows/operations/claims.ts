// Assignment of a machine's disks to objects.
//
// Invariants:
//   WIN-CLAIMS-1. A disk that a WindowsDisk has is given to no other while that is there, whether its claim is known or not: mail may be lost.
//   WIN-CLAIMS-2. A disk that several machines see is had on one of them: two that write to it would spoil what is on it. Across machines only
//       what is known by a page 83 identifier is known to be one disk; serial numbers are much the same on many machines. On one
//       machine that goes by several names each identity is.
//   WIN-CLAIMS-3. A disk is set online, partitioned, formatted or grown only while its own node has it on record for its object, with a number, and no other
//       node has it for another one, as the API server says in the lane. Each node stores its claim first, so of two at least one sees both claims; the
//       elder waits, too, as the later one may have been first.
//   WIN-CLAIMS-4. A later claim is kept while the disk is online on its machine, as read in the lane of the disk: the elder one's object waits until it is
//       offline there.
import { TransientError } from '../../../bus/errors.ts';
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { Reason, reasonOf } from '../conditions.ts';
import { ageOf } from '../node-names.ts';
import { STORAGE_NODES, WINDOWS_DISKS } from '../resources.ts';
import { listOf, mapOf, textOf } from '../values.ts';
import { isUnique } from './disks.ts';
import { nameOf } from './neighbors.ts';
import { isOnMachine, type Which } from './same-machine.ts';
import type { MachinePorts } from './serving.ts';

/** A type, as an interface would be no JSON. `claimedOn`: an elder claim, for which it gives way. */
export type Holder = { readonly claimedBy: string; readonly claimedByUID: string; readonly claimedOn?: string };

/** Records of all nodes about the disk of an object. */
export interface Held {
  readonly nodes: readonly KubeObject[];
  /** The node of the object, which has the disk on record for it. */
  readonly own: KubeObject;
  /** Whether the record has a number: to other machines, the disk is had only then. */
  readonly isSeen: boolean;
  /** The first of the other nodes that have the disk for an object. */
  readonly rival: KubeObject | undefined;
}

/**
 * To be called in the lane of the disk, before the machine is read (WIN-WANTED-2).
 *
 * @param disk  the WindowsDisk, as it is now
 * @returns undefined: no node has the disk on record for this object
 */
export async function heldBy(
  { listObjects, machine, node }: Pick<MachinePorts, 'listObjects' | 'machine' | 'node'>,
  { metadata, spec }: KubeObject,
  identity: string,
): Promise<Held | undefined> {
  const [nodes, serial] = await Promise.all([listObjects(STORAGE_NODES), machine()]);
  const own = nodes.find(
    (each) => each.metadata.namespace === metadata.namespace && each.metadata.name === spec?.['nodeRef'],
  );
  // mutant: disk-unheld-changed &&.2 -> true
  const claim = listOf(own?.status?.['disks'])
    .map(mapOf)
    .find((each) => each['identity'] === identity && each['claimedByUID'] === metadata.uid);
  if (own === undefined || claim === undefined || reasonOf(own) === Reason.NodeGone) return undefined;
  const rival = hadElsewhere(nodes, own, { node, serial }).get(identity);
  return { nodes, own, isSeen: claim['number'] !== undefined, rival };
}

/** @throws {TransientError} the object does not have the disk, as its node says */
export async function requireHeld(
  here: Pick<MachinePorts, 'listObjects' | 'machine' | 'node'>,
  disk: KubeObject,
  identity: string,
): Promise<Held> {
  const held = await heldBy(here, disk, identity);
  if (held !== undefined) return held;
  throw new TransientError(`waiting for its node to have on record that ${nameOf(disk)} has disk ${identity}`);
}

/** @throws {TransientError} another node has the disk, too, or may not know that this one has it (WIN-CLAIMS-3) */
export function requireAlone({ own, isSeen, rival }: Held, identity: string): void {
  // mutant: disk-unseen-changed if -> false
  if (!isSeen) throw new TransientError(`waiting for ${nameOf(own)} to see disk ${identity} again`);
  // mutant: disk-of-two-changed if -> true
  if (rival === undefined) return;
  throw new TransientError(
    `${nameOf(rival)} has disk ${identity} for another object, too: waiting until one of them has given it up`,
  );
}

/**
 * Disks that objects for other machines have assigned, by identity, each with the first of these objects. For an
 * unreachable machine the last report counts, unless the machine is declared lost: it may still be running.
 *
 * @param here  the machine of `object`: on that one every identity is one disk (WIN-CLAIMS-2)
 */
export function hadElsewhere(
  nodes: readonly KubeObject[],
  object: KubeObject,
  here: Which,
): ReadonlyMap<string, KubeObject> {
  const others = nodes
    .filter((node) => node.metadata.uid !== object.metadata.uid && reasonOf(node) !== Reason.NodeGone)
    .sort((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1));
  const had = (node: KubeObject): readonly string[] => {
    // mutant: disk-by-serial-twice = -> $1 = false
    const isHere = isOnMachine(node, here);
    return listOf(node.status?.['disks'])
      .map(mapOf)
      .filter(({ number, claimedBy }) => claimedBy !== undefined && (isHere || number !== undefined))
      .map(({ identity }) => textOf(identity))
      .filter((identity) => isHere || isUnique(identity));
  };
  return new Map(others.flatMap((node) => had(node).map((identity) => [identity, node] as const)));
}

/** Claims of other machines, and the own machine. */
export interface Elsewhere {
  readonly elsewhere: ReadonlyMap<string, KubeObject>;
  readonly which: Which;
  isOnline(identity: string): Promise<boolean>;
}

/**
 * An object that holds a disk keeps it (WIN-CLAIMS-1); otherwise the first claimant by name gets it. A disk assigned on
 * another machine is not assigned; if two machines assigned it at the same time the later one revokes it
 * (WIN-CLAIMS-2), once it is offline there (WIN-CLAIMS-4).
 *
 * @param isOnline  whether a disk may be online on this machine
 * @returns `isLeaving`: a disk is still held by an object that may be deleted in a moment
 */
export async function claimsOn(
  { readObject }: MachinePorts,
  node: KubeObject,
  claimants: readonly Claimant[],
  { elsewhere, which, isOnline }: Elsewhere,
): Promise<{ readonly claims: ReadonlyMap<string, Holder>; readonly isLeaving: boolean }> {
  const claims = new Map<string, Holder>();
  let isLeaving = false;
  const ofDisks = claimants
    .filter(({ plural }) => plural === WINDOWS_DISKS.plural)
    .map(({ name, attributes }) => ({
      identity: textOf(attributes['identity']),
      holder: { claimedBy: name, claimedByUID: textOf(attributes['uid']) },
    }))
    .filter(({ identity }) => identity !== '')
    .sort((one, other) => (one.holder.claimedBy < other.holder.claimedBy ? -1 : 1));
  for (const disk of listOf(node.status?.['disks']).map(mapOf)) {
    const [identity, claimedBy, claimedByUID] = ['identity', 'claimedBy', 'claimedByUID'].map((of) => textOf(disk[of]));
    if (!identity || !claimedBy || !claimedByUID) continue;
    const isClaimed = ofDisks.some((one) => one.identity === identity && one.holder.claimedByUID === claimedByUID);
    const known = isClaimed ? undefined : await readObject(WINDOWS_DISKS, node.metadata.namespace ?? '', claimedBy);
    const isThere = known?.metadata.uid === claimedByUID && known.status?.['identity'] === identity;
    // mutant: node-lost-claims if -> $1
    if (!isClaimed && !isThere) continue;
    const other = elsewhere.get(identity);
    const elder = other !== undefined && ageOf(other) < ageOf(node) ? other : undefined;
    // On one machine the disk is online for both, and the elder one's object has only to wait.
    // mutant: online-claim-revoked ||.2 -> true
    if (elder !== undefined && (isOnMachine(elder, which) || !(await isOnline(identity)))) continue;
    claims.set(identity, { claimedBy, claimedByUID, ...(elder && { claimedOn: elder.metadata.name }) });
    isLeaving ||= known?.metadata.deletionTimestamp !== undefined;
  }
  for (const { identity, holder } of ofDisks) {
    // mutant: disk-of-two-machines if -> $1
    if (!claims.has(identity) && !elsewhere.has(identity)) claims.set(identity, holder);
  }
  return { claims, isLeaving };
}
