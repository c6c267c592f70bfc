export { markedName } from './annotations.ts';
export { BUILT_IN_TYPES } from './built-in.ts';
export { type Chain, chainsOf } from './chains.ts';
export { CODES, type Code, type Diagnostic, renderDiagnostic, Severity } from './diagnostics.ts';
export {
  bytesOf,
  modelFilesBelow,
  type OnRead,
  type ReadModel,
  readModel,
  type Skipped,
} from './files.ts';
export { format } from './format.ts';
export { isKeyword, type Token } from './lexer.ts';
export { methodForm } from './methods.ts';
export {
  type Annotation,
  type Attribute,
  type Body,
  type BuiltInType,
  type DeclaredType,
  type EnumType,
  type EnumValue,
  type Item,
  type ListType,
  type Literal,
  type Locator,
  type MapType,
  type Method,
  MethodKind,
  type Model,
  type ModelError,
  type Parameter,
  type Place,
  type Resource,
  type Service,
  type StructType,
  summaryOf,
  type Type,
  TypeKind,
  type Verb,
  type Version,
} from './model.ts';
export { compareNames, type Name, nameOf } from './names.ts';
export { parse } from './parser.ts';
export type { Scope, TypeEntry } from './scope.ts';
export type {
  AttributeSyntax,
  Declaration,
  FileSyntax,
  LocatorSyntax,
  Mark,
  MethodSyntax,
  ParameterSyntax,
  Part,
  TypeSyntax,
  Word,
} from './syntax.ts';
export { type WatchDeps, watchModel } from './watch.ts';
export { Workspace } from './workspace.ts';
