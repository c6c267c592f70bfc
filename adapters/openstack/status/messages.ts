// Texts about fields, and about objects that must be re-created.
import type { KubeObject } from '../../../machines/object.ts';

/** Instruction to re-create `<Kind>/<name>`, since this part is immutable; with all that is lost with it. */
export function anew({ kind, metadata: { name }, spec, status }: KubeObject): string {
  const id = status?.['id'];
  const { onDelete } = (spec?.['managedOptions'] ?? {}) as { readonly onDelete?: string };
  const isKept = spec?.['managementPolicy'] === 'unmanaged' || onDelete === 'detach';
  const loss = typeof id === 'string' && id !== '' && !isKept ? `, which deletes ${id} with all that it holds,` : '';
  return `delete ${kind}/${name}${loss} and create it again`;
}

/** Paths of the resource's fields in the object. */
export function pathsOf(names: readonly string[]): string {
  return names.map((name) => `spec.resource.${name}`).join(', ');
}
