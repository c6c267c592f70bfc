// History of one object, the newest first: repeats of the same are folded.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { RecentEvent, Step } from '../wire.ts';
import { sign, type ViewDeps } from './parts.ts';
import { clock, duration, eventLabel } from './text.ts';
import type { StatusColor } from './tones.ts';

/** One thing that happened, or several that are more of the same. */
export type HistoryItem =
  | { readonly kind: 'one'; readonly event: RecentEvent }
  | { readonly kind: 'more'; readonly events: readonly RecentEvent[]; readonly times: number };

/** Limit of repeated failures that are shown. */
const SHOWN = 2;

/** Newest first; of failures that are alike the newest and the oldest are shown, and all between them is one item. */
export function folded(events: readonly RecentEvent[]): readonly HistoryItem[] {
  const newest = events.toReversed();
  const items: HistoryItem[] = [];
  let index = 0;
  while (index < newest.length) {
    const event = newest[index] as RecentEvent;
    const alike = likeIt(newest, index);
    items.push({ kind: 'one', event });
    index += 1;
    if (alike.length <= SHOWN) continue;
    const [first = index] = alike.slice(SHOWN - 1);
    const last = alike.at(-1) ?? first;
    const between = newest.slice(index, last);
    if (between.length > SHOWN) {
      items.push({ kind: 'more', events: between, times: alike.length - SHOWN });
      index = last;
    }
  }
  return items;
}

/** Positions of the same failure in a row, itself first. */
function likeIt(newest: readonly RecentEvent[], from: number): readonly number[] {
  const { data } = newest[from] as RecentEvent;
  if (data['failure'] === undefined) return [];
  const found: number[] = [];
  for (let index = from; index < newest.length; index++) {
    const other = newest[index]?.data ?? {};
    if (other['failure'] === undefined) continue;
    if (other['failure'] !== data['failure'] || other['to'] !== data['to']) break;
    found.push(index);
  }
  return found;
}

export function asEvent({ at, from, to, cause, failure }: Step): RecentEvent {
  const data = { from, to, cause, ...(failure !== undefined && { failure }) };
  return { at, type: to === '' ? 'deleted' : 'transition', traceId: '', data };
}

export function historyPanel(
  events: readonly RecentEvent[],
  at: number,
  toneOf: (event: RecentEvent) => StatusColor | undefined,
  { model, change }: ViewDeps,
): TemplateResult {
  if (events.length === 0) return html`<p class="quiet">Nothing is kept of what happened to it.</p>`;
  const moves = events.filter(({ type }) => type !== 'call');
  const current = moves.findLast((event) => event.at <= (at || Number.POSITIVE_INFINITY));
  const ends = new Map(moves.map((event, index) => [event, moves[index + 1]?.at]));
  const one = (event: RecentEvent): TemplateResult => {
    const tone = toneOf(event);
    const lasted = event.type === 'call' ? '' : duration((ends.get(event) ?? model.now()) - event.at);
    return html`<li class="${event.type} ${event === current ? 'current' : ''}">
      <button type="button" class="num" title="Show everything as it was then" @click=${() => change({ at: event.at })}>${clock(event.at)}</button>
      ${tone === undefined ? html`<span></span>` : sign(tone)}
      <div>${eventView(event)}</div>
      <span class="num dim">${lasted}</span>
    </li>`;
  };
  return html`<section class="sec"><h3>Events <span>newest first</span></h3>
    <ol class="history">
      ${folded(events).map((item) =>
        item.kind === 'one'
          ? one(item.event)
          : html`<li class="fold"><details><summary>${item.times} more of the same, from ${clock(item.events.at(-1)?.at ?? 0, { fraction: false })}</summary><ol class="history">${item.events.map(one)}</ol></details></li>`,
      )}
    </ol>
  </section>`;
}

function eventView({ type, data }: RecentEvent): TemplateResult {
  const text = (name: string): string => (data[name] === undefined || data[name] === null ? '' : String(data[name]));
  if (type === 'call') {
    const status = text('status');
    const isBad = status === '' || Number(status) >= 400;
    return html`<code class="cut" title=${text('path')}>${text('method')} ${text('path')}</code>
      <small><b class=${isBad ? 'bad' : ''}>${status || 'no answer'}</b> ${text('service')}, ${duration(Number(data['durationMs'] ?? 0))}</small>`;
  }
  if (type === 'deleted') return html`<b>Gone</b> <small>from <code>${text('from')}</code></small>`;
  const failure = text('failure') || text('error');
  return html`<code><span class="dim">${text('from') || 'new'} →</span> <b>${text('to') || type}</b></code>
    <small>${eventLabel(text('cause'))}${failure === '' ? nothing : html`, <b class="bad">${failure}</b>`}</small>`;
}
