// The common part of the simulated Nova's collections.
import type { Reply, SimulatedRequest, TokenRecord } from './exchange.ts';
import type { Store } from './store.ts';
import type { Tokens } from './tokens.ts';

export interface NovaDeps {
  readonly store: Store;
  readonly tokens: Tokens;
  /** Time that a host takes to build a server, or to remove something, in milliseconds. */
  readonly workMs: number;
  /** Zones beside the usual one. */
  readonly zones: readonly string[];
  /** Most items of one answer. */
  readonly maxPageSize: number;
}

/** Serves all requests below one collection. */
export type NovaCollection = (request: SimulatedRequest, speaker: TokenRecord) => Reply;
