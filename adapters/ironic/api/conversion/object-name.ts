// An object as messages call it.
import { valueAt } from './paths.ts';

/** Kind, namespace and name, as far as they are there: nothing else of the object is told. */
export function nameOf(object: unknown): string {
  const [kind, namespace, name] = [['kind'], ['metadata', 'namespace'], ['metadata', 'name']]
    .map((path) => valueAt(object, path))
    .map((text) => (typeof text === 'string' ? text : ''));
  return `${kind || 'object'} ${JSON.stringify(namespace ? `${namespace}/${name}` : name)}`;
}
