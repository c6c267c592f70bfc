// Evaluation of expressions.
//
// Where the evaluator differs from the API server, `adapt` replaces a function or operator of an expression by a function
// of the library, whose name ends in an underscore: patterns are RE2, places in texts are counted in code points, times
// are exact to the nanosecond, and integers that overflow are an error.
import { type ASTNode, ParseError } from '@marcbachmann/cel-js';
import { isList, isMap } from '../text/json.ts';
import { environment } from './library.ts';

/** Functions that the evaluator has otherwise than the API server. */
const FUNCTIONS: ReadonlySet<string> = new Set(['type', 'string', 'int', 'uint', 'timestamp', 'duration']);

/** Methods that the evaluator has otherwise than the API server. */
const METHODS: ReadonlySet<string> = new Set([
  'matches',
  'indexOf',
  'lastIndexOf',
  'substring',
  'split',
  'join',
  'trim',
  'lowerAscii',
  'upperAscii',
]);

/** Operators that the evaluator has otherwise than the API server, with the function that replaces each. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['==', 'equals_'],
  ['!=', 'differs_'],
  ['<', 'isLess_'],
  ['<=', 'isAtMost_'],
  ['>', 'isGreater_'],
  ['>=', 'isAtLeast_'],
  ['in', 'isIn_'],
  ['/', 'quotient_'],
  ['%', 'remainder_'],
  ['-_', 'negative_'],
]);

export type Parsed = { readonly ast: ASTNode } | { readonly problem: string; readonly at: number };

/** Parses an expression. The evaluator's parser refuses a number that starts with its point, so a zero is added. */
function parse(text: string): ReturnType<typeof environment.parse> {
  try {
    return environment.parse(text);
  } catch (error) {
    const at = error instanceof ParseError ? (error.node?.start ?? -1) : -1;
    if (!/^\.\d/.test(text.slice(at))) throw error;
    return parse(`${text.slice(0, at)}0${text.slice(at)}`);
  }
}

/** Parses a rule as its author wrote it. */
export function parseExpression(text: string): Parsed {
  try {
    return { ast: parse(text).ast };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const at = error.node?.start ?? 0;
    return error.code === 'invalid_macro_argument'
      ? { problem: 'argument must be a simple name', at }
      : { problem: `Syntax error: ${error.summary}`, at };
  }
}

/** A node of an expression, as the evaluator keeps it. */
interface Node {
  readonly op: string;
  args: unknown;
  readonly input: string;
  readonly start: number;
  readonly end: number;
  setMeta(name: 'alternate', node: unknown): void;
}

/** Replaces the functions and operators in an expression that the evaluator has otherwise than the API server. */
function adapt(node: unknown): void {
  if (isList(node)) for (const one of node) adapt(one);
  if (!isMap(node) || typeof node['op'] !== 'string') return;
  const { op, args, input, start, end } = node as unknown as Node;
  adapt(args);
  const parts = isList(args) ? args : [args];
  const [name, first] = parts;
  const operator = OPERATORS.get(op);
  if (operator !== undefined) replace(node, operator, parts);
  else if (op === 'call' && name === 'has' && isList(first)) {
    const [operand, field] = (first[0] as Node).args as readonly unknown[];
    replace(node, 'has_', [operand, environment.parse(JSON.stringify(field)).ast]);
  } else if (op === 'call' && FUNCTIONS.has(String(name))) parts[0] = `${String(name)}_`;
  else if (op === 'rcall' && METHODS.has(String(name))) parts[0] = `${String(name)}_`;
  else if (args instanceof Uint8Array) node['args'] = bytesOf(input.slice(start, end)) ?? args;
}

/** Makes a node evaluate as a call of a function. */
function replace(node: unknown, name: string, parameters: readonly unknown[]): void {
  const { ast } = environment.parse(`${name}(${parameters.map(() => 'self').join(', ')})`);
  (ast as unknown as Node).args = [name, parameters];
  (node as Node).setMeta('alternate', ast);
}

/** Value of a literal of bytes with characters outside ASCII, which are their bytes in UTF-8. */
function bytesOf(literal: string): unknown {
  const escaped = literal.replaceAll(/\P{ASCII}/gu, (point) =>
    Buffer.from(point).toString('hex').replaceAll(/../g, '\\x$&'),
  );
  return escaped === literal ? undefined : environment.parse(escaped).ast.args;
}

/**
 * Prepares an expression for evaluation.
 *
 * @throws {ParseError} the text is no CEL expression
 */
export function evaluator(text: string): (context: Readonly<Record<string, unknown>>) => unknown {
  const run = parse(text);
  adapt(run.ast);
  return (context) => run({ ...context }) as unknown;
}
