// The types of fields that come out of annotations, which no schema has checked. Names are those of v1alpha1.
import { isMap } from '../../json-values.ts';

/** The type of a field. Beside it `null` counts as absent; where it is a value of its own, the type says so. */
export type Shape =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'string'
  | 'string or null'
  | { readonly list: Shape; readonly orNull?: true }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** Value after it was fitted to a shape. */
export interface Fitted {
  /** Without what the shape does not know, and without what is `null` and need not be. */
  readonly value: unknown;
  /** Paths of fields that the shape does not know. */
  readonly unknown: readonly string[];
  /** Paths of fields of another type; there is no use in the value then. */
  readonly wrong: readonly string[];
}

/** Fits the value to the shape. @param path  path of the value, for the reported paths */
export function fitToShape(value: unknown, shape: Shape, path = ''): Fitted {
  if (typeof shape === 'string') return { value, unknown: [], wrong: isOfType(value, shape) ? [] : [path] };
  if ('list' in shape) {
    if (value === null && shape.orNull) return { value, unknown: [], wrong: [] };
    if (!Array.isArray(value)) return { value, unknown: [], wrong: [path] };
    const items = value.map((item, at) => fitToShape(item, shape.list, `${path}[${at}]`));
    return { value: items.map((item) => item.value), ...findingsOf(items) };
  }
  if (!isMap(value)) return { value, unknown: [], wrong: [path] };
  const unknown: string[] = [];
  const members: (readonly [key: string, of: Fitted])[] = [];
  for (const [key, member] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const of = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (of === undefined) unknown.push(at);
    else if (member !== null || isNullable(of)) members.push([key, fitToShape(member, of, at)]);
  }
  const findings = findingsOf(members.map(([, of]) => of));
  return {
    value: Object.fromEntries(members.map(([key, of]) => [key, of.value])),
    unknown: [...unknown, ...findings.unknown],
    wrong: findings.wrong,
  };
}

const findingsOf = (parts: readonly Fitted[]): Pick<Fitted, 'unknown' | 'wrong'> => ({
  unknown: parts.flatMap(({ unknown }) => unknown),
  wrong: parts.flatMap(({ wrong }) => wrong),
});

const isNullable = (shape: Shape): boolean =>
  shape === 'string or null' || (typeof shape === 'object' && 'list' in shape && shape.orNull === true);

function isOfType(value: unknown, type: Extract<Shape, string>): boolean {
  if (type === 'string or null') return value === null || typeof value === 'string';
  // Integer beyond the range of a number.
  if (typeof value === 'bigint') return type === 'integer' || type === 'number';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

const listOf = (list: Shape): Shape => ({ list });
const fields = (of: Readonly<Record<string, Shape>>): Shape => ({ fields: of });

/** `status.hardware`, and `spec.hardware` of HardwareData. */
export const HARDWARE_DETAILS: Shape = fields({
  cpu: fields({
    arch: 'string',
    clockMegahertz: 'number',
    count: 'integer',
    flags: listOf('string'),
    model: 'string',
  }),
  firmware: fields({ bios: fields({ date: 'string', vendor: 'string', version: 'string' }) }),
  hostname: 'string',
  nics: listOf(
    fields({
      ip: 'string',
      lldp: fields({ portID: 'string', switchID: 'string', switchSystemName: 'string' }),
      mac: 'string',
      model: 'string',
      name: 'string',
      pciAddress: 'string',
      pxe: 'boolean',
      speedGbps: 'integer',
      vlanId: 'integer',
      vlans: listOf(fields({ id: 'integer', name: 'string' })),
    }),
  ),
  ramMebibytes: 'integer',
  storage: listOf(
    fields({
      alternateNames: listOf('string'),
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
    }),
  ),
  systemVendor: fields({ manufacturer: 'string', productName: 'string', serialNumber: 'string' }),
});

const IMAGE = fields({
  checksum: 'string',
  checksumType: 'string',
  format: 'string',
  ociAuthSecretName: 'string',
  url: 'string',
});

const ROOT_DEVICE_HINTS = fields({
  deviceName: 'string',
  hctl: 'string',
  minSizeGigabytes: 'integer',
  model: 'string',
  rotational: 'boolean',
  serialNumber: 'string',
  vendor: 'string',
  wwn: 'string',
  wwnVendorExtension: 'string',
  wwnWithExtension: 'string',
});

const RAID = fields({
  hardwareRAIDVolumes: {
    list: fields({
      controller: 'string',
      level: 'string',
      name: 'string',
      numberOfPhysicalDisks: 'integer',
      physicalDisks: listOf('string'),
      rotational: 'boolean',
      sizeGibibytes: 'integer',
    }),
    orNull: true,
  },
  softwareRAIDVolumes: {
    list: fields({
      level: 'string',
      physicalDisks: listOf(ROOT_DEVICE_HINTS),
      rootVolume: 'boolean',
      sizeGibibytes: 'integer',
    }),
    orNull: true,
  },
});

const CREDENTIALS = fields({
  credentials: fields({ name: 'string', namespace: 'string' }),
  credentialsVersion: 'string',
});

const PERIOD = fields({ end: 'string or null', start: 'string or null' });

/** `status` of a BareMetalHost. */
export const HOST_STATUS: Shape = fields({
  conditions: listOf(
    fields({
      lastTransitionTime: 'string',
      message: 'string',
      observedGeneration: 'integer',
      reason: 'string',
      status: 'string',
      type: 'string',
    }),
  ),
  errorCount: 'integer',
  errorMessage: 'string',
  errorType: 'string',
  goodCredentials: CREDENTIALS,
  hardware: HARDWARE_DETAILS,
  hardwareProfile: 'string',
  lastAttemptedImage: IMAGE,
  lastUpdated: 'string',
  operationHistory: fields({ deprovision: PERIOD, inspect: PERIOD, provision: PERIOD, register: PERIOD }),
  operationalStatus: 'string',
  poweredOn: 'boolean',
  provisioning: fields({
    ID: 'string',
    bootMode: 'string',
    customDeploy: fields({ method: 'string' }),
    firmware: fields({
      simultaneousMultithreadingEnabled: 'boolean',
      sriovEnabled: 'boolean',
      virtualizationEnabled: 'boolean',
    }),
    image: IMAGE,
    raid: RAID,
    rootDeviceHints: ROOT_DEVICE_HINTS,
    state: 'string',
  }),
  provisioningFailCount: 'integer',
  triedCredentials: CREDENTIALS,
});
