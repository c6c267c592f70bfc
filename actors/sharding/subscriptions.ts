// The mail of the shards that are held here: shards taken over together are read together.
//
// Invariants:
//   SUBSCRIPTIONS-1. What a takeover reads is handed over as long as any of its shards is held by it: what another takeover holds by now is its own.
//   SUBSCRIPTIONS-2. Of the shards that a takeover reads it holds at least half: twice as much mail as is needed arrives here at most, however
//       often shards come and go.
//   SUBSCRIPTIONS-3. Mail is handed over once, in the order of the stream, also while one subscription takes the place of another.
import {
  type Mailbox,
  type MailboxMessage,
  type MailboxSubject,
  type MailboxSubscription,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';

export interface Reading {
  readonly shards: readonly number[];
  /** Whether the takeover still holds the shard. */
  readonly isHeld: (shard: number) => boolean;
  readonly onMail: (mail: MailboxMessage) => void;
  /** Called for messages of a newer format. */
  readonly onUnreadable: (subject: MailboxSubject) => void;
}

interface Open extends Reading {
  /** Undefined: it is on its way. */
  subscription: Pick<MailboxSubscription, 'close'> | undefined;
  /** The shards that are read now. */
  reads: readonly number[];
  /** Sequence of the last delivered message. */
  sequence: number;
  state: 'replaying' | 'replayed' | 'narrowing';
  readonly onClosed: () => void;
}

export interface SubscriptionsDeps {
  readonly mailbox: Pick<Mailbox, 'subscribe'>;
  readonly onTrouble: (message: string) => void;
}

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  readonly #open = new Set<Open>();

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when everything that was there has been handed over.
   *
   * @throws {TransientError} the bus is away, or the shards were given up meanwhile
   */
  async open(reading: Reading): Promise<void> {
    const { shards } = reading;
    const { promise: replayed, resolve: onReplayed, reject } = Promise.withResolvers<void>();
    // A subscription that was closed, or whose epoch is over, is never replayed.
    const onClosed = (): void => reject(new TransientError('the shards were given up before their mail was read'));
    const entry: Open = {
      ...reading,
      subscription: undefined,
      reads: shards,
      sequence: 0,
      state: 'replaying',
      onClosed,
    };
    const onMail = (mail: MailboxMessage): void => this.#take(entry, mail);
    entry.subscription = await this.#deps.mailbox.subscribe(
      { shards },
      { onMail, onUnreadable: reading.onUnreadable, onReplayed },
    );
    this.#open.add(entry);
    // The shards may have been closed meanwhile.
    this.closeUnused();
    await replayed;
    entry.state = 'replayed';
    this.closeUnused();
  }

  /** Some shards may be held no more. */
  closeUnused(): void {
    for (const entry of this.#open) {
      // mutant: subscriptions-read-on () -> entry.reads
      const held = entry.reads.filter(entry.isHeld);
      if (held.length === 0) this.#close(entry);
      else if (entry.state === 'replayed' && 2 * held.length < entry.reads.length) void this.#narrow(entry, held);
    }
  }

  #close(entry: Open): void {
    this.#open.delete(entry);
    void entry.subscription?.close();
    entry.onClosed();
  }

  /** Both hand over in the order of the stream: what is not newer than what either did was handed over (SUBSCRIPTIONS-3). */
  #take(entry: Open, mail: MailboxMessage): void {
    // mutant: subscriptions-hand-over-twice drop
    if (mail.sequence <= entry.sequence) return;
    entry.sequence = mail.sequence;
    entry.onMail(mail);
  }

  async #narrow(entry: Open, held: readonly number[]): Promise<void> {
    const { mailbox, onTrouble } = this.#deps;
    entry.state = 'narrowing';
    const { promise: replayed, resolve: onReplayed } = Promise.withResolvers<void>();
    try {
      const onMail = (mail: MailboxMessage): void => this.#take(entry, mail);
      const narrower = await mailbox.subscribe(
        { shards: held },
        { onMail, onUnreadable: entry.onUnreadable, onReplayed },
      );
      // The replay of a subscription that is closed meanwhile, or lost with its epoch, never ends.
      const wider = entry.subscription;
      entry.subscription = { close: async () => void (await Promise.all([wider?.close(), narrower.close()])) };
      if (!this.#open.has(entry)) return void (await narrower.close());
      await replayed;
      if (!this.#open.has(entry)) return;
      void wider?.close();
      entry.subscription = narrower;
      entry.reads = held;
    } catch (error) {
      // It is tried again when the next shard is given up.
      onTrouble(`more mail than needed is read: ${toErrorData(error).message}`);
      entry.state = 'replayed';
      return;
    }
    entry.state = 'replayed';
    this.closeUnused();
  }
}
