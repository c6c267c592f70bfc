// The URLs of one version as a tree of segments, made of the same chains of locators as its OpenAPI document.
//
// Invariants:
//   OCM-TREE-1. A fixed segment wins over an identifier. Of several locators with an identifier the first in name order serves.
import type { Chain, Method, Verb, Version } from '../../model/mod.ts';
import { type Collection, Collections, type Subject, subjectOf } from '../store/collections.ts';

/** A method at one of its URLs. */
export interface Operation {
  readonly version: Version;
  readonly chain: Chain;
  readonly method: Method;
  readonly subject: Subject;
  /** Collection that it reads or writes; undefined where that has no type that can be stored. */
  readonly collection: Collection | undefined;
  /** With path parameters in braces, and the segment of an action. */
  readonly path: string;
}

/** The operations of one URL. */
export interface Node {
  readonly chain: Chain;
  readonly fixed: ReadonlyMap<string, Node>;
  readonly variable: Node | undefined;
  readonly operations: ReadonlyMap<Verb, Operation>;
  /** Keyed by segment. */
  readonly actions: ReadonlyMap<string, Operation>;
  /** The collection that has the object of this URL, where the last segment is its identifier and it can be read. */
  readonly object: Collection | undefined;
}

export interface Found {
  readonly node: Node;
  /** Those of the URL's verbs. */
  readonly operations: ReadonlyMap<Verb, Operation>;
  /** Identifiers in the path, outermost first. */
  readonly ids: readonly string[];
  /** The objects around what is asked for: with their identifiers they have to exist. */
  readonly around: readonly { readonly collection: Collection; readonly depth: number }[];
}

export interface Tree {
  readonly version: Version;
  readonly root: Node | undefined;
  readonly collections: Collections;
  /** In the order of paths. */
  readonly operations: readonly Operation[];
}

export function treeOf(version: Version): Tree {
  const collections = new Collections(version);
  const operations: Operation[] = [];
  const nodes = new Map<Chain, Node>();
  // Those behind a chain come after it: from the end, what is below is there already.
  const byDepth = [...collections.chains].sort((a, b) => b.locators.length - a.locators.length);
  const below = new Map<Chain, Chain[]>();
  for (const chain of byDepth) {
    nodes.set(chain, nodeOf(chain, below.get(chain) ?? [], nodes, collections));
    if (chain.outer !== undefined) below.set(chain.outer, [...(below.get(chain.outer) ?? []), chain]);
  }
  for (const chain of collections.chains) {
    const node = nodes.get(chain);
    if (node !== undefined) operations.push(...node.operations.values(), ...node.actions.values());
  }
  const [start] = collections.chains;
  return { version, root: start && nodes.get(start), collections, operations };
}

function nodeOf(
  chain: Chain,
  inner: readonly Chain[],
  nodes: ReadonlyMap<Chain, Node>,
  collections: Collections,
): Node {
  const operations = chain.resource.methods.map((method): Operation => {
    const { version } = chain.resource;
    const path = method.segment === undefined ? chain.path : `${chain.path}/${method.segment}`;
    const collection = collections.of(chain, method);
    return { version, chain, method, subject: subjectOf(chain, method), collection, path };
  });
  const fixed = new Map<string, Node>();
  let variable: { readonly position: number; readonly node: Node } | undefined;
  for (const each of inner) {
    const locator = each.locators.at(-1);
    const node = nodes.get(each);
    if (locator === undefined || node === undefined) continue;
    // Locators of a resource are in name order.
    const position = chain.resource.locators.indexOf(locator);
    if (!locator.variable) fixed.set(locator.segment, node);
    else if (variable === undefined || position < variable.position) variable = { position, node };
  }
  const plain = operations.filter(({ method }) => method.segment === undefined);
  const get = plain.find(({ method, subject }) => method.kind === 'Get' && subject === 'object');
  return {
    chain,
    fixed,
    variable: variable?.node,
    operations: new Map(plain.map((each) => [each.method.verb, each])),
    actions: new Map(
      operations.flatMap((each) => (each.method.segment === undefined ? [] : [[each.method.segment, each]])),
    ),
    object: get?.collection,
  };
}

/**
 * Finds what a path leads to.
 *
 * @param segments  decoded, behind the version
 * @returns undefined for a path that is none
 */
export function find(root: Node, segments: readonly string[], verb: string): Found | undefined {
  const ids: string[] = [];
  const around: { collection: Collection; depth: number }[] = [];
  let node = root;
  for (const [index, segment] of segments.entries()) {
    if (node.object !== undefined) around.push({ collection: node.object, depth: ids.length });
    const isLast = index === segments.length - 1;
    const next = node.fixed.get(segment);
    const action =
      isLast && (next === undefined || !next.operations.has('POST')) ? node.actions.get(segment) : undefined;
    // An object may be called as an action is: only POST means the action then.
    if (action !== undefined && (verb === 'POST' || (next ?? node.variable) === undefined)) {
      return { node, operations: new Map([[action.method.verb, action]]), ids, around };
    }
    if (next !== undefined) node = next;
    else if (node.variable !== undefined && segment !== '') {
      node = node.variable;
      ids.push(segment);
    } else return undefined;
  }
  return { node, operations: node.operations, ids, around };
}
