// Real location of a path: by its text alone a link in an allowed directory could lead out of it.
import type { FilesystemHost } from '../hosts/host.ts';
import { PathRules } from './path-rules.ts';

/**
 * Between this check and the next step only users with write access to an allowed directory can change a link: the
 * administrator or this server.
 *
 * @param options.last  whether the last name of the path is followed
 * @param options.shares  `allowed`: it may lie on a share that a link of this server leads to
 * @throws {StatusError} `INVALID_ARGUMENT`: what `path` names lies outside of the allowed directories
 */
export async function requireRealPlace(
  host: Pick<FilesystemHost, 'realPath'>,
  paths: PathRules,
  path: string,
  { last, shares }: { readonly last: 'followed' | 'kept'; readonly shares: 'allowed' | 'refused' },
): Promise<void> {
  const real = await host.realPath(path, { last });
  if (shares === 'allowed' && real.startsWith('\\\\')) return;
  // An allowed directory may itself be a link, for instance to a larger drive.
  const allowed = await Promise.all(paths.allowed.map((directory) => host.realPath(directory, { last: 'followed' })));
  new PathRules(allowed).requireInside(real);
}
