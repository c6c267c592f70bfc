// How people are told of fields, and of objects that are to be made anew.
import type { KubeObject } from '../../machines/object.ts';

/** `<Kind>/<name>` is to be made anew, since this of it cannot be changed. */
export function anew({ kind, metadata: { name } }: KubeObject): string {
  return `delete ${kind}/${name} and create it again`;
}

/** Of fields of the resource, where they are in the object. */
export function pathsOf(names: readonly string[]): string {
  return names.map((name) => `spec.resource.${name}`).join(', ');
}
