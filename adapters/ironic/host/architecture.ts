// The architecture of a host's processors, in the names of Linux.
import type { Host } from './host-json.ts';

/** Names that others use: those of Go, and of Node. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['x64', 'x86_64'],
  ['arm64', 'aarch64'],
]);

/**
 * The architecture in effect.
 *
 * @param options.ownArchitecture architecture of the machine that this process runs on, the default if it is unknown
 */
export function architectureOf(
  { spec, status }: Pick<Host, 'spec' | 'status'>,
  { ownArchitecture }: { readonly ownArchitecture: string },
): string {
  const own = NAMES.get(ownArchitecture) ?? ownArchitecture;
  return spec?.architecture || status?.hardware?.cpu?.arch || own;
}
