// Timeline of a landscape: the critical path on top, then each group with the steps of its objects, until all of it was settled.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Step, Tree } from '../wire.ts';
import { byPlace } from './card-columns.ts';
import type { Group } from './groups.ts';
import { SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import { following, hrefOf, icon, kindIcon, middle, pill, type ViewDeps } from './parts.ts';
import type { State } from './state.ts';
import { clock, counted, duration, grouped } from './text.ts';
import {
  activitiesOf,
  type Bar,
  barsOf,
  bucketsOf,
  criticalPath,
  readyAt,
  type Span,
  ticksOf,
  withoutRoutine,
} from './timeline-data.ts';

const WIDTH = 1_000;
const [ROW, WAY, CURVE] = [25, 30, 34] as const;
/** Rows that are drawn of one group; a filter finds the others. */
const ROWS = 200;
const BARS = 200;
/** Lifetime of computed steps, in milliseconds. */
const FRESH_MS = 500;
/** Share of the span that is shown with a margin after its end. */
const AFTER = 1.045;

interface Drawn {
  readonly tree: Tree;
  readonly bars: readonly Bar[];
  readonly readyAt: number | undefined;
}

export class Timeline {
  readonly #deps: ViewDeps;
  /** Ids of groups that are open, beside the first; or that the user has closed. */
  readonly #turned = new Set<string>();
  #cleared:
    | {
        readonly at: number;
        readonly steps: number;
        readonly of: ReadonlyMap<string, readonly Step[]>;
        readonly all: readonly Step[];
      }
    | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view(landscape: Landscape, state: State): TemplateResult {
    const { model, change } = this.#deps;
    const { of, all } = this.#steps();
    const isShown = (key: string): boolean => landscape.hits === undefined || landscape.hits.has(key);
    const steps = all.filter(
      ({ key }) =>
        isShown(key) &&
        (landscape.byKey.has(key) || state.namespace === '' || model.named(key).namespace === state.namespace),
    );
    const activities = activitiesOf(steps);
    const last = activities.at(-1);
    if (last === undefined) {
      if (model.isReadingHistory) return html`<p class="quiet" role="status">Reading what is kept…</p>`;
      return html`<div class="empty"><h2>Nothing has happened yet</h2><p class="dim">What objects do is drawn here as it happens${model.historyIs === 'none' ? '; nothing is kept from before' : ''}.</p></div>`;
    }
    const own = activities.find(({ from, to }) => state.from >= from - 1 && state.from <= to + 1) ?? last;
    const whole = { from: own.from, to: own.from + Math.max(1_000, (own.to - own.from) * AFTER) };
    const span = state.from > 0 && state.to > state.from ? { from: state.from, to: state.to } : whole;
    const keys = [...new Set(steps.filter(({ at }) => at >= span.from && at <= span.to).map(({ key }) => key))];
    const drawn = new Map(keys.map((key) => [key, this.#drawn(key, of.get(key) ?? [], span)]));
    const way = criticalPath(keys, (key) => of.get(key) ?? [], span);
    return html`<div class="tl">
      <div class="hd">
        <h2>Timeline</h2>
        <label class="pick">Activity
          <select @change=${({ target }: Event) => {
            const chosen = activities[Number((target as HTMLSelectElement).value)];
            change({
              from: chosen === last ? 0 : (chosen?.from ?? 0),
              to:
                chosen === last
                  ? 0
                  : (chosen?.from ?? 0) + Math.max(1_000, ((chosen?.to ?? 0) - (chosen?.from ?? 0)) * AFTER),
            });
          }}>${activities
            .map((each, index) => ({ each, index }))
            .toReversed()
            .slice(0, 50)
            .map(
              ({ each, index }) =>
                html`<option value=${index} ?selected=${each === own}>${clock(each.from, { fraction: false })}, ${duration(each.to - each.from)}</option>`,
            )}</select>
        </label>
        ${this.#settled(own, landscape)}
        <span class="dim num">${counted(keys.length, 'object')}, ${counted(steps.filter(({ at }) => at >= own.from && at <= own.to).length, 'change')}</span>
        <span class="grow"></span>
        <p class="legend tl-legend"><span class="waits"><i></i>Waits</span><span class="works"><i></i>Works</span><span class="fails"><i></i>Fails</span><span class="critical"><i></i>On the critical path</span><span class="ready"><i></i>Available</span></p>
      </div>
      ${this.#brush(steps, whole, span)}
      ${keys.length > 1 && way.length > 0 ? this.#way(way, drawn, span, own) : nothing}
      ${landscape.groups
        .filter(({ keys: of }) => of.some((key) => drawn.has(key)))
        .map((group, index) => this.#group(group, index === 0, drawn, new Set(way), span, own, state))}
      ${this.#gone(landscape, drawn, new Set(way), span, own, state)}
    </div>`;
  }

  /** Steps without routines, by object and in order; worked out again when there are more. */
  #steps(): { readonly of: ReadonlyMap<string, readonly Step[]>; readonly all: readonly Step[] } {
    const { model } = this.#deps;
    const isFresh = Date.now() - (this.#cleared?.at ?? 0) < FRESH_MS;
    if (this.#cleared !== undefined && (isFresh || this.#cleared.steps === model.steps.length)) return this.#cleared;
    const keys = new Set(model.steps.map(({ key }) => key));
    const of = new Map([...keys].map((key) => [key, withoutRoutine(model.stepsOf(key))]));
    const all = [...of.values()].flat().sort((one, other) => one.at - other.at);
    this.#cleared = { at: Date.now(), steps: model.steps.length, of, all };
    return this.#cleared;
  }

  #drawn(key: string, steps: readonly Step[], span: Span): Drawn {
    return { tree: this.#deps.model.named(key), bars: barsOf(steps, span), readyAt: readyAt(steps, span) };
  }

  /** Label that says if everything has settled. */
  #settled({ from, to }: Span, { trees }: Landscape): TemplateResult {
    const now = this.#deps.model.now();
    const isQuiet = now - to > 10_000 || trees.every(({ tone }) => tone === 'available' || tone === 'failed');
    return isQuiet
      ? pill('available', `Settled after ${duration(to - from)}`)
      : pill('busy', `Going on for ${duration(now - from)}`);
  }

  #brush(steps: readonly Step[], whole: Span, span: Span): TemplateResult {
    const buckets = bucketsOf(steps, whole, BARS);
    const most = Math.max(1, ...buckets);
    const rate = (most * BARS * 1_000) / (whole.to - whole.from);
    const share = (at: number): number =>
      Math.max(0, Math.min(100, ((at - whole.from) / (whole.to - whole.from)) * 100));
    const [left, right] = [share(span.from), share(span.to)];
    const { change } = this.#deps;
    const set = (from: number, to: number): void => {
      const isWhole = from <= whole.from + 1 && to >= whole.to - 1;
      change(isWhole ? { from: 0, to: 0 } : { from: Math.max(whole.from, from), to: Math.min(whole.to, to) });
    };
    const drag = (event: PointerEvent): void => {
      const bar = event.currentTarget as HTMLElement;
      const at = ({ clientX }: PointerEvent): number => {
        const { left: start, width } = bar.getBoundingClientRect();
        return whole.from + Math.max(0, Math.min(1, (clientX - start) / width)) * (whole.to - whole.from);
      };
      const begin = at(event);
      bar.setPointerCapture(event.pointerId);
      const end = (last: PointerEvent): void => {
        bar.removeEventListener('pointerup', end);
        const [from, to] = [Math.min(begin, at(last)), Math.max(begin, at(last))];
        if (to - from > (whole.to - whole.from) / 100) set(from, to);
        else set(whole.from, whole.to);
      };
      bar.addEventListener('pointerup', end);
    };
    const step = (whole.to - whole.from) / 20;
    const key =
      (side: 'from' | 'to') =>
      (event: KeyboardEvent): void => {
        const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        if (side === 'from') set(Math.min(span.from + by, span.to - step), span.to);
        else set(span.from, Math.max(span.to + by, span.from + step));
      };
    const handle = (
      side: 'from' | 'to',
      at: number,
    ): TemplateResult => html`<i class="handle" role="slider" tabindex="0" aria-label=${side === 'from' ? 'Start of the range' : 'End of the range'}
      aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(at)} aria-valuetext=${duration(span[side] - whole.from)} .style=${`left: ${at}%`} @keydown=${key(side)}></i>`;
    return html`<div class="brush" role="group" aria-label="Time range: drag to choose a part" @pointerdown=${drag}>
      <svg viewBox="0 0 ${WIDTH} 58" preserveAspectRatio="none" aria-hidden="true">${buckets.map((count, index) => (count === 0 ? nothing : svg`<rect x=${(index * WIDTH) / BARS} width=${WIDTH / BARS - 1.2} y=${57 - Math.sqrt(count / most) * 33} height=${Math.sqrt(count / most) * 33}></rect>`))}</svg>
      <div class="range" .style=${`left: ${left}%; right: ${100 - right}%`}></div>
      ${handle('from', left)} ${handle('to', right)}
      <span class="rate dim num">changes/s, at most ${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}</span>
    </div>`;
  }

  #way(way: readonly string[], drawn: ReadonlyMap<string, Drawn>, span: Span, own: Span): TemplateResult {
    const rows = way.flatMap((key) => drawn.get(key) ?? []);
    const worked = rows.map(({ bars }) => workMsOf(bars));
    const longest = worked.indexOf(Math.max(...worked));
    const slowest = rows[longest]?.tree;
    const whole = Math.max(1, (rows.at(-1)?.readyAt ?? own.to) - own.from);
    const x = scaleOf(span);
    return html`<section class="tg" aria-label="Critical path">
      <h3>Critical path <span class="dim">${counted(way.length, 'object')}, ${duration(whole)}, of which ${duration(worked.reduce((sum, each) => sum + each, 0))} is work. ${slowest === undefined ? '' : `${slowest.kind} ${slowest.name} took ${Math.round(((worked[longest] ?? 0) / whole) * 100)} % of it.`}</span></h3>
      ${axis(span, own)}
      <div class="critical-rows">
        ${rows.map((row) => this.#row(row, WAY, true, span, own))}
        <svg class="joins" viewBox="0 0 ${WIDTH} ${rows.length * WAY}" preserveAspectRatio="none" aria-hidden="true">${rows
          .slice(1)
          .map((_, index) => {
            const at = rows[index]?.readyAt;
            return at === undefined
              ? nothing
              : svg`<path d=${`M${x(at)} ${index * WAY + 15}V${index * WAY + 45}`}></path>`;
          })}</svg>
      </div>
    </section>`;
  }

  #group(
    group: Group,
    isFirst: boolean,
    drawn: ReadonlyMap<string, Drawn>,
    way: ReadonlySet<string>,
    span: Span,
    own: Span,
    state: State,
  ): TemplateResult {
    const rows = group.keys.flatMap((key) => drawn.get(key) ?? []);
    return this.#rows(group.id, group.name, rows, isFirst, way, span, own, state);
  }

  /** Rows of deleted objects. */
  #gone(
    landscape: Landscape,
    drawn: ReadonlyMap<string, Drawn>,
    way: ReadonlySet<string>,
    span: Span,
    own: Span,
    state: State,
  ): TemplateResult | typeof nothing {
    const rows = [...drawn].filter(([key]) => !landscape.byKey.has(key)).map(([, row]) => row);
    return rows.length === 0
      ? nothing
      : this.#rows('gone', 'Gone by now', rows, landscape.trees.length === 0, way, span, own, state);
  }

  #rows(
    id: string,
    name: string,
    all: readonly Drawn[],
    isFirst: boolean,
    way: ReadonlySet<string>,
    span: Span,
    own: Span,
    { chosen }: State,
  ): TemplateResult {
    const isOpen = this.#turned.has(id) !== isFirst;
    const turn = (): void => {
      if (!this.#turned.delete(id)) this.#turned.add(id);
      this.#deps.onUpdate();
    };
    const rows = all.toSorted(
      (one, other) => (one.bars[0]?.from ?? 0) - (other.bars[0]?.from ?? 0) || byPlace(one.tree, other.tree),
    );
    const end = Math.max(...rows.map((row) => row.readyAt ?? own.from));
    return html`<section class="tg" aria-label=${name}>
      <div class="tr group">
        <button type="button" class="nm" aria-expanded=${isOpen} @click=${turn}>${icon(SIGNS.down, isOpen ? 'small' : 'small right')}<b class="cut"><bdi>${name}</bdi></b> <span class="dim num">${rows.length}</span></button>
        ${curveOf(rows, span, own)}<span class="d num">${duration(end - own.from)}</span>
      </div>
      ${isOpen ? rows.slice(0, ROWS).map((row) => this.#row(row, ROW, way.has(row.tree.key), span, own, row.tree.key === chosen)) : nothing}
      ${isOpen && rows.length > ROWS ? html`<p class="dim more-rows">and ${rows.length - ROWS} more: search finds them</p>` : nothing}
    </section>`;
  }

  #row(
    { tree, bars, readyAt: ready }: Drawn,
    height: number,
    isCritical: boolean,
    span: Span,
    own: Span,
    isChosen = false,
  ): TemplateResult {
    const x = scaleOf(span);
    const middleOf = height / 2;
    const said = bars.slice(0, 12).map(({ kind, from, to }) => `${kind} ${duration(to - from)}`);
    const text = `${said.join(', ')}${ready === undefined ? '' : `; ready after ${duration(ready - own.from)}`}`;
    return html`<div class="tr ${isCritical ? 'cr' : ''} ${isChosen ? 'sel' : ''}">
      <a class="nm" href=${hrefOf(tree.key)} @click=${following(() => this.#deps.change({ chosen: tree.key }))}>${kindIcon(tree)}${middle(tree.name)}<span class="dim cut">${tree.kind}</span></a>
      <svg viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" role="img" aria-label=${text || 'nothing in this range'}>
        ${grid(span, own, height)}
        ${bars.map(({ kind, from, to, state }) => {
          const thick = kind === 'waits' ? 3 : kind === 'fails' ? 5 : isCritical ? 14 : 11;
          return svg`<rect class=${`did ${kind}`} x=${x(from)} width=${Math.max(1, x(to) - x(from))} y=${middleOf - thick / 2} height=${thick}><title>${`${state}, ${duration(to - from)}`}</title></rect>`;
        })}
        ${ready === undefined ? nothing : svg`<rect class="ready" x=${x(ready)} width="2.5" y=${middleOf - 7} height="14"></rect>`}
      </svg>
      <span class="d num">${workMsOf(bars) === 0 ? '' : duration(workMsOf(bars))}</span>
    </div>`;
  }
}

function workMsOf(bars: readonly Bar[]): number {
  return bars.reduce((sum, { kind, from, to }) => sum + (kind === 'works' ? to - from : 0), 0);
}

function scaleOf({ from, to }: Span): (at: number) => number {
  return (at) => ((at - from) / (to - from)) * WIDTH;
}

function axis(span: Span, own: Span): TemplateResult {
  const share = (at: number): number => ((at - span.from) / (span.to - span.from)) * 100;
  const settled = share(own.to);
  // On a phone there is room for half of the times.
  const isPhone = matchMedia('(max-width: 760px)').matches;
  const [most, near] = isPhone ? [3, 22] : [8, 6];
  return html`<div class="tr axis" aria-hidden="true"><span></span><div class="ticks">
    ${ticksOf(span, most).map((ms) => (Math.abs(share(span.from + ms) - settled) < near ? nothing : html`<span class="num" .style=${`left: ${share(span.from + ms)}%`}>${duration(ms)}</span>`))}
    ${settled <= 100 && settled >= 0 ? html`<span class="settled" .style=${`left: ${settled}%`}>settled</span>` : nothing}
  </div><span class="d">Work</span></div>`;
}

function grid(span: Span, own: Span, height: number): TemplateResult {
  const x = scaleOf(span);
  return svg`${ticksOf(span, 8).map((ms) => svg`<line class="grid" x1=${x(span.from + ms)} x2=${x(span.from + ms)} y1="0" y2=${height}></line>`)}<line class="end" x1=${x(own.to)} x2=${x(own.to)} y1="0" y2=${height}></line>`;
}

/** Number of objects of a group that work at each moment. */
function curveOf(rows: readonly Drawn[], span: Span, own: Span): TemplateResult {
  const count = 120;
  const values = new Array<number>(count + 1).fill(0);
  for (const { bars } of rows) {
    for (const { kind, from, to } of bars) {
      if (kind !== 'works') continue;
      const place = (at: number): number => Math.round(((at - span.from) / (span.to - span.from)) * count);
      for (let index = Math.max(0, place(from)); index <= Math.min(count, place(to)); index++)
        values[index] = (values[index] ?? 0) + 1;
    }
  }
  const most = Math.max(1, ...values);
  const points = values
    .map((value, index) => `L${(index / count) * WIDTH} ${CURVE - 3 - (value / most) * (CURVE - 8)}`)
    .join('');
  return html`<svg viewBox="0 0 ${WIDTH} ${CURVE}" preserveAspectRatio="none" role="img" aria-label="At most ${most} work at once">
    ${grid(span, own, CURVE)}${svg`<path class="area" d=${`M0 ${CURVE - 3}${points}L${WIDTH} ${CURVE - 3}z`}></path><path class="curve" d=${`M0 ${CURVE - 3}${points}`}></path>`}
  </svg>`;
}
