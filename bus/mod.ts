// The bus: what the other rooms import.

export type {
  Bus,
  Connectivity,
  Endpoint,
  Epoch,
  EventLimits,
  EventQuery,
  HeardEvent,
  Held,
  HoldOptions,
  KeptMail,
  Lease,
  LeaseRecord,
  Leases,
  Mail,
  Mailbox,
  MailFilter,
  MailHandlers,
  MailSubscription,
  Publication,
  Service,
  Services,
  Trace,
  TraceEvent,
  Tracing,
} from './bus.ts';
export { cloudEvent } from './cloud-event.ts';
export type { NatsOptions } from './connection.ts';
export {
  AbsentError,
  boundedPauseMs,
  ConflictError,
  ErrorCode,
  type ErrorData,
  fromErrorData,
  TerminalError,
  TransientError,
  TroupeError,
  toErrorData,
  UnansweredError,
} from './errors.ts';
export { type Json, type JsonObject, parseJsonObject } from './json.ts';
export { WATCH_LEASE } from './lease-names.ts';
export type { MailSnapshot } from './memory-broker.ts';
export { type MemoryBroker, type MemoryBrokerOptions, type MemoryBus, memoryBroker } from './memory-bus.ts';
export { ALONE, type NatsBusOptions, natsBus } from './nats-bus.ts';
export { type BusExamination, examineNats, Seen } from './nats-examination.ts';
export type { FirstLease } from './nats-leases.ts';
export {
  NATS_RELEASE,
  type NatsProgramOptions,
  type NatsRelease,
  natsProgram,
  OlderServerError,
} from './nats-program.ts';
export { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts';
export { type BusRole, type BusUser, CALL_EVENT, permissionsOf } from './permissions.ts';
export { type KnownUser, newSeed, publicKeyOf, serverUsers } from './server-users.ts';
export { sharedList, sharedText, sharedUid, shareTexts } from './shared.ts';
export {
  type Address,
  addressKey,
  type MailboxSubject,
  type MailSubject,
  mailSubject,
  operationSubject,
  parseAddressKey,
  parseMailSubject,
  ROOT,
  SHARDS,
  type ShardSubject,
  shardOf,
  shardOfKey,
  shardOfMail,
  sharedAddress,
  type TurnSubject,
} from './subjects.ts';
export type { Clock, Timer } from './time.ts';
export {
  childOf,
  formatTraceparent,
  newTrace,
  parseTraceparent,
  type TraceContext,
  traceparentOf,
} from './trace-context.ts';
