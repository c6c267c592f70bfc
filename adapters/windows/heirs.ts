// Successors of a shared resource: its maker delays its own deletion until the other users have recorded the maker.
import type { JsonObject } from '../../bus/json.ts';
import { Reason, unready } from './conditions.ts';
import type { Waiting } from './kinds/windows-kind.ts';
import { listOf, textOf } from './values.ts';

/** @param answer  of the operation that removes the resource @returns undefined if there is no successor to wait for */
export function waitingFor({ heirs }: JsonObject, lookAgainMs: number): Waiting | undefined {
  const names = listOf(heirs).map(textOf);
  if (names.length === 0) return undefined;
  const message = `it goes when those who use the same, too, have on record who made it: ${names.join(', ')}`;
  return { verdict: unready(Reason.WaitingForUsers, message), lookAgainMs };
}
