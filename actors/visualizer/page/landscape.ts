// The landscape at a moment: the shown objects, their groups, the root causes, and the search.
// Each part is computed again only when its inputs have changed.
import type { Tree } from '../wire.ts';
import { type Causes, causesOf } from './causes.ts';
import { type Group, type Grouping, groupByKey, groupsOf } from './groups.ts';
import type { Model } from './model.ts';
import { type Needs, reduced } from './reduction.ts';
import { matcherOf } from './search.ts';
import type { State } from './state.ts';

export interface Landscape {
  /** In a steady order; of one namespace, or of all. */
  readonly trees: readonly Tree[];
  readonly byKey: ReadonlyMap<string, Tree>;
  readonly by: Grouping;
  readonly groups: readonly Group[];
  readonly groupOf: ReadonlyMap<string, Group>;
  readonly causes: Causes;
  /** Claims that are drawn. */
  readonly needs: Needs;
  /** Number of all claims. */
  readonly claims: number;
  /** Keys of what is looked for; undefined: nothing is. */
  readonly hits: ReadonlySet<string> | undefined;
  /** Changes when objects, groups or claims do. */
  readonly shape: string;
}

/** Keeps the last value for as long as what it was worked out from is the same. */
function memo<Value>(): (from: readonly unknown[], work: () => Value) => Value {
  let last: { readonly from: readonly unknown[]; readonly value: Value } | undefined;
  return (from, work) => {
    const isSame = last?.from.length === from.length && last.from.every((each, index) => Object.is(each, from[index]));
    if (last === undefined || !isSame) last = { from, value: work() };
    return last.value;
  };
}

export class Landscapes {
  readonly #model: Model;
  readonly #trees = memo<Pick<Landscape, 'trees' | 'byKey'>>();
  readonly #structure = memo<Pick<Landscape, 'groups' | 'groupOf' | 'needs' | 'claims' | 'by'>>();
  readonly #causes = memo<Causes>();
  readonly #hits = memo<ReadonlySet<string> | undefined>();

  constructor(model: Model) {
    this.#model = model;
  }

  at(state: Pick<State, 'at' | 'namespace' | 'by' | 'text' | 'tones'>): Landscape {
    const model = this.#model;
    const { at, namespace, by, text, tones } = state;
    const { trees, byKey } = this.#trees([model.version, model.steps.length, at, namespace], () => {
      const all = model.all(at).filter((tree) => namespace === '' || tree.namespace === namespace);
      return { trees: all, byKey: new Map(all.map((tree) => [tree.key, tree])) };
    });
    // Looking back another set of objects may be there at each moment.
    const shape = `${model.shape} ${at === 0 ? '' : `${at} ${trees.length}`} ${namespace}`;
    const structure = this.#structure([shape, by], () => {
      const isOne = trees.every((tree) => tree.namespace === trees[0]?.namespace);
      const grouping = by || (isOne ? 'project' : 'namespace');
      const groups = groupsOf(trees, grouping);
      const claims = new Map(trees.map(({ key, needs }) => [key, needs.filter((need) => byKey.has(need))]));
      return {
        by: grouping,
        groups,
        groupOf: groupByKey(groups),
        needs: reduced(claims),
        claims: [...claims.values()].reduce((sum, { length }) => sum + length, 0),
      };
    });
    const causes = this.#causes([trees, model.hello], () =>
      causesOf(trees, (key) => this.#isMissed(key, namespace), at || model.now()),
    );
    const hits = this.#hits([trees, structure, text, tones.join()], () => {
      if (text.trim() === '' && tones.length === 0) return undefined;
      const matches = matcherOf(text);
      const found = trees.filter(
        (tree) =>
          (tones.length === 0 || tones.includes(tree.tone)) &&
          matches(tree, structure.groupOf.get(tree.key)?.name ?? ''),
      );
      return new Set(found.map(({ key }) => key));
    });
    return { trees, byKey, causes, hits, shape: `${shape} ${structure.by}`, ...structure };
  }

  /** With a namespace chosen, objects of others are not among the trees though they may exist. */
  #isMissed(key: string, namespace: string): boolean {
    return this.#model.isOurs(key) && (namespace === '' || this.#model.named(key).namespace === namespace);
  }
}

/** The trees of a group, in its order. */
export function treesOf({ byKey }: Pick<Landscape, 'byKey'>, { keys }: Pick<Group, 'keys'>): readonly Tree[] {
  return keys.flatMap((key) => byKey.get(key) ?? []);
}
