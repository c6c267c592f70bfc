// Small pieces of which the views are made.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { shellWord } from '../../../adapters/text/shell-word.ts';
import type { Tree } from '../wire.ts';
import { familyOf, iconOf, SIGNS } from './kind-icons.ts';
import type { Landscape } from './landscape.ts';
import type { Model } from './model.ts';
import type { State } from './state.ts';
import { countedKind, parted } from './text.ts';
import { labelOf, rankOf, type StatusColor, tallyOf } from './tones.ts';

export type Html = TemplateResult | string | typeof nothing;

/** Dependencies of a view. */
export interface ViewDeps {
  readonly model: Model;
  readonly change: (part: Partial<State>) => void;
  /** Something that was asked for has come. */
  readonly onUpdate: () => void;
}

export function sign(tone: StatusColor | 'absent'): TemplateResult {
  return html`<svg class="sign ${tone}" viewBox="0 0 12 12" aria-hidden="true">${svg`<use href="#tone-${tone}"></use>`}</svg>`;
}

export function icon(path: string, extra = ''): TemplateResult {
  return html`<svg class="i ${extra}" viewBox="0 0 16 16" aria-hidden="true">${svg`<path d=${path}></path>`}</svg>`;
}

export function kindIcon(tree: Pick<Tree, 'kind' | 'key'>): TemplateResult {
  return icon(iconOf(tree), `ki f-${familyOf(tree)}`);
}

/** A tone with its word. */
export function pill(tone: StatusColor | 'absent', text = labelOf(tone)): TemplateResult {
  return html`<span class="pill ${tone}">${sign(tone)}${text}</span>`;
}

/** A name that loses its middle where it does not fit. */
export function middle(name: string): TemplateResult {
  const [first, last] = parted(name);
  return html`<bdi class="mid"><i>${first}</i><i>${last}</i></bdi>`;
}

/** `shop-web-1 Port, Waiting`, for screen readers: the visible text comes first. */
export function spoken({ kind, name }: Pick<Tree, 'kind' | 'name'>, tone: StatusColor | 'absent'): string {
  return `${name} ${kind}, ${labelOf(tone)}`;
}

export function hrefOf(key: string): string {
  return `#object=${encodeURIComponent(key)}`;
}

/** A link goes where it says, and takes what else is shown along. */
export function following(act: () => void): (event: Event) => void {
  return (event) => {
    const { metaKey, ctrlKey, shiftKey } = event as MouseEvent;
    if (metaKey || ctrlKey || shiftKey) return;
    event.preventDefault();
    act();
  };
}

/** A link to an object, as it is now. */
export function objectLink(model: Model, key: string, onChoose: (key: string) => void, at = 0): TemplateResult {
  const named = model.named(key);
  const text = html`${kindIcon(named)}<bdi class="cut">${named.name}</bdi>`;
  if (!model.isOurs(key)) return html`<span class="lk">${text}</span>`;
  const tone = model.treeAt(key, at)?.tone ?? 'absent';
  return html`<a class="lk" href=${hrefOf(key)} aria-label=${spoken(named, tone)} @click=${following(() => onChoose(key))}
    >${text}</a
  >`;
}

/** Counts of each tone other than available. */
export function tally(trees: readonly Tree[], most = 4): TemplateResult {
  const counts = tallyOf(trees).filter(([tone]) => tone !== 'available');
  return html`<span class="tally num"
    >${counts
      .slice(0, most)
      .map(
        ([tone, count]) =>
          html`<span class=${tone} title=${labelOf(tone)}>${sign(tone)}<span class="hidden">${labelOf(tone)} </span>${count}</span>`,
      )}</span
  >`;
}

/** The shares of all tones, as a thin bar. */
export function health(trees: readonly Tree[]): TemplateResult {
  return html`<div class="health" aria-hidden="true">
    ${tallyOf(trees).map(([tone, count]) => html`<i class=${tone} .style=${`flex: ${count}`}></i>`)}
  </div>`;
}

/** Objects by kind, the most first, each a way to all of them. */
export function kindChips(trees: readonly Tree[], change: ViewDeps['change']): TemplateResult {
  const kinds = new Map<string, Tree[]>();
  for (const tree of trees) {
    const known = kinds.get(tree.kind);
    if (known === undefined) kinds.set(tree.kind, [tree]);
    else known.push(tree);
  }
  const sorted = [...kinds].sort((one, other) => other[1].length - one[1].length);
  return html`<ul class="kchips">
    ${sorted.map(([kind, of]) => {
      const [first] = of;
      if (first === undefined) return nothing;
      const act = (): void =>
        change(
          of.length === 1
            ? { chosen: first.key }
            : { view: 'objects', layout: 'list', text: `kind:${kind}`, chosen: '' },
        );
      const href = of.length === 1 ? hrefOf(first.key) : `#layout=list&q=kind:${kind}`;
      return html`<li><a class="kchip" href=${href} @click=${following(act)}>${kindIcon(first)}${of.length === 1 ? html`<bdi class="cut">${first.name}</bdi>` : countedKind(of.length, kind)}</a></li>`;
    })}
  </ul>`;
}

/** Failing first; within one tone whatever blocks most. */
export function worstFirst({ causes }: Pick<Landscape, 'causes'>): (one: Tree, other: Tree) => number {
  const blocked = ({ key }: Tree): number => causes.blockedBy.get(key)?.length ?? 0;
  return (one, other) => rankOf(one.tone) - rankOf(other.tone) || blocked(other) - blocked(one);
}

/** Quotes do not protect a terminal from these: a pasted newline ends the line. */
const CONTROL = /\p{Cc}/u;

/** Copies a text, and says so for a moment. Without a text, and for one with control characters, there is no button. */
export function copyButton(
  text: string | undefined,
  label: string,
  { isWide = false, of = 'copy' }: { isWide?: boolean; of?: 'copy' | 'link' } = {},
): TemplateResult | typeof nothing {
  if (text === undefined || CONTROL.test(text)) return nothing;
  return html`<button
    type="button"
    class=${isWide ? 'btn' : 'ib'}
    title=${label}
    aria-label=${label}
    @click=${({ currentTarget }: Event) => void copied(text, currentTarget as HTMLElement)}
  >
    ${icon(SIGNS[of])}${isWide ? html`<span>${label}</span>` : nothing}
  </button>`;
}

/** Duration of the note that a text was copied, in milliseconds. */
const COPIED_MS = 1_500;

async function copied(text: string, button: HTMLElement): Promise<void> {
  await copy(text);
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), COPIED_MS);
}

/** Without a clipboard, as without TLS, the text is selected in a field. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'hidden';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
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

type Named = Pick<Tree, 'kind' | 'name' | 'namespace'>;

/**
 * A kubectl command about an object, for a shell. The name of a missing object is free text, and a link may contain any kind.
 *
 * @param options  further options, each after a blank
 * @returns undefined if the text has control characters or could pass for an option
 */
export function commandOn(verb: string, { kind, name, namespace }: Named, options = ''): string | undefined {
  const words = [`${kind.toLowerCase()}/${name}`, namespace];
  if (words.some((word) => word.startsWith('-') || CONTROL.test(word))) return undefined;
  const [object, place] = words.map(shellWord);
  return `kubectl ${verb} ${object}${namespace === '' ? '' : ` -n ${place}`}${options}`;
}

/** The command that says the same as the page. Undefined as for `commandOn`. */
export function whyCommand(named: Named): string | undefined {
  return commandOn('troupe why', named);
}
