// From the method and the path of a request to what it is about, and from there to its answer.

import {
  ApiError,
  badRequest,
  methodNotAllowed,
  notFound,
  notSupportedOn,
  pageNotFound,
  unknownPath,
} from '../base/api-error.ts';
import { performAction } from '../objects/actions.ts';
import { deleteObject, deletionOf } from '../objects/lifecycle.ts';
import { pageOf } from '../objects/pages.ts';
import { demandPatchType, patchObject } from '../objects/patching.ts';
import { listObjects, readObject } from '../objects/reads.ts';
import { selectionOf } from '../objects/selection.ts';
import { isTrue } from '../objects/watch.ts';
import { createObject, replaceObject, type Written } from '../objects/writes.ts';
import type { Action, Api, Resource, ResourceRequest } from '../resources/api.ts';
import { inVersion, resourceSubject } from '../resources/registry.ts';
import { demandRoutable, LISTED, SERVED } from '../wire/answers.ts';
import { optionsFrom } from '../wire/decoding.ts';
import { answerJson, listJson } from '../wire/encoding.ts';
import type { Body } from '../wire/http.ts';
import { acceptedForm } from '../wire/negotiation.ts';

/** Target of a path. */
export interface Route {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** One of the old paths that are watches by themselves. */
  readonly watches: boolean;
}

/** Reads `/api/v1/...` and `/apis/<group>/<version>/...`; undefined for paths that name no resource. */
export function parseRoute(path: string): Route | undefined {
  // Judged as one resource and routed to another is what an empty segment must not be.
  if (path.includes('//')) return undefined;
  const parts = decoded(path).split('/').slice(1);
  const root = parts.shift();
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (parts.shift() ?? '');
  const version = parts.shift() ?? '';
  if (parts.length === 0) return undefined;
  const watches = parts[0] === 'watch';
  if (parts.length === 1 && (watches || parts[0] === 'proxy')) return undefined;
  if (watches) parts.shift();
  // `namespaces/<name>` and its subresources are about the namespace, anything longer about what is in it.
  const inNamespace =
    parts[0] === 'namespaces' && parts.length > 2 && !(group === '' && ['status', 'finalize'].includes(parts[2] ?? ''));
  const namespace = inNamespace ? (parts[1] ?? '') : '';
  const [plural = '', name = '', ...rest] = inNamespace ? parts.slice(2) : parts;
  return { group, version, namespace, plural, name, subresource: rest.join('/'), watches };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** Answer to a request. All work is done when it exists: its text may be made again. */
export interface Answer {
  readonly code: number;
  body(resource: Resource): Body;
}

/** @returns true when the request asks for a watch */
export function isWatch(method: string, query: URLSearchParams): boolean {
  return method === 'GET' && isTrue(query.get('watch'));
}

/**
 * Answers a request for a resource.
 *
 * @throws {ApiError}
 */
export function answer(api: Api, method: string, request: ResourceRequest): Answer {
  const { resource, name, namespace, subresource } = request;
  const action = resource.actions?.[subresource];
  if (action !== undefined) return actionAnswer(api, method, request, action);
  if (subresource !== '' && !resource.subresources.includes(subresource)) {
    throw resource.builtin ? unknownPath() : notFound(resourceSubject(resource), name);
  }
  if (resource.builtin) demandRoutable(request.accept, name === '' && method === 'GET' ? LISTED : SERVED);
  const nowhere = resource.namespaced ? namespace === '' && (name !== '' || method !== 'GET') : namespace !== '';
  if (nowhere && !resource.builtin) throw pageNotFound();
  if (nowhere) throw resource.namespaced && name === '' ? methodNotAllowed() : unknownPath();
  return name === '' ? collectionAnswer(api, method, request) : objectAnswer(api, method, request);
}

function collectionAnswer(api: Api, method: string, request: ResourceRequest): Answer {
  const { resource } = request;
  if (method === 'GET' || (method === 'HEAD' && !resource.builtin))
    return { code: 200, body: listObjects(api, request) };
  if (method === 'POST') return writtenAnswer(api, request, createObject(api, request));
  if (method === 'DELETE' && resource.verbs.includes('deletecollection')) {
    return { code: 200, body: deleteSelection(api, request) };
  }
  if (resource.builtin) throw methodNotAllowed();
  if (method === 'PATCH') demandPatchType(resource, request.contentType);
  throw method === 'PUT' || method === 'PATCH'
    ? badRequest('name must be provided')
    : notSupportedOn(resourceSubject(resource), '');
}

function objectAnswer(api: Api, method: string, request: ResourceRequest): Answer {
  const { resource, subresource } = request;
  if (subresource === 'finalize' && method !== 'PUT') throw methodNotAllowed();
  switch (method) {
    case 'GET':
      return { code: 200, body: readObject(api, request) };
    case 'PUT':
      return writtenAnswer(api, request, replaceObject(api, request));
    case 'PATCH':
      return writtenAnswer(api, request, patchObject(api, request));
    case 'DELETE':
      if (subresource !== '') throw notOnSubresource(resource, 'delete');
      return deleteOne(api, request);
    case 'HEAD':
      if (resource.builtin) throw methodNotAllowed();
      return { code: 200, body: readObject(api, request) };
    case 'POST':
      if (subresource !== '') throw notOnSubresource(resource, 'create');
      if (resource.builtin) throw methodNotAllowed();
      return writtenAnswer(api, request, createObject(api, request));
    default:
      throw notOnSubresource(resource, '');
  }
}

function actionAnswer(api: Api, method: string, request: ResourceRequest, action: Action): Answer {
  const { resource, namespace, name, subresource } = request;
  if (subresource === '' && name !== '') throw unknownPath();
  if (resource.namespaced !== (namespace !== '')) throw unknownPath();
  if (method !== 'POST') throw methodNotAllowed();
  const text = JSON.stringify(performAction(api, request, action));
  return { code: 201, body: () => text };
}

function notOnSubresource(resource: Resource, action: string): ApiError {
  return resource.builtin ? methodNotAllowed() : notSupportedOn(resourceSubject(resource), action);
}

function writtenAnswer(api: Api, request: ResourceRequest, { stored, created }: Written): Answer {
  const form = acceptedForm(request.resource, request.accept, request.query, false);
  return { code: created ? 201 : 200, body: (resource) => answerJson(resource, stored, form, api.clock.now()) };
}

function deleteOne(api: Api, request: ResourceRequest): Answer {
  const { resource, namespace, name, body, contentType, query, accept } = request;
  const deletion = deletionOf(optionsFrom(body, contentType), query);
  const collection = api.store.collection(resource.storeKey);
  const live = collection.get(namespace, name);
  // An object that cannot be read in the version of the request cannot be deleted in it.
  if (live !== undefined && resource.versions !== undefined) inVersion(resource, live.object);
  const deleted = deleteObject(api, resource, collection, namespace, name, deletion);
  if (deleted.kind === 'marked' || resource.strategy.answersDeletionWithObject) {
    const form = acceptedForm(resource, accept, query, false);
    return { code: 200, body: (shown) => answerJson(shown, deleted.stored, form, api.clock.now()) };
  }
  const subject = resourceSubject(resource);
  const details = {
    name,
    ...(subject.group === '' ? {} : { group: subject.group }),
    kind: subject.name,
    uid: deleted.stored.metadata.uid,
  };
  const status = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  return { code: 200, body: () => status };
}

/** Deletes what a list of the same parameters shows, and shows it as it was. */
function deleteSelection(api: Api, request: ResourceRequest): Answer['body'] {
  const { resource, body, contentType, query, accept } = request;
  const deletion = deletionOf(optionsFrom(body, contentType), query);
  const form = acceptedForm(resource, accept, query, true);
  const collection = api.store.collection(resource.storeKey);
  const { items, metadata } = pageOf(api, request, selectionOf(request));
  for (const stored of items) {
    const { namespace = '', name = '' } = stored.metadata;
    try {
      deleteObject(api, resource, collection, namespace, name, deletion);
    } catch (error) {
      // Another client was faster: the object is already deleted.
      if (!(error instanceof ApiError && error.status.code === 404)) throw error;
    }
  }
  return (shown) => listJson(shown, items, metadata, form, api.clock.now());
}

/**
 * The resource of a route.
 *
 * @throws {ApiError} 404 nothing of the kind is served @throws {PlainAnswer} 404 nor anything built in of the group
 */
export function resourceOf(api: Api, { group, version, plural }: Route): ResourceRequest['resource'] {
  const resource = api.registry.find(group, version, plural);
  if (resource !== undefined) return resource;
  throw isBuiltIn(api, group) ? unknownPath() : pageNotFound();
}

const isBuiltIn = ({ registry }: Api, group: string): boolean =>
  registry.all().some((one) => one.group === group && one.builtin);
