// How a landscape came up or went: a bar an object, colored by what it did, with the way that took longest.
import { html, svg } from 'lit-html';
import type { Step, Tree } from '../wire.ts';
import { activitiesOf, type Span } from './activities.ts';
import type { Model } from './model.ts';
import type { Html, ViewDeps } from './parts.ts';
import type { State } from './state.ts';
import { clock, counted, duration, eventLabel } from './text.ts';
import { labelOf, type StatusColor } from './tones.ts';

const ROW = 22;
/** Rows that are drawn; a filter finds the others. */
const ROWS = 400;
/** Of the whole width, in units of the drawing. */
const WIDTH = 1_000;

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly tone: StatusColor;
  readonly state: string;
  readonly cause: string;
}

interface Row {
  readonly tree: Tree;
  readonly bars: readonly Bar[];
  readonly readyAt: number | undefined;
}

export class Timeline {
  readonly #deps: ViewDeps;
  /** Chosen by the user; undefined: the last activity. */
  #span: Span | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  view(trees: readonly Tree[], { chosen, at }: State): Html {
    const { model, change } = this.#deps;
    const wanted = new Set(trees.map(({ key }) => key));
    const activities = activitiesOf(model.steps.filter(({ key }) => wanted.has(key)));
    const last = activities.at(-1);
    if (last === undefined)
      return html`<p class="quiet">nothing has happened since the page was opened, or is kept from before</p>`;
    const span = this.#span ?? { from: last.from, to: Math.max(last.to, last.from + 1_000) };
    const rows = rowsOf(model, trees, span);
    const shown = rows.slice(0, ROWS);
    const way = criticalWay(model, shown);
    const onWay = new Set(way);
    const x = (moment: number): number => ((moment - span.from) / (span.to - span.from)) * WIDTH;
    return html`<div class="timeline">
      <div class="bar">
        <label>Activity
          <select
            @change=${({ target }: Event) => {
              this.#span = activities[Number((target as HTMLSelectElement).value)] ?? undefined;
              change({});
            }}
          >
            ${activities
              .map((each, index) => ({ each, index }))
              .toReversed()
              .slice(0, 50)
              .map(
                ({ each, index }) =>
                  html`<option value=${index} ?selected=${each.from === span.from}>${clock(each.from, { fraction: false })}, ${duration(each.to - each.from)}</option>`,
              )}
          </select>
        </label>
        <p>
          ${counted(rows.length, 'object')} in ${duration(span.to - span.from)}${rows.length > ROWS ? `, of which ${ROWS} are drawn` : ''}.
          ${way.length > 1 ? html`The longest way: ${way.length} objects, marked at the left.` : ''}
        </p>
      </div>
      <div class="rows" role="list" aria-label="Objects by when they began">
        <div class="axis" aria-hidden="true">
          <span class="row-name"></span>
          <svg viewBox="0 0 ${WIDTH} 20" preserveAspectRatio="none">${ticks(span).map((moment) => svg`<line x1=${x(moment)} x2=${x(moment)} y1="12" y2="20"></line>`)}</svg>
          <div class="tick-labels">${ticks(span).map((moment) => html`<span .style=${`left: ${(x(moment) / WIDTH) * 100}%`}>${duration(moment - span.from)}</span>`)}</div>
        </div>
        ${shown.map(
          ({
            tree,
            bars,
            readyAt,
          }) => html`<div class="time-row ${onWay.has(tree.key) ? 'on-way' : ''} ${tree.key === chosen ? 'chosen' : ''}" role="listitem">
            <a
              class="row-name"
              href="#object=${encodeURIComponent(tree.key)}"
              title=${`${tree.kind}/${tree.name}`}
              @click=${(event: Event) => {
                event.preventDefault();
                change({ chosen: tree.key });
              }}
              ><span class="dim">${tree.kind}</span> <bdi>${tree.name}</bdi></a
            >
            <svg viewBox="0 0 ${WIDTH} ${ROW}" preserveAspectRatio="none" role="img" aria-label=${rowText(bars, readyAt, span)}>
              ${bars.map(
                (
                  bar,
                ) => svg`<rect class=${`time ${bar.tone}`} x=${x(Math.max(bar.from, span.from))} y="5" height=${ROW - 10}
                  width=${Math.max(1.2, x(Math.min(bar.to, span.to)) - x(Math.max(bar.from, span.from)))}
                  @click=${() => change({ at: Math.max(bar.from, span.from), chosen: tree.key })}
                ><title>${`${bar.state || 'gone'}, ${duration(bar.to - bar.from)}, on ${eventLabel(bar.cause)}`}</title></rect>`,
              )}
              ${at > span.from && at < span.to ? svg`<line class="moment" x1=${x(at)} x2=${x(at)} y1="0" y2=${ROW}></line>` : ''}
            </svg>
          </div>`,
        )}
      </div>
      ${way.length > 1 ? wayView(model, way, span, change) : ''}
    </div>`;
  }
}

function wayView(model: Model, way: readonly string[], span: Span, change: ViewDeps['change']): Html {
  let before = span.from;
  return html`<section class="way">
    <h2>The longest way</h2>
    <ol>
      ${way.map((key) => {
        const { kind, name } = model.named(key);
        const end = readyOf(model, key, span) ?? before;
        const took = end - before;
        before = end;
        return html`<li>
          <a href="#object=${encodeURIComponent(key)}" @click=${(event: Event) => {
            event.preventDefault();
            change({ chosen: key });
          }}><span class="dim">${kind}</span> <bdi>${name}</bdi></a>
          <b>${duration(took)}</b>
        </li>`;
      })}
    </ol>
  </section>`;
}

function rowsOf(model: Model, trees: readonly Tree[], span: Span): readonly Row[] {
  const rows = trees.flatMap((tree): Row[] => {
    const steps = model.stepsOf(tree.key);
    const bars = steps.flatMap((step, index): Bar[] => {
      const end = steps[index + 1]?.at ?? Math.max(span.to, step.at);
      if (step.to === '' || end < span.from || step.at > span.to) return [];
      return [{ from: step.at, to: end, tone: step.tone, state: step.to, cause: step.cause }];
    });
    const isActive = steps.some(({ at }) => at >= span.from && at <= span.to);
    return isActive ? [{ tree, bars, readyAt: readyOf(model, tree.key, span) }] : [];
  });
  return rows.sort((one, other) => (one.bars[0]?.from ?? 0) - (other.bars[0]?.from ?? 0));
}

/** When an object was available, or gone, for the last time in the span. */
function readyOf(model: Model, key: string, { from, to }: Span): number | undefined {
  const steps = model.stepsOf(key).filter(({ at }) => at >= from && at <= to);
  const end = steps.findLast((step, index) => {
    if (step.to === '') return true;
    return step.tone === 'available' && steps[index - 1]?.tone !== 'available';
  });
  return end?.at;
}

/**
 * From the first to the last: whoever was ready last, the one whose answer let it go on, and so on. Keys, the first that began at the
 * front.
 */
function criticalWay(model: Model, rows: readonly Row[]): readonly string[] {
  const ready = rows.filter((row) => row.readyAt !== undefined);
  const last = ready.reduce<Row | undefined>(
    (best, row) => ((row.readyAt ?? 0) > (best?.readyAt ?? -1) ? row : best),
    undefined,
  );
  const way: string[] = [];
  let [key, before] = [last?.tree.key, last?.readyAt ?? 0];
  while (key !== undefined && !way.includes(key)) {
    way.unshift(key);
    const released: Step | undefined = model.stepsOf(key).findLast(({ at, by }) => at <= before && by !== undefined);
    before = released?.at ?? 0;
    key = released?.by;
  }
  return way;
}

function ticks({ from, to }: Span): readonly number[] {
  const steps = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000];
  const step = steps.find((each) => (to - from) / each <= 8) ?? 86_400_000;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function rowText(bars: readonly Bar[], readyAt: number | undefined, span: Span): string {
  const said = bars
    .slice(0, 12)
    .map(({ tone, from, to }) => `${labelOf(tone)} ${duration(Math.min(to, span.to) - Math.max(from, span.from))}`);
  return `${said.join(', ')}${readyAt === undefined ? '' : `; ready after ${duration(readyAt - span.from)}`}`;
}
