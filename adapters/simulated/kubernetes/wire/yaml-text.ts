// YAML of requests, as the API server reads it: YAML 1.1, the first document only.
import type { Document } from 'yaml';
import { fittingNumbers, mayHaveLargeNumbers } from '../../../text/exact-json.ts';
import { yaml } from '../base/libraries.ts';

/** What YAML spells infinity and the like with. */
const UNSUPPORTED = /\.(?:inf|nan)/i;

/** Limit of alias expansions: a text with more is meant to exhaust the memory. */
const MAX_ALIASES = 100;

/** Contents of a body, and its duplicate keys. */
export interface Parsed {
  readonly value: unknown;
  readonly repeated: readonly string[];
}

/** @throws {SyntaxError} it is no YAML */
export function readYaml(text: string): Parsed {
  const { parseAllDocuments, YAMLError } = yaml();
  try {
    // `yes` is true, but timestamps and base-60 numbers stay strings.
    const documents = parseAllDocuments(text, {
      schema: 'yaml-1.1',
      intAsBigInt: mayHaveLargeNumbers(text),
      uniqueKeys: false,
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp'))),
    });
    const [first] = documents;
    if (first === undefined || !('contents' in first)) return { value: null, repeated: [] };
    const [problem] = first.errors;
    if (problem !== undefined) throw problem;
    const read: unknown = first.toJS({ maxAliasCount: MAX_ALIASES });
    const value = mayHaveLargeNumbers(text) || UNSUPPORTED.test(text) ? fittingNumbers(read) : read;
    return { value, repeated: repeatedIn(first, text) };
  } catch (error) {
    if (error instanceof YAMLError) {
      const line = error.linePos?.[0].line;
      throw new SyntaxError(`yaml: ${line === undefined ? '' : `line ${line}: `}${error.code}`, { cause: error });
    }
    // Merged values are checked last, and are no error of a place.
    if (error instanceof Error && error.message.startsWith('Merge sources')) {
      throw new SyntaxError('yaml: map merge requires map or sequence of maps as the value', { cause: error });
    }
    if (error instanceof ReferenceError) throw new SyntaxError(`yaml: ${error.message}`, { cause: error });
    throw error;
  }
}

function repeatedIn(document: Document.Parsed, text: string): string[] {
  const { isMap, isScalar, visit } = yaml();
  const repeated: string[] = [];
  visit(document, {
    Map(_, map) {
      if (!isMap(map)) return;
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key;
        const line = text.slice(0, isScalar(key) ? (key.range?.[0] ?? 0) : 0).split('\n').length;
        if (seen.has(name)) repeated.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
        seen.add(name);
      }
    },
  });
  return repeated;
}
