// What can be said about a rule before it is evaluated: that it parses, that its answer is a truth value, and that the
// fields it names along `self` and `oldSelf` are declared.
import type { ASTNode } from '@marcbachmann/cel-js';
import { isList, isMap } from '../json.ts';
import { checkedExpression } from './cel.ts';
import { escapeField } from './cel-values.ts';
import type { Schema } from './schema.ts';

/** What is wrong with a rule of a schema, in the words of the API server, or undefined. */
export function ruleProblem(schema: Schema, text: string): string | undefined {
  let checked: ReturnType<typeof checkedExpression>;
  try {
    checked = checkedExpression(text);
  } catch (error) {
    const summary = (error as { summary?: unknown }).summary;
    return `compilation failed: ${typeof summary === 'string' ? summary : String(error)}`;
  }
  const unknown = undeclared(schema, checked.ast);
  if (unknown !== undefined) {
    const { name, at } = unknown;
    const line = text.trim();
    return `compilation failed: ERROR: <input>:1:${at + 1}: undefined field '${name}'\n | ${line}\n | ${'.'.repeat(at)}^`;
  }
  const numeric = schema.type === 'integer' ? 'int' : schema.type === 'number' ? 'double' : '';
  const isTruth =
    checked.type === 'bool' ||
    (checked.type === 'dyn' && !(numeric !== '' && /^(?:-|self\s*[-+*/%])/.test(text.trim())));
  return isTruth ? undefined : 'cel expression must evaluate to a bool';
}

interface Undeclared {
  readonly name: string;
  /** Where the dot before the name is. */
  readonly at: number;
}

/** The first field that is read of `self` or `oldSelf` and is not declared. */
function undeclared(schema: Schema, node: ASTNode): Undeclared | undefined {
  const reached = follow(schema, node);
  if (reached.problem !== undefined) return reached.problem;
  for (const child of childrenOf(node)) {
    const problem = undeclared(schema, child);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The schema at the end of a chain of fields and indices that begins at `self`; no schema for anything else. */
function follow(schema: Schema, node: ASTNode): { readonly schema?: Schema; readonly problem?: Undeclared } {
  if (node.op === 'id') return node.args === 'self' || node.args === 'oldSelf' ? { schema } : {};
  if (node.op === '[]') {
    const { schema: left, problem } = follow(schema, node.args[0]);
    if (problem !== undefined) return { problem };
    const child = left?.items ?? left?.additional;
    return child === undefined ? {} : { schema: child };
  }
  if (node.op !== '.') return {};
  const [before, name] = node.args;
  const { schema: left, problem } = follow(schema, before);
  if (problem !== undefined || left === undefined) return problem === undefined ? {} : { problem };
  if (left.additional !== undefined) return { schema: left.additional };
  for (const [declared, child] of left.properties ?? []) if (escapeField(declared) === name) return { schema: child };
  const isOpen = left.preserve || left.embedded || left.anyAdditional || left.type !== 'object';
  return isOpen ? {} : { problem: { name, at: before.end } };
}

function childrenOf(node: ASTNode): ASTNode[] {
  const nodes = (value: unknown): ASTNode[] => {
    if (isList(value)) return value.flatMap(nodes);
    return isMap(value) && typeof value['op'] === 'string' ? [value as unknown as ASTNode] : [];
  };
  return nodes([node.args]);
}
