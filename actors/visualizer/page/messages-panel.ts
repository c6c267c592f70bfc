// The messages of one object: what it claims of others and who claims it, with what was answered.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Inspected, MessageView } from '../wire.ts';
import { objectLink, sign, type ViewDeps } from './parts.ts';
import { clock } from './text.ts';

/** Messages of one direction that are shown. */
const SHOWN = 60;

/** Short text of a message. */
export function sayingOf({ topic, payload }: MessageView): string {
  if (topic === 'claim') return payload['ended'] === true ? 'claim ended' : 'claim';
  if (topic !== 'ready') return topic;
  return String(payload['readiness'] ?? payload['standing'] ?? topic);
}

export function messagesPanel({ mail, mailTrouble }: Inspected, key: string, deps: ViewDeps): TemplateResult {
  if (mailTrouble !== undefined) return html`<p class="quiet">${mailTrouble}</p>`;
  if (mail.length === 0) return html`<p class="quiet">No messages.</p>`;
  const sent = mail.filter(({ from }) => from === key);
  const received = mail.filter(({ from }) => from !== key);
  return html`${part('Sent', sent, key, deps)} ${part('Received', received, key, deps)}
    <p class="dim small">The last message of each subject, as the bus holds it.</p>`;
}

function part(
  title: string,
  messages: readonly MessageView[],
  key: string,
  { model, change }: ViewDeps,
): TemplateResult {
  return html`<section class="sec"><h3>${title} <span class="num">${messages.length}</span></h3>
    ${messages.length === 0 ? html`<p class="dim">None.</p>` : nothing}
    <ul class="mail">${messages
      .toSorted((one, other) => other.at - one.at)
      .slice(0, SHOWN)
      .map((message) => {
        const other = message.from === key ? message.to : message.from;
        return html`<li>
          <div>${other === '' ? html`<span class="dim">the watch</span>` : html`${sign(model.trees.get(other)?.tone ?? (model.isOurs(other) ? 'absent' : 'available'))}${objectLink(model, other, (chosen) => change({ chosen }))}`}
            <b>${sayingOf(message)}</b><span class="dim num end">${clock(message.at, { fraction: false })}</span></div>
          <details><summary>Content</summary><pre tabindex="0">${JSON.stringify(message.payload, undefined, 2)}</pre></details>
        </li>`;
      })}${messages.length > SHOWN ? html`<li class="dim">and ${messages.length - SHOWN} more</li>` : nothing}</ul>
  </section>`;
}
