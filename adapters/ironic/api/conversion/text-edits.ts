// Changes of a document as edits of its text, so that comments, order and spelling of all that stays are as they were.
import {
  isMap as isMapping,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type ParsedNode,
  stringify,
  type YAMLMap,
} from 'yaml';
import { isMap, type JsonMap } from '../../json-values.ts';
import { isSame, sortedJson } from './paths.ts';

/** Characters `start` to `end` of a text become `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A pair of a mapping in the text. */
interface Field {
  readonly key: string;
  readonly pair: Pair<ParsedNode, ParsedNode | null>;
  readonly keyStart: number;
  /** Behind the value; behind the key where there is no value. */
  readonly end: number;
}

export interface Edited {
  readonly text: string;
  /** New names of keys that were renamed while their values stayed. */
  readonly renames: ReadonlyMap<string, string>;
}

/**
 * The edits that turn `before` into `after`. Changes that edits cannot express well, for example behind an alias, are
 * left out: the caller has to check the result.
 */
export function editsOf(node: unknown, before: unknown, after: unknown, edited: Edited): readonly Edit[] {
  if (before === after || isSame(before, after)) return [];
  if (isMapping(node) && isMap(before) && isMap(after))
    return editsOfMap(node as YAMLMap.Parsed, before, after, edited);
  if (isSeq(node) && Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return node.items.flatMap((item, at) => editsOf(item, before[at], after[at], edited));
  }
  if (isScalar(node) && node.range && typeof after === 'string') {
    return [{ start: node.range[0], end: node.range[1], text: quotedLike(node, after) }];
  }
  return [];
}

function editsOfMap(map: YAMLMap.Parsed, before: JsonMap, after: JsonMap, edited: Edited): readonly Edit[] {
  const fields = fieldsOf(map);
  const isGone = (key: string): boolean => !Object.hasOwn(after, key);
  const nameOf = (key: string): string => {
    const name = edited.renames.get(key) ?? key;
    return isGone(key) && Object.hasOwn(after, name) && !Object.hasOwn(before, name) ? name : key;
  };
  const edits: Edit[] = [];
  const stayed: Field[] = [];
  for (const [at, field] of fields.entries()) {
    const { key, pair } = field;
    const name = nameOf(key);
    if (isGone(name)) {
      edits.push(removal(map, fields, at, edited.text));
      continue;
    }
    stayed.push(field);
    if (name !== key) edits.push(...editsOf(pair.key, key, name, edited));
    edits.push(...editsOf(pair.value, before[key], after[name], edited));
  }
  const names = new Set(stayed.map(({ key }) => nameOf(key)));
  const added = Object.entries(after).filter(([key]) => !names.has(key));
  return [...edits, ...added.flatMap(([key, value]) => addition(map, stayed, [key, value], edited.text))];
}

function fieldsOf(map: YAMLMap.Parsed): readonly Field[] {
  return map.items.flatMap((pair) => {
    const { key, value } = pair;
    if (!isScalar(key) || !key.range) return [];
    const end = value?.range && value.range[1] > key.range[1] ? value.range[1] : key.range[1];
    return [{ key: String(key.value), pair, keyStart: key.range[0], end }];
  });
}

/** In block style whole lines go, in flow style what is between the braces and a comma. */
function removal(map: YAMLMap.Parsed, fields: readonly Field[], at: number, text: string): Edit {
  const { keyStart: start, end } = fields[at] as Field;
  if (map.flow) {
    const [previous, next] = [fields[at - 1], fields[at + 1]];
    if (previous !== undefined) return { start: previous.end, end, text: '' };
    return { start, end: next?.keyStart ?? end, text: '' };
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return { start: lineStart, end: text[end - 1] === '\n' ? end : lineEnd(text, end) + 1, text: '' };
}

/** Behind the last field that is there and takes but one line, or behind the last one in flow style. */
function addition(
  map: YAMLMap.Parsed,
  fields: readonly Field[],
  [key, value]: readonly [string, unknown],
  text: string,
): readonly Edit[] {
  if (map.flow) {
    const last = fields.at(-1);
    if (last === undefined) return [];
    const member = `${JSON.stringify(key)}: ${sortedJson(value)}`;
    return [{ start: last.end, end: last.end, text: `,${spaceBefore(last, text) || ' '}${member}` }];
  }
  const anchor = fields.findLast(({ pair: { value } }) => isOneLiner(value, text));
  if (anchor === undefined) return [];
  const at = lineEnd(text, anchor.end, 'before its end');
  const indent = ' '.repeat(anchor.keyStart - (text.lastIndexOf('\n', anchor.keyStart - 1) + 1));
  const lines = blockText({ [key]: value })
    .trimEnd()
    .split('\n');
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return [{ start: at, end: at, text: lines.map((line) => `${newline}${indent}${line}`).join('') }];
}

/** The end of the line, at its line feed; or before a carriage return that comes with it. */
function lineEnd(text: string, from: number, which: 'at its end' | 'before its end' = 'at its end'): number {
  const found = text.indexOf('\n', from);
  if (found < 0) return text.length;
  return which === 'before its end' && text[found - 1] === '\r' ? found - 1 : found;
}

/** The line break and the indentation before a key that begins a line; '' otherwise. */
function spaceBefore({ keyStart }: Field, text: string): string {
  return /\r?\n[ \t]*$/.exec(text.slice(0, keyStart))?.[0] ?? '';
}

function isOneLiner(value: Node | null, text: string): boolean {
  if (!value?.range || (!isScalar(value) && !('flow' in value && value.flow))) return false;
  return !text.slice(value.range[0], value.range[1]).includes('\n');
}

/** In the quotes that the text has. */
function quotedLike({ type }: { readonly type?: string }, text: string): string {
  if (type === 'QUOTE_DOUBLE') return JSON.stringify(text);
  return type === 'QUOTE_SINGLE' ? `'${text}'` : text;
}

/** YAML in block style. Texts that older readers take for numbers are quoted. */
export function blockText(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0 });
}

/** The text with all edits. The edits do not overlap; otherwise the caller must discard the result. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((one, other) => one.start - other.start || one.end - other.end);
  let result = '';
  let at = 0;
  for (const edit of ordered) {
    result += text.slice(at, Math.max(at, edit.start)) + edit.text;
    at = Math.max(at, edit.end);
  }
  return result + text.slice(at);
}
