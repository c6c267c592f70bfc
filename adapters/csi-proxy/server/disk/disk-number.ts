// Numbers of disks, as old versions write them: as text.

const LARGEST = 0xffffffff;

/** @throws {RangeError} no decimal number of 32 bits: neither blanks nor signs are part of one */
export function parseDiskNumber(text: string): number {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= LARGEST) return number;
  throw new RangeError(`${JSON.stringify(text)} is no decimal number from 0 to ${LARGEST}`);
}
