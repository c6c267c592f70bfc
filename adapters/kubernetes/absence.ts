// Meaning of a 404. Proxies, load balancers and starting servers also return 404, and do not know the resource.
//
// Invariants:
//   KUBE-ABSENCE-1. An object is absent only by a `Status` of reason NotFound that names it, or the namespace that it would be in.
//   KUBE-ABSENCE-2. A kind is not served only by the lists of what is: whatever a request for its objects was answered with.
import type { JsonObject } from '../../bus/mod.ts';

/** Target of an API path. Without `plural`: the version of the group itself. */
export interface Place {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural?: string;
  /** '' where there is none. */
  readonly namespace: string;
  readonly name?: string;
}

/** @param path  without a query; undefined if discovery does not cover the path */
export function placeOf(path: string): Place | undefined {
  const [, root, ...rest] = path.split('/').map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? rest.shift() : '';
  const [version, ...parts] = rest;
  if (group === undefined || !version) return undefined;
  // `namespaces/a` is a namespace, `namespaces/a/secrets` is what is in it.
  const isWithin = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '');
  const [plural, name] = isWithin ? parts.slice(2) : parts;
  const namespace = (isWithin ? parts[1] : undefined) ?? '';
  return { group, version, namespace, ...(plural && { plural }), ...(name && { name }) };
}

/** Whether the answer says that the object is not there (KUBE-ABSENCE-1). @param path  as it was asked for, without a query */
export function isProof(body: JsonObject | undefined, path: string): boolean {
  const place = placeOf(path);
  if (place?.plural === undefined || body?.['kind'] !== 'Status' || body['reason'] !== 'NotFound') return false;
  const { name, group = '', kind } = (body['details'] ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'namespaces' && group === '' && name === place.namespace && name !== '') return true;
  return name === place.name && name !== undefined && group === place.group && kind === place.plural;
}

/** Whether the lists of what is served are without the kind (KUBE-ABSENCE-2). @param read  asks for one of the lists @throws as `read` */
export async function isUnserved(path: string, read: (path: string) => Promise<JsonObject>): Promise<boolean> {
  const place = placeOf(path);
  if (place === undefined) return false;
  const { group, version, plural } = place;
  if (group !== '') {
    const { kind, groups } = await read('/apis');
    if (kind !== 'APIGroupList' || !Array.isArray(groups)) return false;
    const known = (groups as readonly JsonObject[]).find(({ name }) => name === group);
    const versions = (known?.['versions'] ?? []) as readonly JsonObject[];
    if (!versions.some((each) => each['version'] === version)) return true;
  }
  if (plural === undefined) return false;
  const { kind, resources } = await read(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
  if (kind !== 'APIResourceList' || !Array.isArray(resources)) return false;
  return !(resources as readonly JsonObject[]).some(({ name }) => name === plural);
}
