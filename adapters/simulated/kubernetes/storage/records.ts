// The format of changes in files: a line for what is written together, its checksum first.
//
//   <CRC-32 of the rest, eight hexadecimal digits> <record>[<tab><record>...]
//
// Records, of which none has a tab or a line feed in it: JSON escapes them, and names have none.
//
//   troupe-api-server <format> log <revision>
//   troupe-api-server <format> snapshot <revision> <number of the first log that continues it>
//                                             the first lines of files: nothing later than the revision is before them
//   put <revision> <collection> <object as JSON>
//   delete <revision> <collection> <namespace>/<name>
//   end <number of objects>                   the last line of a snapshot
//
// Invariants:
//   KSIM-RECORDS-1. What was cut off at any byte, or has gaps that never reached the disk, is not taken for a line.
import { crc32 } from 'node:zlib';
import { parseJson } from '../../../text/exact-json.ts';
import { isMap } from '../../../text/json.ts';
import type { RestoredChange } from './store.ts';
import { fromText } from './stored.ts';

/** Version of the files; greater when they change so that an older server would not understand them. */
export const FORMAT = 1;

const PROGRAM = 'troupe-api-server';
const CHECKSUM_LENGTH = 8;

export function lineOf(records: readonly string[]): Buffer {
  const content = records.join('\t');
  return Buffer.from(`${checksum(content)} ${content}\n`);
}

/** The records of a line that comes without its line feed, or undefined when it is damaged (KSIM-RECORDS-1). */
export function recordsOf(line: Buffer): string[] | undefined {
  const content = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${checksum(content)} `) return undefined;
  return content.toString().split('\t');
}

const checksum = (content: string | Buffer): string => crc32(content).toString(16).padStart(CHECKSUM_LENGTH, '0');

export const logHead = (revision: number): string => `${PROGRAM} ${FORMAT} log ${revision}`;
export const snapshotHead = (revision: number, firstLog: number): string =>
  `${PROGRAM} ${FORMAT} snapshot ${revision} ${firstLog}`;

export type Head =
  | { readonly kind: 'log'; readonly revision: number }
  | { readonly kind: 'snapshot'; readonly revision: number; readonly firstLog: number };

/** @throws {Error} it is no head, or one of a newer format */
export function parseHead(record: string): Head {
  const [program, format, kind, revision, firstLog] = record.split(' ');
  if (program !== PROGRAM) throw new Error(`it begins with '${record.slice(0, 40)}' instead of '${PROGRAM}'`);
  if (format !== String(FORMAT)) {
    throw new Error(
      `it has format ${format}, and this server understands format ${FORMAT}: start the server that wrote it`,
    );
  }
  if (kind === 'log') return { kind, revision: numberOf(revision) };
  if (kind === 'snapshot') return { kind, revision: numberOf(revision), firstLog: numberOf(firstLog) };
  throw new Error(`it is a '${kind}'`);
}

export const putRecord = (key: string, revision: number, text: string): string => `put ${revision} ${key} ${text}`;
export const deleteRecord = (key: string, revision: number, namespace: string, name: string): string =>
  `delete ${revision} ${key} ${namespace}/${name}`;
export const endRecord = (count: number): string => `end ${count}`;

export type Parsed =
  | ({ readonly kind: 'change'; readonly key: string } & RestoredChange)
  | { readonly kind: 'end'; readonly count: number };

/** @throws {Error} it is no record */
export function parseRecord(record: string): Parsed {
  const [kind, first, key = ''] = record.split(' ', 3);
  const number = numberOf(first);
  if (kind === 'end') return { kind, count: number };
  const rest = record.slice(`${kind} ${first} ${key} `.length);
  if (kind === 'delete') {
    const slash = rest.indexOf('/');
    const [namespace, name] = [rest.slice(0, slash), rest.slice(slash + 1)];
    return { kind: 'change', key, revision: number, namespace, name, stored: undefined };
  }
  if (kind !== 'put') throw new Error(`it has a record of the kind '${kind?.slice(0, 20)}'`);
  const object = parseJson(rest);
  const text = Buffer.from(rest).toString(); // of its own: a piece of the line would keep all of it in memory
  if (!isMap(object) || !isMap(object['metadata'])) throw new Error('it has an object without metadata');
  const stored = fromText(number, object['metadata'], text);
  const { namespace = '', name = '' } = stored.metadata;
  return { kind: 'change', key, revision: number, namespace, name, stored };
}

function numberOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new Error(`it has '${text}' where a number belongs`);
  return Number(text);
}
