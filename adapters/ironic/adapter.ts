// Bare metal as an adapter: what the runtime is given of it.
import { TerminalError } from '../../bus/errors.ts';
import type { ReferencedKind } from '../../machines/kind.ts';
import type { Adapter, Configured, ConfiguredAdapter, Served, ServePorts } from '../api/adapter.ts';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { ANYWHERE, foreignReachOf } from '../http/egress-policy.ts';
import { metal3Contracts } from './api/contracts.ts';
import { convertManifests } from './api/conversion/manifests.ts';
import { V1ALPHA1, V1BETA1 } from './api/conversion/versions.ts';
import { type IronicClient, ironicClient } from './client/client.ts';
import type { Connection } from './client/connection.ts';
import { connectionSource } from './client/connection-source.ts';
import { NotReadyError } from './client/errors.ts';
import type { IronicResource } from './client/ironic-resource.ts';
import { NodeCache } from './client/node-cache.ts';
import { nodePoller } from './client/poller.ts';
import type { IronicSessionDeps } from './client/session.ts';
import { DEFINITION_FLAGS, metal3Definitions } from './definition-options.ts';
import { firmwareSchema } from './firmware-schema-kind.ts';
import { bareMetalHost } from './kinds/bare-metal-host.ts';
import { bareMetalSwitch } from './kinds/bare-metal-switch.ts';
import { bmcEventSubscription } from './kinds/bmc-event-subscription.ts';
import { dataImage } from './kinds/data-image.ts';
import { hostClaim } from './kinds/host-claim.ts';
import { hostFirmwareComponents } from './kinds/host-firmware-components.ts';
import { hostFirmwareSettings } from './kinds/host-firmware-settings.ts';
import { hostUpdatePolicy } from './kinds/host-update-policy.ts';
import { preprovisioningImage } from './kinds/preprovisioning-image.ts';
import { METRICS } from './metrics.ts';
import { metal3Companions } from './migration.ts';
import { FLAGS, type IronicOptions, ironicOptions } from './options.ts';
import { type IronicPorts, metal3Resource, REALM, ROLE } from './serving.ts';
import { hostOperations } from './steps/bare-metal-host.ts';
import { bareMetalSwitchOperations, SWITCHES } from './steps/bare-metal-switches.ts';
import { bmcEventSubscriptionOperations } from './steps/bmc-event-subscriptions.ts';
import { dataImageOperations } from './steps/data-images.ts';
import { firmwareComponentsOperations, firmwareSettingsOperations } from './steps/firmware.ts';
import { CLAIMABLE_HOSTS, DEPLOY_POLICIES, hostClaimOperations, NAMESPACES } from './steps/host-claims.ts';
import { preprovisioningImageOperations } from './steps/preprovisioning-images.ts';
import { metal3Webhooks } from './webhooks.ts';

/** Options of Ironic's own operator that name the address of Ironic. */
const IRONICS = {
  realm: 'ironic',
  group: 'ironic.metal3.io',
  version: 'v1alpha1',
  kind: 'Ironic',
  plural: 'ironics',
} as const;

export const metal3: Adapter = {
  realm: REALM,
  role: ROLE,
  contracts: metal3Contracts,
  definitionFlags: DEFINITION_FLAGS,
  definitions: metal3Definitions,
  referencedKinds: [dataOnly('HardwareData', 'hardwaredata'), hostUpdatePolicy, firmwareSchema],
  webhooks: metal3Webhooks,
  companions: [metal3Companions],
  manifests: {
    versions: ['v1alpha1', 'v1beta1'],
    convert: (text, version) => convertManifests(text, version === 'v1alpha1' ? V1ALPHA1 : V1BETA1),
  },
  createsKinds: [
    ...['hardwaredata', 'hostfirmwaresettings', 'hostfirmwarecomponents', 'preprovisioningimages'].map((owned) => ({
      owner: 'baremetalhosts',
      owned,
    })),
    { owner: 'hostfirmwaresettings', owned: 'firmwareschemas' },
  ],
  reads: [IRONICS, NAMESPACES],
  lists: [CLAIMABLE_HOSTS, DEPLOY_POLICIES, SWITCHES],
  writesSecrets: true,
  flags: FLAGS,
  metrics: METRICS,
  // The lease that its leader holds.
  legacyController: { name: 'the baremetal-operator', lease: 'baremetal-operator' },
  configure: (settings) => configured(ironicOptions(settings)),
  devBackend: async (ports) => (await import('./dev-backend.ts')).devBackend(ports),
};

/** The adapter with options that are no text. */
export function metal3With(options: IronicOptions): ConfiguredAdapter {
  const { configure: _, ...adapter } = metal3;
  return { ...adapter, ...configured(options) };
}

/** How Ironic is reached where it is not by HTTP. */
export type Access = Required<Pick<IronicSessionDeps, 'connection' | 'transport'>>;

/** The adapter with another way to Ironic than its options say. */
export function metal3Over(access: Access): Adapter {
  return { ...metal3, configure: (settings) => configured(ironicOptions(settings), access) };
}

function configured(options: IronicOptions, access?: Access): Configured {
  return {
    kinds: [
      bareMetalHost(options),
      hostFirmwareSettings,
      hostFirmwareComponents,
      ...(options.preprovisioningImages === 'built' ? [preprovisioningImage(options.deploy)] : []),
      dataImage,
      bmcEventSubscription,
      ...(options.hostClaims === 'served' ? [hostClaim] : []),
      ...(options.switches === undefined ? [] : [bareMetalSwitch(options.switches)]),
    ],
    serve: (ports) => serve(options, ports, access),
  };
}

/**
 * A kind whose objects are complete as they are: each change of their spec is reported to the objects that refer to
 * them.
 */
function dataOnly(kind: string, plural: string): ReferencedKind {
  return {
    ...metal3Resource(kind, plural),
    publicState: ({ metadata }) => ({
      ready: true,
      id: metadata.name,
      attributes: { generation: metadata.generation ?? 0 },
    }),
  };
}

async function serve(options: IronicOptions, given: ServePorts, access?: Access): Promise<Served> {
  const {
    clock,
    log,
    version,
    readSecret,
    writeSecret = unwritable,
    readObject,
    listObjects,
    onCall,
    replicaCount,
  } = given;
  const ironic: IronicClient = ironicClient({
    clock,
    log,
    version,
    connection: access?.connection ?? connectionOf(options, given),
    ...(access !== undefined && { transport: access.transport }),
    timeoutMs: options.connection.timeoutMs,
    cacheTtlMs: options.connection.cacheTtlMs,
    callsInFlight: options.connection.callsInFlight,
    proxy: options.connection.proxy,
    replicaCount,
    onCall,
  });
  const poller = nodePoller({ clock, log, ironic, speed: options.speed });
  const sights = new NodeCache(clock);
  const turns = new ConcurrencyLimiter({ clock, slots: options.connection.callsInFlight, name: 'Ironic' });
  const ports: IronicPorts = {
    clock,
    log,
    options,
    ironic,
    poller,
    sights,
    turns,
    foreign: options.reach === undefined ? ANYWHERE : foreignReachOf({ ...options.reach, apiServer: given.apiServer }),
    readSecret,
    writeSecret,
    readObject,
    listObjects,
  };
  return {
    operations: {
      baremetalhosts: hostOperations(ports),
      hostfirmwaresettings: firmwareSettingsOperations(ports),
      hostfirmwarecomponents: firmwareComponentsOperations(ports),
      preprovisioningimages: preprovisioningImageOperations(ports),
      dataimages: dataImageOperations(ports),
      hostclaims: hostClaimOperations(ports),
      baremetalswitches: bareMetalSwitchOperations(ports),
      bmceventsubscriptions: bmcEventSubscriptionOperations(ports),
    },
    load: () => ironic.load(),
    async close() {
      poller.close();
      sights.close();
      turns.close();
      await ironic.close();
    },
  };
}

async function unwritable(): Promise<never> {
  throw new TerminalError('this process may write no Secret');
}

/** Undefined in most processes: without `TROUPE_ROLES=ironic` no address of Ironic is needed. */
function connectionOf(
  { connection }: IronicOptions,
  { readSecret, readObject, log }: ServePorts,
): () => Promise<Connection> {
  if (connection.whereabouts === undefined) {
    return async () => {
      throw new NotReadyError(
        'the address of Ironic is not configured: set IRONIC_ENDPOINT, or IRONIC_NAME, for the role ironic',
      );
    };
  }
  const readResource = async (namespace: string, name: string): Promise<IronicResource | undefined> =>
    (await readObject(IRONICS, namespace, name)) as IronicResource | undefined;
  return connectionSource(connection, { readSecret, readResource, log });
}
