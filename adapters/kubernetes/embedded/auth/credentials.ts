// Everything secret that a server is known by: whoever keeps this value keeps the identity of the server.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { makeCertificates, type ServerCertificates } from '../tls/certificates.ts';

export interface Credentials {
  /** The administrator's bearer token. */
  readonly token: string;
  readonly certificates: ServerCertificates;
  /** PEM (PKCS #8) of the P-256 key that signs the tokens of service accounts. */
  readonly accountKey: string;
}

/** @param host  the address the server is reached at, beside localhost */
export async function makeCredentials(host: string, nowMs: number): Promise<Credentials> {
  const [certificates, { privateKey }] = await Promise.all([
    makeCertificates(host, nowMs),
    promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }),
  ]);
  return {
    token: randomBytes(24).toString('base64url'),
    certificates,
    accountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
