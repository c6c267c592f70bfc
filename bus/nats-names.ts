// What is Troupe's on a NATS server beside its subjects: streams, a bucket, and the subjects of the server's own APIs that
// lead to them. Built here alone, for those who use them and for the permissions of those who may (permissions.ts).

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

/** Where an operation of JetStream's API is asked for. */
export function apiSubject(operation: string): string {
  return `$JS.API.${operation}`;
}

/** What a delivery's reply subject begins with. */
export const ACKNOWLEDGEMENT = '$JS.ACK.';

/** Where a consumer of the stream may be told that a delivery was heard. */
export function acknowledgements(stream: string): string {
  return `${ACKNOWLEDGEMENT}${stream}.>`;
}

/** Where consumers of the stream ask to be told how far their reader is. */
export function flowControl(stream: string): string {
  return `$JS.FC.${stream}.>`;
}

/** Where the server tells that a stream was made, changed or deleted. */
export function streamAdvisory(stream: string): string {
  return `$JS.EVENT.ADVISORY.STREAM.*.${stream}`;
}

/** What services are asked: whether they are there, what they offer and what they have done. */
export type DiscoveryVerb = 'PING' | 'INFO' | 'STATS';

/** Where they are asked it: all of them, those of a name, and one of them. */
export function discovery(verb: DiscoveryVerb, service: string, id: string): readonly string[] {
  return [`$SRV.${verb}`, `$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.${id}`];
}

/** Where services of a name are asked anything. */
export function discoveries(service: string): readonly string[] {
  return (['PING', 'INFO', 'STATS'] as const).flatMap((verb) => discovery(verb, service, '*'));
}
