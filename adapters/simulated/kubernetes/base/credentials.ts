// All secrets of a server: the holder of this value has the identity of the server. Plain data.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Authority, makeAuthority } from '../../../kubernetes/tls/certificates.ts';

export interface Credentials {
  /** The administrator's bearer token. */
  readonly token: string;
  readonly authority: Authority;
  /** PEM (PKCS #8) of the P-256 key that signs the tokens of service accounts. */
  readonly accountKey: string;
}

export async function makeCredentials(nowMs: number): Promise<Credentials> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    token: randomBytes(24).toString('base64url'),
    authority: await makeAuthority('embedded-api-server-ca', nowMs),
    accountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
