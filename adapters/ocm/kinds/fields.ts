// Fields: the attributes of a class as properties of a Kubernetes object. A tree, so a type that contains itself has none.
import type { Attribute, Name, StructType, Type } from '../model/mod.ts';
import { nameOf } from '../model/mod.ts';

/** An attribute that becomes a property. */
export interface Field {
  readonly attribute: Attribute;
  /** Name of the property: `multiAZ`; of a link `regionRef`, whose value is the name of the target. */
  readonly property: string;
  /** Members of the struct, or of the elements of the list or map; undefined for other types and for links. */
  readonly inner: Inner | undefined;
}

export interface Inner {
  readonly type: StructType;
  readonly fields: readonly Field[];
}

/** Attributes by the key of their name; true for an attribute as a whole. */
type Selection = ReadonlyMap<string, Selection | true>;

/** A binding that cannot be made into a kind; the message names the attribute. */
export class BindingError extends Error {
  override name = 'BindingError';
}

/** Name of the property for a name of the model: `AWSNodePool` becomes `awsNodePool`. */
export function propertyOf({ words }: Name): string {
  const [first = '', ...others] = words;
  return first.toLowerCase() + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Name of the property that refers to an object: `clusterRef`. */
export function referenceOf(name: Name): string {
  return `${propertyOf(name)}Ref`;
}

/**
 * The fields of a class.
 *
 * @param attributes  those to take, dotted into structs; undefined for all
 * @throws {BindingError} there is no such attribute, two properties have one name, or a type contains itself
 */
export function fieldsOf(type: StructType, attributes: readonly string[] | undefined): readonly Field[] {
  return collect(type, attributes === undefined ? true : selectionOf(attributes), [type]);
}

/**
 * Splits fields in two.
 *
 * @param attributes  those that become the second part, dotted into structs
 * @throws {BindingError} there is no such attribute, or it is inside the elements of a list or map
 */
export function splitFields(
  type: StructType,
  fields: readonly Field[],
  attributes: readonly string[],
): readonly [readonly Field[], readonly Field[]] {
  return split(type, fields, selectionOf(attributes));
}

function split(
  type: StructType,
  fields: readonly Field[],
  selection: Selection,
): readonly [readonly Field[], readonly Field[]] {
  const [first, second]: [Field[], Field[]] = [[], []];
  for (const key of selection.keys()) {
    if (fields.some(({ attribute }) => attribute.name.key === key)) continue;
    throw new BindingError(`class '${type.name.camel}' has no attribute '${key}' that becomes a property`);
  }
  for (const field of fields) {
    const chosen = selection.get(field.attribute.name.key);
    if (chosen === undefined) first.push(field);
    else if (chosen === true) second.push(field);
    else if (field.inner === undefined || field.attribute.type.kind === 'list' || field.attribute.type.kind === 'map') {
      throw new BindingError(`attribute '${field.attribute.name.text}' is no struct, so that it cannot be split`);
    } else {
      const { type: struct, fields: members } = field.inner;
      const [left, right] = split(struct, members, chosen);
      if (left.length > 0) first.push({ ...field, inner: { type: struct, fields: left } });
      if (right.length > 0) second.push({ ...field, inner: { type: struct, fields: right } });
    }
  }
  return [first, second];
}

function selectionOf(attributes: readonly string[]): Selection {
  const selection = new Map<string, Map<string, never> | true>();
  for (const attribute of attributes) {
    const parts = attribute.split('.').map((part) => nameOf(part).key);
    let at = selection as Map<string, unknown>;
    parts.forEach((part, index) => {
      const known = at.get(part);
      if (known === true) return;
      if (index === parts.length - 1) at.set(part, true);
      else {
        const next = known instanceof Map ? known : new Map<string, unknown>();
        at.set(part, next);
        at = next;
      }
    });
  }
  return selection as Selection;
}

function collect(type: StructType, selection: Selection | true, within: readonly StructType[]): readonly Field[] {
  if (selection !== true) {
    for (const key of selection.keys()) {
      if (type.attributes.some(({ name }) => name.key === key)) continue;
      throw new BindingError(`'${type.name.camel}' has no attribute '${key}'`);
    }
  }
  const fields = type.attributes.flatMap((attribute): Field[] => {
    const chosen = selection === true ? true : selection.get(attribute.name.key);
    if (chosen === undefined) return [];
    if (attribute.link) {
      // A list of links is a collection of its own: those whose parent is this object.
      if (attribute.type.kind === 'list' || attribute.type.kind === 'map') return [];
      return [{ attribute, property: referenceOf(attribute.name), inner: undefined }];
    }
    const struct = structIn(attribute.type);
    if (struct !== undefined && within.includes(struct)) {
      const path = [...within, struct].map(({ name }) => name.camel).join(' > ');
      throw new BindingError(
        `'${struct.name.camel}' contains itself (${path}): leave an attribute out with 'attributes'`,
      );
    }
    const inner = struct && { type: struct, fields: collect(struct, chosen, [...within, struct]) };
    return [{ attribute, property: propertyOf(attribute.name), inner }];
  });
  const taken = new Map<string, Attribute>();
  for (const { attribute, property } of fields) {
    const other = taken.get(property);
    if (other !== undefined) {
      throw new BindingError(
        `attributes '${other.name.text}' and '${attribute.name.text}' of '${type.name.camel}' are both '${property}'`,
      );
    }
    taken.set(property, attribute);
  }
  return fields;
}

/** The struct or class that values of a type consist of. */
function structIn(type: Type): StructType | undefined {
  const plain = type.kind === 'list' || type.kind === 'map' ? type.element : type;
  return plain.kind === 'struct' || plain.kind === 'class' ? plain : undefined;
}
