// Timeouts of calls, and which calls change something: one table for servers and clients.

/** Milliseconds. */
const READ_LIMIT_MS = 30_000;
const CHANGE_LIMIT_MS = 120_000;

/** Calls that take longer than others of their sort. */
const LONG_LIMIT_MS: Readonly<Record<string, number>> = {
  ResizeVolume: 300_000,
  FormatVolume: 600_000,
};

/** The names of calls that only look. Every other one is taken to change something. */
const READ = /^(?:Get|List|Is)|^PathExists$|Stats$/;

/** Timeout of a call that takes longer than others, in milliseconds; undefined for all others. */
export function longLimitMs(rpc: string): number | undefined {
  return LONG_LIMIT_MS[rpc];
}

export function isRead(rpc: string): boolean {
  return READ.test(rpc);
}

/**
 * Default timeout; formatting a real disk takes minutes, and kubelet's own limit of two is no reason to start again.
 */
export function callLimitMs(rpc: string): number {
  return longLimitMs(rpc) ?? (isRead(rpc) ? READ_LIMIT_MS : CHANGE_LIMIT_MS);
}
