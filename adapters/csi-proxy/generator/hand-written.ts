// The hand-written conversions of a version, read from its `conversion.ts`, and the fields it declares ignored.
import { dirname, resolve } from 'node:path';
import { nearest } from '../../text/nearest.ts';
import type { Position } from '../protos/mod.ts';
import type { Problem } from './problem.ts';
import {
  bare,
  declarationOf,
  type Expression,
  type FunctionDeclaration,
  keyName,
  type ObjectLiteral,
  readSource,
  type Source,
  type Statement,
  type Type,
} from './source.ts';

/** From the message of a version to the internal one, or back. */
export const Direction = { In: 'in', Out: 'out' } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

export interface IgnoredField {
  readonly message: string;
  readonly field: string;
  readonly at: Position;
}

export interface HandWritten {
  readonly file: string;
  /** Names of functions. */
  readonly functions: ReadonlyMap<string, Position>;
  readonly ignored: readonly IgnoredField[];
  readonly problems: readonly Problem[];
}

export function conversionName(message: string, direction: Direction): string {
  return direction === Direction.In
    ? `convert_pb_${message}_To_internal_${message}`
    : `convert_internal_${message}_To_pb_${message}`;
}

/** The function to write, as a person would start it. */
export function conversionSignature(message: string, direction: Direction): string {
  const [from, to] = direction === Direction.In ? ['pb', 'internal'] : ['internal', 'pb'];
  return `export function ${conversionName(message, direction)}(input: ${from}.${message}, out: ${to}.${message}): void`;
}

/** Modules of the messages of the version and of the internal types. */
interface Modules {
  readonly pb: string;
  readonly internal: string;
}

export interface ReadHandWritten {
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  /** Stands in the places. */
  readonly file: string;
  /** Names of the messages of the version. */
  readonly messages: readonly string[];
  /** Absolute paths. */
  readonly modules: Modules;
}

export function readHandWritten({ text, path, file, messages, modules }: ReadHandWritten): HandWritten {
  const source = readSource(text, file);
  const problems = [...source.problems];
  const functions = new Map<string, Position>();
  const ignored: IgnoredField[] = [];
  const imports = importsOf(source.statements, path, modules);
  const expected = new Map(
    messages.flatMap((message) =>
      Object.values(Direction).map(
        (direction) => [conversionName(message, direction), { message, direction }] as const,
      ),
    ),
  );
  for (const { name, at, form, isExported } of functionsOf(source)) {
    const pair = expected.get(name);
    const problem = (what: string): void => {
      problems.push({ at, message: `'${name}' does not match expected conversion signature: ${what}` });
    };
    const before = functions.get(name);
    if (pair === undefined) {
      problem(`it begins with convert_, but names no message of this version${meant(name, expected.keys())}`);
    } else if (before !== undefined) {
      problems.push({ at, message: `duplicate conversion '${name}': it is in ${place(before)} already` });
    } else if (!isExported || !isExpected(form, pair, imports)) {
      problem(`write '${conversionSignature(pair.message, pair.direction)}'`);
    } else functions.set(name, at);
  }
  for (const { object, at } of ignoredFieldsOf(source)) {
    if (object === undefined) problems.push({ at, message: IGNORED_FORM });
    else readIgnored(object, { source, ignored, problems });
  }
  return { file, functions, ignored, problems };
}

/** Both halves of a name have the message in them: one says which is meant, and is short enough to be compared. */
function meant(written: string, names: Iterable<string>): string {
  const half = (name: string): string => name.split('_To_')[0] ?? name;
  const byHalf = new Map([...names].map((name) => [half(name), name]));
  const name = byHalf.get(nearest(half(written), byHalf.keys()) ?? '');
  return name === undefined ? '' : `; did you mean '${name}'?`;
}

const IGNORED_FORM =
  'ignoredFields is an object of messages, each an object of fields, each with the reason: ' +
  "{ MkdirRequest: { context: 'one allowed list serves both contexts' } }";

function place({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** Parameters and result type of a function. */
type Form =
  | FunctionDeclaration
  | Extract<Expression, { type: 'ArrowFunctionExpression' | 'FunctionExpression' }>
  | undefined;

interface FoundFunction {
  readonly name: string;
  readonly at: Position;
  /** undefined: it is no function that could be read. */
  readonly form: Form;
  readonly isExported: boolean;
}

/** All whose name says that they convert, wherever they are declared in the file. */
function functionsOf(source: Source): readonly FoundFunction[] {
  const exported = new Set<string>();
  const found = source.statements.flatMap((statement): FoundFunction[] => {
    const { declaration, isExported } = declarationOf(statement);
    if (declaration.type === 'ExportNamedDeclaration') {
      return declaration.specifiers.flatMap((specifier): FoundFunction[] => {
        const name = keyName(specifier.exported);
        if (name === undefined) return [];
        if (!declaration.source && specifier.type === 'ExportSpecifier' && keyName(specifier.local) === name) {
          exported.add(name);
          return [];
        }
        return [{ name, at: source.at(specifier), form: undefined, isExported: true }];
      });
    }
    if (declaration.type === 'FunctionDeclaration' && declaration.id) {
      return [{ name: declaration.id.name, at: source.at(declaration.id), form: declaration, isExported }];
    }
    if (declaration.type === 'TSDeclareFunction' && declaration.id) {
      return [{ name: declaration.id.name, at: source.at(declaration.id), form: undefined, isExported }];
    }
    if (declaration.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ id, init }) => {
      if (id.type !== 'Identifier') return [];
      const value = bare(init);
      const isFunction = value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression';
      return [{ name: id.name, at: source.at(id), form: isFunction ? value : undefined, isExported }];
    });
  });
  return found
    .filter(({ name }) => name.startsWith('convert_'))
    .map((one) => ({ ...one, isExported: one.isExported || exported.has(one.name) }));
}

/** Imports of a file: `pb` for a whole module, `PbDisk` for one type of it. */
type Imports = ReadonlyMap<string, { readonly of: keyof Modules; readonly type: string | undefined }>;

function importsOf(statements: readonly Statement[], path: string, modules: Modules): Imports {
  const imports = new Map<string, { of: keyof Modules; type: string | undefined }>();
  for (const statement of statements) {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) continue;
    const from = resolve(dirname(path), statement.source.value);
    const of = (['pb', 'internal'] as const).find((name) => modules[name] === from);
    if (of === undefined) continue;
    for (const specifier of statement.specifiers) {
      const type = specifier.type === 'ImportSpecifier' ? keyName(specifier.imported) : undefined;
      imports.set(specifier.local.name, { of, type });
    }
  }
  return imports;
}

function isExpected(form: Form, pair: { message: string; direction: Direction }, imports: Imports): boolean {
  if (form === undefined || form.async || form.generator || form.typeParameters || form.params.length !== 2)
    return false;
  const returned = form.returnType?.type === 'TSTypeAnnotation' ? form.returnType.typeAnnotation.type : undefined;
  if (returned !== undefined && returned !== 'TSVoidKeyword') return false;
  const order = pair.direction === Direction.In ? (['pb', 'internal'] as const) : (['internal', 'pb'] as const);
  return order.every((of, index) => {
    const parameter = form.params[index];
    if (parameter?.type !== 'Identifier' || parameter.typeAnnotation?.type !== 'TSTypeAnnotation') return false;
    return isType(parameter.typeAnnotation.typeAnnotation, { of, type: pair.message }, imports);
  });
}

function isType(annotation: Type, wanted: { of: keyof Modules; type: string }, imports: Imports): boolean {
  if (annotation.type !== 'TSTypeReference') return false;
  const { typeName } = annotation;
  if (typeName.type === 'Identifier') {
    const found = imports.get(typeName.name);
    return found?.of === wanted.of && found.type === wanted.type;
  }
  if (typeName.type !== 'TSQualifiedName' || typeName.left.type !== 'Identifier') return false;
  const found = imports.get(typeName.left.name);
  return found?.of === wanted.of && found.type === undefined && typeName.right.name === wanted.type;
}

function ignoredFieldsOf(source: Source): readonly { object: ObjectLiteral | undefined; at: Position }[] {
  return source.statements.flatMap((statement) => {
    const { declaration, isExported } = declarationOf(statement);
    if (declaration.type !== 'VariableDeclaration' || !isExported) return [];
    return declaration.declarations
      .filter(({ id }) => id.type === 'Identifier' && id.name === 'ignoredFields')
      .map(({ id, init }) => ({ object: objectLiteral(bare(init)), at: source.at(id) }));
  });
}

function objectLiteral(value: Expression | undefined): ObjectLiteral | undefined {
  return value?.type === 'ObjectExpression' ? value : undefined;
}

interface IgnoredDeps {
  readonly source: Source;
  readonly ignored: IgnoredField[];
  readonly problems: Problem[];
}

function readIgnored(object: ObjectLiteral, { source, ignored, problems }: IgnoredDeps): void {
  for (const property of object.properties) {
    const message = property.type === 'ObjectProperty' ? keyName(property.key) : undefined;
    const fields = property.type === 'ObjectProperty' && property.value.type === 'ObjectExpression' && property.value;
    if (message === undefined || !fields) {
      problems.push({ at: source.at(property), message: IGNORED_FORM });
      continue;
    }
    for (const one of fields.properties) {
      const field = one.type === 'ObjectProperty' ? keyName(one.key) : undefined;
      const reason = one.type === 'ObjectProperty' && one.value.type === 'StringLiteral' ? one.value.value.trim() : '';
      if (field === undefined || reason === '') problems.push({ at: source.at(one), message: IGNORED_FORM });
      else ignored.push({ message, field, at: source.at(one) });
    }
  }
}
