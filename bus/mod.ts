// Exports of the bus.

export type {
  Bus,
  Connectivity,
  Endpoint,
  Epoch,
  EventLimits,
  EventQuery,
  Lease,
  LeaseRecord,
  Leases,
  LongCallHandle,
  LongCallOptions,
  Mailbox,
  MailboxFilter,
  MailboxHandlers,
  MailboxMessage,
  MailboxSubscription,
  Publication,
  ReceivedEvent,
  Service,
  Services,
  TimestampedMessage,
  Trace,
  TraceEvent,
  Tracing,
} from './bus.ts';
export { cloudEvent } from './cloud-event.ts';
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
  UnknownOutcomeError,
} from './errors.ts';
export { FileChanges } from './file-changes.ts';
export { internList, internText, internTexts, internUid } from './interning.ts';
export { type Json, type JsonObject, parseJsonObject } from './json.ts';
export { WATCH_LEASE } from './lease-names.ts';
export { type MemoryBroker, type MemoryBus, memoryBroker } from './memory-bus.ts';
export { ALONE, type NatsBusOptions, natsBus } from './nats-bus.ts';
export { type BusCheck, checkNats, Finding as Seen } from './nats-check.ts';
export type { FirstLease } from './nats-leases.ts';
export {
  type NatsProgramOptions,
  natsProgram,
  OlderServerError,
} from './nats-program.ts';
export { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts';
export { type BusRole, type BusUser, CALL_EVENT } from './permissions.ts';
export { type KnownUser, newSeed, publicKeyOf, serverUsers } from './server-users.ts';
export {
  type ActorSubject,
  type Address,
  addressKey,
  internAddress,
  type MailboxSubject,
  mailboxSubject,
  operationSubject,
  parseAddressKey,
  parseMailboxSubject,
  type ReservationSubject,
  ROOT,
  SHARDS,
  type ShardSubject,
  shardOf,
  shardOfKey,
  shardOfMail,
} from './subjects.ts';
export { type Clock, SLOWEST_PACE, type Timer } from './time.ts';
export {
  formatTraceparent,
  parseTraceparent,
  type TraceContext,
  traceparentOf,
  validTraceparent,
} from './trace-context.ts';
