// Files that images are made of, on hosts without a wire: read by the process that uploads them, or by Glance itself.
import { createHash } from 'node:crypto';
import { DownloadLimiter } from '../../../../adapters/openstack/downloads/download-limiter.ts';
import type { Downloads } from '../../../../adapters/openstack/downloads/download-policy.ts';
import type { ContentSink } from '../../../../adapters/simulated/openstack/mod.ts';
import { type Clock, TransientError } from '../../../../bus/mod.ts';

/** What becomes of a piece on its way. */
export type PieceFate = 'lost' | 'altered' | undefined;

const PIECE_BYTES = 1_000;
/** How long a piece takes, in milliseconds. */
const PIECE_MS = 600;

/** @param host  Glance fetches from `127.0.0.1` alone */
export function fileUrl(host: 'files.test' | '127.0.0.1', name: string, pieces: number): string {
  return `http://${host}/${name}?pieces=${pieces}`;
}

/** SHA-256, in hexadecimal digits. */
export function checksumOf(url: string): string {
  const hash = createHash('sha256');
  for (const piece of piecesOf(url)) hash.update(piece);
  return hash.digest('hex');
}

function piecesOf(url: string): readonly Uint8Array[] {
  const { pathname, searchParams } = new URL(url);
  return Array.from({ length: Number(searchParams.get('pieces')) }, (_, index) =>
    Buffer.alloc(PIECE_BYTES, `${pathname} ${index} `),
  );
}

/** As Glance does it: nobody may end that. */
export function fetchFile(clock: Clock, url: string, sink: ContentSink): void {
  const [...pieces] = piecesOf(url);
  const next = (): void => {
    const piece = pieces.shift();
    if (piece === undefined) {
      sink.end();
      return;
    }
    sink.write(piece);
    clock.setTimeout(next, PIECE_MS);
  };
  clock.setTimeout(next, PIECE_MS);
}

/** As a process does it. @param clock  of the process */
export function fileDownloads(clock: Clock, fate: () => PieceFate): Downloads {
  const turns = new DownloadLimiter();
  async function* chunks(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const piece of piecesOf(url)) {
      await clock.sleep(PIECE_MS, signal);
      if (signal.aborted) throw new TransientError('the download was ended');
      const befalls = fate();
      if (befalls === 'lost') throw new TransientError('the download failed: the connection was closed');
      yield befalls === 'altered' ? Buffer.alloc(PIECE_BYTES) : piece;
    }
  }
  return {
    open: async (url, signal) => ({ totalBytes: piecesOf(url).length * PIECE_BYTES, chunks: chunks(url, signal) }),
    inTurn: (namespace, signal, run) => turns.run(namespace, signal, run),
    close: async () => undefined,
  };
}
