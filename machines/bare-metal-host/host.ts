// BareMetalHost as in the API (v1alpha1), as far as its lifecycle needs it: names, values, and readers that take
// unexpected input for absent. Every part may be missing, or null.
import type { JsonObject } from '../object.ts';

/** `status.provisioning.state`. */
export const ProvisioningState = {
  None: '',
  Unmanaged: 'unmanaged',
  Registering: 'registering',
  Inspecting: 'inspecting',
  /** State of older operators, without an action. */
  MatchProfile: 'match profile',
  Preparing: 'preparing',
  Available: 'available',
  /** State of older operators: the same as `available`. */
  Ready: 'ready',
  Provisioning: 'provisioning',
  Provisioned: 'provisioned',
  ExternallyProvisioned: 'externally provisioned',
  Deprovisioning: 'deprovisioning',
  PoweringOffBeforeDelete: 'powering off before delete',
  Deleting: 'deleting',
} as const;
export type ProvisioningState = (typeof ProvisioningState)[keyof typeof ProvisioningState];

/** `status.operationalStatus`. */
export const OperationalStatus = {
  None: '',
  OK: 'OK',
  /** There is nothing that says how to reach the BMC. */
  Discovered: 'discovered',
  Error: 'error',
  /** It waits until there is room for it. */
  Delayed: 'delayed',
  Detached: 'detached',
  Servicing: 'servicing',
} as const;
export type OperationalStatus = (typeof OperationalStatus)[keyof typeof OperationalStatus];

/** Annotations of a host, by what they ask for. */
export const HostAnnotation = {
  Paused: 'baremetalhost.metal3.io/paused',
  Detached: 'baremetalhost.metal3.io/detached',
  Status: 'baremetalhost.metal3.io/status',
  /** Alone: one power cycle. With `/<anything>` behind it: held off until the client takes it away. */
  Reboot: 'reboot.metal3.io',
  Inspect: 'inspect.metal3.io',
  HardwareDetails: 'inspect.metal3.io/hardwaredetails',
} as const;

type Maybe<Value> = Value | null | undefined;

export interface Image {
  readonly url?: Maybe<string>;
  readonly checksum?: Maybe<string>;
  readonly checksumType?: Maybe<string>;
  readonly format?: Maybe<string>;
  readonly ociAuthSecretName?: Maybe<string>;
}

export interface CustomDeploy {
  readonly method?: Maybe<string>;
}

export interface HostMetadata {
  readonly uid?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly namespace?: Maybe<string>;
  readonly generation?: Maybe<number>;
  readonly deletionTimestamp?: Maybe<string>;
  readonly finalizers?: Maybe<readonly string[]>;
  readonly annotations?: Maybe<Readonly<Record<string, string>>>;
}

export interface HostSpec {
  readonly online?: Maybe<boolean>;
  readonly bmc?: Maybe<{ readonly address?: Maybe<string>; readonly credentialsName?: Maybe<string> }>;
  readonly bootMode?: Maybe<string>;
  readonly image?: Maybe<Image>;
  readonly customDeploy?: Maybe<CustomDeploy>;
  readonly externallyProvisioned?: Maybe<boolean>;
  readonly inspectionMode?: Maybe<string>;
  readonly disablePowerOff?: Maybe<boolean>;
}

/** `{start, end}` of one operation; null or absent: not yet. */
export interface OperationMetric {
  readonly start?: Maybe<string>;
  readonly end?: Maybe<string>;
}

/** Name of the Secret that was used, and its `resourceVersion`. */
export interface CredentialsStatus {
  readonly credentials?: Maybe<{ readonly name?: Maybe<string>; readonly namespace?: Maybe<string> }>;
  readonly credentialsVersion?: Maybe<string>;
}

export interface ProvisioningStatus {
  readonly state?: Maybe<string>;
  readonly ID?: Maybe<string>;
  readonly image?: Maybe<Image>;
  readonly customDeploy?: Maybe<CustomDeploy>;
  readonly rootDeviceHints?: Maybe<JsonObject>;
  readonly raid?: Maybe<JsonObject>;
  readonly bootMode?: Maybe<string>;
}

/** The standard condition of Kubernetes. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export interface HostStatus {
  readonly provisioning?: Maybe<ProvisioningStatus>;
  readonly operationalStatus?: Maybe<string>;
  readonly errorType?: Maybe<string>;
  readonly errorMessage?: Maybe<string>;
  readonly errorCount?: Maybe<number>;
  readonly poweredOn?: Maybe<boolean>;
  readonly provisioningFailCount?: Maybe<number>;
  readonly lastAttemptedImage?: Maybe<Image>;
  readonly operationHistory?: Maybe<Readonly<Record<string, Maybe<OperationMetric>>>>;
  readonly goodCredentials?: Maybe<CredentialsStatus>;
  readonly triedCredentials?: Maybe<CredentialsStatus>;
  readonly hardware?: Maybe<JsonObject>;
  readonly hardwareProfile?: Maybe<string>;
  readonly conditions?: Maybe<readonly Condition[]>;
  readonly lastUpdated?: Maybe<string>;
}

export interface BareMetalHost {
  readonly metadata?: Maybe<HostMetadata>;
  readonly spec?: Maybe<HostSpec>;
  readonly status?: Maybe<HostStatus>;
}

/** Event of a host for its users: always of type `Normal`. */
export interface HostEvent {
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** `Normal` unless stated, as the contract has it even for failures. */
  readonly type?: 'Warning';
}

/**
 * Increment of a counter or, with `seconds`, an observation of a histogram. The recorder adds the labels of the host.
 */
export interface Measure {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly seconds?: number;
}

/** Result of a decision: the whole new status, and the events to emit. */
export interface HostChange {
  readonly status: HostStatus;
  readonly events: readonly HostEvent[];
  readonly measures: readonly Measure[];
}

/** State in the status; unknown text stays as it is. */
export function provisioningStateOf({ status }: BareMetalHost): string {
  return status?.provisioning?.state ?? ProvisioningState.None;
}

export function isDeleting({ metadata }: BareMetalHost): boolean {
  return (metadata?.deletionTimestamp ?? '') !== '';
}

/** A host, as far as its annotations go. */
export interface Annotated {
  readonly metadata?: Maybe<Pick<HostMetadata, 'annotations'>>;
}

/** The value of an annotation; undefined: it is not there. */
export function annotationOf({ metadata }: Annotated, key: string): string | undefined {
  const annotations = metadata?.annotations;
  return annotations != null && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** Whatever it says, it stops everything. */
export function isPaused(host: Annotated): boolean {
  // mutant: host-ignores-pause return -> false
  return annotationOf(host, HostAnnotation.Paused) !== undefined;
}

/** Something says how to reach the BMC. An absent `bmc` and one of empty texts are the same. */
export function hasBmcDetails({ spec }: BareMetalHost): boolean {
  return isGiven(spec?.bmc?.address) || isGiven(spec?.bmc?.credentialsName);
}

/** Whether inspection is disabled, by the field or by the older annotation. */
export function isInspectionDisabled(host: BareMetalHost): boolean {
  return host.spec?.inspectionMode === 'disabled' || annotationOf(host, HostAnnotation.Inspect) === 'disabled';
}

/** Another inspection is asked for. */
export function isInspectionRequested(host: BareMetalHost): boolean {
  const value = annotationOf(host, HostAnnotation.Inspect);
  return value !== undefined && value !== 'disabled';
}

/** Something runs on the machine that is to be left running. */
export function isProvisionedState(state: string): boolean {
  return state === ProvisioningState.Provisioned || state === ProvisioningState.ExternallyProvisioned;
}

export function isAvailableState(state: string): boolean {
  return state === ProvisioningState.Available || state === ProvisioningState.Ready;
}

export function isGiven(text: Maybe<string>): text is string {
  return text !== undefined && text !== null && text !== '';
}
