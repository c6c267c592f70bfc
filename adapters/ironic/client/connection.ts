// The connection to Ironic: what its options name, read from files or from a resource in the cluster.
//
// Invariants:
//   IRONIC-CONNECTION-1. What a file or a Secret holds is in no message.
import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { TerminalError } from '../../../bus/errors.ts';
import type { Trust } from '../../http/transport.ts';
import type { ConnectionOptions } from './options.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How Ironic is reached. */
export interface Connection {
  /** Without `/v1`, and without a slash at its end. */
  readonly endpoint: string;
  readonly trust: Trust;
  /** Credentials for HTTP basic authentication; undefined if Ironic needs none. */
  readonly credentials: Credentials | undefined;
}

/** Files as they are now. */
export interface Files {
  /** The text; undefined: there is no such file. */
  read(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

export const diskFiles: Files = {
  read: (path) => unlessMissing(readFile(path, 'utf8')),
  exists: async (path) => (await unlessMissing(access(path, constants.F_OK).then(() => true))) ?? false,
};

/** Contents of the files, without the endpoint. */
export interface Keys extends Pick<Connection, 'trust' | 'credentials'> {
  /** For people. */
  readonly warnings: readonly string[];
}

/**
 * Reads the files that the options name.
 *
 * @throws {TerminalError} one cannot be read, or is not what it has to be
 */
export async function readKeys(
  options: Pick<ConnectionOptions, 'caFile' | 'clientCertificateFile' | 'clientKeyFile' | 'verify' | 'authFolder'>,
  files: Files = diskFiles,
): Promise<Keys> {
  const { caFile, clientCertificateFile, clientKeyFile, verify, authFolder } = options;
  const [ca, certificate, key] = await Promise.all(
    [caFile, clientCertificateFile, clientKeyFile].map((path) => readable(files, path)),
  );
  const client = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  if (ca !== undefined) checkAuthorities(ca, `'${caFile}'`);
  if (client !== undefined) {
    checkPair(client.certificate, client.key, `'${clientCertificateFile}' and '${clientKeyFile}'`);
  }
  const isHalf = client === undefined && (certificate !== undefined || key !== undefined);
  return {
    trust: { ca, verify, ...(client !== undefined && { client }) },
    credentials: await readCredentials(files, authFolder),
    warnings: isHalf
      ? [
          `of '${clientCertificateFile}' and '${clientKeyFile}' only one exists, so that no certificate is shown to Ironic`,
        ]
      : [],
  };
}

/** @throws {TerminalError} user or password is empty, or such that HTTP cannot carry it */
export function checkedCredentials(username: string, password: string, of: string): Credentials {
  const [user, word] = [username.trim(), password.trim()];
  if (user === '' || word === '') throw new TerminalError(`username or password in ${of} is empty`);
  if (user.includes(':')) throw new TerminalError(`username in ${of} holds a colon, which HTTP basic cannot carry`);
  return { username: user, password: word };
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----.*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/gs;

/** Certificates in PEM, one after the other; whatever stands between them. @param of  for people @throws {TerminalError} it holds none */
export function checkAuthorities(pem: string, of: string): void {
  checked(`${of} holds no certificate in PEM`, () => {
    const all = pem.match(CERTIFICATE) ?? [];
    // TLS itself overlooks what it cannot read.
    for (const each of all) new X509Certificate(each);
    return all.length > 0;
  });
}

function checkPair(cert: string, key: string, of: string): void {
  checked(`${of} are no certificate and its key in PEM`, () => {
    createSecureContext({ cert, key });
    return cert.match(CERTIFICATE) !== null;
  });
}

/** @throws {TerminalError} with this text, without cause: a logged cause could contain the text of a key */
function checked(text: string, check: () => boolean): void {
  let isGood = false;
  let code = '';
  try {
    isGood = check();
  } catch (error) {
    code = codeOf(error);
  }
  if (!isGood) throw new TerminalError(`${text}${code}`);
}

async function readCredentials(files: Files, folder: string): Promise<Credentials | undefined> {
  if (!(await exists(files, folder))) return undefined;
  const [username, password] = await Promise.all(
    ['username', 'password'].map(async (name) => {
      const path = join(folder, name);
      const text = await readable(files, path);
      if (text === undefined) throw new TerminalError(`there is no '${path}', though there is '${folder}'`);
      return text;
    }),
  );
  return checkedCredentials(username ?? '', password ?? '', `'${folder}'`);
}

async function readable(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    throw new TerminalError(`'${path}' cannot be read${codeOf(error)}`);
  }
}

async function exists(files: Files, path: string): Promise<boolean> {
  try {
    return await files.exists(path);
  } catch (error) {
    throw new TerminalError(`'${path}' cannot be read${codeOf(error)}`);
  }
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
