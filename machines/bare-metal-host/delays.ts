// Pauses without a failure that has its own backoff.
import { backoffMs, retryMs } from './backoff.ts';

/** Milliseconds between two looks, or before the next step. */
export const PAUSES_MS = {
  /** A host whose power is as it is to be: available, provisioned, externally provisioned. */
  stable: 60_000,
  unmanaged: 600_000,
  detached: 600_000,
  credentialsMissing: 10_000,
  ironicNotReady: 30_000,
  preprovisioningImage: 300_000,
  /** Settings or components of the firmware are not known yet, while the host is prepared. */
  firmwareNotReady: 60_000,
  servicingEnded: 60_000,
  /** Ironic verifies, manages, provides, adopts, aborts, switches, or is busy with the node. */
  ironicShort: 3_000,
  /** Ironic inspects, cleans, deploys, deletes, services, or the node has a fault. */
  ironicLong: 10_000,
  firmwareRefresh: 300_000,
  firmwareChangePending: 60_000,
  /** Also: there are no settings yet. */
  firmwareError: 30_000,
  /** The host is unmanaged, detached or paused. */
  firmwareHostAway: 600_000,
  /** An error, or it waits to be detached. */
  dataImage: 60_000,
  dataImageQueryFailed: 30_000,
  dataImageHostDetached: 20_000,
  eventSubscriptionWithoutHost: 600_000,
  preprovisioningImageNotReady: 10_000,
  hostClaimWithoutHost: 30_000,
  switchCredentialsMissing: 10_000,
} as const;

/** Given to Ironic with a soft power off, in seconds. */
export const SOFT_POWER_OFF_TIMEOUT_SECONDS = 180;

const IRONIC_SPREAD = 0.25;
const DATA_IMAGE_LEAST_MS = 30_000;
const IMAGE_SECRET_LEAST_MS = 10_000;
const IMAGE_SECRET_LIMIT_MS = 600_000;
const CLAIM_CONFLICT_MS = 100;

/** Both waits for Ironic come up to a quarter later. @param random  uniform in [0, 1) */
export function ironicPauseMs(pauseMs: number, random: number): number {
  return pauseMs * (1 + IRONIC_SPREAD * random);
}

/**
 * Pause after a failure that no status reports.
 *
 * @param failed.retries  in a row, the last one included
 * @param speed factor by which pauses for the other side are shorter; the growing pause is unchanged
 */
export function retryPauseMs(
  { retries, error }: { readonly retries: number; readonly error?: { readonly retryAfterMs?: number } | undefined },
  speed = 1,
): number {
  return Math.max(retryMs(retries), (error?.retryAfterMs ?? 0) / speed);
}

/** A host that waits for room. @param random  uniform in [0, 1) */
export function delayedPauseMs(random: number): number {
  return backoffMs(1, random);
}

/** Between the steps by which a host attaches or detaches a DataImage. @param errorCount  `status.error.count` of that */
export function dataImageStepPauseMs(errorCount: number | null | undefined, random: number): number {
  return Math.max(DATA_IMAGE_LEAST_MS, backoffMs(errorCount, random));
}

/** A PreprovisioningImage whose Secret is not there. @param forMs  since that began, milliseconds */
export function imageSecretMissingPauseMs(forMs: number): number {
  return Math.min(Math.max(0, forMs) + IMAGE_SECRET_LEAST_MS, IMAGE_SECRET_LIMIT_MS);
}

/** A HostClaim whose write came too late. @param random  uniform in [0, 1) */
export function hostClaimConflictPauseMs(random: number): number {
  return CLAIM_CONFLICT_MS * (1 + 9 * random);
}
