// What is done at a path: a volume is mounted, a link made, a directory; and each of them is taken away again.
//
// Invariants:
//   M1. What is at the path already is neither replaced nor taken for the object's own before that is on record.
//   M2. What is removed is a mount, a link, or an empty directory; all in a directory only if the policy says so.
import type { Operation } from '../../../adapter.ts';
import { Code, StatusError } from '../../status.ts';
import { parentOf } from '../places.ts';
import { SMB_MAPPINGS, WINDOWS_MOUNTS } from '../resources.ts';
import { mapOf, textOf, wordOf } from '../values.ts';
import { credentialsIn, NOBODY } from './credentials.ts';
import { isAsAsked, type Place, placeAt, requirePlace, type Source } from './paths.ts';
import { type Answer, type Extra, type MachinePorts, onMachine, PATIENT } from './serving.ts';
import type { Login } from './storage.ts';
import { requireWanted } from './wanted.ts';

export function windowsMountOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { lanes } = ports;
  const inLane = <Result>(path: string, work: () => Promise<Result>): Promise<Result> =>
    lanes.run(`path ${path.toLowerCase()}`, PATIENT, work);
  const make = async (
    { host }: MachinePorts,
    path: string,
    { volumeID, target }: Source,
    login: () => Promise<Login>,
  ): Promise<void> => {
    if (target !== undefined) {
      await host.filesystem.mkdir(parentOf(path));
      await (target.startsWith('\\\\')
        ? host.smb.newSmbLink(path, target, login)
        : host.filesystem.createSymlink(target, path));
      return;
    }
    await host.filesystem.mkdir(path);
    if (volumeID !== undefined) await host.volume.mountVolume(volumeID, path);
  };
  return {
    /** Answers `{ kind, isAsAsked }`. */
    look: (request: Extra<{ source: Source }>): Answer =>
      onMachine(ports, request, async (here) => {
        const path = pathOf(request);
        const { source = {} } = request;
        await requirePlace(here, path);
        const place = await placeAt(here, path, source);
        return { kind: place.kind, isAsAsked: await isAsAsked(here, place, source) };
      }),
    /** Answers `{ taken }`: something was there, and nothing was done. `mayBeOwn`: it may be what an earlier try has made. */
    make: (request: Extra<{ source: Source; mayBeOwn: boolean }>): Answer => {
      const secrets: string[] = [];
      const login = async (): Promise<Login> => {
        const credentials = await loginOf(ports, request);
        // mutant: mount-tells-password drop
        secrets.push(credentials.password);
        return credentials;
      };
      const work = async (here: MachinePorts): Answer => {
        const path = pathOf(request);
        const { source = {}, mayBeOwn = false } = request;
        await requirePlace(here, path);
        return inLane(path, async () => {
          await requireWanted(ports, WINDOWS_MOUNTS, request);
          const place = await placeAt(here, path, source);
          if (mayBeOwn && (await isAsAsked(here, place, source))) return { taken: false };
          // A directory in which a volume is to be mounted, and was not.
          const isHalf = mayBeOwn && place.kind === 'other' && source.volumeID !== undefined;
          // mutant: path-taken -> if ($1.1) return { taken: !$1.2 };
          if (place.kind !== 'absent' && !isHalf) return { taken: true };
          await make(here, path, source, login);
          return { taken: false };
        });
      };
      return onMachine(ports, request, work, secrets);
    },
    /** Takes away what the object has made. */
    unmake: (request: Extra<{ source: Source }>): Answer =>
      onMachine(ports, request, async (here) => {
        const path = pathOf(request);
        const { source = {} } = request;
        await requirePlace(here, path);
        await inLane(path, async () => {
          const place = await placeAt(here, path, source);
          if (place.kind === 'absent') return;
          // mutant: mount-foreign-link drop
          requireTold(place, path, source);
          const isLink = place.kind === 'link';
          const isOwnKind = isLink === (source.target !== undefined) || place.kind === 'other';
          if (place.kind === 'mount') {
            // Of another volume: somebody else has come here since.
            if (place.volumeID !== source.volumeID) return;
            await unmount(here, place.volumeID, path);
          }
          if (isOwnKind || place.kind === 'mount') await removeAt(here, path, { isLink, ...request });
        });
        return {};
      }),
  };
}

function pathOf({ object }: Pick<Extra<object>, 'object'>): string {
  return textOf(object.spec?.['path']);
}

/** What leads somewhere may be the volume that is mounted there, or a link of somebody else: it is left as it is, and so is the object. */
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
  return secret === undefined ? NOBODY : credentialsIn(ports, object, secret);
}

/** Of a volume that the machine does not see any more the mount alone is left: there is nothing to flush. */
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

/** What somebody has put into a directory stays, unless the policy says otherwise (M2). */
async function removeAt(
  { host }: MachinePorts,
  path: string,
  { isLink, object, source = {} }: Pick<Extra<{ source: Source }>, 'object' | 'source'> & { readonly isLink: boolean },
): Promise<void> {
  const policy = textOf(object.spec?.['deletionPolicy']);
  if (!isLink && policy === 'Keep') return;
  const isPlain = source.volumeID === undefined && source.target === undefined;
  try {
    await host.filesystem.rmdir(path, {
      contents: !isLink && isPlain && policy === 'RemoveContents' ? 'removed' : 'refused',
    });
  } catch (error) {
    const isFull = error instanceof StatusError && error.code === Code.FailedPrecondition;
    if (!isFull || isLink) throw error;
  }
}
