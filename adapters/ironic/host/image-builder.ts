// The built-in builder of PreprovisioningImages, which makes nothing: every image is one of those that are configured.
import { type DeploySettings, urlFor } from './deploy-settings.ts';
import type { Maybe } from './host-json.ts';
import {
  type Condition,
  ImageFormat,
  type NetworkDataSecret,
  type PreprovisioningImage,
  type PreprovisioningImageSpec,
  type PreprovisioningImageStatus,
} from './preprovisioning.ts';

/** The builder's finalizer. */
export const BUILDER_FINALIZER = 'preprovisioningimage.metal3.io';

/** Reasons of both conditions, `Ready` and `Error`. */
export const ImageReason = {
  Success: 'ImageSuccess',
  /** Nothing is configured of what the spec accepts. */
  ConfigurationError: 'ConfigurationError',
  /** The Secret of the network data is not there. */
  MissingNetworkData: 'MissingNetworkData',
  /** Builders say it that cannot make such an image at all; this one never has to. */
  BuildInvalid: 'ImageBuildInvalid',
} as const;
export type ImageReason = (typeof ImageReason)[keyof typeof ImageReason];

const LEAST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

export type ConfiguredImage = Pick<PreprovisioningImageStatus, 'kernelUrl'> & {
  readonly format: ImageFormat;
  readonly imageUrl: string;
};

type Images = Pick<DeploySettings, 'iso' | 'kernel' | 'ramdisk'>;

/**
 * The configured image of the first format that is accepted and that images are configured of, for one architecture.
 *
 * @returns undefined: there is none of any accepted format
 */
export function configuredImage(spec: Maybe<PreprovisioningImageSpec>, images: Images): ConfiguredImage | undefined {
  const architecture = spec?.architecture ?? '';
  const { iso, kernel, ramdisk } = images;
  for (const format of spec?.acceptFormats ?? []) {
    // A format is there for all architectures or for none: what is set for one architecture is an exception to the rest.
    if (format === ImageFormat.Iso && iso.url !== undefined) {
      return { format, imageUrl: urlFor(iso, architecture) ?? iso.url };
    }
    if (format === ImageFormat.Initrd && kernel.url !== undefined && ramdisk.url !== undefined) {
      return {
        format,
        imageUrl: urlFor(ramdisk, architecture) ?? ramdisk.url,
        kernelUrl: urlFor(kernel, architecture) ?? kernel.url,
      };
    }
  }
  return undefined;
}

/** Status that a builder writes for an image, and when it checks again on its own. */
export interface Built {
  readonly status: PreprovisioningImageStatus;
  /** Undefined: when something changes. */
  readonly againAfterMs?: number;
}

/**
 * The status of an image whose spec was just looked at.
 *
 * @param secret  the one that `spec.networkDataName` names; undefined: there is none
 * @param options.now  milliseconds since the epoch
 */
export function builtImage(
  of: PreprovisioningImage,
  secret: NetworkDataSecret | undefined,
  { images, now }: { readonly images: Images; readonly now: number },
): Built {
  const { spec } = of;
  const image = configuredImage(spec, images);
  if (image === undefined) {
    const message = 'no image of an accepted format is configured';
    return { status: failed(of, { reason: ImageReason.ConfigurationError, message, now }) };
  }
  const secretName = spec?.networkDataName;
  if (secretName && secret === undefined) {
    const message = `Secret '${secretName}' does not exist`;
    const status = failed(of, { reason: ImageReason.MissingNetworkData, message, now });
    return { status, againAfterMs: pauseMs(status, now) };
  }
  const networkData = secretName && secret ? { name: secret.name, version: secret.resourceVersion } : undefined;
  const conditions = conditionsOf(of, { reason: ImageReason.Success, now });
  return {
    status: { architecture: spec?.architecture ?? '', ...image, ...(networkData && { networkData }), conditions },
  };
}

/** Whether an image that is being deleted is held only by the builder, and no machine boots from it any more. */
export function isDiscardable({ metadata }: PreprovisioningImage): boolean {
  const isDeleted = Boolean(metadata?.deletionTimestamp);
  return isDeleted && (metadata?.finalizers ?? []).every((finalizer) => finalizer === BUILDER_FINALIZER);
}

interface Verdict {
  readonly reason: ImageReason;
  /** Message of a failure. */
  readonly message?: string;
  readonly now: number;
}

/** An image that was built before does not match the current spec. */
function failed(of: PreprovisioningImage, verdict: Verdict): PreprovisioningImageStatus {
  const { imageUrl: _, kernelUrl: __, extraKernelParams: ___, ...kept } = of.status ?? {};
  return { ...kept, conditions: conditionsOf(of, verdict) };
}

function conditionsOf(
  { metadata, status }: PreprovisioningImage,
  { reason, message = '', now }: Verdict,
): readonly Condition[] {
  const isMade = reason === ImageReason.Success;
  const condition = (type: string, value: 'True' | 'False', text: string): Condition => {
    const before = status?.conditions?.find((each) => each.type === type);
    const since = before?.status === value && isInstant(before.lastTransitionTime) && before.lastTransitionTime;
    return {
      type,
      status: value,
      observedGeneration: metadata?.generation ?? 0,
      lastTransitionTime: since || toInstant(now),
      reason,
      message: text,
    };
  };
  return [condition('Ready', isMade ? 'True' : 'False', ''), condition('Error', isMade ? 'False' : 'True', message)];
}

/** As long again as the trouble has lasted: the longer, the rarer. */
function pauseMs({ conditions }: PreprovisioningImageStatus, now: number): number {
  const since = Date.parse(conditions?.find(({ type }) => type === 'Error')?.lastTransitionTime ?? '');
  return Math.min(Math.max(now - since, 0) + LEAST_PAUSE_MS, LONGEST_PAUSE_MS);
}

function isInstant(text: Maybe<string>): boolean {
  return !Number.isNaN(Date.parse(text ?? ''));
}

/** To the second, as Kubernetes writes times. */
function toInstant(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
