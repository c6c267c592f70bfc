// Marks: which there are, what they say, and complaints about those that say nothing.

import { hint } from '../../text/nearest.ts';
import type { Annotation, Item, Literal } from './model.ts';
import { refMark } from './references.ts';
import type { Scope } from './scope.ts';
import type { Mark, Part } from './syntax.ts';

const KNOWN: ReadonlySet<string> = new Set(['deprecated', 'go', 'http', 'json', 'ref']);
/** Their `name` is what they are for. */
const NAMING: ReadonlySet<string> = new Set(['go', 'http', 'json']);

/** What RFC 3986 allows in a segment as it is. */
const SEGMENT = /^[A-Za-z0-9\-._~!$&'()*+,;=:@]+$/;
const CONTROL = /\p{Cc}/u;

/** What `@json(name = ...)` or its like says. */
export function markedName({ annotations }: Pick<Item, 'annotations'>, mark: 'json' | 'http'): string | undefined {
  const value = annotations.find(({ name }) => name === mark)?.parameters['name'];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Complains about the marks of a part, and about a name whose split into words went wrong for all to see. */
export function checkMarks(part: Part & { readonly form?: string }, dotted: string, scope: Scope): void {
  for (const mark of part.marks) {
    if (!KNOWN.has(mark.name)) {
      scope.report('mark.unknown', mark.place, `the mark '@${mark.name}' of '${dotted}' is unknown and does nothing`);
    } else if (NAMING.has(mark.name)) {
      checkNaming(mark, part, dotted, scope);
    } else if (mark.name === 'ref' && refMark({ form: part.form ?? '', marks: part.marks }) === undefined) {
      const reason = part.form === 'class' ? "it has no 'path'" : 'only classes take over others';
      scope.report('ref.ignored', mark.place, `'@ref' does nothing for '${dotted}': ${reason}`);
    }
  }
  const { name, place } = part.item;
  if (!name.garbled || part.marks.some((mark) => mark.name === 'json' || mark.name === 'http')) return;
  const hint = `becomes '${name.snake}'; a name in CamelCase, '@json' or '@http' avoids that`;
  scope.report('name.split', place, `'${name.text}' cannot be split into words and ${hint}`);
}

/** A mark that is there to give a name: it has to give one, and one that can be where it goes. */
function checkNaming(mark: Mark, part: Part, dotted: string, scope: Scope): void {
  const isNamed = mark.parameters.some(({ name }) => name === 'name');
  for (const { name: parameter, value, place } of mark.parameters) {
    if (parameter !== 'name') {
      const what = `'${parameter}' of '@${mark.name}' of '${dotted}' is unknown`;
      const meant = hint(parameter, ['name']);
      if (isNamed) scope.report('mark.unknown', place, `${what} and does nothing${meant}`);
      else scope.report('mark.parameter', place, `${what}: the mark is there to give a 'name'${meant}`);
    } else if (typeof value !== 'string' || value === '') {
      const message = `the name that '@${mark.name}' gives '${dotted}' has to be a string, and not an empty one`;
      scope.report('mark.parameter', place, message);
    } else if (mark.name === 'http' && !isName(value, part)) {
      const message = `'@http' calls '${dotted}' ${JSON.stringify(value)}, which cannot be one part of a URL`;
      scope.report('mark.parameter', place, message);
    }
  }
}

/** In a path it is a segment, and may be no template of one; a query can hold whatever is text. */
function isName(value: string, part: Part): boolean {
  if (isSegment(part)) return SEGMENT.test(value) && value !== '.' && value !== '..';
  return !CONTROL.test(value);
}

/** Locators and methods have one. */
function isSegment(part: Part): boolean {
  return 'target' in part || 'parameters' in part;
}

/** The first of several marks with one name counts. */
export function annotationsOf(marks: readonly Mark[]): Annotation[] {
  const first = new Map<string, Annotation>();
  for (const { name, parameters, place } of marks) {
    if (first.has(name)) continue;
    const values = parameters.map((parameter): [string, Literal] => [parameter.name, parameter.value]);
    first.set(name, { name, parameters: Object.fromEntries(values), place });
  }
  return [...first.values()];
}
