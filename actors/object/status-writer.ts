// Status of one object at the API server: at most one write under way, the newest state wins, and nothing is written that says nothing new
// (I8). What an object did or failed at is written at once. That it waits is written when it has waited for a moment and nothing else is
// being written: what is over soon is no news, what lasts is seen (I6).
//
// Invariants:
//   STATUS-WRITER-1. No write begins before PATIENCE_MS, or later than LIMIT_MS but for those that waited longer.
//   STATUS-WRITER-2. Between the two, no write begins while another one is under way.
//   STATUS-WRITER-3. At most TURNS at a time, first come, first served.

import type { AnyMachineSnapshot } from 'xstate';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { type Clock, ErrorCode, type Timer, toErrorData } from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import { type Lifecycle, type StatusPart, Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { ObjectContext, ObjectHost } from './object-context.ts';

/** Subject of the status: a lifecycle, or the failure of its code. */
export interface StatusSubject {
  readonly lifecycle: Pick<Lifecycle, 'statusKey' | 'status'>;
  /** The object as it is known now; undefined: it does not exist. */
  readonly object: KubeObject | undefined;
  /** Whether a dependency that it waits for has not answered yet. */
  readonly isUnanswered: boolean;
  /** There is nothing left to write. */
  onWritten(): void;
}

/** Requirements of a writer to an object. */
export type StatusContext = Pick<ObjectContext, 'clock' | 'log' | 'supervise' | 'writeStatus'> & {
  readonly host: Pick<ObjectHost, 'throttle'>;
};

/** Number of immediate retries after conflicts: the finalizers of an object may be written while its status is. */
const QUICK_CONFLICTS = 3;
/**
 * Time in which a missing answer delays the status of waiting, in milliseconds: after a takeover, answers of the
 * awaited objects may still be on their way
 * waits for later, as others take them over, and would say meanwhile what is stored otherwise (I8, I9).
 */
const ANSWERED_WITHIN_MS = 10_000;
const PAUSES = { firstMs: 200, limitMs: 30_000 };

export class StatusWriter {
  readonly #context: StatusContext;
  readonly #subject: StatusSubject;
  /** Incarnation that the status is about. */
  readonly #uid: string;
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

  constructor(context: StatusContext, subject: StatusSubject, uid: string) {
    this.#context = context;
    this.#subject = subject;
    this.#uid = uid;
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
    if (this.#outcomeUnknown !== undefined && !this.#subject.isUnanswered) this.#outcomeUnknown.abort();
    const said = this.#subject.lifecycle.statusKey(snapshot);
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
    const { lifecycle, object } = this.#subject;
    if (object === undefined || !this.isIdle || this.#said === '' || lifecycle.statusKey(snapshot) !== this.#said)
      return;
    const parts = this.#partsOf(snapshot, object);
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
    const { clock } = this.#context;
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
          this.#context.log.error({ error: message }, 'API server rejected the status');
          break;
        }
        if (failures++ === 0) this.#context.log.warn({ error: message }, 'status write failed; will retry');
        await clock.sleep(growingPauseMs(failures + 1, PAUSES) * (0.5 + clock.random() / 2));
      }
    }
    this.#running = false;
    this.#subject.onWritten();
  }

  async #write(): Promise<void> {
    await this.#context.host.throttle.unthrottled(() => this.#send());
  }

  async #writePatiently(): Promise<void> {
    this.#patience = new AbortController();
    const { signal } = this.#patience;
    if (this.#subject.isUnanswered) await this.#answers(signal);
    const end = await this.#context.host.throttle.turn(signal);
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
    await this.#context.clock.sleep(ANSWERED_WITHIN_MS, either);
    this.#outcomeUnknown = undefined;
  }

  async #send(): Promise<void> {
    const snapshot = this.#wanted;
    const { object } = this.#subject;
    if (snapshot === undefined || this.#stopped) return;
    // Deleted: there is no status any more.
    const parts = object === undefined ? [] : this.#partsOf(snapshot, object);
    // A status whose last field is removed is null for the API server, which rejects that: what states nothing comes last.
    for (const part of parts.toSorted((one, other) => Number(isEmpty(one)) - Number(isEmpty(other))))
      if (!isStored(part)) await this.#context.writeStatus(this.#uid, part.manager, part.status);
    if (this.#wanted === snapshot) this.#wanted = undefined;
  }

  #partsOf(snapshot: AnyMachineSnapshot, object: KubeObject): readonly StatusPart[] {
    const { lifecycle } = this.#subject;
    const now = this.#context.clock.now();
    return this.#context.supervise(() => lifecycle.status(snapshot, object, now)) ?? [];
  }
}

function isEmpty({ status }: StatusPart): boolean {
  return Object.keys(status).length === 0;
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

/** Most dependencies of a dependency that is at work are there by then. */
// mutant: statuses-written-at-once 0 -> 0
const PATIENCE_MS = 500;
// mutant: statuses-wait-for-ever 0 -> 10_000_000
const LIMIT_MS = 10_000;
// mutant: turns-for-everybody 0 -> 4_000
const TURNS = 4;

interface Waiter {
  readonly since: number;
  go(): void;
}

export class StatusThrottle {
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  #writes = 0;
  #turns = 0;
  #timer: Timer | undefined;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Number of waiting writes. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs a write that does not wait; while it runs, others are patient (STATUS-WRITER-2). */
  async unthrottled<Output>(write: () => Promise<Output>): Promise<Output> {
    this.#writes++;
    try {
      return await write();
    } finally {
      this.#writes--;
      this.#admit();
    }
  }

  /** Waits for a slot. @returns the function that releases it; undefined when `signal` was aborted first */
  turn(signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        // mutant: turn-for-who-gave-up drop
        this.#waiting.delete(waiter);
        resolve(undefined);
      };
      const waiter: Waiter = {
        since: this.#clock.now(),
        go: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(() => {
            this.#turns--;
            this.#admit();
          });
        },
      };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const waiter of this.#waiting) {
      if (this.#turns >= TURNS) return;
      // mutant: statuses-never-wait ?: -> $3
      const leftMs = waiter.since + (this.#writes > 0 ? LIMIT_MS : PATIENCE_MS) - now;
      if (leftMs > 0) {
        this.#timer = this.#clock.setTimeout(() => this.#admit(), leftMs);
        return;
      }
      this.#waiting.delete(waiter);
      this.#turns++;
      waiter.go();
    }
  }
}

/** The same objects; while one of them is written, statuses that can wait do. */
export function unthrottled(objects: Objects, turns: StatusThrottle): Objects {
  return {
    ...objects,
    addFinalizers: (...given) => turns.unthrottled(() => objects.addFinalizers(...given)),
    removeFinalizers: (...given) => turns.unthrottled(() => objects.removeFinalizers(...given)),
    recordId: (...given) => turns.unthrottled(() => objects.recordId(...given)),
    apply: (...given) => turns.unthrottled(() => objects.apply(...given)),
    remove: (...given) => turns.unthrottled(() => objects.remove(...given)),
  };
}
