// Requests that take as long as they take, as the process that runs them has them: see long-call-protocol.ts.
import { ErrorCode, TerminalError, TransientError, toAnswerData, UnknownOutcomeError } from './errors.ts';
import type { JsonObject } from './json.ts';
import {
  ALIVE,
  ANSWERS,
  type AnswerData,
  type Confirmation,
  type LongCallHandle,
  type LongCallTransport,
  messageOf,
  type Opening,
  type ProgressData,
  parseConfirmation,
  RETRIES,
  type SaidToCaller,
} from './long-call-protocol.ts';
import type { Timer } from './time.ts';

/** Number of times that a caller is asked whether it still wants a call: it may be reconnecting. */
const BEGINNINGS = 4;

export class LongCallServer {
  readonly #wire: LongCallTransport;
  readonly #name: () => string;
  readonly #callers = new Map<string, Caller>();

  /** @param name  of this process */
  constructor(wire: LongCallTransport, name: () => string) {
    this.#wire = wire;
    this.#name = name;
  }

  /**
   * Runs a handler for a caller that holds it, once that has said that it wants it still (BUS-LONG-CALL-PROTOCOL-1). Its answer is sent when it
   * ends.
   *
   * @param service  whose it is, for `end`
   * @throws {TransientError} it has not begun, and will not
   */
  async open(
    opening: Opening,
    service: object,
    run: (held: LongCallHandle) => JsonObject | Promise<JsonObject>,
  ): Promise<void> {
    const caller = this.#callerOf(opening.caller);
    const operation = new Operation(caller, opening.id, service);
    caller.add(operation);
    const refusal = await caller.begin(operation);
    if (refusal === undefined) {
      void operation.run(run);
      return;
    }
    operation.refuse(refusal);
    throw refusal;
  }

  /** Stops a canceled call. */
  abort(name: string, id: string): void {
    this.#callers.get(name)?.abort([id], givenUp());
  }

  /** Stops what runs for a service; resolves when its callers know. */
  async end(service: object): Promise<void> {
    const theirs = [...this.#callers.values()].flatMap((caller) => caller.of(service));
    // mutant: held-runs-on-after-service drop
    for (const operation of theirs) operation.abort(new UnknownOutcomeError('the process that ran it ends'));
    await Promise.all(theirs.map(({ over }) => over));
  }

  /** The process has crashed: no messages are sent. */
  abandon(): void {
    for (const caller of this.#callers.values()) caller.abandon();
    this.#callers.clear();
  }

  #callerOf(name: string): Caller {
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    const caller = new Caller(this.#wire, name, this.#name(), () => this.#callers.delete(name));
    this.#callers.set(name, caller);
    return caller;
  }
}

/** A process that holds something here. */
class Caller {
  readonly wire: LongCallTransport;
  readonly #name: string;
  readonly #own: string;
  readonly #onEmpty: () => void;
  readonly #operations = new Map<string, Operation>();
  /** When the question was asked that was answered last, in steady time, as all times here. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;
  #expiry: Timer | undefined;
  #asking: { readonly timer: Timer; readonly at: number } | undefined;
  #isAsking = false;

  constructor(wire: LongCallTransport, name: string, own: string, onEmpty: () => void) {
    this.wire = wire;
    this.#name = name;
    this.#own = own;
    this.#onEmpty = onEmpty;
  }

  validUntil(): number {
    const { clock } = this.wire;
    return clock.now() + (this.#validUntil - clock.steady());
  }

  ask(said: SaidToCaller): Promise<JsonObject> {
    const message = messageOf({ ...said, from: this.#own });
    return this.wire.ask(this.#name, message, this.wire.leaseMs / ANSWERS);
  }

  /** Resolves when it is time to send again what was not answered. */
  pause(): Promise<void> {
    return this.wire.clock.sleep(this.wire.leaseMs / RETRIES);
  }

  add(operation: Operation): void {
    this.#operations.set(operation.id, operation);
  }

  has(operation: Operation): boolean {
    return this.#operations.get(operation.id) === operation;
  }

  of(service: object): readonly Operation[] {
    return [...this.#operations.values()].filter((operation) => operation.service === service);
  }

  remove(operation: Operation): void {
    if (!this.has(operation)) return;
    this.#operations.delete(operation.id);
    operation.forget();
    if (this.#operations.size > 0) return;
    this.#stopTimers();
    this.#onEmpty();
  }

  abort(ids: readonly string[], reason: Error): void {
    for (const id of ids) this.#operations.get(id)?.abort(reason);
  }

  abandon(): void {
    for (const operation of this.#operations.values()) operation.forget();
    this.#operations.clear();
    this.#stopTimers();
  }

  /** @returns why it may not; undefined: the caller wants it, and knows that it begins */
  async begin(operation: Operation): Promise<TransientError | undefined> {
    const { clock } = this.wire;
    let why = '';
    for (let attempt = 0; attempt < BEGINNINGS; attempt += 1) {
      if (attempt > 0) await this.pause();
      const askedAt = clock.steady();
      try {
        const confirmation = parseConfirmation(await this.ask({ say: 'begin', id: operation.id }));
        const { validMs } = confirmation;
        if (!this.has(operation)) return new TransientError('the process ends');
        if (validMs === undefined) return new TransientError('its caller does not want it any more');
        this.#confirmed(confirmation, askedAt, operation);
        if (operation.signal.aborted) return new TransientError('it was given up before it began');
        if (clock.steady() >= this.#validUntil) throw new TransientError('the answer came too late');
        operation.begunAt = askedAt;
        this.#askLater(validMs / ALIVE);
        return undefined;
      } catch (error) {
        why = (error as Error).message;
      }
    }
    return new TransientError(`its caller could not be asked: ${why}`);
  }

  /** @param beginning  call that it concerns; undefined: all */
  #confirmed({ validMs, aborted }: Confirmation, askedAt: number, beginning?: Operation): void {
    // A late response does not revive an expired call.
    // mutant: held-made-good drop
    this.#expire();
    // Calls started since then were unknown to the caller.
    if (validMs === undefined) this.#stopAll(givenUp(), askedAt);
    if (validMs === undefined || this.#operations.size === 0) return;
    // mutant: held-confirmed-from-answer +.1 -> this.wire.clock.steady()
    const until = askedAt + validMs;
    // Both of two reordered responses count; one about a starting call does not extend the others.
    const isAll = beginning === undefined ? askedAt > this.#askedAt : this.wire.clock.steady() >= this.#validUntil;
    // mutant: held-later-question-counts ?: -> Math.max($3.1, $2)
    this.#validUntil = isAll ? until : Math.min(this.#validUntil, until);
    this.#askedAt = Math.max(this.#askedAt, askedAt);
    // mutant: held-given-up-runs-on drop
    this.abort(aborted, givenUp());
    this.#watch();
  }

  #watch(): void {
    const { clock } = this.wire;
    if (this.#expiry !== undefined) clock.clearTimeout(this.#expiry);
    this.#expiry = clock.setTimeout(
      () => {
        this.#expiry = undefined;
        // mutant: held-unconfirmed-runs-on -> if (!($1)) $3
        if (clock.steady() >= this.#validUntil) this.#expire();
        else this.#watch();
      },
      Math.max(0, this.#validUntil - clock.steady()),
    );
  }

  /**
   * A caller that does not confirm its calls has crashed, or soon reports their outcome as unknown
   * (BUS-LONG-CALL-PROTOCOL-2).
   */
  #expire(): void {
    if (this.wire.clock.steady() < this.#validUntil) return;
    this.#stopAll(new UnknownOutcomeError('its caller stopped renewing it'), Number.POSITIVE_INFINITY);
  }

  /** Calls that had started by then. */
  #stopAll(reason: Error, begunBefore: number): void {
    for (const operation of [...this.#operations.values()]) {
      if (operation.begunAt >= begunBefore) continue;
      operation.abort(reason);
      this.remove(operation);
    }
  }

  /** Asks whether all that is held here is wanted still, after so long at the latest. */
  #askLater(delayMs: number): void {
    if (this.#isAsking || this.#operations.size === 0) return;
    const { clock, leaseMs } = this.wire;
    const at = clock.steady() + Math.max(delayMs, leaseMs / RETRIES);
    if (this.#asking !== undefined) {
      // mutant: held-asked-one-by-one drop
      if (this.#asking.at <= at) return;
      // mutant: held-asked-one-by-one drop
      clock.clearTimeout(this.#asking.timer);
    }
    this.#asking = { timer: clock.setTimeout(() => void this.#ask(), at - clock.steady()), at };
  }

  async #ask(): Promise<void> {
    const askedAt = this.wire.clock.steady();
    this.#asking = undefined;
    this.#isAsking = true;
    try {
      this.#confirmed(parseConfirmation(await this.ask({ say: 'alive' })), askedAt);
      this.#isAsking = false;
      this.#askLater((this.#validUntil - askedAt) / ALIVE);
    } catch {
      // It is asked again until what it said last has run out.
      this.#isAsking = false;
      this.#askLater(0);
    }
  }

  #stopTimers(): void {
    const { clock } = this.wire;
    if (this.#expiry !== undefined) clock.clearTimeout(this.#expiry);
    if (this.#asking !== undefined) clock.clearTimeout(this.#asking.timer);
    this.#expiry = undefined;
    this.#asking = undefined;
  }
}

/** Running long call. */
class Operation {
  readonly id: string;
  readonly service: object;
  readonly over: Promise<void>;
  /** Time of the caller's confirmation request before the start; infinite before the response. */
  begunAt = Number.POSITIVE_INFINITY;
  readonly #caller: Caller;
  readonly #abort = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  /** Not heard by the caller yet, as far as is known. */
  #newest: ProgressData | undefined;
  #steps = 0;
  #isTelling = false;
  #hasEnded = false;

  constructor(caller: Caller, id: string, service: object) {
    this.#caller = caller;
    this.id = id;
    this.service = service;
    this.over = this.#over.promise;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** No further reports are sent about it. */
  forget(): void {
    this.#hasEnded = true;
    this.#over.resolve();
  }

  async run(run: (held: LongCallHandle) => JsonObject | Promise<JsonObject>): Promise<void> {
    const progress = (value: JsonObject): void => {
      if (this.#hasEnded || this.signal.aborted) return;
      this.#steps += 1;
      this.#newest = { step: this.#steps, value: JSON.parse(JSON.stringify(value)) };
      void this.#report();
    };
    let answer: AnswerData;
    try {
      answer = { result: await run({ signal: this.signal, validUntil: () => this.#caller.validUntil(), progress }) };
    } catch (error) {
      answer = { error: toAnswerData(error) };
    }
    this.#hasEnded = true;
    await this.#answer(answer, Number.POSITIVE_INFINITY);
  }

  /** It does not run. Its caller may believe that it does, and for so long at most. */
  refuse(error: TransientError): void {
    const { clock, leaseMs } = this.#caller.wire;
    this.#hasEnded = true;
    void this.#answer({ error: toAnswerData(error) }, clock.now() + leaseMs);
  }

  /** One message at a time: each has the newest progress (BUS-LONG-CALL-PROTOCOL-4). */
  async #report(): Promise<void> {
    // mutant: held-progress-each drop
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let reported = this.#newest; reported !== undefined && !this.#hasEnded; reported = this.#newest) {
      const isDone = await this.#send({ say: 'progress', id: this.id, progress: reported });
      if (isDone && this.#newest === reported) this.#newest = undefined;
      if (!isDone) await this.#caller.pause();
    }
    this.#isTelling = false;
  }

  /** Sent until it is received, or the caller has crashed. */
  async #answer(answer: AnswerData, untilAt: number): Promise<void> {
    const { clock } = this.#caller.wire;
    let said = answer;
    let isHeard = false;
    // mutant: held-answer-once -> do $2 while (false);
    while (!isHeard && this.#caller.has(this) && clock.now() < untilAt) {
      // mutant: held-last-progress-lost ?: -> $2
      const progress = this.#newest === undefined ? {} : { progress: this.#newest };
      try {
        await this.#caller.ask({ say: 'answer', id: this.id, answer: said, ...progress });
        isHeard = true;
      } catch (error) {
        if (error instanceof TerminalError) {
          this.#newest = undefined;
          said = { error: { code: ErrorCode.Transient, message: error.message, outcomeUnknown: true } };
        } else await this.#caller.pause();
      }
    }
    this.#caller.remove(this);
  }

  /** @returns false: it was not heard, and can be sent again */
  async #send(message: SaidToCaller): Promise<boolean> {
    try {
      await this.#caller.ask(message);
      return true;
    } catch (error) {
      return error instanceof TerminalError; // as large as it is it will never be heard
    }
  }
}

function givenUp(): UnknownOutcomeError {
  return new UnknownOutcomeError('its caller has given it up');
}
