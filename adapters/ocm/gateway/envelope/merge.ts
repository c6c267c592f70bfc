// PATCH: what is stored, and what a client sends of it.
import type { StructType, Type } from '../../model/mod.ts';
import { isObject } from '../store/links.ts';
import { memberAt, ownMember } from '../store/paths.ts';
import type { Value } from '../store/store.ts';
import { refuse } from './faults.ts';

/**
 * Absent members stay; null clears; structs merge member by member; scalars, lists, maps and links are replaced as a whole.
 *
 * @param patch  decoded, with its nulls
 */
export function merged(type: StructType, current: Value, patch: Value): Value {
  const result: Record<string, unknown> = { ...current };
  for (const { wireName, type: of, link } of type.attributes) {
    const member = ownMember(patch, wireName);
    if (member === undefined) continue;
    if (member === null) delete result[wireName];
    else if (!link && (of.kind === 'struct' || of.kind === 'class') && isObject(member)) {
      // mutant: gateway-struct-replaced = -> before = undefined
      const before = result[wireName];
      const id = of.kind === 'class' && member['id'] !== undefined ? { id: member['id'] } : {};
      result[wireName] = { ...merged(of, isObject(before) ? before : {}, member), ...id };
    } else if (!link || !isSameLink(of, result[wireName], member)) result[wireName] = member;
  }
  return result;
}

/** A link to the same object keeps what its store knows of it. */
function isSameLink({ kind }: Type, before: unknown, member: unknown): boolean {
  // mutant: gateway-link-forgotten return -> false
  return kind === 'class' && isObject(before) && isObject(member) && before['id'] === member['id'];
}

/**
 * Refuses a body that gives an attribute that is the server's own another value than it has.
 *
 * @param current, value  attributes as they are served: clients send back what they read
 * @throws {RefusedRequest} 400
 */
export function refuseServerOwned(serverOwned: Iterable<string>, current: Value, value: Value): void {
  for (const path of serverOwned) {
    // mutant: gateway-server-owned if -> false
    if (!isEqual(memberAt(value, path), memberAt(current, path))) {
      refuse(400, `The attribute '${path}' is set by the server and cannot be changed`);
    }
  }
}

/** Equality of JSON values, whatever the order of members. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => isEqual(each, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}
