// Decompression of what is downloaded, piece by piece: nothing is kept but what the format needs.
//
// Node has gzip alone. xz and bzip2 are read here, since no library reads them as is needed: xz-decompress 0.2.3 refuses the
// files of `xz --check=sha256`, node-liblzma 5.1.3 is native code that wants a newer libstdc++ than Debian 12 has and is not
// built for Linux on ARM, and unbzip2-stream 1.4.3 hands on all that it makes of a piece as one, however long that is. So does
// @napi-rs/lzma 1.5.3 (1 GiB of zeros in one buffer), and it takes as large a dictionary as a file asks for.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TroupeError } from '../../../../bus/errors.ts';
import { bunzip2 } from './bzip2.ts';
import { damaged } from './damaged.ts';
import { unxz } from './xz.ts';

export const Compression = { Xz: 'xz', Gz: 'gz', Bz2: 'bz2' } as const;
export type Compression = (typeof Compression)[keyof typeof Compression];

const FORMATS: Readonly<Record<Compression, (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>>> = {
  xz: unxz,
  gz: gunzip,
  bz2: bunzip2,
};

/** The content of a compressed file. @throws {TransientError} it is none, or damaged; what `chunks` throws */
export function decompressed(format: Compression, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return FORMATS[format](chunks);
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflated = createGunzip();
  source.on('error', (error) => inflated.destroy(error)).pipe(inflated);
  try {
    for await (const chunk of inflated) yield chunk as Uint8Array;
  } catch (error) {
    // zlib says in its own words what is wrong with the file.
    throw error instanceof TroupeError ? error : damaged(error instanceof Error ? error.message : String(error));
  } finally {
    source.destroy();
    inflated.destroy();
  }
}
