// Objects and claims of a graph: the neighbors of one object with every way to its root causes, or one group. Pure.
import type { Tree } from '../wire.ts';
import type { Group } from './groups.ts';
import type { Landscape } from './landscape.ts';

export interface GraphItem {
  /** A key, or that of a stack. */
  readonly id: string;
  /** One, or those of a stack. */
  readonly keys: readonly string[];
  /** It belongs to another group. */
  readonly isOuter: boolean;
}

export interface Shown {
  readonly items: readonly GraphItem[];
  /** Edges by ids of items: from a dependency to its dependent. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** More dependents of a kind than these are one stack. */
const ALONE = 3;

export function neighborsOf(
  landscape: Landscape,
  chosen: string,
  dependentsOf: (key: string) => readonly string[],
): Shown {
  const { byKey, needs, causes } = landscape;
  const upward = new Set<string>();
  const addWays = (key: string): void => {
    if (upward.has(key)) return;
    upward.add(key);
    for (const need of byKey.get(key)?.needs ?? []) {
      if (causes.rootsOf.has(need) || causes.blockedBy.has(need)) addWays(need);
    }
  };
  if (causes.rootsOf.has(chosen)) addWays(chosen);
  for (const need of needs.get(chosen) ?? []) upward.add(need);
  upward.delete(chosen);
  const blocked = causes.blockedBy.get(chosen) ?? [];
  const direct = dependentsOf(chosen).filter((key) => needs.get(key)?.includes(chosen));
  const downward = [...new Set([...direct, ...blocked])].filter((key) => key !== chosen && !upward.has(key));
  const items: GraphItem[] = [chosen, ...upward].map(alone);
  const byKind = new Map<string, Tree[]>();
  for (const key of downward) {
    const tree = byKey.get(key);
    if (tree !== undefined) byKind.set(tree.kind, [...(byKind.get(tree.kind) ?? []), tree]);
  }
  for (const [kind, trees] of byKind) {
    if (trees.length <= ALONE) items.push(...trees.map(({ key }) => alone(key)));
    else items.push({ id: `stack ${kind}`, keys: trees.map(({ key }) => key), isOuter: false });
  }
  return { items, edges: edgesAmong(items, landscape) };
}

/** Objects of a group, and those of others that it waits for. */
export function groupGraphOf(landscape: Landscape, group: Group): Shown & { readonly lone: readonly string[] } {
  const inside = new Set(group.keys);
  const outside = new Set<string>();
  for (const key of inside) {
    for (const need of landscape.needs.get(key) ?? []) {
      if (!inside.has(need) && landscape.byKey.get(need)?.tone !== 'available') outside.add(need);
    }
  }
  const items = [...[...inside].map(alone), ...[...outside].map((key) => ({ ...alone(key), isOuter: true }))];
  const edges = edgesAmong(items, landscape);
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return {
    items: items.filter(({ id }) => linked.has(id)),
    edges,
    lone: [...inside].filter((key) => !linked.has(key)),
  };
}

/** Dependencies in other groups that are available, and the number of dependents in each other group. */
export function aroundGroup(
  landscape: Landscape,
  group: Group,
  dependentsOf: (key: string) => readonly string[],
): { readonly has: readonly string[]; readonly neededBy: ReadonlyMap<Group, number> } {
  const inside = new Set(group.keys);
  const has = new Set<string>();
  const neededBy = new Map<Group, Set<string>>();
  for (const key of inside) {
    for (const need of landscape.needs.get(key) ?? []) {
      if (!inside.has(need) && landscape.byKey.get(need)?.tone === 'available') has.add(need);
    }
    for (const dependent of dependentsOf(key)) {
      const other = landscape.groupOf.get(dependent);
      if (other === undefined || other === group) continue;
      neededBy.set(other, (neededBy.get(other) ?? new Set()).add(dependent));
    }
  }
  return { has: [...has], neededBy: new Map([...neededBy].map(([other, keys]) => [other, keys.size])) };
}

function alone(key: string): GraphItem {
  return { id: key, keys: [key], isOuter: false };
}

function edgesAmong(items: readonly GraphItem[], { needs, byKey }: Landscape): Shown['edges'] {
  const itemOf = new Map(items.flatMap(({ id, keys }) => keys.map((key) => [key, id] as const)));
  const edges = new Map<string, { from: string; to: string }>();
  for (const [key, to] of itemOf) {
    const drawn = needs.get(key) ?? [];
    // A missing object is in no drawn claim.
    const missing = (byKey.get(key)?.needs ?? []).filter((need) => !byKey.has(need));
    for (const need of [...drawn, ...missing]) {
      const from = itemOf.get(need);
      if (from !== undefined && from !== to) edges.set(`${from}\n${to}`, { from, to });
    }
  }
  return [...edges.values()];
}
