// Hints for a create that conflicts with another resource of the cloud: as long as that exists, the same spec is rejected again. Pure.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Hint } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { nameOf } from './desired.ts';
import type { ResourceFields } from './table.ts';

/** Prefix of a conflict; the text of the cloud follows. */
const CONFLICT = /^invalid configuration creating [A-Za-z ]+: .* answered 409: (.*)$/s;
/** Message of Neutron about a floating IP: the port has one, which no lookup for this object finds. */
const PORT_IS_TAKEN = /^Cannot associate floating IP .* already has a floating IP on external network /s;
/** Messages of Nova, Cinder and Keystone about a name; the existing resource differs from the spec, or it would be adopted. */
const NAME_IS_TAKEN = /already exists|duplicate entry|the same name/i;

/** @returns undefined: the message is about no conflict, or does not say what exists */
export function conflictHint(
  resource: ResourceFields | undefined,
  object: KubeObject,
  message: string,
): Hint | undefined {
  const [, said] = CONFLICT.exec(message) ?? [];
  if (said === undefined || resource === undefined) return undefined;
  if (PORT_IS_TAKEN.test(said)) return { todo: portHint(object) };
  const name = nameOf({ resource }, object);
  if (typeof name !== 'string' || !NAME_IS_TAKEN.test(said) || !isQuoted(said, name)) return undefined;
  return { todo: nameHint(resource, object, name) };
}

function portHint({ kind, metadata, spec }: KubeObject): string {
  const { portRef } = (spec?.['resource'] ?? {}) as JsonObject;
  const label = `${kind}/${metadata.name}`;
  const take = `set spec.resource.floatingIP of ${label} to the address of that one to take it over`;
  const free = `remove it from the port in the cloud and edit the spec of ${label}, which is tried again then`;
  return `Port/${portRef} has a floating IP already: ${take}, or ${free}`;
}

function nameHint(resource: ResourceFields, { kind, metadata }: KubeObject, name: string): string {
  const label = `${kind}/${metadata.name}`;
  const isFixed = Object.values(resource).some(({ role, schema }) => role === 'name' && schema.immutable);
  const way = isFixed
    ? `delete ${label} and create it again with another spec.resource.name`
    : `give ${label} another spec.resource.name`;
  return `the cloud has another one called '${name}': ${way}`;
}

/** Whether the text contains the name as a word of its own, whatever the name's length. */
function isQuoted(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`).test(text);
}
