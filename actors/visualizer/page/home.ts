// Start of a phone: root causes, then each group with a few objects that are not available.
import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import { missing, missingRoots, type Root, rootsAmong } from './cards.ts';
import type { Group } from './groups.ts';
import { familyOf, iconOf, SIGNS } from './kind-icons.ts';
import { type Landscape, treesOf } from './landscape.ts';
import { following, hrefOf, icon, middle, sign, tally, type ViewDeps, worstFirst } from './parts.ts';
import { counted } from './text.ts';
import { labelOf } from './tones.ts';

/** Objects of a group that are shown at first, and root causes. */
const [SHOWN, ROOTS] = [2, 8] as const;

export function home(landscape: Landscape, { change, model }: ViewDeps): TemplateResult {
  const { trees, groups, causes, hits } = landscape;
  const blocks = ({ key }: Root): number => causes.blockedBy.get(key)?.length ?? 0;
  const there = rootsAmong(landscape, trees).filter(({ key }) => hits?.has(key) !== false);
  const absent =
    hits === undefined ? missingRoots(landscape).map((key) => missing(key, (each) => model.named(each))) : [];
  const roots = [...absent, ...there].sort((one, other) => blocks(other) - blocks(one));
  const waiting = new Set([...causes.blockedBy.values()].flat()).size;
  const choose = ({ key }: Pick<Tree, 'key'>): void => change({ chosen: key });
  return html`<div class="home">
    ${
      roots.length === 0
        ? nothing
        : html`<section aria-label="Root causes">
            <h2><b>Root causes</b> <span class="dim">${counted(waiting, 'object')} wait${waiting === 1 ? 's' : ''}</span></h2>
            <ul>${repeat(
              roots.slice(0, ROOTS),
              ({ key }) => key,
              (root) => item(root, `${root.kind}${root.said === '' ? '' : ` · ${root.said}`}`, choose, blocks(root)),
            )}${
              roots.length <= ROOTS
                ? nothing
                : html`<li><a class="more" href="#view=problems" @click=${following(() => change({ view: 'problems' }))}>${counted(roots.length - ROOTS, 'more root cause')}${icon(SIGNS.next)}</a></li>`
            }</ul>
          </section>`
    }
    ${repeat(
      groups.toSorted((one, other) => Number(isWell(landscape, one)) - Number(isWell(landscape, other))),
      ({ id }) => id,
      (group) => groupOf(landscape, group, new Set(there), choose, change),
    )}
  </div>`;
}

function isWell({ byKey }: Landscape, { keys }: Group): boolean {
  return keys.every((key) => byKey.get(key)?.tone === 'available');
}

function groupOf(
  landscape: Landscape,
  group: Group,
  roots: ReadonlySet<Tree>,
  choose: (tree: Pick<Tree, 'key'>) => void,
  change: ViewDeps['change'],
): TemplateResult | typeof nothing {
  const all = treesOf(landscape, group);
  const found = landscape.hits === undefined ? all : all.filter(({ key }) => landscape.hits?.has(key));
  if (found.length === 0) return nothing;
  const isSearching = landscape.hits !== undefined;
  const rest = found.filter((tree) => !roots.has(tree)).toSorted(worstFirst(landscape));
  const first = rest.filter(({ tone }) => isSearching || tone !== 'available').slice(0, SHOWN);
  const off =
    rest.filter(({ tone }) => tone !== 'available').length - first.filter(({ tone }) => tone !== 'available').length;
  const well =
    rest.filter(({ tone }) => tone === 'available').length - first.filter(({ tone }) => tone === 'available').length;
  const left = [off > 0 ? `${off} more not available` : '', well > 0 ? `${well} available` : '']
    .filter(Boolean)
    .join(', ');
  const more = (): void => change({ layout: 'list', text: `group:${group.name}` });
  return html`<section aria-label=${group.name}>
    <h2><bdi class="cut">${group.name}</bdi> <span class="dim num">${group.keys.length}</span>${tally(all)}</h2>
    <ul>
      ${repeat(
        first,
        ({ key }) => key,
        (tree) => item(tree, `${tree.kind}${tree.said === '' ? '' : ` · ${tree.said}`}`, choose),
      )}
      ${left === '' ? nothing : html`<li><a class="more" href="#layout=list&q=group:${group.name}" @click=${following(more)}>${left}${icon(SIGNS.next)}</a></li>`}
    </ul>
  </section>`;
}

function item(tree: Root, below: string, choose: (tree: Pick<Tree, 'key'>) => void, blocks?: number): TemplateResult {
  return html`<li>
    <a class="it" href=${hrefOf(tree.key)} data-key=${tree.key} @click=${following(() => choose(tree))}>
      <span class="t f-${familyOf(tree)}">${icon(iconOf(tree))}</span>
      <span class="what"><b>${middle(tree.name)}</b><small class="cut"><bdi>${below}</bdi></small></span>
      ${blocks === undefined || blocks === 0 ? nothing : html`<span class="b num ${tree.tone}">blocks ${blocks}</span>`} ${sign(tree.tone)}<span class="hidden">, ${labelOf(tree.tone)}</span>
    </a>
  </li>`;
}
