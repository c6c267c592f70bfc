// The kinds of the group, and what converts each. Another difference between the versions is another rule in a list here.
import { BARE_METAL_HOST, HOST_CLAIM } from '../versions.ts';
import { checksumTypes } from './checksum-type.ts';
import { hardwareDetails } from './hardware-details.ts';
import { hardwareProfile } from './hardware-profile.ts';
import { names } from './names.ts';
import { profileHints } from './profile-hints.ts';
import type { Rule } from './rule.ts';

/**
 * In the order in which they apply on the way to v1beta1; on the way back it is the reverse. So the profile is restored
 * while the hints that were written for it are still to be seen.
 */
const HOST_RULES: readonly Rule[] = [
  profileHints,
  hardwareProfile,
  hardwareDetails,
  checksumTypes([
    ['spec', 'image'],
    ['status', 'provisioning', 'image'],
    ['status', 'lastAttemptedImage'],
  ]),
  names,
];

/** Rules by kind. A kind without rules differs in `apiVersion` alone. */
export const RULES: ReadonlyMap<string, readonly Rule[]> = new Map([
  [BARE_METAL_HOST, HOST_RULES],
  [HOST_CLAIM, [checksumTypes([['spec', 'image']])]],
  ...[
    'HardwareData',
    'HostFirmwareSettings',
    'FirmwareSchema',
    'HostFirmwareComponents',
    'HostUpdatePolicy',
    'PreprovisioningImage',
    'DataImage',
    'BMCEventSubscription',
    'HostDeployPolicy',
    'HostNetworkAttachment',
    'BareMetalSwitch',
  ].map((kind): [string, readonly Rule[]] => [kind, []]),
]);
