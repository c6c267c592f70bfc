// Places of the cards of groups: dependencies on the left, dependents on the right, columns about equally high. Pure.
import type { Group } from './groups.ts';
import { FAMILIES, placeOf } from './kind-icons.ts';

/** Claims between two groups. */
export interface Link {
  /** Id of the group that is needed. */
  readonly from: string;
  /** Id of the group that needs it. */
  readonly to: string;
  /** Keys of the needed objects, one for each claim. */
  readonly needed: readonly string[];
}

export function linksOf(
  groupOf: ReadonlyMap<string, Group>,
  needs: ReadonlyMap<string, readonly string[]>,
): readonly Link[] {
  const links = new Map<string, { from: string; to: string; needed: string[] }>();
  for (const [key, direct] of needs) {
    const to = groupOf.get(key)?.id;
    if (to === undefined) continue;
    for (const need of direct) {
      const from = groupOf.get(need)?.id;
      if (from === undefined || from === to) continue;
      const id = `${from}\n${to}`;
      const link = links.get(id) ?? { from, to, needed: [] };
      links.set(id, link);
      link.needed.push(need);
    }
  }
  return [...links.values()];
}

/** Longest chain of groups before each; of two groups that need each other the one that is needed more counts. */
export function layersOf(groups: readonly Group[], links: readonly Link[]): ReadonlyMap<string, number> {
  const count = new Map(links.map(({ from, to, needed }) => [`${from}\n${to}`, needed.length]));
  const before = new Map<string, string[]>();
  for (const { from, to, needed } of links) {
    if ((count.get(`${to}\n${from}`) ?? 0) >= needed.length) continue;
    before.set(to, [...(before.get(to) ?? []), from]);
  }
  const layers = new Map<string, number>();
  const open = new Set<string>();
  const layer = (id: string): number => {
    const known = layers.get(id);
    if (known !== undefined) return known;
    open.add(id);
    const needed = (before.get(id) ?? []).filter((each) => !open.has(each));
    const own = needed.length === 0 ? 0 : 1 + Math.max(...needed.map(layer));
    open.delete(id);
    layers.set(id, own);
    return own;
  };
  for (const { id } of groups) layer(id);
  return layers;
}

/** @param heightOf  of a group in a column, in pixels */
export function columnsOf(
  groups: readonly Group[],
  links: readonly Link[],
  count: number,
  heightOf: (group: Group, column: number) => number,
): readonly (readonly Group[])[] {
  const layers = layersOf(groups, links);
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const columns = Array.from({ length: count }, () => ({ height: 0, groups: [] as Group[] }));
  const put = (group: Group, from: number, to: number): void => {
    let best = from;
    for (let index = from + 1; index <= to; index++) {
      if ((columns[index]?.height ?? 0) < (columns[best]?.height ?? 0)) best = index;
    }
    const column = columns[best];
    if (column === undefined) return;
    column.groups.push(group);
    column.height += heightOf(group, best);
  };
  const order = (group: Group): readonly number[] => [
    linked.has(group.id) ? 0 : 1,
    layers.get(group.id) ?? 0,
    -group.keys.length,
  ];
  for (const group of groups.toSorted((one, other) => compare(order(one), order(other)))) {
    const isLinked = linked.has(group.id);
    const layer = layers.get(group.id) ?? 0;
    const last = count - 1;
    if (links.length === 0) put(group, 0, last);
    else if (isLinked && layer === 0) put(group, 0, 0);
    else if (isLinked) put(group, Math.min(last, 1), last);
    else put(group, 0, last);
  }
  return columns.map((column) => column.groups);
}

/** Order by family, kind and name: the same place whatever states are. */
export function byPlace(
  one: { readonly kind: string; readonly key: string; readonly name: string },
  other: { readonly kind: string; readonly key: string; readonly name: string },
): number {
  const [left, right] = [placeOf(one), placeOf(other)];
  return (
    FAMILIES.indexOf(left.family) - FAMILIES.indexOf(right.family) ||
    left.rank - right.rank ||
    compare([one.kind, one.name], [other.kind, other.name])
  );
}

function compare(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? value;
    if (value < against) return -1;
    if (value > against) return 1;
  }
  return 0;
}
