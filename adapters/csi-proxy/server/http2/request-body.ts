// The body of a unary call: one message behind five bytes that tell its length and whether it is compressed.
import { gunzip, inflate } from 'node:zlib';
import { Code, StatusError } from '../../base/status.ts';

const PREFIX_BYTES = 5;

type Inflate = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void;

const ENCODINGS: Readonly<Record<string, Inflate>> = { deflate: inflate, gzip: gunzip };

/** Supported encodings in the header `grpc-accept-encoding`. */
export const ACCEPTED_ENCODINGS = 'identity,deflate,gzip';

export class RequestBody {
  readonly #longestBytes: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Length of the message, from its prefix. */
  #expected: number | undefined;

  constructor(longestBytes: number) {
    this.#longestBytes = longestBytes;
  }

  /** @throws {StatusError} it is longer than it may be */
  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#expected === undefined && this.#bytes >= PREFIX_BYTES) {
      this.#expected = this.#whole().readUInt32BE(1);
      if (this.#expected > this.#longestBytes) {
        throw new StatusError(
          Code.ResourceExhausted,
          `the request has ${this.#expected} bytes, more than the limit of ${this.#longestBytes}`,
        );
      }
    }
    if (this.#bytes > (this.#expected ?? PREFIX_BYTES) + PREFIX_BYTES) {
      throw new StatusError(Code.Unimplemented, 'a call has one request, and more came');
    }
  }

  /**
   * Hands over the message; at once if it is not compressed.
   *
   * @throws {StatusError} what came is no message
   */
  read(encoding: string, done: (message: Buffer | StatusError) => void): void {
    if (this.#expected === undefined || this.#bytes < PREFIX_BYTES + this.#expected) {
      throw new StatusError(Code.Internal, 'the request was cut short');
    }
    const whole = this.#whole();
    const message = whole.subarray(PREFIX_BYTES);
    const compressed = whole.readUInt8(0);
    if (compressed === 0) {
      done(message);
      return;
    }
    if (compressed !== 1) throw new StatusError(Code.Internal, `a request cannot have the flags ${compressed}`);
    const unpack = Object.hasOwn(ENCODINGS, encoding) ? ENCODINGS[encoding] : undefined;
    if (unpack === undefined) {
      throw new StatusError(Code.Unimplemented, `the request is compressed in an unknown way: '${encoding}'`);
    }
    unpack(message, { maxOutputLength: this.#longestBytes }, (error, result) => {
      if (error === null) return done(result);
      const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      done(
        isLong
          ? new StatusError(Code.ResourceExhausted, `the request unpacks to more than ${this.#longestBytes} bytes`)
          : new StatusError(Code.Internal, 'the request cannot be unpacked'),
      );
    });
  }

  #whole(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#pieces;
    if (more.length === 0) return first;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces.splice(0, this.#pieces.length, whole);
    return whole;
  }
}

/** Encoded message: its prefix and itself. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes.writeUInt8(0, 0);
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}
