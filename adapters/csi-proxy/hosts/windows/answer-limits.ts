// Timeouts of PowerShell's responses: longer than any call waits by default, so that a response is not given up while a
// caller waits.
import type { OperationName } from './operations.ts';

/** Milliseconds. */
const LISTING_LIMIT_MS = 60_000;
const LIMIT_MS = 180_000;

const LONG_LIMIT_MS: { readonly [Name in OperationName]?: number } = {
  resizePartition: 600_000,
  formatVolume: 1_200_000,
};

/** All calls share their results: a later caller waits behind a lost one. */
const LISTINGS: ReadonlySet<OperationName> = new Set(['listStorage', 'listIdentifiers']);

export function answerLimitMs(operation: OperationName): number {
  return LONG_LIMIT_MS[operation] ?? (LISTINGS.has(operation) ? LISTING_LIMIT_MS : LIMIT_MS);
}
