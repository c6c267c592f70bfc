// The identity of a server for its clients, kept beside its data: a kubeconfig that was handed out stays valid.
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '../../../../bus/errors.ts';
import { dig, isMap } from '../../../text/json.ts';
import type { Credentials } from '../base/credentials.ts';
import { FORMAT } from './records.ts';

export interface Identity {
  readonly credentials: Credentials;
  /** Undefined before the first start has one. */
  readonly port: number | undefined;
}

const FILE = 'identity.json';

/** @throws {TerminalError} the file is no identity */
export async function readIdentity(folder: string): Promise<Identity | undefined> {
  const path = join(folder, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = parse(text);
  if (parsed !== undefined) return parsed;
  const remedy = 'put back a copy of it, or remove it: clients then need a new kubeconfig';
  throw new TerminalError(`the file '${path}' is no identity of an API server with format ${FORMAT}: ${remedy}`);
}

function parse(text: string): Identity | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const texts = ['token', 'accountKey'].map((key) => dig(parsed, 'credentials', key));
  texts.push(...['certificate', 'key'].map((key) => dig(parsed, 'credentials', 'authority', key)));
  const port = dig(parsed, 'port');
  const isIdentity =
    isMap(parsed) &&
    parsed['format'] === FORMAT &&
    texts.every((one) => typeof one === 'string') &&
    (port === undefined || (Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536));
  return isIdentity ? (parsed as unknown as Identity) : undefined;
}

/** Returns when it is on the disk; a crash leaves the old one or the new one. */
export async function writeIdentity(folder: string, identity: Identity): Promise<void> {
  const path = join(folder, FILE);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: FORMAT, ...identity }, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const names = await open(folder, 'r');
  await names.sync().finally(() => names.close());
}
