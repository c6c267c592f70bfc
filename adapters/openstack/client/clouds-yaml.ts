// The credentials secret: a `clouds.yaml` and, perhaps, a CA.
//
// Invariants:
//   OS-CLOUDS-YAML-1. No error message holds anything that the secret holds, but the names of its keys.
//   OS-CLOUDS-YAML-2. Reading is synchronous although a tenant wrote the text: it is short, and read in time linear in
//       its length.
import { readFile } from 'node:fs/promises';
import { type Document, isMap, isScalar, type Node, parseDocument, visit } from 'yaml';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError, toErrorData } from '../../../bus/errors.ts';

/** A longer one is not read, in bytes: the parser takes some microseconds for each. */
const LONGEST = 64 * 1024;

/** A secret as Kubernetes stores it. */
export interface CredentialsSecret {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Values in base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** Used part of one cloud of a `clouds.yaml`. */
export interface CloudEntry {
  /** Members of `auth`; numbers are kept as they were written. */
  readonly auth: Readonly<Record<string, string>>;
  /** Lower case; empty when absent. */
  readonly authType: string;
  readonly region: string | undefined;
  readonly endpointInterface: 'public' | 'internal' | 'admin';
  /** Whether the cloud's certificate is checked. */
  readonly verify: 'verified' | 'unverified';
}

export interface Credentials {
  readonly entry: CloudEntry;
  /** Certificates in PEM; undefined when the secret has none. */
  readonly ca: string | undefined;
}

/**
 * Reads the credentials of one cloud from a secret.
 *
 * @throws {TransientError} with the messages of the contract: no key `clouds.yaml`, not parsable, no such cloud
 */
export function parseCredentials(
  secret: CredentialsSecret,
  { secretName, cloudName }: { readonly secretName: string; readonly cloudName: string },
): Credentials {
  const unreadable = (reason: string): TransientError =>
    new TransientError(`failed to unmarshal clouds credentials stored in secret ${secretName}: ${reason}`);
  const encoded = secret.data['clouds.yaml'];
  if (encoded !== undefined && Buffer.byteLength(encoded, 'base64') > LONGEST)
    throw unreadable(`it is longer than ${LONGEST / 1024} KiB`);
  const text = decode(encoded);
  if (text === undefined) {
    throw new TransientError(`OpenStack credentials secret ${secretName} did not contain key clouds.yaml`);
  }
  const content = parseYaml(text, unreadable);
  const clouds = content['clouds'] ?? {};
  if (!isObject(clouds)) throw unreadable("'clouds' is not a mapping");
  // Own members only: a cloud named 'constructor' is not there either.
  const cloud = Object.hasOwn(clouds, cloudName) ? clouds[cloudName] : undefined;
  if (cloud === undefined) throw new TransientError(`no cloud named: ${cloudName}, in the provided config`);
  if (cloud !== null && !isObject(cloud)) throw unreadable(`cloud '${cloudName}' is not a mapping`);
  const auth = cloud?.['auth'] ?? {};
  if (!isObject(auth)) throw unreadable(`'auth' of cloud '${cloudName}' is not a mapping`);
  const values: Record<string, string> = {};
  for (const key of Object.keys(auth).sort()) {
    const value = auth[key];
    if (value === null) continue;
    if (typeof value !== 'string') throw unreadable(`'auth.${key}' of cloud '${cloudName}' is not a string`);
    values[key] = value;
  }
  const member = (key: string): string => {
    const value = cloud?.[key] ?? '';
    if (typeof value !== 'string') throw unreadable(`'${key}' of cloud '${cloudName}' is not a string`);
    return value;
  };
  const ca = decode(secret.data['cacert']);
  return {
    entry: {
      auth: values,
      authType: member('auth_type').toLowerCase(),
      region: member('region_name') === '' ? undefined : member('region_name'),
      endpointInterface: interfaceNamed(member('endpoint_type') || member('interface')),
      verify: ['false', 'no', 'off'].includes(member('verify').toLowerCase()) ? 'unverified' : 'verified',
    },
    // A PEM without certificate counts as none.
    ca: ca?.includes('-----BEGIN CERTIFICATE-----') ? ca : undefined,
  };
}

function parseYaml(text: string, unreadable: (reason: string) => TransientError): JsonObject {
  // Scalars stay text, so that a password of digits keeps its zeros. The parser's own messages quote the input (OS-CLOUDS-YAML-1).
  // The parser compares each key with all others (OS-CLOUDS-YAML-2): `repeatedKey` does it here.
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: ['null', 'merge'],
    prettyErrors: false,
    // mutant: yaml-unique-keys drop
    uniqueKeys: false,
  });
  const [error] = document.errors;
  const at = error?.pos[0] ?? repeatedKey(document);
  if (at !== undefined) {
    const line = text.slice(0, at).split('\n').length;
    throw unreadable(`not valid YAML: ${error?.code ?? 'DUPLICATE_KEY'} at line ${line}`);
  }
  const content: unknown = toValue(document, unreadable);
  if (isMap(document.contents as Node | null) && isObject(content as Json)) return content as JsonObject;
  if (content === null || content === '') return {};
  throw unreadable('not a mapping');
}

/** Position of the first repeated key of a mapping. */
function repeatedKey(document: Document.Parsed): number | undefined {
  let at: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) at = key.range?.[0] ?? 0;
        keys.add(key.value);
      }
      return at === undefined ? undefined : visit.BREAK;
    },
  });
  return at;
}

function toValue(document: Document.Parsed, unreadable: (reason: string) => TransientError): unknown {
  try {
    return document.toJS();
  } catch {
    // Without cause: an unresolved alias is named in the message, and may well be a password that begins with '*'.
    throw unreadable('not valid YAML: an alias without anchor, or too many aliases');
  }
}

function interfaceNamed(text: string): CloudEntry['endpointInterface'] {
  switch (text.toLowerCase().replace(/url$/, '')) {
    case 'internal':
      return 'internal';
    case 'admin':
      return 'admin';
    default:
      return 'public';
  }
}

function decode(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('utf8');
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The clouds.yaml that OS_CLIENT_CONFIG_FILE names. @throws {TerminalError} it cannot be read */
export async function readClouds(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { message } = toErrorData(error);
    throw new TerminalError(`OS_CLIENT_CONFIG_FILE must name a clouds.yaml that can be read: ${message}`, {
      cause: error,
    });
  }
}
