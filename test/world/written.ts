// A stream whose text a test reads.
import { Writable } from 'node:stream';

/** @param read  receives each written chunk; without it the stream has no reader */
export function written(read: (text: string) => void = () => undefined): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      read(chunk.toString());
      done();
    },
  });
}
