// Hosts for tests: what a life may be told of.
import type {
  BareMetalHost,
  HostSpec,
  HostStatus,
  ProvisioningStatus,
} from '../../../machines/bare-metal-host/host.ts';

export const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const NOW = '2026-01-02T03:04:05Z';
export const EARLIER = '2026-01-02T03:00:00Z';

export const BMC = { bmc: { address: 'redfish://bmc.example.org/1', credentialsName: 'bmc' } };
export const IMAGE = { url: 'http://images.example.org/one.raw', checksum: 'abc' };
export const OTHER_IMAGE = { url: 'http://images.example.org/two.raw', checksum: 'def' };

export interface Parts {
  readonly state?: string;
  readonly spec?: HostSpec;
  readonly status?: Omit<HostStatus, 'provisioning'>;
  readonly provisioning?: ProvisioningStatus;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deleted?: boolean;
}

export function host({ state = '', spec = {}, status = {}, provisioning = {}, annotations, deleted }: Parts = {}) {
  return {
    metadata: {
      name: 'node-1',
      namespace: 'metal',
      generation: 3,
      ...(annotations && { annotations }),
      ...(deleted && { deletionTimestamp: EARLIER }),
    },
    spec: { online: true, ...spec },
    status: {
      operationalStatus: 'OK',
      errorMessage: '',
      errorCount: 0,
      poweredOn: false,
      provisioningFailCount: 0,
      ...status,
      provisioning: { ID: 'node-uuid', ...provisioning, state },
    },
  } satisfies BareMetalHost;
}

/** Every `provisioning.state` that the API knows. */
export const STATES = [
  '',
  'unmanaged',
  'registering',
  'inspecting',
  'match profile',
  'preparing',
  'available',
  'ready',
  'provisioning',
  'provisioned',
  'externally provisioned',
  'deprovisioning',
  'powering off before delete',
  'deleting',
] as const;

/** What users may write into annotations that hold JSON. */
export const HOSTILE = [
  ...['{', 'hard', 'null', '[]', '5', '"hard"', '\u0000', '{"mode":5}', '{"force":"true"}', '{"mode":"medium"}'],
  ...['{"__proto__":{"force":true,"mode":"hard","deleteAction":"delay"}}', '{"constructor":{"force":true}}'],
  `${'['.repeat(50_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
];

/** No part of a host is certain to be there. */
export const BARE: readonly BareMetalHost[] = [
  {},
  { metadata: null, spec: null, status: null },
  { metadata: {}, spec: {}, status: {} },
  {
    metadata: { annotations: null },
    spec: { bmc: null, image: null, customDeploy: null },
    status: { provisioning: null },
  },
  {
    spec: { online: null, image: { url: null } },
    status: { provisioning: { state: null, image: null }, errorCount: null },
  },
];
