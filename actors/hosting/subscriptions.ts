// The mail of the shards that are held here: shards taken over together are read together, as long as any of them is held.
import { type Mail, type Mailbox, type MailSubscription, TransientError } from '../../bus/mod.ts';

interface Open {
  readonly shards: readonly number[];
  readonly subscription: MailSubscription;
  readonly onClosed: () => void;
}

export class Subscriptions {
  readonly #mailbox: Mailbox;
  readonly #isHeld: (shard: number) => boolean;
  readonly #open = new Set<Open>();

  constructor(mailbox: Mailbox, isHeld: (shard: number) => boolean) {
    this.#mailbox = mailbox;
    this.#isHeld = isHeld;
  }

  /**
   * Resolves when everything that was there has been handed over.
   *
   * @throws {TransientError} the bus is away, or the shards were given up meanwhile
   */
  async open(shards: readonly number[], onMail: (mail: Mail) => void): Promise<void> {
    const { promise: replayed, resolve: onReplayed, reject } = Promise.withResolvers<void>();
    const subscription = await this.#mailbox.subscribe({ shards }, { onMail, onReplayed });
    // A subscription that was closed, or whose epoch is over, is never replayed.
    const onClosed = (): void => reject(new TransientError('the shards were given up before their mail was read'));
    this.#open.add({ shards, subscription, onClosed });
    // The shards may have been closed meanwhile.
    this.closeUnused();
    await replayed;
  }

  /** Some shards may be held no more. */
  closeUnused(): void {
    for (const entry of this.#open) {
      if (entry.shards.some(this.#isHeld)) continue;
      this.#open.delete(entry);
      void entry.subscription.close();
      entry.onClosed();
    }
  }
}
