// FirmwareSchema: made by HostFirmwareSettings for all that have the same settings. It has no life of its own.
import type { ReferencedKind } from '../../machines/kind.ts';
import { metal3Resource } from './serving.ts';

export const firmwareSchema: ReferencedKind = {
  ...metal3Resource('FirmwareSchema', 'firmwareschemas'),
  publicState: ({ metadata: { name }, spec }) => ({
    ready: true,
    id: name,
    // A schema made before an inspection has no vendor.
    attributes: { hasVendor: spec?.['hardwareVendor'] !== undefined },
  }),
};
