// Rules of a BareMetalHost.
import { toErrorData } from '../../../../bus/errors.ts';
import { parseBmcAddress } from '../../host/bmc-address.ts';
import { type Driver, driverOf } from '../../host/drivers.ts';
import { imageProblems } from '../../host/image-rules.ts';
import { type JsonMap, listOf, mapOf, textOf } from '../../json-values.ts';
import { annotationProblems, isInspectionDisabled } from './host-annotations.ts';
import { interfaceProblems } from './network-interfaces.ts';
import { raidProblems } from './raid-rules.ts';
import type { FieldNames, KindRules } from './rules.ts';

const SECRETS = ['userData', 'networkData', 'metaData'] as const;

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;
const FOREIGN_IN_NAME = /[^A-Za-z0-9._-]/;
/** With and without hyphens: what Ironic is asked for by a name must not be taken for an id. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{32}$/i;
const DEVICE_NAME = /^\/dev\/(?:disk\/by-path\/)?[^/]+$/;

/** States in which a host is free; the second is what older versions called the first. */
const FREE: readonly unknown[] = ['available', 'ready'];

export const bareMetalHostRules: KindRules = { problems, changes };

function problems(host: JsonMap, names: FieldNames): readonly string[] {
  const [metadata, spec] = [mapOf(host['metadata']), mapOf(host['spec'])];
  const { driver, problem } = driverFor(textOf(mapOf(spec['bmc'])['address']));
  return [
    ...(problem === undefined ? [] : [problem]),
    ...(isSet(spec['firmware']) ? ['the Firmware field is no longer supported, use HostFirmwareSettings'] : []),
    ...secretProblems(spec, textOf(metadata['namespace'])),
    ...raidProblems(spec),
    ...(driver === undefined ? [] : driverProblems(driver, host)),
    ...nameProblems(textOf(metadata['name'])),
    ...hintProblems(mapOf(spec['rootDeviceHints']), names),
    ...imageProblems(spec['image']),
    ...annotationProblems(host),
    ...(spec['disablePowerOff'] === true && spec[names.online] !== true
      ? [`node can't simultaneously have ${names.online} set to false and have power off disabled`]
      : []),
    ...interfaceProblems(listOf(spec['networkInterfaces'])),
  ];
}

function changes(host: JsonMap, stored: JsonMap): readonly string[] {
  const [spec, old] = [mapOf(host['spec']), mapOf(stored['spec'])];
  // The API server gives both the stored status: a change of the spec is none of the status.
  const { operationalStatus, provisioning } = mapOf(host['status'] ?? stored['status']);
  const { state } = mapOf(provisioning);
  const [address, oldAddress] = [spec, old].map(({ bmc }) => textOf(mapOf(bmc)['address']));
  const [mac, oldMac] = [spec, old].map(({ bootMACAddress }) => textOf(bootMACAddress).toLowerCase());
  const found: string[] = [];
  if (oldAddress !== '' && address !== oldAddress && state !== 'registering' && operationalStatus !== 'detached') {
    found.push('BMC address can not be changed if the host is neither registering nor detached');
  }
  if (oldMac !== '' && mac !== oldMac) found.push('bootMACAddress can not be changed once it is set');
  if (spec['externallyProvisioned'] === true && old['externallyProvisioned'] !== true && !FREE.includes(state)) {
    found.push('externallyProvisioned can not be changed to true if the host is not available');
  }
  return found;
}

/** The driver of an address; no problem and no driver where there is no address. */
function driverFor(address: string): { readonly driver?: Driver; readonly problem?: string } {
  if (address === '') return {};
  try {
    return { driver: driverOf(parseBmcAddress(address)) };
  } catch (error) {
    return { problem: toErrorData(error).message };
  }
}

function driverProblems({ type, needsMac, ...driver }: Driver, host: JsonMap): readonly string[] {
  const { raid, bootMACAddress, bootMode, inspectionMode } = mapOf(host['spec']);
  const mac = textOf(bootMACAddress);
  const found: string[] = [];
  if (listOf(mapOf(raid)['hardwareRAIDVolumes']).length > 0 && driver.interfaces.raid_interface === 'no-raid') {
    found.push(`BMC driver ${type} does not support configuring RAID`);
  }
  if (mac === '' && (needsMac || isInspectionDisabled(host))) {
    found.push(`BMC driver ${type} requires a BootMACAddress value`);
  }
  if (mac !== '' && !MAC.test(mac)) found.push(`invalid MAC address ${mac} in bootMACAddress`);
  if (bootMode === 'UEFISecureBoot' && !driver.supportsSecureBoot) {
    found.push(`BMC driver ${type} does not support secure boot`);
  }
  if (inspectionMode === 'fast' && driver.fastInspectInterface === undefined) {
    found.push(`BMC driver ${type} does not support fast (out-of-band) inspection`);
  }
  return found;
}

function secretProblems(spec: JsonMap, namespace: string): readonly string[] {
  return SECRETS.filter((name) => !['', namespace].includes(textOf(mapOf(spec[name])['namespace']))).map(
    (name) => `spec.${name}: cross-namespace Secret references are not allowed`,
  );
}

function nameProblems(name: string): readonly string[] {
  if (FOREIGN_IN_NAME.test(name)) {
    return ['BareMetalHost resource name cannot contain characters other than [A-Za-z0-9._-]'];
  }
  return UUID.test(name) ? ['BareMetalHost resource name cannot be a UUID'] : [];
}

function hintProblems(hints: JsonMap, { deviceName: field }: FieldNames): readonly string[] {
  const device = textOf(hints[field]);
  if (device === '' || DEVICE_NAME.test(device)) return [];
  return [
    `device name of root device hint must be a path in /dev/ or /dev/disk/by-path/, not "${device}" (rootDeviceHints.${field})`,
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
