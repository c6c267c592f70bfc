// Poller of a cloud: all callers that wait for resources of one collection, with one session, share the lists of each
// interval, however many they are.
//
// Invariants:
//   OS-POLLER-1. A reported state was read after the watch began, and differs from the known and the last reported one;
//       nothing is ever reported twice.
//   OS-POLLER-2. Callers with the same interval poll at the same moments, and share the results.
//   OS-POLLER-3. A few resources are always read by their criteria; more by one complete list. Resources missing there
//       are looked up once more, since a list of several pages may have lost them in between: absence is reported only
//       after a lookup.
//   OS-POLLER-4. A failed poll reports nothing: it ends the watches that it served, and only those.
//
// HTTP-POLL-ROUNDS-1 to HTTP-POLL-ROUNDS-3 hold too.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import type { Observation, WatchRequest } from '../../../machines/external-resource/operations.ts';
import { onlyChanges, pollBackoff } from '../../../machines/external-resource/polling.ts';
import { PollRounds, type PollWaiter } from '../../http/poll-rounds.ts';
import { type Criterion, matchesAll, queryOf } from '../base/criteria.ts';
import type { Collection, LookUps } from './lookups.ts';
import type { Session } from './session.ts';
import { listCall, resourcesOf } from './wire-format.ts';

export interface Poller {
  /** Deadline of a request that is made for a watch. */
  deadlineAt(): number;
  /**
   * Polls for the one resource that meets all criteria, and reports its changes.
   *
   * @param judge converts a reading into a report; undefined: the resource is deleted. An exception ends the watch
   * @throws {TransientError} the watch was aborted, or a poll failed (as `LookUps.find`)
   */
  watch(
    session: Session,
    of: Collection,
    criteria: readonly Criterion[],
    request: Watched,
    judge: Judge,
  ): Promise<never>;
  /** Ends all watches. */
  close(): void;
}

export type Watched = Pick<WatchRequest, 'signal' | 'progress' | 'observation' | 'pollAfterMs'>;
type Judge = (found: JsonObject | undefined) => Observation | undefined;

/** Longest time that one list, or one page after the other of it, may take. */
const LIST_MS = 10_000;
/**
 * Maximum number of resources that are read by criteria, for a service that accepts several values per query, and for
 * others.
 */
const FEW = { names: 50, exact: 4 } as const;
/** A list for several callers belongs to no single object, so it is in no trace. */
const NO_TRACE = '';

export function poller({ clock, lookUps }: { readonly clock: Clock; readonly lookUps: LookUps }): Poller {
  const rounds = new Map<Session, Map<string, Round>>();
  const deadlineAt = (): number => clock.now() + LIST_MS;
  return {
    deadlineAt,
    watch(session, of, criteria, request, judge) {
      const ofSession = rounds.get(session) ?? new Map<string, Round>();
      rounds.set(session, ofSession);
      const key = `${of.service.type}/${of.collection}`;
      const round = ofSession.get(key) ?? new Round({ clock, lookUps, deadlineAt, session, of });
      ofSession.set(key, round);
      return round.wait(criteria, request, judge).finally(() => {
        if (!round.isIdle || ofSession.get(key) !== round) return;
        ofSession.delete(key);
        if (ofSession.size === 0) rounds.delete(session);
      });
    },
    close() {
      for (const ofSession of rounds.values()) for (const round of ofSession.values()) round.close();
    },
  };
}

interface RoundDeps {
  readonly clock: Clock;
  readonly lookUps: LookUps;
  readonly deadlineAt: () => number;
  readonly session: Session;
  readonly of: Collection;
}

interface Waiting extends PollWaiter {
  readonly criteria: readonly Criterion[];
  readonly pollAfterMs: number;
  looks: number;
  take(found: JsonObject | undefined): void;
}

/** All who wait for resources of one collection. */
class Round {
  readonly #deps: RoundDeps;
  readonly #rounds: PollRounds<Waiting>;

  constructor(deps: RoundDeps) {
    this.#deps = deps;
    this.#rounds = new PollRounds({ clock: deps.clock, look: (due, all) => this.#look(due, all) });
  }

  get isIdle(): boolean {
    return this.#rounds.waiting.size === 0;
  }

  wait(criteria: readonly Criterion[], request: Watched, judge: Judge): Promise<never> {
    const { signal, progress, observation, pollAfterMs } = request;
    const report = onlyChanges(observation, progress);
    return this.#rounds.wait<never>(signal, ({ reject: fail }) => {
      const waiting: Waiting = {
        criteria,
        pollAfterMs,
        looks: 1,
        dueAt: this.#next(pollAfterMs),
        take: (found) => {
          // mutant: poller-tells-stopped drop
          if (!this.#rounds.waiting.has(waiting)) return;
          try {
            report(judge(found));
          } catch (error) {
            fail(error);
          }
        },
        fail,
      };
      return waiting;
    });
  }

  close(): void {
    this.#rounds.close();
  }

  /** The next moment of this rhythm that is not too near. */
  #next(pauseMs: number): number {
    const now = this.#deps.clock.now();
    // mutant: poller-own-moment return -> $1.1.1.1 + $2
    return Math.ceil((now + pauseMs / 2) / pauseMs) * pauseMs;
  }

  /** Every failure is that of those it concerns. */
  async #look(due: readonly Waiting[], all: readonly Waiting[]): Promise<void> {
    // mutant: poller-each-asked <= -> true
    const isFew = new Set(due.map(({ criteria }) => criteria[0]?.value)).size <= FEW[this.#deps.of.service.lookUp];
    const served = new Set(isFew ? due : all);
    await (isFew ? this.#read(due) : this.#list(all));
    for (const waiting of served) waiting.looks += 1;
    const now = this.#deps.clock.now();
    for (const waiting of this.#rounds.waiting) {
      // Also for those who came during a long list: a cloud that is slow is not listed without a pause.
      if (served.has(waiting) || waiting.dueAt <= now)
        waiting.dueAt = this.#next(pollBackoff(waiting.pollAfterMs, waiting.looks));
    }
  }

  /** Look-ups of one turn are one list. */
  async #read(some: readonly Waiting[]): Promise<void> {
    const { lookUps, session, of, deadlineAt } = this.#deps;
    const call = { deadlineAt: deadlineAt(), traceparent: NO_TRACE };
    await Promise.all(
      some.map(({ criteria, take, fail }) =>
        lookUps.find(session, of, criteria, call).then(([found]) => take(found), fail),
      ),
    );
  }

  async #list(all: readonly Waiting[]): Promise<void> {
    const { session, of, deadlineAt } = this.#deps;
    const call = { ...listCall(of, []), deadlineAt: deadlineAt(), traceparent: NO_TRACE };
    const lacking: Waiting[] = [];
    try {
      const found = finderIn(resourcesOf(of, await session.list(call, of.members)));
      for (const waiting of all) {
        const resource = found(waiting.criteria);
        // mutant: poller-left-out-gone if -> false
        if (resource === undefined) lacking.push(waiting);
        else waiting.take(resource);
      }
    } catch (error) {
      // mutant: poller-failed-list-proves -> for (const { take } of $2) take(undefined);
      for (const { fail } of all) fail(error);
      return;
    }
    await this.#read(lacking.filter((waiting) => this.#rounds.waiting.has(waiting)));
  }
}

/** Thousands are looked for in a list of thousands. */
function finderIn(list: readonly JsonObject[]): (criteria: readonly Criterion[]) => JsonObject | undefined {
  const indexes = new Map<string, ReadonlyMap<string, readonly JsonObject[]>>();
  const indexOf = (key: string): ReadonlyMap<string, readonly JsonObject[]> => {
    const index = indexes.get(key) ?? Map.groupBy(list, (resource) => String(resource[key]));
    indexes.set(key, index);
    return index;
  };
  return (criteria) => {
    const [[key, value] = ['', '']] = queryOf(criteria);
    return indexOf(key)
      .get(value)
      ?.find((resource) => matchesAll(criteria, resource));
  };
}
