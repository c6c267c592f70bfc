// Messages and hints for an object whose resource belongs to another object.
import type { Hint, ResourceOwner } from '../../../machines/lifecycle.ts';

/**
 * @param isNamed  the resource has a name that can be changed: it tells the two apart
 * @returns what is waited for, with all that can be done in place of waiting
 */
export function ownershipMessage({ kind, namespace, name, externalId }: ResourceOwner, isNamed: boolean): string {
  const ways = isNamed
    ? 'give this one another spec.resource.name, re-create it as an import of the resource with managementPolicy unmanaged, or'
    : 're-create this one with another spec, or';
  return `Waiting for ${kind} ${namespace}/${name} to be deleted, which has ${externalId}: one resource is one object's; ${ways} delete the other`;
}

const SAID = /^Waiting for \S+ \S*\/\S+ to be deleted, which has \S+: one resource is one object's; (.*)$/s;

/** @returns undefined: no such message */
export function ownershipHint(message: string): Hint | undefined {
  const [, todo] = SAID.exec(message) ?? [];
  return todo === undefined ? undefined : { todo };
}
