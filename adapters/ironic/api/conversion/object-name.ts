// An object as messages call it.
import { valueAt } from './paths.ts';

/** Kind, namespace and name, if present. Nothing else of the object is printed. */
export function nameOf(object: unknown): string {
  const [kind, namespace, name] = [['kind'], ['metadata', 'namespace'], ['metadata', 'name']]
    .map((path) => valueAt(object, path))
    .map((text) => (typeof text === 'string' ? text : ''));
  return `${kind || 'object'} ${JSON.stringify(namespace ? `${namespace}/${name}` : name)}`;
}
