// Spec and status of a BareMetalHost.
import type { HardwareDetails } from './hardware-details.ts';
import type {
  BootMode,
  Condition,
  CustomDeploy,
  FirmwareConfig,
  Image,
  ObjectReference,
  RAIDConfig,
  RootDeviceHints,
  SecretReference,
} from './shapes.ts';

export interface BareMetalHostSpec {
  readonly architecture?: string;
  readonly automatedCleaningMode?: 'metadata' | 'disabled';
  readonly bmc?: BMCDetails;
  readonly bootMACAddress?: string;
  readonly bootMode?: BootMode;
  readonly consumerRef?: ObjectReference;
  readonly customDeploy?: CustomDeploy;
  readonly description?: string;
  readonly disablePowerOff?: boolean;
  readonly externallyProvisioned?: boolean;
  readonly firmware?: FirmwareConfig;
  readonly hardwareProfile?: string;
  readonly image?: Image;
  readonly inspectionMode?: 'disabled' | 'agent' | 'fast';
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly networkInterfaces?: readonly NetworkInterface[];
  readonly online: boolean;
  readonly preprovisioningNetworkDataName?: string;
  readonly raid?: RAIDConfig;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly taints?: readonly Taint[];
  readonly userData?: SecretReference;
}

export interface BMCDetails {
  readonly address: string;
  readonly credentialsName: string;
  readonly disableCertificateVerification?: boolean;
}

export interface NetworkInterface {
  readonly hostNetworkAttachment?: HostNetworkAttachmentReference;
  readonly macAddress?: string;
  readonly name?: string;
  readonly switchPort?: SwitchPort;
}

export interface HostNetworkAttachmentReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SwitchPort {
  readonly portID: string;
  readonly switchID: string;
}

export interface Taint {
  readonly effect: string;
  readonly key: string;
  readonly timeAdded?: string;
  readonly value?: string;
}

export interface BareMetalHostStatus {
  readonly conditions?: readonly Condition[];
  readonly errorCount: number;
  readonly errorMessage: string;
  readonly errorType?:
    | 'provisioned registration error'
    | 'registration error'
    | 'inspection error'
    | 'preparation error'
    | 'provisioning error'
    | 'power management error'
    | 'servicing error';
  readonly goodCredentials?: CredentialsStatus;
  readonly hardware?: HardwareDetails;
  readonly hardwareProfile?: string;
  readonly lastAttemptedImage?: Image;
  readonly lastUpdated?: string;
  readonly operationHistory?: OperationHistory;
  readonly operationalStatus: '' | 'OK' | 'discovered' | 'error' | 'delayed' | 'detached' | 'servicing';
  readonly poweredOn: boolean;
  readonly provisioning: ProvisionStatus;
  readonly provisioningFailCount: number;
  readonly triedCredentials?: CredentialsStatus;
}

export interface CredentialsStatus {
  readonly credentials?: SecretReference;
  readonly credentialsVersion?: string;
}

export interface OperationHistory {
  readonly deprovision?: OperationMetric;
  readonly inspect?: OperationMetric;
  readonly provision?: OperationMetric;
  readonly register?: OperationMetric;
}

export interface OperationMetric {
  readonly end?: string | null;
  readonly start?: string | null;
}

export interface ProvisionStatus {
  readonly ID: string;
  readonly bootMode?: BootMode;
  readonly customDeploy?: CustomDeploy;
  readonly firmware?: FirmwareConfig;
  readonly image?: Image;
  readonly raid?: RAIDConfig;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly state: string;
}
