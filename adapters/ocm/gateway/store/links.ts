// References in a value: which objects of which types it names.
import type { Attribute, StructType, Type } from '../../model/mod.ts';
import type { Collection } from './collections.ts';
import type { Address, Value } from './store.ts';

/** The object that a link is in. */
export interface Holder extends Address {
  readonly value: Value;
}

/** One link in a value. */
export interface FoundLink {
  /** Target type of the link. */
  readonly type: StructType;
  readonly id: string;
  /** Wire names down to the link. */
  readonly path: readonly string[];
}

/** The links in a value, also those in structs, lists and maps. Expanded objects in place of links count by their `id`. */
export function linksIn(type: StructType, value: Value): FoundLink[] {
  const found: FoundLink[] = [];
  if (mayHoldLinks(type)) collect(type, value, [], found);
  return found;
}

/** The identity of a type across versions of the model in memory. */
export function typeKey({ version, name }: StructType): string {
  return `${version.url}#${name.key}`;
}

/**
 * Identifiers of the objects around the target of a link, as its holder has them: of its own, or in a link beside this one.
 *
 * @param collection  that of the holder
 * @returns undefined where the holder does not have all of them
 */
export function outerOfLink(target: Collection, holder: Holder, collection: Collection): readonly string[] | undefined {
  const outer = target.outer.map((each, index) => each && outerId(each, index, holder, collection));
  return outer.every((each) => each !== undefined) ? outer : undefined;
}

function outerId(outer: Collection, index: number, holder: Holder, collection: Collection): string | undefined {
  if (collection.outer[index]?.path === outer.path) return holder.outer[index];
  if (collection.path === outer.path && collection.outer.length === index) return holder.id;
  for (const { link, type, wireName } of collection.type.attributes) {
    if (!link || (type.kind !== 'class' && type.kind !== 'struct') || typeKey(type) !== typeKey(outer.type)) continue;
    const member = holder.value[wireName];
    if (isObject(member) && typeof member['id'] === 'string') return member['id'];
  }
  return undefined;
}

/** Whether any value of the type can have a link. Known per type: most structs have none. */
const known = new WeakMap<StructType, boolean>();

function mayHoldLinks(type: StructType): boolean {
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const seen = new Set([type]);
  let answer = false;
  for (const { attributes } of seen) {
    for (const { link, type: of } of attributes) {
      if (link) answer = true;
      const plain = of.kind === 'list' || of.kind === 'map' ? of.element : of;
      if (plain.kind === 'struct' || plain.kind === 'class') seen.add(plain);
    }
    if (answer) break;
  }
  known.set(type, answer);
  return answer;
}

function collect(type: StructType, value: Value, path: readonly string[], found: FoundLink[]): void {
  for (const attribute of type.attributes) {
    const member = value[attribute.wireName];
    if (member === undefined || member === null) continue;
    const at = [...path, attribute.wireName];
    if (attribute.link) collectLink(attribute, member, at, found);
    else collectFrom(attribute.type, member, at, found);
  }
}

function collectLink({ type }: Attribute, member: unknown, path: readonly string[], found: FoundLink[]): void {
  const target = type.kind === 'list' ? type.element : type;
  if (target.kind !== 'class' && target.kind !== 'struct') return;
  const links = type.kind === 'list' ? itemsOf(member) : [member];
  links.forEach((link, index) => {
    if (!isObject(link) || typeof link['id'] !== 'string' || link['id'] === '') return;
    found.push({ type: target, id: link['id'], path: type.kind === 'list' ? [...path, String(index)] : path });
  });
}

function collectFrom(type: Type, member: unknown, path: readonly string[], found: FoundLink[]): void {
  if (type.kind === 'class' || type.kind === 'struct') {
    if (isObject(member)) collect(type, member, path, found);
  } else if (type.kind === 'list' && Array.isArray(member)) {
    member.forEach((each, index) => {
      collectFrom(type.element, each, [...path, String(index)], found);
    });
  } else if (type.kind === 'map' && isObject(member)) {
    for (const [key, each] of Object.entries(member)) collectFrom(type.element, each, [...path, key], found);
  }
}

function itemsOf(member: unknown): readonly unknown[] {
  const items = isObject(member) ? member['items'] : member;
  return Array.isArray(items) ? items : [];
}

export function isObject(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
