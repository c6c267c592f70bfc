// Content at a path of the machine, and whether a path is allowed.

import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import { parseRemotePath } from '../../csi-proxy/hosts/remote-path.ts';
import { placeKey } from '../../csi-proxy/hosts/windows-path.ts';
import { requireRealPlace } from '../../csi-proxy/server/real-place.ts';
import type { MachinePorts } from './serving.ts';
import { tellsPlaces } from './storage.ts';

/**
 * Target of a path; a directory of its own if there is none. `target`: a path of the machine; `share`: a remote path,
 * as it was written. A type, since an interface is not assignable to JSON.
 */
export type Source = { readonly volumeID?: string; readonly target?: string; readonly share?: string };

/** Whether a link is to be there. */
export function isLinked({ target, share }: Source): boolean {
  return target !== undefined || share !== undefined;
}

export type Place =
  | { readonly kind: 'absent' }
  /** `volumeID`: that is mounted there. */
  | { readonly kind: 'mount'; readonly volumeID: string }
  /** `target`: final target of the link, if it is known. */
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
  const volumeID = isTold || !isLinked(source) ? await mountedAt(host, path) : undefined;
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

/** Whether it is what the source asks for. @throws {StatusError} `INVALID_ARGUMENT`: no link may lead there */
export async function isAsAsked({ host }: Pick<MachinePorts, 'host'>, place: Place, source: Source): Promise<boolean> {
  const { volumeID } = source;
  if (volumeID !== undefined) return place.kind === 'mount' && place.volumeID === volumeID;
  const target = linkTarget(source);
  if (target === undefined) return place.kind === 'other';
  if (place.kind !== 'link') return false;
  // That it leads somewhere is all that is known of it.
  if (place.target === undefined || !tellsPlaces(host.filesystem)) return true;
  return placeKey(await host.filesystem.realPath(target, { last: 'followed' })) === placeKey(place.target);
}

/** Target of a link. @throws {StatusError} `INVALID_ARGUMENT`: it is no share, or no directory of one */
export function linkTarget({ target, share }: Source): string | undefined {
  return share === undefined ? target : parseRemotePath(share).full;
}
