// What a shard has to say, published until the bus has it: level-triggered, by compare (P9).
//
// Invariants:
//   O1. At most one publication of a subject is under way, and the last thing said is the last thing published.
//   O2. Nothing begins after `close`, nor after the end of the lease, noticed or not: a host without it is silent.
//   O3. What somebody else wrote is looked at before it is overwritten, and not overwritten if it is newer.
//   O4. What stands on the bus already, as far as was heard, is not published again; what somebody overwrote is.
//   O5. However much is said at once, no more publications are under way than `inFlight` allows: the rest waits here and
//       not in the connection, where it would hold up the renewal of leases and run into the time limit of a request.
import {
  addressKey,
  type Clock,
  type JsonObject,
  type Mailbox,
  type MailSubject,
  mailSubject,
  TransientError,
  toErrorData,
} from '../bus/mod.ts';
import type { InFlight } from './in-flight.ts';

/** Whether what somebody else wrote may be overwritten by what is to be said. */
export type MayReplace = (theirs: JsonObject, ours: JsonObject) => boolean;

/** What the bus has on a subject, as far as this host knows. */
interface Stored {
  /** Undefined: it is not remembered. */
  readonly text: string | undefined;
  readonly sequence: number;
  /** Of what was said here; undefined: somebody else wrote it, or this host before it began anew. */
  readonly mayReplace: MayReplace | undefined;
}

/** A publication under way. */
interface Saying {
  readonly subject: MailSubject;
  wanted: JsonObject;
  mayReplace: MayReplace;
  done: Promise<void>;
}

export interface OutboxDeps {
  mailbox: Mailbox;
  clock: Clock;
  /** May be shared with other outboxes. */
  inFlight: InFlight;
  /** When the lease on what is said ends, milliseconds since the epoch. */
  endsAt: () => number;
  /** Told of the first failure of a series, for one line in the log. */
  onTrouble: (message: string) => void;
  /**
   * What is kept of each value that was published: its `text`, so that the same is not published again, or only its
   * `place`, for who says nothing twice. `text` is the default.
   */
  remember?: 'text' | 'place';
}

/** Pause before a publication that failed is tried again, in milliseconds. The connection itself reconnects meanwhile. */
const PAUSE_MS = 250;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #stored = new Map<string, Stored>();
  readonly #saying = new Map<string, Saying>();
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
  say(subject: MailSubject, payload: JsonObject, mayReplace: MayReplace = always): Promise<void> {
    const key = this.#key(subject);
    const saying = this.#saying.get(key);
    if (saying !== undefined) {
      saying.wanted = payload;
      saying.mayReplace = mayReplace;
      return saying.done;
    }
    const stored = this.#stored.get(key);
    if (!this.#closed && stored?.text !== undefined) {
      const text = JSON.stringify(payload);
      if (stored.text === text) {
        this.#stored.set(key, { ...stored, mayReplace });
        return Promise.resolve();
      }
      if (stored.mayReplace === undefined && !mayReplace(JSON.parse(stored.text) as JsonObject, payload))
        return Promise.resolve();
    }
    return this.#start(key, subject, payload, mayReplace);
  }

  /**
   * What the bus has on a subject of this shard, as its reader was handed it: at a replay, what need not be said again;
   * later, what somebody may have overwritten (O4).
   */
  heard(subject: MailSubject, payload: JsonObject, sequence: number): void {
    const key = this.#key(subject);
    const stored = this.#stored.get(key);
    // What is being published is held against what is there anyway.
    if (this.#closed || this.#saying.has(key) || (stored !== undefined && sequence <= stored.sequence)) return;
    const text = JSON.stringify(payload);
    this.#stored.set(key, { text, sequence, mayReplace: undefined });
    if (stored?.mayReplace === undefined || stored.text === undefined || stored.text === text) return;
    void this.say(subject, JSON.parse(stored.text) as JsonObject, stored.mayReplace);
  }

  /**
   * Says no more on a subject, unless something else than `payload` was said there last; undefined: whatever was said.
   * The value itself stays for its reader to delete.
   */
  forget(subject: MailSubject, payload?: JsonObject): void {
    const key = this.#key(subject);
    const saying = this.#saying.get(key);
    const said = saying === undefined ? this.#stored.get(key)?.text : JSON.stringify(saying.wanted);
    if (payload !== undefined && said !== undefined && said !== JSON.stringify(payload)) return;
    this.#saying.delete(key);
    this.#stored.delete(key);
  }

  close(): void {
    this.#closed = true;
  }

  #key(subject: MailSubject): string {
    return mailSubject(subject, this.#deps.mailbox.shards);
  }

  #start(key: string, subject: MailSubject, wanted: JsonObject, mayReplace: MayReplace): Promise<void> {
    const saying: Saying = { subject, wanted, mayReplace, done: Promise.resolve() };
    this.#saying.set(key, saying);
    saying.done = this.#run(key, saying);
    return saying.done;
  }

  async #run(key: string, saying: Saying): Promise<void> {
    const { mailbox, clock, inFlight, endsAt, remember = 'text' } = this.#deps;
    let { text: published, sequence } = this.#stored.get(key) ?? { text: undefined, sequence: 0 };
    /** In the turn of the last look at what is wanted, or what is said right after it would be lost (O1). */
    const end = (stored: Stored): void => {
      this.#saying.delete(key);
      this.#stored.set(key, stored);
    };
    // Forgotten; whatever is said by now is another publication's.
    const isForgotten = (): boolean => this.#saying.get(key) !== saying;
    while (!this.#closed) {
      if (isForgotten()) return;
      if (published !== undefined && JSON.stringify(saying.wanted) === published) {
        const { mayReplace } = saying;
        return end({ text: remember === 'text' ? published : undefined, sequence, mayReplace });
      }
      const turn = inFlight.enter();
      if (turn !== undefined) await turn;
      try {
        const payload = saying.wanted;
        const text = JSON.stringify(payload);
        // While it waited for its turn.
        if (this.#closed || isForgotten() || text === published) continue;
        // A process that stood still says what is old by now before it hears that others may speak.
        if (clock.now() >= endsAt()) throw new TransientError('the lease has ended');
        const publication = await mailbox.publish(saying.subject, payload, sequence);
        if (publication.kind === 'stored') {
          published = text;
          sequence = publication.sequence;
        } else if (!this.#closed) {
          const current = await mailbox.last(saying.subject);
          sequence = current?.sequence ?? 0;
          published = current === undefined ? undefined : JSON.stringify(current.payload);
          const isNewest = saying.wanted === payload && !isForgotten();
          if (isNewest && current !== undefined && published !== text && !saying.mayReplace(current.payload, payload))
            return end({ text: published, sequence, mayReplace: undefined });
        }
        this.#troubled = false;
        continue;
      } catch (error) {
        if (!this.#troubled) {
          this.#deps.onTrouble(`mail to '${addressKey(saying.subject.to)}' waits: ${toErrorData(error).message}`);
        }
        this.#troubled = true;
      } finally {
        inFlight.leave();
      }
      await clock.sleep(PAUSE_MS);
    }
    // A closed outbox leaves its callers waiting: whatever follows an acknowledgement must not happen any more.
    return new Promise(() => undefined);
  }
}

const always: MayReplace = () => true;
