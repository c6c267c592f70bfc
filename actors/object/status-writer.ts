// Status writer of one object: at most one write runs, the newest state wins, and an unchanged status is not written
// (I8). Waiting for other objects is written only when it lasts (`StatusThrottle`).
import type { Logger } from 'pino';
import type { AnyMachineSnapshot } from 'xstate';
import { type Clock, ErrorCode, type JsonObject, toErrorData } from '../../bus/mod.ts';
import { type Lifecycle, type StatusPart, Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { StatusThrottle } from './status-throttle.ts';

/** Writes what a field manager says. Throws as `Objects.applyStatus`. */
export type StatusWrite = (manager: string, status: JsonObject) => Promise<void>;

export interface StatusWriterDeps {
  readonly life: Pick<Lifecycle, 'statusKey' | 'status'>;
  readonly clock: Clock;
  readonly turns: StatusThrottle;
  /** Current object, as far as known; undefined if it is deleted. */
  readonly object: () => KubeObject | undefined;
  /** Whether one that it waits for has not answered yet, be it that there is none. */
  readonly isUnanswered: () => boolean;
  readonly write: StatusWrite;
  /** There is nothing left to write. */
  readonly onIdle: () => void;
  /** Runs the status code of the lifecycle. @returns undefined when it threw */
  readonly supervise: <Result>(act: () => Result) => Result | undefined;
  readonly log: () => Logger;
}

/** Number of immediate retries after conflicts: the finalizers of an object may be written while its status is. */
const QUICK_CONFLICTS = 3;
/**
 * Time in which a missing answer delays the status of waiting, in milliseconds: after a takeover, answers of the
 * awaited objects may still be on their way
 * waits for later, as others take them over, and would say meanwhile what is stored otherwise (I8, I9).
 */
const ANSWERED_WITHIN_MS = 10_000;
const PAUSE_FIRST_MS = 200;
const PAUSE_LIMIT_MS = 30_000;

export class StatusWriter {
  readonly #deps: StatusWriterDeps;
  #entered = false;
  #said = '';
  /** State to be written; rendered at the write, on top of the last written status. */
  #wanted: AnyMachineSnapshot | undefined;
  /** Aborted when it is over with patience. */
  #patience: AbortController | undefined;
  /** Aborted when all have answered. */
  #outcomeUnknown: AbortController | undefined;
  #running = false;
  #stopped = false;

  constructor(deps: StatusWriterDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return !this.#running && this.#wanted === undefined;
  }

  /** The lifecycle entered another phase. A life that begins settled enters none, so it writes nothing. */
  enter(): void {
    this.#entered = true;
  }

  /** Looks whether there is something new to say. */
  consider(snapshot: AnyMachineSnapshot): void {
    if (this.#outcomeUnknown !== undefined && !this.#deps.isUnanswered()) this.#outcomeUnknown.abort();
    const said = this.#deps.life.statusKey(snapshot);
    if (said === undefined) {
      this.#withdraw();
      return;
    }
    if (!this.#entered && (said === this.#said || this.#said === '')) {
      this.#said = said;
      return;
    }
    this.#entered = false;
    this.#said = said;
    this.#wanted = snapshot;
    if (!snapshot.hasTag(Tag.Waiting)) this.#patience?.abort();
    if (!this.#running) void this.#run();
  }

  /** A status that another writer removed is written again. */
  restore(snapshot: AnyMachineSnapshot): void {
    const { life, clock, supervise } = this.#deps;
    const object = this.#deps.object();
    if (object === undefined || !this.isIdle || this.#said === '' || life.statusKey(snapshot) !== this.#said) return;
    const parts = supervise(() => life.status(snapshot, object, clock.now())) ?? [];
    // Without this nothing would be written either, but a slot be waited for.
    if (parts.every(isStored)) return;
    this.#wanted = snapshot;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#patience?.abort();
  }

  /** The wait ended before it was written; the next one is written separately. */
  #withdraw(): void {
    if (this.#wanted?.hasTag(Tag.Waiting) !== true) return;
    this.#wanted = undefined;
    this.#entered = true;
    this.#patience?.abort();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps;
    this.#running = true;
    let failures = 0;
    while (this.#wanted !== undefined && !this.#stopped) {
      try {
        await (this.#wanted.hasTag(Tag.Waiting) ? this.#writePatiently() : this.#write());
        failures = 0;
      } catch (error) {
        const { code, message } = toErrorData(error);
        // Deleted: there is no status any more.
        if (code === ErrorCode.Absent) break;
        if (code === ErrorCode.Conflict && failures++ < QUICK_CONFLICTS) continue;
        if (code === ErrorCode.Terminal) {
          // Refused as it is: the same again would be refused again.
          log().error({ error: message }, 'the API server refuses the status');
          break;
        }
        if (failures++ === 0) log().warn({ error: message }, 'status could not be written; it is tried again');
        await clock.sleep(Math.min(PAUSE_FIRST_MS * 2 ** failures, PAUSE_LIMIT_MS) * (0.5 + clock.random() / 2));
      }
    }
    this.#running = false;
    this.#deps.onIdle();
  }

  async #write(): Promise<void> {
    await this.#deps.turns.unthrottled(() => this.#send());
  }

  async #writePatiently(): Promise<void> {
    this.#patience = new AbortController();
    const { signal } = this.#patience;
    if (this.#deps.isUnanswered()) await this.#answers(signal);
    const end = await this.#deps.turns.turn(signal);
    this.#patience = undefined;
    // Something more urgent is wanted by now, or nothing.
    if (end === undefined) return;
    try {
      await this.#send();
    } finally {
      end();
    }
  }

  /** Resolves when all have answered, or after a timeout. */
  async #answers(signal: AbortSignal): Promise<void> {
    this.#outcomeUnknown = new AbortController();
    const either = AbortSignal.any([signal, this.#outcomeUnknown.signal]);
    await this.#deps.clock.sleep(ANSWERED_WITHIN_MS, either);
    this.#outcomeUnknown = undefined;
  }

  async #send(): Promise<void> {
    const { life, clock, supervise, write } = this.#deps;
    const snapshot = this.#wanted;
    const object = this.#deps.object();
    if (snapshot === undefined || this.#stopped) return;
    // Deleted: there is no status any more.
    const parts = object && supervise(() => life.status(snapshot, object, clock.now()));
    for (const part of parts ?? []) if (!isStored(part)) await write(part.manager, part.status);
    if (this.#wanted === snapshot) this.#wanted = undefined;
  }
}

function isStored({ status, stored }: StatusPart): boolean {
  return canonical(status) === canonical(stored);
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
