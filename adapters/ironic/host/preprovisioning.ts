// Deploy ramdisk of a host: whether it has a PreprovisioningImage of its own, when it is needed, and which
// `driver_info` it gives the node.
import type { DeploySettings } from './deploy-settings.ts';
import type { Host, Maybe } from './host-json.ts';
import type { Wanted } from './node-patch.ts';

export const ImageFormat = { Iso: 'iso', Initrd: 'initrd' } as const;
export type ImageFormat = (typeof ImageFormat)[keyof typeof ImageFormat];

export interface PreprovisioningImage {
  readonly metadata?: Maybe<{
    readonly generation?: Maybe<number>;
    readonly deletionTimestamp?: Maybe<string>;
    readonly finalizers?: Maybe<readonly string[]>;
  }>;
  readonly spec?: Maybe<PreprovisioningImageSpec>;
  readonly status?: Maybe<PreprovisioningImageStatus>;
}

export interface PreprovisioningImageSpec {
  readonly acceptFormats?: Maybe<readonly string[]>;
  readonly architecture?: Maybe<string>;
  readonly networkDataName?: Maybe<string>;
}

export interface PreprovisioningImageStatus {
  readonly architecture?: Maybe<string>;
  readonly conditions?: Maybe<readonly Condition[]>;
  readonly extraKernelParams?: Maybe<string>;
  readonly format?: Maybe<string>;
  readonly imageUrl?: Maybe<string>;
  readonly kernelUrl?: Maybe<string>;
  readonly networkData?: Maybe<{ readonly name?: Maybe<string>; readonly version?: Maybe<string> }>;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: Maybe<number>;
  /** To the second, ISO 8601. */
  readonly lastTransitionTime?: Maybe<string>;
  readonly reason?: Maybe<string>;
  readonly message?: Maybe<string>;
}

/** The Secret of network data as it is now. */
export interface NetworkDataSecret {
  readonly name: string;
  readonly resourceVersion: string;
}

/** The four options of `driver_info`; undefined: the option must not be there. */
export interface RamdiskOptions extends Wanted {
  readonly deploy_kernel: string | undefined;
  readonly deploy_ramdisk: string | undefined;
  readonly deploy_iso: string | undefined;
  readonly kernel_append_params: string | undefined;
}

const NO_RAMDISK: RamdiskOptions = {
  deploy_kernel: undefined,
  deploy_ramdisk: undefined,
  deploy_iso: undefined,
  kernel_append_params: undefined,
};

/** Ironic's word for the parameters that it is configured with. */
const CONFIGURED_PARAMS = '%default%';

/** Whether the host's operation runs in the ramdisk, so that it must wait for one. */
export function needsPreprovisioningImage({ spec, status }: Pick<Host, 'spec' | 'status'>): boolean {
  switch (status?.provisioning?.state) {
    case 'inspecting':
      return spec?.inspectionMode !== 'fast';
    case 'preparing':
      return true;
    case 'deprovisioning':
      return spec?.automatedCleaningMode !== 'disabled';
    case 'provisioned':
    case 'externally provisioned':
      return status.operationalStatus === 'servicing';
    default:
      return false;
  }
}

/** Whether the PreprovisioningImage is to be there, and to be what the host wants: while it is needed, or soon may be. */
export function requestsPreprovisioningImage({ spec, status }: Pick<Host, 'spec' | 'status'>): boolean {
  const isSoonNeeded = ['available', 'ready', 'provisioning'].includes(status?.provisioning?.state ?? '');
  return isSoonNeeded || needsPreprovisioningImage({ spec, status });
}

/**
 * The spec of a host's PreprovisioningImage.
 *
 * @param options.architecture  the one in effect
 * @param options.bootsIso  whether the host's driver boots an ISO ramdisk
 */
export function preprovisioningImageSpec(
  { spec }: Pick<Host, 'spec'>,
  { architecture, bootsIso }: { readonly architecture: string; readonly bootsIso: boolean },
): PreprovisioningImageSpec {
  const networkDataName = spec?.preprovisioningNetworkDataName;
  return {
    ...(networkDataName ? { networkDataName } : {}),
    architecture,
    acceptFormats: bootsIso ? [ImageFormat.Iso, ImageFormat.Initrd] : [ImageFormat.Initrd],
  };
}

export type ImageStanding =
  | { readonly kind: 'usable' }
  /** It is being made, or for what the spec was. */
  | { readonly kind: 'pending' }
  /** It cannot be built; the message is the builder's. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Whether a PreprovisioningImage can be booted. One that is being deleted can.
 *
 * @param secret  the one that `spec.networkDataName` names, as it is now; undefined: there is none
 */
export function imageStateOf(
  { metadata, spec, status }: PreprovisioningImage,
  secret: NetworkDataSecret | undefined,
): ImageStanding {
  const condition = (type: string): Condition | undefined =>
    status?.conditions?.find((each) => each.type === type && each.status === 'True');
  const error = condition('Error');
  if (error !== undefined) return { kind: 'failed', message: error.message ?? '' };
  const ready = condition('Ready');
  const { name, version } = status?.networkData ?? {};
  const isAsWanted =
    (status?.architecture ?? '') === (spec?.architecture ?? '') &&
    (spec?.acceptFormats ?? []).includes(status?.format ?? '') &&
    (spec?.networkDataName || undefined) === secret?.name &&
    (name || undefined) === secret?.name &&
    (version || undefined) === secret?.resourceVersion;
  const isCurrent = ready !== undefined && (ready.observedGeneration ?? 0) === (metadata?.generation ?? 0);
  return { kind: isAsWanted && isCurrent ? 'usable' : 'pending' };
}

export type RamdiskDecision =
  | { readonly kind: 'set'; readonly options: RamdiskOptions }
  /** The host continues when its image is built. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'untouched' };

/**
 * Decides what the node's `driver_info` contains about the ramdisk.
 *
 * @param of.image  status of the host's PreprovisioningImage; undefined: it has none that is usable
 * @param of.bootsIso  whether the host's driver boots an ISO ramdisk
 * @param of.hasBuilder whether PreprovisioningImages are built
 * @param of.isNeeded  what `needsPreprovisioningImage` says of the host
 */
export function ramdiskDecision({
  image,
  bootsIso,
  hasBuilder,
  isNeeded,
  settings,
}: {
  readonly image?: Maybe<PreprovisioningImageStatus>;
  readonly bootsIso: boolean;
  readonly hasBuilder: boolean;
  readonly isNeeded: boolean;
  readonly settings: Pick<DeploySettings, 'iso' | 'kernel' | 'ramdisk'>;
}): RamdiskDecision {
  const options = ramdiskOf(image, bootsIso, settings) ?? (hasBuilder ? undefined : configured(bootsIso, settings));
  if (options !== undefined) return { kind: 'set', options: { ...NO_RAMDISK, ...options } };
  return { kind: hasBuilder && isNeeded ? 'wait' : 'untouched' };
}

function ramdiskOf(
  image: Maybe<PreprovisioningImageStatus>,
  bootsIso: boolean,
  { kernel }: Pick<DeploySettings, 'kernel'>,
): Partial<RamdiskOptions> | undefined {
  const { format, imageUrl, kernelUrl, extraKernelParams } = image ?? {};
  if (!imageUrl) return undefined;
  if (format === ImageFormat.Iso && bootsIso) return { deploy_iso: imageUrl };
  const deployKernel = kernelUrl || kernel.url;
  if (format !== ImageFormat.Initrd || deployKernel === undefined) return undefined;
  return {
    deploy_kernel: deployKernel,
    deploy_ramdisk: imageUrl,
    kernel_append_params: extraKernelParams ? `${CONFIGURED_PARAMS} ${extraKernelParams}` : undefined,
  };
}

/** The same ramdisk for all hosts. */
function configured(
  bootsIso: boolean,
  { iso, kernel, ramdisk }: Pick<DeploySettings, 'iso' | 'kernel' | 'ramdisk'>,
): Partial<RamdiskOptions> | undefined {
  if (bootsIso && iso.url !== undefined) return { deploy_iso: iso.url };
  if (kernel.url === undefined || ramdisk.url === undefined) return undefined;
  return { deploy_kernel: kernel.url, deploy_ramdisk: ramdisk.url };
}
