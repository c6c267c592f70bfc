// Brings the status of one object to the API server: at most one write under way, the newest state wins, and nothing
// is written that says nothing new (I8). That the object waits for others is said when it lasts (`StatusTurns`).
import type { Logger } from 'pino';
import { type Clock, ErrorCode, type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { KubeObject, LifeView, ManagedKind } from '../../machines/kind.ts';
import type { StatusTurns } from './status-turns.ts';

export interface StatusWriterDeps {
  readonly kind: ManagedKind;
  readonly clock: Clock;
  readonly turns: StatusTurns;
  /** The object as it is known now; undefined: it is gone. */
  readonly object: () => KubeObject | undefined;
  /** Writes what the kind's status manager owns. Throws as `Objects.applyStatus`. */
  readonly write: (status: JsonObject) => Promise<void>;
  /** There is nothing left to write. */
  readonly onIdle: () => void;
  /** Runs what the kind says of a status. @returns undefined when it threw */
  readonly supervise: <Result>(act: () => Result) => Result | undefined;
  readonly log: () => Logger;
}

/** Phases that last: what happens in between is told by the trace, not by the status. */
const LASTING: ReadonlySet<string> = new Set([
  'claiming.awaiting',
  'claiming.unclear',
  'awaitingExternal',
  'recordingAgain',
  'discardingAgain',
  'forgetting',
  'settling',
  'rereading',
  'available',
  'unavailable',
  'failed',
  'backingOff',
  'deleting.guarded',
  'deleting.deciding',
  'deleting.disowned',
  'deleting.unresolved',
  'deleting.refused',
  'deleting.awaitingRemoval',
  'deleting.backingOff',
  'deleting.releasingAgain',
]);

/** Those of them in which an object waits for others, or for a cloud that is at work. */
const WAITING: ReadonlySet<string> = new Set([
  'claiming.awaiting',
  'claiming.unclear',
  'settling',
  'deleting.guarded',
  'deleting.deciding',
  'deleting.disowned',
  'deleting.awaitingRemoval',
]);

/** A lost race is run again at once so many times: the finalizers of an object may be written while its status is. */
const QUICK_CONFLICTS = 3;
const PAUSE_FIRST_MS = 200;
const PAUSE_LIMIT_MS = 30_000;

export class StatusWriter {
  readonly #deps: StatusWriterDeps;
  #entered = false;
  #said = '';
  /** What is to be said; put into words when it is written, on what the last write left behind. */
  #wanted: LifeView | undefined;
  /** Aborted when it is over with patience. */
  #patience: AbortController | undefined;
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
  consider(view: LifeView): void {
    const { awaited, heldBy, generation } = view;
    const isSilent =
      !LASTING.has(view.phase) ||
      (view.phase.startsWith('claiming') && awaited.length === 0) ||
      (view.phase === 'deleting.guarded' && heldBy.length === 0) ||
      (view.phase === 'deleting.deciding' && awaited.length === 0);
    if (isSilent) {
      this.#withdraw();
      return;
    }
    const said = JSON.stringify([view.phase, awaited, heldBy, generation]);
    if (!this.#entered && (said === this.#said || this.#said === '')) {
      this.#said = said;
      return;
    }
    this.#entered = false;
    this.#said = said;
    this.#wanted = view;
    if (!WAITING.has(view.phase)) this.#patience?.abort();
    if (!this.#running) void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#patience?.abort();
  }

  /** The wait is over before anybody was told of it; the next one is told of anew. */
  #withdraw(): void {
    if (this.#wanted === undefined || !WAITING.has(this.#wanted.phase)) return;
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
        await (WAITING.has(this.#wanted.phase) ? this.#writePatiently() : this.#write());
        failures = 0;
      } catch (error) {
        const { code, message } = toErrorData(error);
        // Gone: there is nobody to tell any more.
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
    await this.#deps.turns.atOnce(() => this.#send());
  }

  async #writePatiently(): Promise<void> {
    this.#patience = new AbortController();
    const end = await this.#deps.turns.turn(this.#patience.signal);
    this.#patience = undefined;
    // Something more urgent is wanted by now, or nothing.
    if (end === undefined) return;
    try {
      await this.#send();
    } finally {
      end();
    }
  }

  async #send(): Promise<void> {
    const view = this.#wanted;
    const object = this.#deps.object();
    if (view === undefined || this.#stopped) return;
    // Gone: there is nobody to tell any more.
    if (object !== undefined) {
      const { kind, clock, supervise, write } = this.#deps;
      const status = supervise(() => kind.status(view, object, clock.now()));
      if (status !== undefined && !isStored(status, object)) await write(status);
    }
    if (this.#wanted === view) this.#wanted = undefined;
  }
}

/** Whether the stored status says all this already. */
function isStored(status: JsonObject, { status: stored = {} }: KubeObject): boolean {
  const owned = (value: JsonObject): string => {
    const { id: _id, ...rest } = value;
    return canonical(rest);
  };
  return owned(status) === owned(stored);
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
