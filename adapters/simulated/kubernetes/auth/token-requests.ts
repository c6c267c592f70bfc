// TokenRequest: a token for a service account, asked for below the account.

import { isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { badRequest, conflict, invalid, notFound } from '../base/api-error.ts';
import { type FieldError, invalidValue } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { builtin } from '../kinds/builtins.ts';
import type { Action } from '../resources/api.ts';
import { type Api, type ResourceRequest, timeText } from '../resources/api.ts';
import { resourceSubject } from '../resources/registry.ts';
import { type AccountTokens, type BoundObject, ISSUER } from './account-tokens.ts';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

const REQUEST = builtin({
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenrequests',
  kind: 'TokenRequest',
  namespaced: true,
});

/** The subresource `token` of service accounts. */
export function tokenAction(tokens: AccountTokens): Action {
  return {
    body: REQUEST,
    owned: true,
    run: (api, request, object) => grantToken(api, tokens, request, object),
  };
}

/** @throws {ApiError} 404 no such account, or nothing to bind to; 409, 422 */
function grantToken(
  api: Api,
  tokens: AccountTokens,
  { resource, namespace, name }: ResourceRequest,
  object: KubeObject,
): JsonMap {
  const account = api.store.collection(resource.storeKey).get(namespace, name)?.object;
  if (account === undefined) throw notFound(resourceSubject(resource), name);
  const spec = mapOf(object['spec']);
  const seconds = Number(spec['expirationSeconds']);
  const subject = { group: REQUEST.group, name: REQUEST.kind };
  const given = object.metadata.name ?? '';
  if (given !== '' && given !== name) {
    throw invalid(subject, name, [
      invalidValue('metadata.name', given, 'must match the service account name if specified'),
    ]);
  }
  const errors = durationErrors(seconds);
  if (errors.length > 0) throw invalid(subject, '', errors);
  const bound = isMap(spec['boundObjectRef']) ? boundObject(api, namespace, spec['boundObjectRef']) : undefined;
  const asked = listOf(spec['audiences']).map(stringOf);
  const audiences = asked.length === 0 ? [ISSUER] : asked;
  const now = api.clock.now();
  const expiresAt = now + seconds * 1_000;
  return {
    metadata: {
      ...object.metadata,
      name,
      namespace,
      uid: account.metadata.uid,
      creationTimestamp: timeText(now),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec['boundObjectRef'] ?? null },
    status: {
      token: tokens.issue(account, { audiences, expiresAt, bound }),
      expirationTimestamp: timeText(expiresAt),
    },
  };
}

function durationErrors(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS) return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds <= MAX_SECONDS) return [];
  return [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
}

/** Pods and nodes may be named too, but there are none here. */
const ABSENT: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes' };

/** @throws {ApiError} 400, 404, 409 */
function boundObject(api: Api, namespace: string, reference: JsonMap): BoundObject {
  const text = (field: string): string => stringOf(reference[field]);
  const [apiVersion, kind, name, uid] = [text('apiVersion'), text('kind'), text('name'), text('uid')];
  const absent = ABSENT[kind];
  if (apiVersion !== 'v1' || (kind !== 'Secret' && absent === undefined)) {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${kind}`);
  }
  if (name === '') throw badRequest('Name parameter required.');
  if (absent !== undefined) throw notFound({ group: '', name: absent }, name);
  const secret = api.store.collection(storeKeyOf('', 'secrets')).get(namespace, name)?.metadata;
  if (secret === undefined) throw notFound({ group: '', name: 'secrets' }, name);
  if (uid !== '' && uid !== secret.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', name: 'Secret' }, name, why);
  }
  return { kind: 'Secret', name, uid: secret.uid ?? '' };
}
