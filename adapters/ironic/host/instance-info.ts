// `instance_info` of a node before a deployment: the instance, and how the ramdisk deploys it.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { mapOf } from '../json-values.ts';
import { instanceCapabilities } from './boot-mode.ts';
import { type DeploySettings, PersistentBootDevice } from './deploy-settings.ts';
import type { CustomDeploy, Host, Image, Maybe } from './host-json.ts';
import { isImage, isLiveIso, isOci, type NamedImage } from './image.ts';
import { type Patch, patchOf, under, type Wanted } from './node-patch.ts';
import { rootDeviceHints } from './root-device-hints.ts';

/** Ironic's names of the deploy interfaces that a host asks for; any other is the driver's own. */
export const DeployInterface = { Ramdisk: 'ramdisk', CustomAgent: 'custom-agent' } as const;
export type DeployInterface = (typeof DeployInterface)[keyof typeof DeployInterface];

/** Steps of a higher priority run earlier; those of the ramdisk that write an image have this one, too. */
const CUSTOM_DEPLOY_PRIORITY = 80;

const NO_CHECKSUM: Wanted = {
  image_checksum: undefined,
  image_os_hash_algo: undefined,
  image_os_hash_value: undefined,
};
const NO_IMAGE: Wanted = {
  boot_iso: undefined,
  image_source: undefined,
  ...NO_CHECKSUM,
  image_disk_format: undefined,
  image_pull_secret: undefined,
};

/** A deploy step of Ironic. */
export type DeployStep = {
  readonly interface: string;
  readonly step: string;
  readonly args: JsonObject;
  readonly priority: number;
};

/**
 * The changes of a node before `spec.image`, or what `spec.customDeploy` does, is deployed on it.
 *
 * @param node  as Ironic tells it
 * @param options.pullSecret `user:password` for the registry of an OCI image; undefined if it needs no login
 * @param options.settings  without them, persistent boot devices are as the driver likes
 */
export function instancePatch(
  node: JsonObject,
  { metadata, spec, status }: Host,
  { pullSecret, settings }: { readonly pullSecret?: string | undefined; readonly settings?: BootDeviceSettings } = {},
): Patch {
  const { bootMode, rootDeviceHints: hints } = status?.provisioning ?? {};
  return patchOf(node, {
    ...(metadata?.uid ? { '/instance_uuid': metadata.uid } : {}),
    ...under('instance_info', { capabilities: instanceCapabilities(bootMode), root_device: rootDeviceHints(hints) }),
    ...deploymentOf(node, spec ?? {}, pullSecret, settings),
  });
}

type BootDeviceSettings = Pick<DeploySettings, 'forcePersistentBootDevice'>;

function deploymentOf(
  node: JsonObject,
  { image, customDeploy }: NonNullable<Host['spec']>,
  pullSecret: string | undefined,
  settings: BootDeviceSettings | undefined,
): Wanted {
  const registry = { image_pull_secret: isOci(image) ? pullSecret : undefined };
  const { directDeploy = PersistentBootDevice.Default, liveIso = PersistentBootDevice.Default } =
    settings?.forcePersistentBootDevice ?? {};
  if (isCustom(customDeploy)) {
    return {
      ...under('instance_info', isImage(image) ? { ...writtenImage(image), ...registry } : NO_IMAGE),
      '/deploy_interface': DeployInterface.CustomAgent,
    };
  }
  if (!isImage(image)) return under('instance_info', NO_IMAGE);
  if (isLiveIso(image)) {
    return {
      ...under('instance_info', { image_source: undefined, ...NO_CHECKSUM, boot_iso: image.url }),
      '/deploy_interface': DeployInterface.Ramdisk,
      '/driver_info/force_persistent_boot_device': liveIso,
    };
  }
  return {
    ...under('instance_info', { ...writtenImage(image), ...(isOci(image) && registry) }),
    ...(isDeployInterface(node['deploy_interface']) && { '/deploy_interface': undefined }),
    '/driver_info/force_persistent_boot_device': directDeploy,
  };
}

/** An image that is written to a disk. */
function writtenImage(image: NamedImage): Wanted {
  return {
    boot_iso: undefined,
    image_source: image.url,
    ...(isOci(image) ? NO_CHECKSUM : checksumOf(image)),
    image_disk_format: image.format || undefined,
  };
}

/** A checksum without a type is put where Ironic detects the type. */
function checksumOf({ checksum, checksumType }: Image): Wanted {
  const value = checksum || undefined;
  if (!checksumType || checksumType === 'auto') return { ...NO_CHECKSUM, image_checksum: value };
  return { ...NO_CHECKSUM, image_os_hash_algo: checksumType, image_os_hash_value: value };
}

/**
 * Whether the node was set up to deploy this image, so that its failure concerns this image.
 *
 * @param image an image without a URL matches a node without one, as with a custom deployment
 */
export function isSameImage(node: JsonObject, image: Maybe<Image>): boolean {
  const info = mapOf(node['instance_info']);
  return Object.entries(identityOf(image)).every(([name, value]) => (info[name] ?? undefined) === value);
}

/**
 * Whether the node was set up for an image with another URL: other changes of an image do not count. False if either
 * has none.
 */
export function isOtherImage(node: JsonObject, image: Maybe<Image>): boolean {
  const { image_source: source, boot_iso: iso } = mapOf(node['instance_info']);
  const reported = source ?? iso;
  return typeof reported === 'string' && isImage(image) && reported !== image.url;
}

/** The options by which a node's image is known. */
function identityOf(image: Maybe<Image>): Wanted {
  if (!isImage(image)) return { boot_iso: undefined, image_source: undefined };
  if (isLiveIso(image)) return { boot_iso: image.url };
  return { image_source: image.url, ...(isOci(image) && !image.checksum ? {} : checksumOf(image)) };
}

/** The `deploy_steps` of the request to deploy; undefined: Ironic's own are enough. */
export function deploySteps(customDeploy: Maybe<CustomDeploy>): readonly [DeployStep] | undefined {
  if (!isCustom(customDeploy)) return undefined;
  return [{ interface: 'deploy', step: customDeploy.method, args: {}, priority: CUSTOM_DEPLOY_PRIORITY }];
}

/**
 * The deploy interface that a node is enrolled with, so that what is deployed, or is about to be, can be adopted.
 *
 * @returns undefined: Ironic chooses
 */
export function deployInterface({ spec, status }: Pick<Host, 'spec' | 'status'>): DeployInterface | undefined {
  const { image, customDeploy, state } = status?.provisioning ?? {};
  const wanted = state === 'provisioning' ? (spec ?? {}) : {};
  if (isCustom(customDeploy) || isCustom(wanted.customDeploy)) return DeployInterface.CustomAgent;
  return isLiveIso([image, wanted.image].find(isImage)) ? DeployInterface.Ramdisk : undefined;
}

function isCustom(customDeploy: Maybe<CustomDeploy>): customDeploy is CustomDeploy & { readonly method: string } {
  return Boolean(customDeploy?.method);
}

function isDeployInterface(value: Json | undefined): boolean {
  return Object.values<Json | undefined>(DeployInterface).includes(value);
}
