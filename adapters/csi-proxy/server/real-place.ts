// Where a path really leads: its text alone lets a link in an allowed directory lead out of it.
import type { FilesystemHost } from '../hosts/host.ts';
import { PathRules } from './path-rules.ts';

/**
 * Nobody may change a link between this look and what follows but who may do it in an allowed directory, which is the
 * administrator or this server.
 *
 * @throws {StatusError} `INVALID_ARGUMENT`: what `path` names lies outside of the allowed directories
 */
export async function requireRealPlace(
  host: FilesystemHost,
  paths: PathRules,
  path: string,
  options: { readonly last: 'followed' | 'kept' },
): Promise<void> {
  const real = await host.realPath(path, options);
  // An allowed directory may itself be a link, for instance to a larger drive.
  const allowed = await Promise.all(paths.allowed.map((directory) => host.realPath(directory, { last: 'followed' })));
  new PathRules(allowed).requireInside(real);
}
