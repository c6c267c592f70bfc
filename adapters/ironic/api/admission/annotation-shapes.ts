// Shapes of BareMetalHost annotations: the status, in the field names of either version of the API, and hardware
// details.
import type { Shape } from './shapes.ts';

const NAMED = { name: 'string', namespace: 'string' } as const;
const PERIOD = { start: 'time', end: 'time' } as const;
const CREDENTIALS = { credentials: NAMED, credentialsVersion: 'string' } as const;
const CUSTOM_DEPLOY = { method: 'string' } as const;

const IMAGE = {
  url: 'string',
  checksum: 'string',
  checksumType: 'string',
  format: 'string',
  ociAuthSecretName: 'string',
} as const;

const HINTS = {
  deviceName: 'string',
  devicePath: 'string',
  hctl: 'string',
  minSizeGigabytes: 'integer',
  model: 'string',
  modelContains: 'string',
  rotational: 'boolean',
  serialNumber: 'string',
  vendor: 'string',
  vendorContains: 'string',
  wwn: 'string',
  wwnVendorExtension: 'string',
  wwnWithExtension: 'string',
} as const;

const RAID = {
  hardwareRAIDVolumes: [
    {
      controller: 'string',
      level: 'string',
      name: 'string',
      numberOfPhysicalDisks: 'integer',
      physicalDisks: ['string'],
      rotational: 'boolean',
      sizeGibibytes: 'integer',
    },
  ],
  softwareRAIDVolumes: [{ level: 'string', physicalDisks: [HINTS], rootVolume: 'boolean', sizeGibibytes: 'integer' }],
} as const;

/** `inspect.metal3.io/hardwaredetails`, and `hardware` of a status. */
export const HARDWARE_SHAPE = {
  cpu: { arch: 'string', clockMegahertz: 'number', count: 'integer', flags: ['string'], model: 'string' },
  firmware: { bios: { date: 'string', vendor: 'string', version: 'string' } },
  hostname: 'string',
  nics: [
    {
      ip: 'string',
      lldp: { portID: 'string', switchID: 'string', switchSystemName: 'string' },
      mac: 'string',
      model: 'string',
      name: 'string',
      pciAddress: 'string',
      pxe: 'boolean',
      speedGbps: 'integer',
      vlanId: 'integer',
      vlans: [{ id: 'integer', name: 'string' }],
    },
  ],
  ramMebibytes: 'integer',
  storage: [
    {
      alternateNames: ['string'],
      hctl: 'string',
      model: 'string',
      name: 'string',
      rotational: 'boolean',
      serialNumber: 'string',
      sizeBytes: 'integer',
      type: 'string',
      vendor: 'string',
      wwn: 'string',
      wwnVendorExtension: 'string',
      wwnWithExtension: 'string',
    },
  ],
  systemVendor: { manufacturer: 'string', productName: 'string', serialNumber: 'string' },
} as const satisfies Shape;

/** `baremetalhost.metal3.io/status`. */
export const STATUS_SHAPE = {
  conditions: [
    {
      lastTransitionTime: 'time',
      message: 'string',
      observedGeneration: 'integer',
      reason: 'string',
      status: 'string',
      type: 'string',
    },
  ],
  errorCount: 'integer',
  errorMessage: 'string',
  errorType: 'string',
  goodCredentials: CREDENTIALS,
  hardware: HARDWARE_SHAPE,
  hardwareProfile: 'string',
  lastAttemptedImage: IMAGE,
  lastUpdated: 'time',
  operationHistory: { deprovision: PERIOD, inspect: PERIOD, provision: PERIOD, register: PERIOD },
  operationalStatus: 'string',
  poweredOn: 'boolean',
  provisioning: {
    ID: 'string',
    bootMode: 'string',
    customDeploy: CUSTOM_DEPLOY,
    firmware: {
      simultaneousMultithreadingEnabled: 'boolean',
      sriovEnabled: 'boolean',
      virtualizationEnabled: 'boolean',
    },
    image: IMAGE,
    raid: RAID,
    rootDeviceHints: HINTS,
    state: 'string',
  },
  provisioningFailCount: 'integer',
  triedCredentials: CREDENTIALS,
} as const satisfies Shape;
