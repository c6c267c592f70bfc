// Manifests in files, converted without a server: what is of one version in a text becomes the other one that means the same.
//
// Invariants:
//   IRONIC-MANIFESTS-1. Documents that are not concerned stay as they are, to the byte; in the others so does all that did not change.
//   IRONIC-MANIFESTS-2. Whatever the text of a document is made of, what comes out says what the conversion of its data says.
import { type Document, isNode, Parser, parseDocument } from 'yaml';
import type { ConvertedManifests, ManifestProblem } from '../../../api/manifests.ts';
import { isMap, type JsonMap } from '../../json-values.ts';
import { GROUP } from '../types.ts';
import { withoutCache } from './cache.ts';
import { convertObject } from './convert.ts';
import { nameOf } from './object-name.ts';
import { isSame, without } from './paths.ts';
import { NAMES_IN_V1BETA1 } from './rules/names.ts';
import { RULES } from './rules/rules.ts';
import { blockText, editsOf, withEdits } from './text-edits.ts';
import { groupOf, V1ALPHA1, V1BETA1 } from './versions.ts';

/** Target version of a conversion. */
type Version = typeof V1ALPHA1 | typeof V1BETA1;

/** New names of fields, by those of the version before. */
const RENAMES: Readonly<Record<Version, ReadonlyMap<string, string>>> = {
  [V1BETA1]: NAMES_IN_V1BETA1,
  [V1ALPHA1]: new Map([...NAMES_IN_V1BETA1].map(([old, name]) => [name, old])),
};

/** A problem inside of a document. */
interface Finding {
  /** Keys and indices that lead to it. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Converted {
  readonly value: unknown;
  readonly findings: readonly Finding[];
}

/** Maximum number of alias expansions: a text with more is an attempt to fill the memory. */
const MAX_ALIASES = 100;

/**
 * Converts every object of the other version in a text, also those in lists. Objects of `to` stay as they are, and so does what is
 * of another group. What is converted has no status and nothing that is kept for a way back.
 *
 * @param text  YAML of one or several documents, or JSON of one or several objects
 */
export function convertManifests(text: string, to: Version = V1BETA1): ConvertedManifests {
  const problems: ManifestProblem[] = [];
  const pieces: string[] = [];
  let line = 1;
  for (const [at, piece] of (jsonPieces(text) ?? yamlPieces(text)).entries()) {
    const { text: converted, problems: found } = convertedPiece(piece, to);
    pieces.push(converted);
    problems.push(...found.map((problem) => ({ ...problem, document: at + 1, line: line + problem.line - 1 })));
    line += lineOf(piece, piece.length) - 1;
  }
  return { text: pieces.join(''), problems };
}

interface ConvertedPiece {
  readonly text: string;
  readonly problems: readonly Omit<ManifestProblem, 'document'>[];
}

function unreadable(piece: string, offset: number, reason: string): ConvertedPiece {
  const problem = { line: lineOf(piece, offset), message: `not valid YAML: ${reason}`, isUnreadable: true } as const;
  return { text: piece, problems: [problem] };
}

/** First line of a message of the parser, without the position, which counts from the begin of the document. */
function reasonOf(message: string): string {
  const [line = ''] = message.split('\n');
  return line.replace(/ at line \d+, column \d+:?$/, '');
}

function convertedPiece(piece: string, to: Version): ConvertedPiece {
  const document = parsed(piece);
  const [error] = document.errors;
  if (error !== undefined) return unreadable(piece, error.pos[0], reasonOf(error.message));
  const before = dataOf(document);
  if (before === undefined)
    return unreadable(piece, piece.search(/\*/), 'an alias without an anchor, or too many aliases');
  const { value: after, findings } = converted(before.data, [], to);
  return {
    text: isSame(before.data, after) ? piece : rewritten(piece, document, { before: before.data, after, to }),
    problems: findings.map(({ path, message }) => ({ line: lineOf(piece, offsetOf(document, path)), message })),
  };
}

/**
 * IRONIC-MANIFESTS-2: if edits of the text do not produce the result, the document is written again without comments.
 */
function rewritten(
  piece: string,
  document: Document.Parsed,
  { before, after, to }: { readonly before: unknown; readonly after: unknown; readonly to: Version },
): string {
  const edits = editsOf(document.contents, before, after, { text: piece, renames: RENAMES[to] });
  const edited = withEdits(piece, edits);
  const again = parsed(edited);
  if (again.errors.length === 0 && isSame(dataOf(again)?.data, after)) return edited;
  const json = jsonOf(piece);
  if (json !== undefined) return `${JSON.stringify(converted(json, [], to).value, undefined, 2)}\n`;
  return `${document.directives.docStart ? '---\n' : ''}${blockText(after)}`;
}

function converted(value: unknown, path: Finding['path'], to: Version): Converted {
  if (!isMap(value)) return { value, findings: [] };
  const { apiVersion, items } = value;
  if (isList(value) && Array.isArray(items)) {
    const parts = items.map((item, at) => converted(item, [...path, 'items', at], to));
    const version = groupOf(String(apiVersion)) === GROUP ? to : apiVersion;
    return {
      value: { ...value, apiVersion: version, items: parts.map((part) => part.value) },
      findings: parts.flatMap(({ findings }) => findings),
    };
  }
  if (groupOf(String(apiVersion)) !== GROUP || apiVersion === to) return { value, findings: [] };
  const conversion = convertObject(value, to);
  if (conversion.kind === 'done') return { value: asManifest(conversion.object, value), findings: [] };
  return { value, findings: [{ path, message: `${nameOf(value)}: ${conversion.error.message}` }] };
}

/** A list of anything, or one of the group's. */
function isList({ apiVersion, kind }: JsonMap): boolean {
  if (apiVersion === 'v1') return kind === 'List';
  const isOurs = apiVersion === V1ALPHA1 || apiVersion === V1BETA1;
  return isOurs && typeof kind === 'string' && kind.endsWith('List') && RULES.has(kind.slice(0, -4));
}

function asManifest(object: JsonMap, source: JsonMap): JsonMap {
  const manifest = without(object, 'status');
  if (!Object.hasOwn(source, 'metadata')) return without(manifest, 'metadata');
  return { ...manifest, metadata: withoutCache(source['metadata']) };
}

/** YAML 1.1 as Kubernetes reads it, where `yes` is true, but times and numbers with colons are texts. */
function parsed(text: string): Document.Parsed {
  return parseDocument(text, {
    schema: 'yaml-1.1',
    prettyErrors: false,
    intAsBigInt: true,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp'))),
  });
}

/** Data of a document; undefined if its aliases are invalid. */
function dataOf(document: Document.Parsed): { readonly data: unknown } | undefined {
  try {
    return { data: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function offsetOf(document: Document.Parsed, path: Finding['path']): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** The line of a place in the text, counted from 1. */
const lineOf = (text: string, offset: number): number => text.slice(0, Math.max(0, offset)).split('\n').length;

/** The documents of a text, each with what is around it: together they are the text. */
function yamlPieces(text: string): readonly string[] {
  const starts = [0];
  let hasDocument = false;
  for (const { type, offset } of new Parser().parse(text)) {
    if (hasDocument && type !== 'doc-end') {
      starts.push(offset);
      hasDocument = false;
    }
    hasDocument ||= type === 'document';
  }
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}

/** The objects of a text that is nothing but JSON objects, each with the space before it; undefined: it is not. */
function jsonPieces(text: string): readonly string[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  let isText = false;
  for (const { 0: token, index } of text.matchAll(/\\.|["{}]/g)) {
    if (token === '"') isText = !isText;
    else if (!isText && token === '{') depth++;
    else if (!isText && token === '}') depth--;
    if (token !== '}' || depth > 0) continue;
    pieces.push(text.slice(start, index + 1));
    start = index + 1;
  }
  const last = pieces.pop();
  if (last === undefined || pieces.some((piece) => jsonOf(piece) === undefined)) return undefined;
  const rest = text.slice(start);
  return jsonOf(last) === undefined || rest.trim() !== '' ? undefined : [...pieces, last + rest];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
