// Members of values by dotted wire paths. A path goes through objects only.
import { isObject } from './links.ts';
import type { Value } from './store.ts';

/** @returns undefined for what is not set */
export function memberAt(value: Value, path: string): unknown {
  return path.split('.').reduce<unknown>(ownMember, value);
}

/** A member of an object; undefined for what every object inherits, such as `constructor`. */
export function ownMember(value: unknown, name: string): unknown {
  // mutant: gateway-inherited-members &&.2 -> true
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A copy with another member; undefined takes it away. */
export function withMember(value: Value, path: string, member: unknown): Value {
  const [first = '', ...rest] = path.split('.');
  if (rest.length > 0) {
    const inner = Object.hasOwn(value, first) ? value[first] : undefined;
    if (member === undefined && !isObject(inner)) return value;
    return { ...value, [first]: withMember(isObject(inner) ? inner : {}, rest.join('.'), member) };
  }
  if (member !== undefined) return { ...value, [first]: member };
  const { [first]: _, ...others } = value;
  return others;
}

/** The value with some members as they are in another one. */
export function withMembersOf(value: Value, other: Value, paths: Iterable<string>): Value {
  let merged = value;
  for (const path of paths) {
    const wanted = memberAt(other, path);
    if (memberAt(merged, path) !== wanted) merged = withMember(merged, path, wanted);
  }
  return merged;
}
