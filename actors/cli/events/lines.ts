// Events as lines for people.
import { type Address, parseTraceparent, type ReceivedEvent } from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import { plain } from '../../base/printable.ts';
import { eventLabel } from '../../visualizer/page/text.ts';
import { Ink } from '../colors.ts';

/** Characters that most names of objects have room in. */
const NAME_WIDTH = 36;
const RED = '31';
const GREEN = '32';

/** Name of an object: `Subnet/app`. */
export type LabelOf = (address: Address) => string;

/** Whose step a `traceparent` is, as far as that was heard. */
export class Steps {
  readonly #actors = new Map<string, Address>();

  hear({ actor, traceparent }: ReceivedEvent): void {
    const spanId = parseTraceparent(traceparent)?.spanId;
    if (spanId !== undefined) this.#actors.set(spanId, actor);
  }

  actorOf(traceparent: string): Address | undefined {
    return this.#actors.get(parseTraceparent(traceparent)?.spanId ?? '');
  }
}

export interface LineOptions {
  readonly labelOf: LabelOf;
  readonly steps: Steps;
  /** Whether the namespaces are printed. */
  readonly places: 'one' | 'many';
  readonly ink: Ink;
}

export function lineOf({ actor, type, at, data }: ReceivedEvent, options: LineOptions): string {
  const { labelOf, places, ink } = options;
  const name = places === 'one' ? labelOf(actor) : `${actor.namespace || '-'}  ${labelOf(actor)}`;
  const [text, color] = said(type, data, options);
  const what = plain(text);
  const reported = ink === Ink.Color && color !== undefined ? `\u001b[${color}m${what}\u001b[0m` : what;
  return `${new Date(at).toISOString()}  ${plain(name).padEnd(NAME_WIDTH)}  ${reported}\n`;
}

/** Cause of a transition, behind it: `after create done`, `after 5 s`. */
export function afterCause(cause: string): string {
  const text = eventLabel(cause);
  return text.startsWith('after ') ? text : `after ${text}`;
}

/** The traceparents that a transition names. */
export function linksOf(data: ReceivedEvent['data']): readonly string[] {
  const { links } = data;
  return Array.isArray(links) ? links.filter((link): link is string => typeof link === 'string') : [];
}

export function tagsOf(data: ReceivedEvent['data']): readonly string[] {
  const { tags } = data;
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}

function said(
  type: string,
  data: ReceivedEvent['data'],
  { labelOf, steps }: LineOptions,
): readonly [text: string, color: string | undefined] {
  const text = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  switch (type) {
    case 'transition': {
      const tags = tagsOf(data);
      const by = linksOf(data).flatMap((link) => steps.actorOf(link) ?? []);
      const whose = by.length === 0 ? '' : ` by ${by.map(labelOf).join(', ')}`;
      const failure = text('failure') === '' ? '' : `  failed: ${text('failure')}`;
      const color = tags.includes(Tag.Failing) ? RED : tags.includes(Tag.Settled) ? GREEN : undefined;
      return [`${text('from') || '(new)'} -> ${text('to')}  ${afterCause(text('cause'))}${whose}${failure}`, color];
    }
    case 'call': {
      const status = typeof data['status'] === 'number' ? data['status'] : undefined;
      const took = typeof data['durationMs'] === 'number' ? `  ${Math.round(data['durationMs'])} ms` : '';
      const request = text('requestId') === '' ? '' : `  ${text('requestId')}`;
      const isRefused = status === undefined || status >= 400;
      const answer = status ?? 'no answer';
      const call = `${text('method')} ${text('service')} ${text('path')}`;
      return [`${call}  ${answer}${took}${request}`, isRefused ? RED : undefined];
    }
    case 'deleted':
      return [`${text('from')} -> (gone)`, undefined];
    case 'quarantined':
      return [`${text('from')} -> quarantined  ${text('error')}`, RED];
    default:
      return [`${type}  ${JSON.stringify(data)}`, undefined];
  }
}
