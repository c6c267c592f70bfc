// A rule before it is stored: whether it compiles, what it may cost, whether it looks at the value before.
import type { ASTNode } from '@marcbachmann/cel-js';
import { type Checked, check } from './checker.ts';
import { estimateCost } from './cost.ts';
import { evaluator, parseExpression } from './evaluator.ts';
import { failureOf } from './failures.ts';
import { type CelNode, CelProblem, childrenOf, reads, treeOf } from './tree.ts';
import { type CelType, optionalOf, spell } from './types.ts';

/** A rule of a schema, as `x-kubernetes-validations` has it. */
export interface RuleText {
  readonly rule: string;
  readonly messageExpression: string;
  readonly optionalOldSelf: boolean;
}

export interface CompiledExpression {
  /** Problem with the API server's message. */
  readonly problem: string | undefined;
  /** At most, in the API server's units. */
  readonly cost: number;
  readonly usesOldSelf: boolean;
}

/** @param self  the type that rules at this place see */
export function compileRule(self: CelType, { rule, optionalOldSelf }: RuleText): CompiledExpression {
  const oldSelf = optionalOldSelf ? optionalOf(self) : self;
  return compile(rule, self, oldSelf, { type: 'bool', prefix: '', wrong: 'cel expression must evaluate to a bool' });
}

export function compileMessage(self: CelType, { messageExpression }: RuleText): CompiledExpression {
  return compile(messageExpression, self, self, {
    type: 'string',
    prefix: 'messageExpression ',
    wrong: 'messageExpression must evaluate to a string',
  });
}

interface Expected {
  readonly type: string;
  readonly prefix: string;
  readonly wrong: string;
}

function compile(text: string, self: CelType, oldSelf: CelType, { type, prefix, wrong }: Expected): CompiledExpression {
  const refused = (problem: string): CompiledExpression => ({ problem, cost: 0, usesOldSelf: false });
  const failed = (problems: readonly CelProblem[]): CompiledExpression =>
    refused(`${prefix}compilation failed: ${problems.map((one) => shown(text, one)).join('\n')}`);
  let tree: CelNode;
  try {
    tree = treeOf(parsed(text));
  } catch (error) {
    if (error instanceof CelProblem) return failed([error]);
    throw error;
  }
  const checked: Checked = check(
    tree,
    new Map([
      ['self', self],
      ['oldSelf', oldSelf],
    ]),
  );
  if (checked.problems.length > 0) return failed(checked.problems);
  if (spell(checked.type) !== type) return refused(wrong);
  const failure = constantFailure(tree);
  if (failure !== undefined)
    return refused(`${prefix === '' ? 'program' : 'messageExpression'} instantiation failed: ${failure}`);
  return {
    problem: undefined,
    cost: estimateCost(tree, checked, self).max,
    usesOldSelf: reads(tree, 'oldSelf'),
  };
}

const CONVERSIONS: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'bool', 'string']);

/** Why a conversion of what is written out fails, wherever it is: such ones are tried when the rule is prepared. */
function constantFailure(node: CelNode): string | undefined {
  if (node.kind === 'call' && CONVERSIONS.has(node.name)) {
    const [only] = node.parameters;
    if (only?.kind !== 'literal') return undefined;
    try {
      evaluator(`${node.name}(self)`)({ self: only.value });
    } catch (error) {
      return failureOf(error);
    }
  }
  for (const child of childrenOf(node)) {
    const failure = constantFailure(child);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Whether an expression reads the value before the write. */
export function usesOldSelf(text: string): boolean {
  return reads(treeOf(parsed(text)), 'oldSelf');
}

function parsed(text: string): ASTNode {
  const result = parseExpression(text);
  if ('ast' in result) return result.ast;
  throw new CelProblem(result.at, result.problem);
}

/** A problem with its line and column, and the line with a mark beneath it. */
function shown(text: string, { at, message }: CelProblem): string {
  const before = text.slice(0, at).split('\n');
  const column = [...(before.at(-1) ?? '')].length;
  const line = (text.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
