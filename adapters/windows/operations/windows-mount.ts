// Operations at a path: a volume is mounted, a link or a directory created; and each of them is removed again.
//
// Invariants:
//   WIN-OPERATIONS-WINDOWS-MOUNT-1. What is at the path already is neither replaced nor taken for the object's own before that is on record.
//   WIN-OPERATIONS-WINDOWS-MOUNT-2. What is removed is a mount, a link, or an empty directory; all in a directory only if the policy says so, and nothing is
//       mounted in it.
//   WIN-OPERATIONS-WINDOWS-MOUNT-3. Before a change at a path, the records of other objects about it are always read
//       while the path's lock is held (WIN-NEIGHBORS-1, WIN-NEIGHBORS-2, WIN-NEIGHBORS-3); what is found after that was
//       made by no object.
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import { parentOf } from '../places.ts';
import { SMB_MAPPINGS, WINDOWS_MOUNTS } from '../resources.ts';
import { mapOf, said, textOf, wordOf } from '../values.ts';
import { credentialsIn, NO_CREDENTIALS } from './credentials.ts';
import { firstMade, isRemoved, type Neighbors, nameOf, neighborsOf, removeMade } from './neighbors.ts';
import { isAsAsked, isLinked, linkTarget, type Place, placeAt, requirePlace, type Source } from './paths.ts';
import {
  type Answer,
  type Attempt,
  attempting,
  type Extra,
  isEnded,
  type MachinePorts,
  onLook,
  onMachine,
  PATIENT,
} from './serving.ts';
import type { Login } from './storage.ts';
import { requireWanted } from './wanted.ts';

export function windowsMountOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { lanes } = ports;
  const make = async (
    { host }: MachinePorts,
    path: string,
    source: Source,
    login: () => Promise<Login>,
  ): Promise<void> => {
    const target = linkTarget(source);
    if (target !== undefined) {
      await host.filesystem.mkdir(parentOf(path));
      await (source.share === undefined
        ? host.filesystem.createSymlink(target, path)
        : host.smb.newSmbLink(path, target, login));
      return;
    }
    await host.filesystem.mkdir(path);
    if (source.volumeID !== undefined) await host.volume.mountVolume(source.volumeID, path);
  };
  return {
    /**
     * Answers `{ isAsAsked }`, or, of what is not, `{ kind }`, who has the path (`holder`), who has to be made before (`outer`), whether
     * the directory that is there was made for another path (`isShared`), and the first directory that is made for this one (`madeFrom`).
     */
    look: (request: Extra<{ source: Source; isOwn: boolean }>): Answer =>
      onLook(ports, request, async (here) => {
        const path = pathOf(request);
        const { source = {}, isOwn = false, object } = request;
        await requirePlaces(here, path, source);
        const place = await placeAt(here, path, source);
        if (isOwn && (await isAsAsked(here, place, source))) return { isAsAsked: true };
        const neighbors = await neighborsOf(here, object);
        const { holder, outer } = neighbors;
        return said({
          kind: place.kind,
          holder: holder && nameOf(holder),
          outer: outer && nameOf(outer),
          isShared: isShared(place, source, neighbors, path) || undefined,
          madeFrom: await firstMade(here, path, neighbors),
        });
      }),
    /**
     * Answers `{}`, or why nothing was done: `{ taken }`: something is there; `{ holder }`, `{ outer }`, as `look`;
     * `{ undone }`: the failure. `mayBeOwn`: what is there may be what an earlier try has made.
     */
    make: (request: Extra<{ source: Source; mayBeOwn: boolean }>): Answer => {
      const secrets: string[] = [];
      const login = async (): Promise<Login> => {
        const credentials = await loginOf(ports, request);
        // mutant: mount-tells-password drop
        secrets.push(credentials.password);
        return credentials;
      };
      const work = async (here: MachinePorts, { begin, end }: Attempt): Answer => {
        const path = pathOf(request);
        const { source = {}, mayBeOwn = false, object } = request;
        await requirePlaces(here, path, source);
        return lanes.runAt(path, PATIENT, async () => {
          await requireWanted(ports, WINDOWS_MOUNTS, request);
          const neighbors = await neighborsOf(here, object);
          const { holder, outer } = neighbors;
          if (holder !== undefined) return { holder: nameOf(holder) };
          if (outer !== undefined) return { outer: nameOf(outer) };
          const place = await placeAt(here, path, source);
          if (mayBeOwn && (await isAsAsked(here, place, source))) return {};
          // A directory in which a volume is to be mounted, and was not.
          const isHalf = mayBeOwn && place.kind === 'other' && source.volumeID !== undefined;
          // mutant: path-taken -> if ($1.1) return { taken: !$1.2 };
          if (place.kind !== 'absent' && !isHalf)
            return isShared(place, source, neighbors, path) ? {} : { taken: true };
          const first = (await firstMade(here, path, neighbors)) ?? path;
          begin();
          try {
            await make(here, path, source, login);
          } catch (error) {
            if (isEnded(error) && !(await here.host.filesystem.pathExists(first))) end();
            throw error;
          }
          return {};
        });
      };
      return onMachine(ports, request, (here) => attempting(secrets, (attempt) => work(here, attempt)), secrets);
    },
    /** Takes away what the object has made. Answers `{}`, or `{ inner }`: what others have inside, while nothing was done. */
    unmake: (request: Extra<{ source: Source }>): Answer =>
      onMachine(ports, request, async (here) => {
        const path = pathOf(request);
        const { source = {}, object } = request;
        await requirePlace(here, path);
        return lanes.runAt(path, PATIENT, async () => {
          const neighbors = await neighborsOf(here, object);
          // mutant: path-of-another-removed drop
          if (neighbors.holder !== undefined) return {};
          const isKept = isPlain(source) && policyOf(object) === 'Keep';
          const inner = neighbors.inner.map(nameOf).slice(0, MOST_NAMED);
          // mutant: mount-inside-removed drop
          if (!isKept && inner.length > 0) return { inner };
          if (!isKept && (await isGone(here, path, request))) await removeMade(here, object, neighbors);
          return {};
        });
      }),
  };
}

/** Maximum number of awaited objects that a message names. */
const MOST_NAMED = 5;

function isPlain(source: Source): boolean {
  return source.volumeID === undefined && !isLinked(source);
}

function policyOf({ spec }: KubeObject): string {
  return textOf(spec?.['deletionPolicy']);
}

/** Whether it is a directory of the machine that another object had made on the way to its own path, and which is all that is asked for. */
function isShared(place: Place, source: Source, { isMadeFor }: Neighbors, path: string): boolean {
  return isPlain(source) && place.kind === 'other' && isMadeFor(path);
}

/** Requirements of csi-proxy's server on both paths of a link. @throws {StatusError} `INVALID_ARGUMENT` */
async function requirePlaces(here: MachinePorts, path: string, source: Source): Promise<void> {
  await requirePlace(here, path);
  const target = linkTarget(source);
  if (source.share === undefined && target !== undefined) await requirePlace(here, target);
}

/** Takes away what is at the path, as far as that is the object's. @returns whether nothing is there any more */
async function isGone(
  here: MachinePorts,
  path: string,
  { object, source = {} }: Pick<Extra<{ source: Source }>, 'object' | 'source'>,
): Promise<boolean> {
  const place = await placeAt(here, path, source);
  if (place.kind === 'absent') return true;
  // mutant: mount-foreign-link drop
  requireTold(place, path, source);
  if (place.kind === 'mount') {
    // Another volume: the mount was replaced meanwhile.
    if (place.volumeID !== source.volumeID) return false;
    await unmount(here, place.volumeID, path);
  }
  const isLink = place.kind === 'link';
  if (place.kind !== 'mount' && place.kind !== 'other' && !isLinked(source)) return false;
  return removeAt(here, path, { isLink, object, source });
}

function pathOf({ object }: Pick<Extra<object>, 'object'>): string {
  return textOf(object.spec?.['path']);
}

/** An unknown link may be the mounted volume, or a link of another owner: it is left as it is, and so is the object. */
function requireTold(place: Place, path: string, { volumeID }: Source): void {
  if (place.kind !== 'link' || place.target !== undefined || volumeID === undefined) return;
  throw new StatusError(
    Code.FailedPrecondition,
    `csi-proxy does not tell which volume is mounted on ${path}, if one is`,
  );
}

/** That of the share to which the object leads. */
async function loginOf(ports: MachinePorts, { object }: Pick<Extra<object>, 'object'>): Promise<Login> {
  const { smbMappingRef } = mapOf(object.spec?.['source']);
  const mapping = await ports.readObject(SMB_MAPPINGS, object.metadata.namespace ?? '', textOf(smbMappingRef));
  const secret = wordOf(mapping?.spec?.['credentialsSecretRef']);
  return secret === undefined ? NO_CREDENTIALS : credentialsIn(ports, object, secret);
}

/** If the machine does not see the volume any more, only the mount is removed: there is nothing to flush. */
async function unmount({ host }: MachinePorts, volumeID: string, path: string): Promise<void> {
  try {
    await host.volume.unmountVolume(volumeID, path);
  } catch (error) {
    // mutant: mount-of-absent-disk if -> true
    if (!(error instanceof StatusError && error.code === Code.NotFound)) throw error;
    await host.filesystem.rmdir(path, { contents: 'refused' });
    await host.filesystem.mkdir(path);
  }
}

/**
 * Files in a directory stay, unless the policy says otherwise (WIN-OPERATIONS-WINDOWS-MOUNT-2). @returns whether
 * nothing is left
 */
async function removeAt(
  { host: { filesystem } }: MachinePorts,
  path: string,
  { isLink, object, source }: { readonly isLink: boolean; readonly object: KubeObject; readonly source: Source },
): Promise<boolean> {
  if (isLink) {
    await filesystem.rmdir(path, { contents: 'refused' });
    return true;
  }
  const policy = policyOf(object);
  if (policy === 'Keep') return false;
  if (policy !== 'RemoveContents' || !isPlain(source))
    return isRemoved(() => filesystem.rmdir(path, { contents: 'refused' }));
  const mounted = await filesystem.mountIn?.(path);
  // mutant: foreign-mount-inside drop
  if (mounted !== undefined) {
    throw new StatusError(Code.FailedPrecondition, `a volume is mounted on ${mounted}: nothing in ${path} is removed`);
  }
  await filesystem.rmdir(path, { contents: 'removed' });
  return true;
}
