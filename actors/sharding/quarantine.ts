// Quarantine: an exception in the code that serves an actor stops that actor alone (I11).
//
// Invariants:
//   QUARANTINE-1. An exception within `run` never leaves it: the caller continues with all other actors.
//   QUARANTINE-2. While an actor is held it takes in what it hears and says nothing: what it claimed stays claimed, what guards it
//       stays stored, what it answered last stands.
//   QUARANTINE-3. A quarantined actor always restarts after a pause that doubles with each failure, and immediately
//       when its object was edited, replaced or deleted; but not while one of its requests may still take effect
//       outside (I4, P10).
//   QUARANTINE-4. The same trouble of the same object is logged once in LOG_EVERY_MS at most.
import type { Logger } from 'pino';
import { EventType } from '../../adapters/kubernetes/mod.ts';
import { type Address, type Clock, type Timer, toErrorData } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { RecordEvent } from '../base/record-event.ts';
import type { InFlightCalls } from './shard.ts';

/** Actor that can be quarantined. */
export interface Held {
  readonly address: Address;
  readonly key: string;
  /** Its object as it is known now; undefined: there is none. */
  incarnation(): { readonly object: KubeObject } | undefined;
  /** Stops acting, in the middle of whatever it was at. A second call changes nothing. @param cause  for people */
  suspend(cause: string): void;
}

export interface QuarantineDeps<Actor extends Held> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly report: RecordEvent;
  /** Lets an actor act again that was suspended; what that throws is to be thrown into `run`. */
  readonly resume: (actor: Actor) => void;
  /** External calls on behalf of the actor, among others. */
  readonly calls: (actor: Actor) => InFlightCalls | undefined;
  /** Brings the trouble to the status of the object, where that is possible. @returns the way to stop trying */
  readonly writeFailureStatus: (actor: Actor, message: string) => () => void;
}

interface Case {
  /** In a row, of this object as it is. */
  failures: number;
  /** Part of the object that a user may have edited since the failure. */
  object: string;
  message: string;
  loggedAt: number;
  isHeld: boolean;
  /** When it began again, if it is not held. */
  freedAt: number;
  timer: Timer | undefined;
  /** Ends what is still being said of it. */
  silence: () => void;
}

const PAUSES = { firstMs: 1_000, limitMs: 600_000 };
/** Time without a failure after which an actor has recovered, in milliseconds. */
const RECOVERED_MS = 600_000;
const LOG_EVERY_MS = 600_000;
/** Prefix of the error in messages for users. */
const TOLD = 'Internal error; retrying later, and after each edit: ';

export class Quarantine<Actor extends Held> {
  readonly #deps: QuarantineDeps<Actor>;
  readonly #cases = new Map<Actor, Case>();

  constructor(deps: QuarantineDeps<Actor>) {
    this.#deps = deps;
  }

  /** Number of quarantined actors. */
  get size(): number {
    let held = 0;
    for (const { isHeld } of this.#cases.values()) if (isHeld) held++;
    return held;
  }

  /** Runs something that an actor does. @returns undefined when it threw: the actor is held by then */
  run<Result>(actor: Actor, act: () => Result): Result | undefined {
    let result: Result | undefined;
    try {
      result = act();
    } catch (error) {
      this.#hold(actor, error);
    }
    const known = this.#cases.get(actor);
    // mutant: quarantine-ignores-edits if -> $1
    if (known?.isHeld === true && known.object !== objectOf(actor)) {
      // It is another object now, and may be a better one.
      known.object = objectOf(actor);
      known.failures = 0;
      this.#release(actor, known, 0);
    }
    return result;
  }

  /** Drops an actor that is no longer hosted. */
  forget(actor: Actor): void {
    const its = this.#cases.get(actor);
    if (its === undefined) return;
    this.#disarm(its);
    its.silence();
    this.#cases.delete(actor);
  }

  #hold(actor: Actor, error: unknown): void {
    const { clock, log, report, writeFailureStatus } = this.#deps;
    const now = clock.now();
    const { message } = toErrorData(error);
    const fresh: Case = {
      failures: 0,
      object: '',
      message: '',
      loggedAt: Number.NEGATIVE_INFINITY,
      isHeld: false,
      freedAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
      silence: () => undefined,
    };
    const its = this.#cases.get(actor) ?? fresh;
    this.#cases.set(actor, its);
    // The rest of what it was at, which does not know yet that it was stopped.
    if (its.isHeld) {
      actor.suspend(message);
      return;
    }
    if (now - its.freedAt >= RECOVERED_MS) its.failures = 0;
    // mutant: quarantine-each-second ++ -> $ * 0
    const pauseMs = growingPauseMs(1 + its.failures++, PAUSES) * (0.75 + clock.random() / 4);
    its.isHeld = true;
    its.object = objectOf(actor);
    actor.suspend(message);
    // mutant: quarantine-logs-each-time >=.2 -> 0
    if (its.message !== message || now - its.loggedAt >= LOG_EVERY_MS) {
      log.error(
        { ...actor.address, err: error, failures: its.failures, retryInMs: Math.round(pauseMs) },
        'object quarantined after an internal error; will retry',
      );
      its.loggedAt = now;
    }
    its.message = message;
    const object = actor.incarnation()?.object;
    if (object !== undefined) {
      const reported = `${TOLD}${message}`;
      report(object, { type: EventType.Warning, reason: 'Quarantined', message: reported });
      its.silence = writeFailureStatus(actor, reported);
    }
    this.#release(actor, its, pauseMs);
  }

  /** Lets it begin again after a pause, and when nothing is under way for it. */
  #release(actor: Actor, its: Case, pauseMs: number): void {
    const { clock, calls } = this.#deps;
    this.#disarm(its);
    const attempt = async (): Promise<void> => {
      const underWay = calls(actor);
      await underWay?.quiet(actor.key);
      // Forgotten, or to begin again at another time.
      if (this.#cases.get(actor) !== its || its.timer !== timer) return;
      const leftMs = (underWay?.inDoubtUntil(actor.key) ?? 0) - clock.now();
      // mutant: quarantine-ends-before-landing if -> false
      if (leftMs > 0) this.#release(actor, its, leftMs);
      else this.#resume(actor, its);
    };
    const timer = clock.setTimeout(() => void attempt(), pauseMs);
    its.timer = timer;
  }

  #resume(actor: Actor, its: Case): void {
    this.#disarm(its);
    its.silence();
    its.isHeld = false;
    its.freedAt = this.#deps.clock.now();
    this.#deps.resume(actor);
  }

  #disarm(its: Case): void {
    if (its.timer !== undefined) this.#deps.clock.clearTimeout(its.timer);
    its.timer = undefined;
  }
}

/** The error of which such a message tells; undefined: it is about something else. */
export function defectIn(message: string): string | undefined {
  return message.startsWith(TOLD) ? message.slice(TOLD.length) : undefined;
}

function objectOf(actor: Held): string {
  const { metadata, data } = actor.incarnation()?.object ?? {};
  if (metadata === undefined) return '';
  const { uid, generation, labels, annotations } = metadata;
  return JSON.stringify([uid, generation, labels, annotations, data]);
}
