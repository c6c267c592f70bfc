// Objects of the API server that actors represent, and their paths.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../bus/bus.ts';
import { REQUEST_ANNOTATIONS, RETRY_ANNOTATION } from '../../machines/annotations.ts';
import type { Resource, RetainedMetadata } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';

export type { Resource };

export const SECRETS: Resource = {
  realm: 'core',
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  metadataOnly: true,
};

/** Incarnation of an object that a write is for. */
export interface ObjectReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object for a write that is of its incarnation alone. */
export function referenceTo({
  metadata: { namespace = '', name, uid },
}: Pick<KubeObject, 'metadata'>): ObjectReference {
  return { namespace, name, uid };
}

const METADATA = 'g=meta.k8s.io;v=v1';

/** The path of a collection, in all namespaces unless one is given, or of one object; the namespace of a cluster-scoped one is empty. */
export function resourcePath(resource: Resource, namespace?: string, name?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const place = !namespace ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${resource.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** The Accept header that asks for no more than an actor needs. */
export function acceptOf(resource: Resource, of: 'one' | 'list'): string {
  if (resource.metadataOnly !== true) return 'application/json';
  return `application/json;as=PartialObjectMetadata${of === 'list' ? 'List' : ''};${METADATA}`;
}

const KEPT = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'finalizers',
  'ownerReferences',
] as const satisfies readonly (keyof KubeObject['metadata'])[];

const CARRIED = ['labels', 'annotations'] as const;

/**
 * An object as the actors carry it. What may hold a secret or is of no use goes: managedFields, annotations (kubectl's
 * last-applied-configuration holds the data of a Secret) and labels that the kind does not name, but for a user's wish to try again and the request of a write, and all content of
 * metadata-only resources (I5).
 */
export function strip(body: JsonObject, resource: Resource): KubeObject {
  const metadata = body['metadata'] as unknown as KubeObject['metadata'];
  const spec = body['spec'] as JsonObject | undefined;
  const status = body['status'] as JsonObject | undefined;
  const { retains = {}, metadataOnly } = resource;
  const data = metadataOnly === true ? undefined : only(body['data'], retains.data);
  const kept: Record<string, unknown> = {};
  for (const name of KEPT) if (metadata[name] !== undefined) kept[name] = metadata[name];
  for (const name of CARRIED) {
    const asked = name === 'annotations' && metadataOnly !== true ? [RETRY_ANNOTATION, ...REQUEST_ANNOTATIONS] : [];
    const carried = only(metadata[name], [...asked, ...(retains[name] ?? [])]);
    if (carried !== undefined) kept[name] = carried;
  }
  return {
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: kept as unknown as KubeObject['metadata'],
    ...(spec !== undefined && metadataOnly !== true && { spec }),
    ...(status !== undefined && metadataOnly !== true && { status }),
    ...(retains.recorded !== undefined && recordedIn(body, retains.recorded)),
    ...(data !== undefined && { data }),
    ...(metadataOnly === true && contentVersionOf(body['metadata'] as JsonObject)),
  };
}

/** Fields that other field managers have changed since belong to them. */
function recordedIn(
  { metadata, status }: JsonObject,
  { manager, members }: NonNullable<RetainedMetadata['recorded']>,
): Pick<KubeObject, 'recorded'> {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly JsonObject[] };
  const own = managedFields.find((entry) => entry['manager'] === manager && entry['subresource'] === 'status');
  const { 'f:status': fields = {} } = (own?.['fieldsV1'] ?? {}) as { readonly 'f:status'?: JsonObject };
  const written = Object.entries((status ?? {}) as JsonObject).filter(
    // mutant: record-forged &&.2 -> true
    ([name]) => members.includes(name) && fields[`f:${name}`] !== undefined,
  );
  return written.length === 0 ? {} : { recorded: Object.fromEntries(written) };
}

/** Those of `names` that are there; undefined for none. */
function only(values: unknown, names: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  if (names.length === 0) return undefined;
  const given = (values ?? {}) as Readonly<Record<string, string>>;
  const found = Object.entries(given).filter(([key]) => names.some((name) => isNamed(key, name)));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function isNamed(key: string, name: string): boolean {
  return name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name;
}

/** From managedFields: the writers of the parts of the content, with times. Guards and labels do not count. */
function contentVersionOf({ managedFields = [] }: JsonObject): Pick<KubeObject, 'contentVersion'> {
  const written = (managedFields as readonly JsonObject[]).flatMap(({ manager, operation, time, fieldsV1 }) => {
    const { 'f:metadata': _, ...content } = (fieldsV1 ?? {}) as JsonObject;
    return Object.keys(content).length === 0 ? [] : [[manager, operation, time, content]];
  });
  if (written.length === 0) return {};
  return { contentVersion: createHash('sha256').update(JSON.stringify(written)).digest('base64url').slice(0, 22) };
}

/** Compares resourceVersions, which kube-apiserver promises to be ordered decimal numbers: below 0 when `a` is older. */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
