// Types of the core group, of leases and of events. The notation is that of schemas/types.ts.

export const CORE_TYPES = `
kind ConfigMap: Settings for programs, by key.
  3 binaryData {}bytes: Values that are no text, in base64. No key may be in data too.
  2 data {}string: Values that are text.
  4 immutable *boolean: Once true, data and binaryData stay as they are, and so does this.
kind Event: A report about an object, kept for a limited time.
  12 action string: What was done, or failed.
  8 count int32: How often it happened.
  10 eventTime MicroTime=null: When it was seen first.
  6 firstTimestamp Time=null: When it was recorded first.
  2 involvedObject! ObjectReference={}: The object it happened to.
  7 lastTimestamp Time=null: When it was recorded last.
  4 message string: What happened, for people.
  1 metadata! meta.ObjectMeta: What every object has.
  3 reason string: Why it happened, in one word.
  13 related *ObjectReference: A second object that takes part.
  14 reportingComponent string="": The controller that reports, such as example.com/painter.
  15 reportingInstance string="": Which of its processes reports.
  11 series *EventSeries: The repetitions, when there are several.
  5 source EventSource={}: Who reports.
  9 type string: Normal or Warning.
ObjectReference (atomic): Names an object.
  5 apiVersion string: Group and version.
  7 fieldPath string: A part of the object.
  1 kind string: The kind.
  3 name string: The name.
  2 namespace string: The namespace.
  6 resourceVersion string: A certain version of the object.
  4 uid string: The UID.
EventSeries: Repetitions of an event.
  1 count int32: How many there were until lastObservedTime.
  2 lastObservedTime MicroTime=null: When the last was seen.
EventSource: Who reports an event.
  1 component string: The program.
  2 host string: Where it runs.
kind Namespace: Keeps objects apart: names are unique within one.
  2 spec NamespaceSpec={}: What is wanted of the namespace.
  3 status NamespaceStatus={}: How the namespace is.
NamespaceSpec: What is wanted of a namespace.
  1 finalizers []string: Who must let go of a deleted namespace before it is removed.
NamespaceStatus: How a namespace is.
  2 conditions [type]NamespaceCondition: How its deletion proceeds.
  1 phase string(Active|Terminating)="Active": Whether it is in use or being deleted.
NamespaceCondition: One aspect of how a namespace is.
  4 lastTransitionTime Time=null: When the status changed last.
  6 message string: Details for people.
  5 reason string: Why the status is what it is, in one word.
  2 status! string="": True, False or Unknown.
  1 type! string="": Which aspect.
kind Secret: Confidential values, by key.
  2 data {}bytes: The values in base64.
  5 immutable *boolean: Once true, data stays as it is, and so does this.
  4 stringData {}string: Values as plain text; the server moves them to data and never returns them.
  3 type string: What kind of secret it is, for the programs that read it.
kind ServiceAccount: An identity for programs.
  4 automountServiceAccountToken *boolean: Whether pods of this account get a token.
  3 imagePullSecrets []LocalObjectReference: Secrets to fetch images with.
  2 secrets [name]ObjectReference: Secrets that pods of this account may mount.
LocalObjectReference (atomic): Names an object of a known kind in the same namespace.
  1 name string: The name.
`;

export const LEASE_TYPES = `
kind Lease: A lock with a holder and a duration.
  2 spec LeaseSpec={}: The holder and the duration.
LeaseSpec: The holder of a lease and its duration.
  3 acquireTime MicroTime: When the holder took it.
  1 holderIdentity *string: The holder.
  2 leaseDurationSeconds *int32: Seconds after renewTime at which others may take it.
  5 leaseTransitions *int32: How often the holder changed.
  7 preferredHolder *string: Whom the holder should make room for. Needs a strategy.
  4 renewTime MicroTime: When the holder confirmed it last.
  6 strategy *string: How a coordinated election picks the holder.
`;

export const EVENT_TYPES = `
kind Event: A report about an object, kept for a limited time.
  6 action string: What was done, or failed.
  15 deprecatedCount int32: The count of the core group's events.
  13 deprecatedFirstTimestamp Time=null: The firstTimestamp of the core group's events.
  14 deprecatedLastTimestamp Time=null: The lastTimestamp of the core group's events.
  12 deprecatedSource core.EventSource={}: The source of the core group's events.
  2 eventTime! MicroTime=null: When it was seen first.
  10 note string: What happened, for people.
  7 reason string: Why it happened, in one word.
  8 regarding core.ObjectReference={}: The object it happened to.
  9 related *core.ObjectReference: A second object that takes part.
  4 reportingController string: The controller that reports, such as example.com/painter.
  5 reportingInstance string: Which of its processes reports.
  3 series *EventSeries: The repetitions, when there are several.
  11 type string: Normal or Warning.
EventSeries: Repetitions of an event.
  1 count! int32=0: How many there were until lastObservedTime.
  2 lastObservedTime! MicroTime=null: When the last was seen.
`;
