// Paths of objects and links, as `Get` serves them, found through the locators.
import { type Attribute, compareNames, type StructType } from '../../model/mod.ts';
import type { Operation, Tree } from '../routes/tree.ts';
import type { Collection } from '../store/collections.ts';
import { type Holder, outerOfLink, typeKey } from '../store/links.ts';
import type { Address } from '../store/store.ts';

/** A place where objects of a type can be read by identifier. */
interface Target {
  readonly operation: Operation;
  readonly collection: Collection;
}

export interface LinkTarget {
  readonly collection: Collection;
  readonly address: Address;
}

const NO_TARGETS: readonly Target[] = [];

/** Paths of all objects of a model. */
export class Links {
  readonly #byType = new Map<string, Target[]>();
  readonly #byName = new Map<string, Target[]>();
  /** For collections, paths of their objects with path parameters. */
  readonly #objectPaths = new Map<string, string>();
  readonly #lists = new Set<string>();
  readonly #templates = new Map<string, readonly string[]>();

  /** @param trees  in the order of services and versions */
  constructor(trees: readonly Tree[]) {
    const targets: Target[] = [];
    for (const operation of trees.flatMap(({ operations }) => operations)) {
      const { collection, method, subject, chain, path } = operation;
      if (method.kind === 'List') this.#lists.add(path);
      if (collection === undefined || subject !== 'object' || method.segment !== undefined) continue;
      this.#objectPaths.set(collection.path, chain.path);
      if (method.kind === 'Get') targets.push({ operation, collection });
    }
    targets.sort(byNames);
    for (const target of targets) {
      const { type } = target.collection;
      append(this.#byType, typeKey(type), target);
      append(this.#byName, type.name.key, target);
    }
  }

  /** The path of an object as `Get` would serve it. */
  hrefOf({ path, singleton }: Collection, { outer, id }: Address): string {
    return this.#filled(
      singleton ? path : (this.#objectPaths.get(path) ?? `${path}/{id}`),
      singleton ? outer : [...outer, id],
    );
  }

  /** The collections where objects of a type are, in this service or else in another one. */
  collectionsOf(type: StructType): readonly Collection[] {
    return this.#targets(type).map(({ collection }) => collection);
  }

  /** Place of the object that a link leads to: the first way in name order that its holder fills; undefined where there is none. */
  linkTarget(type: StructType, id: string, holder: Holder, collection: Collection): LinkTarget | undefined {
    for (const { collection: target } of this.#targets(type)) {
      const outer = outerOfLink(target, holder, collection);
      if (outer !== undefined) return { collection: target, address: { outer, id } };
    }
    return undefined;
  }

  /** The path of the object that a link leads to; undefined where there is none. */
  linkHref(type: StructType, id: string, holder: Holder, collection: Collection): string | undefined {
    const target = this.linkTarget(type, id, holder, collection);
    return target && this.hrefOf(target.collection, target.address);
  }

  /** The path of the collection that a link to a list of an object leads to; undefined where the object has none. */
  listHref({ wireName }: Attribute, { outer, id }: Address, collection: Collection): string | undefined {
    const object = collection.singleton ? collection.path : this.#objectPaths.get(collection.path);
    const path = `${object}/${wireName}`;
    if (object === undefined || !this.#lists.has(path)) return undefined;
    return this.#filled(path, collection.singleton ? outer : [...outer, id]);
  }

  /** Those of the same version first; a class of that name in another one is what a link into another service means. */
  #targets(type: StructType): readonly Target[] {
    // mutant: gateway-links-inside ?? -> $1
    return this.#byType.get(typeKey(type)) ?? this.#byName.get(type.name.key) ?? NO_TARGETS;
  }

  #filled(path: string, ids: readonly string[]): string {
    const known = this.#templates.get(path);
    const parts = known ?? path.split(/\{[^}]*\}/);
    if (known === undefined) this.#templates.set(path, parts);
    return parts
      .map((part, index) => (index === 0 ? part : `${encodeURIComponent(ids[index - 1] ?? '')}${part}`))
      .join('');
  }
}

function byNames(a: Target, b: Target): number {
  const [left, right] = [a.operation.chain.locators, b.operation.chain.locators];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [x, y] = [left[at], right[at]];
    const order = x === undefined || y === undefined ? 0 : compareNames(x.name, y.name);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function append(targets: Map<string, Target[]>, key: string, target: Target): void {
  const known = targets.get(key);
  if (known === undefined) targets.set(key, [target]);
  else known.push(target);
}
