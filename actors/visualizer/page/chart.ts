// The statechart of an object in the one layout that its machine has: where it is lights up, how it came there and what leads on is
// labeled, and nothing moves.
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';
import type { Chart, ChartNode, Step } from '../wire.ts';
import { type Label, type Place, type PlacedLabel, placed } from './chart-labels.ts';
import { reveal } from './hover.ts';
import { SIGNS } from './kind-icons.ts';
import { icon } from './parts.ts';
import { rounded } from './ribbons.ts';
import { clock, countdown, duration, eventLabel } from './text.ts';
import type { StatusColor } from './tones.ts';

export interface Where {
  /** Name in the trace: of several regions the first is the lifecycle itself. Empty: not known. */
  readonly state: string;
  readonly tone: StatusColor | 'absent';
  readonly since: number;
  /** Steps of the object until now, oldest first. */
  readonly steps: readonly Step[];
  /** 0: none. */
  readonly retryAt: number;
  readonly now: number;
}

export interface Way {
  readonly event: string;
  /** Path of the target. */
  readonly to: string;
}

/** The last way between two outermost states, and how often it was taken in a row. */
interface Taken {
  readonly from: string;
  readonly to: string;
  readonly step: Step;
  readonly times: number;
}

/** The life itself: of a machine with regions the first. */
function lifeOf({ root }: Chart): ChartNode {
  return root.type === 'parallel' ? (root.states[0] ?? root) : root;
}

export class ChartMap {
  readonly #chart: Chart;
  readonly #life: ChartNode;
  readonly #byPath = new Map<string, ChartNode>();

  constructor(chart: Chart) {
    this.#chart = chart;
    this.#life = lifeOf(chart);
    const note = (state: ChartNode): void => {
      this.#byPath.set(state.path, state);
      state.states.forEach(note);
    };
    note(chart.root);
  }

  get outer(): readonly ChartNode[] {
    return this.#life.states;
  }

  /** States inside all of them. */
  get inside(): number {
    const count = (state: ChartNode): number => state.states.reduce((sum, each) => sum + 1 + count(each), 0);
    return this.outer.reduce((sum, state) => sum + count(state), 0);
  }

  /** As the trace names a state, its path in the machine. */
  pathOf(state: string): string {
    return state === '' || this.#life.path === '' ? state : `${this.#life.path}.${state}`;
  }

  nameOf(path: string): string {
    const prefix = this.#life.path === '' ? '' : `${this.#life.path}.`;
    return path.startsWith(prefix) ? path.slice(prefix.length) : path;
  }

  node(path: string): ChartNode | undefined {
    return this.#byPath.get(path);
  }

  outerOf(path: string): ChartNode | undefined {
    return this.outer.find((state) => path === state.path || path.startsWith(`${state.path}.`));
  }

  /** Regions other than the lifecycle. */
  get regions(): readonly ChartNode[] {
    return this.#chart.root.type === 'parallel' ? this.#chart.root.states.slice(1) : [];
  }

  /** Transitions out of a state: those of an inner state take precedence. */
  ways(active: string): readonly Way[] {
    const found = new Map<string, string>();
    const visit = (state: ChartNode): void => {
      if (state.path !== '' && active !== state.path && !active.startsWith(`${state.path}.`)) return;
      state.states.forEach(visit);
      for (const { event, target } of state.transitions) {
        const name = eventLabel(event);
        if (name !== '' && target !== state.path && !found.has(name)) found.set(name, target);
      }
    };
    if (active !== '') visit(this.#chart.root);
    return [...found].map(([event, to]) => ({ event, to }));
  }
}

export class ChartView {
  readonly element = document.createElement('div');
  #map: ChartMap | undefined;
  #chart: Chart | undefined;
  #where: Where | undefined;
  #hasLabels = false;
  /** The state whose inside is shown; undefined: that which it is in, or the one that it came from. */
  #open: string | undefined;
  #seen = '';
  readonly #onOpen: () => void;

  /** @param onOpen  another state was opened: `inside` has changed */
  constructor(onOpen: () => void) {
    this.#onOpen = onOpen;
    this.element.className = 'statechart';
  }

  show(chart: Chart, where: Where): void {
    if (chart !== this.#chart) {
      this.#chart = chart;
      this.#map = new ChartMap(chart);
      this.#open = undefined;
      this.#seen = '';
    }
    this.#where = where;
    this.#draw();
    const outer = this.#map?.outerOf(this.#map.pathOf(where.state))?.path ?? '';
    if (outer !== '' && this.#seen === '') {
      this.#seen = outer;
      requestAnimationFrame(() => {
        const [place, active] = ['.scroll', '.state.active'].map((each) => this.element.querySelector(each));
        if (place && active) reveal(place, active.getBoundingClientRect());
      });
    }
  }

  #draw(): void {
    const [map, chart, where] = [this.#map, this.#chart, this.#where];
    if (map === undefined || chart === undefined || where === undefined) return;
    const { layout } = chart;
    const active = map.pathOf(where.state);
    const outer = map.outerOf(active);
    const taken = this.#taken(map, where);
    const setLabels = (hasLabels: boolean) => (): void => {
      this.#hasLabels = hasLabels;
      this.#draw();
    };
    render(
      html`<div class="seg labels" role="group" aria-label="Labels">
          <button type="button" aria-pressed=${!this.#hasLabels} @click=${setLabels(false)}>Follow</button>
          <button type="button" aria-pressed=${this.#hasLabels} @click=${setLabels(true)}>All labels</button>
        </div>
        <div class="scroll" tabindex="0" role="group" aria-label="Statechart">
          <svg class="chart ${where.tone}" width=${layout.width} height=${layout.height} viewBox="0 0 ${layout.width} ${layout.height}" role="group"
            aria-label=${`${map.outer.length} states with ${map.inside} inside; it is in ${where.state || 'none that is known'}`}>
            ${this.#frame(chart)}
            ${layout.arrows.map(([from, to, points]) => arrow(points, '', `${from}>${to}`))}
            ${this.#marked(map, chart, where, taken)}
            ${map.outer.map((state) => this.#state(chart, state, state === outer, state.path === taken?.from))}
            ${this.#labels(map, chart, where, taken)}
          </svg>
        </div>
        ${map.regions.length === 0 ? nothing : html`<p class="regions dim">Beside it: ${map.regions.map(({ name, states }) => html`<b>${name}</b> (${states.map((each) => each.name).join(', ')}) `)}</p>`}`,
      this.element,
    );
  }

  #frame({ layout: { frame } }: Chart): TemplateResult | typeof nothing {
    if (frame === undefined) return nothing;
    const [x, y, width, height] = frame;
    return svg`<g class="frame"><rect x=${x} y=${y} width=${width} height=${height} rx="10"></rect><text x=${x + width / 2} y=${y + 18} text-anchor="middle">from any state</text></g>`;
  }

  #state({ layout }: Chart, state: ChartNode, isActive: boolean, isLeft: boolean): TemplateResult | typeof nothing {
    const [x, y, width, height] = layout.states[state.path] ?? [];
    if (x === undefined || y === undefined || width === undefined || height === undefined) return nothing;
    const open = (): void => {
      this.#open = state.path;
      this.#draw();
      this.#onOpen();
    };
    const hasInside = state.states.length > 0;
    const below = hasInside ? `${state.states.length} states` : '';
    const isFramed = layout.frame !== undefined && x >= layout.frame[0];
    const isEntered =
      layout.anywhere.includes(state.path) && !isFramed && !layout.arrows.some(([, to]) => to === state.path);
    const caption = isEntered
      ? svg`<text class="entered" aria-hidden="true" x=${x + width / 2} y=${y - 6} text-anchor="middle">from any state</text>`
      : nothing;
    const css = `state ${isActive ? 'active' : ''} ${isLeft ? 'left' : ''} ${state.type === 'final' ? 'final' : ''}`;
    const label = `${state.name}${hasInside ? `, ${state.states.length} states inside` : ''}${isActive ? ', it is here' : ''}`;
    const middle = y + height / 2;
    const inner = svg`<title>${[state.name, state.description].filter(Boolean).join(': ')}</title>
      <rect x=${x} y=${y} width=${width} height=${height} rx="8"></rect>
      <text x=${x + width / 2} y=${below === '' ? middle + 4.5 : middle - 1} text-anchor="middle">${state.name}</text>
      ${below === '' ? nothing : svg`<text class="sub" x=${x + width / 2} y=${middle + 13} text-anchor="middle">${below}</text>`}`;
    return hasInside
      ? svg`${caption}<g class=${css} data-path=${state.path} role="button" tabindex="0" aria-label=${label} aria-current=${isActive ? 'true' : 'false'}
          @click=${open} @keydown=${({ key }: KeyboardEvent) => {
            if (key === 'Enter') open();
          }}>${inner}</g>`
      : svg`${caption}<g class=${css} data-path=${state.path} role="img" aria-label=${label} aria-current=${isActive ? 'true' : 'false'}>${inner}</g>`;
  }

  #taken(map: ChartMap, { steps }: Where): Taken | undefined {
    const ends = (step: Step): readonly [string, string] => [
      map.outerOf(map.pathOf(step.from))?.path ?? '',
      map.outerOf(map.pathOf(step.to))?.path ?? '',
    ];
    const step = steps.findLast((each) => ends(each)[0] !== ends(each)[1]);
    if (step === undefined) return undefined;
    const [from, to] = ends(step);
    if (from === '' || to === '') return undefined;
    const alike = steps.filter(
      (each) => each.failure !== undefined && each.failure === step.failure && each.to === step.to,
    );
    return { from, to, step, times: step.failure === undefined ? 1 : Math.max(1, alike.length) };
  }

  /** Ways on to other outermost states: a pause that ends, or what is being done. */
  #next(map: ChartMap, where: Where): readonly { readonly from: string; readonly to: string; readonly text: string }[] {
    const active = map.pathOf(where.state);
    const from = map.outerOf(active)?.path;
    if (from === undefined) return [];
    const found = new Map<string, string[]>();
    for (const { event, to } of map.ways(active)) {
      const outer = map.outerOf(to)?.path;
      if (outer === undefined || outer === from || !/^after | done$/.test(event)) continue;
      const left = where.retryAt - where.now;
      const text = event.startsWith('after ') && left > 0 ? `${event}, ${countdown(left)}` : event;
      found.set(outer, [...(found.get(outer) ?? []), text]);
    }
    return [...found].slice(0, 2).map(([to, texts]) => ({ from, to, text: texts[0] ?? '' }));
  }

  #marked(map: ChartMap, chart: Chart, where: Where, taken: Taken | undefined): readonly TemplateResult[] {
    const lines: TemplateResult[] = [];
    if (taken !== undefined) lines.push(arrow(wayBetween(chart, taken.from, taken.to), 'took', ''));
    for (const { from, to } of this.#next(map, where)) lines.push(arrow(wayBetween(chart, from, to), 'next', ''));
    return lines;
  }

  /** Labels of the transition taken and of the next ones are placed first. */
  #labels(map: ChartMap, chart: Chart, where: Where, taken: Taken | undefined): readonly TemplateResult[] {
    const found: Label[] = [];
    if (taken !== undefined) {
      const { step, times, from, to } = taken;
      const lines = [
        `${eventLabel(step.cause) || 'at once'}${times > 1 ? ` ×${times}` : ''}`,
        `${clock(step.at, { fraction: false })}${step.failure === undefined ? '' : `, ${step.failure}`}`,
      ];
      found.push({ lines, css: 'took', way: wayBetween(chart, from, to) });
    }
    for (const { from, to, text } of this.#next(map, where))
      found.push({ lines: [text], css: 'next', way: wayBetween(chart, from, to) });
    if (this.#hasLabels) {
      for (const [from, to, way] of chart.layout.arrows) {
        const events = eventsBetween(map, from, to);
        if (events !== '') found.push({ lines: [events], css: '', way });
      }
    }
    return placed(found, chart.layout).toReversed().map(labelView);
  }

  /** The states inside the open one, in their order: what has been passed since it was entered, and where it is. */
  inside(): TemplateResult | typeof nothing {
    const [map, where] = [this.#map, this.#where];
    if (map === undefined || where === undefined) return nothing;
    const active = map.pathOf(where.state);
    const outer = map.outerOf(active);
    const here = outer !== undefined && outer.states.length > 0 ? outer.path : this.#taken(map, where)?.from;
    const opened = map.node(this.#open ?? here ?? '');
    if (opened === undefined || opened.states.length === 0) return nothing;
    const { steps, since, now, tone } = where;
    const isHere = active === opened.path || active.startsWith(`${opened.path}.`);
    const passed = new Map<string, number>();
    for (const step of steps.toReversed()) {
      const path = map.pathOf(step.to);
      if (isHere && !path.startsWith(`${opened.path}.`)) break;
      if (path.startsWith(`${opened.path}.`) && !passed.has(path)) passed.set(path, step.at);
    }
    return html`<section class="sec lens ${isHere ? tone : ''}" aria-label="Inside ${opened.name}">
      <h3>Inside ${opened.name} <span>${opened.states.length} states</span></h3>
      <ol>${opened.states.map((state) => {
        const isActive = active === state.path || active.startsWith(`${state.path}.`);
        const at = passed.get(state.path) ?? [...passed].find(([path]) => path.startsWith(`${state.path}.`))?.[1];
        return html`<li class=${isActive ? 'active' : at === undefined ? '' : 'passed'} aria-current=${isActive ? 'true' : 'false'} data-path=${state.path}>
          ${at === undefined || isActive ? html`<i aria-hidden="true">${isActive ? '●' : '·'}</i>` : icon(SIGNS.check, 'small')}
          <b>${state.name}</b><span class="num">${isActive ? (since === 0 ? '' : duration(now - since)) : at === undefined ? '' : clock(at, { fraction: false })}</span>
          ${state.description === '' ? nothing : html`<p>${state.description}</p>`}
        </li>`;
      })}</ol>
    </section>`;
  }
}

/** The arrow that is drawn between two states, or a straight one where none is. */
function wayBetween({ layout }: Chart, from: string, to: string): readonly Place[] {
  const drawn = layout.arrows.find(([one, other]) => one === from && other === to);
  if (drawn !== undefined) return drawn[2];
  const [start, end] = [layout.states[from], layout.states[to]];
  if (start === undefined || end === undefined) return [];
  const [x1, y1, w1, h1] = start;
  const [x2, y2, w2, h2] = end;
  if (Math.abs(y1 - y2) < h1) {
    const isRight = x2 > x1;
    const y = y1 + h1 / 2;
    return [
      [isRight ? x1 + w1 : x1, y],
      [isRight ? x2 : x2 + w2, y2 + h2 / 2],
    ];
  }
  if (y2 < y1) {
    // Back up: round the right side of what stands between.
    const between = Object.values(layout.states).filter(([, y]) => y >= y2 && y <= y1);
    const near = between.filter(([x]) => x < Math.max(x1 + w1, x2 + w2));
    const lane = Math.max(...near.map(([x, , width]) => x + width)) + 14;
    return [
      [x1 + w1, y1 + h1 / 2],
      [lane, y1 + h1 / 2],
      [lane, y2 + h2 / 2],
      [x2 + w2, y2 + h2 / 2],
    ];
  }
  const [a, b]: [Place, Place] = [
    [x1 + w1 * 0.7, y1 + h1],
    [x2 + w2 * 0.7, y2],
  ];
  return [a, [a[0], b[1] - 14], [b[0], b[1] - 14], b];
}

function eventsBetween(map: ChartMap, from: string, to: string): string {
  const events = new Set<string>();
  const visit = (state: ChartNode): void => {
    for (const { event, target } of state.transitions) {
      if (map.outerOf(target)?.path === to) events.add(eventLabel(event) || 'at once');
    }
    state.states.forEach(visit);
  };
  const start = map.node(from);
  if (start !== undefined) visit(start);
  const [first = '', ...others] = events;
  return others.length === 0 ? first : `${first} +${others.length}`;
}

function arrow(points: readonly Place[], css: string, id: string): TemplateResult {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return svg``;
  const angle = (Math.atan2(last[1] - before[1], last[0] - before[0]) * 180) / Math.PI;
  return svg`<g class=${`arrow ${css}`} data-arrow=${id}><path class="a" d=${rounded(points)}></path><path class="hd" d="M0 0l-8-4v8z" transform=${`translate(${last[0]} ${last[1]}) rotate(${angle})`}></path></g>`;
}

function labelView({ x, y, width, height, lines, css }: PlacedLabel): TemplateResult {
  return svg`<g class=${`pl ${css}`} transform=${`translate(${x} ${y})`}><rect x=${-width / 2} y=${-height / 2} width=${width} height=${height} rx="6"></rect>
    ${lines.map((line, index) => svg`<text x="0" y=${-height / 2 + 15 + index * 15} text-anchor="middle">${line}</text>`)}</g>`;
}
