// Names of the kinds of the group. They are known without loading the schemas, which are in crds/ by plural.

export interface KindNames {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
}

/** All kinds of the group, the essential ones first. */
export const KINDS: readonly KindNames[] = [
  { kind: 'BareMetalHost', plural: 'baremetalhosts', shortNames: ['bmh', 'bmhost'] },
  { kind: 'HardwareData', plural: 'hardwaredata', shortNames: ['hd'] },
  { kind: 'HostFirmwareSettings', plural: 'hostfirmwaresettings', shortNames: ['hfs'] },
  { kind: 'FirmwareSchema', plural: 'firmwareschemas' },
  { kind: 'HostFirmwareComponents', plural: 'hostfirmwarecomponents' },
  { kind: 'HostUpdatePolicy', plural: 'hostupdatepolicies' },
  { kind: 'PreprovisioningImage', plural: 'preprovisioningimages', shortNames: ['ppimg'] },
  { kind: 'DataImage', plural: 'dataimages' },
  { kind: 'BMCEventSubscription', plural: 'bmceventsubscriptions', shortNames: ['bes', 'bmcevent'] },
  { kind: 'HostClaim', plural: 'hostclaims' },
  { kind: 'HostDeployPolicy', plural: 'hostdeploypolicies' },
  { kind: 'HostNetworkAttachment', plural: 'hostnetworkattachments' },
  { kind: 'BareMetalSwitch', plural: 'baremetalswitches', shortNames: ['bms'] },
];
