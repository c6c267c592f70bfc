// The card of a group, with the names of its objects or a tile for each.
import { html, nothing, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import { byPlace } from './card-columns.ts';
import type { Group } from './groups.ts';
import { FAMILIES, FAMILY_NAMES, type Family, familyOf, iconOf, SIGNS } from './kind-icons.ts';
import { type Landscape, treesOf } from './landscape.ts';
import { health, hrefOf, icon, kindIcon, middle, sign, spoken, tally } from './parts.ts';
import { labelOf, type StatusColor } from './tones.ts';

/** Level of detail of an object. */
export type Level = 'names' | 'tiles';

export interface CardOptions {
  readonly level: Level;
  /** Columns of names side by side. */
  readonly columns: number;
  readonly isFolded: boolean;
  readonly chosen: string;
  readonly onFold: () => void;
  readonly onOpen: () => void;
  /** Kind and name of any key. */
  readonly named: Named;
}

export type Named = (key: string) => Pick<Tree, 'kind' | 'name'>;

/** Root cause: an object, or one that others need and that does not exist. */
export interface Root extends Pick<Tree, 'key' | 'kind' | 'name' | 'said'> {
  readonly tone: StatusColor | 'absent';
}

/** In pixels: of a row, the parts of a card around its rows, a root cause, and a tile with its gap. */
const [ROW, FRAME, ROOT, TILE] = [22, 54, 32, 27];
const TILE_ROW = 6;
const FAMILY_WIDTH = 78;

/** Root causes of the landscape among some objects, whatever blocks most first. */
export function rootsAmong({ causes }: Landscape, trees: readonly Tree[]): readonly Tree[] {
  const blocked = (tree: Tree): number => causes.blockedBy.get(tree.key)?.length ?? 0;
  return trees.filter(({ key }) => causes.blockedBy.has(key)).sort((one, other) => blocked(other) - blocked(one));
}

/** Keys of missing objects that block some. Each belongs to the group of the first that it blocks. @param group  undefined: all */
export function missingRoots({ causes, byKey, groupOf }: Landscape, group?: Group): readonly string[] {
  return [...causes.blockedBy].flatMap(([key, [first = '']]) => {
    const isOwn = group === undefined || groupOf.get(first)?.id === group.id;
    return byKey.has(key) || !isOwn ? [] : [key];
  });
}

/** A missing object, as a root cause. */
export function missing(key: string, named: Named): Root {
  const { kind, name } = named(key);
  return { key, kind, name, said: 'does not exist', tone: 'absent' };
}

/** About as high as the card will be, in pixels. */
export function heightOf(
  landscape: Landscape,
  group: Group,
  { level, columns, width, isFolded }: { level: Level; columns: number; width: number; isFolded: boolean },
): number {
  if (isFolded) return FRAME;
  const trees = treesOf(landscape, group);
  const roots = new Set(rootsAmong(landscape, trees));
  const families = countsByFamily(trees.filter((tree) => !roots.has(tree)));
  const pins = roots.size + missingRoots(landscape, group).length;
  const top = FRAME + (pins === 0 ? 0 : pins * ROOT + 4);
  if (level === 'tiles') {
    const across = Math.max(1, Math.floor((width - FAMILY_WIDTH - 18) / TILE));
    return [...families.values()].reduce((sum, count) => sum + Math.ceil(count / across) * TILE + TILE_ROW, top);
  }
  const rows = trees.length - roots.size + (families.size > 1 ? families.size : 0);
  return top + (Math.ceil(rows / columns) + 1) * ROW;
}

function countsByFamily(trees: readonly Tree[]): ReadonlyMap<Family, number> {
  const counts = new Map<Family, number>();
  for (const tree of trees) counts.set(familyOf(tree), (counts.get(familyOf(tree)) ?? 0) + 1);
  return counts;
}

export function card(landscape: Landscape, group: Group, options: CardOptions): TemplateResult {
  const { isFolded, level, onFold, onOpen } = options;
  const trees = treesOf(landscape, group).toSorted(byPlace);
  return html`<section class="card ${isFolded ? 'shut' : ''}" data-group=${group.id} aria-label=${group.name}>
    <header>
      <h2><button type="button" class="head" title="Open ${group.name}" @click=${onOpen}>
        ${icon(iconOf({ kind: group.kind, key: '' }), 'dim')}<bdi class="cut">${group.name}</bdi></button
      ></h2>
      <span class="dim num">${group.keys.length}</span>
      ${tally(trees)}
      <button type="button" class="ib turn" aria-expanded=${!isFolded} aria-label="${isFolded ? 'Unfold' : 'Fold'} ${group.name}" @click=${onFold}>
        ${icon(SIGNS.down)}
      </button>
    </header>
    ${health(trees)} ${isFolded ? nothing : level === 'names' ? names(landscape, group, trees, options) : tiles(landscape, group, trees, options)}
  </section>`;
}

function names(
  landscape: Landscape,
  group: Group,
  trees: readonly Tree[],
  { columns, chosen, named }: CardOptions,
): TemplateResult {
  const { roots, rest } = pinned(landscape, group, trees, named);
  const families = FAMILIES.map((family) => ({ family, of: rest.filter((tree) => familyOf(tree) === family) })).filter(
    ({ of }) => of.length > 0,
  );
  return html`${rootRows(landscape, roots, chosen)}
  <div class="rows" .style=${`columns: ${columns}`}>
    ${repeat(
      families,
      ({ family }) => family,
      ({ family, of }) => html`${families.length > 1 ? html`<h3>${FAMILY_NAMES[family]}</h3>` : nothing}
        <div class="run" role="list">${repeat(
          of,
          ({ key }) => key,
          (tree, index) => row(landscape, tree, of[index - 1]?.kind !== tree.kind, chosen),
        )}</div>`,
    )}
  </div>`;
}

/** Root causes of a card, which are on top of it, and the others. */
function pinned(
  landscape: Landscape,
  group: Group,
  trees: readonly Tree[],
  named: Named,
): { readonly roots: readonly Root[]; readonly rest: readonly Tree[] } {
  const roots = rootsAmong(landscape, trees);
  const known = new Set(roots);
  const absent = missingRoots(landscape, group).map((key) => missing(key, named));
  return { roots: [...absent, ...roots], rest: trees.filter((tree) => !known.has(tree)) };
}

function rootRows(landscape: Landscape, roots: readonly Root[], chosen: string): TemplateResult | typeof nothing {
  if (roots.length === 0) return nothing;
  return html`<div class="roots" role="list" aria-label="Root causes">${repeat(
    roots,
    ({ key }) => key,
    (tree) => rootRow(landscape, tree, chosen),
  )}</div>`;
}

function rootRow(landscape: Landscape, tree: Root, chosen: string): TemplateResult {
  const blocks = landscape.causes.blockedBy.get(tree.key)?.length ?? 0;
  const said = blocks === 0 ? 'blocks nothing' : `blocks ${blocks}`;
  const isDim = landscape.hits?.has(tree.key) === false;
  return html`<div role="listitem">${guard(
    [tree.key, tree.tone, blocks, isDim, tree.key === chosen],
    () => html`<a
      class="root ${tree.tone} ${isDim ? 'away' : ''} ${tree.key === chosen ? 'sel' : ''}"
      data-key=${tree.key}
      href=${hrefOf(tree.key)}
      tabindex="-1"
      >${sign(tree.tone)}${kindIcon(tree)}<span class="grow">${middle(tree.name)}</span
      ><span class="b num">${said}</span><span class="hidden">, ${tree.kind}, ${labelOf(tree.tone)}</span></a
    >`,
  )}</div>`;
}

function row(landscape: Landscape, tree: Tree, isFirst: boolean, chosen: string): TemplateResult {
  const isDim = landscape.hits?.has(tree.key) === false;
  return html`<div role="listitem">${guard(
    [tree, isFirst, isDim, tree.key === chosen],
    () => html`<a
      class="row ${tree.tone} ${isDim ? 'away' : ''} ${tree.key === chosen ? 'sel' : ''}"
      data-key=${tree.key}
      href=${hrefOf(tree.key)}
      tabindex="-1"
      aria-label=${spoken(tree, tree.tone)}
      >${sign(tree.tone)}${kindIcon(tree)}<span>${middle(tree.name)}${isFirst ? html`<em> ${tree.kind}</em>` : nothing}</span></a
    >`,
  )}</div>`;
}

function tiles(
  landscape: Landscape,
  group: Group,
  trees: readonly Tree[],
  { chosen, named }: CardOptions,
): TemplateResult {
  const { roots, rest } = pinned(landscape, group, trees, named);
  const families = FAMILIES.filter((family) => rest.some((tree) => familyOf(tree) === family));
  return html`${rootRows(landscape, roots, chosen)}<div class="tile-rows">
    ${families.map(
      (family) => html`<div class="tile-row">
        <h3 class="cut">${FAMILY_NAMES[family]}</h3>
        <div class="tiles" role="list">${repeat(
          rest.filter((tree) => familyOf(tree) === family),
          ({ key }) => key,
          (tree) => {
            const isDim = landscape.hits?.has(tree.key) === false;
            return html`<div role="listitem">${guard(
              [tree, isDim, tree.key === chosen],
              () => html`<a
                class="tile ${tree.tone} ${isDim ? 'away' : ''} ${tree.key === chosen ? 'sel' : ''}"
                data-key=${tree.key}
                href=${hrefOf(tree.key)}
                tabindex="-1"
                aria-label=${spoken(tree, tree.tone)}
                >${icon(iconOf(tree))}${MARKED.has(tree.tone) ? sign(tree.tone) : nothing}</a
              >`,
            )}</div>`;
          },
        )}</div>
      </div>`,
    )}
  </div>`;
}

/** Tones whose sign stands on the tile as well. */
const MARKED: ReadonlySet<string> = new Set(['failing', 'failed', 'quarantined', 'unavailable', 'held']);
