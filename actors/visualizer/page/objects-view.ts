// The objects: as cards of groups, as one group or the neighbors of one object, as a map, or as a list.
import { html, nothing, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import type { Group } from './groups.ts';
import { home } from './home.ts';
import { iconOf, SIGNS } from './kind-icons.ts';
import { type Landscape, treesOf } from './landscape.ts';
import { ObjectList } from './list.ts';
import { ObjectMap } from './map.ts';
import { aroundGroup, groupGraphOf, neighborsOf } from './neighbors.ts';
import { NodeGraph } from './node-graph.ts';
import { Overview } from './overview.ts';
import { following, icon, kindIcon, objectLink, sign, tally, type ViewDeps } from './parts.ts';
import type { State } from './state.ts';
import { grouped } from './text.ts';
import { BAD } from './tones.ts';

/** Objects that are drawn with their claims at a time. */
const NODES = 400;
/** Limit of named dependencies in other groups. */
const NAMED = 6;

export type Shape = 'cards' | 'home' | 'list' | 'map' | 'group' | 'neighbors';

/** View of the objects that the address selects. */
export function shapeOf(state: State, landscape: Landscape, isPhone: boolean): Shape {
  const { layout, chosen, group, inGroup } = state;
  if (layout === 'list') return 'list';
  if (layout === 'map') return 'map';
  if (isPhone && layout === 'auto') return 'home';
  const isChosen = chosen !== '' && landscape.byKey.has(chosen);
  if (isChosen && !inGroup) return 'neighbors';
  if (isChosen || landscape.groups.some(({ id }) => id === group)) return 'group';
  return layout === 'auto' && Overview.isTooMuch(landscape) ? 'map' : 'cards';
}

export class ObjectsView {
  readonly #deps: ViewDeps;
  readonly #overview: Overview;
  readonly #map: ObjectMap;
  readonly #list: ObjectList;
  readonly #group: NodeGraph;
  readonly #neighbors: NodeGraph;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#overview = new Overview(deps);
    this.#map = new ObjectMap(deps);
    this.#list = new ObjectList(deps);
    this.#group = new NodeGraph(deps, 'Objects of the group, and their claims');
    this.#neighbors = new NodeGraph(deps, 'The object, its dependencies and its dependents');
  }

  view(landscape: Landscape, state: State, isPhone: boolean): TemplateResult {
    switch (shapeOf(state, landscape, isPhone)) {
      case 'home':
        return home(landscape, this.#deps);
      case 'list':
        this.#list.update(landscape, state);
        return html`${this.#list.element}`;
      case 'map':
        this.#overview.reset();
        this.#map.update(landscape, state);
        return html`${this.#map.element}`;
      case 'cards':
        this.#overview.update(landscape, state);
        return html`${this.#overview.element}`;
      case 'group':
        return this.#groupView(landscape, state);
      case 'neighbors': {
        const { model } = this.#deps;
        this.#neighbors.update(
          landscape,
          neighborsOf(landscape, state.chosen, (key) => model.dependentsOf(key)),
          state.chosen,
        );
        return html`${this.#crumb(landscape, landscape.groupOf.get(state.chosen), state)} ${this.#neighbors.element}`;
      }
    }
  }

  #groupView(landscape: Landscape, state: State): TemplateResult {
    const own = state.chosen === '' ? undefined : landscape.groupOf.get(state.chosen);
    const group = own ?? landscape.groups.find(({ id }) => id === state.group);
    if (group === undefined) return html``;
    const { model, change } = this.#deps;
    if (group.keys.length > NODES) {
      return html`${this.#crumb(landscape, group, state)}
        <div class="quiet"><p>${grouped(group.keys.length)} objects are too many for a graph.</p>
          <p><button type="button" class="btn" @click=${() => change({ layout: 'list', text: `group:${group.name}` })}>Show them as a list</button></p></div>`;
    }
    const shown = groupGraphOf(landscape, group);
    this.#group.update(landscape, shown, state.chosen, shown.lone);
    const { has, neededBy } = aroundGroup(landscape, group, (key) => model.dependentsOf(key));
    const named = has.slice(0, NAMED);
    return html`${this.#crumb(landscape, group, state)} ${this.#group.element}
      ${
        has.length + neededBy.size === 0 || state.chosen !== ''
          ? nothing
          : html`<div class="beside">
              ${has.length === 0 ? nothing : html`<p><span class="dim">Also needs, available:</span> ${named.map((key) => objectLink(model, key, (chosen) => change({ chosen })))} ${has.length > NAMED ? html`<span class="dim">and ${has.length - NAMED} more</span>` : nothing}</p>`}
              ${neededBy.size === 0 ? nothing : html`<p><span class="dim">Needed by:</span> ${[...neededBy].map(([other, count]) => html`<button type="button" class="lk" @click=${() => change({ group: other.id })}>${other.name} ${count}</button>`)}</p>`}
            </div>`
      }`;
  }

  /** Breadcrumb. */
  #crumb(landscape: Landscape, group: Group | undefined, { chosen, inGroup }: State): TemplateResult {
    const { change, model } = this.#deps;
    const all = (): void => change({ group: '', chosen: '', inGroup: false });
    const named = chosen === '' ? undefined : model.named(chosen);
    return html`<nav class="crumb" aria-label="Where you are">
      <div class="box">
        <a href="#" @click=${following(all)}>All groups</a>
        ${
          group === undefined
            ? nothing
            : html`<span class="slash">/</span>${
                named === undefined
                  ? html`${icon(iconOf({ kind: group.kind, key: '' }))}<b aria-current="page"><bdi>${group.name}</bdi></b> <span class="dim num">${group.keys.length}</span>${tally(treesOf(landscape, group))}`
                  : html`<a href="#group=${encodeURIComponent(group.id)}" @click=${following(() => change({ group: group.id, chosen: '', inGroup: false }))}><bdi>${group.name}</bdi></a>`
              }`
        }
        ${named === undefined ? nothing : html`<span class="slash">/</span>${kindIcon(named)}<b aria-current="page"><bdi>${named.name}</bdi></b>`}
      </div>
      ${
        named === undefined
          ? this.#others(landscape, group)
          : html`<span class="grow"></span><div class="seg" role="group" aria-label="Show">
              <button type="button" aria-pressed=${!inGroup} @click=${() => change({ inGroup: false })}>Neighbors</button>
              <button type="button" aria-pressed=${inGroup} @click=${() => change({ inGroup: true })}>In its group</button>
            </div>`
      }
    </nav>`;
  }

  #others(landscape: Landscape, group: Group | undefined): TemplateResult {
    const others = landscape.groups.filter((each) => each !== group).slice(0, 8);
    const bad = (each: Group): boolean =>
      each.keys.some((key) => BAD.has(landscape.byKey.get(key)?.tone ?? 'available'));
    return html`${guard([landscape.trees, group], () =>
      others.map(
        (each) =>
          html`<button type="button" class="chip" @click=${() => this.#deps.change({ group: each.id })}><bdi>${each.name}</bdi>${bad(each) ? sign('failing') : nothing}</button>`,
      ),
    )}`;
  }
}

/** View without objects. */
export function emptyView(state: State, deps: ViewDeps): TemplateResult {
  const { model, change } = deps;
  if (!model.isLoaded) return skeleton();
  if (model.trees.size > 0) {
    const what = state.namespace === '' ? 'at that moment' : `in namespace '${state.namespace}'`;
    return html`<div class="empty"><h2>No objects ${what}</h2>
      <p><button type="button" class="btn" @click=${() => change({ namespace: '', at: 0 })}>Show all objects</button></p></div>`;
  }
  const commands: readonly (readonly [string, string])[] = [
    ['Apply the sample landscape', 'kubectl apply -f deploy/samples/company-cloud'],
    ['Or apply your own objects', 'kubectl apply -f my-network.yaml'],
    ['See what waits, and for what', 'kubectl troupe why -A'],
  ];
  return html`<div class="empty">
    <h2>No objects yet</h2>
    <p class="dim">Troupe is connected to ${model.hello?.server ?? 'the API server'} and the bus ${model.hello?.bus ?? ''}, and serves ${model.hello?.kinds.filter(({ machine }) => machine !== '').length ?? 0} kinds. Objects appear here as soon as they are applied.</p>
    <ol>${commands.map(([what, command]) => html`<li><p>${what}</p><code>${command}</code></li>`)}</ol>
  </div>`;
}

/** Shows where things will be; nothing of it appears at once, so that a quick answer does not flicker. */
function skeleton(): TemplateResult {
  return html`<div class="skeleton" role="status"><span class="hidden">Reading objects…</span>${[3, 2, 3].map(
    (cards) =>
      html`<div>${Array.from({ length: cards }, () => html`<div class="card"><i></i><i></i><i></i><i></i></div>`)}</div>`,
  )}</div>`;
}

/** Nothing is found: says which terms, and offers to forget them. */
export function noMatch({ text, tones }: State, { change }: ViewDeps): TemplateResult {
  const terms = [...text.split(/\s+/).filter(Boolean), ...tones.map((tone) => `state:${tone}`)];
  return html`<div class="nomatch" role="status">
    ${icon(SIGNS.search)}<span>No object matches ${terms.map((term, index) => html`${index > 0 ? ' and ' : ''}<b><bdi>${term}</bdi></b>`)}.</span>
    <button type="button" class="btn" @click=${() => change({ text: '', tones: [] })}>Clear</button>
  </div>`;
}
