// FirmwareSchema: made by HostFirmwareSettings for all that have the same settings. It has no life of its own.
import type { FollowedKind } from '../../../machines/kind.ts';
import { metal3Resource } from '../serving.ts';

export const firmwareSchema: FollowedKind = {
  ...metal3Resource('FirmwareSchema', 'firmwareschemas'),
  standing: ({ metadata: { name }, spec }) => ({
    ready: true,
    id: name,
    // Whoever made it before an inspection did not know whose machine it was.
    attributes: { hasVendor: spec?.['hardwareVendor'] !== undefined },
  }),
};
