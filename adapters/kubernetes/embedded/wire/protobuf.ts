// Reading objects of the built-in kinds from protobuf, which Go clients send for them. Answers are JSON: clients that
// send protobuf accept it. The field numbers are those of the published `generated.proto` files of the API.
import type { JsonMap } from '../json.ts';

/** What precedes every object on the wire. */
const MAGIC = Buffer.from('k8s\0');

type Kind =
  | 'text'
  | 'flag'
  | 'int'
  | 'time'
  | 'microTime'
  | 'bytes'
  | 'json'
  | 'textMap'
  | 'bytesMap'
  | 'textsMap'
  | Message;

/** Field number to name and kind; a name that ends in `[]` is repeated. */
interface Message {
  readonly [number: number]: readonly [string, Kind];
}

const OBJECT_REFERENCE: Message = {
  1: ['kind', 'text'],
  2: ['namespace', 'text'],
  3: ['name', 'text'],
  4: ['uid', 'text'],
  5: ['apiVersion', 'text'],
  6: ['resourceVersion', 'text'],
  7: ['fieldPath', 'text'],
};

const METADATA: Message = {
  1: ['name', 'text'],
  2: ['generateName', 'text'],
  3: ['namespace', 'text'],
  5: ['uid', 'text'],
  6: ['resourceVersion', 'text'],
  7: ['generation', 'int'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int'],
  11: ['labels', 'textMap'],
  12: ['annotations', 'textMap'],
  13: [
    'ownerReferences[]',
    {
      1: ['kind', 'text'],
      3: ['name', 'text'],
      4: ['uid', 'text'],
      5: ['apiVersion', 'text'],
      6: ['controller', 'flag'],
      7: ['blockOwnerDeletion', 'flag'],
    },
  ],
  14: ['finalizers[]', 'text'],
  17: [
    'managedFields[]',
    {
      1: ['manager', 'text'],
      2: ['operation', 'text'],
      3: ['apiVersion', 'text'],
      4: ['time', 'time'],
      6: ['fieldsType', 'text'],
      7: ['fieldsV1', 'json'],
      8: ['subresource', 'text'],
    },
  ],
};

const EVENT_SOURCE: Message = { 1: ['component', 'text'], 2: ['host', 'text'] };
const EVENT_SERIES: Message = { 1: ['count', 'int'], 2: ['lastObservedTime', 'microTime'] };

const MESSAGES: Readonly<Record<string, Message>> = {
  'v1 Namespace': {
    1: ['metadata', METADATA],
    2: ['spec', { 1: ['finalizers[]', 'text'] }],
    3: ['status', { 1: ['phase', 'text'] }],
  },
  'v1 Secret': {
    1: ['metadata', METADATA],
    2: ['data', 'bytesMap'],
    3: ['type', 'text'],
    4: ['stringData', 'textMap'],
    5: ['immutable', 'flag'],
  },
  'v1 ConfigMap': {
    1: ['metadata', METADATA],
    2: ['data', 'textMap'],
    3: ['binaryData', 'bytesMap'],
    4: ['immutable', 'flag'],
  },
  'v1 ServiceAccount': {
    1: ['metadata', METADATA],
    2: ['secrets[]', OBJECT_REFERENCE],
    3: ['imagePullSecrets[]', { 1: ['name', 'text'] }],
    4: ['automountServiceAccountToken', 'flag'],
  },
  'v1 Event': {
    1: ['metadata', METADATA],
    2: ['involvedObject', OBJECT_REFERENCE],
    3: ['reason', 'text'],
    4: ['message', 'text'],
    5: ['source', EVENT_SOURCE],
    6: ['firstTimestamp', 'time'],
    7: ['lastTimestamp', 'time'],
    8: ['count', 'int'],
    9: ['type', 'text'],
    10: ['eventTime', 'microTime'],
    11: ['series', EVENT_SERIES],
    12: ['action', 'text'],
    13: ['related', OBJECT_REFERENCE],
    14: ['reportingComponent', 'text'],
    15: ['reportingInstance', 'text'],
  },
  'events.k8s.io/v1 Event': {
    1: ['metadata', METADATA],
    2: ['eventTime', 'microTime'],
    3: ['series', EVENT_SERIES],
    4: ['reportingController', 'text'],
    5: ['reportingInstance', 'text'],
    6: ['action', 'text'],
    7: ['reason', 'text'],
    8: ['regarding', OBJECT_REFERENCE],
    9: ['related', OBJECT_REFERENCE],
    10: ['note', 'text'],
    11: ['type', 'text'],
    12: ['deprecatedSource', EVENT_SOURCE],
    13: ['deprecatedFirstTimestamp', 'time'],
    14: ['deprecatedLastTimestamp', 'time'],
    15: ['deprecatedCount', 'int'],
  },
  'coordination.k8s.io/v1 Lease': {
    1: ['metadata', METADATA],
    2: [
      'spec',
      {
        1: ['holderIdentity', 'text'],
        2: ['leaseDurationSeconds', 'int'],
        3: ['acquireTime', 'microTime'],
        4: ['renewTime', 'microTime'],
        5: ['leaseTransitions', 'int'],
        6: ['strategy', 'text'],
        7: ['preferredHolder', 'text'],
      },
    ],
  },
};

const SELECTOR: Message = {
  1: ['rawSelector', 'text'],
  2: ['requirements[]', { 1: ['key', 'text'], 2: ['operator', 'text'], 3: ['values[]', 'text'] }],
};
const RESOURCE_ATTRIBUTES: Message = {
  1: ['namespace', 'text'],
  2: ['verb', 'text'],
  3: ['group', 'text'],
  4: ['version', 'text'],
  5: ['resource', 'text'],
  6: ['subresource', 'text'],
  7: ['name', 'text'],
  8: ['fieldSelector', SELECTOR],
  9: ['labelSelector', SELECTOR],
};
const ACCESS_REVIEW_SPEC: Message = {
  1: ['resourceAttributes', RESOURCE_ATTRIBUTES],
  2: ['nonResourceAttributes', { 1: ['path', 'text'], 2: ['verb', 'text'] }],
  3: ['user', 'text'],
  4: ['groups[]', 'text'],
  5: ['extra', 'textsMap'],
  6: ['uid', 'text'],
};
const ACCESS_REVIEW: Message = { 1: ['metadata', METADATA], 2: ['spec', ACCESS_REVIEW_SPEC] };
const RULES: readonly [string, Message] = [
  'rules[]',
  {
    1: ['verbs[]', 'text'],
    2: ['apiGroups[]', 'text'],
    3: ['resources[]', 'text'],
    4: ['resourceNames[]', 'text'],
    5: ['nonResourceURLs[]', 'text'],
  },
];
const LABEL_SELECTOR: Message = {
  1: ['matchLabels', 'textMap'],
  2: ['matchExpressions[]', { 1: ['key', 'text'], 2: ['operator', 'text'], 3: ['values[]', 'text'] }],
};
const BINDING: Message = {
  1: ['metadata', METADATA],
  2: ['subjects[]', { 1: ['kind', 'text'], 2: ['apiGroup', 'text'], 3: ['name', 'text'], 4: ['namespace', 'text'] }],
  3: ['roleRef', { 1: ['apiGroup', 'text'], 2: ['kind', 'text'], 3: ['name', 'text'] }],
};

/** Of the groups about who may do what. */
const ACCESS_MESSAGES: Readonly<Record<string, Message>> = {
  'authentication.k8s.io/v1 SelfSubjectReview': { 1: ['metadata', METADATA] },
  'authentication.k8s.io/v1 TokenReview': {
    1: ['metadata', METADATA],
    2: ['spec', { 1: ['token', 'text'], 2: ['audiences[]', 'text'] }],
  },
  'authentication.k8s.io/v1 TokenRequest': {
    1: ['metadata', METADATA],
    2: [
      'spec',
      {
        1: ['audiences[]', 'text'],
        3: [
          'boundObjectRef',
          { 1: ['kind', 'text'], 2: ['apiVersion', 'text'], 3: ['name', 'text'], 4: ['uid', 'text'] },
        ],
        4: ['expirationSeconds', 'int'],
      },
    ],
  },
  'authorization.k8s.io/v1 LocalSubjectAccessReview': ACCESS_REVIEW,
  'authorization.k8s.io/v1 SelfSubjectAccessReview': ACCESS_REVIEW,
  'authorization.k8s.io/v1 SelfSubjectRulesReview': {
    1: ['metadata', METADATA],
    2: ['spec', { 1: ['namespace', 'text'] }],
  },
  'authorization.k8s.io/v1 SubjectAccessReview': ACCESS_REVIEW,
  'rbac.authorization.k8s.io/v1 Role': { 1: ['metadata', METADATA], 2: RULES },
  'rbac.authorization.k8s.io/v1 ClusterRole': {
    1: ['metadata', METADATA],
    2: RULES,
    3: ['aggregationRule', { 1: ['clusterRoleSelectors[]', LABEL_SELECTOR] }],
  },
  'rbac.authorization.k8s.io/v1 RoleBinding': BINDING,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': BINDING,
};

const DELETE_OPTIONS: Message = {
  1: ['gracePeriodSeconds', 'int'],
  2: ['preconditions', { 1: ['uid', 'text'], 2: ['resourceVersion', 'text'] }],
  4: ['propagationPolicy', 'text'],
  5: ['dryRun[]', 'text'],
};

const ENVELOPE: Message = { 1: ['typeMeta', { 1: ['apiVersion', 'text'], 2: ['kind', 'text'] }], 2: ['raw', 'bytes'] };

interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new SyntaxError('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) {
      yield { number: tag >> 3, value: varint() };
      continue;
    }
    if (wire !== 2 && wire !== 1 && wire !== 5) throw new SyntaxError(`proto: illegal wireType ${wire}`);
    const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4;
    if (at + length > bytes.length) throw new SyntaxError('unexpected EOF');
    yield { number: tag >> 3, value: bytes.subarray(at, at + length) };
    at += length;
  }
}

function instant(bytes: Buffer, digits: 'seconds' | 'micros'): string | undefined {
  const time = decode({ 1: ['seconds', 'int'], 2: ['nanos', 'int'] }, bytes);
  const [seconds, nanos] = [Number(time['seconds'] ?? 0), Number(time['nanos'] ?? 0)];
  if (bytes.length === 0) return undefined;
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return digits === 'seconds' ? `${whole}Z` : `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

function decodedValue(kind: Kind, value: bigint | Buffer): unknown {
  if (typeof value === 'bigint') return kind === 'flag' ? value !== 0n : Number(BigInt.asIntN(64, value));
  if (typeof kind === 'object') return decode(kind, value);
  switch (kind) {
    case 'time':
      return instant(value, 'seconds');
    case 'microTime':
      return instant(value, 'micros');
    case 'json':
      return JSON.parse(decodeBytes(value).toString() || '{}');
    case 'bytes':
      return value.toString('base64');
    default:
      return value.toString();
  }
}

const decodeBytes = (message: Buffer): Buffer => {
  for (const { number, value } of fieldsOf(message)) if (number === 1 && typeof value !== 'bigint') return value;
  return Buffer.alloc(0);
};

/** Absent and empty are one in protobuf; what is empty is left out, as the JSON of the API leaves it out. */
function isBlank(value: unknown): boolean {
  return (
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

/** The values of maps, by the kind of map. */
const MAP_VALUES: Readonly<Partial<Record<string, Kind>>> = {
  textMap: 'text',
  bytesMap: 'bytes',
  textsMap: { 1: ['items[]', 'text'] },
};

function decode(message: Message, bytes: Buffer): JsonMap {
  const result: JsonMap = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const field = message[number];
    if (field === undefined) continue;
    const [name, kind] = field;
    const valueKind = typeof kind === 'string' ? MAP_VALUES[kind] : undefined;
    if (valueKind !== undefined && typeof value !== 'bigint') {
      const entry = decode({ 1: ['key', 'text'], 2: ['value', valueKind] }, value);
      const map = (result[name] ?? {}) as JsonMap;
      const held = entry['value'] ?? '';
      map[String(entry['key'] ?? '')] = kind === 'textsMap' ? (((held || {}) as JsonMap)['items'] ?? []) : held;
      result[name] = map;
    } else if (name.endsWith('[]')) {
      const list = (result[name.slice(0, -2)] ?? []) as unknown[];
      list.push(decodedValue(kind, value));
      result[name.slice(0, -2)] = list;
    } else {
      const decoded = decodedValue(kind, value);
      if (!isBlank(decoded)) result[name] = decoded;
    }
  }
  return result;
}

/**
 * Reads an object.
 *
 * @throws {SyntaxError} no protobuf of the API, or of a kind that is not known here
 */
export function fromProtobuf(body: Buffer): JsonMap {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new SyntaxError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const { typeMeta, raw } = decode(ENVELOPE, body.subarray(MAGIC.length));
  const { apiVersion = '', kind = '' } = (typeMeta ?? {}) as { apiVersion?: string; kind?: string };
  const bytes = Buffer.from(typeof raw === 'string' ? raw : '', 'base64');
  if (kind === 'DeleteOptions') return decode(DELETE_OPTIONS, bytes);
  const known = `${apiVersion} ${kind}`;
  const message = MESSAGES[known] ?? ACCESS_MESSAGES[known];
  if (message === undefined) throw new SyntaxError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, ...decode(message, bytes) };
}
