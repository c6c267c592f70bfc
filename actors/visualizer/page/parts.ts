// Small pieces of which the views are made.
import { html, svg, type TemplateResult } from 'lit-html';
import type { Model } from './model.ts';
import type { State } from './state.ts';
import { labelOf, type StatusColor } from './tones.ts';

export type Html = TemplateResult | string;

/** What a view works with. */
export interface ViewDeps {
  readonly model: Model;
  readonly change: (part: Partial<State>) => void;
  /** Something that was asked for has come. */
  readonly onUpdate: () => void;
}

export function sign(tone: StatusColor | 'absent'): TemplateResult {
  return html`<svg class="sign ${tone}" viewBox="0 0 12 12" aria-hidden="true">${svg`<use href="#tone-${tone}"></use>`}</svg>`;
}

/** A tone with its word. */
export function pill(tone: StatusColor | 'absent', text = labelOf(tone)): TemplateResult {
  return html`<span class="pill ${tone}">${sign(tone)}${text}</span>`;
}

/** A link to an object, as it is now. */
export function objectLink(model: Model, key: string, onChoose: (key: string) => void): TemplateResult {
  const { kind, name } = model.named(key);
  const tone = model.trees.get(key)?.tone;
  const isOurs = !key.startsWith('core.');
  const text = html`<span class="dim">${kind}</span> <bdi>${name}</bdi>`;
  if (!isOurs) return html`<span class="object">${text}</span>`;
  return html`<a
    class="object"
    href="#object=${encodeURIComponent(key)}"
    @click=${(event: Event) => {
      event.preventDefault();
      onChoose(key);
    }}
    >${sign(tone ?? 'absent')}${text}</a
  >`;
}

/** Moves along buttons of one bar by arrows, as people expect of tabs. */
export function onTabKey(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement)) return;
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=tab]')];
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}
