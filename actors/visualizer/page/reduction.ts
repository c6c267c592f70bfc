// Transitive reduction of claims: one that follows from others is left out. Pure.

/** Claims by key. Claims in circles all stay. */
export type Needs = ReadonlyMap<string, readonly string[]>;

export function reduced(needs: Needs): Needs {
  const below = new Map<string, ReadonlySet<string>>();
  const open = new Set<string>();
  /** All that an object claims, however many steps away. */
  const reach = (key: string): ReadonlySet<string> => {
    const known = below.get(key);
    if (known !== undefined) return known;
    open.add(key);
    const found = new Set<string>();
    for (const next of needs.get(key) ?? []) {
      found.add(next);
      if (!open.has(next)) for (const each of reach(next)) found.add(each);
    }
    open.delete(key);
    below.set(key, found);
    return found;
  };
  return new Map(
    [...needs].map(([key, direct]) => [
      key,
      direct.filter(
        (need) => !direct.some((other) => other !== need && isAlong(reach(other), need, other, reach(need))),
      ),
    ]),
  );
}

/** Whether `need` lies behind `other`, and not the other way round as well. */
function isAlong(behind: ReadonlySet<string>, need: string, other: string, beyond: ReadonlySet<string>): boolean {
  return behind.has(need) && !beyond.has(other);
}
