// GET of an object and of a collection.

import { notFound, plainFailure, tooLargeRevision } from '../base/api-error.ts';
import type { Api, Resource, ResourceRequest } from '../resources/api.ts';
import { resourceSubject } from '../resources/registry.ts';
import { answerJson, listJson } from '../wire/encoding.ts';
import { acceptedForm } from '../wire/negotiation.ts';
import { pageOf } from './pages.ts';
import { revisionProblem, selectionOf } from './selection.ts';

/** @throws {ApiError} 404 */
export function readObject(api: Api, request: ResourceRequest): (resource: Resource) => string {
  const { resource, namespace, name, accept, query } = request;
  const form = acceptedForm(resource, accept, query, false);
  const asked = query.get('resourceVersion') ?? '';
  const problem = asked === '' ? undefined : revisionProblem(asked);
  if (problem !== undefined) throw plainFailure(problem);
  if (Number(asked) > api.store.revision()) throw tooLargeRevision(Number(asked), api.store.revision());
  const stored = api.store.collection(resource.storeKey).get(namespace, name);
  if (stored === undefined) throw notFound(resourceSubject(resource), name);
  return (shown) => answerJson(shown, stored, form, api.clock.now());
}

/** @throws {ApiError} 400, 410, 504 */
export function listObjects(api: Api, request: ResourceRequest): (resource: Resource) => readonly string[] {
  const form = acceptedForm(request.resource, request.accept, request.query, true);
  const { items, metadata } = pageOf(api, request, selectionOf(request));
  return (shown) => listJson(shown, items, metadata, form, api.clock.now());
}
