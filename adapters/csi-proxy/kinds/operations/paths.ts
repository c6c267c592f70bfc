// What is at a path of the machine, and whether it may be there at all.
import { foldCase } from '../../hosts/windows-path.ts';
import { requireRealPlace } from '../../server/real-place.ts';
import { Code, StatusError } from '../../status.ts';
import { withoutEnd } from '../places.ts';
import type { MachinePorts } from './serving.ts';
import { tellsPlaces } from './storage.ts';

/** What a path is to lead to; a directory of its own without either. A type, as an interface would be no JSON. */
export type Source = { readonly volumeID?: string; readonly target?: string };

export type Place =
  | { readonly kind: 'absent' }
  /** `volumeID`: that is mounted there. */
  | { readonly kind: 'mount'; readonly volumeID: string }
  /** `target`: where it leads in the end, where that is told. */
  | { readonly kind: 'link'; readonly target: string | undefined }
  /** A link that leads nowhere is among them, where it is not told where links lead. */
  | { readonly kind: 'other' };

/** @throws {StatusError} `INVALID_ARGUMENT`: nothing of ours may be there */
export async function requirePlace({ host, paths }: MachinePorts, path: string): Promise<void> {
  paths.check(path);
  if (!tellsPlaces(host.filesystem)) return;
  await requireRealPlace(host.filesystem, paths, path, { last: 'kept', shares: 'refused' });
}

/** @param source  what is to be there: some of csi-proxy take a link to a mount for that, which is a link where one is to be */
export async function placeAt({ host }: Pick<MachinePorts, 'host'>, path: string, source: Source = {}): Promise<Place> {
  const { filesystem } = host;
  if (!(await filesystem.pathExists(path))) return { kind: 'absent' };
  const isTold = tellsPlaces(filesystem);
  const volumeID = isTold || source.target === undefined ? await mountedAt(host, path) : undefined;
  if (volumeID !== undefined) return { kind: 'mount', volumeID };
  if (!isTold) return (await filesystem.isSymlink(path)) ? { kind: 'link', target: undefined } : { kind: 'other' };
  const [kept, followed] = await Promise.all(
    (['kept', 'followed'] as const).map((last) => filesystem.realPath(path, { last })),
  );
  return kept === followed ? { kind: 'other' } : { kind: 'link', target: followed ?? '' };
}

async function mountedAt(host: MachinePorts['host'], path: string): Promise<string | undefined> {
  try {
    return await host.volume.getVolumeIDFromTargetPath(path);
  } catch (error) {
    if (error instanceof StatusError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** Whether it is what the source asks for. */
export async function isAsAsked(
  { host }: Pick<MachinePorts, 'host'>,
  place: Place,
  { volumeID, target }: Source,
): Promise<boolean> {
  if (volumeID !== undefined) return place.kind === 'mount' && place.volumeID === volumeID;
  if (target === undefined) return place.kind === 'other';
  if (place.kind !== 'link') return false;
  // That it leads somewhere is all that is known of it.
  if (place.target === undefined || !tellsPlaces(host.filesystem)) return true;
  const real = await host.filesystem.realPath(withoutEnd(target), { last: 'followed' });
  return foldCase(withoutEnd(real)) === foldCase(withoutEnd(place.target));
}
