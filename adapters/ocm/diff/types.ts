// Types as clients see them: shapes in JSON. A pair of types is compared once, for all its uses.
import type { Attribute, EnumType, Place, StructType, Type } from '../model/mod.ts';
import type { Report } from './breaks.ts';

/** Use of the compared types: named and shown if they do not fit. */
export interface Use {
  readonly what: string;
  readonly old: Place;
  readonly now: Place;
}

export type CompareTypes = (old: Type, now: Type, use: Use) => void;

export function typeComparer(report: Report): CompareTypes {
  const compared = new Map<Type, Set<Type>>();
  /** Pending comparisons: types refer to each other in chains of any length, too long for recursion. */
  const pending: (() => void)[] = [];

  const compareAll: CompareTypes = (old, now, use) => {
    compare(old, now, use);
    for (let work = pending.shift(); work !== undefined; work = pending.shift()) work();
  };
  const compare: CompareTypes = (old, now, use) => {
    if (old.kind === 'list' && now.kind === 'list') compare(old.element, now.element, use);
    else if (old.kind === 'map' && now.kind === 'map') {
      // Keys are texts whatever they are called; the texts of an enum count.
      if (old.key.kind === 'enum' && now.key.kind === 'enum') compare(old.key, now.key, use);
      compare(old.element, now.element, use);
    } else if (old.kind === 'enum' && now.kind === 'enum') once(old, now, () => compareEnums(old, now));
    else if (isStruct(old) && isStruct(now)) {
      const isSame = old.name.key === now.name.key;
      if (!isSame) compareKinds(old, now, use);
      once(old, now, () => {
        // The same name is reported once, rather than at each use.
        if (isSame) compareKinds(old, now, { what: `'${old.name.camel}'`, old: old.place, now: now.place });
        compareAttributes(old, now);
      });
    } else if (old.kind !== now.kind) {
      report('type.changed', `${use.what} is ${typeText(now)} and was ${typeText(old)}`, use.old, use.now);
    }
  };
  const once = (old: Type, now: Type, work: () => void): void => {
    const others = compared.get(old) ?? new Set();
    compared.set(old, others);
    if (others.has(now)) return;
    others.add(now);
    pending.push(work);
  };
  const compareEnums = (old: EnumType, now: EnumType): void => {
    for (const value of old.values) {
      if (now.values.some(({ wireName }) => wireName === value.wireName)) continue;
      const renamed = now.values.find(({ name }) => name.key === value.name.key);
      const message = `value "${value.wireName}" of '${old.name.camel}' ${fate(renamed?.wireName, old, now)}`;
      report('value.removed', message, value.place, renamed?.place);
    }
  };
  /** The name of a class is its `kind`; other names are not on the wire. */
  const compareKinds = (old: StructType, now: StructType, use: Use): void => {
    if (old.kind === 'struct' || (now.kind === 'class' && now.name.key === old.name.key)) return;
    report('type.kind', `${use.what} is ${typeText(now)} and was ${typeText(old)}`, use.old, use.now);
  };
  const compareAttributes = (old: StructType, now: StructType): void => {
    for (const attribute of old.attributes) {
      const other = now.attributes.find(({ wireName }) => wireName === attribute.wireName);
      const what = `'${attribute.wireName}' of '${old.name.camel}'`;
      if (other !== undefined) compareAttribute(attribute, other, what);
      else if (old.kind === now.kind || !isBuiltIn(attribute, now)) {
        const renamed = now.attributes.find(({ name }) => name.key === attribute.name.key);
        report('attribute.removed', `${what} ${fate(renamed?.wireName, old, now)}`, attribute.place, renamed?.place);
      }
    }
  };
  const compareAttribute = (old: Attribute, now: Attribute, what: string): void => {
    if (old.link !== now.link) {
      const [is, was] = [now, old].map(({ link }) => (link ? 'a link' : 'an object of its own'));
      report('attribute.link', `${what} is ${is} and was ${was}`, old.place, now.place);
    }
    compare(old.type, now.type, { what, old: old.place, now: now.place });
  };
  return compareAll;
}

/**
 * Reason why something does not exist any more.
 *
 * @param old, now  what it was in, and what is there instead
 */
export function fate(newName: string | undefined, old?: Type, now?: Type): string {
  if (newName !== undefined) return `is called "${newName}" now`;
  const isOther = old !== undefined && now !== undefined && old.name.key !== now.name.key;
  return isOther ? `is not in '${now.name.camel}', which is used instead` : 'was removed';
}

export function typeText(type: Type): string {
  if (type.kind === 'list') return `a list of ${type.element.name.camel}`;
  if (type.kind === 'map') return `a map of ${type.element.name.camel}`;
  const isDeclared = type.kind === 'enum' || isStruct(type);
  return isDeclared ? `${type.kind} ${type.name.camel}` : type.name.camel;
}

function isStruct(type: Type): type is StructType {
  return type.kind === 'struct' || type.kind === 'class';
}

/** A struct may declare what every class has. */
function isBuiltIn({ wireName }: Attribute, { kind }: StructType): boolean {
  return kind === 'class' && ['kind', 'id', 'href'].includes(wireName);
}
