// Which objects of the API server an actor stands for, and how their paths are written.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../bus/bus.ts';
import type { KubeObject } from '../../machines/kind.ts';

/** A namespaced resource of the API server. */
export interface Resource {
  /** Short name of the API group, first part of an actor's address. */
  readonly realm: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Only metadata is ever asked for: the content is none of the actors' business. */
  readonly metadataOnly?: boolean;
}

export const SECRETS: Resource = {
  realm: 'core',
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  metadataOnly: true,
};

const METADATA = 'g=meta.k8s.io;v=v1';

/** The path of a collection, in all namespaces unless one is given, or of one object. */
export function resourcePath(resource: Resource, namespace?: string, name?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
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

/**
 * An object as the actors carry it. What may hold a secret or is of no use goes: managedFields, annotations (kubectl's
 * last-applied-configuration holds the data of a Secret), labels, and all content of metadata-only resources (I5).
 */
export function strip(body: JsonObject, resource: Resource): KubeObject {
  const metadata = body['metadata'] as unknown as KubeObject['metadata'];
  const spec = body['spec'] as JsonObject | undefined;
  const status = body['status'] as JsonObject | undefined;
  return {
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: Object.fromEntries(
      KEPT.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]])),
    ) as unknown as KubeObject['metadata'],
    ...(spec !== undefined && resource.metadataOnly !== true && { spec }),
    ...(status !== undefined && resource.metadataOnly !== true && { status }),
    ...(resource.metadataOnly === true && contentVersionOf(body['metadata'] as JsonObject)),
  };
}

/** By managedFields: who wrote which parts of the content, and when. Guards and labels are none of it. */
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
