// The JSONPath of kubectl, as printer columns use it: fields, indices, slices, wildcards and filters that compare.
import { isList, isMap, same } from '../../../text/json.ts';

type Step = (values: readonly unknown[]) => unknown[];

/** The values at a path; none when something on the way is missing. */
export type JsonPath = (root: unknown) => unknown[];

const childrenOf = (value: unknown): unknown[] => (isList(value) ? value : isMap(value) ? Object.values(value) : []);

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const everything: Step = (values) => values.flatMap(childrenOf);

function descend(values: readonly unknown[]): unknown[] {
  return values.flatMap((value) => [value, ...descend(childrenOf(value))]);
}

function slice(text: string): Step {
  const [from = '', to, step = '1'] = text.split(':');
  return (values) =>
    values.flatMap((value) => {
      if (!isList(value)) return [];
      if (to === undefined) {
        const index = Number(from);
        const item = value.at(index);
        return index < value.length && item !== undefined ? [item] : [];
      }
      const end = to === '' ? value.length : Number(to);
      return value.slice(from === '' ? 0 : Number(from), end).filter((_, index) => index % Number(step || 1) === 0);
    });
}

/** A literal or a path that begins with `@` or `$`. */
function operand(text: string): (item: unknown) => unknown[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('@')) return compileJsonPath(trimmed.slice(1));
  if (/^(['"]).*\1$/s.test(trimmed)) return () => [trimmed.slice(1, -1)];
  if (trimmed === 'true' || trimmed === 'false') return () => [trimmed === 'true'];
  return () => [Number(trimmed)];
}

function filter(text: string): Step {
  const match = /^(.*?)(==|!=|<=|>=|<|>)(.*)$/s.exec(text);
  if (match === null) {
    const exists = operand(text);
    return (values) => values.flatMap((value) => childrenOf(value).filter((item) => exists(item).length > 0));
  }
  const [, leftText = '', operator = '', rightText = ''] = match;
  const [left, right] = [operand(leftText), operand(rightText)];
  const holds = (item: unknown): boolean => {
    const [a] = left(item);
    const [b] = right(item);
    if (a === undefined || b === undefined) return false;
    if (operator === '==') return same(a, b);
    if (operator === '!=') return !same(a, b);
    if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) return false;
    const order = a < (b as typeof a) ? -1 : a === b ? 0 : 1;
    return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order >= 0;
  };
  return (values) => values.flatMap((value) => childrenOf(value).filter(holds));
}

/** Position where the bracket that opens at `open` closes, quotes and inner brackets skipped. */
function closing(path: string, open: number): number {
  let depth = 0;
  let quote = '';
  for (let index = open; index < path.length; index++) {
    const character = path[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === "'" || character === '"') quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return index;
  }
  throw new SyntaxError(`unterminated array in '${path}'`);
}

function bracket(content: string): Step {
  const text = content.trim();
  if (text === '*') return everything;
  if (text.startsWith('?(')) return filter(text.slice(2, text.lastIndexOf(')')));
  if (text.startsWith("'") || text.startsWith('"')) {
    const names = text.split(',').map((part) => field(part.trim().slice(1, -1)));
    return (values) => names.flatMap((step) => step(values));
  }
  const parts = text.split(',').map((part) => slice(part.trim()));
  return (values) => parts.flatMap((step) => step(values));
}

/** @throws {SyntaxError} the path has a bracket that never closes */
export function compileJsonPath(text: string): JsonPath {
  const path = text
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '');
  const steps: Step[] = [];
  let index = 0;
  while (index < path.length) {
    if (path[index] === '[') {
      const end = closing(path, index);
      steps.push(bracket(path.slice(index + 1, end)));
      index = end + 1;
    } else if (path.startsWith('..', index)) {
      steps.push(descend);
      index += path[index + 2] === '[' ? 2 : 1;
    } else if (path[index] === '.') {
      const match = /^\.((?:\\.|[^.[\]\\])*)/.exec(path.slice(index));
      const name = (match?.[1] ?? '').replaceAll(/\\(.)/g, '$1');
      if (name === '*') steps.push(everything);
      else if (name !== '') steps.push(field(name));
      index += match?.[0].length ?? 1;
    } else {
      const match = /^[^.[]+/.exec(path.slice(index));
      const name = match?.[0] ?? '';
      if (name !== '@') steps.push(field(name));
      index += name.length || 1;
    }
  }
  return (root) => steps.reduce<unknown[]>((values, step) => step(values), [root]);
}
