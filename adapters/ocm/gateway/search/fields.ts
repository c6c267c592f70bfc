// Fields of searches, orders and projections: which attributes their names mean, and how to read them.
import type { Attribute, BuiltInType, DeclaredType, StructType, Type } from '../../model/mod.ts';
import { ownMember } from '../store/paths.ts';
import type { SearchField, StoredObject } from '../store/store.ts';

/** Comparison of a field's values. */
export type FieldKind =
  | 'text'
  | 'date'
  | 'number'
  | 'boolean'
  /** Whatever JSON has: compared by what is there. */
  | 'any'
  /** Structs and maps: there or not. */
  | 'whole';

export interface Field {
  readonly kind: FieldKind;
  /** Wire names, dotted: for people, as the key of a map may have a dot. */
  readonly path: string;
  /** Different for different fields. */
  readonly key: string;
  /** True where a list or a map of objects may hold several values. */
  readonly isMany: boolean;
  /** The values that an object has; undefined members are absent. Of a field that is not `isMany` there is at most one. */
  readonly all: (object: StoredObject) => readonly unknown[];
  /** The value of a field that is not `isMany`. */
  readonly one: (object: StoredObject) => unknown;
}

/** The scope of fields: the objects of one collection. */
export interface FieldScope {
  readonly type: StructType;
  /** Fields that objects have in searches only, by their dotted names. */
  readonly searchFields?: ReadonlyMap<string, SearchField> | undefined;
  readonly hrefOf: (object: StoredObject) => string;
  /** Path of a link's target. */
  readonly linkHref: (attribute: Attribute, id: string, object: StoredObject) => string | undefined;
}

/** Reading of a field, without its name. */
type Access = Omit<Field, 'path' | 'key'>;
type Read = (object: StoredObject) => unknown;
type Step = { readonly form: 'member'; readonly key: string } | { readonly form: 'each' };

/** Names in one path: the body of a request nests no deeper. */
export const MOST_PARTS = 100;

/** @returns undefined for a field that objects of the type cannot have */
export function fieldOf(parts: readonly string[], scope: FieldScope): Field | undefined {
  // mutant: gateway-field-of-any-depth if -> false
  if (parts.length > MOST_PARTS) return undefined;
  const path = parts.join('.');
  const declared = scope.searchFields?.get(path);
  const access =
    declared === undefined
      ? // mutant: gateway-one-form ?? -> $1
        (attributeField(parts, scope) ?? otherFormOf(parts, scope))
      : single(declared.kind, declared.read);
  // mutant: gateway-field-by-path : -> path
  return access && { ...access, path, key: JSON.stringify(parts) };
}

/** `organization_id` where there is a link `organization`, and the other way round: clients say both. */
function otherFormOf(parts: readonly string[], scope: FieldScope): Access | undefined {
  const last = parts.at(-1) ?? '';
  const before = parts.slice(0, -1);
  if (last !== 'id')
    return last.endsWith('_id') ? attributeField([...before, last.slice(0, -3), 'id'], scope) : undefined;
  const holder = before.at(-1);
  return holder === undefined ? undefined : attributeField([...before.slice(0, -1), `${holder}_id`], scope);
}

function attributeField(parts: readonly string[], scope: FieldScope): Access | undefined {
  const [first = '', ...rest] = parts;
  if (scope.type.kind === 'class' && rest.length === 0) {
    if (first === 'id') return single('text', ({ id }) => id);
    if (first === 'kind') return single('text', () => scope.type.name.camel);
    if (first === 'href') return single('text', scope.hrefOf);
  }
  const steps: Step[] = [];
  let type: Type = scope.type;
  for (const [index, part] of parts.entries()) {
    if (type.kind === 'interface') {
      steps.push({ form: 'member', key: part });
      continue;
    }
    if (type.kind === 'list') {
      steps.push({ form: 'each' });
      type = type.element;
    }
    if (type.kind === 'map') {
      steps.push({ form: 'member', key: part });
      type = type.element;
      continue;
    }
    if (type.kind !== 'struct' && type.kind !== 'class') return undefined;
    const attribute: Attribute | undefined = type.attributes.find(({ wireName }) => wireName === part);
    if (attribute === undefined) {
      // For an object of a class that is part of another one.
      const isIdentifier = type.kind === 'class' && part === 'id' && index === parts.length - 1;
      return isIdentifier ? fieldAt('text', [...steps, { form: 'member', key: part }]) : undefined;
    }
    steps.push({ form: 'member', key: part });
    if (attribute.link && targetOf(attribute)?.kind === 'class') {
      return linkField(parts.slice(index + 1), attribute, steps, scope);
    }
    type = attribute.type;
  }
  if (type.kind === 'list') {
    steps.push({ form: 'each' });
    type = type.element;
  }
  return fieldAt(kindOf(type), steps);
}

function linkField(
  rest: readonly string[],
  attribute: Attribute,
  before: readonly Step[],
  scope: FieldScope,
): Access | undefined {
  const [member = 'id', ...deeper] = rest;
  if (deeper.length > 0) return undefined;
  const isList = attribute.type.kind === 'list';
  const steps: Step[] = isList ? [...before, { form: 'member', key: 'items' }, { form: 'each' }] : [...before];
  steps.push({ form: 'member', key: 'id' });
  const ids = fieldAt('text', steps);
  const mapped = (convert: (id: string, object: StoredObject) => string | undefined): Access => {
    const one: Read = (object) => {
      const id = ids.one(object);
      return typeof id === 'string' ? convert(id, object) : undefined;
    };
    if (!ids.isMany) return single('text', one);
    const all = (object: StoredObject): unknown[] => ids.all(object).map((id) => convert(String(id), object));
    return { ...ids, all };
  };
  if (member === 'id') return ids;
  if (member === 'kind') return mapped(() => `${targetOf(attribute)?.name.camel}Link`);
  return member === 'href' ? mapped((id, object) => scope.linkHref(attribute, id, object)) : undefined;
}

function targetOf({ type }: Attribute): BuiltInType | DeclaredType | undefined {
  return type.kind === 'list' ? type.element : type.kind === 'map' ? undefined : type;
}

function kindOf({ kind }: Type): FieldKind {
  switch (kind) {
    case 'string':
    case 'enum':
      return 'text';
    case 'integer':
    case 'long':
    case 'float':
      return 'number';
    case 'date':
    case 'boolean':
      return kind;
    case 'interface':
      return 'any';
    default:
      return 'whole';
  }
}

function fieldAt(kind: FieldKind, steps: readonly Step[]): Access {
  if (steps.every((step) => step.form === 'member')) {
    const keys = steps.map(({ key }) => key);
    const [only = ''] = keys;
    return single(
      kind,
      keys.length === 1 ? ({ value }) => own(value, only) : ({ value }) => keys.reduce<unknown>(own, value),
    );
  }
  const all = ({ value }: StoredObject): unknown[] => {
    let values: readonly unknown[] = [value];
    for (const step of steps) {
      values = values.flatMap((each) =>
        step.form === 'each' ? (Array.isArray(each) ? each : []) : [own(each, step.key)],
      );
    }
    return values.filter((each) => each !== undefined);
  };
  return { kind, isMany: true, all, one: (object) => all(object)[0] };
}

function single(kind: FieldKind, one: Read): Access {
  const all: Field['all'] = (object) => {
    const value = one(object);
    return value === undefined ? [] : [value];
  };
  return { kind, isMany: false, one, all };
}

function own(value: unknown, key: string): unknown {
  return ownMember(value, key) ?? undefined;
}
