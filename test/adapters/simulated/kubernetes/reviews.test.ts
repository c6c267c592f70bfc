// Questions that are answered and not stored: may I, may somebody, what may I, whose token is this, give me a token.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Deep, type Harness, serverChecks, TABLE } from '../../../world/api-calls.ts';

const test = suite('embedded api server: reviews');
const onServer = serverChecks(test);

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token';

const JANE = { 'impersonate-user': 'jane' };

async function asked({ call }: Harness, path: string, spec: unknown, headers = {}): Promise<Deep> {
  const { body } = await call('POST', path, { body: { spec }, headers });
  return body;
}

onServer('who may what is answered for oneself, for others, and within a namespace', async (harness) => {
  const pods = { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } };
  const api = { nonResourceAttributes: { verb: 'get', path: '/api' } };
  const self = `${AUTHORIZATION}/selfsubjectaccessreviews`;
  assert.equal((await asked(harness, self, pods))['status'], { allowed: true });
  assert.equal((await asked(harness, self, pods, JANE))['status'], { allowed: false });
  assert.is((await asked(harness, self, api, JANE))['status']?.['allowed'], true);
  const others = `${AUTHORIZATION}/subjectaccessreviews`;
  assert.equal((await asked(harness, others, { user: 'jane', ...pods }))['status'], { allowed: false });
  assert.equal((await asked(harness, others, { groups: ['system:masters'], ...pods }))['status'], { allowed: true });
  assert.is((await asked(harness, others, { user: 'jane', ...pods }, JANE))['code'], 403);
  const local = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
  assert.equal((await asked(harness, local, { user: 'jane', ...pods }))['status'], { allowed: false });
});

onServer('a question that is none is refused', async (harness) => {
  const api = { nonResourceAttributes: { verb: 'get', path: '/api' } };
  const pods = { resourceAttributes: { verb: 'list', resource: 'pods' } };
  const local = 'namespaces/default/localsubjectaccessreviews';
  const expected: [string, unknown, string][] = [
    ['selfsubjectaccessreviews', {}, 'spec.resourceAttributes'],
    ['selfsubjectaccessreviews', { ...api, ...pods }, 'spec.nonResourceAttributes'],
    ['subjectaccessreviews', pods, 'spec.user'],
    [local, { user: 'jane', ...pods }, 'spec.resourceAttributes.namespace'],
    [local, { user: 'jane', ...api }, 'spec.nonResourceAttributes'],
  ];
  for (const [path, spec, field] of expected) {
    const body = await asked(harness, `${AUTHORIZATION}/${path}`, spec);
    assert.is(body['code'], 422, path);
    assert.is(body['details']?.['causes']?.[0]?.['field'], field, path);
  }
  assert.is((await asked(harness, `${AUTHORIZATION}/selfsubjectrulesreviews`, {}))['code'], 400);
  assert.is((await asked(harness, TOKEN_REVIEWS, {}))['code'], 400);
});

onServer('the rules of a user are listed', async (harness) => {
  const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;
  const { status } = await asked(harness, path, { namespace: 'default' }, JANE);
  const text = JSON.stringify(status);
  assert.match(text, '"selfsubjectreviews"');
  assert.not.match(text, /"\*"/);
  assert.match(JSON.stringify((await asked(harness, path, { namespace: 'default' }))['status']), /"\*"/);
});

onServer('tokens are reviewed, and the answer does not say more than whether they hold', async (harness) => {
  const good = await asked(harness, TOKEN_REVIEWS, { token: harness.server.token });
  assert.is(good['status']?.['user']?.['username'], 'kubernetes-admin');
  const elsewhere = await asked(harness, TOKEN_REVIEWS, { token: harness.server.token, audiences: ['x'] });
  assert.equal(elsewhere['status'], { user: {}, error: 'invalid bearer token' });
  assert.equal((await asked(harness, TOKEN_REVIEWS, { token: 'x' }))['status'], {
    user: {},
    error: 'invalid bearer token',
  });
});

onServer('a token is granted for ten minutes at least, and bound to nothing that is not there', async (harness) => {
  const { call } = harness;
  const { body } = await call('POST', TOKEN, { body: {} });
  assert.equal(body['spec'], {
    audiences: ['https://kubernetes.default.svc'],
    expirationSeconds: 3600,
    boundObjectRef: null,
  });
  const reference = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: 'v1', kind, name } });
  const refused: [unknown, number][] = [
    [{ expirationSeconds: 599 }, 422],
    [{ expirationSeconds: 2 ** 32 + 1 }, 422],
    [reference('Secret', 'none'), 404],
    [reference('Pod', 'none'), 404],
    [reference('Secret', ''), 400],
    [reference('ConfigMap', 'x'), 400],
  ];
  for (const [spec, code] of refused) {
    assert.is((await asked(harness, TOKEN, spec))['code'], code, JSON.stringify(spec));
  }
  assert.is((await asked(harness, TOKEN.replace('default/token', 'none/token'), {}))['code'], 404);
  assert.is((await call('POST', TOKEN, { body: {}, headers: JANE })).code, 403);
});

onServer('there is nothing but the question: no list, no object, no watch, no table', async ({ call }) => {
  const path = `${AUTHORIZATION}/subjectaccessreviews`;
  assert.is((await call('GET', path)).code, 405);
  assert.is((await call('GET', `${path}?watch=1`)).code, 405);
  assert.is((await call('DELETE', path)).code, 405);
  assert.is((await call('GET', `${path}/x`)).code, 404);
  assert.is((await call('POST', `${path}/x`, { body: {} })).code, 404);
  assert.is((await call('GET', TOKEN)).code, 405);
  assert.is((await call('POST', path, { body: {}, accept: TABLE })).code, 406);
  const { body } = await call('GET', AUTHORIZATION);
  for (const { verbs } of body['resources'] ?? []) assert.equal(verbs, ['create']);
});

test.run();
