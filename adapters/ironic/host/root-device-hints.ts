// Root device hints: which disk an image is written to, as a host says it and as Ironic does.
import { hintsOfProfile, isKnownProfile, profileNameOf } from './hardware-profiles.ts';
import type { Host, Maybe, RootDeviceHints } from './host-json.ts';

const BY_PATH = '/dev/disk/by-path/';

/** Ironic's key of each hint, and the prefix of its value. Unset hints are left out. */
const KEYS: readonly {
  readonly hint: keyof RootDeviceHints;
  readonly key: (value: string) => string;
  readonly operator: string;
}[] = [
  { hint: 'deviceName', key: (value) => (value.startsWith(BY_PATH) ? 'by_path' : 'name'), operator: 's== ' },
  { hint: 'hctl', key: () => 'hctl', operator: 's== ' },
  { hint: 'model', key: () => 'model', operator: '<in> ' },
  { hint: 'vendor', key: () => 'vendor', operator: '<in> ' },
  { hint: 'serialNumber', key: () => 'serial', operator: 's== ' },
  { hint: 'minSizeGigabytes', key: () => 'size', operator: '>= ' },
  { hint: 'wwn', key: () => 'wwn', operator: 's== ' },
  { hint: 'wwnWithExtension', key: () => 'wwn_with_extension', operator: 's== ' },
  { hint: 'wwnVendorExtension', key: () => 'wwn_vendor_extension', operator: 's== ' },
  { hint: 'rotational', key: () => 'rotational', operator: '' },
];

/**
 * The hints as Ironic's `root_device` takes them, and the disks of a software RAID: texts, all of which must hold.
 *
 * @param hints  in the names of v1alpha1
 * @returns empty without any hint
 */
export function rootDeviceHints(hints: Maybe<RootDeviceHints>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEYS.flatMap(({ hint, key, operator }) => {
      const value = hints?.[hint];
      const isHint = value === false || Boolean(value);
      return isHint ? [[key(String(value)), `${operator}${value}`]] : [];
    }),
  );
}

/**
 * The hints that are to hold for a host, in the names of v1alpha1: those of `status.provisioning.rootDeviceHints`.
 *
 * @param host.profile  the profile in effect; what `profileNameOf` says unless given
 * @returns undefined if a software RAID volume is the root device, or if the profile is unknown. A known profile
 *   without hints gives an empty set
 */
export function effectiveHints({
  spec,
  status,
  profile,
}: Pick<Host, 'spec' | 'status'> & { readonly profile?: Maybe<string> }): RootDeviceHints | undefined {
  if (spec?.raid?.softwareRAIDVolumes?.some((volume) => volume?.rootVolume === true)) return undefined;
  if (spec?.rootDeviceHints) return spec.rootDeviceHints;
  const name = profile || profileNameOf({ spec, status });
  return hintsOfProfile(name) ?? (isKnownProfile(name) ? {} : undefined);
}
