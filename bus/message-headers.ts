// Headers of messages: the version of their format, and the trace of the change that caused them.
import type { MsgHdrs } from '@nats-io/transport-node';
import { TransientError } from './errors.ts';
import { validTraceparent } from './trace-context.ts';

/** Major version of what this release writes, and the only one that it reads. A message that states none is of this version. */
export const MAIL_FORMAT = 2;
export const FORMAT_HEADER = 'Troupe-Format';
export const TRACEPARENT_HEADER = 'traceparent';
/** Header of a long call: its calling process, and the id of the request. */
export const HOLD_HEADER = 'Troupe-Hold';

export interface MailHeaders {
  readonly format: number;
  readonly traceparent: string | undefined;
}

/** A header: its name, and a value of one line. */
export type HeaderLine = readonly [name: string, value: string];

const ENCODER = new TextEncoder();

/** Headers of a message that is sent. The client asks of them no more than their text, which is a tenth of the work of its own. */
export function sentHeaders(lines: readonly HeaderLine[]): MsgHdrs {
  let text = 'NATS/1.0\r\n';
  for (const [name, value] of lines) text += `${name}: ${value}\r\n`;
  // mutant: header-of-two-lines if -> false
  if (lines.some(([, value]) => BREAK.test(value))) throw new TypeError('the value of a header is longer than a line');
  return { encode: () => ENCODER.encode(`${text}\r\n`) } as unknown as MsgHdrs;
}

const BREAK = /[\r\n]/;

/** The headers of a publication. A malformed `traceparent` is left out. */
export function mailHeaders(traceparent: string | undefined): readonly HeaderLine[] {
  const format = [FORMAT_HEADER, String(MAIL_FORMAT)] as const;
  const valid = validTraceparent(traceparent);
  return valid === undefined ? [format] : [format, [TRACEPARENT_HEADER, valid]];
}

/** Malformed headers count as missing. */
export function readMailHeaders(headers: MsgHdrs | undefined): MailHeaders {
  const format = Number.parseInt(headers?.get(FORMAT_HEADER) ?? '', 10);
  return {
    format: Number.isInteger(format) ? format : MAIL_FORMAT,
    traceparent: validTraceparent(headers?.get(TRACEPARENT_HEADER)),
  };
}

/** Warning about messages that this release cannot read. */
export function unreadableFormat(format: number): string {
  const why = format > MAIL_FORMAT ? 'this process is older than others that run' : 'an earlier release wrote it';
  return `mail of format ${format} is ignored, for this process knows ${MAIL_FORMAT} alone: ${why}`;
}

/** @throws {TransientError} the value is of a newer format: a process that cannot read it must not replace it either */
export function refuseNewer({ format }: MailHeaders): void {
  if (format > MAIL_FORMAT) throw new TransientError(unreadableFormat(format));
}
