// What a log line may say of a call: who was meant, never with what secret.

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
const SECRET = /password|secret/i;
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
export function withoutSecrets(text: string, request: object): string {
  let safe = text;
  for (const [field, value] of Object.entries(request)) {
    if (SECRET.test(field) && typeof value === 'string' && value !== '') safe = safe.replaceAll(value, '(hidden)');
  }
  return safe;
}
