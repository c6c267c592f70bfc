// The frames of HTTP/2 as far as a server looks at them before its session does (RFC 9113, section 4).

export const FrameType = { Data: 0, Headers: 1, Settings: 4, Ping: 6, Continuation: 9 } as const;

export const Flag = { Ack: 0x1, EndStream: 0x1, EndHeaders: 0x4, Padded: 0x8, Priority: 0x20 } as const;

/** First message of a client. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Length of a frame's head, in bytes. */
export const HEAD_BYTES = 9;
/** No client may send more in one frame to a server that has not allowed it. */
export const LONGEST_PAYLOAD_BYTES = 16_384;

const MAX_CONCURRENT_STREAMS = 3;

/** A client's data is no HTTP/2. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  /** Length of the payload, in bytes. */
  readonly length: number;
}

/** @throws {ProtocolError} the payload is longer than it may be */
export function headAt(bytes: Buffer, offset: number): FrameHead {
  const length = bytes.readUIntBE(offset, 3);
  if (length > LONGEST_PAYLOAD_BYTES) throw new ProtocolError(`a frame of ${length} bytes`);
  return {
    length,
    type: bytes.readUInt8(offset + 3),
    flags: bytes.readUInt8(offset + 4),
    streamId: bytes.readUInt32BE(offset + 5) & 0x7fff_ffff,
  };
}

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(streamId, 5);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** First frame of a server. */
export function settingsFrame({ maxConcurrentStreams }: { readonly maxConcurrentStreams: number }): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(MAX_CONCURRENT_STREAMS, 0);
  setting.writeUInt32BE(maxConcurrentStreams, 2);
  return frame(FrameType.Settings, 0, 0, setting);
}

export function isSettingsAck({ type, flags }: FrameHead): boolean {
  return type === FrameType.Settings && (flags & Flag.Ack) !== 0;
}

/** The piece of a header block that a HEADERS frame carries, without padding and priority. */
export function headerFragment(payload: Buffer, flags: number): Buffer {
  let from = 0;
  let padding = 0;
  if ((flags & Flag.Padded) !== 0) {
    if (payload.length < 1) throw new ProtocolError('a padded frame without padding');
    padding = payload.readUInt8(0);
    from = 1;
  }
  if ((flags & Flag.Priority) !== 0) from += 5;
  if (from + padding > payload.length) throw new ProtocolError('more padding than payload');
  return payload.subarray(from, payload.length - padding);
}
