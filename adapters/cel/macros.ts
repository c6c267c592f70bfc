// Macros that the evaluator lacks: those with two variables, and those that map optionals.
import {
  type ASTNode,
  type Environment,
  Optional,
  type OverlayContext,
  type TypeDeclaration,
} from '@marcbachmann/cel-js';
import { isList } from '../text/json.ts';
import { compare } from './operators.ts';

interface Scope {
  forkWithVariable(name: string, type: TypeDeclaration): OverlayContext & Reusable;
}

interface Reusable extends Scope {
  /** Puts the variable of this scope on top of another. */
  reuse(scope: unknown): OverlayContext & Reusable;
}

interface Checker {
  check(node: ASTNode, scope: unknown): TypeDeclaration;
  getType(name: string): TypeDeclaration;
}

interface Runner {
  run(node: ASTNode, scope: unknown): unknown;
}

interface Call {
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

/** An expression over variables that are given values one time after another. */
class Body {
  readonly #names: readonly string[];
  readonly #node: ASTNode;
  #scopes: readonly (OverlayContext & Reusable)[] = [];

  constructor(names: readonly string[], node: ASTNode) {
    this.#names = names;
    this.#node = node;
  }

  check(checker: Checker, scope: Scope): void {
    let inner: Scope = scope;
    this.#scopes = this.#names.map((name) => {
      const forked = inner.forkWithVariable(name, checker.getType('dyn'));
      inner = forked;
      return forked;
    });
    checker.check(this.#node, inner);
  }

  run(runner: Runner, scope: unknown, values: readonly unknown[]): unknown {
    let inner = scope;
    for (const [index, own] of this.#scopes.entries()) inner = own.reuse(inner).setIterValue(values[index], runner);
    return runner.run(this.#node, inner);
  }
}

const nameOf = (node: ASTNode | undefined): string => (node?.op === 'id' ? node.args : '');

/** Indices and items, or keys and values. */
function entriesOf(value: unknown): (readonly [unknown, unknown])[] {
  if (isList(value)) return value.map((item, index) => [BigInt(index), item] as const);
  return Object.entries(value ?? {});
}

type Loop = (entries: readonly (readonly [unknown, unknown])[], test: Step, make: Step) => unknown;
type Step = (entry: readonly [unknown, unknown]) => unknown;

/** The first answer that decides; an error decides only where nothing else does. */
function decide(entries: Parameters<Loop>[0], test: Step, { deciding }: { readonly deciding: boolean }): boolean {
  let failure: unknown;
  for (const entry of entries) {
    try {
      if (test(entry) === deciding) return deciding;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !deciding;
}

const asMap = (entries: readonly (readonly [unknown, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries.map(([key, value]) => [String(key), value]));

function merged(maps: readonly unknown[]): Record<string, unknown> {
  const entries = maps.flatMap(entriesOf);
  const seen = new Set<unknown>();
  for (const [key] of entries) {
    if (seen.has(key)) throw new Error(`insert failed: key '${String(key)}' already exists`);
    seen.add(key);
  }
  return asMap(entries);
}

const LOOPS: Readonly<Record<string, Loop>> = {
  all: (entries, _, make) => decide(entries, make, { deciding: false }),
  exists: (entries, _, make) => decide(entries, make, { deciding: true }),
  existsOne: (entries, _, make) => entries.filter((entry) => make(entry) === true).length === 1,
  transformList: (entries, test, make) => entries.filter(test).map(make),
  transformMap: (entries, test, make) => asMap(entries.filter(test).map((entry) => [entry[0], make(entry)])),
  transformMapEntry: (entries, test, make) => merged(entries.filter(test).map(make)),
};

/** Adds them to an environment. */
export function defineMacros(environment: Environment): void {
  for (const [name, loop] of Object.entries(LOOPS)) {
    const counts = name.startsWith('transform') ? [3, 4] : [3];
    for (const count of counts) {
      const parameters = Array<string>(count).fill('ast').join(', ');
      for (const type of ['list', 'map']) {
        environment.registerFunction(`${type}.${name}(${parameters}): dyn`, (call: Call) => twoVariables(call, loop));
      }
    }
  }
  environment.registerFunction('list.existsOne(ast, ast): bool', ({ args, receiver }: Call) => {
    const body = new Body([nameOf(args[0])], at(args, 1));
    return macro('bool', receiver, [body], (value, run) => {
      const items = entriesOf(value).map(([key, item]) => (isList(value) ? item : key));
      return items.filter((item) => run(body, [item]) === true).length === 1;
    });
  });
  environment.registerFunction('list.sortBy(ast, ast): list', ({ args, receiver }: Call) => {
    const body = new Body([nameOf(args[0])], at(args, 1));
    return macro('list', receiver, [body], (value, run) =>
      entriesOf(value)
        .map(([, item]) => ({ item, key: run(body, [item]) }))
        .sort((left, right) => compare(left.key, right.key))
        .map(({ item }) => item),
    );
  });
  for (const name of ['optMap', 'optFlatMap']) {
    environment.registerFunction(`optional.${name}(ast, ast): optional`, ({ args, receiver }: Call) => {
      const body = new Body([nameOf(args[0])], at(args, 1));
      return macro('optional', receiver, [body], (value, run) => {
        if (!(value instanceof Optional) || !value.hasValue()) return Optional.none();
        const made = run(body, [value.value()]);
        return name === 'optMap' ? Optional.of(made) : made;
      });
    });
  }
}

function at(nodes: readonly ASTNode[], index: number): ASTNode {
  const node = nodes.at(index);
  if (node === undefined) throw new Error(`a macro has no parameter ${index}`);
  return node;
}

function twoVariables({ args, receiver }: Call, loop: Loop): unknown {
  const names = [nameOf(args[0]), nameOf(args[1])];
  const make = new Body(names, at(args, -1));
  const filter = args.length > 3 ? new Body(names, at(args, 2)) : undefined;
  return macro('dyn', receiver, filter === undefined ? [make] : [make, filter], (value, run) =>
    loop(
      entriesOf(value),
      (entry) => filter === undefined || run(filter, entry) === true,
      (entry) => run(make, entry),
    ),
  );
}

/** A macro that evaluates its receiver once, and its bodies as often as `apply` likes. */
function macro(
  type: string,
  receiver: ASTNode,
  bodies: readonly Body[],
  apply: (value: unknown, run: (body: Body, values: readonly unknown[]) => unknown) => unknown,
): unknown {
  return {
    typeCheck(checker: Checker, _: unknown, scope: Scope): TypeDeclaration {
      checker.check(receiver, scope);
      for (const body of bodies) body.check(checker, scope);
      return checker.getType(type);
    },
    evaluate: (runner: Runner, _: unknown, scope: unknown): unknown =>
      apply(runner.run(receiver, scope), (body, values) => body.run(runner, scope, values)),
    async: false,
  };
}
