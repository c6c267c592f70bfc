// Marks: which there are, what they say, and complaints about those that say nothing.
import type { Annotation, Item, Literal } from './model.ts';
import { refMark } from './references.ts';
import type { Scope } from './scope.ts';
import type { Mark, Part } from './syntax.ts';

const KNOWN: ReadonlySet<string> = new Set(['deprecated', 'go', 'http', 'json', 'ref']);
/** Their `name` is what they are for. */
const NAMING: ReadonlySet<string> = new Set(['go', 'http', 'json']);

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
      for (const { name: parameter, value, place: at } of mark.parameters) {
        if (parameter !== 'name' || (typeof value === 'string' && value !== '')) continue;
        const message = `the name that '@${mark.name}' gives '${dotted}' has to be a string, and not an empty one`;
        scope.report('mark.parameter', at, message);
      }
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

/** Of several marks of one name the first counts. */
export function annotationsOf(marks: readonly Mark[]): Annotation[] {
  const first = new Map<string, Annotation>();
  for (const { name, parameters, place } of marks) {
    if (first.has(name)) continue;
    const values = parameters.map((parameter): [string, Literal] => [parameter.name, parameter.value]);
    first.set(name, { name, parameters: Object.fromEntries(values), place });
  }
  return [...first.values()];
}
