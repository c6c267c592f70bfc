// Hand-written TypeScript, as far as the generator reads it: what a file declares and exports.
import { type ParseResult, parse } from '@babel/parser';
import type { Position } from '../protos/mod.ts';
import type { Problem } from './problem.ts';

export type Statement = ParseResult['program']['body'][number];
type Declared = NonNullable<Extract<Statement, { type: 'ExportNamedDeclaration' }>['declaration']>;
export type Interface = Extract<Declared, { type: 'TSInterfaceDeclaration' }>;
export type FunctionDeclaration = Extract<Declared, { type: 'FunctionDeclaration' }>;
export type TypeAlias = Extract<Declared, { type: 'TSTypeAliasDeclaration' }>;
export type Type = TypeAlias['typeAnnotation'];
export type Variables = Extract<Declared, { type: 'VariableDeclaration' }>;
export type Expression = NonNullable<Variables['declarations'][number]['init']>;
export type ObjectLiteral = Extract<Expression, { type: 'ObjectExpression' }>;
export type PropertyValue = Extract<ObjectLiteral['properties'][number], { type: 'ObjectProperty' }>['value'];

/** Node with a position in the text. */
interface Located {
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } } | null | undefined;
}

export interface Source {
  readonly statements: readonly Statement[];
  readonly problems: readonly Problem[];
  at(node: Located): Position;
}

/**
 * Errors about repeated declarations: the reader of conversions reports them in detail, and the compiler all others.
 */
const DECLARED_TWICE = ['VarRedeclaration', 'DuplicateExport'];

/** @param file  stands in the places; nothing is read from it */
export function readSource(text: string, file: string): Source {
  const at = (line: number, column: number): Position => ({ file, line, column: column + 1 });
  const place = ({ loc }: Located): Position => at(loc?.start.line ?? 1, loc?.start.column ?? 0);
  try {
    const { program, errors } = parse(text, { sourceType: 'module', plugins: ['typescript'], errorRecovery: true });
    const problems = (errors ?? [])
      .filter(({ reasonCode }) => !DECLARED_TWICE.includes(reasonCode))
      .map((error) => syntaxProblem(error, at));
    return { statements: program.body, problems, at: place };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { statements: [], problems: [syntaxProblem(error, at)], at: place };
  }
}

function syntaxProblem(
  error: { message: string; loc?: unknown },
  at: (line: number, column: number) => Position,
): Problem {
  const { line = 1, column = 0 } = (error.loc ?? {}) as { line?: number; column?: number };
  return { at: at(line, column), message: error.message.replace(/ \(\d+:\d+\)$/, '') };
}

/** The declaration of a statement, exported or not. */
export function declarationOf(statement: Statement): { readonly declaration: Statement; readonly isExported: boolean } {
  if (statement.type !== 'ExportNamedDeclaration' || !statement.declaration) {
    return { declaration: statement, isExported: false };
  }
  return { declaration: statement.declaration, isExported: true };
}

/** Expression without `as const`, `satisfies` and parentheses. */
export function bare(expression: Expression | null | undefined): Expression | undefined {
  switch (expression?.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      return bare(expression.expression);
    default:
      return expression ?? undefined;
  }
}

/** The name of a property, where it is no computed one. */
export function keyName(key: {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
}): string | undefined {
  if (key.type === 'Identifier' && typeof key.name === 'string') return key.name;
  return key.type === 'StringLiteral' && typeof key.value === 'string' ? key.value : undefined;
}
