// Ends of texts and lines, in time that grows with the length. An expression such as /\/+$/ starts again at each slash of a run
// that is not at the end: quadratic for texts of others.

/** The text without these characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  // mutant: end-by-expression return -> text.replace(new RegExp(`[${characters.replace('\\', '\\\\')}]+(?![^])`), '')
  return text.slice(0, end);
}

/** The lines of a text without blank ones, as one line with semicolons. */
export function joinedLines(text: string): string {
  // mutant: lines-by-expression return -> text.trim().split(/\s*\n\s*/).join('; ')
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');
}
