// Attempts that failed one after another, and the next one: a ring that closes, and each on a line of time.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { RecentEvent, Step, Tree } from '../wire.ts';
import { clock, counted, duration } from './text.ts';

const [WIDTH, EDGE] = [330, 8] as const;
const ROUND = 2 * Math.PI * 27;
/** Limit of drawn attempts, the last ones. */
const DRAWN = 12;

/** Moments at which attempts failed since an object is as it is, oldest first. */
export function failuresOf(
  { since }: Tree,
  history: readonly RecentEvent[],
  steps: readonly Step[],
): readonly number[] {
  const moments = new Set<number>();
  for (const { at, type, data } of history) if (type === 'transition' && data['failure'] !== undefined) moments.add(at);
  for (const { at, failure } of steps) if (failure !== undefined) moments.add(at);
  // Times in the status are rounded.
  return [...moments].filter((at) => at >= since - 1_000).sort((one, other) => one - other);
}

export function attemptsView(tree: Tree, failures: readonly number[], now: number): TemplateResult {
  const { attempts, retryAt, since } = tree;
  const count = Math.max(attempts, failures.length);
  const last = failures.at(-1) ?? since;
  const left = retryAt - now;
  return html`<section class="sec">
    <h3>Attempts</h3>
    <div class="retry">
      ${retryAt > last ? ring(left, retryAt - last) : nothing}
      <div>
        <p><b>${counted(count, 'failed attempt')}${since === 0 ? '' : ` in ${duration(now - since)}`}</b></p>
        ${retryAt > last && left <= 0 ? html`<p class="dim">trying again now</p>` : nothing}
        ${line(failures.slice(-DRAWN), now, retryAt > now ? retryAt : 0, count)}
      </div>
    </div>
  </section>`;
}

function ring(left: number, whole: number): TemplateResult {
  const share = Math.max(0, Math.min(1, 1 - left / whole));
  return html`<div class="ring">
    <svg viewBox="0 0 62 62" aria-hidden="true">${svg`<circle cx="31" cy="31" r="27"></circle>
      <circle class="share" cx="31" cy="31" r="27" stroke-dasharray=${`${share * ROUND} ${ROUND}`} transform="rotate(-90 31 31)"></circle>`}</svg>
    <p class="num">${left > 0 ? remaining(left) : html`<b>now</b>`}</p>
  </div>`;
}

/** `42 s`, `5:40` minutes, `1:05` hours: the unit is below, since the ring has room for five characters. */
function remaining(ms: number): TemplateResult {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 60) return html`<b>${seconds} s</b><small>to next</small>`;
  const [whole, unit] = seconds < 3_600 ? [seconds, 'min'] : [Math.ceil(seconds / 60), 'h'];
  return html`<b>${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}</b><small>${unit}</small>`;
}

function line(
  failures: readonly number[],
  now: number,
  retryAt: number,
  count: number,
): TemplateResult | typeof nothing {
  const [first] = failures;
  if (first === undefined) return nothing;
  const end = Math.max(now, retryAt, first + 1);
  const x = (at: number): number => EDGE + ((at - first) / (end - first)) * (WIDTH - 2 * EDGE);
  const here = x(now);
  const label = `${counted(count, 'attempt')}, the first at ${clock(first, { fraction: false })}${retryAt === 0 ? '' : `, the next at ${clock(retryAt, { fraction: false })}`}`;
  // The marks of now and of the ends must not lie on each other.
  const isApart = here > 100 && here < WIDTH - 100;
  return html`<svg class="attempts" viewBox="0 0 ${WIDTH} 28" role="img" aria-label=${label}>${svg`
    <line x1=${EDGE} x2=${here} y1="14" y2="14"></line>
    ${retryAt === 0 ? nothing : svg`<line class="ahead" x1=${here} x2=${WIDTH - EDGE} y1="14" y2="14"></line>`}
    ${failures.map((at) => svg`<circle class="failed-at" cx=${x(at)} cy="14" r="5"></circle>`)}
    ${retryAt === 0 ? nothing : svg`<circle class="next-at" cx=${x(retryAt)} cy="14" r="4.5"></circle>`}
    <line class="here" x1=${here} x2=${here} y1="5" y2="23"></line>`}</svg>
    <p class="ends num" aria-hidden="true"><span>${clock(first, { fraction: false })}</span>
      ${isApart ? html`<b .style=${`left: ${(here / WIDTH) * 100}%`}>now</b>` : nothing}
      <span class="ahead">${retryAt === 0 ? 'now' : clock(retryAt, { fraction: false })}</span></p>`;
}
