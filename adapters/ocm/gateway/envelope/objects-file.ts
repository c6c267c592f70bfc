// Objects that a store in memory begins with: a JSON object with a list, or one object, for each path.
import { TerminalError } from '../../../../bus/errors.ts';
import { type Found, find, type Tree } from '../routes/tree.ts';
import type { Collection } from '../store/collections.ts';
import { isObject } from '../store/links.ts';
import type { MemoryStore } from '../store/memory.ts';
import type { Value } from '../store/store.ts';
import { decodeStruct } from './decode.ts';
import { RefusedRequest } from './faults.ts';

/**
 * Puts objects into a store, such as `{ "/api/clusters_mgmt/v1/clusters": [{ "id": "a" }] }`.
 *
 * @returns how many
 * @throws {TerminalError} a path that is none, or an object that does not fit the model
 */
export function loadObjects(
  text: string,
  store: MemoryStore,
  trees: ReadonlyMap<string, ReadonlyMap<string, Tree>>,
): number {
  const content = parsed(text);
  let count = 0;
  for (const [path, value] of Object.entries(content)) {
    const found = foundAt(path, trees);
    const operation = found?.operations.get('GET') ?? [...(found?.operations.values() ?? [])][0];
    if (found === undefined || operation?.collection === undefined)
      throw new TerminalError(`'${path}' is no path of the model`);
    const { collection, subject } = operation;
    const isList = subject === 'collection';
    if (Array.isArray(value) !== isList) throw new TerminalError(`'${path}' has ${isList ? 'a list' : 'one object'}`);
    const objects: unknown[] = Array.isArray(value) ? value : [value];
    for (const each of objects) {
      const { ids } = found;
      const own = isList ? idOf(each, path) : subject === 'object' ? (ids.at(-1) ?? '') : '';
      const address = { outer: subject === 'object' ? ids.slice(0, -1) : ids, id: own };
      store.put(collection, address, decoded(collection, each, path));
      count += 1;
    }
  }
  return count;
}

function parsed(text: string): Value {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new TerminalError(`the objects are no JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (!isObject(content)) throw new TerminalError('the objects have to be a JSON object with a list for each path');
  return content;
}

function foundAt(path: string, trees: ReadonlyMap<string, ReadonlyMap<string, Tree>>): Found | undefined {
  const [, , service = '', version = '', ...rest] = path.split('/').map(decodeURIComponent);
  const root = trees.get(service)?.get(version)?.root;
  return root && find(root, rest, 'GET');
}

function decoded({ type, singleton }: Collection, value: unknown, path: string): Value {
  if (!isObject(value)) throw new TerminalError(`'${path}' has something that is no object`);
  try {
    const id = singleton && typeof value['id'] === 'string' ? { id: value['id'] } : {};
    return { ...decodeStruct(type, value, '', 'absent'), ...id };
  } catch (error) {
    if (error instanceof RefusedRequest) throw new TerminalError(`'${path}': ${error.message}`, { cause: error });
    throw error;
  }
}

function idOf(value: unknown, path: string): string {
  if (isObject(value) && typeof value['id'] === 'string' && value['id'] !== '') return value['id'];
  throw new TerminalError(`'${path}' has an object without 'id'`);
}
