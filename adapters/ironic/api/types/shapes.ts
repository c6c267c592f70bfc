// Shapes that several kinds share.

export type BootMode = 'UEFI' | 'UEFISecureBoot' | 'legacy';
export type ImageFormat = 'iso' | 'initrd';

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface ScopedName {
  readonly name: string;
  readonly namespace: string;
}

/** The standard condition of Kubernetes. */
export interface Condition {
  /** RFC 3339, as every instant of the API. */
  readonly lastTransitionTime: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly type: string;
}

export interface Image {
  readonly checksum?: string;
  readonly checksumType?: 'md5' | 'sha256' | 'sha512' | 'auto';
  readonly format?: 'raw' | 'qcow2' | 'vdi' | 'vmdk' | 'live-iso';
  readonly ociAuthSecretName?: string;
  readonly url: string;
}

export interface CustomDeploy {
  readonly method: string;
}

export interface RootDeviceHints {
  readonly deviceName?: string;
  readonly hctl?: string;
  readonly minSizeGigabytes?: number;
  readonly model?: string;
  readonly rotational?: boolean;
  readonly serialNumber?: string;
  readonly vendor?: string;
  readonly wwn?: string;
  readonly wwnVendorExtension?: string;
  readonly wwnWithExtension?: string;
}

/** Null, an empty list and none at all are three things. */
export interface RAIDConfig {
  readonly hardwareRAIDVolumes?: readonly HardwareRAIDVolume[] | null;
  readonly softwareRAIDVolumes?: readonly SoftwareRAIDVolume[] | null;
}

export interface HardwareRAIDVolume {
  readonly controller?: string;
  readonly level: '0' | '1' | '2' | '5' | '6' | '1+0' | '5+0' | '6+0';
  readonly name?: string;
  readonly numberOfPhysicalDisks?: number;
  readonly physicalDisks?: readonly string[];
  readonly rotational?: boolean;
  readonly sizeGibibytes?: number;
}

export interface SoftwareRAIDVolume {
  readonly level: '0' | '1' | '1+0';
  readonly physicalDisks?: readonly RootDeviceHints[];
  readonly rootVolume?: boolean;
  readonly sizeGibibytes?: number;
}

export interface FirmwareConfig {
  readonly simultaneousMultithreadingEnabled?: boolean;
  readonly sriovEnabled?: boolean;
  readonly virtualizationEnabled?: boolean;
}
