// WindowsMount: a path of a machine at which a volume, another mount or a share can be used, or which is a directory.
//
// Invariants:
//   WIN-KINDS-WINDOWS-MOUNT-1. That the object takes the path for itself is on record before something is made there. What was there before is not its
//       own, and stays when the object goes.
//   WIN-KINDS-WINDOWS-MOUNT-2. A place always belongs to one object, in any spelling, and is removed only after the
//       places of others within it (WIN-NEIGHBORS-1, WIN-NEIGHBORS-2, WIN-NEIGHBORS-3).
import type { JsonObject } from '../../../bus/json.ts';
import type { Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { READY, Reason, unready } from '../conditions.ts';
import type { WindowsOptions } from '../options.ts';
import { onShare } from '../places.ts';
import { listOf, mapOf, said, textOf, wordOf } from '../values.ts';
import {
  attempt,
  finalizerOf,
  type Kept,
  type Waiting,
  type WindowsPass,
  windowsKind,
  withoutConditions,
} from './windows-kind.ts';

const KIND = 'WindowsMount';
/** On a mount to which a link leads. */
const LINKED = `${finalizerOf(KIND)}-link`;
/** The kind of what each member of the source refers to. */
const SOURCES = {
  volumeRef: 'WindowsVolume',
  mountRef: KIND,
  smbMappingRef: 'SmbMapping',
  nodeRef: 'WindowsStorageNode',
} as const;

export function windowsMount({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'windowsmounts',
    guards: [LINKED],
    operations: ['look', 'make', 'unmake'],
    references,
    attributes: ({ spec, status = {} }) => said({ path: spec?.['path'], volumeID: status['volumeID'] }),
    keep: (pass) => keep(pass, lookEveryMs),
    takeDown: (pass) => takeDown(pass, lookEveryMs),
    hasAny: ({ status }) => status?.['path'] !== undefined,
  });
}

function references({ spec }: KubeObject): readonly Reference[] {
  const source = mapOf(spec?.['source']);
  return Object.entries(SOURCES).flatMap(([member, kind]) => {
    const name = wordOf(source[member]);
    if (name === undefined) return [];
    const finalizers = [member === 'mountRef' ? LINKED : finalizerOf(KIND)];
    const users = member === 'smbMappingRef' ? { attributes: { use: 'link' } } : {};
    return [{ kind, name, finalizers, neededFor: 'always', fixed: true, ...users } as const];
  });
}

/** Target of the path, if its dependency has reported it. */
function sourceOf({ object, attributesOf }: WindowsPass): JsonObject {
  const { volumeRef, mountRef, smbMappingRef, subPath } = mapOf(object.spec?.['source']);
  if (volumeRef !== undefined) {
    const stored = object.status?.['volumeID'];
    return said({ volumeID: stored ?? attributesOf('WindowsVolume')['volumeID'] });
  }
  if (mountRef !== undefined) return said({ target: attributesOf(KIND)['path'] });
  if (smbMappingRef === undefined) return {};
  return { share: onShare(textOf(attributesOf('SmbMapping')['remotePath']), wordOf(subPath)) };
}

async function takeDown(pass: WindowsPass, lookAgainMs: number): Promise<Waiting | undefined> {
  const inner = listOf((await pass.ask('unmake', { source: sourceOf(pass) }))['inner']).map(textOf);
  if (inner.length === 0) return undefined;
  const message = `it goes when nothing of others lies in its path any more: ${inner.join(', ')}`;
  return { verdict: unready(Reason.WaitingForUsers, message), lookAgainMs };
}

async function keep(pass: WindowsPass, lookAgainMs: number): Promise<Kept> {
  const { object, ask, note, attributesOf } = pass;
  const path = textOf(object.spec?.['path']);
  const isOwn = object.status?.['path'] !== undefined;
  // If a volume has another id by now, the one with the old id does not exist any more.
  const volumeID = attributesOf('WindowsVolume')['volumeID'] ?? attributesOf(KIND)['volumeID'];
  const source = sourceOf({ ...pass, object: { ...object, status: said({ volumeID }) } });
  const { madeFrom: stored } = object.status ?? {};
  const seen = await ask('look', { source, isOwn });
  const own = said({ path, volumeID, madeFrom: stored ?? seen['madeFrom'] });
  if (seen['isAsAsked'] === true) return { status: { ...own, mounted: true }, verdict: READY, lookAgainMs };
  const left = (reason: Reason, message: string): Kept => ({
    status: { ...(reason === Reason.PathTaken ? {} : isOwn ? own : {}), mounted: false },
    verdict: unready(reason, message),
    lookAgainMs,
  });
  const inTheWay = ({ holder, outer }: JsonObject): Kept | undefined => {
    if (holder !== undefined) return left(Reason.PathTaken, `${path} is that of ${holder}, which had it before`);
    if (outer === undefined) return undefined;
    return left(Reason.WaitingForDependency, `waiting for ${outer} to be made or gone: ${path} lies in its path`);
  };
  const taken = left(Reason.PathTaken, `something is at ${path} that this object has not made: it stays as it is`);
  const others = inTheWay(seen);
  if (others !== undefined) return others;
  // mutant: path-taken drop
  if (!isOwn && seen['kind'] !== 'absent' && seen['isShared'] !== true) return taken;
  await note({ ...own, mounted: false });
  const before = (): JsonObject => withoutConditions(object);
  const made = await attempt(pass, 'make', { source, mayBeOwn: isOwn }, isOwn ? undefined : before);
  if (made['taken'] === true) return taken;
  return inTheWay(made) ?? { status: { ...own, mounted: true }, verdict: READY, lookAgainMs };
}
