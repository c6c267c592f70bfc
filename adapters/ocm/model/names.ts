// Names: identifiers split into words, by letter case alone, and written in three forms.

/** A name; two are the same if and only if their keys are. */
export interface Name {
  /** The identifier it was made of. */
  readonly text: string;
  /** Words as they are, joined by `_`: `access_key_ID`. */
  readonly key: string;
  /** Words in lower case, joined by `_`: `access_key_id`. */
  readonly snake: string;
  /** Words with a capital first letter, joined: `AccessKeyID`. */
  readonly camel: string;
  /** An ordinary word is in lower case, an initialism as written. */
  readonly words: readonly string[];
  /** The whole identifier became one word after the split went wrong, so the forms look nothing like it. */
  readonly garbled: boolean;
}

interface Split {
  readonly words: readonly string[];
  readonly garbled: boolean;
}

/** Boundaries between a lower-case letter and any other character, in either direction. */
const CHUNKS = /[a-z]+|[^a-z]+/g;
/** No identifier of sense is longer; what goes wrong with a longer one is not repeated for each of its parts. */
const LONGEST = 255;
const CAPITAL = /^[A-Z0-9]+$/;
const INITIALISM = /^[A-Z0-9]{2,}$/;
const LOW = /^[a-z]+$/;

/** Gives a name: of one that remembers them, always the same for the same identifier. */
export type NameOf = (identifier: string) => Name;

/** Remembers the names of identifiers: most of a model's words occur many times. */
export function nameTable(): NameOf {
  const names = new Map<string, Name>();
  return (identifier) => {
    const known = names.get(identifier);
    if (known !== undefined) return known;
    const name = nameOf(identifier);
    names.set(identifier, name);
    return name;
  };
}

/** Name for an identifier. */
export function nameOf(identifier: string): Name {
  const { words, garbled } = split(identifier);
  return written(identifier, words, garbled);
}

/** The name of a service or version: the pieces of its directory's name are ordinary words. */
export function directoryName(directory: string): Name {
  return written(
    directory,
    directory.split('_').map((piece) => piece.toLowerCase()),
    false,
  );
}

/** The name made of the words of others and one ordinary word, such as `cluster` and `list`. */
export function compoundName(parts: readonly Name[], word: string): Name {
  const words = [...parts.flatMap((part) => part.words), word];
  return written(words.map(raised).join(''), words, false);
}

/** Name order: word by word, by code point; a shorter list first where one begins with the other. */
export function compareNames(a: Name, b: Name): number {
  const length = Math.min(a.words.length, b.words.length);
  for (let i = 0; i < length; i++) {
    const [left = '', right = ''] = [a.words[i], b.words[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.words.length - b.words.length;
}

function written(text: string, words: readonly string[], garbled: boolean): Name {
  const key = words.join('_');
  return { text, key, snake: key.toLowerCase(), camel: words.map(raised).join(''), words, garbled };
}

function raised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function split(identifier: string): Split {
  const chunks = identifier.match(CHUNKS) ?? [];
  if (chunks.length <= 1 || identifier.length > LONGEST) return { words: [word(identifier)], garbled: false };
  const words: string[] = [];
  let garbled = false;
  let at = 0;
  while (at + 1 < chunks.length) {
    const [a = '', b = ''] = [chunks[at], chunks[at + 1]];
    const capital = CAPITAL.test(a);
    if (capital && a.length > 1 && b === 's') {
      words.push(`${a}s`);
      at += 2;
    } else if (capital && LOW.test(b)) {
      if (a.length > 1) words.push(a.slice(0, -1));
      words.push(a.slice(-1).toLowerCase() + b);
      at += 2;
    } else {
      // The reference tool takes the whole identifier here where it means the chunk; published documents depend on it.
      words.push(word(identifier));
      garbled = true;
      at += 1;
    }
  }
  const last = chunks[at];
  if (last !== undefined) words.push(word(last));
  return { words, garbled };
}

function word(text: string): string {
  return INITIALISM.test(text) ? text : text.toLowerCase();
}
