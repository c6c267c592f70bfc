// Expressions in the form of the type checker and the cost estimate: macros are expanded.
import type { ASTNode } from '@marcbachmann/cel-js';

/** `at` is where messages about the node point: its name, its operator or its bracket. */
export type CelNode =
  | {
      readonly kind: 'literal';
      readonly at: number;
      readonly type: string;
      readonly size: number;
      readonly value: unknown;
    }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'field';
      readonly at: number;
      readonly operand: CelNode;
      readonly field: string;
      /** Written with `has()`, or with `.?`. */
      readonly mode: 'value' | 'presence' | 'optional';
    }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly name: string;
      readonly target: CelNode | undefined;
      readonly parameters: readonly CelNode[];
    }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly CelNode[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly (readonly [CelNode, CelNode])[] }
  | Fold
  | {
      readonly kind: 'bind';
      readonly at: number;
      readonly name: string;
      readonly value: CelNode;
      readonly body: CelNode;
    };

/** Expansion of `all`, `map` and similar macros: a loop over a list or map that changes `@result` at every step. */
export interface Fold {
  readonly kind: 'fold';
  readonly at: number;
  readonly range: CelNode;
  /** One variable, or index and item, or key and value. */
  readonly variables: readonly string[];
  readonly start: CelNode;
  readonly condition: CelNode;
  readonly step: CelNode;
  readonly result: CelNode;
}

export const RESULT = '@result';

/** Name of the list that `sortBy` sorts. */
const SORTED = '@__sortBy_input__';

/** Problem of an expression, with its position. */
export class CelProblem extends Error {
  override name = 'CelProblem';
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const BINARY: Readonly<Record<string, string>> = { in: '@in', '[]': '_[_]', '[?]': '_[?_]' };

/** @throws {CelProblem} a macro is called as it cannot be */
export function treeOf(node: ASTNode): CelNode {
  switch (node.op) {
    case 'value':
      return literal(node.start, node.args);
    case 'id':
      return { kind: 'name', at: node.start, name: node.args };
    case '.':
    case '.?': {
      const [operand, field] = node.args;
      const mode = node.op === '.' ? 'value' : 'optional';
      return { kind: 'field', at: after(node, operand, '.'), operand: treeOf(operand), field, mode };
    }
    case 'call':
      return globalCall(node.start + node.args[0].length, ...node.args);
    case 'rcall': {
      const [name, receiver, parameters] = node.args;
      const at = node.input.indexOf('(', node.input.indexOf(name, after(node, receiver, '.')));
      return memberCall(at, name, receiver, parameters);
    }
    case 'list':
      return { kind: 'list', at: node.start, items: node.args.map(treeOf) };
    case 'map':
      return { kind: 'map', at: node.start, entries: node.args.map(([key, value]) => [treeOf(key), treeOf(value)]) };
    case '?:': {
      const [condition, then, otherwise] = node.args;
      return call(after(node, condition, '?'), '_?_:_', [treeOf(condition), treeOf(then), treeOf(otherwise)]);
    }
    case '!_':
      return call(node.pos, '!_', [treeOf(node.args)]);
    case '-_': {
      const { args } = node;
      const isNumber = args.op === 'value' && (typeof args.args === 'bigint' || typeof args.args === 'number');
      return isNumber ? literal(node.pos, negated(args.args)) : call(node.pos, '-_', [treeOf(args)]);
    }
    default: {
      const [left, right] = node.args;
      const sign = node.op.startsWith('[') ? '[' : node.op;
      return call(after(node, left, sign), BINARY[node.op] ?? `_${node.op}_`, [treeOf(left), treeOf(right)]);
    }
  }
}

/** Whether an expression reads a name. */
export function reads(node: CelNode, name: string): boolean {
  return (node.kind === 'name' && node.name === name) || childrenOf(node).some((child) => reads(child, name));
}

/** The parts of a node. */
export function childrenOf(node: CelNode): readonly CelNode[] {
  switch (node.kind) {
    case 'field':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.parameters : [node.target, ...node.parameters];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'fold':
      return [node.range, node.start, node.condition, node.step, node.result];
    case 'bind':
      return [node.value, node.body];
    default:
      return [];
  }
}

/** Position of a sign after a part of a node, which may be in parentheses. */
function after({ input }: ASTNode, part: ASTNode, sign: string): number {
  const at = input.indexOf(sign, part.end);
  return at < 0 ? part.end : at;
}

const negated = (value: unknown): unknown => (typeof value === 'bigint' || typeof value === 'number' ? -value : value);

function literal(at: number, value: unknown): CelNode {
  const of = (type: string, size = 1): CelNode => ({ kind: 'literal', at, type, size, value });
  if (typeof value === 'string') return of('string', [...value].length);
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) throw new CelProblem(at, 'invalid int literal');
    return of('int');
  }
  if (typeof value === 'number') return of('double');
  if (typeof value === 'boolean') return of('bool');
  if (value === null) return of('null');
  return value instanceof Uint8Array ? of('bytes', value.length) : of('uint');
}

const call = (at: number, name: string, parameters: readonly CelNode[]): CelNode => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  parameters,
});

function globalCall(at: number, name: string, parameters: readonly ASTNode[]): CelNode {
  const [only] = parameters;
  if (name !== 'has' || only === undefined || parameters.length !== 1) return call(at, name, parameters.map(treeOf));
  const tree = treeOf(only);
  if (tree.kind !== 'field' || tree.mode !== 'value') throw new CelProblem(tree.at, 'invalid argument to has() macro');
  return { ...tree, at, mode: 'presence' };
}

type Macro = (fold: FoldMaker, parameters: readonly CelNode[]) => CelNode | undefined;

interface FoldMaker {
  readonly at: number;
  /** A node that is read, or a new one of the same name. */
  result(): CelNode;
  truth(value: boolean): CelNode;
  call(name: string, ...parameters: readonly CelNode[]): CelNode;
  fold(variables: readonly string[], start: CelNode, condition: CelNode, step: CelNode, result?: CelNode): CelNode;
}

const isVariable = (node: CelNode | undefined): node is CelNode & { readonly kind: 'name' } => node?.kind === 'name';

const quantifier =
  (kind: 'all' | 'exists'): Macro =>
  (make, parameters) => {
    const predicate = parameters.at(-1);
    if (predicate === undefined) return undefined;
    const goesOn = kind === 'all' ? make.result() : make.call('!_', make.result());
    const step = make.call(kind === 'all' ? '_&&_' : '_||_', make.result(), predicate);
    return make.fold(namesOf(parameters), make.truth(kind === 'all'), make.call('@not_strictly_false', goesOn), step);
  };

const existsOne: Macro = (make, parameters) => {
  const predicate = parameters.at(-1);
  if (predicate === undefined) return undefined;
  const number = (value: bigint): CelNode => literal(make.at, value);
  const step = make.call('_?_:_', predicate, make.call('_+_', make.result(), number(1n)), make.result());
  return make.fold(
    namesOf(parameters),
    number(0n),
    make.truth(true),
    step,
    make.call('_==_', make.result(), number(1n)),
  );
};

const asList = (make: FoldMaker, item: CelNode): CelNode => ({ kind: 'list', at: make.at, items: [item] });

function collect(make: FoldMaker, variables: readonly string[], filter: CelNode | undefined, item: CelNode): CelNode {
  const push = make.call('_+_', make.result(), asList(make, item));
  const step = filter === undefined ? push : make.call('_?_:_', filter, push, make.result());
  return make.fold(variables, { kind: 'list', at: make.at, items: [] }, make.truth(true), step);
}

function insert(
  make: FoldMaker,
  variables: readonly string[],
  filter: CelNode | undefined,
  ...parts: CelNode[]
): CelNode {
  const put = make.call('cel.@mapInsert', make.result(), ...parts);
  const step = filter === undefined ? put : make.call('_?_:_', filter, put, make.result());
  return make.fold(variables, { kind: 'map', at: make.at, entries: [] }, make.truth(true), step);
}

/** The variables of a macro: all its parameters but the last. */
function namesOf(parameters: readonly CelNode[]): string[] {
  return parameters.slice(0, -1).flatMap((node) => (isVariable(node) ? node.name : []));
}

const filterOf = (parameters: readonly CelNode[], count: number): CelNode | undefined =>
  parameters.length > count + 1 ? parameters[count] : undefined;

/** Macros by name and number of parameters. */
const MACROS: Readonly<Record<string, Macro>> = {
  'all/2': quantifier('all'),
  'all/3': quantifier('all'),
  'exists/2': quantifier('exists'),
  'exists/3': quantifier('exists'),
  'exists_one/2': existsOne,
  'existsOne/2': existsOne,
  'existsOne/3': existsOne,
  'map/2': (make, [name, item]) => (item && isVariable(name) ? collect(make, [name.name], undefined, item) : undefined),
  'map/3': (make, [name, filter, item]) =>
    item && isVariable(name) ? collect(make, [name.name], filter, item) : undefined,
  'filter/2': (make, [name, filter]) =>
    filter && isVariable(name) ? collect(make, [name.name], filter, { ...name }) : undefined,
  'transformList/3': (make, parameters) => transformed(make, parameters, collect),
  'transformList/4': (make, parameters) => transformed(make, parameters, collect),
  'transformMap/3': (make, parameters) => transformed(make, parameters, insertByKey),
  'transformMap/4': (make, parameters) => transformed(make, parameters, insertByKey),
  'transformMapEntry/3': (make, parameters) => transformed(make, parameters, insert),
  'transformMapEntry/4': (make, parameters) => transformed(make, parameters, insert),
};

function transformed(make: FoldMaker, parameters: readonly CelNode[], gather: typeof collect): CelNode | undefined {
  const last = parameters.at(-1);
  return last && gather(make, namesOf(parameters.slice(0, 3)), filterOf(parameters, 2), last);
}

function insertByKey(
  make: FoldMaker,
  variables: readonly string[],
  filter: CelNode | undefined,
  value: CelNode,
): CelNode {
  return insert(make, variables, filter, { kind: 'name', at: make.at, name: variables[0] ?? '' }, value);
}

/** `optMap` and `optFlatMap`: what is made of the value of an optional, where it has one. */
function optionalMap(
  at: number,
  name: string,
  receiver: ASTNode,
  [variable, body]: readonly CelNode[],
): CelNode | undefined {
  if (!isVariable(variable) || body === undefined) return undefined;
  const member = (method: string): CelNode => ({
    kind: 'call',
    at,
    name: method,
    target: treeOf(receiver),
    parameters: [],
  });
  const optional = (method: string, parameters: readonly CelNode[]): CelNode => ({
    kind: 'call',
    at,
    name: method,
    target: { kind: 'name', at, name: 'optional' },
    parameters,
  });
  const bound: CelNode = { kind: 'bind', at, name: variable.name, value: member('value'), body };
  const made = name === 'optMap' ? optional('of', [bound]) : bound;
  return call(at, '_?_:_', [member('hasValue'), made, optional('none', [])]);
}

function memberCall(at: number, name: string, receiver: ASTNode, parameters: readonly ASTNode[]): CelNode {
  const nodes = parameters.map(treeOf);
  const isOptional = (name === 'optMap' || name === 'optFlatMap') && nodes.length === 2;
  const mapped = isOptional ? optionalMap(at, name, receiver, nodes) : undefined;
  if (mapped !== undefined) return mapped;
  const range = treeOf(receiver);
  const [variable, body] = nodes;
  if (name === 'sortBy' && body !== undefined && nodes.length === 2) {
    if (!isVariable(variable)) throw new CelProblem(variable?.at ?? at, 'argument is not an identifier');
    return sortedBy(at, range, variable.name, body);
  }
  const macro = Object.hasOwn(MACROS, `${name}/${parameters.length}`)
    ? MACROS[`${name}/${parameters.length}`]
    : undefined;
  if (macro !== undefined) {
    if (!isVariable(variable)) throw new CelProblem(variable?.at ?? at, 'argument must be a simple name');
    const expanded = macro(foldMaker(at, range), nodes);
    if (expanded !== undefined) return expanded;
  }
  return { kind: 'call', at, name, target: range, parameters: nodes };
}

function foldMaker(at: number, range: CelNode): FoldMaker {
  return {
    at,
    result: () => ({ kind: 'name', at, name: RESULT }),
    truth: (value) => literal(at, value),
    call: (operator, ...of) => call(at, operator, of),
    fold: (variables, start, condition, step, result = { kind: 'name', at, name: RESULT }) => ({
      kind: 'fold',
      at,
      range,
      variables,
      start,
      condition,
      step,
      result,
    }),
  };
}

/** Expansion of `sortBy`: the list is sorted by the list of its keys. */
function sortedBy(at: number, list: CelNode, variable: string, key: CelNode): CelNode {
  const input = (): CelNode => ({ kind: 'name', at, name: SORTED });
  const keys = collect(foldMaker(at, input()), [variable], undefined, key);
  const body: CelNode = { kind: 'call', at, name: '@sortByAssociatedKeys', target: input(), parameters: [keys] };
  return { kind: 'bind', at, name: SORTED, value: list, body };
}
