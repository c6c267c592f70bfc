// References of a BareMetalHost, the objects that it creates, and the attributes that it publishes.
import { deletion } from '../../../machines/bare-metal-host/deletion.ts';
import { isDetached } from '../../../machines/bare-metal-host/detachment.ts';
import {
  type BareMetalHost,
  type HostStatus,
  isPaused,
  ProvisioningState,
  provisioningStateOf,
} from '../../../machines/bare-metal-host/host.ts';
import { type Dependency, Readiness } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { Child, Reference } from '../../../machines/request.ts';
import { credentialsNameOf } from '../host/credentials.ts';
import { preprovisioningImageSpec, requestsPreprovisioningImage } from '../host/preprovisioning.ts';
import { registrySecretName } from '../host/registry-credentials.ts';
import { mapOf, textOf } from '../json-values.ts';
import type { IronicOptions } from '../options.ts';
import { driverOfHost } from '../steps/driver-of-host.ts';
import { architectureOfHost } from '../steps/register.ts';
import type { Host } from '../steps/step-host.ts';

/** On a host while its node may be in Ironic. */
export const HOST_FINALIZER = 'baremetalhost.metal3.io';
/** Finalizers that hosts put on other objects. */
export const HostGuard = {
  Secret: `${HOST_FINALIZER}/secret`,
  HardwareData: `${HOST_FINALIZER}/hardwareData`,
  PreprovisioningImage: `${HOST_FINALIZER}/preprovisioningImage`,
} as const;

export type HostKindOptions = Pick<IronicOptions, 'maxProvisioningRetries' | 'preprovisioningImages' | 'speed'>;

export function referencesOf(object: KubeObject, options: HostKindOptions): readonly Reference[] {
  const { metadata, spec = {} } = object;
  const { name } = metadata;
  const host = { spec } as Host;
  const held = isLeaving(object) ? [] : [HostGuard.Secret];
  const secrets = new Map<string, Reference>();
  const secret = (named: unknown, more: Pick<Reference, 'finalizers' | 'neededFor'>): void => {
    const text = textOf(named);
    if (text !== '' && !secrets.has(text)) secrets.set(text, { kind: 'Secret', name: text, ...more });
  };
  secret(credentialsNameOf(host), { finalizers: held, neededFor: 'always' });
  secret(spec['preprovisioningNetworkDataName'], { finalizers: held, neededFor: 'update' });
  for (const data of ['userData', 'networkData', 'metaData']) {
    secret(mapOf(spec[data])['name'], { finalizers: [], neededFor: 'update' });
  }
  secret(registrySecretName(host.spec?.image), { finalizers: [], neededFor: 'update' });
  const beside = (kind: string, finalizers: readonly string[] = []): Reference => ({
    kind,
    name,
    finalizers,
    neededFor: 'never',
  });
  return [
    ...secrets.values(),
    beside('HardwareData', [HostGuard.HardwareData]),
    beside('HostFirmwareSettings'),
    beside('HostFirmwareComponents'),
    beside('HostUpdatePolicy'),
    beside('DataImage'),
    ...(options.preprovisioningImages === 'built'
      ? [beside('PreprovisioningImage', [HostGuard.PreprovisioningImage])]
      : []),
  ];
}

/** It is being deleted, and nothing is to be done for that by way of its BMC: it holds none of its Secrets. */
function isLeaving(object: KubeObject): boolean {
  const host = hostOf(object);
  const next = deletion(host);
  if (next.kind === 'enter') return next.state === ProvisioningState.Deleting;
  return next.kind === 'continue' && provisioningStateOf(host) === ProvisioningState.Deleting;
}

export interface Used {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The host is to be among its owners. */
  readonly isOwned: boolean;
}

/** Objects that the host uses and has not labeled yet, if known. */
export function unmarkedOf(object: KubeObject, dependencies: readonly Dependency[]): readonly Used[] {
  const { status, spec } = hostOf(object);
  const good = status?.goodCredentials?.credentials?.name;
  return dependencies.flatMap(({ kind, name, finalizers, answer }) => {
    if (answer === undefined || answer.readiness === Readiness.Absent) return [];
    const { uid } = answer;
    if (kind === 'HostUpdatePolicy') {
      const { owners = [] } = (answer.attributes ?? {}) as { readonly owners?: readonly string[] };
      // mutant: host-marks-anew ?:.1 -> false
      return owners.includes(object.metadata.uid) ? [] : [{ kind, name, uid, isOwned: true }];
    }
    // A host that was registered with the Secret has already labeled it.
    if (kind !== 'Secret' || name === good) return [];
    return [{ kind, name, uid, isOwned: finalizers.length > 0 && name === spec?.bmc?.credentialsName }];
  });
}

export function childrenOf(object: KubeObject, { preprovisioningImages }: HostKindOptions): readonly Child[] {
  const { metadata, status } = object;
  const { name } = metadata;
  const host = object as Host;
  if (metadata.deletionTimestamp !== undefined || !isRegistered(object)) return [];
  const hardware = mapOf(status?.['hardware']);
  const isImaged = preprovisioningImages === 'built' && requestsPreprovisioningImage(host);
  return [
    { kind: 'HostFirmwareSettings', name, content: { spec: { settings: {} } }, onDrift: 'keep' },
    ...(Object.keys(hardware).length > 0 ? [{ ...hardwareDataOf(name, hardware), onDrift: 'keep' } as const] : []),
    ...(isImaged ? [imageOf(object)] : []),
  ];
}

/** The result of an inspection replaces what is stored. Hardware in the status may be older. */
export function hardwareDataOf(name: string, hardware: JsonObject): Child {
  return { kind: 'HardwareData', name, content: { spec: { hardware } }, onDrift: 'apply' };
}

/** Made where Ironic lists components of the node, of which the object does not tell. */
export function firmwareComponentsOf(name: string): Child {
  return { kind: 'HostFirmwareComponents', name, content: { spec: { updates: [] } }, onDrift: 'keep' };
}

function imageOf(object: KubeObject): Child {
  const { name, labels = {} } = object.metadata;
  const host = object as Host;
  const bootsIso = driverOfHost(host).supportsIsoPreprovisioningImage;
  const spec = preprovisioningImageSpec(host, { architecture: architectureOfHost(host), bootsIso });
  return {
    kind: 'PreprovisioningImage',
    name,
    content: { spec: spec as JsonObject },
    // Labels that builders select images by.
    labels,
    isControlled: true,
    onDrift: 'apply',
  };
}

/** Whether its node is in Ironic, and is to be worked with. */
export function isManaged(object: KubeObject): boolean {
  return isRegistered(object) && !isPaused(hostOf(object)) && !isDetached(hostOf(object));
}

/** Attributes of a host that its dependents decide by. */
export function attributesOf(object: KubeObject): JsonObject {
  const { spec, status } = hostOf(object);
  const { manufacturer, productName } = mapOf(mapOf(status?.hardware)['systemVendor']);
  return {
    state: status?.provisioning?.state ?? '',
    operationalStatus: status?.operationalStatus ?? '',
    poweredOn: status?.poweredOn === true,
    online: spec?.online === true,
    consumer: consumerOf(object),
    isPaused: isPaused(hostOf(object)),
    isDetached: isDetached(hostOf(object)),
    ...(typeof manufacturer === 'string' && { vendor: manufacturer }),
    ...(typeof productName === 'string' && { model: productName }),
  };
}

/** Consumer of the host: a claim is notified as soon as its reference is removed. */
function consumerOf({ spec }: KubeObject): string {
  const { kind, namespace, name } = mapOf(spec?.['consumerRef']);
  return [kind, namespace, name]
    .map(textOf)
    .filter((text) => text !== '')
    .join('/');
}

export function hostOf(object: KubeObject): BareMetalHost & { readonly status?: HostStatus } {
  return object as unknown as BareMetalHost & { readonly status?: HostStatus };
}

function isRegistered({ status }: KubeObject): boolean {
  const state = textOf(mapOf(status?.['provisioning'])['state']);
  return state !== ProvisioningState.None && state !== ProvisioningState.Unmanaged;
}
