// A stream whose text a test reads.
import { Writable } from 'node:stream';

/** @param read  told of each piece that is written; without it, nobody reads */
export function written(read: (text: string) => void = () => undefined): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      read(chunk.toString());
      done();
    },
  });
}
