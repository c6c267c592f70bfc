// Cyclic redundancy checks of compressed files.

/** Remainders of all bytes by a polynomial with its lowest bit first. */
function reflectedTable(polynomial: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? polynomial : 0);
    return remainder;
  });
}

/** ISO 3309, as xz and gzip use it. */
const CRC32 = reflectedTable(0xedb88320);
/** The same polynomial with its highest bit first, as bzip2 uses it. */
const CRC32_BZIP2 = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  return remainder;
});
/** ECMA-182, lowest bit first: high and low halves. */
const [CRC64_HIGH, CRC64_LOW] = crc64Tables();

function crc64Tables(): readonly [Int32Array, Int32Array] {
  const [highs, lows] = [new Int32Array(256), new Int32Array(256)];
  for (let byte = 0; byte < 256; byte++) {
    let [high, low] = [0, byte];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (low & 1) === 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (isOdd) {
        low ^= 0xd7870f42;
        high ^= 0xc96c5795;
      }
    }
    highs[byte] = high;
    lows[byte] = low;
  }
  return [highs, lows];
}

/** A check over what it is shown, part by part. */
export interface Check {
  update(bytes: Uint8Array): void;
  /** As the file holds it. */
  digest(): Uint8Array;
}

/** Little-endian, as xz writes it. */
export function crc32(): Check {
  let state = -1;
  return {
    update(bytes) {
      for (let index = 0; index < bytes.length; index++)
        state = (state >>> 8) ^ (CRC32[(state ^ (bytes[index] as number)) & 0xff] as number);
    },
    digest: () => littleEndian(~state),
  };
}

export function crc64(): Check {
  let [high, low] = [-1, -1];
  return {
    update(bytes) {
      for (let index = 0; index < bytes.length; index++) {
        const entry = (low ^ (bytes[index] as number)) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (CRC64_LOW[entry] as number);
        high = (high >>> 8) ^ (CRC64_HIGH[entry] as number);
      }
    },
    digest: () => Uint8Array.of(...littleEndian(~low), ...littleEndian(~high)),
  };
}

/** One more byte. @param state  -1 at the beginning; its complement is the check */
export function crc32OfBzip2(state: number, byte: number): number {
  return (state << 8) ^ (CRC32_BZIP2[((state >>> 24) ^ byte) & 0xff] as number);
}

function littleEndian(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}
