// Executables of Windows (PE32+), as bytes.

/** Places in the headers, in bytes, as the format has them. */
const PE_OFFSET = 0x3c;
const SECTION_COUNT = 6;
const OPTIONAL_SIZE = 20;
const OPTIONAL = 24;
/** In the optional header. */
const FILE_ALIGNMENT = 36;
const HEADERS_SIZE = 60;
const CHECKSUM = 64;
const SECURITY = 144;
/** In the header of a section. */
const SECTION_BYTES = 40;
const RAW_SIZE = 16;
const RAW_OFFSET = 20;

const SIGNATURE = 'PE\0\0';
const PE32_PLUS = 0x20b;
const PAGE_BYTES = 4_096;

interface Headers {
  /** Offset of the optional header. */
  readonly optional: number;
  /** Offset of each section's header. */
  readonly sections: readonly number[];
}

/** The image without its signature, which would be wrong as soon as anything is added. */
export function unsigned(image: Buffer): Buffer {
  const { optional } = headersOf(image);
  const at = image.readUInt32LE(optional + SECURITY);
  const size = image.readUInt32LE(optional + SECURITY + 4);
  if (at !== 0 && at + size !== image.length) throw new Error('the signature is not at the end of the image');
  const rest = Buffer.from(at === 0 ? image : image.subarray(0, at));
  rest.fill(0, optional + SECURITY, optional + SECURITY + 8);
  rest.fill(0, optional + CHECKSUM, optional + CHECKSUM + 4);
  return rest;
}

/**
 * The image with each section at the beginning of a page of the file, so that a loader may map the file where it would have
 * to read a copy of all of it: Wine does, and its processes are smaller by what is never touched.
 */
export function pageAligned(image: Buffer): Buffer {
  const { optional, sections } = headersOf(image);
  const headerBytes = image.readUInt32LE(optional + HEADERS_SIZE);
  if (headerBytes > PAGE_BYTES) throw new Error('the headers are larger than a page');
  const headers = Buffer.alloc(PAGE_BYTES);
  image.copy(headers, 0, 0, headerBytes);
  headers.writeUInt32LE(PAGE_BYTES, optional + FILE_ALIGNMENT);
  headers.writeUInt32LE(PAGE_BYTES, optional + HEADERS_SIZE);
  const parts = [headers];
  let offset = PAGE_BYTES;
  for (const section of sections) {
    const size = image.readUInt32LE(section + RAW_SIZE);
    const from = image.readUInt32LE(section + RAW_OFFSET);
    if (size === 0) continue;
    const part = Buffer.alloc(Math.ceil(size / PAGE_BYTES) * PAGE_BYTES);
    image.copy(part, 0, from, from + size);
    headers.writeUInt32LE(part.length, section + RAW_SIZE);
    headers.writeUInt32LE(offset, section + RAW_OFFSET);
    parts.push(part);
    offset += part.length;
  }
  return Buffer.concat(parts);
}

function headersOf(image: Buffer): Headers {
  const pe = image.readUInt32LE(PE_OFFSET);
  const optional = pe + OPTIONAL;
  const isExecutable = image.toString('latin1', pe, pe + SIGNATURE.length) === SIGNATURE;
  if (!isExecutable || image.readUInt16LE(optional) !== PE32_PLUS)
    throw new Error('this is no executable of Windows x64');
  const first = optional + image.readUInt16LE(pe + OPTIONAL_SIZE);
  const count = image.readUInt16LE(pe + SECTION_COUNT);
  return { optional, sections: Array.from({ length: count }, (_, index) => first + index * SECTION_BYTES) };
}
