// Reporter of an object's transitions in log and trace, each step with the change that caused it.
import type { Logger } from 'pino';
import { type Address, addressKey, type Clock, type JsonObject, type Trace, traceparentOf } from '../../bus/mod.ts';
import { Tag, type UserEvent } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { changeTraceparent, stepTraceparent, traceIdOf } from '../base/change-trace.ts';
import type { MachineState } from './lifecycle-instance.ts';

export interface TellerDeps {
  readonly trace: Trace;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/** All that an object's own step depends on, and the step. */
interface Own {
  readonly uid: string;
  readonly generation: number | undefined;
  readonly contentVersion: string | undefined;
  readonly step: string;
}

/** Maximum number of different warnings in a row that are logged, since a message may differ each time. */
const WARNINGS = 10;

export class TransitionReporter {
  readonly #deps: TellerDeps;
  readonly #address: Address;
  readonly #object: () => KubeObject | undefined;
  /** Created on use: ten thousand idle objects need no logger each. */
  #ownLog: Logger | undefined;
  /** Work of the object for its own last change, which is reported often. Not kept by an idle object. */
  #own: Own | undefined;
  #isSettled = true;
  /** Link of the answer that is being processed, if another object caused it. */
  #link: string | undefined;
  /** Attempts that failed in a row, and when the first did: until all is well again. */
  #failures: { readonly count: number; readonly since: number } | undefined;
  /** Warnings logged since the last success; undefined if none. */
  #warnings: Set<string> | undefined;

  /** @param object  as it is known now; undefined: there is none */
  constructor(deps: TellerDeps, address: Address, object: () => KubeObject | undefined) {
    this.#deps = deps;
    this.#address = address;
    this.#object = object;
  }

  get log(): Logger {
    this.#ownLog ??= this.#deps.log.child({ ...this.#address });
    return this.#ownLog;
  }

  /** Step of the object for `cause`, or for its own last change. */
  step(cause?: string): string {
    const object = this.#object();
    const who = object?.metadata.uid ?? addressKey(this.#address);
    if (cause !== undefined) return stepTraceparent(cause, who);
    if (object === undefined) return stepTraceparent(traceparentOf(who), who);
    const { generation } = object.metadata;
    const own = this.#own;
    const isSame = own?.uid === who && own.generation === generation && own.contentVersion === object.contentVersion;
    if (own !== undefined && isSame) return own.step;
    const step = stepTraceparent(changeTraceparent(object), who);
    if (!this.#isSettled) this.#own = { uid: who, generation, contentVersion: object.contentVersion, step };
    return step;
  }

  /** Reports during `run` link to the other object's span, unless both spans belong to the same change. */
  linked(traceparent: string | undefined, run: () => void): void {
    if (traceIdOf(traceparent) !== traceIdOf(this.step())) this.#link = traceparent;
    try {
      run();
    } finally {
      this.#link = undefined;
    }
  }

  reportTransition(
    from: string,
    { state: to, tags, cause, reported: { error, externalId }, retryAt }: MachineState,
  ): void {
    const traceId = traceIdOf(this.step());
    this.log.info({ from, to, cause, traceId, ...(error !== undefined && { error: error.message }) }, 'state changed');
    const id = externalId !== undefined && { externalId };
    const links = this.#link !== undefined && { links: [this.#link] };
    const hasFailed = error !== undefined && isFailure(tags, cause);
    const failure = hasFailed && { failure: error.fault ?? error.code };
    this.#isSettled = tags.has(Tag.Settled);
    if (hasFailed) {
      const { count = 0, since = this.#deps.clock.now() } = this.#failures ?? {};
      this.#failures = { count: count + 1, since };
    } else if (this.#isSettled && !tags.has(Tag.Failing)) this.#failures = undefined;
    const attempts = this.#failures && { attempts: this.#failures.count, failingSince: this.#failures.since };
    const retry = retryAt !== undefined && { retryAt };
    this.emit('transition', { from, to, cause, tags: [...tags], ...id, ...links, ...failure, ...attempts, ...retry });
    if (this.#isSettled && !tags.has(Tag.Failing)) this.#warnings = undefined;
    this.#forget();
  }

  /** Logs a failure that is reported to users, once until the next success, however often it is reported. */
  reportUserEvent({ type, reason, message }: UserEvent): void {
    const warnings = this.#warnings ?? new Set();
    const news = `${reason} ${message}`;
    // mutant: each-failure-warns ||.2 drop
    if (type !== 'Warning' || warnings.has(news) || warnings.size >= WARNINGS) return;
    this.#warnings = warnings.add(news);
    this.log.warn({ reason, error: message, traceId: traceIdOf(this.step()) }, 'there is trouble with the object');
    this.#forget();
  }

  #forget(): void {
    if (!this.#isSettled) return;
    this.#ownLog = undefined;
    this.#own = undefined;
  }

  emit(type: string, data: JsonObject): void {
    const uid = this.#object()?.metadata.uid ?? '';
    this.#deps.trace.emit({ actor: this.#address, type, traceparent: this.step(), data: { uid, ...data } });
  }
}

/** An attempt failed just now: a lifecycle that starts with a failure has not failed again. */
function isFailure(tags: ReadonlySet<string>, cause: string): boolean {
  const isFound = tags.has(Tag.Terminal) && cause.startsWith('xstate.done.');
  return tags.has(Tag.Failing) && (isFound || cause.startsWith('xstate.error.'));
}
