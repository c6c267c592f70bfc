// Seeded choices.

export function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Draws one item of a deck, in proportion to the weights. */
export function drawn<Item extends { readonly weight: number }>(
  deck: readonly Item[],
  random: () => number,
): Item | undefined {
  let left = random() * deck.reduce((sum, { weight }) => sum + weight, 0);
  return deck.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as Item);
}

export function between(random: () => number, least: number, most: number): number {
  return least + random() * (most - least);
}
