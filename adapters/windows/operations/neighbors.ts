// Other mounts of the machine, by where their paths lie. Paths are compared as places, however each of them is spelled.
//
// Invariants:
//   WIN-NEIGHBORS-1. Of objects that have recorded one place, one has it: that whose path can be used, else the eldest. The others make nothing
//       there, and take nothing away.
//   WIN-NEIGHBORS-2. A path is not taken away, nor what is in it, while another object has recorded something inside.
//   WIN-NEIGHBORS-3. Nothing is made inside of the path of an object that has not made it yet: it would be in its way.
import type { KubeObject } from '../../../machines/object.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import { mayBeSame, mayLieIn } from '../../csi-proxy/hosts/windows-path.ts';
import { Reason, reasonOf } from '../conditions.ts';
import { ageOf } from '../node-names.ts';
import { parentOf } from '../places.ts';
import { SMB_MAPPINGS, STORAGE_NODES, WINDOWS_DISKS, WINDOWS_MOUNTS, WINDOWS_VOLUMES } from '../resources.ts';
import { mapOf, textOf, wordOf } from '../values.ts';
import { placeAt } from './paths.ts';
import { isOnMachine } from './same-machine.ts';
import type { MachinePorts } from './serving.ts';

export interface Neighbors {
  /** That has the place, if it is another object. */
  readonly holder: KubeObject | undefined;
  /** In whose path this one lies, and which has not made that yet. */
  readonly outer: KubeObject | undefined;
  /** Those that have recorded something inside. */
  readonly inner: readonly KubeObject[];
  /** Whether an object has a directory made, or one in it, to put its own path there. */
  isMadeFor(directory: string): boolean;
  /** Whether it is a path that an object has recorded, or such a path lies in it. */
  isUsed(directory: string): boolean;
}

/** Asks for all mounts: what they have recorded by now. */
export async function neighborsOf(ports: MachinePorts, object: KubeObject): Promise<Neighbors> {
  const path = textOf(object.spec?.['path']);
  const [all, serial] = await Promise.all([ports.listObjects(WINDOWS_MOUNTS), ports.machine()]);
  const isHere = (each: KubeObject): boolean => isOnMachine(each, { node: ports.node, serial });
  const recorded = all.filter((each) => isHere(each) && recordOf(each) !== '');
  const others = recorded.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const [first] = recorded.filter((each) => mayBeSame(recordOf(each), path)).sort(holdersFirst);
  const around = all.filter((each) => mayLieIn(path, textOf(each.spec?.['path'])));
  return {
    holder: first?.metadata.uid === object.metadata.uid ? undefined : first,
    outer: await firstOf(around, (each) => isAwaited(ports, object, each, isHere(each))),
    inner: others.filter((each) => mayLieIn(recordOf(each), path)),
    isMadeFor: (directory) =>
      others.some((each) => isWithin(directory, madeFrom(each)) && mayLieIn(recordOf(each), directory)),
    isUsed: (directory) => others.some((each) => isWithin(recordOf(each), directory)),
  };
}

/** For people. */
export function nameOf({ kind, metadata: { namespace = '', name } }: KubeObject): string {
  return `${kind} '${namespace}/${name}'`;
}

/**
 * The first of the missing directories that are created for a path. Directories created for other objects count: the
 * last object removes them.
 *
 * @returns undefined: none is made
 */
export async function firstMade(
  { host, paths }: MachinePorts,
  path: string,
  { isMadeFor }: Neighbors,
): Promise<string | undefined> {
  let first: string | undefined;
  for (let at = parentOf(path); paths.allowed.some((allowed) => mayLieIn(at, allowed)); at = parentOf(at)) {
    if (!isMadeFor(at) && (await host.filesystem.pathExists(at))) break;
    first = at;
  }
  return first;
}

/** Takes away the directories that were made for the path of an object, up to the first in which something is. */
export async function removeMade(
  ports: Pick<MachinePorts, 'host'>,
  object: KubeObject,
  { isUsed }: Neighbors,
): Promise<void> {
  const { filesystem } = ports.host;
  const first = madeFrom(object);
  for (let at = parentOf(recordOf(object)); isWithin(at, first); at = parentOf(at)) {
    // mutant: parents-of-others drop
    if (isUsed(at)) return;
    const { kind } = await placeAt(ports, at);
    if (kind === 'absent') continue;
    if (kind !== 'other' || !(await isRemoved(() => filesystem.rmdir(at, { contents: 'refused' })))) return;
  }
}

/** False: something is in it. */
export async function isRemoved(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === Code.FailedPrecondition) return false;
    throw error;
  }
}

function recordOf({ status }: KubeObject): string {
  return textOf(status?.['path']);
}

function madeFrom({ status }: KubeObject): string {
  return textOf(status?.['madeFrom']);
}

function isWithin(path: string, directory: string): boolean {
  return mayBeSame(path, directory) || mayLieIn(path, directory);
}

/** WIN-NEIGHBORS-1 */
function holdersFirst(one: KubeObject, other: KubeObject): number {
  const [a, b] = [one, other].map(({ status }) => (status?.['mounted'] === true ? 0 : 1)) as [number, number];
  return a - b || (ageOf(one) < ageOf(other) ? -1 : 1);
}

async function firstOf<Each>(all: readonly Each[], isIt: (each: Each) => Promise<boolean>): Promise<Each | undefined> {
  for (const each of all) if (await isIt(each)) return each;
  return undefined;
}

/** Whether what is to lie in the path of `outer` has to wait for that. */
async function isAwaited(
  ports: MachinePorts,
  object: KubeObject,
  outer: KubeObject,
  isHere: boolean,
): Promise<boolean> {
  const isRecorded = isHere && recordOf(outer) !== '';
  if (outer.metadata.deletionTimestamp !== undefined) return isRecorded;
  if (isRecorded) return !(await isMade(ports, outer));
  // An invalid path blocks no other, and of other namespaces only recorded paths count.
  const reason = reasonOf(outer);
  if (reason === Reason.PathTaken || reason === Reason.InvalidConfiguration) return false;
  return (
    outer.metadata.namespace === object.metadata.namespace &&
    ((await nodeOf(ports, outer)) ?? ports.node) === ports.node
  );
}

async function isMade(ports: MachinePorts, { spec, status }: KubeObject): Promise<boolean> {
  const place = await placeAt(ports, textOf(spec?.['path']));
  const isOfVolume = mapOf(spec?.['source'])['volumeRef'] !== undefined;
  return status?.['mounted'] === true && (isOfVolume ? place.kind === 'mount' : place.kind !== 'absent');
}

/** Location of each kind, by the member that names it. */
const ON = {
  mountRef: WINDOWS_MOUNTS,
  volumeRef: WINDOWS_VOLUMES,
  smbMappingRef: SMB_MAPPINGS,
  diskRef: WINDOWS_DISKS,
  nodeRef: STORAGE_NODES,
} as const;
/** More than from a link by way of others to a node. */
const MOST_STEPS = 8;

/** The node of an object that has not been looked at yet; undefined: something on the way there is absent. */
async function nodeOf({ readObject }: MachinePorts, { spec = {}, metadata }: KubeObject): Promise<string | undefined> {
  let from = { ...spec, ...mapOf(spec['source']) };
  for (let step = 0; step < MOST_STEPS; step++) {
    const on = Object.entries(ON).find(([member]) => wordOf(from[member]) !== undefined);
    if (on === undefined) return wordOf(from['nodeName']);
    const [member, resource] = on;
    const next = await readObject(resource, metadata.namespace ?? '', textOf(from[member]));
    if (next === undefined) return undefined;
    from = { ...next.spec, ...mapOf(next.spec?.['source']) };
  }
  return undefined;
}
