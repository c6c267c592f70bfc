// `troupe/adapter`: everything of Troupe that an external adapter may import. README.md explains how to write one.

// XState of Troupe: it runs the lifecycles, so they must be made with the same one.
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
  UnknownOutcomeError,
} from '../bus/errors.ts';
export type { Clock, Timer } from '../bus/time.ts';
export { type ResourceContext, ResourceTag, type ResourceView } from '../machines/external-resource/context.ts';
export {
  type ExternalResourceOptions,
  externalResourceLife,
  type ResourceState,
} from '../machines/external-resource/lifecycle.ts';
export type {
  Observation,
  ResourceOperations,
  UpdateOutcome,
  WatchRequest,
  WatchUpdate,
} from '../machines/external-resource/operations.ts';
export { onlyChanges, pollBackoff } from '../machines/external-resource/polling.ts';
export type {
  Child,
  Claimant,
  Kind,
  KnownDependencies,
  KnownDependency,
  Operation,
  OperationRequest,
  PublicState,
  Reference,
  ReferencedKind,
  Resource,
  RetainedMetadata,
} from '../machines/kind.ts';
export {
  type Dependency,
  type DependencyAnswer,
  type Hint,
  type Holders,
  type HoldersByFinalizer,
  isNeeded,
  isServing,
  isUsable,
  type Lifecycle,
  type LifecycleEvent,
  type LifecycleInput,
  type LifecyclePorts,
  type LongCallOptions,
  type LongCallRequest,
  type ObjectChanged,
  type PortsOf,
  Readiness,
  type StatusPart,
  type Step,
  type StepDetails,
  Tag,
  type UserEvent,
} from '../machines/lifecycle.ts';
export type { Json, JsonObject, KubeObject, OwnerReference } from '../machines/object.ts';
export { type EffectMaker, type EffectRun, effectsOver } from '../machines/statechart.ts';
export type {
  AccessCheckPorts,
  AccessCheckResult,
  Adapter,
  AdapterLog,
  CallRecord,
  Configured,
  DeclaredKind,
  DevBackend,
  DevBackendPorts,
  Flag,
  FlagValue,
  KindScaffold,
  LegacyController,
  Operations,
  ReplicaCount,
  ScaffoldedFile,
  Served,
  ServePorts,
  Settings,
} from './api/adapter.ts';
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
} from './api/contract/contract.ts';
export type { Contract, KindContract, KindDefinition, PrinterColumn } from './api/contract/crds.ts';
export type { CompanionChange, Companions } from './api/migration.ts';
export { wholeNumber } from './api/settings.ts';
export { deadlineSignal, errorOf, type JsonCall, type JsonClientDeps, jsonClient } from './api/standard/calls.ts';
export {
  ConditionReason,
  isAvailable,
  isSettled,
  standardColumns,
  standardConditions,
  standardStatus,
} from './api/standard/conditions.ts';
export {
  type StandardKindOptions,
  type StandardOperations,
  standardKind,
  standardOperations,
} from './api/standard/kind.ts';
export { referencesOf, secretRef, secretText } from './api/standard/references.ts';
export type {
  AdmissionWebhook,
  ConversionWebhook,
  ConvertedObject,
  Data,
  ReviewPorts,
  ReviewReply,
  Webhooks,
} from './api/webhooks.ts';
