// `@ref(path = "/service/version/type")`: classes taken over from other versions.

import { findFrom, type Scope, type TypeEntry } from './scope.ts';
import type { Mark, StructSyntax } from './syntax.ts';

/** A class that takes over another. */
export interface Reference {
  readonly scope: Scope;
  readonly syntax: StructSyntax;
  readonly mark: Mark;
}

interface Target {
  readonly scope: Scope;
  /** Last segment of the path. */
  readonly segment: string;
}

/** The `@ref` that a declaration follows, if it does: on a class, with a path. */
export function refMark({ form, marks }: { form: string; marks: readonly Mark[] }): Mark | undefined {
  if (form !== 'class') return undefined;
  const mark = marks.find(({ name }) => name === 'ref');
  return mark?.parameters.some(({ name }) => name === 'path') ? mark : undefined;
}

/**
 * Fills `copies` of every scope that has references, and reports those that lead nowhere.
 *
 * @param roots  how many model roots there are
 */
export function followReferences(scopes: readonly Scope[], roots: number): void {
  const references = scopes.flatMap(referencesOf);
  if (references.length === 0) return;
  const targets = new Map<Reference, Target>();
  for (const reference of references) {
    const target = targetOf(reference, scopes, roots);
    if (target !== undefined) targets.set(reference, target);
  }
  dropCycles(targets);
  // A copied version may itself be copied: repeated until nothing changes, at most once per reference.
  let changed = true;
  for (let round = 0; changed && round <= references.length; round++) {
    changed = false;
    for (const scope of new Set(references.map((reference) => reference.scope))) {
      const copies = new Map<string, TypeEntry>();
      for (const [reference, target] of targets) {
        const entry = reference.scope === scope ? lookUp(target) : undefined;
        if (entry !== undefined) copy(entry, scope, copies);
      }
      changed ||= !sameCopies(copies, scope.copies);
      scope.copies = copies;
    }
  }
  for (const [{ scope, mark }, target] of targets) {
    if (lookUp(target) !== undefined) continue;
    const { segment, scope: other } = target;
    scope.report('ref.type', mark.place, `'${other.dotted}' has no type '${segment}' to take over`);
  }
}

function referencesOf(scope: Scope): Reference[] {
  return [...scope.heirs.values()].flatMap(({ syntax }) => {
    const mark = refMark(syntax);
    return mark !== undefined && syntax.form === 'class' ? [{ scope, syntax, mark }] : [];
  });
}

function targetOf({ scope, mark }: Reference, scopes: readonly Scope[], roots: number): Target | undefined {
  const path = mark.parameters.findLast(({ name }) => name === 'path')?.value;
  if (roots > 1) {
    scope.report('ref.path', mark.place, "'@ref' needs a single model root, but there are several");
    return undefined;
  }
  const segments = typeof path === 'string' ? path.replace(/^\//, '').split('/') : [];
  const [service = '', version = '', segment = ''] = segments;
  if (segments.length !== 3 || segments.includes('')) {
    scope.report('ref.path', mark.place, `the path of '@ref' has to look like "/service/version/type"`);
    return undefined;
  }
  const ofService = scopes.filter((other) => other.service.snake === service);
  if (ofService.length === 0) {
    scope.report('ref.service', mark.place, `there is no service '${service}' to take a type from`);
    return undefined;
  }
  const other = ofService.find(({ name }) => name.snake === version);
  if (other === undefined) {
    scope.report('ref.version', mark.place, `service '${service}' has no version '${version}' to take a type from`);
    return undefined;
  }
  return { scope: other, segment };
}

/** Finds it by key, otherwise by snake name: a path has no capitals, so `aws` means `AWS` if there is no `Aws`. */
function lookUp({ scope, segment }: Target): TypeEntry | undefined {
  return scope.find(segment) ?? scope.types().find(({ name }) => name.snake === segment);
}

/** Copies a type, and what it is made of. */
function copy(start: TypeEntry, scope: Scope, copies: Map<string, TypeEntry>): void {
  const seen = new Set([start]);
  for (const entry of seen) {
    const { name, syntax } = entry;
    if (entry.scope === scope || scope.own.has(name.key)) continue;
    copies.set(name.key, { name, syntax, scope, copyOf: entry });
    for (const { link, type } of syntax.form === 'enum' ? [] : syntax.attributes) {
      for (const word of link ? [] : [type.element, type.key]) {
        const part = word && findFrom(entry, word.name.key);
        if (part !== undefined) seen.add(part);
      }
    }
  }
}

function sameCopies(left: ReadonlyMap<string, TypeEntry>, right: ReadonlyMap<string, TypeEntry>): boolean {
  return left.size === right.size && [...left].every(([key, { copyOf }]) => sameOrigin(copyOf, right.get(key)?.copyOf));
}

function sameOrigin(left: TypeEntry | undefined, right: TypeEntry | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.syntax === right.syntax && left.scope === right.scope && sameOrigin(left.copyOf, right.copyOf);
}

/** References that lead back to themselves are reported, and not followed. */
function dropCycles(targets: Map<Reference, Target>): void {
  const next = new Map<Reference, Reference>();
  for (const [reference, { scope, segment }] of targets) {
    for (const [other] of targets) {
      const { snake } = other.syntax.item.name;
      if (other.scope === scope && snake === segment) next.set(reference, other);
    }
  }
  for (const reference of [...targets.keys()]) {
    const path: Reference[] = [reference];
    for (let at = next.get(reference); at !== undefined && !path.includes(at); at = next.get(at)) path.push(at);
    const last = path.at(-1);
    if (last === undefined || next.get(last) !== reference) continue;
    const names = [...path, reference].map(({ scope, syntax }) => `${scope.dotted}.${syntax.item.name.camel}`);
    reference.scope.report('ref.cycle', reference.mark.place, `'@ref' leads in a circle: ${names.join(', ')}`);
    targets.delete(reference);
  }
}
