// What a shard has to say, published until the bus has it: level-triggered, by compare (P9).
//
// Invariants:
//   O1. At most one publication of a subject is under way, and the last thing said is the last thing published.
//   O2. Nothing begins after `close`: a host without its lease is silent.
//   O3. What somebody else wrote meanwhile is read before it is overwritten, and not overwritten if it is newer.
import {
  addressKey,
  type Clock,
  type JsonObject,
  type Mailbox,
  type MailSubject,
  mailSubject,
  toErrorData,
} from '../bus/mod.ts';

interface Entry {
  readonly subject: MailSubject;
  wanted: JsonObject | undefined;
  /** What the bus has, as far as this host knows: its text and sequence. */
  published: string | undefined;
  sequence: number;
  running: Promise<void> | undefined;
  forgotten: boolean;
  mayReplace: (current: JsonObject) => boolean;
}

export interface OutboxDeps {
  mailbox: Mailbox;
  clock: Clock;
  /** Told of the first failure of a series, for one line in the log. */
  onTrouble: (message: string) => void;
}

/** Pause before a publication that failed is tried again, in milliseconds. The connection itself reconnects meanwhile. */
const PAUSE_MS = 250;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #entries = new Map<string, Entry>();
  #closed = false;
  #troubled = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /**
   * Says `payload` on `subject`. Resolves when the bus has it, or something newer; never rejects, and never resolves
   * once the outbox is closed.
   *
   * @param mayReplace  whether what another host wrote there may be overwritten (O3)
   */
  say(
    subject: MailSubject,
    payload: JsonObject,
    mayReplace: (current: JsonObject) => boolean = () => true,
  ): Promise<void> {
    const key = mailSubject(subject, this.#deps.mailbox.shards);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        subject,
        wanted: undefined,
        published: undefined,
        sequence: 0,
        running: undefined,
        forgotten: false,
        mayReplace,
      };
      this.#entries.set(key, entry);
    }
    entry.wanted = payload;
    entry.mayReplace = mayReplace;
    if (entry.running === undefined && entry.published === JSON.stringify(payload)) return Promise.resolve();
    entry.running ??= this.#run(entry);
    return entry.running;
  }

  /**
   * Says no more on a subject, unless something else than `payload` was said there last; undefined: whatever was said.
   * The value itself stays for its reader to delete.
   */
  forget(subject: MailSubject, payload?: JsonObject): void {
    const key = mailSubject(subject, this.#deps.mailbox.shards);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (payload !== undefined && JSON.stringify(entry.wanted) !== JSON.stringify(payload)) return;
    entry.forgotten = true;
    this.#entries.delete(key);
  }

  close(): void {
    this.#closed = true;
  }

  async #run(entry: Entry): Promise<void> {
    const { mailbox, clock } = this.#deps;
    // In the turn of the last look at what is wanted, or what is said right after it would be lost (O1).
    const end = (): void => {
      entry.running = undefined;
    };
    while (!this.#closed) {
      const payload = entry.wanted as JsonObject;
      const text = JSON.stringify(payload);
      if (text === entry.published || entry.forgotten) return end();
      try {
        const publication = await mailbox.publish(entry.subject, payload, entry.sequence);
        if (publication.kind === 'stored') {
          entry.published = text;
          entry.sequence = publication.sequence;
        } else if (!this.#closed) {
          const current = await mailbox.last(entry.subject);
          entry.sequence = current?.sequence ?? 0;
          entry.published = current === undefined ? undefined : JSON.stringify(current.payload);
          const isNewest = entry.wanted === payload;
          if (isNewest && current !== undefined && entry.published !== text && !entry.mayReplace(current.payload))
            return end();
        }
        this.#troubled = false;
      } catch (error) {
        if (!this.#troubled) {
          this.#deps.onTrouble(`mail to '${addressKey(entry.subject.to)}' waits: ${toErrorData(error).message}`);
        }
        this.#troubled = true;
        await clock.sleep(PAUSE_MS);
      }
    }
    // A closed outbox leaves its callers waiting: whatever follows an acknowledgement must not happen any more.
    return new Promise(() => undefined);
  }
}
