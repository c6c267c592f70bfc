// IRONIC-RAID-4: a v1beta1 host has no hardware profile, so the hints that a profile implies are written out.
import { hintsOfProfile, profileNameOf } from '../../../host/hardware-profiles.ts';
import { isMap, type JsonMap } from '../../../json-values.ts';
import { changedAt, isAbsent, isSame, restoredAt, valueAt } from '../paths.ts';
import type { Rule } from './rule.ts';

const HINTS = ['spec', 'rootDeviceHints'] as const;

export const profileHints: Rule = {
  toV1beta1(object, source) {
    const written = writtenHints(source);
    return written === undefined ? object : changedAt(object, HINTS, () => written);
  },
  toV1alpha1(object, old) {
    const written = old && writtenHints(old);
    const isUntouched = written !== undefined && isSame(valueAt(object, HINTS), written);
    return old !== undefined && isUntouched ? restoredAt(object, HINTS, old) : object;
  },
};

/** Whether the hints that were written for a host without hints of its own have been removed. */
export function areWrittenHintsGone(object: JsonMap, old: JsonMap): boolean {
  return writtenHints(old) !== undefined && isAbsent(valueAt(object, HINTS));
}

/** The hints that are written for a v1alpha1 host; undefined: none. */
function writtenHints(host: JsonMap): object | undefined {
  const { spec, status } = host;
  if (!isMap(spec) || !isAbsent(spec['rootDeviceHints']) || hasRootVolume(spec)) return undefined;
  return hintsOfProfile(profileNameOf({ spec, status }));
}

/** Then the volume is the root device, and hints beside it are refused. */
function hasRootVolume(spec: JsonMap): boolean {
  const volumes = valueAt(spec, ['raid', 'softwareRAIDVolumes']);
  return Array.isArray(volumes) && volumes.some((volume) => valueAt(volume, ['rootVolume']) === true);
}
