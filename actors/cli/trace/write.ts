// The users' writes, and the writes of an object's status, from its managedFields. Of contents only names are read.
import { type KubeClient, type Resource, resourcePath } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, type JsonObject } from '../../../bus/mod.ts';

export interface Write {
  /** Field manager: `kubectl`. */
  readonly manager: string;
  /** `created`, `changed` or `deleted`. */
  readonly what: 'created' | 'changed' | 'deleted';
  /** In whole seconds, as the API server has it: milliseconds since the epoch. */
  readonly at: number;
}

/** An object as the API server has it now. */
export interface Written {
  readonly uid: string;
  /** Undefined: its kind has none. */
  readonly generation: number | undefined;
  /** The write that made this generation, as far as that is recorded. */
  readonly write: Write | undefined;
  /** The last write of the status that a person did not make. */
  readonly status: Pick<Write, 'manager' | 'at'> | undefined;
}

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: JsonObject;
}

/** Metadata is all that is asked for, so that no content of a Secret leaves the API server. */
const ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Undefined: there is none. @throws as `KubeClient.call` */
export async function writtenOf(
  client: Pick<KubeClient, 'call'>,
  resource: Resource,
  { namespace, name }: Pick<Address, 'namespace' | 'name'>,
): Promise<Written | undefined> {
  try {
    const { body } = await client.call({
      method: 'GET',
      path: resourcePath(resource, namespace, name),
      accept: ACCEPT,
    });
    return writtenIn(body['metadata'] as JsonObject);
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

export function writtenIn(metadata: JsonObject): Written {
  const { uid, generation, deletionTimestamp, creationTimestamp } = metadata;
  const fields = (metadata['managedFields'] ?? []) as readonly ManagedFields[];
  const last = (all: readonly ManagedFields[]): { manager: string; at: number } | undefined => {
    const [newest] = all
      .flatMap(({ manager = '', time }) => (time === undefined ? [] : { manager, at: Date.parse(time) }))
      .toSorted((left, right) => right.at - left.at);
    return newest;
  };
  const content = last(fields.filter(({ subresource, fieldsV1 = {} }) => !subresource && hasContent(fieldsV1)));
  return {
    uid: String(uid),
    generation: typeof generation === 'number' ? generation : undefined,
    write:
      typeof deletionTimestamp === 'string'
        ? { manager: '', what: 'deleted', at: Date.parse(deletionTimestamp) }
        : content && {
            ...content,
            what:
              content.at > Date.parse(String(creationTimestamp)) || Number(generation ?? 1) > 1 ? 'changed' : 'created',
          },
    status: last(fields.filter(({ subresource }) => subresource === 'status')),
  };
}

function hasContent(fields: JsonObject): boolean {
  return Object.keys(fields).some((name) => name !== 'f:metadata' && name !== 'f:status');
}
