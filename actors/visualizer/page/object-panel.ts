// The object itself: what its spec says beside what the cloud has, all of it as YAML and JSON, its conditions and Kubernetes Events.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Inspected, Tree } from '../wire.ts';
import { type Differences, differencesOf, type Mark, yaml } from './differences.ts';
import { commandOn, copyButton, type ViewDeps } from './parts.ts';
import { clock, counted, duration } from './text.ts';

export const FORMS = ['diff', 'yaml', 'json'] as const;
export type Form = (typeof FORMS)[number];
const TITLES: Readonly<Record<Form, string>> = { diff: 'Diff', yaml: 'YAML', json: 'JSON' };
const SIGNS: Readonly<Record<Mark, string>> = { same: ' ', specified: '+', observed: '−', untold: '·' };

export function differencesIn(answer: Inspected | undefined, tree: Tree | undefined): Differences | undefined {
  return answer?.object === undefined ? undefined : differencesOf(answer.object, tree?.tone === 'available');
}

export function objectPanel(
  answer: Inspected,
  tree: Tree | undefined,
  form: Form,
  onForm: (form: Form) => void,
  { model }: ViewDeps,
): TemplateResult {
  const { object } = answer;
  if (object === undefined) return html`<p class="quiet">The object was deleted.</p>`;
  const metadata = object['metadata'] as Readonly<Record<string, unknown>> | undefined;
  const [kind = '', name = '', namespace = ''] = [object['kind'], metadata?.['name'], metadata?.['namespace']].map(
    (each) => String(each ?? ''),
  );
  const command = commandOn('get', { kind, name, namespace }, ' -o yaml');
  return html`
    <div class="forms">
      <div class="seg" role="group" aria-label="Shown as">${FORMS.map(
        (each) =>
          html`<button type="button" aria-pressed=${each === form} @click=${() => onForm(each)}>${TITLES[each]}</button>`,
      )}</div>
      <span class="grow"></span>${copyButton(command, 'Copy kubectl', { isWide: true })}
    </div>
    ${form === 'diff' ? diff(differencesIn(answer, tree)) : html`<pre class="whole" tabindex="0">${form === 'yaml' ? yaml(object) : JSON.stringify(object, undefined, 2)}</pre>`}
    ${conditionsView(object, model.now())} ${eventsView(answer, model.now())}
  `;
}

function diff(found: Differences | undefined): TemplateResult {
  if (found === undefined)
    return html`<section class="sec"><h3>Specified against observed</h3><p>There is nothing to compare: its spec sets no field of the resource.</p></section>`;
  return html`<section class="sec">
    <h3>Specified against observed <span>${!found.isThere ? 'not there yet' : found.count === 0 ? 'no difference' : html`<b class="failing-text">${counted(found.count, 'difference')}</b>`}</span></h3>
    <pre class="diff" tabindex="0">${found.lines.map(
      ({
        mark,
        text,
      }) => html`<span class=${mark}><i aria-hidden="true">${SIGNS[mark]}</i><span class="hidden">${mark === 'same' || mark === 'untold' ? '' : `${mark}: `}</span>${text}
</span>`,
    )}</pre>
    <p class="dim small">+ specified and not there, − observed in the cloud, · not told by the status</p>
  </section>`;
}

function conditionsView(object: NonNullable<Inspected['object']>, now: number): TemplateResult | typeof nothing {
  const { conditions } = (object['status'] ?? {}) as { conditions?: unknown };
  if (!Array.isArray(conditions) || conditions.length === 0) return nothing;
  return html`<section class="sec"><h3>Conditions</h3>
    <div class="wide" tabindex="0" role="region" aria-label="Conditions"><table class="tb">
      <thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Since</th></tr></thead>
      <tbody>${(conditions as readonly Readonly<Record<string, unknown>>[]).map(
        ({ type, status, reason, message, lastTransitionTime }) => {
          const at = Date.parse(String(lastTransitionTime ?? ''));
          return html`<tr><th scope="row">${String(type)}</th><td>${String(status)}</td>
          <td class="long">${String(reason ?? '')}${message ? html`<p class="dim"><bdi>${String(message)}</bdi></p>` : nothing}</td>
          <td class="num dim">${Number.isNaN(at) ? '' : duration(now - at)}</td></tr>`;
        },
      )}</tbody>
    </table></div>
  </section>`;
}

function eventsView({ events, eventsTrouble }: Inspected, now: number): TemplateResult {
  return html`<section class="sec"><h3>Kubernetes Events</h3>
    ${eventsTrouble === undefined ? nothing : html`<p class="dim">They cannot be read: <bdi>${eventsTrouble}</bdi></p>`}
    ${events.length === 0 && eventsTrouble === undefined ? html`<p class="dim">None that are kept.</p>` : nothing}
    <ul class="ev">${events.map(
      ({ at, type, reason, message, count }) => html`<li>
        <time class="dim num" title=${clock(at)}>${at === 0 ? '' : `${duration(now - at)} ago`}</time>
        <span><b class=${type === 'Warning' ? 'failing-text' : ''}>${reason}</b>${count > 1 ? html` <span class="num">×${count}</span>` : nothing} <bdi>${message}</bdi></span>
      </li>`,
    )}</ul>
  </section>`;
}
