// The content of an image: what its status in Glance asks for, and how Glance is asked to fetch it itself.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { isJsonObject } from '../base/fields.ts';
import { unrecoverable } from '../client/call-errors.ts';
import { type Call, HttpError, type Session } from '../client/session.ts';
import type { Compression } from '../downloads/compression/mod.ts';
import { downloadUrl } from '../downloads/download-policy.ts';
import type { UpdateStep } from '../resource/table.ts';
import { attemptsOf, broughtAt } from './download.ts';

const MOST_ATTEMPTS = 5;
const POLL_MS = 15_000;
const FETCHING = 'Glance is downloading image content';
/** A running upload reports progress every few seconds. */
const LEFT_AFTER_MS = 3_600_000;
const LEFT =
  'nothing has come for an hour, so whoever brought it is gone, and Glance takes no other upload: unless somebody else uploads it, delete the Image and create it again';
/** Answers by which Glance says that it does not fetch this, or from there, or for such as we. */
const DECLINED: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** `spec.resource.content.download`. */
export interface DownloadSpec {
  readonly url: string;
  readonly decompress?: Compression;
  readonly hash?: { readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'; readonly value: string };
}

/** @throws {TerminalError} the API server lets no such object through */
export function downloadOf({ spec }: KubeObject): DownloadSpec {
  const content = (spec?.['resource'] as JsonObject | undefined)?.['content'];
  const download = isJsonObject(content) ? content['download'] : undefined;
  if (!isJsonObject(download)) throw new TerminalError('resource content must be specified when not importing');
  return download as unknown as DownloadSpec;
}

/** A call about an image. */
export function imageCall(
  { id, traceparent }: { readonly id: string; readonly traceparent: string },
  part: '' | '/import' | '/file',
  deadlineAt: number,
): Omit<Call, 'method'> {
  return { service: 'image', path: `/images/${encodeURIComponent(id)}${part}`, deadlineAt, traceparent };
}

/** Whether an upload has made no progress for long, by the status. @param now  a tolerance of a few seconds applies */
function isLeft(object: KubeObject, now: number): boolean {
  const since = broughtAt(object);
  return since !== undefined && now - since > LEFT_AFTER_MS;
}

/** Judges an image by its status in Glance. */
export const imageDataStep: UpdateStep = async ({ request: { object, observation, deadlineAt } }) => {
  switch (observation.attributes['status']) {
    case 'active':
    case 'deactivated':
      return { changed: false };
    case 'importing':
      return { changed: false, waiting: [FETCHING] };
    case 'saving':
      return { changed: false, waiting: [isLeft(object, deadlineAt) ? `${FETCHING}; ${LEFT}` : FETCHING] };
    case 'queued':
      if ((attemptsOf(object) ?? 0) >= MOST_ATTEMPTS)
        throw new TerminalError(`Unable to download content after ${MOST_ATTEMPTS} attempts`);
      return { changed: false, empty: true };
    case 'killed':
      throw unrecoverable('a glance error occurred while saving image content');
    case 'deleted':
    case 'pending_delete':
      throw unrecoverable('image status is deleting');
    default:
      return { changed: false, waiting: ['Waiting for OpenStack resource to be ready'] };
  }
};

/** Asks Glance for a `web-download`, which neither checks nor decompresses what it fetches. */
export async function delegateDownload({
  session,
  request,
}: {
  readonly session: Session;
  readonly request: OperationRequest & { readonly id: string };
}): Promise<UpdateOutcome | undefined> {
  const { url, decompress, hash } = downloadOf(request.object);
  if (decompress !== undefined || hash !== undefined) return undefined;
  // mutant: glance-fetches-anything drop
  downloadUrl(url);
  const { deadlineAt, traceparent } = request;
  const info = await session.call({ service: 'image', method: 'GET', path: '/info/import', deadlineAt, traceparent });
  const methods = info.body['import-methods'];
  const known = isJsonObject(methods) ? methods['value'] : undefined;
  if (!Array.isArray(known) || !known.includes('web-download')) return undefined;
  const body = { method: { name: 'web-download', uri: url } };
  try {
    const { status } = await session.call({ ...imageCall(request, '/import', deadlineAt), method: 'POST', body });
    if (status === 404) return undefined;
  } catch (error) {
    if (error instanceof HttpError && DECLINED.has(error.status)) return undefined;
    throw error;
  }
  return { changed: false, waiting: [FETCHING], pollAfterMs: POLL_MS };
}
