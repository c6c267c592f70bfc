// Declarations of a version by name: the first one counts, later ones are reported.
import { BUILT_IN_TYPES } from './built-in.ts';
import { refMark } from './references.ts';
import type { Scope, TypeSyntaxNode } from './scope.ts';
import type { Declaration, FileSyntax, Part, TypeSyntax } from './syntax.ts';

/** Fills `own`, `heirs`, `resources` and `errors` of a scope from its files. */
export function declare(scope: Scope): void {
  for (const { declarations } of scope.files) {
    for (const declaration of declarations) {
      const { form } = declaration;
      const { key } = declaration.item.name;
      if (form === 'resource') declareOnce(scope, scope.resources, key, declaration, 'def.duplicate-resource');
      else if (form === 'error') declareOnce(scope, scope.errors, key, declaration, 'def.duplicate-error');
      else declareType(scope, declaration);
    }
  }
  checkDerivedNames(scope);
}

function declareOnce<T extends Declaration>(
  scope: Scope,
  known: Map<string, T>,
  key: string,
  declaration: T,
  code: 'def.duplicate-resource' | 'def.duplicate-error',
): void {
  const first = known.get(key);
  if (first === undefined) {
    known.set(key, declaration);
    return;
  }
  const { name, place } = declaration.item;
  const { form } = declaration;
  scope.report(code, place, `${form} '${scope.dotted}.${name.camel}' is already defined ${at(first)}`);
}

function declareType(scope: Scope, syntax: TypeSyntaxNode): void {
  const { name, place } = syntax.item;
  const first = scope.own.get(name.key) ?? scope.heirs.get(name.key);
  if (BUILT_IN_TYPES.has(name.key)) {
    const message = `type '${scope.dotted}.${name.camel}' is built in and cannot be defined`;
    scope.report('def.duplicate-type', place, message);
  } else if (first !== undefined) {
    const message = `type '${scope.dotted}.${name.camel}' is already defined ${at(first.syntax)}`;
    scope.report('def.duplicate-type', place, message);
  } else if (syntax.form === 'class' && refMark(syntax) !== undefined) {
    // Whatever it declares itself is lost to what it takes over.
    scope.heirs.set(name.key, { name, syntax: { ...syntax, attributes: [] }, scope, copyOf: undefined });
    if (syntax.attributes.length > 0) {
      const message = `class '${scope.dotted}.${name.camel}' takes over another: its own attributes are ignored`;
      scope.report('ref.members', place, message);
    }
  } else {
    scope.own.set(name.key, { name, syntax, scope, copyOf: undefined });
  }
}

/** Lists and maps are types too, and have names. */
function checkDerivedNames(scope: Scope): void {
  const types = new Map([...scope.own, ...scope.heirs]);
  const check = (key: string, what: string): void => {
    const entry = types.get(key);
    if (entry === undefined) return;
    const message = `type '${scope.dotted}.${entry.name.camel}' is already defined: it is the name of ${what}`;
    scope.report('def.duplicate-type', entry.syntax.item.place, message);
  };
  for (const { name } of [...types.values(), ...BUILT_IN_TYPES.values()]) {
    check(`${name.key}_list`, `the list of '${name.camel}'`);
  }
  const maps = new Map<string, string>();
  for (const { element, key } of typesUsed(scope.files)) {
    if (key === undefined) continue;
    const [from, to] = [key.name, element.name];
    maps.set(`${from.key}_${to.key}_map`, `the map from '${from.camel}' to '${to.camel}'`);
  }
  for (const [key, what] of maps) check(key, what);
}

function typesUsed(files: readonly FileSyntax[]): TypeSyntax[] {
  return files.flatMap(({ declarations }) =>
    declarations.flatMap((declaration) => {
      switch (declaration.form) {
        case 'class':
        case 'struct':
          return declaration.attributes.map(({ type }) => type);
        case 'resource':
          return declaration.methods.flatMap(({ parameters }) => parameters.map(({ type }) => type));
        default:
          return [];
      }
    }),
  );
}

function at({ item }: Part): string {
  return `at ${item.place.file}:${item.place.line}`;
}
