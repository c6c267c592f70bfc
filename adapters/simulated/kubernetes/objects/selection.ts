// The objects that a list, a watch or a deletion of a collection selects, and the rest of its query.

import { badRequest, invalid } from '../base/api-error.ts';
import { type FieldError, forbidden, notSupported } from '../base/field-error.ts';
import { each } from '../conversion/pending.ts';
import type { Api, ResourceRequest } from '../resources/api.ts';
import type { Stored } from '../storage/stored.ts';
import { both, candidate, fieldSelector, labelSelector, type Selector } from '../wire/selectors.ts';

/** Selection of a list, a watch or a deletion of a collection. */
export interface Selection {
  readonly wants: Selector | undefined;
  /** When the selection is of one name only. */
  readonly name: string | undefined;
}

/** @throws {ApiError} 400 a selector is none */
export function selectionOf({ resource, query, name }: ResourceRequest): Selection {
  const labels = labelSelector(query.get('labelSelector') ?? '');
  const fields = fieldSelector(resource, query.get('fieldSelector') ?? '');
  const wants = both(labels, fields.selector);
  if (name === '') return { wants, name: fields.name };
  return { wants: both(wants, ({ metadata }) => metadata.name === name), name };
}

/** The objects of a selection, in the order of namespace and name. */
export function selected(api: Api, request: ResourceRequest, { wants, name }: Selection, after = ''): Stored[] {
  const { resource, namespace } = request;
  const collection = api.store.collection(resource.storeKey);
  if (name !== undefined && (namespace !== '' || !resource.namespaced)) {
    const stored = collection.get(namespace, name);
    const isWanted =
      stored !== undefined && `${namespace}/${name}` > after && (wants?.(candidate(resource, stored)) ?? true);
    return isWanted ? [stored] : [];
  }
  const scope = namespace === '' && resource.namespaced ? undefined : namespace;
  const found = collection.list(scope, after);
  if (wants === undefined) return found;
  const wanted = each(found, (stored) => wants(candidate(resource, stored)));
  return found.filter((_, index) => wanted[index]);
}

/** A whole number of the query, or undefined. @throws {ApiError} 400 */
export function numberParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  const refuse = (why: string): Error => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[-+]?\d+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) throw refuse('value out of range');
  return Number(text);
}

/** @throws {ApiError} 422 `resourceVersionMatch` is none, or matches nothing */
export function checkMatch(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const revision = query.get('resourceVersion') ?? '';
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (revision === '') errors.push(forbidden(field, `${field} is forbidden unless resourceVersion is provided`));
    if ((query.get('continue') ?? '') !== '') {
      errors.push(forbidden(field, `${field} is forbidden when continue is provided`));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && revision === '0') {
      errors.push(forbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (query.has('sendInitialEvents')) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'ListOptions' }, '', errors);
}

/** `resourceVersion` of the query, or undefined. @throws {ApiError} 400 */
export function revisionParameter(
  query: URLSearchParams,
  refuse = (problem: string): Error => badRequest(`invalid resource version: ${problem}`),
): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  const problem = revisionProblem(text);
  if (problem !== undefined) throw refuse(problem);
  return Number(text);
}

/** The error of a resourceVersion. */
export function revisionProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const refuse = (why: string): string =>
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
  if (!/^\d+$/.test(text)) return refuse('invalid syntax');
  return BigInt.asUintN(64, BigInt(text)) === BigInt(text) ? undefined : refuse('value out of range');
}
