// The fields of the two kinds whose versions differ, as the contract lists them: path by v1alpha1 names, type (`!`: required
// in its parent), and what v1beta1 has otherwise. And random objects with these fields.

export type Value = unknown;
export type Tree = { [key: string]: Value };

/** Another field than in v1alpha1: its new name, `removed`, or undefined for the same. */
export interface Row {
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly rule: string | undefined;
  /** Its path in v1beta1; undefined: it is gone. */
  readonly newPath: string | undefined;
}

const HOST = `
spec.architecture string
spec.automatedCleaningMode string
spec.bmc object
spec.bmc.address string!
spec.bmc.credentialsName string!
spec.bmc.disableCertificateVerification boolean
spec.bootMACAddress string
spec.bootMode string
spec.consumerRef object
spec.consumerRef.apiVersion string
spec.consumerRef.fieldPath string
spec.consumerRef.kind string
spec.consumerRef.name string
spec.consumerRef.namespace string
spec.consumerRef.resourceVersion string
spec.consumerRef.uid string
spec.customDeploy object
spec.customDeploy.method string!
spec.description string
spec.disablePowerOff boolean
spec.externallyProvisioned boolean
spec.firmware object
spec.firmware.simultaneousMultithreadingEnabled boolean
spec.firmware.sriovEnabled boolean
spec.firmware.virtualizationEnabled boolean
spec.hardwareProfile string R1
spec.image object
spec.image.checksum string
spec.image.checksumType string R3
spec.image.format string
spec.image.ociAuthSecretName string
spec.image.url string!
spec.inspectionMode string
spec.metaData object
spec.metaData.name string
spec.metaData.namespace string
spec.networkData object
spec.networkData.name string
spec.networkData.namespace string
spec.networkInterfaces []object
spec.networkInterfaces[].hostNetworkAttachment object
spec.networkInterfaces[].hostNetworkAttachment.name string
spec.networkInterfaces[].hostNetworkAttachment.namespace string
spec.networkInterfaces[].macAddress string
spec.networkInterfaces[].name string
spec.networkInterfaces[].switchPort object
spec.networkInterfaces[].switchPort.portID string!
spec.networkInterfaces[].switchPort.switchID string!
spec.online boolean! -> poweredOn
spec.preprovisioningNetworkDataName string
spec.raid object
spec.raid.hardwareRAIDVolumes []object
spec.raid.hardwareRAIDVolumes[].controller string
spec.raid.hardwareRAIDVolumes[].level string!
spec.raid.hardwareRAIDVolumes[].name string
spec.raid.hardwareRAIDVolumes[].numberOfPhysicalDisks integer
spec.raid.hardwareRAIDVolumes[].physicalDisks []string
spec.raid.hardwareRAIDVolumes[].rotational boolean
spec.raid.hardwareRAIDVolumes[].sizeGibibytes integer
spec.raid.softwareRAIDVolumes []object
spec.raid.softwareRAIDVolumes[].level string!
spec.raid.softwareRAIDVolumes[].physicalDisks []object
spec.raid.softwareRAIDVolumes[].physicalDisks[].deviceName string -> devicePath
spec.raid.softwareRAIDVolumes[].physicalDisks[].hctl string
spec.raid.softwareRAIDVolumes[].physicalDisks[].minSizeGigabytes integer
spec.raid.softwareRAIDVolumes[].physicalDisks[].model string -> modelContains
spec.raid.softwareRAIDVolumes[].physicalDisks[].rotational boolean
spec.raid.softwareRAIDVolumes[].physicalDisks[].serialNumber string
spec.raid.softwareRAIDVolumes[].physicalDisks[].vendor string -> vendorContains
spec.raid.softwareRAIDVolumes[].physicalDisks[].wwn string
spec.raid.softwareRAIDVolumes[].physicalDisks[].wwnVendorExtension string
spec.raid.softwareRAIDVolumes[].physicalDisks[].wwnWithExtension string
spec.raid.softwareRAIDVolumes[].rootVolume boolean
spec.raid.softwareRAIDVolumes[].sizeGibibytes integer
spec.rootDeviceHints object R4
spec.rootDeviceHints.deviceName string -> devicePath
spec.rootDeviceHints.hctl string
spec.rootDeviceHints.minSizeGigabytes integer
spec.rootDeviceHints.model string -> modelContains
spec.rootDeviceHints.rotational boolean
spec.rootDeviceHints.serialNumber string
spec.rootDeviceHints.vendor string -> vendorContains
spec.rootDeviceHints.wwn string
spec.rootDeviceHints.wwnVendorExtension string
spec.rootDeviceHints.wwnWithExtension string
spec.taints []object
spec.taints[].effect string!
spec.taints[].key string!
spec.taints[].timeAdded string
spec.taints[].value string
spec.userData object
spec.userData.name string
spec.userData.namespace string
status.conditions []object
status.errorCount integer!
status.errorMessage string!
status.errorType string
status.goodCredentials object
status.goodCredentials.credentials object
status.goodCredentials.credentials.name string
status.goodCredentials.credentials.namespace string
status.goodCredentials.credentialsVersion string
status.hardware object R2
status.hardwareProfile string R1
status.lastAttemptedImage object
status.lastAttemptedImage.checksum string
status.lastAttemptedImage.checksumType string R3
status.lastAttemptedImage.format string
status.lastAttemptedImage.ociAuthSecretName string
status.lastAttemptedImage.url string!
status.lastUpdated string
status.operationHistory object
status.operationHistory.deprovision object
status.operationHistory.deprovision.end string
status.operationHistory.deprovision.start string
status.operationHistory.inspect object
status.operationHistory.inspect.end string
status.operationHistory.inspect.start string
status.operationHistory.provision object
status.operationHistory.provision.end string
status.operationHistory.provision.start string
status.operationHistory.register object
status.operationHistory.register.end string
status.operationHistory.register.start string
status.operationalStatus string!
status.poweredOn boolean!
status.provisioning object!
status.provisioning.ID string!
status.provisioning.bootMode string
status.provisioning.customDeploy object
status.provisioning.customDeploy.method string!
status.provisioning.firmware object
status.provisioning.firmware.simultaneousMultithreadingEnabled boolean
status.provisioning.firmware.sriovEnabled boolean
status.provisioning.firmware.virtualizationEnabled boolean
status.provisioning.image object
status.provisioning.image.checksum string
status.provisioning.image.checksumType string R3
status.provisioning.image.format string
status.provisioning.image.ociAuthSecretName string
status.provisioning.image.url string!
status.provisioning.raid object
status.provisioning.raid.hardwareRAIDVolumes []object
status.provisioning.raid.hardwareRAIDVolumes[].controller string
status.provisioning.raid.hardwareRAIDVolumes[].level string!
status.provisioning.raid.hardwareRAIDVolumes[].name string
status.provisioning.raid.hardwareRAIDVolumes[].numberOfPhysicalDisks integer
status.provisioning.raid.hardwareRAIDVolumes[].physicalDisks []string
status.provisioning.raid.hardwareRAIDVolumes[].rotational boolean
status.provisioning.raid.hardwareRAIDVolumes[].sizeGibibytes integer
status.provisioning.raid.softwareRAIDVolumes []object
status.provisioning.raid.softwareRAIDVolumes[].level string!
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks []object
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].deviceName string -> devicePath
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].hctl string
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].minSizeGigabytes integer
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].model string -> modelContains
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].rotational boolean
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].serialNumber string
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].vendor string -> vendorContains
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].wwn string
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].wwnVendorExtension string
status.provisioning.raid.softwareRAIDVolumes[].physicalDisks[].wwnWithExtension string
status.provisioning.raid.softwareRAIDVolumes[].rootVolume boolean
status.provisioning.raid.softwareRAIDVolumes[].sizeGibibytes integer
status.provisioning.rootDeviceHints object
status.provisioning.rootDeviceHints.deviceName string -> devicePath
status.provisioning.rootDeviceHints.hctl string
status.provisioning.rootDeviceHints.minSizeGigabytes integer
status.provisioning.rootDeviceHints.model string -> modelContains
status.provisioning.rootDeviceHints.rotational boolean
status.provisioning.rootDeviceHints.serialNumber string
status.provisioning.rootDeviceHints.vendor string -> vendorContains
status.provisioning.rootDeviceHints.wwn string
status.provisioning.rootDeviceHints.wwnVendorExtension string
status.provisioning.rootDeviceHints.wwnWithExtension string
status.provisioning.state string!
status.provisioningFailCount integer!
status.triedCredentials object
status.triedCredentials.credentials object
status.triedCredentials.credentials.name string
status.triedCredentials.credentials.namespace string
status.triedCredentials.credentialsVersion string
`;

/** Children of `status.hardware` go with it. */
const HARDWARE = `
status.hardware.cpu object
status.hardware.cpu.arch string
status.hardware.cpu.clockMegahertz number
status.hardware.cpu.count integer
status.hardware.cpu.flags []string
status.hardware.cpu.model string
status.hardware.firmware object
status.hardware.firmware.bios object
status.hardware.firmware.bios.date string
status.hardware.firmware.bios.vendor string
status.hardware.firmware.bios.version string
status.hardware.hostname string
status.hardware.nics []object
status.hardware.nics[].ip string
status.hardware.nics[].lldp object
status.hardware.nics[].lldp.portID string
status.hardware.nics[].lldp.switchID string
status.hardware.nics[].lldp.switchSystemName string
status.hardware.nics[].mac string
status.hardware.nics[].model string
status.hardware.nics[].name string
status.hardware.nics[].pciAddress string
status.hardware.nics[].pxe boolean
status.hardware.nics[].speedGbps integer
status.hardware.nics[].vlanId integer
status.hardware.nics[].vlans []object
status.hardware.nics[].vlans[].id integer
status.hardware.nics[].vlans[].name string
status.hardware.ramMebibytes integer
status.hardware.storage []object
status.hardware.storage[].alternateNames []string
status.hardware.storage[].hctl string
status.hardware.storage[].model string
status.hardware.storage[].name string
status.hardware.storage[].rotational boolean
status.hardware.storage[].serialNumber string
status.hardware.storage[].sizeBytes integer
status.hardware.storage[].type string
status.hardware.storage[].vendor string
status.hardware.storage[].wwn string
status.hardware.storage[].wwnVendorExtension string
status.hardware.storage[].wwnWithExtension string
status.hardware.systemVendor object
status.hardware.systemVendor.manufacturer string
status.hardware.systemVendor.productName string
status.hardware.systemVendor.serialNumber string
`;

const CLAIM = `
spec.consumerRef object
spec.consumerRef.apiVersion string
spec.consumerRef.fieldPath string
spec.consumerRef.kind string
spec.consumerRef.name string
spec.consumerRef.namespace string
spec.consumerRef.resourceVersion string
spec.consumerRef.uid string
spec.customDeploy object
spec.customDeploy.method string!
spec.failureDomain string
spec.hostSelector object
spec.hostSelector.inNamespace string
spec.hostSelector.matchExpressions []object
spec.hostSelector.matchExpressions[].key string!
spec.hostSelector.matchExpressions[].operator string!
spec.hostSelector.matchExpressions[].values []string!
spec.hostSelector.matchLabels map[string]string
spec.image object
spec.image.checksum string
spec.image.checksumType string R3
spec.image.format string
spec.image.ociAuthSecretName string
spec.image.url string!
spec.metaData object
spec.metaData.name string
spec.metaData.namespace string
spec.networkData object
spec.networkData.name string
spec.networkData.namespace string
spec.poweredOn boolean!
spec.userData object
spec.userData.name string
spec.userData.namespace string
status.bareMetalHost object
status.bareMetalHost.name string!
status.bareMetalHost.namespace string!
status.conditions []object
status.hardwareData object
status.hardwareData.name string!
status.hardwareData.namespace string!
status.lastUpdated string
status.poweredOn boolean
`;

export const HOST_ROWS = rowsOf(HOST);
export const HARDWARE_ROWS = rowsOf(HARDWARE);
export const CLAIM_ROWS = rowsOf(CLAIM);

function rowsOf(table: string): readonly Row[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => {
    const [path = '', type = '', rule, name] = line.split(' ');
    const isRemoved = rule === 'R1' || rule === 'R2';
    const renamed = `${path.slice(0, path.lastIndexOf('.') + 1)}${name}`;
    return {
      path,
      type: type.replace('!', ''),
      isRequired: type.endsWith('!'),
      rule: rule === '->' ? 'rename' : rule,
      newPath: isRemoved ? undefined : rule === '->' ? renamed : path,
    };
  });
}

/** What may be at a place. */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly fields: Map<string, Field>;
}

/** The fields as a tree, by the names of a version. Rows of removed fields are left out, with all below them. */
export function fieldsOf(rows: readonly Row[], version: 'v1alpha1' | 'v1beta1'): Field {
  const root: Field = { path: '', type: 'object', isRequired: true, fields: new Map() };
  for (const { path, newPath, type, isRequired } of rows) {
    const own = version === 'v1alpha1' ? path : newPath;
    if (own === undefined || (version === 'v1beta1' && own.startsWith('status.hardware.'))) continue;
    const keys = own.split('.');
    let parent = root;
    for (const key of keys.slice(0, -1)) {
      const name = key.replace('[]', '');
      const known = parent.fields.get(name) ?? { path: name, type: 'object', isRequired: false, fields: new Map() };
      parent.fields.set(name, known);
      parent = known;
    }
    const name = keys.at(-1) as string;
    parent.fields.set(name, { path: own, type, isRequired, fields: parent.fields.get(name)?.fields ?? new Map() });
  }
  return root;
}

const HEX = (digits: number): string => '0123456789abcdef'.repeat(8).slice(0, digits);

/** Values that something depends on, by the end of their paths. */
const CHOICES: readonly (readonly [end: string, values: readonly Value[]])[] = [
  ['.bmc.address', ['libvirt://192.0.2.1:6233', 'libvirt+https://x', 'redfish://192.0.2.1/1', 'ipmi://192.0.2.1', '']],
  ['.hardwareProfile', ['unknown', 'libvirt', 'dell', 'dell-raid', 'openstack', 'empty', '', 'constructor', 'other']],
  ['.checksum', [HEX(32), HEX(64), HEX(128).toUpperCase(), HEX(63), 'http://images.example.com/SUM', '', ' ']],
  ['.checksumType', ['md5', 'sha256', 'sha512', 'auto', '']],
  ['.url', ['', 'http://images.example.com/a.qcow2', 'http://images.example.com/b.qcow2', 'oci://example.com/c']],
  ['.format', ['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso']],
  ['.devicePath', ['/dev/sda', '/dev/vda', '/dev/sdb']],
  ['.deviceName', ['/dev/sda', '/dev/vda', '/dev/sdb']],
  ['.hctl', ['0:0:0:0', '0:2:0:0', '1:0:0:0']],
  ['.start', ['2026-08-20T10:00:00Z', null]],
  ['.end', ['2026-08-20T11:00:00Z', null]],
];
const TEXTS = ['', 'a', 'Ünï', '__proto__', 'x'.repeat(40), '0', 'null', '"', '\u2028'];
const NULLABLE = /RAIDVolumes$/;

export type Random = () => number;

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** A value for a field, with each field that need not be there only sometimes. */
export function randomValue(field: Field, random: Random): Value {
  const isList = field.type.startsWith('[]');
  if (isList) {
    if (NULLABLE.test(field.path) && random() < 0.2) return null;
    const count = Math.floor(random() * 3);
    return Array.from({ length: count }, () => randomItem(field, random));
  }
  return randomItem(field, random);
}

function randomItem(field: Field, random: Random): Value {
  const type = field.type.replace('[]', '');
  if (field.fields.size > 0) {
    const present = [...field.fields].filter(([, { isRequired }]) => isRequired || random() < 0.3);
    return Object.fromEntries(present.map(([name, member]) => [name, randomValue(member, random)]));
  }
  const choices = CHOICES.find(([end]) => field.path.endsWith(end))?.[1];
  if (choices !== undefined) return oneOf(random, choices);
  if (type === 'boolean') return random() < 0.5;
  if (type === 'integer') return Math.floor(random() * 1e6);
  if (type === 'number') return random() * 5_000;
  return type === 'object' || type.startsWith('map') ? {} : oneOf(random, TEXTS);
}

/** A random object, of the kind whose fields these are. */
export function randomObject(kind: string, version: string, fields: Field, random: Random): Tree {
  const annotations = '{"a": "b", "constructor": "x", "baremetalhost.metal3.io/paused": ""}';
  const metadata = {
    name: `host-${Math.floor(random() * 1e6)}`,
    namespace: 'metal3',
    uid: `${random()}`,
    ...(random() < 0.5 && { annotations: JSON.parse(annotations) as Tree }),
    ...(random() < 0.5 && { labels: { rack: '7' } }),
    ...(random() < 0.5 && { finalizers: ['baremetalhost.metal3.io'] }),
  };
  const body = [...fields.fields]
    .filter(() => random() < 0.9)
    .map(([name, field]) => [name, randomItem(field, random)]);
  return { apiVersion: `metal3.io/${version}`, kind, metadata, ...Object.fromEntries(body) };
}
