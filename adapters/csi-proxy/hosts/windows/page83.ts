// The name by which a disk is known over time: its SCSI page 83, as Windows hands it on.

const CODE_SET_BINARY = 1;
const CODE_SET_ASCII = 2;
const ASSOCIATION_DEVICE = 0;
/** STORAGE_DEVICE_ID_DESCRIPTOR: version, size, number of identifiers; then the identifiers. In bytes. */
const HEADER_LENGTH = 12;
/** STORAGE_IDENTIFIER before the identifier itself: code set, type, its length, offset of the next one, association. */
const IDENTIFIER_HEADER_LENGTH = 16;

/**
 * The first identifier of the device itself: text as it is, binary in hexadecimal; empty if there is none.
 *
 * @throws {RangeError} a descriptor that ends too early
 */
export function page83(descriptor: Uint8Array): string {
  const view = new DataView(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  const count = view.getUint32(8, true);
  let at = HEADER_LENGTH;
  for (let index = 0; index < count; index++) {
    const codeSet = view.getUint32(at, true);
    const length = view.getUint16(at + 8, true);
    const nextOffset = view.getUint16(at + 10, true);
    const association = view.getUint32(at + 12, true);
    const start = at + IDENTIFIER_HEADER_LENGTH;
    if (start + length > descriptor.length) throw new RangeError('the identifiers of the disk end too early');
    const identifier = Buffer.from(descriptor.subarray(start, start + length));
    if (association === ASSOCIATION_DEVICE && codeSet === CODE_SET_ASCII) return identifier.toString('latin1');
    if (association === ASSOCIATION_DEVICE && codeSet === CODE_SET_BINARY) return identifier.toString('hex');
    if (nextOffset === 0) break;
    at += nextOffset;
  }
  return '';
}
