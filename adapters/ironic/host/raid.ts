// RAID of a host: the wanted configuration, how it differs from the applied one, and its form in Ironic. Pure.
//
// Invariants:
//   IRONIC-RAID-1. Null, absent and {} mean the same: no statement about the volumes. Hardware volumes then stay as
//       they are; [] in the spec deletes them.
//   IRONIC-RAID-2. Software RAID lives as long as it is wanted: once volumes are on record and wanted no more, they are cleared. An empty
//       list clears nothing where no volumes are on record.
//   IRONIC-RAID-3. A node has one RAID interface at a time. Hardware volumes win over software volumes; software volumes, wanted or to
//       be cleared, win over an empty list of hardware volumes, which is not acted on beside them.
//   IRONIC-RAID-4. Configurations that give the same logical disks never differ: a spelling does not cause a rebuild.
//   IRONIC-RAID-5. Only the spec deletes or builds hardware volumes: a record alone never does, whatever failed since it was written.
import { isDeepStrictEqual } from 'node:util';
import type { Maybe, RootDeviceHints } from './host-json.ts';
import type { Step } from './manual-step.ts';
import { rootDeviceHints } from './root-device-hints.ts';

export interface HardwareRaidVolume {
  readonly level: string;
  readonly name?: Maybe<string>;
  /** Gibibytes; 0 and absent: all there is. */
  readonly sizeGibibytes?: Maybe<number>;
  readonly rotational?: Maybe<boolean>;
  readonly controller?: Maybe<string>;
  readonly physicalDisks?: Maybe<readonly string[]>;
  readonly numberOfPhysicalDisks?: Maybe<number>;
}

export interface SoftwareRaidVolume {
  readonly level: string;
  /** Gibibytes; 0 and absent: all there is. */
  readonly sizeGibibytes?: Maybe<number>;
  readonly physicalDisks?: Maybe<readonly RootDeviceHints[]>;
  readonly rootVolume?: Maybe<boolean>;
}

/** `spec.raid` and `status.provisioning.raid` of a BareMetalHost. */
export interface RaidConfig {
  readonly hardwareRAIDVolumes?: Maybe<readonly HardwareRaidVolume[]>;
  readonly softwareRAIDVolumes?: Maybe<readonly SoftwareRaidVolume[]>;
}

export interface RaidHost {
  readonly spec?: Maybe<{ readonly raid?: Maybe<RaidConfig> }>;
  readonly status?: Maybe<{ readonly provisioning?: Maybe<{ readonly raid?: Maybe<RaidConfig> }> }>;
}

/** One of `logical_disks` in the body of `PUT /v1/nodes/{id}/states/raid`. */
export interface LogicalDisk {
  readonly size_gb: number | 'MAX';
  readonly raid_level: string;
  readonly volume_name?: string;
  readonly controller?: string;
  readonly physical_disks?: readonly string[] | readonly Readonly<Record<string, string>>[];
  readonly number_of_physical_disks?: number;
  readonly disk_type?: 'hdd' | 'ssd';
  readonly is_root_volume?: boolean;
}

/** Reason why the wanted configuration is impossible, as text for the `preparation error`. */
export interface RaidProblem {
  readonly problem: string;
}

/** The RAID interfaces with a meaning of their own. */
export const RaidInterface = { None: 'no-raid', Software: 'agent' } as const;

const DELETE: Step = { interface: 'raid', step: 'delete_configuration' };
const ERASE: Step = { interface: 'deploy', step: 'erase_devices_metadata' };
const CREATE: Step = { interface: 'raid', step: 'create_configuration' };

/**
 * The RAID that a host is to have: its spec, or, where that says nothing, the hardware volumes on record without software
 * volumes. Once recorded, it is what it asks for itself.
 *
 * @returns undefined: nothing was ever wanted
 */
export function wantedRaid({ spec, status }: RaidHost): RaidConfig | undefined {
  const { raid: specified } = spec ?? {};
  const { raid: recorded } = status?.provisioning ?? {};
  if (specified?.hardwareRAIDVolumes != null || specified?.softwareRAIDVolumes != null) return specified;
  if (recorded == null) return undefined;
  // mutant: raid-empty-record-wanted ?:.1 -> true
  const kept = hasHardware(recorded) ? recorded.hardwareRAIDVolumes : null;
  return { hardwareRAIDVolumes: kept ?? null, softwareRAIDVolumes: [] };
}

/**
 * The recorded RAID after a failed preparation. Volumes that the spec asks for may not have been made, and are not known;
 * what the spec does not mention was not touched, and stays on record.
 */
export function knownAfterFailure({ spec, status }: RaidHost): Maybe<RaidConfig> {
  const recorded = status?.provisioning?.raid;
  if (recorded == null) return undefined;
  return {
    // mutant: raid-kept-unknown ?:.1 -> true
    hardwareRAIDVolumes: spec?.raid?.hardwareRAIDVolumes != null ? null : (recorded.hardwareRAIDVolumes ?? null),
    softwareRAIDVolumes: hasSoftware(spec?.raid) ? null : (recorded.softwareRAIDVolumes ?? null),
  };
}

/** Whether what is wanted is not what is on record, even where nothing has to be done about it. */
export function isRaidChanged(wanted: Maybe<RaidConfig>, recorded: Maybe<RaidConfig>): boolean {
  return !isSameHardware(wanted, recorded) || !isSameSoftware(wanted, recorded);
}

/**
 * The RAID interface that the node must have for its steps.
 *
 * @param options.driverInterface  that of the host's driver
 * @param options.recorded  after a failed preparation what is still known (`knownAfterFailure`)
 */
export function raidInterface(change: RaidChange): { readonly raidInterface: string } | RaidProblem {
  const { driverInterface, wanted } = change;
  if (hasHardware(wanted)) {
    return driverInterface === RaidInterface.None
      ? { problem: `RAID settings are defined, but the node's driver ${driverInterface} does not support RAID` }
      : { raidInterface: driverInterface };
  }
  return { raidInterface: isAboutSoftware(change) ? RaidInterface.Software : driverInterface };
}

export interface RaidChange {
  readonly driverInterface: string;
  readonly wanted: Maybe<RaidConfig>;
  readonly recorded: Maybe<RaidConfig>;
}

/** The clean steps that make what is wanted of what is on record, to be run with the interface of `raidInterface`. */
export function raidCleanSteps(change: RaidChange): readonly Step[] {
  const { driverInterface, wanted, recorded } = change;
  if (isAboutSoftware(change)) {
    if (isSameSoftware(wanted, recorded)) return [];
    return hasSoftware(wanted) ? [DELETE, ERASE, CREATE] : [DELETE, ERASE];
  }
  const isLeft = wanted?.hardwareRAIDVolumes == null || driverInterface === RaidInterface.None;
  if (isLeft || isSameHardware(wanted, recorded)) return [];
  return hasHardware(wanted) ? [DELETE, CREATE] : [DELETE];
}

/**
 * The logical disks that Ironic is to make; none: there is nothing to tell it.
 *
 * @param hints  the root device hints in effect. Without any, and without a root volume, the first disk is the root device.
 */
export function logicalDisks(
  wanted: Maybe<RaidConfig>,
  hints: Maybe<RootDeviceHints>,
): { readonly logicalDisks: readonly LogicalDisk[] } | RaidProblem {
  const problem = problemOf(wanted);
  if (problem !== undefined) return { problem };
  const disks = hasHardware(wanted)
    ? (wanted?.hardwareRAIDVolumes ?? []).map(hardwareDisk)
    : (wanted?.softwareRAIDVolumes ?? []).map(softwareDisk);
  const isRootKnown =
    Object.keys(rootDeviceHints(hints)).length > 0 || disks.some(({ is_root_volume: isRoot }) => isRoot === true);
  return {
    logicalDisks: isRootKnown
      ? disks
      : disks.map((disk, index) => (index === 0 ? { ...disk, is_root_volume: true } : disk)),
  };
}

/** All that a preparation does about RAID. */
export function raidPlan({ hints, ...change }: RaidChange & { readonly hints: Maybe<RootDeviceHints> }):
  | {
      readonly raidInterface: string;
      readonly logicalDisks: readonly LogicalDisk[];
      readonly steps: readonly Step[];
    }
  | RaidProblem {
  const chosen = raidInterface(change);
  if ('problem' in chosen) return chosen;
  const disks = logicalDisks(change.wanted, hints);
  if ('problem' in disks) return disks;
  return { ...chosen, ...disks, steps: raidCleanSteps(change) };
}

function problemOf(wanted: Maybe<RaidConfig>): string | undefined {
  if (!hasHardware(wanted)) {
    const [first] = wanted?.softwareRAIDVolumes ?? [];
    return first === undefined || first.level === '1'
      ? undefined
      : `the first software RAID volume must use RAID level 1, not ${first.level}`;
  }
  const named = new Map<string, number>();
  for (const [index, volume] of (wanted?.hardwareRAIDVolumes ?? []).entries()) {
    const { name, controller, physicalDisks, numberOfPhysicalDisks } = volume;
    const other = name ? named.get(name) : undefined;
    if (other !== undefined) return `hardware RAID volumes ${other} and ${index} have the same name '${name}'`;
    if (name) named.set(name, index);
    if (physicalDisks == null || physicalDisks.length === 0) continue;
    if (!controller) return `'physicalDisks' specified without 'controller' for volume ${index}`;
    if (numberOfPhysicalDisks != null && numberOfPhysicalDisks !== physicalDisks.length) {
      return `'numberOfPhysicalDisks' is not same for volume ${index} as the number of its 'physicalDisks'`;
    }
  }
  return undefined;
}

function hardwareDisk(volume: HardwareRaidVolume): LogicalDisk {
  const { level, name, sizeGibibytes, rotational, controller, physicalDisks, numberOfPhysicalDisks } = volume;
  return {
    size_gb: sizeGibibytes || 'MAX',
    raid_level: level,
    ...(name && { volume_name: name }),
    ...(controller && { controller }),
    ...(physicalDisks?.length && { physical_disks: physicalDisks }),
    ...(numberOfPhysicalDisks && { number_of_physical_disks: numberOfPhysicalDisks }),
    ...(typeof rotational === 'boolean' && { disk_type: rotational ? 'hdd' : 'ssd' }),
  };
}

function softwareDisk({ level, sizeGibibytes, physicalDisks, rootVolume }: SoftwareRaidVolume): LogicalDisk {
  return {
    size_gb: sizeGibibytes || 'MAX',
    raid_level: level,
    controller: 'software',
    ...(rootVolume === true && { is_root_volume: true }),
    ...(physicalDisks?.length && { physical_disks: physicalDisks.map(rootDeviceHints) }),
  };
}

function hasHardware(raid: Maybe<RaidConfig>): boolean {
  return (raid?.hardwareRAIDVolumes ?? []).length > 0;
}

function hasSoftware(raid: Maybe<RaidConfig>): boolean {
  return (raid?.softwareRAIDVolumes ?? []).length > 0;
}

/** Whether software volumes are wanted, or those on record are to be cleared. */
function isAboutSoftware({ wanted, recorded }: RaidChange): boolean {
  // mutant: raid-unrecorded-cleared ||.1 -> true
  return !hasHardware(wanted) && (hasSoftware(wanted) || hasSoftware(recorded));
}

/** Unspecified hardware volumes are equal to no recorded ones. */
function isSameHardware(wanted: Maybe<RaidConfig>, recorded: Maybe<RaidConfig>): boolean {
  if (wanted?.hardwareRAIDVolumes == null) return !hasHardware(recorded);
  const disks = recorded?.hardwareRAIDVolumes?.map(hardwareDisk);
  return isDeepStrictEqual(wanted.hardwareRAIDVolumes.map(hardwareDisk), disks);
}

/** No list of software volumes is the same as an empty one. */
function isSameSoftware(one: Maybe<RaidConfig>, other: Maybe<RaidConfig>): boolean {
  // mutant: raid-unrecorded-cleared =>.1 -> raid?.softwareRAIDVolumes?.map(softwareDisk)
  const disks = (raid: Maybe<RaidConfig>): readonly LogicalDisk[] =>
    (raid?.softwareRAIDVolumes ?? []).map(softwareDisk);
  return isDeepStrictEqual(disks(one), disks(other));
}
