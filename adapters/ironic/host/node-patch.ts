// JSON patches of Ironic's nodes (RFC 6902): what is wanted, less what a node has already.

import type { Json, JsonObject } from '../../../bus/bus.ts';
import { mapOf } from '../json-values.ts';

/** By JSON pointer (RFC 6901): what a member of the node is to be, as a whole; undefined: it must not be there. */
export type Wanted = Readonly<Record<string, Json | undefined>>;

export type Operation =
  | { readonly op: 'add'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };
export type Patch = readonly Operation[];

const MASK = '***';
const SECRET_NAME = /password|secret/i;
/** Name and password of a URL. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;

/** Wanted options of one field of a node, each separately: `under('driver_info', { deploy_iso: url })`. */
export function under(field: string, options: Wanted): Wanted {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [pointerTo(field, name), value]));
}

export function pointerTo(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * The patch that brings a node to what is wanted, in the order of `wanted`; empty when nothing differs.
 *
 * A field of the node itself that is null counts as absent. A value that Ironic shows masked (`******`) always differs.
 */
export function patchOf(node: JsonObject, wanted: Wanted): Patch {
  return Object.entries(wanted).flatMap(([path, value]): Patch => {
    const names = namesIn(path);
    const found = valueAt(node, names);
    if (value === undefined) {
      const isUnset = found === undefined || (found === null && names.length === 1);
      return isUnset ? [] : [{ op: 'remove', path }];
    }
    return isEqual(found, value) ? [] : [{ op: 'add', path, value }];
  });
}

/**
 * The same patch for logs: without the values of options whose name suggests a secret, at any depth, and without the
 * users in URLs.
 */
export function loggable(patch: Patch): Patch {
  return patch.map((operation) => {
    if (operation.op === 'remove') return operation;
    return { ...operation, value: SECRET_NAME.test(operation.path) ? MASK : withoutSecrets(operation.value) };
  });
}

function withoutSecrets(value: Json): Json {
  if (typeof value === 'string') return value.replace(USER_INFO, `$1${MASK}@`);
  if (isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SECRET_NAME.test(name) ? MASK : withoutSecrets(member)]),
  );
}

function namesIn(pointer: string): readonly string[] {
  const [, ...names] = pointer.split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(node: Json | undefined, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((value, name) => {
    const members = mapOf(value);
    return Object.hasOwn(members, name) ? members[name] : undefined;
  }, node);
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (isArray(one) || isArray(other)) {
    if (!isArray(one) || !isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isEqual(item, other[index]));
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/** `Array.isArray` does not tell the checker of arrays that are read only. */
function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
