// Chance, as plans draw it.

export interface Draw {
  /** A whole number below `bound`. */
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function drawFrom(random: () => number): Draw {
  const below = (bound: number): number => Math.floor(random() * bound);
  return {
    below,
    chance: (probability) => random() < probability,
    pick: (items) => items[below(items.length)] as never,
  };
}

/** Takes as much from chance as the ids of a simulated cloud do: the ids of a history do not depend on whether it has one. */
export function skipIdsOfCloud({ random }: { random(): number }): void {
  for (let index = 0; index < 129; index++) random();
}
