// Rewriter of a client's bytes for Node's session, which rejects an `:authority` with a backslash or a slash. Go's gRPC
// up to 1.56 sends the path of the pipe there, and no code here reads it.
//
// Invariants:
//   CSI-MENDER-1. Frames leave in the order in which they came, and only blocks of headers are ever changed.
//   CSI-MENDER-2. After the first rewritten block, all blocks of a connection are always rewritten: the session lacks
//       the table entries that the others refer to.
import {
  Flag,
  type FrameHead,
  FrameType,
  frame,
  HEAD_BYTES,
  headAt,
  headerFragment,
  isSettingsAck,
  LONGEST_PAYLOAD_BYTES,
  PREFACE,
  ProtocolError,
} from './frames.ts';
import { BlockReader, isLawfulAuthority, writeBlock } from './header-blocks.ts';

/** Replacement of an invalid authority. */
const AUTHORITY = 'localhost';
/** Maximum size of a block before it is unpacked. */
const LONGEST_BLOCK_BYTES = 65_536;

/** A block whose end has not come. */
interface OpenBlock {
  readonly streamId: number;
  readonly endStream: number;
  /** As they came. */
  readonly frames: Buffer[];
  readonly fragments: Buffer[];
  bytes: number;
}

export interface Mended {
  /** For the session. */
  readonly bytes: readonly Buffer[];
  readonly sawAck: boolean;
  readonly sawPing: boolean;
  /** Whether the client has said how it wants to be spoken to. */
  readonly sawSettings: boolean;
  /** Number of complete header blocks, and of rewritten ones. */
  readonly blocks: number;
}

export class Mender {
  readonly #reader = new BlockReader();
  #rest: Buffer = Buffer.alloc(0);
  #sawPreface = false;
  /** Remaining bytes of a payload that is passed on unchanged. */
  #passing = 0;
  #block: OpenBlock | undefined;
  #dropsAck = true;
  #isMending = false;

  /** Whether blocks are rewritten. */
  get isMending(): boolean {
    return this.#isMending;
  }

  /**
   * The acknowledgement of the settings that were sent before the session was there is left out (see `opening.ts`).
   *
   * @throws {ProtocolError} it is no HTTP/2
   */
  take(chunk: Buffer): Mended {
    const bytes: Buffer[] = [];
    const seen = { sawAck: false, sawPing: false, sawSettings: false, blocks: 0 };
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#sawPreface && !this.#preface(bytes)) return { bytes, ...seen };
    while (this.#rest.length > 0) {
      if (this.#passing > 0) {
        const passed = this.#cut(Math.min(this.#passing, this.#rest.length));
        this.#passing -= passed.length;
        bytes.push(passed);
        continue;
      }
      if (this.#rest.length < HEAD_BYTES) break;
      const head = headAt(this.#rest, 0);
      if (this.#block !== undefined && head.type !== FrameType.Continuation) {
        throw new ProtocolError('a frame within a block of headers');
      }
      if (head.type === FrameType.Data) {
        this.#passing = HEAD_BYTES + head.length;
        continue;
      }
      if (this.#rest.length < HEAD_BYTES + head.length) break;
      const whole = this.#cut(HEAD_BYTES + head.length);
      if (head.type === FrameType.Headers || head.type === FrameType.Continuation) {
        if (this.#headers(head, whole, bytes)) seen.blocks += 1;
      } else if (isSettingsAck(head) && this.#dropsAck) {
        this.#dropsAck = false;
        seen.sawAck = true;
      } else {
        if (head.type === FrameType.Settings) seen.sawSettings = true;
        if (head.type === FrameType.Ping) seen.sawPing = true;
        bytes.push(whole);
      }
    }
    // A small piece would keep all of the chunk that it is of.
    this.#rest = Buffer.from(this.#rest);
    return { bytes, ...seen };
  }

  /** Rest of an incomplete frame. Afterwards this object cannot be used. */
  takeRest(): Buffer {
    return this.#block === undefined ? this.#rest : Buffer.concat([...this.#block.frames, this.#rest]);
  }

  #preface(bytes: Buffer[]): boolean {
    const length = Math.min(this.#rest.length, PREFACE.length);
    if (!this.#rest.subarray(0, length).equals(PREFACE.subarray(0, length))) {
      throw new ProtocolError('no preface of HTTP/2');
    }
    if (length < PREFACE.length) return false;
    this.#sawPreface = true;
    bytes.push(this.#cut(length));
    return true;
  }

  #cut(length: number): Buffer {
    const cut = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return cut;
  }

  /** @returns whether a block has ended */
  #headers({ type, flags, streamId }: FrameHead, whole: Buffer, bytes: Buffer[]): boolean {
    const payload = whole.subarray(HEAD_BYTES);
    if (type === FrameType.Headers) {
      this.#block = { streamId, endStream: flags & Flag.EndStream, frames: [], fragments: [], bytes: 0 };
    }
    const block = this.#block;
    if (block === undefined || block.streamId !== streamId)
      throw new ProtocolError('a block of headers without a head');
    block.frames.push(whole);
    block.fragments.push(type === FrameType.Headers ? headerFragment(payload, flags) : payload);
    block.bytes += whole.length;
    if (block.bytes > LONGEST_BLOCK_BYTES) throw new ProtocolError(`a block of more than ${LONGEST_BLOCK_BYTES} bytes`);
    if ((flags & Flag.EndHeaders) === 0) return false;
    this.#block = undefined;
    const headers = this.#reader.read(Buffer.concat(block.fragments));
    if (!headers.every(isLawfulAuthority)) this.#isMending = true;
    if (!this.#isMending) {
      bytes.push(...block.frames);
      return true;
    }
    const mended = headers.map((header) => (isLawfulAuthority(header) ? header : { ...header, value: AUTHORITY }));
    bytes.push(...headerFrames(block.streamId, block.endStream, writeBlock(mended)));
    return true;
  }
}

function headerFrames(streamId: number, endStream: number, block: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let from = 0; from === 0 || from < block.length; from += LONGEST_PAYLOAD_BYTES) {
    const piece = block.subarray(from, from + LONGEST_PAYLOAD_BYTES);
    const end = from + LONGEST_PAYLOAD_BYTES >= block.length ? Flag.EndHeaders : 0;
    const isFirst = from === 0;
    frames.push(
      frame(isFirst ? FrameType.Headers : FrameType.Continuation, end | (isFirst ? endStream : 0), streamId, piece),
    );
  }
  return frames;
}
