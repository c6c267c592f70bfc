// Reviews: questions about users, asked as objects that are answered and never stored (who am I, may I, may this user, what may
// this user do, whose token is this).

import { isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import type { Attributes } from '../access/attributes.ts';
import { joined, missingRole } from '../access/rbac.ts';
import { type PolicyRule, rulesOf } from '../access/rules.ts';
import { type User, userInfo } from '../access/user.ts';
import { badRequest, invalid } from '../base/api-error.ts';
import { type FieldError, invalidValue } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { builtin } from '../kinds/builtins.ts';
import type { Resource } from '../resources/api.ts';
import { type Api, type ResourceRequest, timeText } from '../resources/api.ts';
import { type Authentication, SERVER_AUDIENCES } from './authentication.ts';

const AUTHORIZATION = { group: 'authorization.k8s.io', version: 'v1' } as const;
const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' } as const;

/** The resources of the review APIs. */
export function reviewResources(authentication: Authentication): Resource[] {
  const review = (
    given: Pick<Parameters<typeof builtin>[0], 'group' | 'version' | 'kind'> & {
      readonly namespaced?: true;
      readonly owned?: false;
    },
    run: (api: Api, request: ResourceRequest, object: KubeObject) => JsonMap,
  ): Resource => {
    const { namespaced = false, owned = true, kind, ...rest } = given;
    const resource = builtin({
      ...rest,
      kind,
      namespaced,
      plural: `${kind.toLowerCase()}s`,
      verbs: ['create'],
    });
    return { ...resource, actions: { '': { body: resource, owned, run } } };
  };
  return [
    review({ ...AUTHENTICATION, kind: 'SelfSubjectReview', owned: false }, (api, { user }) => ({
      metadata: { creationTimestamp: timeText(api.clock.now()) },
      status: { userInfo: userInfo(user) },
    })),
    review({ ...AUTHENTICATION, kind: 'TokenReview' }, (_, __, object) => tokenReview(authentication, object)),
    review({ ...AUTHORIZATION, kind: 'LocalSubjectAccessReview', namespaced: true }, (api, request, object) => {
      checkReview(object, [...subjectErrors(object), ...localErrors(object, request.namespace)]);
      return accessReview(api, subjectOf(object), object);
    }),
    review({ ...AUTHORIZATION, kind: 'SelfSubjectAccessReview' }, (api, { user }, object) => {
      checkReview(object, attributeErrors(object));
      return accessReview(api, user, object);
    }),
    review({ ...AUTHORIZATION, kind: 'SelfSubjectRulesReview', owned: false }, (api, { user }, object) =>
      rulesReview(api, user, stringOf(mapOf(object['spec'])['namespace'])),
    ),
    review({ ...AUTHORIZATION, kind: 'SubjectAccessReview' }, (api, _, object) => {
      checkReview(object, subjectErrors(object));
      return accessReview(api, subjectOf(object), object);
    }),
  ];
}

/** @throws {ApiError} 422; messages about reviews name the group only */
function checkReview({ metadata }: KubeObject, errors: FieldError[]): void {
  const { managedFields: _, namespace: __, ...rest } = metadata;
  const { namespace: ___, ...shown } = metadata;
  if (Object.keys(rest).length > 0) errors.push(invalidValue('metadata', shown, 'must be empty'));
  if (errors.length > 0) throw invalid({ group: AUTHORIZATION.group, name: '' }, '', errors);
}

/** Rules of all reviews of access. */
function attributeErrors({ spec }: KubeObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = mapOf(spec);
  if (isMap(resourceAttributes) && isMap(nonResourceAttributes)) {
    const shown = internalPath(nonResourceAttributes);
    return [
      invalidValue('spec.nonResourceAttributes', shown, 'cannot be specified in combination with resourceAttributes'),
    ];
  }
  if (isMap(resourceAttributes) || isMap(nonResourceAttributes)) return [];
  const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, rule)];
}

function subjectErrors(object: KubeObject): FieldError[] {
  const { user, groups } = mapOf(object['spec']);
  const errors = attributeErrors(object);
  if (stringOf(user) !== '' || listOf(groups).length > 0) return errors;
  return [...errors, invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

function localErrors({ spec }: KubeObject, namespace: string): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = mapOf(spec);
  const errors: FieldError[] = [];
  const asked = stringOf(mapOf(resourceAttributes)['namespace']);
  if (isMap(resourceAttributes) && asked !== namespace) {
    errors.push(invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (isMap(nonResourceAttributes)) {
    const shown = internalPath(nonResourceAttributes);
    errors.push(invalidValue('spec.nonResourceAttributes', shown, 'disallowed on this kind of request'));
  }
  return errors;
}

/** The server's own form of the attributes, which is what its messages show. */
const internalPath = ({ path, verb }: JsonMap): JsonMap => ({ Path: stringOf(path), Verb: stringOf(verb) });

function subjectOf({ spec }: KubeObject): User {
  const { user, uid, groups, extra } = mapOf(spec);
  return {
    name: stringOf(user),
    uid: stringOf(uid),
    groups: listOf(groups).map(stringOf),
    extra: Object.fromEntries(Object.entries(mapOf(extra)).map(([key, values]) => [key, listOf(values).map(stringOf)])),
  };
}

function attributesIn({ spec }: KubeObject): Attributes {
  const { resourceAttributes, nonResourceAttributes } = mapOf(spec);
  if (isMap(nonResourceAttributes)) {
    const { path, verb } = nonResourceAttributes;
    return { kind: 'path', path: stringOf(path), verb: stringOf(verb) };
  }
  const asked = mapOf(resourceAttributes);
  const text = (field: string): string => stringOf(asked[field]);
  return {
    kind: 'resource',
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}

function accessReview(api: Api, user: User, object: KubeObject): JsonMap {
  const { allowed, reason } = api.access.decide(user, attributesIn(object));
  return { status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

/** @throws {ApiError} 400 no namespace was named */
function rulesReview(api: Api, user: User, namespace: string): JsonMap {
  if (namespace === '') throw badRequest('no namespace on request');
  const rules: PolicyRule[] = [];
  const missing: string[] = [];
  for (const { role, roleRef } of api.access.grants(user, namespace)) {
    if (role === undefined) missing.push(missingRole(roleRef));
    else rules.push(...rulesOf(role));
  }
  const shown = (rule: PolicyRule, fields: readonly (keyof PolicyRule)[]): JsonMap =>
    Object.fromEntries(fields.filter((field) => rule[field].length > 0).map((field) => [field, rule[field]]));
  const status = {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map((rule) => shown(rule, ['verbs', 'apiGroups', 'resources', 'resourceNames'])),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map((rule) => shown(rule, ['verbs', 'nonResourceURLs'])),
    incomplete: false,
    ...(missing.length === 0 ? {} : { evaluationError: joined(missing) }),
  };
  return { metadata: {}, spec: {}, status };
}

/** @throws {ApiError} 400 there is no token in it */
function tokenReview(authentication: Authentication, { spec }: KubeObject): JsonMap {
  const { token, audiences } = mapOf(spec);
  if (stringOf(token) === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = listOf(audiences).map(stringOf);
  const verified = authentication.review(stringOf(token), asked.length === 0 ? SERVER_AUDIENCES : asked);
  if (verified.kind === 'good') {
    return {
      status: { authenticated: true, user: userInfo(verified.user), audiences: verified.audiences },
    };
  }
  const general = 'invalid bearer token';
  return { status: { user: {}, error: verified.why === '' ? general : `[${general}, ${verified.why}]` } };
}
