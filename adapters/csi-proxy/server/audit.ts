// Log fields of a call: its arguments, without secrets.
import type { MessageType } from '../codec/mod.ts';

/** Fields that name what a call is about. Nothing else of a request is ever written down. */
const NAMING: ReadonlySet<string> = new Set([
  'diskID',
  'diskId',
  'diskNumber',
  'force',
  'iqn',
  'isOnline',
  'localPath',
  'mount',
  'name',
  'partitionNumber',
  'path',
  'remotePath',
  'size',
  'sizeBytes',
  'sourcePath',
  'targetAddress',
  'targetPath',
  'targetPort',
  'targetPortal',
  'volumeId',
]);
/** Enough for every path that a call may name. */
const LONGEST_TEXT = 300;

/** The fields of a request that name something, as plain data. */
export function subjectOf(request: object): Record<string, unknown> {
  const subject: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(request)) {
    if (NAMING.has(field) && value !== undefined) subject[field] = plain(value);
  }
  return subject;
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'object' && value !== null ? subjectOf(value) : value;
}

/** `text` without the secrets of the request it is about: Windows may repeat what it was given. */
export function withoutSecrets<Request extends object>(
  text: string,
  type: MessageType<Request>,
  request: Request,
): string {
  let safe = text;
  for (const [name, value] of Object.entries(request)) {
    const isSecret = type.fields[name]?.isSecret === true;
    if (isSecret && typeof value === 'string' && value !== '') safe = safe.replaceAll(value, '(hidden)');
  }
  return safe;
}
