// Credentials in Secrets. They are read where they are needed and not passed on; only a salted hash is published, which
// reveals nothing and makes guessing slow.
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { WaitingError } from '../../../bus/errors.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Derive, MachinePorts } from './serving.ts';

export interface Credentials {
  /** Empty: the Secret has none. */
  readonly username: string;
  readonly password: string;
}

export const NO_CREDENTIALS: Credentials = { username: '', password: '' };

const derived = promisify<string, string, number, { cost: number; blockSize: number; parallelization: number }, Buffer>(
  scrypt,
);
/** 16 MiB for each guess. */
const SCRYPT = { cost: 2 ** 14, blockSize: 8, parallelization: 1 };
const HASH_BYTES = 16;

export const derive: Derive = (text, salt) => derived(text, salt, HASH_BYTES, SCRYPT);

/** @throws {WaitingError} the Secret is not there, or has no such key */
export async function credentialsIn(
  { readSecret }: Pick<MachinePorts, 'readSecret'>,
  { metadata: { namespace = '' } }: KubeObject,
  name: string,
): Promise<Credentials> {
  const secret = await readSecret(namespace, name);
  const text = (key: string): string => Buffer.from(secret?.data[key] ?? '', 'base64').toString('utf8');
  const password = text('password');
  if (password === '') throw new WaitingError(`Secret/${name} has no 'password'`);
  return { username: text('username'), password };
}

/**
 * Equal for the same credentials of one object; differs between objects, so that equal credentials cannot be
 * recognized.
 */
export async function hashOf(
  { derive }: Pick<MachinePorts, 'derive'>,
  { username, password }: Credentials,
  { metadata: { uid } }: KubeObject,
): Promise<string> {
  const hash = await derive(JSON.stringify([username, password]), uid);
  return hash.toString('hex');
}
