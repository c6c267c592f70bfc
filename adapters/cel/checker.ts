// Type checker of expressions: reports unknown fields, functions and names, and arguments that match no overload, with
// the messages of the API server.
//
// Expressions that are not CEL at all are refused in words of their own: the API server lists what its grammar expected.

import { patternProblem } from '../text/patterns.ts';
import { type Overload, overloadsOf } from './functions.ts';
import { formatProblem } from './text.ts';
import { parseDuration, parseTimestamp, timestampAt } from './times.ts';
import { type CelNode, CelProblem, type Fold, RESULT } from './tree.ts';
import {
  type Bindings,
  BOOL,
  type CelType,
  DYN,
  ERROR,
  fits,
  INT,
  isLessSpecific,
  isParameter,
  listOf,
  mapOf,
  optionalOf,
  resolve,
  spell,
  typeOf,
} from './types.ts';

export interface Checked {
  readonly type: CelType;
  readonly problems: readonly CelProblem[];
  typeOf(node: CelNode): CelType;
  /** The ways to call a function that fit, by id; none for what is no call. */
  overloadsOf(node: CelNode): readonly string[];
  /** Whether a name is read anywhere. */
  readonly names: ReadonlySet<string>;
}

type Scope = ReadonlyMap<string, CelType>;

const simple = (name: string): CelType => ({ name, parameters: [] });

/** Names of types are values too. */
const TYPES: Scope = new Map(
  [
    ...['bool', 'bytes', 'double', 'int', 'string', 'uint', 'dyn'].map((name) => [name, simple(name)] as const),
    ['null_type', simple('null')] as const,
    ['type', typeOf(DYN)] as const,
    ['list', listOf(DYN)] as const,
    ['map', mapOf(DYN, DYN)] as const,
    ['google.protobuf.Timestamp', simple('timestamp')] as const,
    ['google.protobuf.Duration', simple('duration')] as const,
    ...[
      'net.IP',
      'net.CIDR',
      'kubernetes.URL',
      'kubernetes.Quantity',
      'kubernetes.Semver',
      'kubernetes.NamedFormat',
    ].map((name) => [name, simple(name)] as const),
  ].map(([name, type]) => [name, typeOf(type)]),
);

export function check(tree: CelNode, variables: Scope): Checked {
  const checker = new Checker();
  const type = checker.check(tree, variables);
  const resolved = (node: CelNode): CelType => resolve(checker.bindings, checker.types.get(node) ?? DYN, 'dyn');
  const literals =
    checker.problems.length > 0
      ? []
      : [
          ...checker.literalProblems,
          ...mixedLiterals(checker.literals, resolved),
          ...checker.formats.flatMap((call) => formatProblems(call, resolved)),
        ];
  const problems = [...checker.problems, ...literals];
  return {
    type: resolve(checker.bindings, type, 'dyn'),
    problems: problems.sort((left, right) => left.at - right.at),
    typeOf: resolved,
    overloadsOf: (node) => checker.overloads.get(node) ?? [],
    names: checker.names,
  };
}

/** Lists and maps that are written out hold values of one type. */
function mixedLiterals(
  literals: readonly (readonly CelNode[])[],
  typeOfNode: (node: CelNode) => CelType,
): CelProblem[] {
  return literals.flatMap((nodes) => {
    const [first] = nodes;
    if (first === undefined) return [];
    const expected = typeOfNode(first);
    const other = nodes.find((node) => !fits(new Map(), typeOfNode(node), expected));
    if (other === undefined) return [];
    return [new CelProblem(other.at, `expected type '${spell(expected)}' but found '${spell(typeOfNode(other))}'`)];
  });
}

/** Formats that are written out fit the values that are written out beside them. */
function formatProblems({ at, target, parameters }: Call, typeOfNode: (node: CelNode) => CelType): CelProblem[] {
  const [values] = parameters;
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || values?.kind !== 'list') return [];
  const types = values.items.map((item) => PROTOBUF.get(typeOfNode(item).name) ?? typeOfNode(item).name);
  const problem = formatProblem(target.value, types);
  if (problem === undefined) return [];
  const { message, index } = problem;
  return [new CelProblem(index === undefined ? at : (values.items[index]?.at ?? at), message)];
}

/** Names of types that messages of formats spell otherwise. */
const PROTOBUF: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'google.protobuf.Timestamp'],
  ['duration', 'google.protobuf.Duration'],
]);

/** Conversions and patterns whose literal argument is checked with the rule. */
const LITERALS: Readonly<Record<string, (value: unknown) => boolean>> = {
  matches: (value) => typeof value !== 'string' || patternProblem(value) === undefined,
  duration: (value) => typeof value !== 'string' || parseDuration(value) !== undefined,
  timestamp: (value) =>
    typeof value === 'bigint'
      ? timestampAt(value) !== undefined
      : typeof value !== 'string' || parseTimestamp(value) !== undefined,
};

type Call = CelNode & { readonly kind: 'call' };

class Checker {
  readonly types = new Map<CelNode, CelType>();
  readonly overloads = new Map<CelNode, readonly string[]>();
  readonly problems: CelProblem[] = [];
  readonly names = new Set<string>();
  readonly literals: (readonly CelNode[])[] = [];
  readonly literalProblems: CelProblem[] = [];
  readonly formats: Call[] = [];
  bindings: Bindings = new Map();
  #fresh = 0;

  check(node: CelNode, scope: Scope): CelType {
    const type = this.#typeOf(node, scope);
    this.types.set(node, type);
    return type;
  }

  #typeOf(node: CelNode, scope: Scope): CelType {
    switch (node.kind) {
      case 'literal':
        return simple(node.type);
      case 'name':
        return this.#name(node.name, node.at, scope);
      case 'field':
        return this.#field(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'list':
        return listOf(this.#joined(node.items, scope));
      case 'map': {
        const keys = this.#joined(
          node.entries.map(([key]) => key),
          scope,
        );
        return mapOf(
          keys,
          this.#joined(
            node.entries.map(([, value]) => value),
            scope,
          ),
        );
      }
      case 'fold':
        return this.#fold(node, scope);
      case 'bind':
        return this.check(node.body, new Map(scope).set(node.name, this.check(node.value, scope)));
    }
  }

  #fail(at: number, message: string): CelType {
    this.problems.push(new CelProblem(at, message));
    return ERROR;
  }

  #name(name: string, at: number, scope: Scope): CelType {
    this.names.add(name);
    const type = scope.get(name) ?? TYPES.get(name);
    return type ?? this.#fail(at, `undeclared reference to '${name}' (in container '')`);
  }

  #field(node: CelNode & { readonly kind: 'field' }, scope: Scope): CelType {
    const qualified = node.mode === 'value' ? qualifiedName(node) : undefined;
    const known = qualified === undefined ? undefined : TYPES.get(qualified);
    if (known !== undefined) return known;
    const operand = resolve(this.bindings, this.check(node.operand, scope), 'kept');
    const isOptional = operand.name === 'optional_type';
    const target = isOptional ? (operand.parameters[0] ?? DYN) : operand;
    const type = this.#fieldOf(target, node);
    if (node.mode === 'presence') return BOOL;
    return isOptional || node.mode === 'optional' ? optionalOf(type) : type;
  }

  #fieldOf(target: CelType, { field, at }: CelNode & { readonly kind: 'field' }): CelType {
    if (target.name === 'map') return target.parameters[1] ?? DYN;
    if (target.fields !== undefined) {
      return target.fields.get(field) ?? this.#fail(at, `undefined field '${field}'`);
    }
    if (/^kubernetes\./.test(target.name)) return this.#fail(at, `undefined field '${field}'`);
    if (isParameter(target)) fits(this.bindings, DYN, target);
    else if (target.name !== 'dyn' && target.name !== ERROR.name) {
      this.#fail(at, `type '${spell(target)}' does not support field selection`);
    }
    return DYN;
  }

  #call(node: Call, scope: Scope): CelType {
    const { name, target, parameters, at } = node;
    const mixed = this.literals.length;
    const types = parameters.map((one) => this.check(one, scope));
    // Arguments of `format` may have any type.
    if (name === 'format') {
      this.literals.length = mixed;
      this.formats.push(node);
    }
    if (name === '_&&_' || name === '_||_') return this.#logic(node, types);
    this.#checkLiteral(node);
    if (target === undefined) {
      const known = overloadsOf(name);
      if (known === undefined) return this.#fail(at, `undeclared reference to '${name}' (in container '')`);
      return this.#overload(node, name, known, undefined, types);
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : overloadsOf(`${prefix}.${name}`);
    if (namespaced !== undefined) return this.#overload(node, `${prefix}.${name}`, namespaced, undefined, types);
    const receiver = this.check(target, scope);
    const known = overloadsOf(name);
    if (known === undefined) return this.#fail(at, `undeclared reference to '${name}' (in container '')`);
    return this.#overload(node, name, known, receiver, types);
  }

  #logic(node: Call, types: readonly CelType[]): CelType {
    this.overloads.set(node, [node.name]);
    const wrong = types.flatMap((type, index) =>
      fits(this.bindings, type, BOOL) ? [] : [{ type, at: node.parameters[index]?.at ?? node.at }],
    );
    for (const { type, at } of wrong) this.#mismatch(at, BOOL, type);
    return wrong.length > 0 ? ERROR : BOOL;
  }

  #mismatch(at: number, wanted: CelType, found: CelType): void {
    const [one, other] = [wanted, found].map((type) => spell(resolve(this.bindings, type, 'dyn')));
    this.#fail(at, `expected type '${one}' but found '${other}'`);
  }

  /** Patterns, durations and times that are written out are checked when the rule is. */
  #checkLiteral({ name, target, parameters }: Call): void {
    const literal = parameters[name === 'matches' && target === undefined ? 1 : 0];
    if (literal?.kind !== 'literal') return;
    const check = Object.hasOwn(LITERALS, name) ? LITERALS[name] : undefined;
    if (check?.(literal.value) === false)
      this.literalProblems.push(new CelProblem(literal.at, `invalid ${name} argument`));
  }

  #overload(
    node: Call,
    name: string,
    known: readonly Overload[],
    target: CelType | undefined,
    parameters: readonly CelType[],
  ): CelType {
    const given = target === undefined ? parameters : [target, ...parameters];
    let result: CelType | undefined;
    const ids: string[] = [];
    for (const overload of known) {
      if (overload.isMember !== (target !== undefined) || overload.parameters.length !== given.length) continue;
      const renamed = this.#instantiate(overload);
      const attempt = new Map(this.bindings);
      if (!given.every((type, index) => fits(attempt, type, renamed.parameters[index] ?? DYN))) continue;
      this.bindings = attempt;
      ids.push(overload.id);
      const type = resolve(attempt, renamed.result, 'kept');
      result = result === undefined || spell(result) === spell(type) ? type : DYN;
    }
    this.overloads.set(node, ids);
    if (result !== undefined) return result;
    const shown = given.map((type) => spell(resolve(this.bindings, type, 'dyn')));
    const signature = target === undefined ? `(${shown.join(', ')})` : `${shown[0]}.(${shown.slice(1).join(', ')})`;
    return this.#fail(node.at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  /** The overload with unbound parameters. */
  #instantiate({ parameters, result }: Overload): Pick<Overload, 'parameters' | 'result'> {
    const number = this.#fresh++;
    const rename = (type: CelType): CelType => {
      if (isParameter(type)) return { ...type, name: `${type.name}${number}` };
      return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(rename) };
    };
    return { parameters: parameters.map(rename), result: rename(result) };
  }

  #joined(nodes: readonly CelNode[], scope: Scope): CelType {
    if (nodes.length > 1) this.literals.push(nodes);
    let joined: CelType | undefined;
    for (const node of nodes) {
      const type = this.check(node, scope);
      if (joined === undefined) joined = type;
      else if (!fits(this.bindings, joined, type)) joined = DYN;
      else if (isLessSpecific(type, joined)) joined = type;
    }
    return joined ?? { name: `_${this.#fresh++}`, parameters: [] };
  }

  #fold({ range, variables, start, condition, step, result }: Fold, scope: Scope): CelType {
    const over = resolve(this.bindings, this.check(range, scope), 'kept');
    const startType = this.check(start, scope);
    const outer = new Map(scope).set(RESULT, startType);
    const inner = new Map(outer);
    const types = this.#variableTypes(over, variables.length, range.at);
    for (const [index, name] of variables.entries()) inner.set(name, types[index] ?? DYN);
    this.check(condition, inner);
    const stepType = this.check(step, inner);
    if (!fits(this.bindings, stepType, startType)) this.#mismatch(step.at, startType, stepType);
    return resolve(this.bindings, this.check(result, outer), 'kept');
  }

  #variableTypes(over: CelType, count: number, at: number): readonly CelType[] {
    const [first = DYN, second = DYN] = over.parameters;
    if (over.name === 'list') return count > 1 ? [INT, first] : [first];
    if (over.name === 'map') return [first, second];
    if (isParameter(over)) fits(this.bindings, DYN, over);
    else if (over.name !== 'dyn' && over.name !== ERROR.name) {
      const why = `expression of type '${spell(over)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.#fail(at, why);
      return [ERROR, ERROR];
    }
    return [DYN, DYN];
  }
}

function qualifiedName(node: CelNode): string | undefined {
  if (node.kind === 'name') return node.name;
  if (node.kind !== 'field' || node.mode !== 'value') return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
