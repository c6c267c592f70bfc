// A word of a command line that a person pastes into a shell.

/** @returns the word as it is where a POSIX shell takes it as one word, else in single quotes */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
