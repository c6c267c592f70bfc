// One PowerShell that is kept: it is asked line by line, and answers several requests at a time.
//
// Invariants:
//   CSI-WORKER-1. What is asked for goes in as one line of ASCII that holds JSON. Neither the arguments of the process nor its
//       environment hold anything of a request.
//   CSI-WORKER-2. A request is sent once. When the worker ends, what it had been asked for fails; the next request starts another.
//   CSI-WORKER-3. A timeout always ends a request: its caller receives an error, and later requests go to another
//       worker. Other requests of the old one are still awaited, then it is killed.
import type { Clock, Timer } from '../../../../bus/mod.ts';
import type { AdapterLog } from '../../../api/adapter.ts';
import { Code, StatusError, UnknownEndError } from '../../base/status.ts';
import { answerLimitMs as defaultLimitMs } from './answer-limits.ts';
import {
  ANSWERS,
  type AnswerOf,
  type ArgumentsOf,
  type Failure,
  failure,
  failureError,
  type OperationName,
} from './operations.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Worker of a Windows host, which calls Windows. */
export interface Worker {
  /** @throws {StatusError} Windows' error, by its kind; {@link UnknownEndError} without a response */
  ask<Name extends OperationName>(operation: Name, given: ArgumentsOf<Name>): Promise<AnswerOf<Name>>;
  /** Reason why it does not respond at the moment; undefined if it does. */
  ready(): string | undefined;
  close(): Promise<void>;
}

export interface WorkerDeps {
  readonly start: () => WorkerProcess;
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** Timeout of the first line, in milliseconds. */
  readonly readyLimitMs?: number;
  /** Timeout of a response, by the name of the operation, in milliseconds. */
  readonly answerLimitMs?: (operation: OperationName) => number;
  /** Timeout for ending on request, in milliseconds. */
  readonly endLimitMs?: number;
}

const READY_LIMIT_MS = 60_000;
const END_LIMIT_MS = 5_000;

interface Asked {
  readonly operation: OperationName;
  readonly timer: Timer;
  resolve(value: unknown): void;
  reject(error: StatusError): void;
}

interface Running {
  readonly process: WorkerProcess;
  readonly asked: Map<number, Asked>;
  readonly ended: Promise<void>;
  readyTimer: Timer | undefined;
}

export class PowerShellWorker implements Worker {
  readonly #deps: WorkerDeps;
  #running: Running | undefined;
  readonly #retired = new Set<Running>();
  /** Set from a late answer to the next worker's first line. */
  #isRestarting = false;
  #lastId = 0;
  #isClosed = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
  }

  async ask<Name extends OperationName>(operation: Name, given: ArgumentsOf<Name>): Promise<AnswerOf<Name>> {
    if (this.#isClosed) throw new StatusError(Code.Unavailable, 'the host is closed');
    this.#running ??= this.#start();
    const running = this.#running;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { clock, answerLimitMs = defaultLimitMs } = this.#deps;
    const limitMs = answerLimitMs(operation);
    const timer = clock.setTimeout(() => this.#late(running, id, limitMs), limitMs);
    running.asked.set(id, { operation, timer, resolve, reject });
    running.process.send(ascii(JSON.stringify({ id, operation, arguments: given })));
    const value = await promise;
    try {
      return ANSWERS[operation](value);
    } catch (cause) {
      throw new StatusError(Code.Unknown, `${operation}: ${messageOf(cause)}`, { cause });
    }
  }

  ready(): string | undefined {
    return this.#isRestarting ? 'PowerShell did not answer in time; another one is started' : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const retired = [...this.#retired];
    for (const { process } of retired) process.kill();
    await Promise.all([this.#end(this.#running), ...retired.map(({ ended }) => ended)]);
  }

  async #end(running: Running | undefined): Promise<void> {
    if (running === undefined) return;
    running.process.end();
    const { clock, endLimitMs = END_LIMIT_MS } = this.#deps;
    const timer = clock.setTimeout(() => running.process.kill(), endLimitMs);
    await running.ended;
    clock.clearTimeout(timer);
  }

  #start(): Running {
    const { start, clock, log, readyLimitMs = READY_LIMIT_MS } = this.#deps;
    const process = start();
    const ended = Promise.withResolvers<void>();
    const running: Running = { process, asked: new Map(), ended: ended.promise, readyTimer: undefined };
    running.readyTimer = clock.setTimeout(() => {
      log.error({ limitMs: readyLimitMs }, 'the worker of PowerShell does not get ready; it is ended');
      process.kill();
    }, readyLimitMs);
    process.listen({
      line: (line) => this.#hear(running, line),
      ended: (how) => {
        if (running.readyTimer !== undefined) clock.clearTimeout(running.readyTimer);
        if (this.#running === running) this.#running = undefined;
        if (!this.#isClosed) log.error({ how, asked: running.asked.size }, 'the worker of PowerShell has ended');
        const error = new UnknownEndError(
          Code.Unknown,
          `PowerShell ended (${how}); whether the work was done is not known`,
        );
        for (const { timer, reject } of running.asked.values()) {
          clock.clearTimeout(timer);
          reject(error);
        }
        running.asked.clear();
        this.#retired.delete(running);
        ended.resolve();
      },
    });
    return running;
  }

  #late(running: Running, id: number, limitMs: number): void {
    const asked = running.asked.get(id);
    if (asked === undefined) return;
    const { operation, reject } = asked;
    this.#deps.log.error({ operation, limitMs }, 'PowerShell did not answer in time; another one is started');
    if (this.#running === running) {
      this.#retired.add(running);
      this.#isRestarting = true;
      this.#running = this.#start();
    }
    reject(
      new UnknownEndError(
        Code.DeadlineExceeded,
        `PowerShell did not answer to ${operation} within ${limitMs} ms; whether the work was done is not known`,
      ),
    );
    this.#forget(running, id);
  }

  #forget(running: Running, id: number): void {
    const asked = running.asked.get(id);
    if (asked !== undefined) this.#deps.clock.clearTimeout(asked.timer);
    running.asked.delete(id);
    if (this.#retired.has(running) && running.asked.size === 0) running.process.kill();
  }

  #hear(running: Running, line: string): void {
    const message = parse(line);
    if (message?.['ready'] === true && running.readyTimer !== undefined) {
      this.#deps.clock.clearTimeout(running.readyTimer);
      running.readyTimer = undefined;
      if (this.#running === running) this.#isRestarting = false;
      return;
    }
    const id = message?.['id'];
    const asked = typeof id === 'number' ? running.asked.get(id) : undefined;
    if (message === undefined || asked === undefined) {
      this.#deps.log.warn({ length: line.length }, 'the worker of PowerShell said something unexpected');
      return;
    }
    this.#forget(running, id as number);
    const error = message['error'];
    if (error === undefined) asked.resolve(message['value']);
    else asked.reject(failureError(failureOf(error)));
  }
}

/** The code page of a console cannot change what is ASCII. */
function ascii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whatever the worker calls an error is one. */
function failureOf(error: unknown): Failure {
  try {
    return failure(error);
  } catch (cause) {
    return { kind: 'other', message: messageOf(cause) };
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
