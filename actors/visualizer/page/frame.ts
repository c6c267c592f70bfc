// Frame around every view: top bar, filters, the tab bar of a phone, and the keys.
import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { GROUPINGS } from './groups.ts';
import { SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { icon, onTabKey, sign, type ViewDeps } from './parts.ts';
import { type Layout, type State, VIEWS, type ViewName } from './state.ts';
import { counted, grouped } from './text.ts';
import { turnTheme } from './theme.ts';
import { type StatusColor, TONES, tallyOf } from './tones.ts';

export const TITLES: Readonly<Record<ViewName, string>> = {
  objects: 'Objects',
  timeline: 'Timeline',
  messages: 'Messages',
  problems: 'Problems',
};
const ICONS: Readonly<Record<ViewName, string>> = {
  objects: SIGNS.graph,
  timeline: SIGNS.time,
  messages: SIGNS.mail,
  problems: SIGNS.warn,
};
const GROUP_NAMES = { project: 'project', namespace: 'namespace', kind: 'kind', nothing: 'nothing' } as const;

/** @param problems  how many there are; 0: none, or not known */
export function topBar(
  state: State,
  landscape: Landscape,
  namespaces: readonly string[],
  problems: number,
  { change }: ViewDeps,
): TemplateResult {
  const { view, namespace, text } = state;
  const hits = landscape.hits;
  return html`<header class="top">
    <h1><a class="logo" href="#" aria-label="Troupe"><img src="/page/icon.svg" alt="" width="22" height="22" /><span>Troupe</span></a></h1>
    <span class="slash" aria-hidden="true">/</span>
    <label class="scope"><span class="hidden">Namespace</span>
      <select .value=${live(namespace)} @change=${({ target }: Event) => change({ namespace: (target as HTMLSelectElement).value, group: '', folded: [] })}>
        <option value="">All namespaces</option>
        ${namespaces.map((each) => html`<option value=${each} ?selected=${each === namespace}>${each}</option>`)}
      </select>
    </label>
    <nav class="tabs-of" role="tablist" aria-label="Views" @keydown=${onTabKey}>
      ${VIEWS.map(
        (
          name,
        ) => html`<button type="button" role="tab" id="view-${name}" aria-selected=${name === view} aria-controls="stage" tabindex=${name === view ? 0 : -1} @click=${() => change({ view: name })}>
          ${TITLES[name]}${name === 'problems' && problems > 0 ? html` <b class="badge num">${problems}</b>` : nothing}
        </button>`,
      )}
    </nav>
    <span class="grow"></span>
    <label class="search">${icon(SIGNS.search)}<input
        type="search"
        placeholder="Search name, kind, ID, IP"
        aria-label="Search by name, kind, namespace, group, ID, address, state or message"
        .value=${live(text)}
        @input=${({ target }: Event) => change({ text: (target as HTMLInputElement).value })}
      />${hits === undefined ? nothing : html`<span class="hits num" role="status">${grouped(hits.size)} of ${grouped(landscape.trees.length)}</span>`}<kbd aria-hidden="true">/</kbd></label>
    <button type="button" class="ib" aria-label="Light or dark" title="Light or dark" @click=${turnTheme}>${icon(SIGNS.theme)}</button>
    <button type="button" class="ib keys-of" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" @click=${showKeys}><b>?</b></button>
  </header>`;
}

export function filterBar(state: State, landscape: Landscape, shown: Layout, { change }: ViewDeps): TemplateResult {
  const { tones, view, layout } = state;
  const counts = new Map(tallyOf(landscape.trees));
  const toggled = (tone: StatusColor): readonly StatusColor[] =>
    tones.includes(tone) ? tones.filter((each) => each !== tone) : [...tones, tone];
  return html`<section class="bar" aria-label="Filters">
    <div class="chips" role="group" aria-label="States">
      ${TONES.filter(({ tone }) => counts.has(tone) || tones.includes(tone)).map(
        ({
          tone,
          label,
          meaning,
        }) => html`<button type="button" class="chip ${tone}" title=${meaning} aria-pressed=${tones.includes(tone)} @click=${() => change({ tones: toggled(tone) })}>
          ${sign(tone)}${label} <b class="num">${grouped(counts.get(tone) ?? 0)}</b>
        </button>`,
      )}
    </div>
    <span class="grow"></span>
    ${
      view !== 'objects'
        ? nothing
        : html`<label class="pick by">Group by
            <select .value=${live(landscape.by)} @change=${({ target }: Event) => {
              const by = GROUPINGS.find((each) => each === (target as HTMLSelectElement).value) ?? '';
              change({ by, group: '', folded: [] });
            }}>${GROUPINGS.map((each) => html`<option value=${each} ?selected=${each === landscape.by}>${GROUP_NAMES[each]}</option>`)}</select>
          </label>
          <div class="seg layouts" role="group" aria-label="Show as">
            ${(
              [
                ['graph', 'Graph'],
                ['list', 'List'],
                ['map', 'Map'],
              ] as const
            ).map(
              ([name, label]) =>
                html`<button type="button" aria-pressed=${shown === name} @click=${() => change({ layout: name === 'graph' && layout === 'auto' ? 'auto' : name })}>${icon(SIGNS[name])}${label}</button>`,
            )}
          </div>`
    }
  </section>`;
}

/** The views at the bottom of a phone. */
export function tabBar({ view }: State, problems: number, { change }: ViewDeps): TemplateResult {
  return html`<nav class="tabbar" aria-label="Views">
    ${VIEWS.map(
      (
        name,
      ) => html`<button type="button" aria-current=${name === view ? 'page' : 'false'} @click=${() => change({ view: name, chosen: '' })}>
        ${icon(ICONS[name])}${TITLES[name]}${name === 'problems' && problems > 0 ? html`<b class="badge num">${problems}</b>` : nothing}
      </button>`,
    )}
  </nav>`;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search; Enter goes to the next hit'],
  ['1 to 4', 'objects, timeline, messages, problems'],
  ['g, l, m', 'graph, list, map'],
  ['j, k', 'next object, previous object'],
  ['arrows', 'to the object in that direction; Enter opens it'],
  ['[, ]', 'previous event, next event'],
  ['.', 'live'],
  ['c', 'copy the command of the object'],
  ['+, −, 0', 'zoom in, zoom out, fit'],
  ['Esc', 'close, then clear the search'],
  ['?', 'these keys'],
];

export function keysDialog(): TemplateResult {
  return html`<dialog id="keys" aria-label="Keyboard shortcuts">
    <h2>Keyboard shortcuts</h2>
    <dl>${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <h3>Words</h3>
    <dl>
      <dt>Claim</dt><dd>an object says to another one that it needs it</dd>
      <dt>Root cause</dt><dd>what must change before other objects can continue</dd>
      <dt>Settled</dt><dd>nothing is left to do</dd>
    </dl>
    <form method="dialog"><button class="btn">Close</button></form>
  </dialog>`;
}

export function showKeys(): void {
  document.querySelector<HTMLDialogElement>('#keys')?.showModal();
}

/** `Failing · SecurityGroup measured · Troupe`, `3 problems · company-cloud · Troupe`. */
export function titleOf(
  { view, namespace }: State,
  chosen: { readonly kind: string; readonly name: string; readonly label: string } | undefined,
  problems: number,
): string {
  if (chosen !== undefined) return `${chosen.label} · ${chosen.kind} ${chosen.name} · Troupe`;
  const what = problems > 0 ? counted(problems, 'problem') : TITLES[view];
  return [
    what,
    ...(view === 'objects' || problems === 0 ? [] : [TITLES[view]]),
    ...(namespace === '' ? [] : [namespace]),
    'Troupe',
  ].join(' · ');
}
