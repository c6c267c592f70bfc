// Assignment of hosts: HostClaim and HostDeployPolicy.
import type { Condition, CustomDeploy, Image, ObjectReference, ScopedName, SecretReference } from './shapes.ts';

export interface HostClaimSpec {
  readonly consumerRef?: ObjectReference;
  readonly customDeploy?: CustomDeploy;
  readonly failureDomain?: string;
  readonly hostSelector?: HostSelector;
  readonly image?: Image;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly poweredOn: boolean;
  readonly userData?: SecretReference;
}

export interface HostSelector {
  readonly inNamespace?: string;
  readonly matchExpressions?: readonly HostSelectorRequirement[];
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface HostSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface HostClaimStatus {
  readonly bareMetalHost?: ScopedName;
  readonly conditions?: readonly Condition[];
  readonly hardwareData?: ScopedName;
  readonly lastUpdated?: string;
  readonly poweredOn?: boolean;
}

export interface HostDeployPolicySpec {
  readonly hostClaimNamespaces?: HostClaimNamespaces;
}

export interface HostClaimNamespaces {
  readonly hasLabels?: readonly NameValuePair[];
  readonly nameMatches?: string;
  readonly names?: readonly string[];
}

export interface NameValuePair {
  readonly name: string;
  readonly value?: string;
}
