// Marks: comments beside the code that say how it is broken on purpose. A rename or a move takes them along.
//
//   // mutant: ID [KIND[#N][.PART]] drop
//   // mutant: ID [KIND[#N][.PART]] -> CODE
//
// A mark is about the outermost node of the syntax tree that begins at the next token: the statement, member, property,
// element or expression after the comment. Without KIND that node changes, else the first node of that kind in it, in the
// order of the source, outer before inner; `#2` is the second one. Kinds are spelled as the code spells them:
//
//   &&  ||  ??  ===  <  +  !  =  ??=   an operator; `=` is a declared variable or property, too
//   ?:  ()  []  {}  =>  ...  new  await
//                                      a choice, call, array, object, arrow function, spread, `new` or `await` expression
//   ''  0  /  `                        a string, number, regular expression, template
//   if  return  throw  :               the condition of `if` or of a loop; what is returned; what is thrown; a property's value
//
// `.1` is the first part of it: an operand (`a && b && c` has three), an argument (`.0` is what is called), an element, a
// property, a condition or a branch, the body of an arrow function, what is declared (`.1`) and its value (`.2`), the object of
// `object.member`. Parts have parts: `.1.2`.
//
// `drop` removes the node, with its comma or operator. `-> CODE` replaces it; in CODE `$` is the node, and `$1`, `$2.1` its
// parts. A rename does not reach names in CODE, so it has as few as possible, and only such as the source has: else `applied`
// throws. All marks with one id are one mutant.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Program {
  readonly text: string;
  readonly root: Node;
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[];
  readonly names: () => ReadonlySet<string>;
  /** Equal for programs that do the same, however they are written. */
  readonly meaning: () => string;
}

export interface Mark {
  readonly id: string;
  readonly file: string;
  /** Line of the comment, from 1. */
  readonly line: number;
  /** Where the comment ends, in characters. */
  readonly at: number;
  readonly kind: string | undefined;
  readonly nth: number;
  readonly path: string;
  /** What replaces the node; undefined: nothing. */
  readonly code: string | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Edit extends Range {
  readonly text: string;
}

const FILES = /(?<!\.d)\.(?:ts|js|mjs|cjs)$/;
const NOT_READ = /^(?:node_modules|\..*)$/;
const MARK = /^\s*mutant:/;
const SYNTAX =
  /^ mutant: (?<id>[a-z0-9]+(?:-[a-z0-9]+)*)(?: (?<kind>\S+?)(?:#(?<nth>\d))?(?<path>(?:\.\d)*))?? (?:drop|-> (?<code>\S.*?))\s*$/;

/** What a node is made of, in the order of the source. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  UnaryExpression: ['argument'],
  AssignmentExpression: ['left', 'right'],
  AssignmentPattern: ['left', 'right'],
  VariableDeclarator: ['id', 'init'],
  ClassProperty: ['key', 'value'],
  ClassPrivateProperty: ['key', 'value'],
  ConditionalExpression: ['test', 'consequent', 'alternate'],
  CallExpression: ['callee', 'arguments'],
  OptionalCallExpression: ['callee', 'arguments'],
  NewExpression: ['callee', 'arguments'],
  ArrayExpression: ['elements'],
  ObjectExpression: ['properties'],
  ObjectProperty: ['key', 'value'],
  ArrowFunctionExpression: ['body'],
  AwaitExpression: ['argument'],
  SpreadElement: ['argument'],
  TemplateLiteral: ['expressions'],
  MemberExpression: ['object'],
  OptionalMemberExpression: ['object'],
  TSAsExpression: ['expression'],
  ExpressionStatement: ['expression'],
  ReturnStatement: ['argument'],
  IfStatement: ['test', 'consequent', 'alternate'],
  WhileStatement: ['test', 'body'],
  ForOfStatement: ['left', 'right', 'body'],
};

const KINDS: Readonly<Record<string, string>> = {
  VariableDeclarator: '=',
  ClassProperty: '=',
  ClassPrivateProperty: '=',
  AssignmentPattern: '=',
  ConditionalExpression: '?:',
  CallExpression: '()',
  OptionalCallExpression: '()',
  NewExpression: 'new',
  ArrayExpression: '[]',
  ObjectExpression: '{}',
  ArrowFunctionExpression: '=>',
  AwaitExpression: 'await',
  SpreadElement: '...',
  StringLiteral: "''",
  NumericLiteral: '0',
  RegExpLiteral: '/',
  TemplateLiteral: '`',
};

/** Kinds that are named by the node around them. */
const WITHIN: Readonly<Record<string, readonly [kind: string, key: string]>> = {
  IfStatement: ['if', 'test'],
  WhileStatement: ['if', 'test'],
  ForStatement: ['if', 'test'],
  ReturnStatement: ['return', 'argument'],
  ThrowStatement: ['throw', 'argument'],
  ObjectProperty: [':', 'value'],
};

/** Nodes whose lists have commas. */
const LISTS = ['elements', 'properties', 'arguments', 'params', 'specifiers'];

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const isBinary = ({ type }: Node): boolean => type === 'LogicalExpression' || type === 'BinaryExpression';
const isExpression = ({ type }: Node): boolean => /Expression$|Literal$|^Identifier$/.test(type);
const isCalled = ({ type }: Node): boolean => /CallExpression$|^NewExpression$/.test(type);
const parenthesisOf = (node: Node): number | undefined =>
  (node['extra'] as { parenStart?: number } | undefined)?.parenStart;

/** Nodes that need no parentheses, wherever they are put. */
const isPrimary = ({ type }: Node): boolean =>
  /^(?:Identifier|ThisExpression|ArrayExpression)$|Literal$|MemberExpression$|CallExpression$/.test(type);

/** The sources that were parsed last: marks come file by file. */
const LAST: Program[] = [];
const KEPT = 3;

function parsed(file: string, text: string): Program {
  const at = LAST.findIndex((last) => last.text === text);
  const program = LAST.splice(at, at < 0 ? 0 : 1)[0] ?? parsedAnew(file, text);
  LAST.unshift(program);
  LAST.length = Math.min(LAST.length, KEPT);
  return program;
}

function parsedAnew(file: string, text: string): Program {
  const isScript = file.endsWith('.cjs');
  const { program, comments } = parse(text, {
    sourceType: isScript ? 'script' : 'module',
    plugins: file.endsWith('.ts') ? ['typescript'] : [],
    allowReturnOutsideFunction: isScript,
    attachComment: false,
  });
  const root = program as unknown as Node;
  return {
    text,
    root,
    comments: (comments ?? []) as Program['comments'],
    names: once(() => namesIn(root)),
    meaning: once(() => meaningOf(root)),
  };
}

function childrenOf(node: Node): Node[] {
  const values = Object.entries(node).flatMap(([key, value]) => (key === 'extra' || key === 'loc' ? [] : value));
  return values.filter(isNode).sort((one, other) => one.start - other.start || other.end - one.end);
}

/** The operands of `a && b && c`, which is two operations in the tree. */
function operandsOf(node: Node): Node[] {
  const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
  const isChain = isBinary(left) && left['operator'] === operator && parenthesisOf(left) === undefined;
  return [...(isChain ? operandsOf(left) : [left]), right];
}

function partsOf(node: Node): readonly Node[] {
  if (isBinary(node)) return operandsOf(node);
  return (PARTS[node.type] ?? []).flatMap((key) => node[key]).filter(isNode);
}

/** @param path  `.1.2` */
function partAt(node: Node, path: string): Node {
  const numbers = path.split('.').filter((text) => text !== '');
  return numbers.reduce((whole, number) => {
    const part = partsOf(whole)[Number(number) - (isCalled(whole) ? 0 : 1)];
    if (part === undefined) throw new Error(`${whole.type} has no part ${number}`);
    return part;
  }, node);
}

function kindsOf(node: Node): readonly { readonly kind: string; readonly of: Node }[] {
  const [outer, key] = WITHIN[node.type] ?? [];
  const inner = key === undefined ? undefined : node[key];
  const kind = KINDS[node.type] ?? node['operator'];
  return [
    ...(typeof kind === 'string' ? [{ kind, of: node }] : []),
    ...(outer !== undefined && isNode(inner) && node['shorthand'] !== true ? [{ kind: outer, of: inner }] : []),
  ];
}

/** All nodes, in the order of the source. A chain of operands is one node. */
function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of isBinary(node) ? operandsOf(node) : childrenOf(node)) yield* nodesIn(child);
}

/** With the parentheses around it. */
function rangeOf({ text }: Program, node: Node): Range {
  const from = parenthesisOf(node);
  return from === undefined ? { from: node.start, to: node.end } : { from, to: text.indexOf(')', node.end) + 1 };
}

function nextToken({ text, comments }: Program, at: number): number {
  const from = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
  const comment = comments.find(({ start }) => start === from);
  return comment === undefined ? from : nextToken({ text, comments } as Program, comment.end);
}

function outermostAt(program: Program, node: Node, at: number): Node {
  for (const child of childrenOf(node)) {
    const { from, to } = rangeOf(program, child);
    if (from === at) return child;
    if (from < at && at < to) return outermostAt(program, child, at);
  }
  throw new Error('nothing begins after the comment');
}

function target(program: Program, { at, kind, nth, path }: Mark): Node {
  const scope = outermostAt(program, program.root, nextToken(program, at));
  if (kind === undefined) return scope;
  const named = [...nodesIn(scope)].flatMap(kindsOf).filter((found) => found.kind === kind)[nth - 1];
  if (named === undefined) throw new Error(`there is no ${kind}#${nth}`);
  return partAt(named.of, path);
}

/** The node that has `child` among its parts: the whole chain, of an operand. */
function parentOf(root: Node, child: Node): Node | undefined {
  for (const node of nodesIn(root)) {
    if ((isBinary(node) ? operandsOf(node) : childrenOf(node)).includes(child)) return node;
  }
  return undefined;
}

function dropped(program: Program, node: Node): Edit {
  const range = rangeOf(program, node);
  if (/Statement$|Declaration$/.test(node.type)) return { ...range, text: ';' };
  if (/^Class.*(?:Method|Property)$|^SwitchCase$/.test(node.type)) return { ...range, text: '' };
  const parent = parentOf(program.root, node);
  const lists = parent === undefined ? [] : LISTS.map((key) => parent[key]);
  const list = lists.find((nodes): nodes is Node[] => Array.isArray(nodes) && nodes.includes(node));
  const siblings = list ?? (parent !== undefined && isBinary(parent) ? operandsOf(parent) : undefined);
  if (siblings === undefined) throw new Error(`${node.type} cannot be dropped, only replaced`);
  const index = siblings.indexOf(node);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (after !== undefined) return { from: range.from, to: rangeOf(program, after).from, text: '' };
  if (before !== undefined) return { from: rangeOf(program, before).to, to: range.to, text: '' };
  const comma = /^\s*,/.exec(program.text.slice(range.to))?.[0].length ?? 0;
  return { from: range.from, to: range.to + comma, text: '' };
}

function replaced(program: Program, node: Node, code: string): Edit {
  const filled = code.replace(/\$(\d(?:\.\d)*)?(?![\w{])/g, (_, path: string = '') => {
    const part = partAt(node, path);
    const { from, to } = rangeOf(program, part);
    const text = program.text.slice(from, to);
    return !isExpression(part) || isPrimary(part) || from < part.start ? text : `(${text})`;
  });
  return { from: node.start, to: node.end, text: isExpression(node) ? `(${filled})` : filled };
}

function once<Value>(work: () => Value): () => Value {
  let done: { readonly value: Value } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

/** The tree without what has no meaning: positions and parentheses. */
function meaningOf(root: Node): string {
  return JSON.stringify(root, (key, value) => {
    if (/^(?:start|end|loc|extra)$/.test(key)) return undefined;
    return typeof value === 'bigint' ? `${value}` : value;
  });
}

const BUILT_IN = new Set(
  [
    globalThis,
    Math,
    JSON,
    Array,
    Promise,
    Array.prototype,
    Promise.prototype,
    RegExp.prototype,
    Set.prototype,
    String.prototype,
  ].flatMap((object) => Object.getOwnPropertyNames(object)),
);

/** Identifiers, and strings that look like one: names of states, say. */
function namesIn(root: Node): Set<string> {
  const names = new Set<string>();
  for (const { type, name, value } of nodesIn(root)) {
    if (type === 'Identifier') names.add(name as string);
    if (type === 'StringLiteral' && /^#?[A-Za-z]\w+$/.test(value as string)) names.add(value as string);
  }
  return names;
}

function markOf(file: string, text: string, comment: Program['comments'][number]): Mark {
  const line = text.slice(0, comment.start).split('\n').length;
  const { id, kind, nth = '1', path = '', code } = SYNTAX.exec(comment.value)?.groups ?? {};
  if (id === undefined) throw new Error(`${file}:${line}: this is no mark:${comment.value}`);
  return { id, file, line, at: comment.end, kind, nth: Number(nth), path, code };
}

/** All marks of the tree at `root`. @throws {Error} a comment begins like a mark, and is none */
export function marksIn(root: string): readonly Mark[] {
  const within = (folder: string): Mark[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      if (NOT_READ.test(entry.name)) return [];
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return within(`${path}/`);
      if (!entry.isFile() || !FILES.test(path)) return [];
      const text = readFileSync(join(root, path), 'utf8');
      if (!/\/[/*]\s*mutant:/.test(text)) return [];
      const { comments } = parsed(path, text);
      return comments.filter(({ value }) => MARK.test(value)).map((comment) => markOf(path, text, comment));
    });
  return within('');
}

function editOf(program: Program, mark: Mark): Edit {
  const node = target(program, mark);
  const edit = mark.code === undefined ? dropped(program, node) : replaced(program, node, mark.code);
  const { text } = program;
  const changed = parsed(mark.file, text.slice(0, edit.from) + edit.text + text.slice(edit.to));
  if (changed.meaning() === program.meaning()) throw new Error('changes nothing');
  const known = program.names();
  const unknown = [...changed.names()].find((name) => !known.has(name) && !BUILT_IN.has(name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is nowhere else in the source`);
  return edit;
}

/** The source with `marks` applied, all of which are in it. @throws {Error} one cannot be applied, or changes nothing */
function applied(file: string, text: string, marks: readonly Mark[]): string {
  const program = parsed(file, text);
  const edits = marks.map((mark) => {
    try {
      return editOf(program, mark);
    } catch (error) {
      throw new Error(`${file}:${mark.line}: ${mark.id}: ${(error as Error).message}`, { cause: error });
    }
  });
  edits.sort((one, other) => one.from - other.from);
  if (edits.some(({ from }, index) => from < (edits[index - 1]?.to ?? 0)))
    throw new Error(`${file}: marks of one mutant change the same code: ${marks.map(({ id }) => id).join(', ')}`);
  const changed = edits.reduceRight(
    (whole, edit) => whole.slice(0, edit.from) + edit.text + whole.slice(edit.to),
    text,
  );
  parsed(file, changed);
  return changed;
}

/** The files that the mutants with these ids change, and their texts then. @throws {Error} a mark is out of date */
export function mutated(root: string, marks: readonly Mark[], ids: readonly string[]): ReadonlyMap<string, string> {
  const missing = ids.find((id) => !marks.some((mark) => mark.id === id));
  if (missing !== undefined) throw new Error(`no mark has the id ${missing}`);
  const byFile = Map.groupBy(
    marks.filter(({ id }) => ids.includes(id)),
    ({ file }) => file,
  );
  return new Map([...byFile].map(([file, its]) => [file, applied(file, readFileSync(join(root, file), 'utf8'), its)]));
}
