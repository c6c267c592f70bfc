// Common data of the comparisons of one version.
import type { Element, Field, Message, ProtoFile, TypeRef } from '../protos/mod.ts';
import { allMessages } from '../protos/mod.ts';
import { type Finding, type Permitted, type RuleId, Severity } from './finding.ts';
import type { Removal } from './removal.ts';

export interface VersionScope {
  readonly group: string;
  readonly version: string;
  readonly base: ProtoFile;
  readonly current: ProtoFile;
  /** The same version in all earlier releases. */
  readonly earlier: readonly ProtoFile[];
  readonly judge: (element: string) => Removal;
}

/** Findings of one version, as they are made. */
export class Findings {
  readonly #scope: Pick<VersionScope, 'group' | 'version'>;
  readonly all: Finding[] = [];

  constructor(scope: Pick<VersionScope, 'group' | 'version'>) {
    this.#scope = scope;
  }

  add(
    rule: RuleId,
    severity: Severity,
    { path, at }: Pick<Element, 'path' | 'at'>,
    text: string,
    permitted?: Permitted,
  ): void {
    const { group, version } = this.#scope;
    const finding = { rule, severity, group, version, element: path, text, at };
    this.all.push(permitted === undefined ? finding : { ...finding, permitted });
  }

  addRemoval(rule: RuleId, element: Pick<Element, 'path' | 'at'>, { severity, text, permitted }: Removal): void {
    this.add(rule, severity, element, `removed: ${text}`, permitted);
  }

  /** C25 and C26. */
  compareMarks(base: Element, current: Element): void {
    if (!base.deprecated && current.deprecated) this.add('C25', Severity.Info, current, 'marked deprecated');
    if (base.deprecated && !current.deprecated) this.add('C26', Severity.Info, current, 'no longer marked deprecated');
  }
}

/** Those of both, those only in the base, those only in the current tree: by name or path, in the order of the files. */
export function paired<T>(
  base: readonly T[],
  current: readonly T[],
  key: (one: T) => string,
): { readonly both: readonly (readonly [T, T])[]; readonly gone: readonly T[]; readonly fresh: readonly T[] } {
  const currents = new Map(current.map((one) => [key(one), one]));
  const bases = new Set(base.map(key));
  return {
    both: base.flatMap((one) => {
      const other = currents.get(key(one));
      return other === undefined ? [] : [[one, other] as const];
    }),
    gone: base.filter((one) => !currents.has(key(one))),
    fresh: current.filter((one) => !bases.has(key(one))),
  };
}

/** Paths of the messages and enums that the requests, or the responses, of a file may carry. */
export function reachable(file: ProtoFile, side: 'request' | 'response'): ReadonlySet<string> {
  const messages = new Map(allMessages(file).map((message) => [message.path, message]));
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { type } of messages.get(path)?.fields ?? []) if (type.kind !== 'scalar') visit(type.name);
  };
  for (const { rpcs } of file.services) for (const rpc of rpcs) visit(rpc[side]);
  return found;
}

export function sameType(a: Field, b: Field): boolean {
  return a.cardinality === b.cardinality && sameRef(a.type, b.type) && a.keyType === b.keyType;
}

export function sameRef(a: TypeRef, b: TypeRef): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** As it is written in a proto. */
export function typeText({ cardinality, type, keyType }: Field): string {
  if (cardinality === 'map') return `map<${keyType}, ${type.name}>`;
  return cardinality === 'repeated' ? `repeated ${type.name}` : type.name;
}

export function messageAt(file: ProtoFile, path: string): Message | undefined {
  return allMessages(file).find((message) => message.path === path);
}
