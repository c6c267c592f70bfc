// Objects as clients see them: `kind`, `id`, `href`, then what is set, in the order of the model's names.
import type { Attribute, StructType, Type } from '../../model/mod.ts';
import type { Collection } from '../store/collections.ts';
import { isObject } from '../store/links.ts';
import { ownMember } from '../store/paths.ts';
import type { StoredObject, Value } from '../store/store.ts';
import { utcDate } from './dates.ts';
import type { Links } from './links.ts';

/** Writes the objects of one collection. */
export class ObjectWriter {
  readonly #collection: Collection;
  readonly #links: Links;
  /** Texts of objects: those of a state that was sent before are sent again. */
  readonly #texts = new WeakMap<StoredObject, string>();

  constructor(collection: Collection, links: Links) {
    this.#collection = collection;
    this.#links = links;
  }

  hrefOf(object: StoredObject): string {
    return this.#links.hrefOf(this.#collection, object);
  }

  linkHref({ type }: Attribute, id: string, object: StoredObject): string | undefined {
    const target = type.kind === 'list' ? type.element : type;
    if (target.kind !== 'class' && target.kind !== 'struct') return undefined;
    return this.#links.linkHref(target, id, object, this.#collection);
  }

  /** Whether an attribute is a collection of its own, with a URL, and so no part of the objects. */
  isCollection(attribute: Attribute): boolean {
    if (!attribute.link || attribute.type.kind !== 'list') return false;
    return this.#links.listHref(attribute, { outer: [], id: '' }, this.#collection) !== undefined;
  }

  /** The object as JSON. */
  text(object: StoredObject): string {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = JSON.stringify(this.value(object));
    this.#texts.set(object, text);
    return text;
  }

  /** The attributes that a value has when it is served as that of an object. */
  attributes(value: Value, object: StoredObject): Value {
    return this.#struct(this.#collection.type, value, object, true);
  }

  value(object: StoredObject): Value {
    const { type, singleton } = this.#collection;
    const written = this.attributes(object.value, object);
    if (type.kind !== 'class') return written;
    const id = singleton && object.id === '' ? idOf(object.value) : { id: object.id };
    // mutant: gateway-order-of-members {} -> { ...written, kind: type.name.camel, ...id, href: this.hrefOf(object) }
    return { kind: type.name.camel, ...id, href: this.hrefOf(object), ...written };
  }

  #struct(type: StructType, value: Value, object: StoredObject, isTop: boolean): Value {
    return Object.fromEntries(
      type.attributes.flatMap((attribute): [string, unknown][] => {
        const { wireName, link } = attribute;
        const member = ownMember(value, wireName) ?? undefined;
        if (link && attribute.type.kind === 'list') {
          const list = this.#listLink(attribute, member, object, isTop);
          return list === undefined ? [] : [[wireName, list]];
        }
        if (member === undefined) return [];
        return [
          [wireName, link ? this.#link(attribute, member, object) : this.#member(attribute.type, member, object)],
        ];
      }),
    );
  }

  #member(type: Type, member: unknown, object: StoredObject): unknown {
    switch (type.kind) {
      case 'date':
        return typeof member === 'string' ? (utcDate(member) ?? member) : member;
      case 'list':
        return Array.isArray(member) ? member.map((each) => this.#member(type.element, each, object)) : member;
      case 'map':
        return isObject(member)
          ? Object.fromEntries(
              Object.entries(member).map(([key, each]) => [key, this.#member(type.element, each, object)]),
            )
          : member;
      case 'struct':
        return isObject(member) ? this.#struct(type, member, object, false) : member;
      case 'class':
        return isObject(member)
          ? { kind: type.name.camel, ...idOf(member), ...this.#struct(type, member, object, false) }
          : member;
      default:
        return member;
    }
  }

  #link(attribute: Attribute, member: unknown, object: StoredObject): unknown {
    const { type } = attribute;
    const target = type.kind === 'list' ? type.element : type;
    // A link to a struct has the struct's own attributes.
    if (target.kind !== 'class' || !isObject(member)) return this.#member(target, member, object);
    const { id, href } = member;
    const path = typeof href === 'string' ? href : this.linkHref(attribute, String(id), object);
    return { kind: `${target.name.camel}Link`, id, ...(path !== undefined && { href: path }) };
  }

  /** The collection inside the object, which has its own URL; where there is none, the links that were stored. */
  #listLink(attribute: Attribute, member: unknown, object: StoredObject, isTop: boolean): unknown {
    const { type } = attribute;
    if (type.kind !== 'list') return undefined;
    const href = isTop ? this.#links.listHref(attribute, object, this.#collection) : undefined;
    // mutant: gateway-list-link-forgotten if -> false
    if (href !== undefined) return { kind: `${type.element.name.camel}ListLink`, href };
    const items = isObject(member) ? member['items'] : undefined;
    if (!Array.isArray(items)) return undefined;
    return { kind: `${type.element.name.camel}List`, items: items.map((each) => this.#link(attribute, each, object)) };
  }
}

function idOf({ id }: Value): Value {
  return typeof id === 'string' ? { id } : {};
}
