// Pages of lists: each page of one list shows the state of its first page's revision, made from the present and the
// changes since, as long as these are remembered.
//
// Invariants:
//   KSIM-PAGES-1. The pages of a list together are the objects of one revision, each exactly once, unless a client takes up a
//       token that says so otherwise (its revision is -1).
import { posix } from 'node:path';
import { isList, isMap, typeName } from '../../../text/json.ts';
import { badRequest, expired, tooLargeRevision } from '../base/api-error.ts';
import { jsonProblem } from '../base/json-text.ts';
import { each } from '../conversion/pending.ts';
import type { Api, ResourceRequest } from '../resources/api.ts';
import type { Collection } from '../storage/store.ts';
import type { Facts, Stored } from '../storage/stored.ts';
import { candidate } from '../wire/selectors.ts';
import { checkMatch, numberParameter, revisionParameter, type Selection, selected } from './selection.ts';

export interface Page {
  readonly items: readonly Stored[];
  /** Metadata of the list: revision, and how it continues. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The position where a page begins, and its revision. */
interface Position {
  /** `<namespace>/<name>`; only greater keys are on the page. */
  readonly after: string;
  /** Undefined for the present. */
  readonly revision: number | undefined;
}

const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** Stands in a token for "the present, whatever it is by then". */
const PRESENT = -1;

/** The page that a request asks for. @throws {ApiError} 400, 410 its revision is not remembered, 504 it is to come */
export function pageOf(api: Api, request: ResourceRequest, selection: Selection): Page {
  const { query, namespace } = request;
  checkMatch(query);
  numberParameter(query, 'timeoutSeconds');
  const current = api.store.revision();
  // Version 0 is any available revision, and all of it.
  const limit = revisionParameter(query) === 0 ? 0 : (numberParameter(query, 'limit') ?? 0);
  const { after, revision } = positionOf(request, limit, current);
  const found =
    revision === undefined ? selected(api, request, selection, after) : past(api, request, selection, after, revision);
  const items = limit > 0 ? found.slice(0, limit) : found;
  const metadata: Record<string, unknown> = { resourceVersion: String(revision ?? current) };
  const last = items.at(-1)?.metadata;
  if (items.length < found.length && last !== undefined) {
    metadata['continue'] = toToken(revision ?? current, startAfter(last, namespace));
    if (selection.wants === undefined) metadata['remainingItemCount'] = found.length - items.length;
  }
  return { items, metadata };
}

function positionOf(request: ResourceRequest, limit: number, current: number): Position {
  const { query, namespace, resource } = request;
  const token = query.get('continue') ?? '';
  const asked = revisionParameter(query);
  if (token !== '') {
    if (asked !== undefined && asked !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const { revision, start } = fromToken(token);
    if (revision > current) throw tooLargeRevision(revision, current);
    const after = start.replace(/^\//, '').replace(/\0$/, '');
    const isWithin = namespace !== '' || !resource.namespaced;
    return { after: isWithin ? `${namespace}/${after}` : after, revision: revision < 0 ? undefined : revision };
  }
  if (asked !== undefined && asked > current) throw tooLargeRevision(asked, current);
  const match = query.get('resourceVersionMatch') ?? '';
  const isExact = match === 'Exact' || (match === '' && limit > 0);
  return { after: '', revision: isExact && asked !== undefined && asked !== 0 ? asked : undefined };
}

/** The objects of a selection as they were at a revision (KSIM-PAGES-1). */
function past(
  api: Api,
  request: ResourceRequest,
  { wants, name }: Selection,
  after: string,
  revision: number,
): Stored[] {
  const { resource, namespace, query } = request;
  const scope = namespace === '' && resource.namespaced ? undefined : namespace;
  const then = listedAt(api.store.collection(resource.storeKey), scope, after, revision);
  if (then === undefined) {
    const token = query.get('continue') ?? '';
    if (token === '') throw expired('The resourceVersion for the provided list is too old.');
    throw expired(TOO_OLD_TOKEN, { continue: toToken(PRESENT, fromToken(token).start) });
  }
  const named = name === undefined ? then : then.filter(({ metadata }) => metadata.name === name);
  if (wants === undefined) return named;
  const wanted = each(named, (stored) => wants(candidate(resource, stored)));
  return named.filter((_, index) => wanted[index]);
}

const pathOf = ({ namespace = '', name = '' }: Facts): string => `${namespace}/${name}`;

/** Content of a scope at a revision, in order; undefined when too many changes came since. */
function listedAt(
  collection: Collection,
  scope: string | undefined,
  after: string,
  revision: number,
): Stored[] | undefined {
  const changes = collection.changesSince(revision);
  if (changes === undefined) return undefined;
  const now = collection.list(scope, after);
  if (changes.length === 0) return now;
  const before = new Map<string, Stored | undefined>();
  for (const { stored, previous } of changes) {
    const { metadata } = stored;
    const path = pathOf(metadata);
    const isWithin = (scope === undefined || scope === (metadata.namespace ?? '')) && path > after;
    if (isWithin && !before.has(path)) before.set(path, previous);
  }
  const then = new Map(now.map((stored) => [pathOf(stored.metadata), stored]));
  for (const [path, stored] of before) {
    if (stored === undefined) then.delete(path);
    else then.set(path, stored);
  }
  return [...then].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, stored]) => stored);
}

/** The key behind the last of a page, as the API server writes it: within the namespace of the list. */
function startAfter(last: Facts, namespace: string): string {
  return namespace === '' && last.namespace !== undefined ? `/${pathOf(last)}\0` : `/${last.name ?? ''}\0`;
}

function toToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

/** @throws {ApiError} 400 it is no token of a list */
function fromToken(token: string): { readonly revision: number; readonly start: string } {
  const refuse = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const odd = /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : -1);
  if (odd >= 0) throw refuse(`illegal base64 data at input byte ${odd}`);
  const bytes = Buffer.from(token, 'base64url');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refuse(jsonProblem(bytes));
  }
  const wrong = (value: unknown, where: string, type: string): Error => {
    const got = isList(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeName(value).replace('integer', 'number');
    return refuse(`json: cannot unmarshal ${got} into Go ${where} of type ${type}`);
  };
  if (!isMap(parsed)) throw wrong(parsed, 'value', 'storage.continueToken');
  const { v = '', rv = 0, start = '' } = parsed;
  if (typeof v !== 'string') throw wrong(v, 'struct field continueToken.v', 'string');
  if (typeof rv !== 'number') throw wrong(rv, 'struct field continueToken.rv', 'int64');
  if (typeof start !== 'string') throw wrong(start, 'struct field continueToken.start', 'string');
  if (v !== 'meta.k8s.io/v1') throw refuse(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refuse(`incorrect encoded start resourceVersion (version ${v})`);
  if (start === '') throw refuse(`encoded start key empty (version ${v})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key) throw refuse(start);
  return { revision: rv, start };
}
