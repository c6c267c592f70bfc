// The content of images of the simulated Glance: read as it comes, hashed, and kept nowhere.
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import type { Refusal, SimulatedRequest } from './exchange.ts';
import { type GlanceDeps, glanceRefusal, imageOf, speakerOf } from './glance.ts';
import type { Item } from './store.ts';

/** The outcome of a content that is sent. */
export interface ContentSink {
  /** As it comes. */
  write(chunk: Uint8Array): void;
  /** All of it was there. */
  end(): void;
  /** It broke off. */
  abort(): void;
}

/** Whether a request carries the content of an image. */
export function isUpload({ service, method, segments }: SimulatedRequest): boolean {
  const [collection, id, part] = segments;
  return service === 'image' && method === 'PUT' && collection === 'images' && id !== undefined && part === 'file';
}

/** Destination of a request's content. @throws {Refusal} it is not taken */
export function receive(
  request: SimulatedRequest,
  { store, tokens }: Pick<GlanceDeps, 'store' | 'tokens'>,
): ContentSink {
  const speaker = speakerOf(request, tokens);
  if (request.headers['content-type'] !== 'application/octet-stream')
    throw glanceRefusal(415, `The server could not comply with the request since it is of an unsupported media type.`);
  const image = imageOf(store, String(request.segments[1]), speaker);
  const refusal = refusalOf(image);
  if (refusal !== undefined) throw refusal;
  image['status'] = 'saving';
  return sinkFor(image, () => store.now());
}

function refusalOf(image: Item): Refusal | undefined {
  const { status } = image;
  if (status !== 'queued') return glanceRefusal(409, `Image status transition from ${status} to saving is not allowed`);
  const missing = ['disk_format', 'container_format'].filter((name) => !image[name]);
  if (missing.length === 0) return undefined;
  const [first] = missing;
  return glanceRefusal(
    400,
    missing.length === 1
      ? `Property ${first} must be set prior to saving data.`
      : `Properties ${missing.join(', ')} must be set prior to saving data.`,
  );
}

function sinkFor(image: Item, now: () => string): ContentSink {
  const md5 = createHash('md5');
  const sha512 = createHash('sha512');
  let size = 0;
  return {
    write(chunk) {
      md5.update(chunk);
      sha512.update(chunk);
      size += chunk.length;
    },
    end() {
      Object.assign(image, {
        size,
        checksum: md5.digest('hex'),
        os_hash_algo: 'sha512',
        os_hash_value: sha512.digest('hex'),
        status: 'active',
        updated_at: now(),
      });
    },
    abort() {
      image['status'] = 'queued';
    },
  };
}

/** Reads the content of a URL into a sink, which is notified of its end, or that it broke off. */
export type Fetch = (uri: string, sink: ContentSink) => void;

/** Fetches the content of an image, as the import by `web-download` does: one that fails leaves it empty. */
export function fetchContent(image: Item, uri: string, now: () => string, fetch: Fetch = fetchByHttp): void {
  image['status'] = 'importing';
  const sink = sinkFor(image, now);
  fetch(uri, {
    ...sink,
    abort() {
      sink.abort();
      image['os_glance_failed_import'] = 'store';
    },
  });
}

const fetchByHttp: Fetch = (uri, sink) => {
  get(uri, { agent: false }, (answer) => {
    if (answer.statusCode !== 200) {
      answer.resume();
      sink.abort();
      return;
    }
    answer.on('data', (chunk: Uint8Array) => sink.write(chunk));
    answer.on('close', () => (answer.complete ? sink.end() : sink.abort()));
  }).on('error', () => sink.abort());
};
