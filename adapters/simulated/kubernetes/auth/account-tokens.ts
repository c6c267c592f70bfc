// Tokens of service accounts: JSON web tokens signed with ES256, with the claims a real API server puts into them.
//
// Invariants:
//   KSIM-ACCOUNT-TOKENS-1. A token holds only as long as its account, and the secret it is bound to, are those it was issued for.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { Clock } from '../../../../bus/time.ts';
import { dig, isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { accountGroups, accountUserName, type User } from '../access/user.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { randomUid } from '../resources/api.ts';
import type { Store } from '../storage/store.ts';

export const ISSUER = 'https://kubernetes.default.svc';

/** The issuer of the tokens that live in secrets and never expire. */
const SECRET_ISSUER = 'kubernetes/serviceaccount';

const SECRETS_KEY = storeKeyOf('', 'secrets');
const ACCOUNTS_KEY = storeKeyOf('', 'serviceaccounts');
const SECRET_CLAIM = 'kubernetes.io/serviceaccount';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Tokens whose signature is remembered as good, at most. */
const MAX_REMEMBERED = 1_000;

/** An object that a token dies with. */
export interface BoundObject {
  readonly kind: 'Secret';
  readonly name: string;
  readonly uid: string;
}

export type Verified =
  | { readonly kind: 'good'; readonly user: User; readonly audiences: readonly string[] }
  /** It is none of ours, or it does not hold any longer; `why` is empty when it is not even a token of accounts. */
  | { readonly kind: 'bad'; readonly why: string };

export interface AccountTokens {
  /** A token that expires. */
  issue(
    account: KubeObject,
    options: {
      readonly audiences: readonly string[];
      readonly expiresAt: number;
      readonly bound: BoundObject | undefined;
    },
  ): string;
  /** The token of a secret of the type service-account-token. */
  issueForSecret(account: KubeObject, secretName: string): string;
  verify(token: string, audiences: readonly string[]): Verified;
  /** The key set that others check the tokens with. */
  keySet(): JsonMap;
}

export interface AccountTokensDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** PEM of a P-256 key. */
  readonly key: string;
}

export function accountTokens({ store, clock, key }: AccountTokensDeps): AccountTokens {
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey);
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const head = encoded({ alg: 'ES256', kid: keyId });
  const remembered = new Map<string, JsonMap>();
  const secrets = store.collection(SECRETS_KEY);
  const accounts = store.collection(ACCOUNTS_KEY);

  const signed = (claims: JsonMap): string => {
    const text = `${head}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };

  /** The claims of a token that was signed here, or undefined. */
  const claimsOf = (token: string): JsonMap | undefined => {
    const before = remembered.get(token);
    if (before !== undefined) return before;
    const [header = '', payload = '', signature = ''] = token.split('.');
    const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      options,
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned || header !== head) return undefined;
    const claims = mapOf(parsed(payload));
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(token, claims);
    return claims;
  };

  /** KSIM-ACCOUNT-TOKENS-1. What is wrong with the account of a token. */
  const accountProblem = (namespace: string, { name, uid }: Named, title: string): string => {
    const live = accounts.get(namespace, name)?.metadata;
    if (live === undefined) return `serviceaccounts "${name}" not found`;
    if (isPast(live.deletionTimestamp)) return `service account ${namespace}/${name} has been deleted`;
    return live.uid === uid ? '' : `${title} UID (${live.uid ?? ''}) does not match claim (${uid})`;
  };
  /** KSIM-ACCOUNT-TOKENS-1. What is wrong with the secret that a token is bound to. */
  const secretProblem = (namespace: string, { name, uid }: Named): string => {
    const held = secrets.get(namespace, name)?.metadata;
    if (held === undefined || isPast(held.deletionTimestamp)) return 'service account token has been invalidated';
    if (held.uid === uid) return '';
    return `secret UID (${held.uid ?? ''}) does not match service account secret ref claim (${uid})`;
  };
  const isPast = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= clock.now();

  const userOf = (namespace: string, account: Named, extra: User['extra']): User => ({
    name: accountUserName(namespace, account.name),
    uid: account.uid,
    groups: [...accountGroups(namespace), 'system:authenticated'],
    extra,
  });

  const verifySecretToken = (token: string, claims: JsonMap, audiences: readonly string[]): Verified => {
    const claim = (name: string): string => stringOf(claims[`${SECRET_CLAIM}/${name}`]);
    const namespace = claim('namespace');
    const account = { name: claim('service-account.name'), uid: claim('service-account.uid') };
    const secret = secrets.get(namespace, claim('secret.name'));
    if (secret === undefined || isPast(secret.metadata.deletionTimestamp)) return bad('Token has been invalidated');
    const held = stringOf(dig(secret.object, 'data', 'token'));
    if (held !== Buffer.from(token).toString('base64')) return bad("Token does not match server's copy");
    const problem = accountProblem(namespace, account, 'ServiceAccount');
    if (problem !== '') return bad(problem);
    if (!audiences.includes(ISSUER)) return bad(wrongAudience([ISSUER], audiences));
    return { kind: 'good', user: userOf(namespace, account, {}), audiences: [ISSUER] };
  };

  return {
    issue(account, { audiences, expiresAt, bound }) {
      const { namespace = '', name = '', uid = '' } = account.metadata;
      const now = Math.floor(clock.now() / 1_000);
      return signed({
        aud: audiences,
        exp: Math.floor(expiresAt / 1_000),
        iat: now,
        iss: ISSUER,
        jti: randomUid(clock),
        'kubernetes.io': {
          namespace,
          ...(bound === undefined ? {} : { secret: { name: bound.name, uid: bound.uid } }),
          serviceaccount: { name, uid },
        },
        nbf: now,
        sub: accountUserName(namespace, name),
      });
    },
    issueForSecret(account, secretName) {
      const { namespace = '', name = '', uid = '' } = account.metadata;
      return signed({
        iss: SECRET_ISSUER,
        [`${SECRET_CLAIM}/namespace`]: namespace,
        [`${SECRET_CLAIM}/secret.name`]: secretName,
        [`${SECRET_CLAIM}/service-account.name`]: name,
        [`${SECRET_CLAIM}/service-account.uid`]: uid,
        sub: accountUserName(namespace, name),
      });
    },
    verify(token, audiences) {
      const issuer = stringOf(remembered.get(token)?.['iss']) || issuerOf(token);
      if (issuer !== ISSUER && issuer !== SECRET_ISSUER) return bad('');
      const claims = claimsOf(token);
      if (claims === undefined) return bad('go-jose/go-jose: error in cryptographic primitive');
      if (issuer === SECRET_ISSUER) return verifySecretToken(token, claims, audiences);
      const now = Math.floor(clock.now() / 1_000);
      if (now > Number(claims['exp'])) return bad('service account token has expired');
      if (now < Number(claims['nbf'])) return bad('service account token is not valid yet');
      const given = listOf(claims['aud']).map(stringOf);
      const common = given.filter((audience) => audiences.includes(audience));
      if (common.length === 0) return bad(wrongAudience(given, audiences));
      const own = mapOf(claims['kubernetes.io']);
      const namespace = stringOf(own['namespace']);
      const account = named(own['serviceaccount']);
      const problem =
        accountProblem(namespace, account, 'service account') ||
        (isMap(own['secret']) ? secretProblem(namespace, named(own['secret'])) : '');
      if (problem !== '') return bad(problem);
      const extra = { [CREDENTIAL_ID]: [`JTI=${stringOf(claims['jti'])}`] };
      return { kind: 'good', user: userOf(namespace, account, extra), audiences: common };
    },
    keySet() {
      const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
      return { keys: [{ use: 'sig', kty, kid: keyId, crv, alg: 'ES256', x, y }] };
    },
  };
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

const named = (value: unknown): Named => ({ name: stringOf(dig(value, 'name')), uid: stringOf(dig(value, 'uid')) });

const bad = (why: string): Verified => ({ kind: 'bad', why });

const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

const wrongAudience = (given: readonly string[], wanted: readonly string[]): string =>
  `token audiences ${quoted(given)} is invalid for the target audiences ${quoted(wanted)}`;

const encoded = (value: JsonMap): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The issuer that a token claims; empty for text that is no token. */
function issuerOf(token: string): string {
  const parts = token.split('.');
  return parts.length === 3 ? stringOf(dig(parsed(parts[1] ?? ''), 'iss')) : '';
}

function parsed(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // the answer is that it is none of ours
    throw error;
  }
}
