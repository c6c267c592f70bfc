// The object that a command is asked about.
import { hint } from '../../adapters/nearest.ts';
import { type Address, TerminalError } from '../../bus/mod.ts';
import type { Registry } from '../object/registry.ts';

/** What a command does that names no object. */
const WITHOUT = { why: 'all of a namespace', ui: 'the page as it begins' } as const;

/**
 * In whatever way kubectl lets one name an object: `network/n`, `Networks n`, `networks.openstack.k-orc.cloud/n`.
 *
 * @throws {TerminalError} it is no name of one, or there is no such kind
 */
export function askedFor(
  command: 'why' | 'ui',
  { resources }: Pick<Registry, 'resources'>,
  names: readonly string[],
): Omit<Address, 'namespace'> {
  const [kind = '', name = '', ...rest] = names.length === 1 ? (names[0] ?? '').split('/') : names;
  if (kind === '' || name === '' || rest.length > 0 || kind.includes('/') || name.includes('/')) {
    throw new TerminalError(
      `'${command}' takes one object, such as 'network/app', or none for ${WITHOUT[command]}; got '${names.join(' ')}'`,
    );
  }
  const resource = resources.find(({ kind: of, plural, group, version }) =>
    [
      of.toLowerCase(),
      plural,
      `${plural}.${group}`,
      `${of.toLowerCase()}.${group}`,
      `${plural}.${version}.${group}`,
    ].includes(kind.toLowerCase()),
  );
  if (resource !== undefined) return { realm: resource.realm, plural: resource.plural, name };
  const all = resources.map(({ kind: of }) => of).join(', ');
  const meant = hint(
    kind,
    resources.flatMap(({ kind: of, plural }) => [of.toLowerCase(), plural]),
  );
  throw new TerminalError(`there is no kind '${kind}'${meant}; there are ${all}`);
}
