// Names of Troupe's resources on a NATS server beside its subjects: streams, a bucket, and the subjects of the server's
// APIs for them. Built only here, for their users and for the permissions (permissions.ts).

/** Streams and buckets of a deployment, by the root of its subjects. */
export interface Names {
  readonly mail: string;
  /** A bucket; its stream is `bucketStream`. */
  readonly leases: string;
  readonly history: string;
}

export function namesOf(root: string): Names {
  const upper = root.toUpperCase();
  return { mail: `${upper}_MAIL`, leases: `${upper}_LEASES`, history: `${upper}_HISTORY` };
}

/** The stream of a KV bucket. */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** The entry of a KV bucket; without a key, what all of them begin with. */
export function entrySubject(bucket: string, key: string = ''): string {
  return `$KV.${bucket}.${key}`;
}

/** Requests of JetStream's API that are used, without what all subjects of it begin with. */
export const Operation = {
  Account: 'INFO',
  streamInfo: (stream: string) => `STREAM.INFO.${stream}`,
  createStream: (stream: string) => `STREAM.CREATE.${stream}`,
  updateStream: (stream: string) => `STREAM.UPDATE.${stream}`,
  deleteStream: (stream: string) => `STREAM.DELETE.${stream}`,
  deleteMessage: (stream: string) => `STREAM.MSG.DELETE.${stream}`,
  readMessage: (stream: string) => `STREAM.MSG.GET.${stream}`,
  readDirectly: (stream: string) => `DIRECT.GET.${stream}`,
  createConsumer: (stream: string) => `CONSUMER.CREATE.${stream}`,
  deleteConsumer: (stream: string, consumer: string) => `CONSUMER.DELETE.${stream}.${consumer}`,
} as const;

/** Subject of an operation of JetStream's API. */
export function apiSubject(operation: string): string {
  return `$JS.API.${operation}`;
}

/** Prefix of a delivery's reply subject. */
export const ACKNOWLEDGEMENT = '$JS.ACK.';

/** Subjects of acknowledgements for consumers of the stream. */
export function acknowledgements(stream: string): string {
  return `${ACKNOWLEDGEMENT}${stream}.>`;
}

/** Subjects of flow control for consumers of the stream. */
export function flowControl(stream: string): string {
  return `$JS.FC.${stream}.>`;
}

/** Subjects of server messages about the creation, change or deletion of a stream. */
export function streamAdvisory(stream: string): string {
  return `$JS.EVENT.ADVISORY.STREAM.*.${stream}`;
}

/** Questions to services: whether they are there, what they offer and what they have done. */
export type DiscoveryVerb = 'PING' | 'INFO' | 'STATS';

/** Subjects of a question: to all services, to those of a name, and to one of them. */
export function discovery(verb: DiscoveryVerb, service: string, id: string): readonly string[] {
  return [`$SRV.${verb}`, `$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.${id}`];
}

/** Subjects of all questions to services of a name. */
export function discoveries(service: string): readonly string[] {
  return (['PING', 'INFO', 'STATS'] as const).flatMap((verb) => discovery(verb, service, '*'));
}
