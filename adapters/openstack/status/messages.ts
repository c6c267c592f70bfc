// How people are told of fields, and of objects that are to be made anew.
import type { KubeObject } from '../../../machines/object.ts';

/** `<Kind>/<name>` is to be made anew, since this of it cannot be changed; with all that is lost with it. */
export function anew({ kind, metadata: { name }, spec, status }: KubeObject): string {
  const id = status?.['id'];
  const { onDelete } = (spec?.['managedOptions'] ?? {}) as { readonly onDelete?: string };
  const isKept = spec?.['managementPolicy'] === 'unmanaged' || onDelete === 'detach';
  const loss = typeof id === 'string' && id !== '' && !isKept ? `, which deletes ${id} with all that it holds,` : '';
  return `delete ${kind}/${name}${loss} and create it again`;
}

/** Of fields of the resource, where they are in the object. */
export function pathsOf(names: readonly string[]): string {
  return names.map((name) => `spec.resource.${name}`).join(', ');
}
