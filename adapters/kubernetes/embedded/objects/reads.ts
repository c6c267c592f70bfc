// GET of an object and of a collection.
import type { Api, ResourceRequest } from '../api.ts';
import { isMap } from '../json.ts';
import { resourceSubject } from '../kinds/resources.ts';
import { type FieldError, forbidden, notSupported } from '../schemas/field-error.ts';
import type { Stored } from '../storage/stored.ts';
import { badRequest, expired, invalid, notFound, plainFailure, tooLargeRevision } from '../wire/api-error.ts';
import { answerJson, listJson } from '../wire/encoding.ts';
import { jsonProblem } from '../wire/json-text.ts';
import { acceptedForm } from '../wire/negotiation.ts';
import { both, candidate, fieldSelector, labelSelector, type Selector } from '../wire/selectors.ts';

/** @throws {ApiError} 404 */
export function readObject(api: Api, request: ResourceRequest): string {
  const { resource, namespace, name, accept, query } = request;
  const form = acceptedForm(resource, accept, query, false);
  const asked = query.get('resourceVersion') ?? '';
  const problem = asked === '' ? undefined : revisionProblem(asked);
  if (problem !== undefined) throw plainFailure(problem);
  if (Number(asked) > api.store.revision()) throw tooLargeRevision(Number(asked), api.store.revision());
  const stored = api.store.collection(resource.storeKey).get(namespace, name);
  if (stored === undefined) throw notFound(resourceSubject(resource), name);
  return answerJson(resource, stored, form, api.clock.now());
}

/** What a list, a watch or a deletion of a collection is about. */
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
  return wants === undefined ? found : found.filter((stored) => wants(candidate(resource, stored)));
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

/** @throws {ApiError} 400, 504 the revision is in the future */
export function listObjects(api: Api, request: ResourceRequest): string {
  const { resource, accept, query } = request;
  const form = acceptedForm(resource, accept, query, true);
  const { items, metadata } = listPage(api, request);
  return listJson(resource, items, metadata, form, api.clock.now());
}

/** A page of a list, and where the next one begins. @throws {ApiError} as `listObjects` */
export function listPage(
  api: Api,
  request: ResourceRequest,
): { readonly items: readonly Stored[]; readonly metadata: Readonly<Record<string, unknown>> } {
  const { resource, query } = request;
  const selection = selectionOf(request);
  checkMatch(query);
  numberParameter(query, 'timeoutSeconds');
  const token = query.get('continue') ?? '';
  const current = api.store.revision();
  const asked = revisionParameter(query);
  // Version 0 is whatever is at hand, and all of it.
  const limit = asked === 0 && token === '' ? 0 : (numberParameter(query, 'limit') ?? 0);
  if (token !== '' && asked !== undefined && asked !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (token === '' && asked !== undefined && asked > current) throw tooLargeRevision(asked, current);
  if (query.get('resourceVersionMatch') === 'Exact' && asked !== undefined && asked !== 0 && asked < current) {
    // Only the newest state is kept; an older one is exact when nothing changed since.
    const since = api.store.collection(resource.storeKey).changesSince(asked);
    if (since === undefined || since.length > 0) {
      throw expired('The resourceVersion for the provided list is too old.');
    }
  }
  const page = token === '' ? { revision: current, after: '' } : fromToken(token);
  const found = selected(api, request, selection, page.after);
  const items = limit > 0 ? found.slice(0, limit) : found;
  const metadata: Record<string, unknown> = { resourceVersion: String(page.revision) };
  const last = items.at(-1)?.metadata;
  if (items.length < found.length && last !== undefined) {
    metadata['continue'] = toToken(page.revision, `${last.namespace ?? ''}/${last.name}`);
    if (selection.wants === undefined) metadata['remainingItemCount'] = found.length - items.length;
  }
  return { items, metadata };
}

/** @throws {ApiError} 422 `resourceVersionMatch` is none, or matches nothing */
function checkMatch(query: URLSearchParams): void {
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

function revisionProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const refuse = (why: string): string =>
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
  if (!/^\d+$/.test(text)) return refuse('invalid syntax');
  return BigInt.asUintN(64, BigInt(text)) === BigInt(text) ? undefined : refuse('value out of range');
}

/** Later pages carry the revision of the first: who watches from it misses nothing. */
function toToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');
}

function fromToken(token: string): { readonly revision: number; readonly after: string } {
  const refuse = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isMap(parsed) && typeof parsed['rv'] === 'number' && typeof parsed['start'] === 'string') {
      return { revision: parsed['rv'], after: parsed['start'] };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refuse(jsonProblem(Buffer.from(token, 'base64url')));
  }
  throw refuse('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
}
