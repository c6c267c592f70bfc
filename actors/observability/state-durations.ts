// Durations of objects in their states, from trace events. Nothing is kept about idle objects without failures: there
// are tens of thousands of them.
import type { Address } from '../../bus/mod.ts';

/** Stay of a busy or failing object, in milliseconds since the epoch. */
interface Stay {
  readonly enteredAt: number;
  /** Time since which it has not been settled. */
  readonly unsettledAt: number;
}

export class StateDurations {
  /** Stays by the address object of an actor's lifecycle: they are collected with it. */
  readonly #stays = new WeakMap<Address, Stay>();

  /**
   * The object is in another state from now on.
   *
   * @param next.from  the state that it leaves; empty: it begins here
   * @param next.isPassivated  it has settled, and without trouble
   * @returns how long it was in the one that it leaves, in milliseconds; undefined: it rested there, or begins here
   */
  enter(
    actor: Address,
    { from, isPassivated }: { readonly from: string; readonly isPassivated: boolean },
    now: number,
  ): number | undefined {
    const stay = from === '' ? undefined : this.#stays.get(actor);
    if (isPassivated) this.#stays.delete(actor);
    else this.#stays.set(actor, { enteredAt: now, unsettledAt: stay?.unsettledAt ?? now });
    return stay && now - stay.enteredAt;
  }

  /** Time since which it has not been settled, if this process knows it; undefined: it is settled. */
  unsettledAt(actor: Address): number | undefined {
    return this.#stays.get(actor)?.unsettledAt;
  }
}
