// The places of a model where objects are: what its resources read and write.
import { type Chain, chainsOf, type Method, type StructType, type Type, type Version } from '../../model/mod.ts';

/** The objects of one type at one way through the locators: a collection, or an object without an identifier. */
export interface Collection {
  /** With path parameters in braces, such as `/api/library_mgmt/v1/authors/{author_id}/books`. */
  readonly path: string;
  readonly version: Version;
  /** Type of its objects. A struct has no `kind`, `id` and `href` on the wire. */
  readonly type: StructType;
  /** True for one object without an identifier, at the path itself. */
  readonly singleton: boolean;
  /** The collections of the objects that the path parameters name, outermost first; undefined for one that has none. */
  readonly outer: readonly (Collection | undefined)[];
}

/** Target of a method. */
export const Subject = {
  /** The objects of the collection at the resource's own path. */
  Collection: 'collection',
  /** One object of the collection that the last locator's identifier belongs to. */
  Object: 'object',
  /** The object at the resource's own path, which has no identifier. */
  Singleton: 'singleton',
} as const;
export type Subject = (typeof Subject)[keyof typeof Subject];

/** The collections of a version, by chain. */
export class Collections {
  readonly #byKey = new Map<string, Collection | undefined>();
  readonly #version: Version;
  /** Ways that are longer by one identifier. */
  readonly #objects = new Map<Chain, Chain[]>();
  /** All ways, so that a collection can be asked for by one of its objects. */
  readonly chains: readonly Chain[];

  constructor(version: Version) {
    this.#version = version;
    this.chains = chainsOf(version);
    for (const chain of this.chains) {
      const { outer, locators } = chain;
      if (outer === undefined || locators.at(-1)?.variable !== true) continue;
      this.#objects.set(outer, [...(this.#objects.get(outer) ?? []), chain]);
    }
    for (const chain of this.chains) for (const method of chain.resource.methods) this.of(chain, method);
  }

  /** All that have a type. */
  all(): Collection[] {
    return [...this.#byKey.values()].filter((each) => each !== undefined);
  }

  /** The collection that a method reads or writes; undefined where its objects have no type that can be stored. */
  of(chain: Chain, method: Method): Collection | undefined {
    switch (subjectOf(chain, method)) {
      case Subject.Collection:
        return this.#at(chain, false);
      case Subject.Object:
        return chain.outer && this.#at(chain.outer, false);
      case Subject.Singleton:
        return this.#at(chain, true);
    }
  }

  /** The collection whose objects the last locator of a chain names by identifier. */
  #at(chain: Chain, singleton: boolean): Collection | undefined {
    const key = `${singleton ? 'singleton' : 'collection'} ${chain.path}`;
    if (this.#byKey.has(key)) return this.#byKey.get(key);
    const type = singleton ? typeOf(chain, Subject.Singleton) : collectedType(chain, this.#objects.get(chain) ?? []);
    const outer = type === undefined ? [] : this.#outerOf(chain);
    const found = type && { path: chain.path, version: this.#version, type, singleton, outer };
    this.#byKey.set(key, found);
    return found;
  }

  #outerOf(chain: Chain): (Collection | undefined)[] {
    const outer = chain.outer === undefined ? [] : this.#outerOf(chain.outer);
    if (chain.outer === undefined || chain.locators.at(-1)?.variable !== true) return outer;
    return [...outer, this.#at(chain.outer, false)];
  }
}

/** Whether a method works on a collection, on one of its objects or on a singleton. */
export function subjectOf(chain: Chain, method: Method): Subject {
  const { kind, requestBody } = method;
  const isMany =
    kind === 'List' ||
    kind === 'Add' ||
    kind === 'AsyncAdd' ||
    kind === 'Search' ||
    bodyType(requestBody)?.kind === 'list';
  if (isMany) return Subject.Collection;
  if (chain.locators.at(-1)?.variable === true) return Subject.Object;
  const isOne =
    kind === 'Get' || kind === 'Update' || kind === 'AsyncUpdate' || kind === 'Delete' || kind === 'AsyncDelete';
  if (isOne) return Subject.Singleton;
  // A Post or an action beside a List belongs to its collection.
  const hasMany = chain.resource.methods.some(
    (each) => each.kind === 'List' || each.kind === 'Add' || each.kind === 'AsyncAdd',
  );
  return hasMany ? Subject.Collection : Subject.Singleton;
}

/** For a collection, the type that it lists or takes; else the type of its object. */
function collectedType(chain: Chain, objects: readonly Chain[]): StructType | undefined {
  const own = typeOf(chain, Subject.Collection);
  return own ?? objects.map((each) => typeOf(each, Subject.Object)).find((type) => type !== undefined);
}

function typeOf(chain: Chain, subject: Subject): StructType | undefined {
  for (const method of chain.resource.methods) {
    if (method.kind === 'action' || method.kind === 'Post' || method.kind === 'AsyncPost') continue;
    if (subjectOf(chain, method) !== subject) continue;
    const body = method.kind === 'List' || method.kind === 'Search' ? undefined : bodyType(method.responseBody);
    const items = method.responseBody.parameters.find(({ name }) => name.key === 'items')?.type;
    const type = structOf(body ?? items);
    if (type !== undefined) return type;
  }
  // A resource that is only asked by Post has what it answers.
  const post = chain.resource.methods.find(({ kind }) => kind === 'Post' || kind === 'AsyncPost');
  return subject === Subject.Singleton ? structOf(post?.responseBody.parameters[0]?.type) : undefined;
}

function bodyType({ parameters }: Method['requestBody']): Type | undefined {
  return parameters.find(({ name }) => name.key === 'body')?.type;
}

function structOf(type: Type | undefined): StructType | undefined {
  const plain = type?.kind === 'list' ? type.element : type;
  return plain?.kind === 'class' || plain?.kind === 'struct' ? plain : undefined;
}
