// What every namespace has, and the secrets that hold tokens.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Harness, MERGE, serverChecks } from '../../../world/api-calls.ts';

const test = suite('embedded api server: accounts');
const onServer = serverChecks(test);

const DEFAULT = '/api/v1/namespaces/default';
const ACCOUNTS = `${DEFAULT}/serviceaccounts`;
const SECRETS = `${DEFAULT}/secrets`;
const CERTIFICATE = `${DEFAULT}/configmaps/kube-root-ca.crt`;

const decoded = (value: unknown): string => Buffer.from(String(value), 'base64').toString();

async function tokenSecret({ call }: Harness, name: string, account: string, uid?: string): Promise<number> {
  const annotations = {
    'kubernetes.io/service-account.name': account,
    ...(uid === undefined ? {} : { 'kubernetes.io/service-account.uid': uid }),
  };
  const body = { metadata: { name, annotations }, type: 'kubernetes.io/service-account-token' };
  return (await call('POST', SECRETS, { body })).code;
}

onServer(
  'the default account and the certificate come back when they are deleted, and the certificate when it is changed',
  async ({ call, server }) => {
    const { body: before } = await call('GET', `${ACCOUNTS}/default`);
    await call('DELETE', `${ACCOUNTS}/default`);
    const { body: after } = await call('GET', `${ACCOUNTS}/default`);
    assert.is(after['metadata']?.['name'], 'default');
    assert.is.not(after['metadata']?.['uid'], before['metadata']?.['uid']);
    assert.is((await call('GET', CERTIFICATE)).body['data']?.['ca.crt'], server.caCertificate);
    await call('PATCH', CERTIFICATE, { type: MERGE, body: { data: { 'ca.crt': 'x', more: 'y' } } });
    assert.equal((await call('GET', CERTIFICATE)).body['data'], { 'ca.crt': server.caCertificate });
    await call('DELETE', CERTIFICATE);
    assert.is((await call('GET', CERTIFICATE)).code, 200);
  },
);

onServer('a namespace that goes takes them with it', async ({ call }) => {
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'gone' } } });
  assert.is((await call('GET', '/api/v1/namespaces/gone/configmaps/kube-root-ca.crt')).code, 200);
  await call('DELETE', '/api/v1/namespaces/gone');
  assert.is((await call('GET', '/api/v1/namespaces/gone')).code, 404);
  assert.is((await call('GET', '/api/v1/namespaces/gone/configmaps/kube-root-ca.crt')).code, 404);
  assert.is((await call('GET', '/api/v1/namespaces/gone/serviceaccounts/default')).code, 404);
});

onServer(
  'a token secret is filled, its token is good, and it goes with its account (KSIM-ACCOUNTS-1)',
  async (harness) => {
    const { call, server } = harness;
    await call('POST', ACCOUNTS, { body: { metadata: { name: 'bot' } } });
    assert.is(await tokenSecret(harness, 'held', 'bot'), 201);
    const { body } = await call('GET', `${SECRETS}/held`);
    assert.is(decoded(body['data']?.['ca.crt']), server.caCertificate);
    assert.is(decoded(body['data']?.['namespace']), 'default');
    const authorization = `Bearer ${decoded(body['data']?.['token'])}`;
    const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const who = await call('POST', whoami, { body: {}, headers: { authorization } });
    assert.is(who.body['status']?.['userInfo']?.['username'], 'system:serviceaccount:default:bot');
    await call('DELETE', `${ACCOUNTS}/bot`);
    assert.is((await call('GET', `${SECRETS}/held`)).code, 404);
    assert.is((await call('POST', whoami, { body: {}, headers: { authorization } })).code, 401);
  },
);

onServer(
  'a token secret without its account goes, one that names none is refused, other secrets stay (KSIM-ACCOUNTS-1)',
  async (harness) => {
    const { call } = harness;
    assert.is(await tokenSecret(harness, 'lost', 'nobody'), 201);
    assert.is((await call('GET', `${SECRETS}/lost`)).code, 404);
    assert.is(await tokenSecret(harness, 'other', 'default', 'another-uid'), 201);
    assert.is((await call('GET', `${SECRETS}/other`)).code, 404);
    assert.is(await tokenSecret(harness, 'none', ''), 422);
    const mention = { metadata: { name: 'mention' }, stringData: { text: 'kubernetes.io/service-account-token' } };
    await call('POST', SECRETS, { body: mention });
    await call('DELETE', `${ACCOUNTS}/default`);
    assert.is((await call('GET', `${SECRETS}/mention`)).code, 200);
  },
);

test.run();
