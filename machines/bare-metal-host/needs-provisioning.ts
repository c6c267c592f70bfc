// Whether an image is to be brought to a host, may be brought once more, and is still wanted.
import { type BareMetalHost, type Image, isGiven } from './host.ts';
import type { StatusPatch } from './status.ts';

/** Default maximum number of consecutive failures of one image. */
export const MAX_PROVISIONING_RETRIES = 5;

/** Whether an available host must be switched on, and has a wanted image or deploy method that is not deployed. */
export function needsProvisioning({ spec, status }: BareMetalHost): boolean {
  if (spec?.online !== true) return false;
  const hasNewImage = isGiven(spec.image?.url) && !isGiven(status?.provisioning?.image?.url);
  const method = spec.customDeploy?.method;
  return hasNewImage || (isGiven(method) && method !== status?.provisioning?.customDeploy?.method);
}

export interface RetryLimit {
  /** Failures in a row of the image that is wanted now: what `status.provisioningFailCount` is to say. */
  readonly provisioningFailCount: number;
  readonly isReached: boolean;
  /** Message of the host's `provisioning error` at the limit. */
  readonly message: string | undefined;
}

/**
 * Number of failures of the wanted image so far. Another image starts at 0.
 *
 * @param maxRetries  0 or less: there is no limit
 */
export function retryLimit({ spec, status }: BareMetalHost, maxRetries = MAX_PROVISIONING_RETRIES): RetryLimit {
  const isSame = isSameImage(spec?.image, status?.lastAttemptedImage);
  const provisioningFailCount = isSame ? (status?.provisioningFailCount ?? 0) : 0;
  const isReached = maxRetries > 0 && provisioningFailCount >= maxRetries;
  return {
    provisioningFailCount,
    isReached,
    message: isReached
      ? `provisioning failed ${provisioningFailCount} times, retry limit (${maxRetries}) reached; change image or reset provisioningFailCount to retry`
      : undefined,
  };
}

/**
 * Clears the failure count of an available host that wants no image. Undefined if there is none. A custom deploy
 * without an image counts its failures, too, as long as it is wanted.
 */
export function forgetAttempts(host: BareMetalHost): StatusPatch | undefined {
  const { spec, status } = host;
  if (isGiven(spec?.image?.url) || needsProvisioning(host) || (status?.provisioningFailCount ?? 0) <= 0)
    return undefined;
  return { provisioningFailCount: 0, lastAttemptedImage: undefined };
}

/** The deployed image, or the one being deployed, is no longer wanted. */
export function provisioningCanceled({ spec, status }: BareMetalHost): boolean {
  const wanted = { url: spec?.image?.url ?? '', method: spec?.customDeploy?.method };
  const deployed = { url: status?.provisioning?.image?.url ?? '', method: status?.provisioning?.customDeploy?.method };
  if (isGiven(wanted.method)) {
    if (isGiven(deployed.method) && deployed.method !== wanted.method) return true;
    return deployed.url !== '' && wanted.url !== deployed.url;
  }
  if (isGiven(deployed.method)) return true;
  if (wanted.url === '') return true;
  // mutant: host-takes-wanted-off return -> $1
  return deployed.url !== '' && deployed.url !== wanted.url;
}

/** The wanted image is the one of the last pass: an edit since then is not deployed. */
export function isLastAttempted({ spec, status }: BareMetalHost): boolean {
  // mutant: image-edited-during-pass-deployed return -> true
  return isSameImage(spec?.image, status?.lastAttemptedImage);
}

const IMAGE_FIELDS = ['url', 'checksum', 'checksumType', 'format', 'ociAuthSecretName'] as const;

/** Field by field; an empty text is the same as none. An image without any is not the same as no image. */
function isSameImage(left: Image | null | undefined, right: Image | null | undefined): boolean {
  if (left == null || right == null) return left == null && right == null;
  return IMAGE_FIELDS.every((field) => (left[field] ?? '') === (right[field] ?? ''));
}
