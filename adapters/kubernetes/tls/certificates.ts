// Certificate authorities of servers' own, and the certificates that they sign for the servers at every start: X.509 v3
// (RFC 5280), keys on P-256, signed with ECDSA and SHA-256 (RFC 5758).
//
// What makes them is loaded with the first one: 4 MB of heap that a process without a server of its own does not pay for.
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';
// mutant: certificates-loaded-by-all -> $ import 'reflect-metadata';
import { isIP } from 'node:net';

/** PEM both. */
export interface Authority {
  /** Certificate that clients must trust. */
  readonly certificate: string;
  readonly key: string;
}

/** PEM both. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;

/** Validity of a server certificate; most servers make a new one at each start. */
const SERVER_DAYS = 365;

/** Validity of an authority, which a directory may keep. */
const AUTHORITY_DAYS = 3650;

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };

async function library(): Promise<typeof import('@peculiar/x509')> {
  // Its container of dependencies wants the polyfill to be there already.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

const keyPair = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
const pem = (key: webcrypto.CryptoKey): string =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
const nameOf = (commonName: string) => [{ CN: [commonName] }];

/** Valid from a day ago, so that clocks may differ, in whole seconds. */
function validity(nowMs: number, forMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const seconds = (at: number): Date => new Date(Math.floor(at / 1000) * 1000);
  return { notBefore: seconds(nowMs - DAY_MS), notAfter: seconds(nowMs + forMs) };
}

/** An address or a name, as the library takes it: it knows no IPv6 address with a tail of IPv4. */
function alternative(host: string): { readonly type: 'dns' | 'ip'; readonly value: string } {
  const family = isIP(host);
  // mutant: certificate-ipv4-tail ?:.1 -> false
  const value = family === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
  return { type: family === 0 ? 'dns' : 'ip', value };
}

/** Never negative, never short. */
const serialNumber = (): string => `01${randomBytes(15).toString('hex')}`;

/** @param name  common name of the authority's subject */
export async function makeAuthority(name: string, nowMs: number): Promise<Authority> {
  const x509 = await library();
  const keys = await keyPair();
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: nameOf(name),
    serialNumber: serialNumber(),
    ...validity(nowMs, AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pem(keys.privateKey) };
}

/**
 * @param server.name  common name of the server's subject
 * @param server.hosts  the addresses it is reached at, beside localhost
 * @param server.validMs  for how long from now, in milliseconds; 365 days unless stated
 */
export async function certify(
  authority: Authority,
  {
    name,
    hosts,
    validMs = SERVER_DAYS * DAY_MS,
  }: { readonly name: string; readonly hosts: readonly string[]; readonly validMs?: number },
  nowMs: number,
): Promise<ServerCertificate> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await keyPair();
  const all = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])];
  const certificate = await x509.X509CertificateGenerator.create({
    // mutant: issuer-in-other-bytes : -> nameOf('an-authority')
    issuer: issuer.subjectName,
    subject: nameOf(name),
    serialNumber: serialNumber(),
    ...validity(nowMs, validMs),
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(CURVE, false, ['sign']),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(all.map(alternative)),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pem(keys.privateKey) };
}
