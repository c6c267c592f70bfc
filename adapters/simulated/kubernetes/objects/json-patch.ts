// JSON patch as the API server applies it: RFC 6902 with some freedom (negative indexes, absent keys that are replaced).
import { copy, isList, isMap, type JsonMap, put } from '../../../text/json.ts';
import { unprocessable } from '../base/api-error.ts';

type Container = JsonMap | unknown[];

/** @returns the patched copy @throws {ApiError} 422 the patch does not fit the object */
export function jsonPatch(object: unknown, operations: readonly unknown[]): unknown {
  const root = { document: copy(object) };
  for (const operation of operations) apply(root, isMap(operation) ? operation : {});
  return root.document;
}

function apply(root: { document: unknown }, operation: JsonMap): void {
  const { document } = root;
  const path = operation['path'];
  const value = operation['value'] ?? null;
  switch (operation['op']) {
    case 'add':
      addAt(placeOf(document, path), copy(value));
      return;
    case 'remove':
      removeAt(placeOf(document, path));
      return;
    case 'replace':
      if (path === '') {
        if (typeof value !== 'object' || value === null) throw unprocessable();
        root.document = copy(value);
        return;
      }
      replaceAt(placeOf(document, path), copy(value));
      return;
    case 'move': {
      const from = placeOf(document, operation['from']);
      const moved = valueAt(from);
      removeAt(from);
      addAt(placeOf(document, path), moved);
      return;
    }
    case 'copy': {
      const copied = copy(valueAt(placeOf(document, operation['from'])));
      addAt(placeOf(document, path), copied);
      return;
    }
    case 'test': {
      const found = path === '' ? document : valueAt(placeOf(document, path));
      if (!equal(found, value)) throw unprocessable();
      return;
    }
    default:
      throw unprocessable();
  }
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

const unescaped = (token: string): string => token.replaceAll(/~[01]/g, (found) => (found === '~1' ? '/' : '~'));

/** The map or list that a pointer's last part is in. */
function placeOf(document: unknown, pointer: unknown): Place {
  if (typeof pointer !== 'string') throw unprocessable();
  const tokens = pointer.split('/').slice(1).map(unescaped);
  const key = tokens.pop();
  let found = document;
  for (const token of tokens) found = isMap(found) || isList(found) ? valueAt({ container: found, key: token }) : null;
  if (key === undefined || !(isMap(found) || isList(found))) throw unprocessable();
  return { container: found, key };
}

/** A whole number within the list, counted from its end when negative. */
function indexIn(key: string, length: number): number {
  if (!/^[-+]?\d+$/.test(key)) throw unprocessable();
  const index = Number(key);
  if (index >= length || index < -length) throw unprocessable();
  return index < 0 ? index + length : index;
}

/** A member that is absent from a map reads as null. */
function valueAt({ container, key }: Place): unknown {
  if (isList(container)) return container[indexIn(key, container.length)];
  return Object.hasOwn(container, key) ? container[key] : null;
}

function addAt({ container, key }: Place, value: unknown): void {
  if (!isList(container)) put(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexIn(key, container.length + 1), 0, value);
}

function replaceAt({ container, key }: Place, value: unknown): void {
  if (isList(container)) container[indexIn(key, container.length)] = value;
  else put(container, key, value);
}

function removeAt({ container, key }: Place): void {
  if (isList(container)) container.splice(indexIn(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw unprocessable();
}

function equal(left: unknown, right: unknown): boolean {
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, index) => equal(item, right[index]));
  }
  if (!isMap(left) || !isMap(right)) return left === right;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key]));
}
