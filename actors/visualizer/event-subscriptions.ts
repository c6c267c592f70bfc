// Subscribers of the object graph. One session serves all of them, and ends a while after the last has
// gone.
//
// Invariants:
//   UI-EVENT-SUBSCRIPTIONS-1. A subscriber receives the whole graph first, and then only changes.
//   UI-EVENT-SUBSCRIPTIONS-2. Nothing runs when there was no subscriber for LINGER_MS.
import { type Timer, TransientError, toErrorData } from '../../bus/mod.ts';
import { Session, type SessionDeps } from './session.ts';
import type { FeedListener } from './wire.ts';

/** A page that is reloaded within this time finds everything still there, in milliseconds. */
const LINGER_MS = 30_000;
/** Between two batches of changes, in milliseconds. */
const BATCH_MS = 100;

export class EventSubscriptions {
  readonly #deps: SessionDeps;
  /** Subscribers that have received the graph. */
  readonly #listeners = new Set<FeedListener>();
  /** Time of the last snapshot that any subscriber received, in milliseconds since the epoch. Zero before the first. */
  snapshotAt = 0;
  #users = 0;
  #session: Session | undefined;
  #ending: Timer | undefined;
  #batch: Timer | undefined;
  #closing: Promise<void> | undefined;
  /** Sessions that end. */
  readonly #ended = new Set<Promise<void>>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Tells until it is closed; the graph comes as soon as it is known. @throws {TransientError} it is closed */
  follow(listener: FeedListener): { close(): Promise<void> } {
    const session = this.#enter();
    let isOpen = true;
    void session.ready.then(() => {
      if (!isOpen || this.#session !== session) return;
      this.#flush(); // changes so far are part of the graph that this one receives
      this.#listeners.add(listener);
      this.#sendSnapshot(listener);
    });
    return {
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        this.#listeners.delete(listener);
        this.#leave();
      },
    };
  }

  /** Asks something of the graph when it is known. */
  async ask<Answer>(question: (session: Session) => Promise<Answer>): Promise<Answer> {
    const session = this.#enter();
    try {
      await session.ready;
      return await question(session);
    } finally {
      this.#leave();
    }
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#listeners.clear();
      this.#end();
      await Promise.all(this.#ended);
    })();
    return this.#closing;
  }

  #enter(): Session {
    const { clock } = this.#deps;
    if (this.#closing !== undefined) throw new TransientError('the visualizer is closed');
    this.#users += 1;
    if (this.#ending !== undefined) clock.clearTimeout(this.#ending);
    this.#ending = undefined;
    this.#session ??= new Session(this.#deps, {
      onUpdate: () => this.#schedule(),
      onRebase: () => this.#rebase(),
      onTrouble: () => this.#tellTrouble(),
    });
    return this.#session;
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#session === undefined) return;
    this.#ending = this.#deps.clock.setTimeout(() => this.#end(), LINGER_MS);
  }

  #end(): void {
    const { clock } = this.#deps;
    for (const timer of [this.#ending, this.#batch]) if (timer !== undefined) clock.clearTimeout(timer);
    this.#ending = undefined;
    this.#batch = undefined;
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    const ended: Promise<void> = session.close().finally(() => this.#ended.delete(ended));
    this.#ended.add(ended);
  }

  #schedule(): void {
    if (this.#batch !== undefined || this.#listeners.size === 0) return;
    this.#batch = this.#deps.clock.setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    const { clock } = this.#deps;
    if (this.#batch !== undefined) clock.clearTimeout(this.#batch);
    this.#batch = undefined;
    const graph = this.#session?.graph;
    if (graph === undefined) return;
    if (this.#listeners.size === 0) graph.forgetChanges();
    if (!graph.isChanged) return;
    const changes = graph.changes(clock.now());
    for (const listener of this.#listeners) this.#reported(() => listener.onChanges(changes));
  }

  #rebase(): void {
    this.#flush();
    for (const listener of this.#listeners) this.#sendSnapshot(listener);
  }

  /** Sends the whole graph, and then the problem of the sources, because a snapshot clears the banner of a page. */
  #sendSnapshot(listener: FeedListener): void {
    const trees = this.#session?.graph.trees() ?? [];
    const what = this.#session?.problem;
    this.snapshotAt = this.#deps.clock.now();
    this.#reported(() => {
      listener.onSnapshot({ at: this.snapshotAt, trees });
      if (what !== undefined) listener.onTrouble({ what });
    });
  }

  #tellTrouble(): void {
    const what = this.#session?.problem;
    for (const listener of this.#listeners) this.#reported(() => listener.onTrouble({ what }));
  }

  /** A subscriber that cannot be served does not disturb the others. */
  #reported(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.#deps.log.error({ error: toErrorData(error).message, err: error }, 'notifying a subscriber failed');
    }
  }
}
