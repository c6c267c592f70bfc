// Requests that take as long as they take, as their caller has them: see long-call-protocol.ts.
import { fromErrorData, TransientError, UnknownOutcomeError } from './errors.ts';
import type { JsonObject } from './json.ts';
import {
  ANSWERS,
  type AnswerData,
  type Confirmation,
  confirmationData,
  type LongCallOptions,
  type LongCallTransport,
  messageOf,
  type Opening,
  type ProgressData,
  type ToCaller,
} from './long-call-protocol.ts';
import type { Timer } from './time.ts';

/** With less than this part of a lease left it would not be asked again in time. By then a lease is given up anyway. */
const LEAST = 10;

/** The answer of who does not hold it. */
const NOTHING: JsonObject = confirmationData({ validMs: undefined, aborted: [] });

/** Process that runs long calls of this one, as far as known. */
interface Server {
  readonly name: string;
  readonly calls: Set<Call>;
  /** Unless it asks again before, it has stopped all of them by then. Never moves back: a confirmation may be lost. */
  until: number;
  timer: Timer | undefined;
}

interface Call {
  readonly id: string;
  readonly subject: string;
  readonly options: LongCallOptions;
  readonly settled: PromiseWithResolvers<JsonObject>;
  readonly onAbort: () => void;
  /** Undefined: it has not begun. */
  server: Server | undefined;
  isGivenUp: boolean;
  /** Ends the wait for what was given up. */
  timer: Timer | undefined;
  /** Number of the last progress report. */
  step: number;
}

export class LongCallClient {
  readonly #wire: LongCallTransport;
  readonly #name: () => string;
  readonly #calls = new Map<string, Call>();
  readonly #servers = new Map<string, Server>();
  #count = 0;

  /** @param name  of this process */
  constructor(wire: LongCallTransport, name: () => string) {
    this.#wire = wire;
    this.#name = name;
  }

  /**
   * @param open  asks for it: resolves when it has begun
   * @throws the handler's error; {UnknownOutcomeError} it was started, and its outcome is unknown; {TransientError} it
   *   was not started, and will not be
   */
  hold(
    subject: string,
    options: LongCallOptions,
    open: (opening: Opening, timeoutMs: number) => Promise<void>,
  ): Promise<JsonObject> {
    const { signal, beginBy } = options;
    const timeoutMs = beginBy - this.#wire.clock.now();
    if (timeoutMs <= 0) return Promise.reject(new TransientError(`no time was left to ask '${subject}'`));
    if (signal.aborted) return Promise.reject(neverBegun(subject));
    this.#count += 1;
    const call: Call = {
      id: String(this.#count),
      subject,
      options,
      settled: Promise.withResolvers<JsonObject>(),
      onAbort: () => this.#giveUp(call),
      server: undefined,
      isGivenUp: false,
      timer: undefined,
      step: 0,
    };
    this.#calls.set(call.id, call);
    signal.addEventListener('abort', call.onAbort, { once: true });
    open({ caller: this.#name(), id: call.id }, timeoutMs).then(
      () => {
        // A server that does not know long calls has responded as to any request.
        if (call.server === undefined) this.#reject(call, new UnknownOutcomeError(`'${subject}' cannot be held`));
      },
      (error: unknown) => {
        if (call.server !== undefined) return;
        // If the server returns to it, it receives a cancellation (BUS-LONG-CALL-PROTOCOL-1).
        const isProof = !(error instanceof UnknownOutcomeError);
        // mutant: held-unbegun-unanswered ?: -> $2
        this.#reject(call, isProof ? error : new TransientError(error.message, { cause: error }));
      },
    );
    return call.settled.promise;
  }

  /** Response to a server. */
  answer(message: ToCaller): JsonObject {
    const { say, from } = message;
    if (say === 'alive') return this.#confirm(this.#servers.get(from));
    const call = this.#calls.get(message.id);
    if (say === 'begin') return call === undefined ? NOTHING : this.#begin(call, from);
    if (call?.server?.name !== from) return {};
    if (message.progress !== undefined) this.#progress(call, message.progress);
    if (say === 'answer') this.#settle(call, message.answer);
    return {};
  }

  /** The process ends: long calls are canceled, and not awaited. */
  close(): void {
    for (const call of [...this.#calls.values()]) {
      if (call.server !== undefined) this.#abort(call, call.server);
      this.#reject(call, call.server === undefined ? neverBegun(call.subject) : outcomeUnknown(call));
    }
  }

  /** The process has crashed: no messages are sent. */
  abandon(): void {
    const { clock } = this.#wire;
    for (const { timer } of [...this.#calls.values(), ...this.#servers.values()]) {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
    this.#calls.clear();
    this.#servers.clear();
  }

  /** For itself alone: however many begin together, each costs the same. */
  #begin(call: Call, from: string): JsonObject {
    const now = this.#wire.clock.now();
    const known = this.#servers.get(from);
    if (known !== undefined && this.#isLost(known)) this.#lose(known);
    // The same asks again, as the answer was lost.
    // mutant: held-begins-late ?:.3 -> false
    if (call.server !== undefined ? call.server.name !== from : now >= call.options.beginBy) return NOTHING;
    const validUntil = this.#validUntil(call, now);
    if (validUntil === undefined || !this.#calls.has(call.id)) return NOTHING;
    const server = this.#servers.get(from) ?? { name: from, calls: new Set(), until: 0, timer: undefined };
    this.#servers.set(from, server);
    call.server = server;
    server.calls.add(call);
    return this.#promise(server, { validMs: validUntil - now, aborted: [] }, now);
  }

  /** All its long calls may continue, except for canceled ones (BUS-LONG-CALL-PROTOCOL-2, BUS-LONG-CALL-PROTOCOL-3). */
  #confirm(server: Server | undefined): JsonObject {
    // The server has stopped them on its own.
    if (server !== undefined && this.#isLost(server)) this.#lose(server);
    if (server === undefined || server.calls.size === 0) return NOTHING;
    const { clock, leaseMs } = this.#wire;
    const now = clock.now();
    let all = now + leaseMs;
    const aborted: string[] = [];
    for (const call of server.calls) {
      const validUntil = this.#validUntil(call, now);
      if (validUntil === undefined) aborted.push(call.id);
      else all = Math.min(all, validUntil);
    }
    return this.#promise(server, { validMs: all - now, aborted }, now);
  }

  /** Undefined: it must stop. One whose time is all but over does not end that of the others. */
  #validUntil({ isGivenUp, options }: Call, now: number): number | undefined {
    const { leaseMs } = this.#wire;
    const until = isGivenUp ? now : options.validUntil();
    // mutant: held-ends-together + -> $1
    // mutant: held-outlasts-its-lease () -> $2
    return until <= now + leaseMs / LEAST ? undefined : Math.min(until, now + leaseMs);
  }

  #promise(server: Server, confirmation: Confirmation, now: number): JsonObject {
    // mutant: held-taken-for-unanswered () -> $2.1
    server.until = Math.max(server.until, now + (confirmation.validMs ?? 0));
    // mutant: held-server-silent drop
    this.#watch(server);
    return confirmationData(confirmation);
  }

  #isLost({ until }: Server): boolean {
    return until > 0 && until <= this.#wire.clock.now();
  }

  /** Notices that a server does not ask any more. */
  #watch(server: Server): void {
    if (server.timer !== undefined) return;
    const { clock } = this.#wire;
    const look = (): void => {
      server.timer = undefined;
      if (this.#isLost(server)) this.#lose(server);
      else this.#watch(server);
    };
    server.timer = clock.setTimeout(look, server.until - clock.now());
  }

  #lose(server: Server): void {
    for (const call of [...server.calls]) this.#reject(call, outcomeUnknown(call));
    server.until = 0;
  }

  #giveUp(call: Call): void {
    const { server, subject } = call;
    if (server === undefined) {
      this.#reject(call, neverBegun(subject));
      return;
    }
    call.isGivenUp = true;
    this.#abort(call, server);
    const { clock } = this.#wire;
    // The call was canceled before that, if not by us.
    // mutant: held-given-up-waits drop
    call.timer = clock.setTimeout(() => this.#reject(call, outcomeUnknown(call)), server.until - clock.now());
  }

  /** For the sake of speed: should it be lost, the next confirmation says it again. */
  #abort({ id }: Call, { name }: Server): void {
    const message = messageOf({ say: 'abort', from: this.#name(), id });
    this.#wire.ask(name, message, this.#wire.leaseMs / ANSWERS).catch(() => undefined);
  }

  #progress(call: Call, { step, value }: ProgressData): void {
    // mutant: held-progress-backwards if -> $2
    if (step <= call.step || call.isGivenUp) return;
    call.step = step;
    try {
      call.options.onProgress(value);
    } catch (error) {
      // As in one process, where it would end the handler.
      this.#giveUp(call);
      call.settled.reject(error);
    }
  }

  #settle(call: Call, answer: AnswerData): void {
    if (!this.#end(call)) return;
    if ('error' in answer) call.settled.reject(fromErrorData(answer.error));
    else call.settled.resolve(answer.result);
  }

  #reject(call: Call, error: unknown): void {
    if (this.#end(call)) call.settled.reject(error);
  }

  /** @returns false: it has ended before */
  #end(call: Call): boolean {
    const { clock } = this.#wire;
    const { id, options, onAbort, server, timer } = call;
    if (!this.#calls.delete(id)) return false;
    options.signal.removeEventListener('abort', onAbort);
    if (timer !== undefined) clock.clearTimeout(timer);
    server?.calls.delete(call);
    if (server?.calls.size === 0) {
      if (server.timer !== undefined) clock.clearTimeout(server.timer);
      server.timer = undefined;
      this.#servers.delete(server.name);
    }
    return true;
  }
}

function neverBegun(subject: string): TransientError {
  return new TransientError(`'${subject}' was given up before it began`);
}

function outcomeUnknown({ subject }: Call): UnknownOutcomeError {
  return new UnknownOutcomeError(`'${subject}' was started; its outcome is unknown`);
}
