// What `troupe doctor` looked at, and what it found. Plain data.

export const Verdict = {
  Well: 'well',
  /** Something a person has to do something about. */
  Wrong: 'wrong',
  /** It could not be examined. */
  Unknown: 'unknown',
} as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

export const Area = {
  Process: 'process',
  Cluster: 'cluster',
  Access: 'access',
  Bus: 'bus',
  Pods: 'pods',
  Clouds: 'clouds',
  Clocks: 'clocks',
} as const;
export type Area = (typeof Area)[keyof typeof Area];

export interface Check {
  readonly area: Area;
  /** Subject of the check: an address, a name, a file. */
  readonly place: string;
  readonly verdict: Verdict;
  /** The result. */
  readonly found: string;
  /** Advice; always there when not all is well. */
  readonly todo?: string;
}

export function well(area: Area, place: string, found: string): Check {
  return { area, place, verdict: Verdict.Well, found };
}

export function wrong(area: Area, place: string, found: string, todo: string): Check {
  return { area, place, verdict: Verdict.Wrong, found, todo };
}

export function unknown(area: Area, place: string, found: string, todo: string): Check {
  return { area, place, verdict: Verdict.Unknown, found, todo };
}

/** 0: all is well. 1: something is wrong. 2: nothing is found wrong, and not all could be examined. */
export function exitCodeOf(checks: readonly Check[]): number {
  if (checks.some(({ verdict }) => verdict === Verdict.Wrong)) return 1;
  return checks.some(({ verdict }) => verdict === Verdict.Unknown) ? 2 : 0;
}
