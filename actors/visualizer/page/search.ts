// Search: terms that all have to match, each in any field of an object or in a named one. Pure.
import type { Tree } from '../wire.ts';
import { labelOf } from './tones.ts';

const FIELDS = ['kind', 'state', 'group', 'namespace', 'ip', 'id', 'name'] as const;
type Field = (typeof FIELDS)[number];

interface Term {
  /** Undefined: any. */
  readonly field: Field | undefined;
  readonly text: string;
}

/** @param groupName  of the group that an object is shown in; empty: none */
export type Matcher = (tree: Tree, groupName: string) => boolean;

export function matcherOf(text: string): Matcher {
  const terms = termsOf(text);
  if (terms.length === 0) return () => true;
  return (tree, groupName) => terms.every((term) => fits(term, tree, groupName));
}

export function termsOf(text: string): readonly Term[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((term) => {
      const colon = term.indexOf(':');
      const field = FIELDS.find((each) => each === term.slice(0, colon));
      // Most addresses of IPv6 have a colon, too.
      return field === undefined || colon < 0
        ? { field: undefined, text: term }
        : { field, text: term.slice(colon + 1) };
    });
}

function fits({ field, text }: Term, tree: Tree, groupName: string): boolean {
  if (field !== undefined) return valuesOf(field, tree, groupName).some((value) => value.toLowerCase().includes(text));
  if (`${tree.kind}/${tree.name}`.toLowerCase().includes(text)) return true;
  return (
    tree.said.toLowerCase().includes(text) ||
    FIELDS.some((each) => valuesOf(each, tree, groupName).some((value) => value.toLowerCase().includes(text)))
  );
}

function valuesOf(field: Field, tree: Tree, groupName: string): readonly string[] {
  switch (field) {
    case 'kind':
      return [tree.kind];
    case 'name':
      return [tree.name];
    case 'namespace':
      return [tree.namespace];
    case 'group':
      return [groupName];
    case 'id':
      return [tree.id];
    case 'ip':
      return tree.addresses;
    case 'state':
      return [tree.tone, labelOf(tree.tone), tree.state];
  }
}
