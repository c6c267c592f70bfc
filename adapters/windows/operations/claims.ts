// Assignment of a machine's disks to objects.
//
// Invariants:
//   WIN-CLAIMS-1. A disk that a WindowsDisk has is given to no other while that is there, whether its claim is known or not: mail may be lost.
//   WIN-CLAIMS-2. A disk that several machines see is had on one of them: two that write to it would spoil what is on it. Across machines only
//       what is known by a page 83 identifier is known to be one disk; serial numbers are much the same on many machines. On one
//       machine that goes by several names each identity is.
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { Reason, reasonOf } from '../conditions.ts';
import { ageOf } from '../node-names.ts';
import { WINDOWS_DISKS } from '../resources.ts';
import { listOf, mapOf, textOf } from '../values.ts';
import { isUnique } from './disks.ts';
import { isOnMachine, type Which } from './same-machine.ts';
import type { MachinePorts } from './serving.ts';

/** A type, as an interface would be no JSON. */
export type Holder = { readonly claimedBy: string; readonly claimedByUID: string };

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

/**
 * An object that holds a disk keeps it (WIN-CLAIMS-1); otherwise the first claimant by name gets it. A disk assigned on
 * another machine is not assigned; if two machines assigned it at the same time the later one revokes it
 * (WIN-CLAIMS-2).
 *
 * @returns `isLeaving`: a disk is still held by an object that may be deleted in a moment
 */
export async function claimsOn(
  { readObject }: MachinePorts,
  node: KubeObject,
  claimants: readonly Claimant[],
  elsewhere: ReadonlyMap<string, KubeObject>,
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
    const conflictingOwner = elsewhere.get(identity);
    if (conflictingOwner !== undefined && ageOf(conflictingOwner) < ageOf(node)) continue;
    const isClaimed = ofDisks.some((one) => one.identity === identity && one.holder.claimedByUID === claimedByUID);
    const known = isClaimed ? undefined : await readObject(WINDOWS_DISKS, node.metadata.namespace ?? '', claimedBy);
    const isThere = known?.metadata.uid === claimedByUID && known.status?.['identity'] === identity;
    // mutant: node-lost-claims if -> $1
    if (!isClaimed && !isThere) continue;
    claims.set(identity, { claimedBy, claimedByUID });
    isLeaving ||= known?.metadata.deletionTimestamp !== undefined;
  }
  for (const { identity, holder } of ofDisks) {
    // mutant: disk-of-two-machines if -> $1
    if (!claims.has(identity) && !elsewhere.has(identity)) claims.set(identity, holder);
  }
  return { claims, isLeaving };
}
