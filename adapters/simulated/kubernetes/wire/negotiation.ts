// Forms of an answer that a client accepts: the object itself, its metadata alone, or rows of a table.

import { badRequest, notAcceptable, plainFailure, unanswerable } from '../base/api-error.ts';
import type { Resource } from '../resources/api.ts';

export type Form =
  | { readonly kind: 'object' }
  | { readonly kind: 'metadata'; readonly apiVersion: string }
  | {
      readonly kind: 'table';
      readonly apiVersion: string;
      readonly includeObject: 'Metadata' | 'Object' | 'None';
    };

const SERVED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, the most wanted first. */
function clausesOf(accept: string): Clause[] {
  const clauses = accept.split(',').map((clause) => {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
    return { type, parameters, quality: Number(parameters.get('q') ?? 1) };
  });
  return clauses.sort((left, right) => right.quality - left.quality);
}

/**
 * @param listed  whether the answer is a list; metadata of lists has its own name
 * @throws {ApiError} 400, 406, 500 nothing that the client accepts is served
 */
export function acceptedForm(resource: Resource, accept: string, query: URLSearchParams, listed: boolean): Form {
  if (accept.trim() === '') return { kind: 'object' };
  for (const { type, parameters } of clausesOf(accept)) {
    if (!['application/json', 'application/yaml', '*/*', 'application/*'].includes(type)) continue;
    const as = parameters.get('as');
    if (as === undefined) return { kind: 'object' };
    const version = parameters.get('v') ?? '';
    if (parameters.get('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(version)) continue;
    const apiVersion = `meta.k8s.io/${version}`;
    if (as === 'Table') return { kind: 'table', apiVersion, includeObject: includedObject(query) };
    if (as === 'PartialObjectMetadata') {
      if (!listed) return { kind: 'metadata', apiVersion };
      throw unanswerable(
        `you requested PartialObjectMetadata, but the requested object is a list (${listType(resource)})`,
      );
    }
    if (as === 'PartialObjectMetadataList') {
      if (listed) return { kind: 'metadata', apiVersion };
      throw plainFailure('content is not a list');
    }
  }
  throw notAcceptable(SERVED);
}

const listType = ({ builtin, listKind }: Resource): string =>
  builtin ? `*core.${listKind}` : '*unstructured.UnstructuredList';

function includedObject(query: URLSearchParams): 'Metadata' | 'Object' | 'None' {
  const asked = query.get('includeObject') ?? '';
  if (asked === '' || asked === 'Metadata') return 'Metadata';
  if (asked === 'Object' || asked === 'None') return asked;
  const why = `must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: ${why}`,
  );
}
