// Groups of objects by project, namespace or kind, computed from their claims. Pure.
import type { Tree } from '../wire.ts';

export const GROUPINGS = ['project', 'namespace', 'kind', 'nothing'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Group {
  readonly id: string;
  readonly name: string;
  /** The kind whose icon it has. */
  readonly kind: string;
  /** Keys of its objects, in the order in which they were given. */
  readonly keys: readonly string[];
}

/** Kinds that a group is named after. */
const ANCHORS: ReadonlySet<string> = new Set(['Project', 'WindowsStorageNode']);
const HOSTS = 'metal3.';
/** Rounds in which what is undecided looks at its neighbors again. */
const ROUNDS = 8;

export function groupsOf(trees: readonly Tree[], by: Grouping): readonly Group[] {
  if (by === 'project') return byProject(trees);
  const idOf = { namespace: (tree: Tree) => tree.namespace, kind: (tree: Tree) => tree.kind, nothing: () => '' }[by];
  const nameOf = (id: string): string =>
    by === 'nothing' ? 'All objects' : by === 'namespace' && id === '' ? 'Cluster-scoped' : id;
  return gathered(trees, idOf, (id, first) => ({ name: nameOf(id), kind: by === 'kind' ? first.kind : 'Project' }));
}

/** The group of each object. */
export function groupByKey(groups: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(groups.flatMap((group) => group.keys.map((key) => [key, group] as const)));
}

function byProject(trees: readonly Tree[]): readonly Group[] {
  const all = new Map(trees.map((tree) => [tree.key, tree]));
  const dependents = new Map<string, string[]>();
  for (const { key, needs } of trees) {
    for (const need of needs) {
      const known = dependents.get(need);
      if (known === undefined) dependents.set(need, [key]);
      else known.push(key);
    }
  }
  const joined = new Map<string, string>();
  for (const tree of trees) {
    const own = ANCHORS.has(tree.kind) ? tree.key : isHost(tree) ? `hosts/${tree.namespace}` : nearestAnchor(tree, all);
    if (own !== undefined) joined.set(tree.key, own);
  }
  const only = (keys: readonly string[], share: number): string | undefined => {
    const counts = new Map<string, number>();
    for (const key of keys) {
      const group = joined.get(key) ?? '';
      counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    const [best] = [...counts].sort((one, other) => other[1] - one[1]);
    if (best === undefined || best[0] === '' || isOfHosts(best[0])) return undefined;
    return best[1] > keys.length * share || (share === 1 && best[1] === keys.length) ? best[0] : undefined;
  };
  // A server stands where its ports are, whatever else it needs.
  for (const { key, kind, needs } of trees) {
    const own =
      kind === 'Server'
        ? only(
            needs.filter((need) => all.get(need)?.kind === 'Port'),
            1,
          )
        : undefined;
    if (own !== undefined) joined.set(key, own);
  }
  const decide = (look: (tree: Tree) => string | undefined): boolean => {
    let isNew = false;
    for (const tree of trees) {
      const group = joined.has(tree.key) ? undefined : look(tree);
      if (group === undefined) continue;
      joined.set(tree.key, group);
      isNew = true;
    }
    return isNew;
  };
  for (let round = 0; round < ROUNDS; round++) {
    if (!decide(({ key }) => only(dependents.get(key) ?? [], 1))) break;
  }
  decide(({ needs }) =>
    only(
      needs.filter((need) => all.has(need)),
      0.5,
    ),
  );
  return gathered(
    trees,
    ({ key, namespace }) => joined.get(key) ?? `shared/${namespace}`,
    (id) => {
      if (id.startsWith('shared/')) return { name: 'Shared', kind: 'Domain' };
      if (isOfHosts(id)) return { name: 'Hosts', kind: 'BareMetalHost' };
      const anchor = all.get(id);
      return { name: anchor?.name ?? id, kind: anchor?.kind ?? 'Project' };
    },
  );
}

/** The anchor that its claims lead to in the fewest steps; undefined: none, or several. */
function nearestAnchor(tree: Tree, all: ReadonlyMap<string, Tree>): string | undefined {
  const seen = new Set([tree.key]);
  let ring: readonly string[] = tree.needs;
  while (ring.length > 0) {
    const fresh = [...new Set(ring)].filter((key) => !seen.has(key) && all.has(key));
    const anchors = fresh.filter((key) => ANCHORS.has(all.get(key)?.kind ?? ''));
    if (anchors.length > 0) return anchors.length === 1 ? anchors[0] : undefined;
    for (const key of fresh) seen.add(key);
    ring = fresh.flatMap((key) => all.get(key)?.needs ?? []);
  }
  return undefined;
}

function isHost({ key }: Tree): boolean {
  return key.startsWith(HOSTS);
}

function isOfHosts(id: string): boolean {
  return id.startsWith('hosts/');
}

function gathered(
  trees: readonly Tree[],
  idOf: (tree: Tree) => string,
  named: (id: string, first: Tree) => Pick<Group, 'name' | 'kind'>,
): readonly Group[] {
  const found = new Map<string, { first: Tree; keys: string[] }>();
  for (const tree of trees) {
    const id = idOf(tree);
    const known = found.get(id);
    if (known === undefined) found.set(id, { first: tree, keys: [tree.key] });
    else known.keys.push(tree.key);
  }
  return [...found].map(([id, { first, keys }]) => ({ id, keys, ...named(id, first) }));
}
