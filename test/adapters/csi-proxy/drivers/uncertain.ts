// A change whose outcome may stay unknown: it is looked at before it is made again (contract, 11.6).

import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Clock } from '../../../../bus/time.ts';

export interface Change {
  make(): Promise<unknown>;
  /** Reads back whether it is done; left out where nothing tells, and it may be made again. */
  isDone?(): Promise<boolean>;
  /** `after-limit`: made twice at a time it destroys something, whatever the first one answered. */
  readonly again?: 'at-once' | 'after-limit';
}

/** How long a change may still be under way whose caller has heard the last of it, in milliseconds. */
const LIMIT_MS = 800;
/** When a driver gives up, in milliseconds. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 5;

/** What a client says by itself: the work may be done, under way, or never begun. */
const NO_ANSWER: ReadonlySet<Code> = new Set([Code.DeadlineExceeded, Code.Unavailable, Code.Cancelled]);

export async function carryOut({ make, isDone, again = 'at-once' }: Change, clock: Clock): Promise<void> {
  // What is read back tells of a change only where it was otherwise before: asked to remove what is absent, a machine that
  // is late would remove what comes after it.
  if (await isDone?.()) return;
  const givenUpAt = clock.now() + PATIENCE_MS;
  for (;;) {
    try {
      await make();
      return;
    } catch (error) {
      if (!(error instanceof StatusError) || clock.now() > givenUpAt) throw error;
      const mayRun = NO_ANSWER.has(error.code) || again === 'after-limit';
      if (isDone !== undefined && (await happens(isDone, mayRun ? LIMIT_MS : 0, clock))) return;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** Resolves when `isSo` within `limitMs`; looks at least once. */
async function happens(isSo: () => Promise<boolean>, limitMs: number, clock: Clock): Promise<boolean> {
  const endAt = clock.now() + limitMs;
  for (;;) {
    if (await isSo()) return true;
    if (clock.now() >= endAt) return false;
    await clock.sleep(PAUSE_MS);
  }
}

/** Whether a read is refused: no answer at all is no answer. */
export async function isRefused(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return false;
  } catch (error) {
    if (error instanceof StatusError && !NO_ANSWER.has(error.code)) return true;
    throw error;
  }
}
