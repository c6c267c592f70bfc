// Served groups and versions of a process.
import { TerminalError } from '../../../bus/errors.ts';
import type { RegisteredAPI } from './runtime.ts';

/** Groups, each with its versions; none: all its versions. */
export type Selection = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * @param groups  all that there are, each with its versions
 * @param selection  undefined: all
 * @throws {TerminalError} names a group or a version that there is not
 */
export function selected(
  groups: readonly (readonly RegisteredAPI[])[],
  selection: Selection | undefined,
): RegisteredAPI[][] {
  if (selection === undefined) return groups.map((versions) => [...versions]);
  return [...selection].map(([name, wanted]) => {
    const versions = groups.find(([api]) => api?.group === name);
    if (versions === undefined) {
      const names = groups.map(([api]) => api?.group).join(', ');
      throw new TerminalError(`there is no group '${name}'; there is: ${names}`);
    }
    const unknown = [...wanted].find((version) => !versions.some((api) => api.version === version));
    if (unknown !== undefined) {
      const names = versions.map(({ version }) => version).join(', ');
      throw new TerminalError(`group ${name} has no version '${unknown}'; it has: ${names}`);
    }
    return versions.filter(({ version }) => wanted.size === 0 || wanted.has(version));
  });
}
