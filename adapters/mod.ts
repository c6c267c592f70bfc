// `troupe/adapter`: all of Troupe that an adapter from outside may import. How one is written: README.md.

// What statecharts are written with: a life is run by Troupe's XState, so it is made with that one too.
export {
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  and,
  assign,
  fromPromise,
  not,
  or,
  type SnapshotFrom,
  setup,
} from 'xstate';
export {
  AbsentError,
  ConflictError,
  ErrorCode,
  type ErrorData,
  Fault,
  TerminalError,
  TransientError,
  TroupeError,
  toErrorData,
} from '../bus/errors.ts';
export type { Clock, Timer } from '../bus/time.ts';
export { type ResourceContext, ResourceTag, type ResourceView } from '../machines/external-resource/context.ts';
export {
  type ExternalResourceOptions,
  externalResourceLife,
  type ResourceStanding,
} from '../machines/external-resource/life.ts';
export type {
  Observation,
  ResourceOperations,
  UpdateOutcome,
  WatchNews,
  WatchRequest,
} from '../machines/external-resource/operations.ts';
export { onlyNews, rarer } from '../machines/external-resource/watching.ts';
export type {
  Carried,
  Child,
  Claimant,
  FollowedKind,
  Kind,
  KnownDependencies,
  KnownDependency,
  OperationRequest,
  Reference,
  Resource,
  Standing,
} from '../machines/kind.ts';
export {
  type Advice,
  type Dependency,
  type DependencyAnswer,
  type HeldRequest,
  type Holders,
  type HoldersByFinalizer,
  type HoldOptions,
  isNeeded,
  isServing,
  isUsable,
  type Life,
  type LifeEvent,
  type LifeInput,
  type LifePorts,
  type ObjectChanged,
  type Occurrence,
  Readiness,
  type StatusPart,
  type Step,
  Tag,
  type Told,
} from '../machines/life.ts';
export type { Json, JsonObject, KubeObject, OwnerReference } from '../machines/object.ts';
export type {
  Adapter,
  AdapterLog,
  CallRecord,
  Configured,
  Counterpart,
  CounterpartPorts,
  DeclaredKind,
  ExaminationPorts,
  Examined,
  Flag,
  Given,
  KindScaffold,
  Operation,
  Operations,
  Predecessor,
  ScaffoldedFile,
  Served,
  ServePorts,
  Settings,
  Sharers,
} from './adapter.ts';
export {
  boolean,
  type Infer,
  type InferShape,
  immutable,
  integer,
  list,
  map,
  object,
  type ReferenceTarget,
  type Required,
  type Rule,
  ref,
  required,
  type Schema,
  type Shape,
  string,
} from './kubernetes/contract.ts';
export type { Contract, KindContract, KindDefinition, PrinterColumn } from './kubernetes/crds.ts';
export type { CompanionChange, Companions } from './migration.ts';
export { wholeNumber } from './settings.ts';
export type {
  AdmissionWebhook,
  ConversionWebhook,
  ConvertedObject,
  Data,
  ReviewPorts,
  ReviewReply,
  Webhooks,
} from './webhooks.ts';
