// A host as JSON, as far as its deployment reads it: the names are those of v1alpha1.
//
// The API server keeps more than types tell: any member may be missing or null, and texts may be unknown ones.

export type Maybe<T> = T | null | undefined;

export interface Host {
  readonly metadata?: Maybe<{
    readonly name?: Maybe<string>;
    readonly namespace?: Maybe<string>;
    readonly uid?: Maybe<string>;
  }>;
  readonly spec?: Maybe<HostSpec>;
  readonly status?: Maybe<HostStatus>;
}

export interface HostSpec {
  readonly architecture?: Maybe<string>;
  readonly automatedCleaningMode?: Maybe<string>;
  readonly bmc?: Maybe<{ readonly address?: Maybe<string> }>;
  readonly customDeploy?: Maybe<CustomDeploy>;
  readonly hardwareProfile?: Maybe<string>;
  readonly image?: Maybe<Image>;
  readonly inspectionMode?: Maybe<string>;
  readonly metaData?: Maybe<SecretReference>;
  readonly networkData?: Maybe<SecretReference>;
  readonly preprovisioningNetworkDataName?: Maybe<string>;
  readonly raid?: Maybe<{
    readonly softwareRAIDVolumes?: Maybe<readonly Maybe<{ readonly rootVolume?: Maybe<boolean> }>[]>;
  }>;
  readonly rootDeviceHints?: Maybe<RootDeviceHints>;
  readonly userData?: Maybe<SecretReference>;
}

export interface HostStatus {
  readonly hardware?: Maybe<{ readonly cpu?: Maybe<{ readonly arch?: Maybe<string> }> }>;
  readonly hardwareProfile?: Maybe<string>;
  readonly operationalStatus?: Maybe<string>;
  readonly provisioning?: Maybe<{
    readonly bootMode?: Maybe<string>;
    readonly customDeploy?: Maybe<CustomDeploy>;
    readonly image?: Maybe<Image>;
    readonly rootDeviceHints?: Maybe<RootDeviceHints>;
    readonly state?: Maybe<string>;
  }>;
}

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

export interface SecretReference {
  readonly name?: Maybe<string>;
  readonly namespace?: Maybe<string>;
}

export interface RootDeviceHints {
  readonly deviceName?: Maybe<string>;
  readonly hctl?: Maybe<string>;
  readonly model?: Maybe<string>;
  readonly vendor?: Maybe<string>;
  readonly serialNumber?: Maybe<string>;
  /** Gigabytes as Ironic counts them. */
  readonly minSizeGigabytes?: Maybe<number>;
  readonly wwn?: Maybe<string>;
  readonly wwnWithExtension?: Maybe<string>;
  readonly wwnVendorExtension?: Maybe<string>;
  readonly rotational?: Maybe<boolean>;
}
