// Time that objects stay in their states, from the trace. For an idle object without trouble nothing is
// kept: there are tens of thousands of them.
import type { Address } from '../../bus/mod.ts';

/** An object that is on its way, or in trouble. Milliseconds since the epoch. */
interface Stay {
  readonly enteredAt: number;
  /** Time since which it has not been idle without trouble. */
  readonly unsettledAt: number;
}

export class StateDurations {
  /** By the address that an actor has for its lifetime: its entry is dropped with it. */
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

  /** Time since which it has not been idle without trouble, as far as this process knows; undefined: it is. */
  unsettledAt(actor: Address): number | undefined {
    return this.#stays.get(actor)?.unsettledAt;
  }
}
