// Scope of a version: its own declarations and the ones copied by `@ref`.
//
// Invariants:
//   OCM-SCOPE-1. A declaration without `@ref` wins over a copy, whatever the order of files.
//   OCM-SCOPE-2. A copy wins over the class that asked for it, which is empty from then on.
//   OCM-SCOPE-3. Nothing is copied through links; a link of a copy whose target is not here leads to where it led in the original.
import type { Code, Diagnostic } from './diagnostics.ts';
import { diagnostic } from './diagnostics.ts';
import type { Place } from './model.ts';
import type { Name } from './names.ts';
import type { EnumSyntax, ErrorSyntax, FileSyntax, ResourceSyntax, StructSyntax } from './syntax.ts';

export type TypeSyntaxNode = StructSyntax | EnumSyntax;

/** A type under the name it has in one version. */
export interface TypeEntry {
  readonly name: Name;
  readonly syntax: TypeSyntaxNode;
  readonly scope: Scope;
  readonly copyOf: TypeEntry | undefined;
}

export interface ScopeInput {
  readonly service: Name;
  readonly name: Name;
  readonly directory: string;
  /** In byte order of their names. */
  readonly files: readonly FileSyntax[];
}

/** One version: names, and what is wrong with them. */
export class Scope {
  readonly service: Name;
  readonly name: Name;
  readonly directory: string;
  readonly files: readonly FileSyntax[];
  /** Camel names of service and version, with a dot between. */
  readonly dotted: string;
  readonly diagnostics: Diagnostic[] = [];
  /** First declarations, by key; those with a valid `@ref` are in `heirs`. */
  readonly own = new Map<string, TypeEntry>();
  /** Classes that take over another: what they are if that fails, or has another name. */
  readonly heirs = new Map<string, TypeEntry>();
  /** First declarations, by key. */
  readonly resources = new Map<string, ResourceSyntax>();
  readonly errors = new Map<string, ErrorSyntax>();
  /** What `@ref` brought. */
  copies: ReadonlyMap<string, TypeEntry> = new Map();

  constructor({ service, name, directory, files }: ScopeInput) {
    this.service = service;
    this.name = name;
    this.directory = directory;
    this.files = files;
    this.dotted = `${service.camel}.${name.camel}`;
  }

  find(key: string): TypeEntry | undefined {
    return this.own.get(key) ?? this.copies.get(key) ?? this.heirs.get(key);
  }

  /** All types, copies among them. */
  types(): TypeEntry[] {
    const keys = new Set([...this.own.keys(), ...this.copies.keys(), ...this.heirs.keys()]);
    return [...keys].flatMap((key) => this.find(key) ?? []);
  }

  report(code: Code, place: Place, message: string): void {
    this.diagnostics.push(diagnostic(code, place, message));
  }
}

/** Type of an entry's attribute: here or, for a link of a copy, in the original's version. */
export function findFrom(entry: TypeEntry, key: string): TypeEntry | undefined {
  return entry.scope.find(key) ?? (entry.copyOf && findFrom(entry.copyOf, key));
}
