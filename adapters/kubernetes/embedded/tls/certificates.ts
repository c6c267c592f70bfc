// The server's own certificate authority and its certificate, made anew at every start and kept nowhere.
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { installReflection } from './reflection.ts';

export interface ServerCertificates {
  /** PEM of the authority: what clients must trust. */
  readonly caCertificate: string;
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;

/** How long the certificates are valid. */
const VALID_DAYS = 365;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** @param host  the address the server is reached at, beside localhost */
export async function makeCertificates(host: string, nowMs: number): Promise<ServerCertificates> {
  installReflection(); // before the library is loaded
  const x509 = await import('@peculiar/x509');
  const crypto = webcrypto;
  const generate = (): Promise<webcrypto.CryptoKeyPair> =>
    crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [authority, server] = await Promise.all([generate(), generate()]);
  const validity = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + VALID_DAYS * DAY_MS) };
  const serial = (): string => `01${randomBytes(15).toString('hex')}`;
  const ca = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serial(),
      name: 'CN=embedded-api-server-ca',
      ...validity,
      signingAlgorithm: ALGORITHM,
      keys: authority,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(authority.publicKey, false, crypto),
      ],
    },
    crypto,
  );
  const addresses = [...new Set(['127.0.0.1', '::1', host])].filter((address) => isIP(address) !== 0);
  const names = [...new Set(['localhost', ...(isIP(host) === 0 ? [host] : [])])];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial(),
      subject: 'CN=embedded-api-server',
      issuer: ca.subject,
      ...validity,
      signingAlgorithm: ALGORITHM,
      publicKey: server.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey, false, crypto),
      ],
    },
    crypto,
  );
  const exported = await crypto.subtle.exportKey('pkcs8', server.privateKey);
  return {
    caCertificate: ca.toString('pem'),
    certificate: certificate.toString('pem'),
    key: x509.PemConverter.encode(exported, 'PRIVATE KEY'),
  };
}
