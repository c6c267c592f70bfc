// Rules of a host's RAID volumes, independent of its driver.
import { isMap, type JsonMap, listOf, mapOf, textOf } from '../../json-values.ts';

/** @param spec  of a BareMetalHost */
export function raidProblems({ raid, rootDeviceHints }: JsonMap): readonly string[] {
  const { hardwareRAIDVolumes, softwareRAIDVolumes } = mapOf(raid);
  const hardware = listOf(hardwareRAIDVolumes).map(mapOf);
  const software = listOf(softwareRAIDVolumes).map(mapOf);
  const both = hardware.length > 0 && software.length > 0;
  return [
    ...(both ? ['hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time'] : []),
    ...hardware.flatMap(diskProblems),
    ...rootVolumeProblems(
      software.filter(({ rootVolume }) => rootVolume === true),
      isMap(rootDeviceHints),
    ),
  ];
}

function diskProblems(volume: JsonMap, index: number): readonly string[] {
  const { controller, numberOfPhysicalDisks: count } = volume;
  const disks = listOf(volume['physicalDisks']).length;
  if (disks === 0) return [];
  const found: string[] = [];
  if (textOf(controller) === '') {
    found.push(`'physicalDisks' specified without 'controller' in hardware RAID volume ${index}`);
  }
  if (typeof count === 'number' && count !== disks) {
    found.push(
      `the 'numberOfPhysicalDisks'[${count}] and number of 'physicalDisks'[${disks}] is not same for volume ${index}`,
    );
  }
  return found;
}

/** @param volumes  of software RAID that say to be the root volume */
function rootVolumeProblems(volumes: readonly JsonMap[], hasHints: boolean): readonly string[] {
  if (volumes.length === 0) return [];
  return [
    ...(volumes.length > 1 ? ['rootVolume can only be set once in softwareRAIDVolumes'] : []),
    ...(hasHints ? ['rootVolume and rootDeviceHints can not be set at the same time'] : []),
    ...(volumes.some(({ level }) => level !== '1')
      ? ['the software RAID volume with rootVolume must use RAID level 1']
      : []),
  ];
}
