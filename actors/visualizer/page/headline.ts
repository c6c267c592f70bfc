// Summary of a root cause in two parts: a headline, and the whole message. Pure.

export interface Headline {
  readonly title: string;
  /** The whole summary; empty: the title says all of it. */
  readonly detail: string;
}

/** Longest title that is one or two lines, in characters. */
const LONGEST = 100;

/**
 * Parts a summary. The object and the reason of its condition are left out of the title, which other parts of the page show; of a long
 * summary the title is its last clause, which draws the conclusion.
 *
 * @param label  of the object, as summaries begin with it: `Network/public`
 */
export function headlineOf(summary: string, label: string): Headline {
  const said = summary.startsWith(`${label}: `) ? summary.slice(label.length + 2) : summary;
  const plain = said.replace(/^[A-Z][a-z]+(?:[A-Z][a-z]+)+: (?=.)/, '');
  const clauses = plain.split('; ');
  const last = clauses.at(-1) ?? plain;
  const isLong = plain.length > LONGEST && clauses.length > 1;
  const title = capital(isLong ? last : plain);
  return { title, detail: isLong || plain !== said ? said : '' };
}

export function capital(text: string): string {
  const [first = '', ...rest] = text;
  return `${first.toUpperCase()}${rest.join('')}`;
}
