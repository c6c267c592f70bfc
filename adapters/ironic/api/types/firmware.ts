// BIOS settings and firmware: HostFirmwareSettings, FirmwareSchema, HostFirmwareComponents and HostUpdatePolicy.
import type { Condition, ScopedName } from './shapes.ts';

export interface HostFirmwareSettingsSpec {
  readonly settings: Readonly<Record<string, number | string>>;
}

export interface HostFirmwareSettingsStatus {
  readonly conditions?: readonly Condition[];
  readonly lastUpdated?: string;
  readonly schema?: ScopedName;
  readonly settings: Readonly<Record<string, string>>;
}

export interface FirmwareSchemaSpec {
  readonly hardwareModel?: string;
  readonly hardwareVendor?: string;
  readonly schema: Readonly<Record<string, SettingSchema>>;
}

export interface SettingSchema {
  readonly allowable_values?: readonly string[];
  readonly attribute_type?: 'Enumeration' | 'String' | 'Integer' | 'Boolean' | 'Password';
  readonly lower_bound?: number;
  readonly max_length?: number;
  readonly min_length?: number;
  readonly read_only?: boolean;
  readonly unique?: boolean;
  readonly upper_bound?: number;
}

export interface HostFirmwareComponentsSpec {
  readonly updates: readonly FirmwareUpdate[];
}

export interface HostFirmwareComponentsStatus {
  readonly components?: readonly FirmwareComponentStatus[];
  readonly conditions?: readonly Condition[];
  readonly lastUpdated?: string;
  readonly updates?: readonly FirmwareUpdate[];
}

export interface FirmwareUpdate {
  readonly component: string;
  readonly url: string;
}

export interface FirmwareComponentStatus {
  readonly component: string;
  readonly currentVersion?: string;
  readonly initialVersion: string;
  readonly lastVersionFlashed?: string;
  readonly updatedAt?: string;
}

export interface HostUpdatePolicySpec {
  readonly firmwareSettings?: 'onPreparing' | 'onReboot';
  readonly firmwareUpdates?: 'onPreparing' | 'onReboot';
}
