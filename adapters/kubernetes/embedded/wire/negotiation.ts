// What form of an answer a client accepts: the object itself, its metadata alone, or rows of a table.
import { notAcceptable } from './api-error.ts';

export type Form =
  | { readonly kind: 'object' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'table'; readonly includeObject: 'Metadata' | 'Object' | 'None' };

const SERVED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'];

/** @param listed  whether the answer is a list; metadata of lists has its own name */
export function acceptedForm(accept: string, query: URLSearchParams, listed: boolean): Form {
  if (accept.trim() === '') return { kind: 'object' };
  for (const clause of accept.split(',')) {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    if (!['application/json', 'application/yaml', '*/*', 'application/*'].includes(type)) continue;
    const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
    const as = parameters.get('as');
    if (as === undefined) return { kind: 'object' };
    if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') continue;
    if (as === 'Table') {
      const asked = query.get('includeObject');
      return { kind: 'table', includeObject: asked === 'Object' || asked === 'None' ? asked : 'Metadata' };
    }
    if (as === 'PartialObjectMetadata' && !listed) return { kind: 'metadata' };
    if (as === 'PartialObjectMetadataList' && listed) return { kind: 'metadata' };
  }
  throw notAcceptable(SERVED.slice(0, 3));
}
