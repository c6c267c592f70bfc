// Names and arithmetic of Windows' storage management.

/** Types of partitions on a disk of the kind GPT. */
export const RESERVED_PARTITION = '{e3c9e316-0b5c-4db8-817d-f92df00215ae}';
export const BASIC_PARTITION = '{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}';

/** Growth below it is not worth the while, says the reference. In bytes. */
const LEAST_GROWTH_BYTES = 100n * 1024n * 1024n;

/**
 * The size that a partition is given, or undefined where it keeps the one it has: it never shrinks.
 *
 * @param wantedBytes  0 for as much as can be
 */
export function sizeToGive({
  wantedBytes,
  currentBytes,
  largestBytes,
}: {
  wantedBytes: bigint;
  currentBytes: bigint;
  largestBytes: bigint;
}): bigint | undefined {
  const sizeBytes = wantedBytes === 0n ? largestBytes : wantedBytes;
  return sizeBytes < currentBytes + LEAST_GROWTH_BYTES ? undefined : sizeBytes;
}
