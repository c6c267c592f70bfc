// Who is answered: a shared token, web tokens, access tokens of pull secrets; and why others are not.
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { authenticatorOf } from '../../../../actors/cli/model/serve-options.ts';
import { accessTokens, readAccessTokens } from '../../../../adapters/ocm/gateway/auth/access-tokens.ts';
import type { Authenticator } from '../../../../adapters/ocm/gateway/auth/authenticator.ts';
import { issueToken } from '../../../../adapters/ocm/gateway/auth/issue.ts';
import { reloadedKeys } from '../../../../adapters/ocm/gateway/auth/keys.ts';
import { sharedToken } from '../../../../adapters/ocm/gateway/auth/shared-token.ts';
import { webTokens } from '../../../../adapters/ocm/gateway/auth/web-tokens.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { json } from './client.ts';
import { serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('model gateway: authentication');
const NOW = Date.parse('2030-01-01T00:00:00Z');
const NOW_S = NOW / 1_000;
const TIMES = { iat: NOW_S - 60, exp: NOW_S + 60 };

function unexpected(error: unknown): void {
  throw error;
}

async function reasonOf(authenticator: Authenticator, authorization: string | undefined): Promise<string> {
  try {
    const { name } = await authenticator.authenticate({
      headers: { ...(authorization !== undefined && { authorization }) },
    });
    return `is ${name}`;
  } catch (error) {
    if (error instanceof Error && error.name === 'Unauthenticated') return error.message;
    throw error;
  }
}

async function issuer() {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one' };
  const sign = (claims: JWTPayload, kid = 'one'): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  return { key, sign };
}

test('nothing but metadata is answered to those who are not authenticated (OCM-API-1)', async () => {
  const served = await serving(memoryStore(), { authenticator: sharedToken('s3cret') });
  try {
    const { client } = served;
    for (const path of [
      '/api',
      '/api/clusters_mgmt',
      '/api/clusters_mgmt/v1',
      '/api/clusters_mgmt/v1/openapi',
      '/api/clusters_mgmt/v1/errors',
      '/docs',
      '/docs/clusters_mgmt/v1',
    ]) {
      assert.is((await client.get(path)).status, 200, path);
    }
    for (const reply of [
      await client.get(CLUSTERS),
      await client.get(`${CLUSTERS}/x`),
      await client.post(CLUSTERS, {}),
      await client.get('/api/clusters_mgmt/v1/nowhere'),
      await client.get(CLUSTERS, { Authorization: 'Bearer wrong' }),
    ]) {
      assert.equal([reply.status, json(reply)['id'], reply.headers['content-type']], [401, '401', 'application/json']);
      assert.is(reply.headers['www-authenticate'], 'Bearer realm="clusters_mgmt/v1"');
    }
    assert.is((await client.get(CLUSTERS, { Authorization: 'bEaReR s3cret' })).status, 200);
  } finally {
    await served.close();
  }
});

test('a shared token, and reasons for others', async () => {
  const authenticator = sharedToken('s3cret');
  assert.is(await reasonOf(authenticator, 'Bearer s3cret'), 'is token');
  for (const [given, reason] of [
    [undefined, /doesn't contain the 'Authorization' header/],
    ['', /doesn't contain/],
    ['Bearer', /malformed/],
    ['Basic s3cret', /Authentication type 'basic' isn't supported/],
    ['Bearer s3cre', /can't be verified/],
    ['Bearer s3cret2', /can't be verified/],
  ] as const) {
    assert.match(await reasonOf(authenticator, given), reason);
  }
});

test('web tokens are taken with a good signature, in their time, of their type (OCM-WEB-TOKENS-1)', async () => {
  const [{ key, sign }, other] = [await issuer(), await issuer()];
  const load = async (): Promise<unknown> => ({ keys: [key] });
  const authenticator = webTokens({
    findKey: reloadedKeys({ load, now: () => NOW }),
    now: () => NOW,
    onTrouble: unexpected,
  });
  const reason = async (token: Promise<string> | string): Promise<string> =>
    reasonOf(authenticator, `Bearer ${await token}`);
  assert.is(await reason(sign({ ...TIMES, typ: 'Bearer', username: 'ada' })), 'is ada');
  assert.is(await reason(sign({ ...TIMES, sub: 'bob' })), 'is bob');
  const good = await sign({ ...TIMES });
  for (const [token, expected] of [
    ['x', /malformed/],
    ['a.b.c', /malformed/],
    [`${good.slice(0, -10)}AAAAAAAAAA`, /Signature of bearer token isn't valid/],
    [other.sign({ ...TIMES }), /Signature of bearer token isn't valid/],
    [sign({ ...TIMES }, 'two'), /can't be verified/],
    [sign({ iat: NOW_S - 99, exp: NOW_S - 9 }), /is expired/],
    [sign({ iat: NOW_S + 99, exp: NOW_S + 999 }), /issued in the future/],
    [sign({ ...TIMES, nbf: NOW_S + 30 }), /isn't valid yet/],
    [sign({ iat: NOW_S }), /doesn't contain required claim 'exp'/],
    [sign({ exp: NOW_S + 9 }), /doesn't contain required claim 'iat'/],
    [sign({ ...TIMES, typ: 'Refresh' }), /type 'Refresh' isn't allowed/],
    [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`, /malformed|can't be verified/],
    [issueToken({ name: 'x', issuedAt: NOW, validForS: 60 }), /can't be verified/],
  ] as const) {
    assert.match(await reason(token), expected);
  }
});

test('web tokens have the issuer and the audience that are given (OCM-WEB-TOKENS-2)', async () => {
  const { key, sign } = await issuer();
  const findKey = reloadedKeys({ load: async () => ({ keys: [key] }), now: () => NOW });
  const [iss, aud] = ['https://sso.example.com', 'fleets'];
  const deps = { findKey, now: () => NOW, onTrouble: unexpected };
  const strict = webTokens({ ...deps, issuer: iss, audience: aud });
  for (const [claims, expected] of [
    [{ iss, aud }, /^is ada$/],
    [{ iss, aud: ['other', aud] }, /^is ada$/],
    [{ iss: `${iss}/`, aud }, /claim 'iss' that isn't valid/],
    [{ aud }, /doesn't contain required claim 'iss'/],
    [{ iss, aud: 'other' }, /claim 'aud' that isn't valid/],
    [{ iss }, /doesn't contain required claim 'aud'/],
  ] as readonly (readonly [JWTPayload, RegExp])[]) {
    const token = await sign({ ...TIMES, username: 'ada', ...claims });
    assert.match(await reasonOf(strict, `Bearer ${token}`), expected, JSON.stringify(claims));
    assert.match(await reasonOf(webTokens(deps), `Bearer ${token}`), /^is ada$/, JSON.stringify(claims));
  }
});

test('an issuer or audience that is empty is refused: it would not be checked (OCM-WEB-TOKENS-2)', () => {
  const deps = { address: { host: '127.0.0.1', port: 0 }, clock: systemClock(), onTrouble: unexpected };
  for (const name of ['issuer', 'audience']) {
    assert.throws(() => authenticatorOf({ auth: 'jwks', jwks: 'keys', [name]: '' }, deps), `--${name} is empty`);
  }
});

test('keys are read again for one that is not known, once a minute (OCM-KEYS-1)', async () => {
  const [first, second] = [await issuer(), await issuer()];
  const set = [first.key];
  let [reads, now] = [0, NOW];
  const load = async (): Promise<unknown> => {
    reads += 1;
    return { keys: [...set] };
  };
  const authenticator = webTokens({
    findKey: reloadedKeys({ load, now: () => now }),
    now: () => now,
    onTrouble: unexpected,
  });
  const later = { iat: NOW_S, exp: NOW_S + 3_600 };
  const ask = async (kid: string): Promise<string> =>
    reasonOf(authenticator, `Bearer ${await second.sign(later, kid)}`);
  assert.match(await ask('two'), /can't be verified/);
  set.push({ ...second.key, kid: 'two' });
  assert.match(await ask('two'), /can't be verified/);
  assert.is(reads, 1);
  now += 60_000;
  assert.is(await ask('two'), 'is ');
  assert.is(reads, 2);
  for (let n = 0; n < 5; n++) await ask('three');
  assert.is(reads, 2);
});

test('keys that cannot be read are told to the operator, and not to callers', async () => {
  const troubles: unknown[] = [];
  const { sign } = await issuer();
  const load = (): Promise<unknown> => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'));
  const authenticator = webTokens({
    findKey: reloadedKeys({ load, now: () => NOW }),
    now: () => NOW,
    onTrouble: (error) => troubles.push(error),
  });
  assert.is(await reasonOf(authenticator, `Bearer ${await sign(TIMES)}`), "Bearer token can't be verified");
  assert.is(troubles.length, 1);
});

test('access tokens of pull secrets', async () => {
  const tokens = readAccessTokens('# clusters\n\n c1:dG9rZW4= \nc2:a:b\n');
  const authenticator = accessTokens(tokens, sharedToken('s3cret'));
  assert.is(await reasonOf(authenticator, 'AccessToken c1:dG9rZW4='), 'is cluster:c1');
  assert.is(await reasonOf(authenticator, 'accesstoken c2:a:b'), 'is cluster:c2');
  assert.is(await reasonOf(authenticator, 'Bearer s3cret'), 'is token');
  for (const [given, reason] of [
    ['AccessToken c1', /Access token is malformed/],
    ['AccessToken c1:', /Access token is malformed/],
    ['AccessToken c1:x', /can't be verified/],
    ['AccessToken c3:dG9rZW4=', /can't be verified/],
    ['AccessToken', /malformed/],
  ] as const) {
    assert.match(await reasonOf(authenticator, given), reason);
  }
});

test('a token that is printed has the form that the public client wants', () => {
  const [header = '', claims = '', signature = ''] = issueToken({ name: 'ada', issuedAt: NOW, validForS: 3_600 }).split(
    '.',
  );
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.equal(decoded(header), { alg: 'HS256', typ: 'JWT' });
  const { jti, ...others } = decoded(claims) as { jti: string };
  assert.equal(others, { typ: 'Bearer', iss: 'troupe', username: 'ada', iat: NOW_S, exp: NOW_S + 3_600 });
  assert.ok(jti.length >= 43 && signature.length >= 43);
  assert.is.not(
    issueToken({ name: '', issuedAt: NOW, validForS: 0 }),
    issueToken({ name: '', issuedAt: NOW, validForS: 0 }),
  );
});

test.run();
