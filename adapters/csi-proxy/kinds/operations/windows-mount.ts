// What is done at a path: a volume is mounted, a link made, a directory; and each of them is taken away again.
//
// Invariants:
//   M1. What is at the path already is neither replaced nor taken for the object's own before that is on record.
//   M2. What is removed is a mount, a link, or an empty directory; all in a directory only if the policy says so.
import type { Operation } from '../../../adapter.ts';
import { Code, StatusError } from '../../status.ts';
import { parentOf } from '../places.ts';
import { WINDOWS_MOUNTS } from '../resources.ts';
import { textOf } from '../values.ts';
import { isAsAsked, placeAt, requirePlace, type Source } from './paths.ts';
import { type Answer, type Extra, type MachinePorts, onMachine, PATIENT } from './serving.ts';
import { requireWanted } from './wanted.ts';

export function windowsMountOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { host, lanes } = ports;
  const inLane = <Result>(path: string, work: () => Promise<Result>): Promise<Result> =>
    lanes.run(`path ${path.toLowerCase()}`, PATIENT, work);
  const make = async (path: string, { volumeID, target }: Source): Promise<void> => {
    if (target !== undefined) {
      await host.filesystem.mkdir(parentOf(path));
      await (target.startsWith('\\\\')
        ? host.smb.newSmbLink(path, target)
        : host.filesystem.createSymlink(target, path));
      return;
    }
    await host.filesystem.mkdir(path);
    if (volumeID !== undefined) await host.volume.mountVolume(volumeID, path);
  };
  return {
    /** Answers `{ kind, isAsAsked }`. */
    look: (request: Extra<{ source: Source }>): Answer =>
      onMachine(ports, request, async () => {
        const path = pathOf(request);
        await requirePlace(ports, path);
        const place = await placeAt(ports, path);
        return { kind: place.kind, isAsAsked: await isAsAsked(ports, place, request.source ?? {}) };
      }),
    /** Answers `{ taken }`: something was there, and nothing was done. `mayBeOwn`: it may be what an earlier try has made. */
    make: (request: Extra<{ source: Source; mayBeOwn: boolean }>): Answer =>
      onMachine(ports, request, async () => {
        const path = pathOf(request);
        const { source = {}, mayBeOwn = false } = request;
        await requirePlace(ports, path);
        return inLane(path, async () => {
          const place = await placeAt(ports, path);
          if (mayBeOwn && (await isAsAsked(ports, place, source))) return { taken: false };
          // A directory in which a volume is to be mounted, and was not.
          const isHalf = mayBeOwn && place.kind === 'other' && source.volumeID !== undefined;
          if (place.kind !== 'absent' && !isHalf) return { taken: true };
          await requireWanted(ports, WINDOWS_MOUNTS, request);
          await make(path, source);
          return { taken: false };
        });
      }),
    /** Takes away what the object has made. */
    unmake: (request: Extra<{ source: Source }>): Answer =>
      onMachine(ports, request, async () => {
        const path = pathOf(request);
        const { source = {} } = request;
        await requirePlace(ports, path);
        await inLane(path, async () => {
          const place = await placeAt(ports, path);
          if (place.kind === 'absent') return;
          const isLink = place.kind === 'link';
          const isOwnKind = isLink === (source.target !== undefined) || place.kind === 'other';
          if (place.kind === 'mount') {
            // Of another volume: somebody else has come here since.
            if (place.volumeID !== source.volumeID) return;
            await unmount(ports, place.volumeID, path);
          }
          if (isOwnKind || place.kind === 'mount') await removeAt(ports, path, { isLink, ...request });
        });
        return {};
      }),
  };
}

function pathOf({ object }: Pick<Extra<object>, 'object'>): string {
  return textOf(object.spec?.['path']);
}

/** Of a volume that the machine does not see any more the mount alone is left: there is nothing to flush. */
async function unmount({ host }: MachinePorts, volumeID: string, path: string): Promise<void> {
  try {
    await host.volume.unmountVolume(volumeID, path);
  } catch (error) {
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
