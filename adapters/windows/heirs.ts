// Of what several objects of a machine use, its maker waits with going until they have on record who made it.
import type { JsonObject } from '../../bus/json.ts';
import { Reason, unready } from './conditions.ts';
import type { Waiting } from './kinds/windows-kind.ts';
import { listOf, textOf } from './values.ts';

/** @param answer  of the operation that takes it down @returns undefined: there is nobody to wait for */
export function waitingFor({ heirs }: JsonObject, lookAgainMs: number): Waiting | undefined {
  const names = listOf(heirs).map(textOf);
  if (names.length === 0) return undefined;
  const message = `it goes when those who use the same, too, have on record who made it: ${names.join(', ')}`;
  return { verdict: unready(Reason.WaitingForUsers, message), lookAgainMs };
}
