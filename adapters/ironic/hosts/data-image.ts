// DataImage: an extra virtual CD of a provisioned host. What its controller does next, what the host does next when it is off
// and about to be powered on, and what is recorded of it. Pure.
//
// Invariants:
//   D1. Only a CD that is on record is ever taken out: a live ISO, or what somebody else inserted, stays.
//   D2. Another URL: the old image goes before the new one comes.
//   D3. Who is not asked any more holds nobody up: without a host, or with a detached one, a deletion is done at once.

import { listOf, mapOf, textOf } from '../json-values.ts';
import { timeOf } from './condition.ts';
import type { Maybe } from './host.ts';
import { isDetached, isPaused, type MarkedHost } from './host-marks.ts';

export const DATA_IMAGE_FINALIZER = 'dataimage.metal3.io';

export interface DataImage {
  readonly metadata: {
    readonly deletionTimestamp?: Maybe<string>;
    readonly finalizers?: Maybe<readonly string[]>;
    readonly ownerReferences?: Maybe<readonly { readonly uid: string }[]>;
  };
  readonly spec?: Maybe<{ readonly url?: Maybe<string> }>;
  readonly status?: Maybe<StoredStatus>;
}

interface StoredStatus {
  readonly attachedImage?: Maybe<{ readonly url?: Maybe<string> }>;
  readonly error?: Maybe<{ readonly count?: Maybe<number>; readonly message?: Maybe<string> }>;
  readonly lastReconciled?: Maybe<string>;
}

export interface DataImageStatus {
  readonly attachedImage?: { readonly url: string };
  /** In a row. */
  readonly error?: { readonly count: number; readonly message: string };
  readonly lastReconciled: string;
}

export interface DataImageHost extends MarkedHost {
  readonly metadata: MarkedHost['metadata'] & { readonly uid?: Maybe<string> };
}

/** Milliseconds until the controller comes again. */
export const DataImageDelayMs = {
  /** After an error, and while a deleted image is attached. */
  Retry: 60_000,
  QueryFailed: 30_000,
  HostDetached: 20_000,
} as const;

/** What the controller of DataImages does next. */
export type DataImageUpkeep =
  /** Nothing, until the object or its host changes. */
  | { readonly next: 'rest' }
  | { readonly next: 'wait'; readonly delayMs: number }
  | { readonly next: 'dropFinalizer' }
  /** Adds the finalizer, and a reference to the host as an owner. */
  | { readonly next: 'adopt' }
  /** Asks for the virtual media of the node, and records what is there. Comes again by itself only when that failed. */
  | { readonly next: 'query' };

/** @param host  the BareMetalHost of the same name; undefined: there is none */
export function dataImageUpkeep(image: DataImage, host: Maybe<DataImageHost>): DataImageUpkeep {
  const { deletionTimestamp, finalizers, ownerReferences } = image.metadata;
  if (host != null && isPaused(host)) return { next: 'rest' };
  const isHeld = finalizers?.includes(DATA_IMAGE_FINALIZER) ?? false;
  if (deletionTimestamp != null) {
    if (!isHeld) return { next: 'rest' };
    const isAttached = host != null && !isDetached(host) && attachedUrl(image) !== '';
    return isAttached ? { next: 'wait', delayMs: DataImageDelayMs.Retry } : { next: 'dropFinalizer' };
  }
  if (host == null) return { next: 'wait', delayMs: DataImageDelayMs.Retry };
  if (isDetached(host)) return { next: 'wait', delayMs: DataImageDelayMs.HostDetached };
  const isOwned = ownerReferences?.some(({ uid }) => uid === host.metadata.uid) ?? false;
  return isHeld && isOwned ? { next: 'query' } : { next: 'adopt' };
}

/** What came of asking for the virtual media of a node. */
export type VirtualMedia =
  /** The answer of `GET /v1/nodes/{id}/vmedia`. */
  | { readonly kind: 'read'; readonly media: unknown }
  /** The node has a `reservation`: not an error. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed' }
  /** Ironic's API is older than 1.93. */
  | { readonly kind: 'unsupported' };

/** What a host that is off does before it is powered on. What is done is recorded by `dataImageStatus`; then it looks anew. */
export type DataImageStep =
  /** Nothing: it may be powered on. */
  | { readonly next: 'proceed' }
  | { readonly next: 'wait'; readonly delayMs: number }
  /** Nothing is inserted any more: the record is cleared. */
  | { readonly next: 'forget'; readonly delayMs: number }
  | { readonly next: 'detach'; readonly delayMs: number }
  | { readonly next: 'attach'; readonly url: string; readonly delayMs: number };

/**
 * @param image  undefined: there is none
 * @param options.pauseMs  between two steps: the back-off of `status.error.count`, at least 30 s
 */
export function dataImageStep(
  image: Maybe<DataImage>,
  { media, pauseMs }: { readonly media: VirtualMedia; readonly pauseMs: number },
): DataImageStep {
  if (image == null || media.kind === 'unsupported') return { next: 'proceed' };
  if (media.kind === 'failed') return { next: 'wait', delayMs: DataImageDelayMs.QueryFailed };
  if (media.kind === 'busy') return { next: 'wait', delayMs: pauseMs };
  const attached = attachedUrl(image);
  const wanted = image.metadata.deletionTimestamp == null ? (image.spec?.url ?? '') : '';
  if (attached !== '' && !isCdInserted(media.media)) return { next: 'forget', delayMs: pauseMs };
  if (attached === wanted) return { next: 'proceed' };
  return attached === '' ? { next: 'attach', url: wanted, delayMs: pauseMs } : { next: 'detach', delayMs: pauseMs };
}

/** Whether any CD is in; other kinds of media do not count. @param answer  of `GET /v1/nodes/{id}/vmedia` */
export function isCdInserted(answer: unknown): boolean {
  return listOf(answer)
    .map(mapOf)
    .some(({ inserted, media_types: types }) => {
      const known = listOf(types).map((type) => textOf(type).toUpperCase());
      return inserted === true && (known.length === 0 || known.includes('CD') || known.includes('DVD'));
    });
}

/** What became of a step, or of the controller's look. */
export type DataImageOutcome =
  | { readonly kind: 'attached'; readonly url: string }
  /** Detached, or found to be out. */
  | { readonly kind: 'detached' }
  /** The look found what is on record. */
  | { readonly kind: 'unchanged' }
  /** @param message  for people, without a secret */
  | { readonly kind: 'failed'; readonly message: string };

/** The error of a look that Ironic is too old for; told once, and until a look succeeds. */
export const MEDIA_UNSUPPORTED = 'querying virtual media needs version 1.93 of the Ironic API';

/** What the controller's look comes to; undefined: nobody knows, or it was told, and nothing is recorded. */
export function dataImageLook(image: DataImage, media: VirtualMedia): DataImageOutcome | undefined {
  if (media.kind === 'unsupported') {
    const isTold = image.status?.error?.message === MEDIA_UNSUPPORTED;
    return isTold ? undefined : { kind: 'failed', message: MEDIA_UNSUPPORTED };
  }
  if (media.kind !== 'read') return undefined;
  return attachedUrl(image) !== '' && !isCdInserted(media.media) ? { kind: 'detached' } : { kind: 'unchanged' };
}

/** The status after it. Success forgets the errors before it. @param now  milliseconds since the epoch */
export function dataImageStatus(image: DataImage, outcome: DataImageOutcome, now: number): DataImageStatus {
  const { error } = image.status ?? {};
  const url = outcome.kind === 'attached' ? outcome.url : outcome.kind === 'detached' ? '' : attachedUrl(image);
  const failures = (error?.count ?? 0) + (outcome.kind === 'failed' ? 1 : 0);
  const message = outcome.kind === 'failed' ? outcome.message : (error?.message ?? '');
  // A look at what is as it was says nothing about a step that failed.
  const isOpen = outcome.kind === 'unchanged' && failures > 0 && message !== MEDIA_UNSUPPORTED;
  const isFailing = outcome.kind === 'failed' || isOpen;
  return {
    ...(url !== '' && { attachedImage: { url } }),
    ...(isFailing && { error: { count: failures, message } }),
    lastReconciled: timeOf(now),
  };
}

function attachedUrl({ status }: DataImage): string {
  return status?.attachedImage?.url ?? '';
}
