// A JSON patch as Ironic takes it: `add`, `replace` and `remove` of members and list items, and its refusals.
import type { Json, JsonObject } from '../../../bus/json.ts';
import { asObject, pythonRepr, refusal } from './exchange.ts';
import { copyOf } from './records.ts';

export interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  /** The path's parts. */
  readonly keys: readonly string[];
  readonly value: Json;
  /** As it came, for messages. */
  readonly given: JsonObject;
}

const OPS: readonly string[] = ['add', 'replace', 'remove'];
const PATH = /^(\/[\w~-]+)+$/;

/** Paths of fields that are not `allowed` are refused too. @throws {Refusal} 400, 500 */
export function parsePatch(patch: Json | undefined, allowed: readonly string[]): readonly Operation[] {
  if (!Array.isArray(patch)) throw schemaError(`${pythonRepr(patch)} is not of type 'array'`);
  return patch.map((each: Json) => {
    const given = asObject(each);
    if (given === undefined) throw schemaError(`${pythonRepr(each)} is not of type 'object'`);
    const { op, path, value } = given;
    if (typeof op !== 'string' || !OPS.includes(op)) {
      throw schemaError(`${pythonRepr(op)} is not one of ['add', 'replace', 'remove']`);
    }
    if (typeof path !== 'string' || !PATH.test(path)) {
      throw schemaError(`${pythonRepr(path)} does not match '^(/[\\\\w-]+)+$'`);
    }
    const keys = path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (!allowed.includes(keys[0] ?? '')) {
      throw refusal(400, `Cannot patch ${path}. Only the following can be updated: ${allowed.join(', ')}`);
    }
    if (op !== 'remove' && value === undefined) throw refusal(500, "'value'");
    return { op: op as Operation['op'], keys, value: value ?? null, given };
  });
}

export function schemaError(message: string): Error {
  return refusal(400, `Schema error for patch: ${message}`);
}

/** The document after the patch; the one given stays as it is. @throws {Refusal} 400 */
export function applyPatch(document: JsonObject, patch: readonly Operation[]): Record<string, Json> {
  const result = copyOf(document) as Record<string, Json>;
  for (const operation of patch) applyOne(result, operation);
  return result;
}

function applyOne(document: Record<string, Json>, { op, keys, value, given }: Operation): void {
  const impossible = (reason: string): Error =>
    refusal(400, `Couldn't apply patch '${pythonRepr(given)}'. Reason: ${reason}`);
  let place: Json = document;
  for (const key of keys.slice(0, -1)) {
    const below: Json | undefined = memberOf(place, key);
    if (below === undefined) throw impossible(`member '${key}' not found in ${pythonRepr(place)}`);
    place = below;
  }
  const last = keys.at(-1) ?? '';
  if (Array.isArray(place)) {
    const list = place as Json[];
    const index = last === '-' ? list.length : Number(last);
    if (!Number.isInteger(index) || index > list.length || (op !== 'add' && index === list.length)) {
      throw impossible("can't replace outside of list");
    }
    list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [copyOf(value)]));
    return;
  }
  const object = asObject(place) as Record<string, Json> | undefined;
  if (object === undefined) throw impossible(`unable to fully resolve json pointer '/${keys.join('/')}'`);
  if (op !== 'add' && !Object.hasOwn(object, last)) throw impossible(`can't ${op} a non-existent object '${last}'`);
  if (op === 'remove') delete object[last];
  // Defined, not assigned: a member named __proto__ is one like any other.
  else
    Object.defineProperty(object, last, {
      value: copyOf(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function memberOf(place: Json, key: string): Json | undefined {
  if (Array.isArray(place)) return (place as readonly Json[])[Number(key)];
  const object = asObject(place);
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
