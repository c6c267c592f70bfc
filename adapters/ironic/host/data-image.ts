// DataImage: an extra virtual CD of a provisioned host. What is done next for it, and what is recorded of it. Pure.
//
// Invariants:
//   IRONIC-DATA-IMAGE-1. Only a CD that is on record, or was requested and not recorded yet, is ever ejected: a live
//       ISO, and media of others, stay.
//   IRONIC-DATA-IMAGE-2. On a new URL, the old image is ejected before the new one is inserted.
//   IRONIC-DATA-IMAGE-3. A host that is missing or detached never blocks a deletion: it completes immediately.
//   IRONIC-DATA-IMAGE-4. Ironic does what it was asked for after it has answered: an image is on record once it was seen in.
//   IRONIC-DATA-IMAGE-5. Nothing is ever ejected while more than one CD is in, since Ironic ejects all of them.

import { listOf, mapOf, textOf } from '../json-values.ts';
import { timeOf } from './condition.ts';
import type { Maybe } from './host-json.ts';

export const DATA_IMAGE_FINALIZER = 'dataimage.metal3.io';

export interface DataImage {
  readonly metadata: {
    readonly deletionTimestamp?: Maybe<string>;
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

/** A type, as an interface would be no JSON. */
export type DataImageStatus = {
  readonly attachedImage?: { readonly url: string };
  /** In a row. */
  readonly error?: { readonly count: number; readonly message: string };
  readonly lastReconciled: string;
};

/** The BareMetalHost of the same name. */
export interface DataImageHost {
  readonly uid: string;
  readonly isPaused: boolean;
  readonly isDetached: boolean;
  /** It has a node that may be asked. */
  readonly isRegistered: boolean;
  /** It is deployed and off, and about to be powered on. */
  readonly isStarting: boolean;
}

/** Milliseconds until the next check. */
export const DataImageDelayMs = {
  /** While a deleted image is in, and its host on. */
  Detach: 60_000,
  QueryFailed: 30_000,
  /** Ironic is at work on the node, with what it was asked for or with something else. */
  Busy: 3_000,
} as const;

/** Request that was sent to Ironic and whose effect was not observed yet. */
export interface Asked {
  /** URL of what is to be in. */
  readonly attach?: string | undefined;
  /** Number of CDs that were in when it was requested; undefined: unknown. */
  readonly before?: number | undefined;
  readonly detach?: boolean | undefined;
}

/** Next action for a DataImage. */
export type DataImageReconciler =
  /** Nothing, until the object or its host changes. */
  | { readonly next: 'rest' }
  /** It is deleted, and nothing of it is left. */
  | { readonly next: 'leave' }
  /** The host becomes one of its owners. */
  | { readonly next: 'adopt' }
  /** Asks for the virtual media of the node. Only where it `mayMove` anything is done about them. */
  | { readonly next: 'look'; readonly mayMove: boolean };

/**
 * @param host  undefined: there is none
 * @param options.hasLooked  since the host is about to be powered on
 */
export function dataImageReconciler(
  image: DataImage,
  host: DataImageHost | undefined,
  { asked, hasLooked }: { readonly asked: Asked; readonly hasLooked: boolean },
): DataImageReconciler {
  const isDeleted = image.metadata.deletionTimestamp != null;
  if (host?.isPaused === true) return { next: 'rest' };
  if (host === undefined || host.isDetached) return { next: isDeleted ? 'leave' : 'rest' };
  const attached = attachedUrl(image);
  const isOpen = attached === '' && asked.attach !== undefined;
  if (isDeleted && attached === '' && !isOpen) return { next: 'leave' };
  if (!isDeleted && !isOwnedBy(image, host)) return { next: 'adopt' };
  if (!host.isRegistered) return { next: 'rest' };
  const isDone = isDataImageSettled(image) && hasLooked;
  if (host.isStarting) return isDone ? { next: 'rest' } : { next: 'look', mayMove: true };
  const isNew = image.status?.lastReconciled == null;
  return isDeleted || isOpen || isNew ? { next: 'look', mayMove: false } : { next: 'rest' };
}

/** Whether a host that waits for it may be powered on: there is nothing to attach or to detach, or no way to. */
export function isDataImageSettled(image: DataImage): boolean {
  return attachedUrl(image) === wantedUrl(image) || image.status?.error?.message === MEDIA_UNSUPPORTED;
}

/** Result of a request for the virtual media of a node. A type, since an interface is not assignable to JSON. */
export type VirtualMedia =
  /** The answer of `GET /v1/nodes/{id}/vmedia`. */
  | {
      readonly kind: 'read';
      readonly media: unknown;
      /** What Ironic says of an order about media that it could not carry out, without a secret; empty: nothing. */
      readonly problem: string;
    }
  /** The node has a `reservation`: not an error. */
  | { readonly kind: 'busy' }
  /** Ironic's API is older than 1.93. */
  | { readonly kind: 'unsupported' };

/** Next step for the virtual media. */
export type DataImageStep =
  /** Nothing. */
  | { readonly next: 'proceed' }
  | { readonly next: 'wait'; readonly delayMs: number }
  /** A result is to be recorded; then the next step is decided again. */
  | { readonly next: 'record'; readonly outcome: DataImageOutcome }
  | { readonly next: 'detach' }
  | { readonly next: 'attach' };

/** @param options.mayMove  the host is off, and about to be powered on */
export function dataImageStep(
  image: DataImage,
  { media, mayMove, asked }: { readonly media: VirtualMedia; readonly mayMove: boolean; readonly asked: Asked },
): DataImageStep {
  const { error, lastReconciled } = image.status ?? {};
  const isTold = error?.message === MEDIA_UNSUPPORTED;
  if (media.kind === 'unsupported') return isTold ? { next: 'proceed' } : failed(MEDIA_UNSUPPORTED);
  if (media.kind === 'busy') return { next: 'wait', delayMs: DataImageDelayMs.Busy };
  const [attached, wanted, cds] = [attachedUrl(image), wantedUrl(image), insertedCds(media.media)];
  const isIn = cds > 0;
  if (attached === '' && asked.attach !== undefined) {
    // Ironic keeps its last error: it counts only while no CD was added.
    // mutant: data-image-of-others && -> false
    const isRefused = media.problem !== '' && asked.before !== undefined && cds <= asked.before;
    if (isIn && !isRefused) return { next: 'record', outcome: { kind: 'attached', url: asked.attach } };
    return failed(media.problem || 'Ironic was asked to attach the image, and it is not there');
  }
  if (attached !== '' && !isIn) return { next: 'record', outcome: { kind: 'detached' } };
  if (attached !== wanted && mayMove) {
    if (attached === '') return { next: 'attach' };
    // mutant: data-image-ejects-all if -> false
    if (cds > 1) return failed(SEVERAL_INSERTED);
    if (asked.detach !== true) return { next: 'detach' };
    return failed(media.problem || 'Ironic was asked to detach the image, and it is still there');
  }
  // That it was looked at is worth a write when that was not known, or not possible before.
  const isNews = lastReconciled == null || isTold;
  return isNews ? { next: 'record', outcome: { kind: 'unchanged' } } : { next: 'proceed' };
}

function failed(message: string): DataImageStep {
  return { next: 'record', outcome: { kind: 'failed', message } };
}

/** Whether any CD is in; other kinds of media do not count. @param answer  of `GET /v1/nodes/{id}/vmedia` */
export function isCdInserted(answer: unknown): boolean {
  return insertedCds(answer) > 0;
}

/** Number of CDs that are in. @param answer  of `GET /v1/nodes/{id}/vmedia` */
export function insertedCds(answer: unknown): number {
  return listOf(answer)
    .map(mapOf)
    .filter(({ inserted, media_types: types }) => {
      const known = listOf(types).map((type) => textOf(type).toUpperCase());
      return inserted === true && (known.length === 0 || known.includes('CD') || known.includes('DVD'));
    }).length;
}

/** Result of a step, or of a check. */
export type DataImageOutcome =
  | { readonly kind: 'attached'; readonly url: string }
  /** The CD is ejected, by Troupe or by others. */
  | { readonly kind: 'detached' }
  /** The look found what is on record. */
  | { readonly kind: 'unchanged' }
  /** @param message  for people, without a secret */
  | { readonly kind: 'failed'; readonly message: string };

/** Error of a check for which Ironic is too old; reported once, until a check succeeds. */
export const MEDIA_UNSUPPORTED = 'querying virtual media needs version 1.93 of the Ironic API';

/** Error while the image cannot be detached alone. */
export const SEVERAL_INSERTED =
  'more than one virtual CD is inserted, and Ironic can only eject all of them: waiting until the others are ejected';

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

/** URL to insert; empty if none. */
function wantedUrl({ metadata, spec }: DataImage): string {
  return metadata.deletionTimestamp == null ? (spec?.url ?? '') : '';
}

function isOwnedBy({ metadata: { ownerReferences } }: DataImage, host: DataImageHost): boolean {
  return ownerReferences?.some(({ uid }) => uid === host.uid) ?? false;
}

/** URL on record; empty if none. */
export function attachedUrl({ status }: DataImage): string {
  return status?.attachedImage?.url ?? '';
}
