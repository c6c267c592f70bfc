// Goes back to any moment that is known: bars of changes, marks of what stands out, and a slider that lands exactly.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Step } from '../wire.ts';
import { type HistoryMark, type MarkKind, marksOf } from './history-marks.ts';
import { SIGNS } from './kind-icons.ts';
import { following, hrefOf, icon, kindIcon, sign, type ViewDeps } from './parts.ts';
import type { State } from './state.ts';
import { clock, counted, duration, grouped } from './text.ts';
import { bucketsOf, firstFrom, type Span } from './timeline-data.ts';

const BARS = 180;
/** Height of the picture, and of the base of its bars, live and while looking back; in pixels. */
const SIZES = { live: { height: 46, base: 32 }, back: { height: 104, base: 72 } } as const;
const RANGES: readonly (readonly [ms: number, label: string])[] = [
  [30_000, '30 s'],
  [300_000, '5 min'],
  [900_000, '15 min'],
  [3_600_000, '1 h'],
  [21_600_000, '6 h'],
  [86_400_000, '24 h'],
];
const LIVE_RANGE = 900_000;
/** Distances of times on the axis in milliseconds, and the least of them in pixels. */
const STEPS = [5_000, 15_000, 60_000, 180_000, 600_000, 3_600_000, 10_800_000] as const;
const LEAST_TICK = 84;
/** Steps around a moment that are listed. */
const AROUND = 12;
const NAMES: Readonly<Record<MarkKind, string>> = {
  spec: 'Spec changed',
  failed: 'Attempt failed',
  refused: 'Refused',
  deleted: 'Deleted',
};

export interface HistoryBarDeps extends ViewDeps {
  /** Reads what is kept from before, once. */
  readonly readHistory: () => Promise<void>;
  readonly state: () => State;
}

export class HistoryBar {
  readonly #deps: HistoryBarDeps;
  #rangeMs = LIVE_RANGE;
  #stepping: Promise<void> = Promise.resolve();
  /** End of the range while looking back: it must not move under the pointer. */
  #end = 0;
  #drawn:
    | { readonly from: readonly unknown[]; readonly marks: readonly HistoryMark[]; readonly buckets: readonly number[] }
    | undefined;

  constructor(deps: HistoryBarDeps) {
    this.#deps = deps;
  }

  /** @param width  of the slider, in pixels */
  view(state: State, width: number): TemplateResult {
    const { at } = state;
    const { model, change } = this.#deps;
    const isLive = at === 0;
    const now = model.now();
    const span = this.#span(at);
    const { marks, buckets } = this.#counted(span, width);
    const most = Math.max(1, ...buckets);
    const x = (moment: number): number =>
      Math.max(0, Math.min(1, (moment - span.from) / (span.to - span.from))) * width;
    const here = x(isLive ? now : at);
    const { height, base } = isLive ? SIZES.live : SIZES.back;
    const rate = (most * BARS * 1_000) / (span.to - span.from);
    const isAway = model.awaySince !== 0;
    const away = isAway ? `no answer for ${duration(Date.now() - model.awaySince)}` : 'now';
    return html`<footer class="hist ${isLive ? '' : 'back'}" aria-label="History">
      <div class="ctl">
        <button type="button" class="live ${isAway ? 'away' : ''}" aria-pressed=${isLive} @click=${() => change({ at: 0 })}><i aria-hidden="true"></i>${isLive ? (isAway ? 'Away' : 'Live') : 'Back to live'}</button>
        <button type="button" class="ib" aria-label="Previous event" title="Previous event ([)" @click=${() => this.step(-1)}>${icon(SIGNS.prev)}</button>
        <button type="button" class="ib" aria-label="Next event" title="Next event (])" ?disabled=${isLive} @click=${() => this.step(1)}>${icon(SIGNS.next)}</button>
      </div>
      <div class="track" role="slider" tabindex="0" aria-label="Moment" aria-valuemin=${Math.round(span.from)} aria-valuemax=${Math.round(span.to)} aria-valuenow=${Math.round(isLive ? span.to : at)}
        aria-valuetext=${isLive ? 'now' : clock(at)} @pointerdown=${(event: PointerEvent) => this.#point(event, span, marks, width)} @keydown=${(event: KeyboardEvent) => this.#onKey(event, at, span)}>
        <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">
          ${isLive ? nothing : axisView(span, width, height, rate)}
          <g class="bars">${buckets.map((count, index) => {
            if (count === 0) return nothing;
            const high = Math.max(1.5, Math.sqrt(count / most) * (base - 4));
            const left = (index * width) / BARS;
            return svg`<rect class=${left <= here ? 'on' : ''} x=${left} width=${Math.max(1, width / BARS - 1)} y=${base - high} height=${high}></rect>`;
          })}</g>
          <line class="base" x1="0" x2=${width} y1=${base + 0.5} y2=${base + 0.5}></line>
          ${marks.map((mark) => markView(mark, x(mark.at), `${NAMES[mark.kind]}: ${model.named(mark.key).kind} ${model.named(mark.key).name}${mark.more > 0 ? ` and ${mark.more} more` : ''}`, base + 8))}
          <g class="cursor"><line x1=${here} x2=${here} y1="2" y2=${base + 12}></line><circle cx=${here} cy=${base + 0.5} r="6"></circle></g>
        </svg>
      </div>
      <div class="ctl">
        ${isLive ? nothing : html`<p class="legend">${(Object.keys(NAMES) as MarkKind[]).map((kind) => html`<span><svg viewBox="-7 -7 14 14" aria-hidden="true">${markView({ kind, at: 0, key: '', more: 0 }, 0, '', 0)}</svg>${NAMES[kind]}</span>`)}</p>`}
        <label class="pick"><span class="hidden">Range</span>${isLive ? 'Last' : 'Range'}
          <select @change=${({ target }: Event) => {
            this.#rangeMs = Number((target as HTMLSelectElement).value);
            this.#end = 0;
            void this.#deps.readHistory();
            this.#deps.onUpdate();
          }}>${RANGES.map(([ms, label]) => html`<option value=${ms} ?selected=${ms === this.#rangeMs}>${label}</option>`)}</select>
        </label>
        <output class="when num" title=${`known since ${clock(model.since)}${model.historyIs === 'truncated' ? ', what was before is not kept here' : ''}`}
          ><b>${clock(isLive ? now : at, { fraction: !isLive })}</b><span>${isLive ? away : `${duration(now - at)} ago`}</span></output>
      </div>
    </footer>`;
  }

  /** List of events around the moment that is looked at. */
  around({ at, namespace }: State): TemplateResult {
    const { model, change } = this.#deps;
    const steps =
      namespace === '' ? model.steps : model.steps.filter(({ key }) => model.named(key).namespace === namespace);
    const next = firstFrom(steps, at + 0.001);
    const near = steps.slice(Math.max(0, next - AROUND), next + AROUND);
    const current = steps[next - 1];
    const isReading = model.isReadingHistory;
    return html`<aside class="inspector around" aria-label="Events around this moment">
      <header><h2>Around ${clock(at, { fraction: false })}</h2><p class="dim">${isReading ? 'Reading what is kept…' : html`${counted(model.steps.length, 'event')} since ${clock(model.since, { fraction: false })}. Step with <kbd>[</kbd> <kbd>]</kbd>`}</p></header>
      <ol>${near.map((step) => {
        const named = model.named(step.key);
        return html`<li class="${step === current ? 'current' : ''} ${step.at > at ? 'later' : ''}">
          <button type="button" class="num" @click=${() => change({ at: step.at })}>${clock(step.at)}</button>${sign(step.to === '' ? 'deleting' : step.tone)}
          <a class="lk" href=${hrefOf(step.key)} @click=${following(() => change({ chosen: step.key }))}>${kindIcon(named)}<bdi class="cut">${named.name}</bdi></a><code class="cut dim">${step.to || 'gone'}</code>
        </li>`;
      })}</ol>
    </aside>`;
  }

  /** To the event before or after, of the chosen object if there is one; one after the other, however fast they are asked for. */
  step(direction: 1 | -1): void {
    const { model, change, readHistory, state } = this.#deps;
    this.#stepping = this.#stepping.then(async () => {
      await readHistory();
      const { at, chosen } = state();
      const steps: readonly Step[] = chosen === '' ? model.steps : model.stepsOf(chosen);
      const from = at || Number.POSITIVE_INFINITY;
      const next = direction === 1 ? steps.find((step) => step.at > from) : steps.findLast((step) => step.at < from);
      if (next !== undefined) change({ at: next.at });
      else if (direction === 1) change({ at: 0 });
    });
  }

  #span(at: number): Span {
    const now = this.#deps.model.now();
    if (at === 0) {
      this.#end = 0;
      return { from: now - this.#rangeMs, to: now };
    }
    const isOutside = at > this.#end || at < this.#end - this.#rangeMs;
    // A link or a step led out of the range: the moment is in its middle.
    if (this.#end === 0 && now - at < this.#rangeMs) this.#end = now;
    else if (isOutside) this.#end = Math.min(now, at + this.#rangeMs / 2);
    return { from: this.#end - this.#rangeMs, to: this.#end };
  }

  #counted(span: Span, width: number): { readonly marks: readonly HistoryMark[]; readonly buckets: readonly number[] } {
    const { model } = this.#deps;
    // A live range moves by a second at a time.
    const from = [model.steps.length, Math.floor(span.to / 1_000), this.#rangeMs, width, model.historyIs];
    if (this.#drawn === undefined || this.#drawn.from.some((each, index) => each !== from[index])) {
      const before = (step: Step): Step | undefined => model.stepAt(step.key, step.at - 0.001);
      this.#drawn = {
        from,
        marks: marksOf(model.steps, span, width, before),
        buckets: bucketsOf(model.steps, span, BARS),
      };
    }
    return this.#drawn;
  }

  /** Lands on a mark that is near, or on the very moment; and follows while the pointer is held. */
  #point(event: PointerEvent, span: Span, marks: readonly HistoryMark[], width: number): void {
    const { change, readHistory, model } = this.#deps;
    const track = event.currentTarget as HTMLElement;
    track.focus();
    track.setPointerCapture(event.pointerId);
    this.#end = span.to;
    const now = model.now();
    const land = ({ clientX }: PointerEvent): void => {
      const { left, width: wide } = track.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (clientX - left) / wide));
      const moment = span.from + share * (span.to - span.from);
      const mark = marks.find(({ at }) => (Math.abs(at - moment) / (span.to - span.from)) * width < 5);
      change({ at: mark?.at ?? (moment >= now - 1 ? 0 : moment) });
    };
    land(event);
    void readHistory();
    const end = (): void => {
      track.removeEventListener('pointermove', land);
      track.removeEventListener('pointerup', end);
      track.removeEventListener('pointercancel', end);
    };
    track.addEventListener('pointermove', land);
    track.addEventListener('pointerup', end);
    track.addEventListener('pointercancel', end);
  }

  #onKey(event: KeyboardEvent, at: number, { from, to }: Span): void {
    const moment = at || to;
    const next = {
      ArrowLeft: moment - (to - from) / 100,
      ArrowRight: moment + (to - from) / 100,
      PageUp: moment + (to - from) / 10,
      PageDown: moment - (to - from) / 10,
      Home: from,
      End: to,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    void this.#deps.readHistory();
    this.#deps.change({ at: next >= this.#deps.model.now() - 1 ? 0 : Math.max(from, next) });
  }
}

/** Times along the picture, and what its bars count. */
function axisView(span: Span, width: number, height: number, rate: number): TemplateResult {
  const step = STEPS.find((each) => (each / (span.to - span.from)) * width >= LEAST_TICK) ?? STEPS.at(-1) ?? 1;
  const first = Math.ceil(span.from / step) * step;
  const ticks = Array.from(
    { length: Math.max(0, Math.floor((span.to - first) / step) + 1) },
    (_, n) => first + n * step,
  );
  const x = (at: number): number => ((at - span.from) / (span.to - span.from)) * width;
  return svg`<g class="axis-of">
    <text x="0" y="11">at most ${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))} changes/s</text>
    ${ticks
      .filter((at) => x(at) > LEAST_TICK / 2 && x(at) < width - LEAST_TICK / 2)
      .map(
        (at) =>
          svg`<line x1=${x(at)} x2=${x(at)} y1=${height - 32} y2=${height - 26}></line><text text-anchor="middle" x=${x(at)} y=${height - 2}>${clock(at, { fraction: false })}</text>`,
      )}
  </g>`;
}

function markView({ kind }: HistoryMark, x: number, title: string, y = 40): TemplateResult {
  const at = `translate(${x} ${y})`;
  const said = title === '' ? nothing : svg`<title>${title}</title>`;
  if (kind === 'spec') return svg`<path class="mark spec" transform=${at} d="M0-4.5L4.5 0 0 4.5-4.5 0z">${said}</path>`;
  if (kind === 'deleted')
    return svg`<g class="mark gone" transform=${at}>${said}<circle r="4.2"></circle><path d="M-2 0h4"></path></g>`;
  if (kind === 'refused')
    return svg`<rect class="mark refused" transform=${at} x="-4" y="-4" width="8" height="8" rx="2">${said}</rect>`;
  return svg`<path class="mark attempt" transform=${at} d="M0-5l5 9h-10z">${said}</path>`;
}
