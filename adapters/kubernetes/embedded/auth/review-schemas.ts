// Schemas of what is asked with a POST and answered at once: reviews and requests for tokens.
import type { JsonMap } from '../json.ts';

const text: JsonMap = { type: 'string' };
const texts: JsonMap = { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' };
const map = (properties: JsonMap): JsonMap => ({ type: 'object', properties });
const extra: JsonMap = { type: 'object', additionalProperties: { type: 'array', items: text } };

const selector = map({
  rawSelector: text,
  requirements: {
    type: 'array',
    items: map({ key: text, operator: text, values: texts }),
    'x-kubernetes-list-type': 'atomic',
  },
});

const access: JsonMap = {
  resourceAttributes: map({
    fieldSelector: selector,
    group: text,
    labelSelector: selector,
    name: text,
    namespace: text,
    resource: text,
    subresource: text,
    verb: text,
    version: text,
  }),
  nonResourceAttributes: map({ path: text, verb: text }),
};

const accessStatus = map({
  allowed: { type: 'boolean' },
  denied: { type: 'boolean' },
  evaluationError: text,
  reason: text,
});

const user = map({ extra, groups: texts, uid: text, username: text });

export const SELF_ACCESS_REVIEW = map({ spec: map(access), status: accessStatus });

export const ACCESS_REVIEW = map({
  spec: map({ ...access, extra, groups: texts, uid: text, user: text }),
  status: accessStatus,
});

export const RULES_REVIEW = map({
  spec: map({ namespace: text }),
  status: map({
    evaluationError: text,
    incomplete: { type: 'boolean' },
    nonResourceRules: { type: 'array', items: map({ nonResourceURLs: texts, verbs: texts }) },
    resourceRules: {
      type: 'array',
      items: map({ apiGroups: texts, resourceNames: texts, resources: texts, verbs: texts }),
    },
  }),
});

export const SELF_REVIEW = map({ status: map({ userInfo: user }) });

export const TOKEN_REVIEW = map({
  spec: map({ audiences: texts, token: text }),
  status: map({ audiences: texts, authenticated: { type: 'boolean' }, error: text, user }),
});

export const TOKEN_REQUEST = map({
  spec: {
    ...map({
      audiences: texts,
      boundObjectRef: map({ apiVersion: text, kind: text, name: text, uid: text }),
      expirationSeconds: { type: 'integer', format: 'int64', default: 3_600 },
    }),
    default: {},
  },
  status: map({ expirationTimestamp: { type: 'string', format: 'date-time' }, token: text }),
});
