// A command line as programs of Windows take it apart again.

/** @returns one line, from which a program gets the very same words */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (word !== '' && !/[\s"]/.test(word)) return word;
  // A backslash is one unless a quote follows, and then each counts for half of one.
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
