// The objects of `metal3.io/v1alpha1` as their JSON is, by the schemas in crds/: what these do not require may be missing.
// Descriptions of fields are there; a text that a schema does not restrict is a string here.
import type { KubeObject } from '../../../machines/object.ts';
import type { BareMetalHostSpec, BareMetalHostStatus } from './types/bare-metal-host.ts';
import type { HostClaimSpec, HostClaimStatus, HostDeployPolicySpec } from './types/claims.ts';
import type { BMCEventSubscriptionSpec, BMCEventSubscriptionStatus } from './types/event-subscription.ts';
import type {
  FirmwareSchemaSpec,
  HostFirmwareComponentsSpec,
  HostFirmwareComponentsStatus,
  HostFirmwareSettingsSpec,
  HostFirmwareSettingsStatus,
  HostUpdatePolicySpec,
} from './types/firmware.ts';
import type { HardwareDataSpec } from './types/hardware-details.ts';
import type {
  DataImageSpec,
  DataImageStatus,
  PreprovisioningImageSpec,
  PreprovisioningImageStatus,
} from './types/images.ts';
import type { BareMetalSwitchSpec, BareMetalSwitchStatus, HostNetworkAttachmentSpec } from './types/networking.ts';

export type {
  BareMetalHostSpec,
  BareMetalHostStatus,
  BMCDetails,
  CredentialsStatus,
  HostNetworkAttachmentReference,
  NetworkInterface,
  OperationHistory,
  OperationMetric,
  ProvisionStatus,
  SwitchPort,
  Taint,
} from './types/bare-metal-host.ts';
export type {
  HostClaimNamespaces,
  HostClaimSpec,
  HostClaimStatus,
  HostDeployPolicySpec,
  HostSelector,
  HostSelectorRequirement,
  NameValuePair,
} from './types/claims.ts';
export type { BMCEventSubscriptionSpec, BMCEventSubscriptionStatus } from './types/event-subscription.ts';
export type {
  FirmwareComponentStatus,
  FirmwareSchemaSpec,
  FirmwareUpdate,
  HostFirmwareComponentsSpec,
  HostFirmwareComponentsStatus,
  HostFirmwareSettingsSpec,
  HostFirmwareSettingsStatus,
  HostUpdatePolicySpec,
  SettingSchema,
} from './types/firmware.ts';
export type {
  BIOS,
  CPU,
  Firmware,
  HardwareDataSpec,
  HardwareDetails,
  HardwareSystemVendor,
  LLDP,
  NIC,
  Storage,
  VLAN,
} from './types/hardware-details.ts';
export type {
  AttachedImageReference,
  DataImageError,
  DataImageSpec,
  DataImageStatus,
  PreprovisioningImageSpec,
  PreprovisioningImageStatus,
  SecretStatus,
} from './types/images.ts';
export type { BareMetalSwitchSpec, BareMetalSwitchStatus, HostNetworkAttachmentSpec } from './types/networking.ts';
export type {
  BootMode,
  Condition,
  CustomDeploy,
  FirmwareConfig,
  HardwareRAIDVolume,
  Image,
  ImageFormat,
  ObjectReference,
  RAIDConfig,
  RootDeviceHints,
  ScopedName,
  SecretReference,
  SoftwareRAIDVolume,
} from './types/shapes.ts';

export const GROUP = 'metal3.io';

/** An object of the API. The schemas require nothing but names: even `spec` may be missing. */
interface ObjectOf<Kind extends string, Spec> {
  readonly apiVersion: 'metal3.io/v1alpha1';
  readonly kind: Kind;
  readonly metadata: KubeObject['metadata'];
  readonly spec?: Spec;
}

interface ObjectWithStatus<Kind extends string, Spec, Status> extends ObjectOf<Kind, Spec> {
  readonly status?: Status;
}

/** An object without a field. */
export type Empty = Readonly<Record<string, never>>;

export type BareMetalHost = ObjectWithStatus<'BareMetalHost', BareMetalHostSpec, BareMetalHostStatus>;
export type HardwareData = ObjectOf<'HardwareData', HardwareDataSpec>;
export type HostFirmwareSettings = ObjectWithStatus<
  'HostFirmwareSettings',
  HostFirmwareSettingsSpec,
  HostFirmwareSettingsStatus
>;
export type FirmwareSchema = ObjectOf<'FirmwareSchema', FirmwareSchemaSpec>;
export type HostFirmwareComponents = ObjectWithStatus<
  'HostFirmwareComponents',
  HostFirmwareComponentsSpec,
  HostFirmwareComponentsStatus
>;
export type HostUpdatePolicy = ObjectWithStatus<'HostUpdatePolicy', HostUpdatePolicySpec, Empty>;
export type PreprovisioningImage = ObjectWithStatus<
  'PreprovisioningImage',
  PreprovisioningImageSpec,
  PreprovisioningImageStatus
>;
export type DataImage = ObjectWithStatus<'DataImage', DataImageSpec, DataImageStatus>;
export type BMCEventSubscription = ObjectWithStatus<
  'BMCEventSubscription',
  BMCEventSubscriptionSpec,
  BMCEventSubscriptionStatus
>;
export type HostClaim = ObjectWithStatus<'HostClaim', HostClaimSpec, HostClaimStatus>;
export type HostDeployPolicy = ObjectWithStatus<'HostDeployPolicy', HostDeployPolicySpec, Empty>;
export type HostNetworkAttachment = ObjectOf<'HostNetworkAttachment', HostNetworkAttachmentSpec>;
export type BareMetalSwitch = ObjectWithStatus<'BareMetalSwitch', BareMetalSwitchSpec, BareMetalSwitchStatus>;
