// Upload of an image's content: bytes from a host are streamed to Glance.
//
// Invariants:
//   OS-IMAGE-UPLOAD-1. Nothing is kept: Glance is sent what was read, and no more is read than Glance takes.
//   OS-IMAGE-UPLOAD-2. The body ends as a whole one only when all was read, and its checksum is the one that was asked for.
//   OS-IMAGE-UPLOAD-3. An image whose checksum in Glance differs is never left in a usable state.
//   OS-IMAGE-UPLOAD-4. Nothing is asked after the lease has ended, though its end be heard late (P10).
import { createHash, type Hash } from 'node:crypto';
import { TerminalError, TransientError, TroupeError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { LongCallRequest } from '../../../machines/lifecycle.ts';
import type { Stream } from '../../http/transport.ts';
import { GLANCE } from '../base/services.ts';
import { transient } from '../client/call-errors.ts';
import { HttpError, type Session } from '../client/session.ts';
import { changeRequest } from '../client/wire-format.ts';
import { decompressed } from '../downloads/compression/mod.ts';
import type { Downloads } from '../downloads/download-policy.ts';
import type { OperationsDeps } from '../resource/table.ts';
import { attemptsOf, type DownloadProgress } from './download.ts';
import { type DownloadSpec, downloadOf, imageCall } from './image-data.ts';

/** Longest time that a request which is no upload may take, in milliseconds. */
const CALL_MS = 10_000;
/** Between two tellings of the progress, in milliseconds. */
const TELL_MS = 10_000;
/** Maximum time that Glance takes to store bytes before it continues to read, in milliseconds. */
const SINK_STALL_MS = 300_000;
/** After the first attempt that failed, in milliseconds; twice as long after each other. */
const RETRY_MS = 15_000;
const IMAGE = { service: GLANCE, member: 'image' };

type Fill = {
  readonly session: Session;
  readonly request: LongCallRequest & { readonly id: string };
  readonly deps: Pick<OperationsDeps, 'clock' | 'downloads'>;
};

/** Brings the content of an image that has none. */
export function uploadImage({ session, request, deps }: Fill): Promise<void> {
  const { object, signal } = request;
  const attempts = Math.max(1, attemptsOf(object) ?? 1);
  return deps.downloads
    .inTurn(object.metadata.namespace ?? '', signal, () => upload({ session, request, deps }))
    .catch((error: unknown) => {
      if (error instanceof TerminalError || !(error instanceof TroupeError)) throw error;
      const { message } = transient(error) as TroupeError;
      throw new TransientError(message, { cause: error, retryAfterMs: RETRY_MS * 2 ** (attempts - 1) });
    });
}

/** @throws {TransientError} it may come to pass the next time @throws {TerminalError} Glance refuses what it was sent */
async function upload({ session, request, deps }: Fill): Promise<void> {
  const { clock, downloads } = deps;
  const download = downloadOf(request.object);
  // mutant: upload-after-lease () -> $1
  const deadline = (): number => Math.min(clock.now() + CALL_MS, request.validUntil());
  const read = async () => {
    const answer = await session.call({ ...imageCall(request, '', deadline()), method: 'GET' });
    return answer.status === 404 ? undefined : answer.body;
  };
  const found = await read();
  // Another upload was faster, or the image is deleted: the next observation decides.
  if (found === undefined || (found['status'] ?? 'queued') !== 'queued') return;
  const sink = new Sink(clock, request.signal);
  const call = { ...imageCall(request, '/file', deadline()), method: 'PUT' } as const;
  const stream: Stream = {
    contentType: 'application/octet-stream',
    chunks: () => sink.pass(content(download, { clock, downloads, request, signal: sink.signal })),
    signal: sink.signal,
  };
  try {
    const { status } = await session.call({ ...call, stream });
    // It is deleted; the next observation reports that.
    if (status === 404) return;
  } catch (error) {
    if (sink.isStalled) throw new TransientError('Glance takes no more of the image content', { cause: error });
    if (error instanceof HttpError && error.status === 400)
      throw new TerminalError(`invalid configuration uploading image: ${error.message}`, { cause: error });
    throw error;
  } finally {
    sink.end();
  }
  const stored = await read();
  const difference = stored === undefined ? undefined : sink.differenceFrom(stored);
  if (difference === undefined) return;
  const one = imageCall(request, '', deadline());
  // Its object protects it from others.
  if (stored?.['protected'] === true) await session.call({ ...one, ...changeRequest(IMAGE, { protected: false }) });
  await session.call({ ...one, method: 'DELETE' });
  throw new TransientError(`image data verification failed: ${difference}`);
}

/** Bytes to be stored. */
async function* content(
  { url, decompress, hash: wanted }: DownloadSpec,
  {
    clock,
    downloads,
    request,
    signal,
  }: {
    readonly clock: Clock;
    readonly downloads: Downloads;
    readonly request: Fill['request'];
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  const { totalBytes, chunks } = await downloads.open(url, signal);
  const hash = wanted && createHash(wanted.algorithm);
  async function* checked(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let toldAt = clock.now();
    for await (const chunk of chunks) {
      hash?.update(chunk);
      bytes += chunk.length;
      if (clock.now() - toldAt >= TELL_MS) {
        toldAt = clock.now();
        const progress: DownloadProgress = { bytes, ...(totalBytes !== undefined && { totalBytes }) };
        request.progress({ ...progress });
      }
      yield chunk;
    }
    const got = hash?.digest('hex');
    if (got !== wanted?.value) throw new TransientError(`download hash verification failed. got: ${got}`);
  }
  yield* decompress === undefined ? checked() : decompressed(decompress, checked());
}

/** Sink of bytes to Glance: counted, and with a timeout. */
class Sink {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly signal: AbortSignal;
  #timer: ReturnType<Clock['setTimeout']> | undefined;
  #hashes: Readonly<Record<'md5' | 'sha512', Hash>> = newHashes();
  #bytes = 0;
  isStalled = false;

  constructor(clock: Clock, given: AbortSignal) {
    this.#clock = clock;
    this.signal = AbortSignal.any([given, this.#abort.signal]);
  }

  /** All of it, from the beginning. */
  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#hashes = newHashes();
    this.#bytes = 0;
    for await (const chunk of chunks) {
      for (const hash of Object.values(this.#hashes)) hash.update(chunk);
      this.#bytes += chunk.length;
      this.#await();
      yield chunk;
      this.#disarm();
    }
    this.#await();
  }

  end(): void {
    this.#disarm();
    this.#abort.abort();
  }

  /** In which way an image is not what was sent; undefined: in none, as far as Glance tells. */
  differenceFrom(image: { readonly [name: string]: unknown }): string | undefined {
    const { status, size, checksum, os_hash_algo: algorithm, os_hash_value: value } = image;
    if (status !== 'active') return undefined;
    if (typeof size === 'number' && size !== this.#bytes) return `Glance has ${size} bytes, ${this.#bytes} were sent`;
    const [name, stored] = algorithm === 'sha512' ? (['sha512', value] as const) : (['md5', checksum] as const);
    if (typeof stored !== 'string') return undefined;
    const sent = this.#hashes[name].digest('hex');
    return sent === stored ? undefined : `Glance has ${name} ${stored}, ${sent} was sent`;
  }

  #await(): void {
    this.#disarm();
    this.#timer = this.#clock.setTimeout(() => {
      this.isStalled = true;
      this.#abort.abort();
    }, SINK_STALL_MS);
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Hash algorithms that Glance reports by default. */
function newHashes(): Readonly<Record<'md5' | 'sha512', Hash>> {
  return { md5: createHash('md5'), sha512: createHash('sha512') };
}
