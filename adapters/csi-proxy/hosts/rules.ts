// Rules for names and values of callers: one function for each rule, checked at every entrance to a machine. Paths have
// rules of their own (`server/path-rules.ts`, `server/smb/remote-path.ts`).

import { Code, StatusError } from '../base/status.ts';
import type { Portal } from './host.ts';

export const DEFAULT_PORT = 3260;
export const LAST_PORT = 65_535;
/** Maximum length of a target's name, in bytes of UTF-8 (RFC 7143, 4.2.7.1). */
export const LONGEST_IQN = 223;

/** Part of the rules that a schema can express, for an address and the name of a target. */
export const WORD_PATTERN = String.raw`^[^\x00-\x1f\x7f-\x9f]+$`;

const CONTROL = /\p{Cc}/u;

/** @throws {StatusError} `INVALID_ARGUMENT`: it is none */
export function portalOf(address: string, port: number): Portal {
  if (address === '') refuse('target portal has no address');
  if (CONTROL.test(address)) refuse('the address of the target portal contains invalid characters');
  if (!Number.isInteger(port) || port < 0) refuse(`target port ${port} is none`);
  if (port > LAST_PORT) refuse(`target port ${port} is larger than ${LAST_PORT}`);
  return { address, port: port === 0 ? DEFAULT_PORT : port };
}

/** @throws {StatusError} `INVALID_ARGUMENT`: no target has that name */
export function requireIqn(iqn: string): void {
  if (iqn === '') refuse('the name of the target is empty');
  const bytes = Buffer.byteLength(iqn);
  if (bytes > LONGEST_IQN) refuse(`the name of the target has ${bytes} bytes, more than ${LONGEST_IQN}`);
  if (CONTROL.test(iqn)) refuse('the name of the target contains invalid characters');
}

/** @throws {StatusError} `INVALID_ARGUMENT` */
export function requireSize(sizeBytes: bigint, volumeId: string): void {
  if (sizeBytes < 0n) refuse(`invalid negative size ${sizeBytes} for volume (${volumeId})`);
}

/** @throws {StatusError} `INVALID_ARGUMENT`: the text is empty */
export function require(text: string, message: string): void {
  if (text === '') refuse(message);
}

function refuse(message: string): never {
  throw new StatusError(Code.InvalidArgument, message);
}
