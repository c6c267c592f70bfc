// Certificate authorities of servers' own, and the certificates that they sign for the servers at every start.
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { installReflection } from './reflection.ts';

/** PEM both. */
export interface Authority {
  /** What clients must trust. */
  readonly certificate: string;
  readonly key: string;
}

/** PEM both. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;

/** How long a server's certificate is valid; each start makes a new one. */
const SERVER_DAYS = 365;

/** How long an authority is valid, which a folder may keep. */
const AUTHORITY_DAYS = 3650;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const { subtle } = webcrypto;

const generate = (): Promise<webcrypto.CryptoKeyPair> => subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
const serial = (): string => `01${randomBytes(15).toString('hex')}`;
const valid = (nowMs: number, days: number): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(nowMs - DAY_MS),
  notAfter: new Date(nowMs + days * DAY_MS),
});

async function library(): Promise<typeof import('@peculiar/x509')> {
  installReflection(); // before the library is loaded
  return import('@peculiar/x509');
}

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  const { PemConverter } = await library();
  return PemConverter.encode(await subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** @param name  common name of the authority's subject */
export async function makeAuthority(name: string, nowMs: number): Promise<Authority> {
  const x509 = await library();
  const keys = await generate();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serial(),
      name: `CN=${name}`,
      ...valid(nowMs, AUTHORITY_DAYS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: certificate.toString('pem'), key: await keyText(keys.privateKey) };
}

/**
 * @param server.name  common name of the server's subject
 * @param server.host  the address it is reached at, beside localhost
 */
export async function certify(
  authority: Authority,
  { name, host }: { readonly name: string; readonly host: string },
  nowMs: number,
): Promise<ServerCertificate> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(authority.key), ALGORITHM, false, [
    'sign',
  ]);
  const keys = await generate();
  const addresses = [...new Set(['127.0.0.1', '::1', host])].filter((address) => isIP(address) !== 0);
  const names = [...new Set(['localhost', ...(isIP(host) === 0 ? [host] : [])])];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial(),
      subject: `CN=${name}`,
      issuer: issuer.subject,
      ...valid(nowMs, SERVER_DAYS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export(webcrypto), false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: certificate.toString('pem'), key: await keyText(keys.privateKey) };
}
