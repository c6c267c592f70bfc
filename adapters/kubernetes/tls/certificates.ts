// Certificate authorities of servers' own, and the certificates that they sign for the servers at every start: X.509 v3
// (RFC 5280), keys on P-256, signed with ECDSA and SHA-256 (RFC 5758).
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  BitString,
  Boolean as BooleanValue,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Set as SetOf,
  UTCTime,
  Utf8String,
} from 'asn1js';

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

/** From here on instants are written with four digits of the year (RFC 5280, 4.1.2.5). */
const GENERALIZED_FROM = Date.UTC(2050, 0);

const Oid = {
  CommonName: '2.5.4.3',
  EcdsaWithSha256: '1.2.840.10045.4.3.2',
  SubjectKeyIdentifier: '2.5.29.14',
  KeyUsage: '2.5.29.15',
  SubjectAltName: '2.5.29.17',
  BasicConstraints: '2.5.29.19',
  AuthorityKeyIdentifier: '2.5.29.35',
  ExtKeyUsage: '2.5.29.37',
  ServerAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Bits from the left: keyCertSign and cRLSign; digitalSignature. */
const SIGNS_CERTIFICATES = { byte: 0b0000_0110, unusedBits: 1 };
const SIGNS_HANDSHAKES = { byte: 0b1000_0000, unusedBits: 7 };

/** Context tags of subjectAltName. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** A value of ASN.1. */
type Value = Sequence | SetOf | Primitive | Constructed | Integer | BitString | OctetString | ObjectIdentifier;

const oid = (value: string): ObjectIdentifier => new ObjectIdentifier({ value });
const sequence = (...value: Sequence['valueBlock']['value']): Sequence => new Sequence({ value });
const tagged = (tagNumber: number, bytes: Uint8Array): Primitive =>
  new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex: bytes });
const bits = (bytes: Uint8Array, unusedBits = 0): BitString => new BitString({ valueHex: bytes, unusedBits });
const der = (value: Value): Buffer => Buffer.from(value.toBER());

function instant(at: number): UTCTime {
  const seconds = new Date(Math.floor(at / 1000) * 1000);
  return at < GENERALIZED_FROM ? new UTCTime({ valueDate: seconds }) : new GeneralizedTime({ valueDate: seconds });
}

function extension(id: string, value: Value, { critical = false } = {}): Sequence {
  const content = new OctetString({ valueHex: der(value) });
  return critical ? sequence(oid(id), new BooleanValue({ value: true }), content) : sequence(oid(id), content);
}

const keyUsage = ({ byte, unusedBits }: typeof SIGNS_CERTIFICATES): Sequence =>
  extension(Oid.KeyUsage, bits(Uint8Array.of(byte), unusedBits), { critical: true });

const nameOf = (commonName: string): Sequence =>
  sequence(new SetOf({ value: [sequence(oid(Oid.CommonName), new Utf8String({ value: commonName }))] }));

/** What is hashed is the key without its algorithm (RFC 5280, 4.2.1.2). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const info = fromBER(publicKey.export({ type: 'spki', format: 'der' })).result as Sequence;
  const [, key] = info.valueBlock.value as [Sequence, BitString];
  return createHash('sha1').update(key.valueBlock.valueHexView).digest();
}

/** The subject of a certificate as it is encoded: the issuer of another must be the same bytes. */
function subjectOf(certificate: X509Certificate): Sequence {
  const { valueBlock } = fromBER(certificate.raw).result as Sequence;
  const [signed] = valueBlock.value as [Sequence];
  return signed.valueBlock.value[5] as Sequence; // after version, serial number, algorithm, issuer and validity
}

interface Content {
  readonly issuer: Sequence;
  readonly subject: Sequence;
  readonly publicKey: KeyObject;
  readonly nowMs: number;
  readonly days: number;
  readonly extensions: Sequence[];
}

function signed({ issuer, subject, publicKey, nowMs, days, extensions }: Content, key: KeyObject): string {
  const algorithm = (): Sequence => sequence(oid(Oid.EcdsaWithSha256));
  const content = sequence(
    new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [new Integer({ value: 2 })] }), // version 3
    new Integer({ valueHex: Buffer.concat([Uint8Array.of(1), randomBytes(15)]) }),
    algorithm(),
    issuer,
    sequence(instant(nowMs - DAY_MS), instant(nowMs + days * DAY_MS)),
    subject,
    fromBER(publicKey.export({ type: 'spki', format: 'der' })).result as Sequence,
    new Constructed({ idBlock: { tagClass: 3, tagNumber: 3 }, value: [sequence(...extensions)] }),
  );
  const certificate = sequence(content, algorithm(), bits(sign('sha256', der(content), key)));
  return new X509Certificate(der(certificate)).toString();
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** @param name  common name of the authority's subject */
export function makeAuthority(name: string, nowMs: number): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = sequence(new BooleanValue({ value: true }));
  const certificate = signed(
    {
      issuer: nameOf(name),
      subject: nameOf(name),
      publicKey,
      nowMs,
      days: AUTHORITY_DAYS,
      extensions: [
        extension(Oid.BasicConstraints, isAuthority, { critical: true }),
        keyUsage(SIGNS_CERTIFICATES),
        extension(Oid.SubjectKeyIdentifier, new OctetString({ valueHex: keyIdentifier(publicKey) })),
      ],
    },
    privateKey,
  );
  return { certificate, key: pem(privateKey) };
}

/**
 * @param server.name  common name of the server's subject
 * @param server.host  the address it is reached at, beside localhost
 */
export function certify(
  authority: Authority,
  { name, host }: { readonly name: string; readonly host: string },
  nowMs: number,
): ServerCertificate {
  const issuer = new X509Certificate(authority.certificate);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const addresses = [...new Set(['127.0.0.1', '::1', host])].filter((address) => isIP(address) !== 0);
  const names = [...new Set(['localhost', ...(isIP(host) === 0 ? [host] : [])])];
  const certificate = signed(
    {
      issuer: subjectOf(issuer),
      subject: nameOf(name),
      publicKey,
      nowMs,
      days: SERVER_DAYS,
      extensions: [
        extension(Oid.BasicConstraints, sequence(), { critical: true }),
        keyUsage(SIGNS_HANDSHAKES),
        extension(Oid.ExtKeyUsage, sequence(oid(Oid.ServerAuth))),
        extension(
          Oid.SubjectAltName,
          sequence(
            ...names.map((one) => tagged(DNS_NAME, Buffer.from(one))),
            ...addresses.map((one) => tagged(IP_ADDRESS, addressBytes(one))),
          ),
        ),
        extension(Oid.AuthorityKeyIdentifier, sequence(tagged(0, keyIdentifier(issuer.publicKey)))),
      ],
    },
    createPrivateKey(authority.key),
  );
  return { certificate, key: pem(privateKey) };
}

/** The 4 or 16 bytes of an address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // As a URL writes it: lower case hexadecimal groups without a tail of IPv4.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
