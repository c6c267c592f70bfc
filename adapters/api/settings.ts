// Settings as users write them.
import { TerminalError } from '../../bus/errors.ts';
import type { FlagValue } from './adapter.ts';

/** @throws {TerminalError} it is no whole number, or too small */
export function wholeNumber(
  { name, value }: FlagValue,
  { fallback, least, unit }: { readonly fallback: number; readonly least: number; readonly unit: string },
): number {
  const number = Number(value ?? fallback);
  if (Number.isInteger(number) && number >= least) return number;
  throw new TerminalError(`${name} must be a whole number of ${unit}, at least ${least}; got '${value}'`);
}
