// Tables: what `kubectl get` prints, made on the server from the columns of the resource.

import type { JsonMap } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Resource } from '../resources/api.ts';

export interface TableOptions {
  readonly nowMs: number;
  /** Version of the tables' own kinds. */
  readonly apiVersion: string;
  readonly includeObject: 'Metadata' | 'Object' | 'None';
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Only the first table of a watch has column definitions. */
  readonly columns: boolean;
}

export function tableOf(
  { columns }: Resource,
  objects: readonly KubeObject[],
  { nowMs, apiVersion, includeObject, metadata, columns: withColumns }: TableOptions,
): JsonMap {
  const rows = objects.map((object) => ({
    cells: columns.map(({ cell }) => cell(object, nowMs) ?? null),
    object: includeObject === 'None' ? null : includeObject === 'Object' ? object : partial(object, apiVersion),
  }));
  const definitions = columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: withColumns ? definitions : null,
    rows,
  };
}

function partial({ metadata }: KubeObject, apiVersion: string): JsonMap {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}
