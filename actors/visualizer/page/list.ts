// The objects as a table that is sorted by any column, of which only what is seen is drawn.
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Tree } from '../wire.ts';
import { SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { following, hrefOf, icon, kindIcon, sign, spoken, type ViewDeps, worstFirst } from './parts.ts';
import { COLUMNS, type Column, type State } from './state.ts';
import { duration } from './text.ts';
import { labelOf } from './tones.ts';

const HEAD = 36;
/** Height of a row, in pixels: on a phone it has two lines. */
const [ROW, PHONE_ROW] = [34, 54];
/** Rows beyond the visible ones, for scrolling. */
const SPARE = 12;
const TITLES: Readonly<Record<Column, string>> = {
  state: 'State',
  name: 'Name',
  kind: 'Kind',
  namespace: 'Namespace',
  group: 'Group',
  id: 'ID',
  address: 'Address',
  age: 'Age',
  since: 'In state',
  message: 'Message',
};

export class ObjectList {
  readonly element = document.createElement('div');
  readonly #deps: ViewDeps;
  #landscape: Landscape | undefined;
  #state: State | undefined;
  #rows: readonly Tree[] = [];
  #chosen = '';

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.element.className = 'list';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', 'Objects');
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  update(landscape: Landscape, state: State): void {
    this.#landscape = landscape;
    this.#state = state;
    const { hits, trees } = landscape;
    this.#rows = sorted(hits === undefined ? trees : trees.filter(({ key }) => hits.has(key)), landscape, state);
    this.#draw();
    if (state.chosen !== this.#chosen && state.chosen !== '')
      this.#reveal(this.#rows.findIndex(({ key }) => key === state.chosen));
    this.#chosen = state.chosen;
  }

  #reveal(index: number): void {
    const { scrollTop, clientHeight } = this.element;
    const high = rowHeight();
    const top = HEAD + index * high;
    if (index < 0 || (top >= scrollTop + HEAD && top + high <= scrollTop + clientHeight)) return;
    this.element.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  #draw(): void {
    const [landscape, state] = [this.#landscape, this.#state];
    if (landscape === undefined || state === undefined) return;
    const { scrollTop, clientHeight } = this.element;
    const high = rowHeight();
    const first = Math.max(0, Math.floor((scrollTop - HEAD) / high) - SPARE);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + (clientHeight || 800)) / high) + SPARE);
    const now = state.at || this.#deps.model.now();
    const gap = (rows: number): TemplateResult | typeof nothing =>
      rows <= 0
        ? nothing
        : html`<tr class="gap" aria-hidden="true"><td colspan=${COLUMNS.length} .style=${`height: ${rows * high}px`}></td></tr>`;
    render(
      html`<table aria-rowcount=${this.#rows.length + 1}>
        <caption class="hidden">Objects, sorted by ${TITLES[state.sort]}</caption>
        <thead><tr aria-rowindex="1">${COLUMNS.map((column) => this.#head(column, state))}</tr></thead>
        <tbody>
          ${gap(first)}
          ${repeat(
            this.#rows.slice(first, last),
            ({ key }) => key,
            (tree, index) => this.#row(tree, first + index + 2, now, landscape, state),
          )}
          ${gap(this.#rows.length - last)}
        </tbody>
      </table>`,
      this.element,
    );
  }

  #head(column: Column, { sort, isDescending }: State): TemplateResult {
    const isOwn = sort === column;
    const change = (): void => this.#deps.change({ sort: column, isDescending: isOwn && !isDescending });
    return html`<th scope="col" class="c-${column}" aria-sort=${isOwn ? (isDescending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" @click=${change}>${TITLES[column]}${isOwn ? icon(SIGNS.down, isDescending ? 'small' : 'small up') : nothing}</button>
    </th>`;
  }

  #row(tree: Tree, index: number, now: number, { groupOf }: Landscape, { chosen }: State): TemplateResult {
    const { key, kind, name, namespace, tone, id, addresses, createdAt, since, said } = tree;
    const choose = (): void => this.#deps.change({ chosen: key });
    return html`<tr class=${key === chosen ? 'sel' : ''} aria-rowindex=${index} data-key=${key} @click=${choose}>
      <td class="c-state"><span class="st ${tone}">${sign(tone)}${labelOf(tone)}</span></td>
      <th scope="row" class="c-name"><a class="nm" href=${hrefOf(key)} aria-label=${spoken(tree, tone)} @click=${following(choose)}>${kindIcon(tree)}<bdi class="cut">${name}</bdi></a></th>
      <td class="c-kind dim">${kind}</td>
      <td class="c-namespace dim"><bdi>${namespace}</bdi></td>
      <td class="c-group"><bdi>${groupOf.get(key)?.name}</bdi></td>
      <td class="c-id dim mono" title=${id}>${id.slice(0, 8)}</td>
      <td class="c-address dim mono" title=${addresses.join(', ')}>${addresses[0]}</td>
      <td class="c-age num dim">${createdAt === 0 ? '' : duration(now - createdAt)}</td>
      <td class="c-since num dim">${since === 0 ? '' : duration(now - since)}</td>
      <td class="c-message" title=${said}><bdi>${tone === 'available' ? '' : said}</bdi></td>
    </tr>`;
  }
}

function rowHeight(): number {
  return matchMedia('(max-width: 760px)').matches ? PHONE_ROW : ROW;
}

/** Sorts by any column; equal ones by severity, then in the steady order. */
export function sorted(
  trees: readonly Tree[],
  landscape: Pick<Landscape, 'causes' | 'groupOf'>,
  { sort, isDescending }: Pick<State, 'sort' | 'isDescending'>,
): readonly Tree[] {
  const worst = worstFirst(landscape);
  const values: Readonly<Record<Exclude<Column, 'state'>, (tree: Tree) => string | number>> = {
    name: ({ name }) => name,
    kind: ({ kind }) => kind,
    namespace: ({ namespace }) => namespace,
    group: ({ key }) => landscape.groupOf.get(key)?.name ?? '',
    id: ({ id }) => id || '\uffff',
    address: ({ addresses }) => addresses[0] ?? '\uffff',
    age: ({ createdAt }) => -createdAt,
    since: ({ since }) => -since,
    message: ({ said }) => said || '\uffff',
  };
  const direction = isDescending ? -1 : 1;
  const by = sort === 'state' ? undefined : values[sort];
  return trees.toSorted((one, other) => {
    if (by === undefined) return direction * worst(one, other);
    const [left, right] = [by(one), by(other)];
    return (left < right ? -1 : left > right ? 1 : 0) * direction || worst(one, other);
  });
}
