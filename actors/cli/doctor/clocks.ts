// Whether clocks agree: leases, times in status and traces of several processes are compared.
import { Area, type Check, well, wrong } from './checks.ts';

/** Difference beyond which traces are in a wrong order and leases are judged wrongly, in milliseconds. */
const LARGEST_SKEW_MS = 1_000;

/** A reading of another clock between two readings of the own, all in milliseconds since the epoch. */
export interface Reading {
  readonly at: number;
  /** Resolution of its time, such as 1,000 where it is in whole seconds. */
  readonly resolutionMs: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Time that it is ahead of the own clock at least, in milliseconds; below 0: behind. */
export function leastSkew({ at, resolutionMs, askedAt, answeredAt }: Reading): number {
  if (at > answeredAt) return at - answeredAt;
  return at + resolutionMs < askedAt ? at + resolutionMs - askedAt : 0;
}

export function clockCheck(place: string, reading: Reading): Check {
  const skew = leastSkew(reading);
  if (Math.abs(skew) <= LARGEST_SKEW_MS) return well(Area.Clocks, place, 'its clock agrees with the one here');
  const how = `its clock is ${(Math.abs(skew) / 1_000).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here`;
  return wrong(Area.Clocks, place, how, 'let both machines follow a time server (NTP)');
}
