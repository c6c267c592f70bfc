// Ports of switches: HostNetworkAttachment and BareMetalSwitch.
import type { Condition, SecretReference } from './shapes.ts';

export interface HostNetworkAttachmentSpec {
  readonly allowedVLANs?: readonly string[];
  readonly mode: 'access' | 'trunk' | 'hybrid';
  readonly mtu?: number;
  readonly nativeVLAN: number;
}

export interface BareMetalSwitchSpec {
  readonly address: string;
  readonly credentials?: SecretReference;
  readonly deviceType: string;
  readonly disableCertificateVerification?: boolean;
  readonly driver?: 'generic-switch';
  readonly macAddress: string;
  readonly port?: number;
}

export interface BareMetalSwitchStatus {
  readonly conditions?: readonly Condition[];
}
