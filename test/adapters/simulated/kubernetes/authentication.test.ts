// Users: by token, by service account, by acting as somebody else.
import type { webcrypto } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { accountTokens, ISSUER } from '../../../../adapters/simulated/kubernetes/auth/account-tokens.ts';
import { makeCredentials } from '../../../../adapters/simulated/kubernetes/base/credentials.ts';
import { memoryStore } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import { type Harness, type Reply, serverChecks } from '../../../world/api-calls.ts';

const test = suite('embedded api server: authentication');
const onServer = serverChecks(test);

const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SECRETS = '/api/v1/namespaces/default/secrets';

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

async function whoIs({ call }: Harness, headers: Record<string, string | string[]> = {}): Promise<unknown> {
  const { body } = await call('POST', WHOAMI, { body: {}, headers });
  return body['status']?.['userInfo'] ?? body['message'];
}

async function tokenOf({ call }: Harness, account: string, spec: unknown = {}): Promise<string> {
  const reply = await call('POST', `${ACCOUNTS}/${account}/token`, { body: { spec } });
  assert.is(reply.code, 201, reply.text);
  return String(reply.body['status']?.['token']);
}

const reviewed = async ({ call }: Harness, token: string): Promise<Reply['body']> =>
  (await call('POST', TOKEN_REVIEWS, { body: { spec: { token } } })).body['status'] ?? {};

onServer('the token of the kubeconfig is the administrator, another is nobody, none is anonymous', async (harness) => {
  assert.equal(await whoIs(harness), {
    username: 'kubernetes-admin',
    groups: ['system:masters', 'system:authenticated'],
  });
  const { token } = harness.server;
  assert.is(await whoIs(harness, bearer(`${token}x`)), 'Unauthorized');
  assert.is(await whoIs(harness, bearer(token.slice(1))), 'Unauthorized');
  const refused = await harness.call('GET', '/api/v1/secrets', { headers: { authorization: '' } });
  assert.match(String(refused.body['message']), /^secrets is forbidden: User "system:anonymous" cannot list/);
  assert.is(refused.headers['x-content-type-options'], 'nosniff');
});

onServer('a header with a space too many is ignored, and the answer says so', async ({ call, server }) => {
  const { code, headers } = await call('GET', '/api', { headers: bearer(` ${server.token}`) });
  assert.is(code, 403);
  assert.match(String(headers.warning), /extra space before the bearer token/);
});

onServer('a service account is a user by its token, for as long as it is the same account', async (harness) => {
  const { call } = harness;
  const { body } = await call('POST', ACCOUNTS, { body: { metadata: { name: 'bot' } } });
  const token = await tokenOf(harness, 'bot');
  const user = (await whoIs(harness, bearer(token))) as Record<string, unknown>;
  assert.is(user['username'], 'system:serviceaccount:default:bot');
  assert.is(user['uid'], body['metadata']?.['uid']);
  assert.equal(user['groups'], ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']);
  await call('DELETE', `${ACCOUNTS}/bot`);
  assert.is(await whoIs(harness, bearer(token)), 'Unauthorized');
  await call('POST', ACCOUNTS, { body: { metadata: { name: 'bot' } } });
  assert.is(await whoIs(harness, bearer(token)), 'Unauthorized', 'another account of the name');
});

onServer('a token for others is none for this server, and one bound to a secret dies with it', async (harness) => {
  const { call } = harness;
  const foreign = await tokenOf(harness, 'default', { audiences: ['elsewhere'] });
  assert.is(await whoIs(harness, bearer(foreign)), 'Unauthorized');
  const review = await call('POST', TOKEN_REVIEWS, { body: { spec: { token: foreign, audiences: ['elsewhere'] } } });
  assert.is(review.body['status']?.['authenticated'], true);
  await call('POST', SECRETS, { body: { metadata: { name: 'life' } } });
  const bound = await tokenOf(harness, 'default', {
    boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'life' },
  });
  assert.is((await reviewed(harness, bound))['authenticated'], true);
  await call('DELETE', `${SECRETS}/life`);
  assert.match(String((await reviewed(harness, bound))['error']), /service account token has been invalidated/);
  await call('POST', SECRETS, { body: { metadata: { name: 'life' } } });
  assert.match(String((await reviewed(harness, bound))['error']), /does not match service account secret ref claim/);
});

onServer('changed tokens do not hold: payload, signature, algorithm', async (harness) => {
  const [head = '', payload = '', signature = ''] = (await tokenOf(harness, 'default')).split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = [
    `${head}.${encoded({ ...claims, exp: 9_999_999_999 })}.${signature}`,
    `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${head}.${payload}.`,
    `${encoded({ alg: 'none' })}.${payload}.`,
    `${encoded({ alg: 'HS256' })}.${payload}.${signature}`,
    `${head}.${encoded({ ...claims, iss: 'somebody' })}.${signature}`,
    'a.b.c',
  ];
  for (const token of forged) assert.is(await whoIs(harness, bearer(token)), 'Unauthorized', token);
});

test('a token holds until it expires, and not before it was issued', async () => {
  let now = Date.UTC(2030, 0, 1);
  const clock = { ...systemClock({ seed: 1 }), now: () => now };
  const { accountKey: key } = await makeCredentials(now);
  const store = memoryStore({ remembered: { changes: 10, characters: 1_000 } });
  const metadata = { namespace: 'ns', name: 'bot', uid: 'u' };
  const { object: account } = store
    .collection('/serviceaccounts')
    .put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const tokens = accountTokens({ store, clock, key });
  const token = tokens.issue(account, { audiences: [ISSUER], expiresAt: now + 600_000, bound: undefined });
  const verdict = (): string => {
    const verified = tokens.verify(token, [ISSUER]);
    return verified.kind === 'good' ? 'good' : verified.why;
  };
  assert.is(verdict(), 'good');
  now += 600_000;
  assert.is(verdict(), 'good');
  now += 1_000;
  assert.is(verdict(), 'service account token has expired');
  now -= 700_000;
  assert.is(verdict(), 'service account token is not valid yet');
  const other = accountTokens({ store, clock, key: (await makeCredentials(now)).accountKey });
  assert.is(other.verify(token, [ISSUER]).kind, 'bad', 'another key');
});

onServer('the published key checks the tokens', async (harness) => {
  const { call, server } = harness;
  const configuration = (await call('GET', '/.well-known/openid-configuration')).body;
  assert.is(configuration['issuer'], ISSUER);
  assert.is(configuration['jwks_uri'], `${server.url}/openid/v1/jwks`);
  const keySet = await call('GET', '/openid/v1/jwks');
  assert.is(keySet.headers['content-type'], 'application/jwk-set+json');
  const [jwk] = (JSON.parse(keySet.text) as { keys: (webcrypto.JsonWebKey & { kid: string })[] }).keys;
  const [head = '', payload = '', signature = ''] = (await tokenOf(harness, 'default')).split('.');
  assert.is(JSON.parse(Buffer.from(head, 'base64url').toString()).kid, jwk?.kid);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', jwk ?? {}, algorithm, true, ['verify']);
  const text = Buffer.from(`${head}.${payload}`);
  assert.ok(await crypto.subtle.verify(algorithm, key, Buffer.from(signature, 'base64url'), text));
  const refused = await call('GET', '/openid/v1/jwks', { headers: { 'impersonate-user': 'jane' } });
  assert.is(refused.code, 403);
  const account = { 'impersonate-user': 'system:serviceaccount:default:default' };
  assert.is((await call('GET', '/openid/v1/jwks', { headers: account })).code, 200);
});

onServer('the administrator acts as others; others only where a rule allows it', async (harness) => {
  const { call } = harness;
  const as = { 'impersonate-user': 'jane', 'impersonate-group': ['devs', 'ops'], 'impersonate-extra-a': ['x', 'y'] };
  assert.equal(await whoIs(harness, as), {
    username: 'jane',
    groups: ['devs', 'ops', 'system:authenticated'],
    extra: { a: ['x', 'y'] },
  });
  const token = await tokenOf(harness, 'default');
  const own = bearer(token);
  assert.match(String(await whoIs(harness, { ...own, 'impersonate-user': 'jane' })), /^users "jane" is forbidden/);
  const rules = [{ apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] }];
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await call('POST', `${rbac}/clusterroles`, { body: { metadata: { name: 'as-jane' }, rules } });
  const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }];
  const roleRef = { kind: 'ClusterRole', name: 'as-jane' };
  await call('POST', `${rbac}/clusterrolebindings`, { body: { metadata: { name: 'b' }, roleRef, subjects } });
  assert.equal(await whoIs(harness, { ...own, 'impersonate-user': 'jane' }), {
    username: 'jane',
    groups: ['system:authenticated'],
  });
  const refusals: [Record<string, string>, RegExp][] = [
    [{ 'impersonate-user': 'joe' }, /^users "joe" is forbidden/],
    [{ 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }, /^groups "system:masters" is forbidden/],
    [{ 'impersonate-user': 'jane', 'impersonate-uid': 'u' }, /^uids.authentication.k8s.io "u" is forbidden/],
    [{ 'impersonate-user': 'jane', 'impersonate-extra-a': 'x' }, /"userextras\/a"/],
    [{ 'impersonate-group': 'devs' }, /^requested \[\{Group {2}devs {4}\}\] without impersonating a user$/],
  ];
  for (const [headers, expected] of refusals) {
    assert.match(String(await whoIs(harness, { ...own, ...headers })), expected);
  }
});

test.run();
