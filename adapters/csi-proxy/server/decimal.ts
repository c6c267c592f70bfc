// Numbers of disks in text, as the old versions have them.

const LARGEST = 2 ** 32 - 1;

/** @throws {RangeError} the text is not digits alone, or their number does not fit 32 bits; `context` says of what */
export function uint32FromText(text: string, context: string): number {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= LARGEST) return number;
  throw new RangeError(`${context}a decimal number from 0 to ${LARGEST} is wanted, got '${text}'`);
}
