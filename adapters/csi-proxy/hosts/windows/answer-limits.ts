// How long PowerShell may take to answer before it is taken for lost: longer than any call waits for it by default, so that
// nothing is given up that somebody still waits for.
import type { OperationName } from './operations.ts';

/** Milliseconds. */
const LISTING_LIMIT_MS = 60_000;
const LIMIT_MS = 180_000;

const LONG_LIMIT_MS: { readonly [Name in OperationName]?: number } = {
  resizePartition: 600_000,
  formatVolume: 1_200_000,
};

/** All calls share their answers: who comes later waits behind one that is lost. */
const LISTINGS: ReadonlySet<OperationName> = new Set(['listStorage', 'listIdentifiers']);

export function answerLimitMs(operation: OperationName): number {
  return LONG_LIMIT_MS[operation] ?? (LISTINGS.has(operation) ? LISTING_LIMIT_MS : LIMIT_MS);
}
