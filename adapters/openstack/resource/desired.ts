// Requests derived from the tables of a kind and an object: the body of a create, the lookup of an earlier create's
// result, the difference from the observation, and the fields of the spec that no request applies. Pure.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KnownDependencies } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Criterion, checked, eachTag, equalTo, TagKey, tagsLike } from '../base/criteria.ts';
import { isCompared, isJsonObject, type ResourceField } from '../base/fields.ts';
import { isEmpty } from '../base/observed-values.ts';
import { pathsOf } from '../status/messages.ts';
import { type Contents, toWire } from './references.ts';
import type { TableKind } from './table.ts';

/** Known values, and the references that were not known yet. */
export interface Stated<T> {
  readonly stated: T;
  /** As `<Kind>/<name>`. */
  readonly missing: readonly string[];
}

/** The attributes that a create sends. @param contents  of the Secrets that the object refers to */
export function createAttributes(
  kind: TableKind,
  object: KubeObject,
  known: KnownDependencies,
  contents: Contents = {},
): Stated<JsonObject> {
  const fields = Object.entries(kind.resource).map(([name, field]) => ({
    field,
    wired: wiredOf(name, field, object, known, contents),
  }));
  const attributes = fields.map(({ field, wired }) =>
    renamed(wired === undefined ? field.initial : field.encode(wired.value, wired.published), field.createdAs),
  );
  const mark = kind.adoption.mark?.(object) ?? {};
  return {
    stated: Object.assign({}, ...attributes, mark),
    missing: fields.flatMap(({ wired }) => wired?.missing ?? []),
  };
}

function renamed(attributes: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [names[name] ?? name, value]));
}

/** Attributes of a resource made from a spec: for a query, or for a check of its results. */
interface Likeness {
  /** Name of the resource; undefined if its kind has no names. */
  readonly name?: Json;
  readonly query: readonly Attribute[];
  readonly check: readonly Attribute[];
}

type Attribute = readonly [name: string, value: Json];

/** Attributes of a resource made from this spec, without those of unknown references. */
function likenessOf(kind: TableKind, object: KubeObject, known: KnownDependencies): Stated<Likeness> {
  const missing: string[] = [];
  const attributesOf = (name: string): readonly Attribute[] => {
    const field = kind.resource[name];
    const wired = field === undefined ? undefined : wiredOf(name, field, object, known);
    if (field === undefined || wired === undefined) return [];
    missing.push(...wired.missing);
    return wired.missing.length > 0 ? [] : Object.entries(field.encode(wired.value, wired.published));
  };
  const { query, check = [], mark } = kind.adoption;
  const name = nameOf(kind, object);
  const stated = {
    ...(name !== undefined && { name }),
    query: [...query.flatMap(attributesOf), ...Object.entries(mark?.(object) ?? {})],
    check: check.flatMap(attributesOf),
  };
  return { stated, missing };
}

/** Criteria of a lookup, and the part that it shares with all lookups of the same resource. */
export interface Wanted {
  readonly criteria: readonly Criterion[];
  readonly common: Json;
}

/** Criteria for a resource made from this spec, without those of unknown references. */
export function adoptionCriteria(kind: TableKind, object: KubeObject, known: KnownDependencies): Stated<Wanted> {
  const { stated, missing } = likenessOf(kind, object, known);
  return { stated: wantedIn(kind, stated), missing };
}

/** Intent of a create: criteria for later lookups, when the spec may have changed (`Lifecycle.intent`). */
export function intentOf(kind: TableKind, object: KubeObject, known: KnownDependencies): JsonObject | undefined {
  const { stated, missing } = likenessOf(kind, object, known);
  return missing.length > 0 ? undefined : (stated as unknown as JsonObject);
}

/** Criteria from an intent; undefined if it is invalid, or contains nothing to look up. */
export function intendedCriteria(kind: TableKind, { name, query, check }: JsonObject): Wanted | undefined {
  if (!isAttributes(query) || !isAttributes(check) || query.length + check.length === 0) return undefined;
  return wantedIn(kind, { ...(name !== undefined && { name }), query, check });
}

function wantedIn(kind: TableKind, { name, query, check }: Likeness): Wanted {
  const criteriaOf =
    (criterion: typeof equalTo) =>
    ([attribute, value]: Attribute): Criterion | readonly Criterion[] => {
      if (attribute !== TagKey.All || !Array.isArray(value)) return criterion(attribute, value);
      const tags = value.map(String);
      const { tagKey } = kind.service;
      return tagKey === undefined ? tagsLike(TagKey.All, tags) : eachTag(tagKey, tags);
    };
  const criteria = [...query.flatMap(criteriaOf(equalTo)), ...check.flatMap(criteriaOf(checked))];
  // The name is always a criterion: it is what the lookups of two objects share.
  return { criteria, common: name ?? criteria.map(({ key = null, value }) => [key, value]) };
}

function isAttributes(value: Json | undefined): value is readonly (readonly [string, Json])[] {
  return (
    Array.isArray(value) &&
    value.every((each: Json) => Array.isArray(each) && each.length === 2 && typeof each[0] === 'string')
  );
}

/** What `spec.import.filter` asks for. */
export function filterCriteria(
  kind: TableKind,
  filter: JsonObject,
  known: KnownDependencies,
): Stated<readonly Criterion[]> {
  const fields = Object.entries(kind.filter).flatMap(([name, { schema, criteria }]) => {
    const value = filter[name];
    return isUnset(value) ? [] : [{ wired: toWire(schema, value, known), criteria }];
  });
  return {
    stated: fields.flatMap(({ wired, criteria }) => criteria(wired.value)),
    missing: fields.flatMap(({ wired }) => wired.missing),
  };
}

/** Attributes that are not as the spec says. */
export interface Difference {
  readonly attributes: JsonObject;
  /** Fields of the spec that they represent. */
  readonly fields: readonly string[];
  /** One of them is an extension's, so that the update takes no revision. */
  readonly extension: boolean;
}

export function differenceOf(
  kind: TableKind,
  object: KubeObject,
  known: KnownDependencies,
  observed: JsonObject,
): Stated<Difference> {
  let extension = false;
  const missing: string[] = [];
  const fields = new Set<string>();
  const differing: [string, Json][] = [];
  for (const [name, field] of Object.entries(kind.resource)) {
    if (!isCompared(field.change)) continue;
    const wired = wiredOf(name, field, object, known);
    const expected =
      wired === undefined ? unsetAttributes(field, observed) : field.encode(wired.value, wired.published);
    for (const [attribute, value] of Object.entries(expected)) {
      if (isSame(value, observed[attribute], field)) continue;
      if (field.keepsEmpty && isEmpty(observed[attribute])) continue;
      // mutant: moved-association-pulled-back drop
      if (field.change.kind === 'whenLost' && !isEmpty(observed[attribute])) continue;
      // An existing resource may use a dependency that is not ready any more; a new one may not.
      if (wired !== undefined && wired.unready.length > 0) {
        missing.push(...wired.unready);
        continue;
      }
      extension ||= field.extension;
      fields.add(name);
      differing.push([attribute, value]);
    }
  }
  const restated =
    differing.length === 0 ? [] : (kind.restated ?? []).map((name) => restatedOf(kind, name, object, known));
  const stated = {
    attributes: Object.assign({}, ...restated, Object.fromEntries(differing)),
    fields: [...fields],
    extension,
  };
  return { stated, missing: [...new Set(missing)] };
}

function restatedOf(kind: TableKind, name: string, object: KubeObject, known: KnownDependencies): JsonObject {
  const field = kind.resource[name];
  const wired = field === undefined ? undefined : wiredOf(name, field, object, known);
  return field === undefined || wired === undefined ? {} : field.encode(wired.value, wired.published);
}

/** The tags that a request of their own has to set; undefined when they are as they should be, or not the kind's. */
export function differingTags(
  kind: TableKind,
  object: KubeObject,
  observed: JsonObject,
): readonly string[] | undefined {
  const entry = Object.entries(kind.resource).find(([, { role }]) => role === 'tags');
  if (entry === undefined) return undefined;
  const [name, field] = entry;
  const tags = [...((wiredOf(name, field, object, {})?.value ?? []) as readonly string[])].sort();
  return isSame(tags, observed['tags'], { unordered: true, sameItem: undefined }) ? undefined : tags;
}

/** Equivalent of an unset field. An attribute that the cloud does not know has no other value than its default. */
export function unsetAttributes({ change }: ResourceField, observed: JsonObject): JsonObject {
  if (change.kind !== 'always') return {};
  return Object.fromEntries(Object.entries(change.unset).filter(([attribute]) => observed[attribute] !== undefined));
}

/** Name of the resource of an object; undefined if its kind has no names. */
export function nameOf(kind: Pick<TableKind, 'resource'>, { metadata, spec }: KubeObject): Json | undefined {
  const entry = Object.entries(kind.resource).find(([, { role }]) => role === 'name');
  if (entry === undefined) return undefined;
  const given = (spec?.['resource'] as JsonObject | undefined)?.[entry[0]];
  return isUnset(given) ? metadata.name : given;
}

/** The value that the object gives for a field; undefined: none. */
export function wiredOf(
  name: string,
  field: ResourceField,
  { metadata, spec }: KubeObject,
  known: KnownDependencies,
  contents: Contents = {},
): ReturnType<typeof toWire> | undefined {
  const given = (spec?.['resource'] as JsonObject | undefined)?.[name];
  const value = isUnset(given) && field.role === 'name' ? metadata.name : given;
  return isUnset(value) ? undefined : toWire(field.schema, value, known, contents);
}

/** An empty list says what an absent one says. */
function isUnset(value: Json | undefined): value is undefined {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Whether the cloud says the same with one value as with the other. */
export function isSame(
  left: Json,
  right: Json | undefined,
  { unordered, sameItem }: Pick<ResourceField, 'unordered' | 'sameItem'>,
): boolean {
  if (isEmpty(left) && isEmpty(right)) return true;
  if (sameItem !== undefined && Array.isArray(left) && Array.isArray(right)) return isPaired(left, right, sameItem);
  return normal(left, unordered) === normal(right ?? null, unordered);
}

/** Whether each item of one list has a partner of its own in the other. */
function isPaired(
  wanted: readonly Json[],
  found: readonly Json[],
  isSameItem: (wanted: JsonObject, found: JsonObject) => boolean,
): boolean {
  const left = [...found];
  const isSameAs = (item: Json) => (other: Json) => isSameItem(item as JsonObject, other as JsonObject);
  // An item that matches several others must not take the only match of another.
  const choices = (item: Json): number => found.filter(isSameAs(item)).length;
  const all = wanted
    .toSorted((one, other) => choices(one) - choices(other))
    .every((item) => {
      const index = left.findIndex(isSameAs(item));
      if (index >= 0) left.splice(index, 1);
      return index >= 0;
    });
  return all && left.length === 0;
}

/** Equal texts for equal values: members sorted, and items too where their order does not matter. */
function normal(value: Json, unordered: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => normal(item, false));
    return `[${(unordered ? items.sort() : items).join()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${normal(member, false)}`);
  return `{${members.sort().join()}}`;
}

/**
 * Fields of a spec without effect, as paths in the object: the API server accepts an immutable field that is added after the resource was
 * created. Derived from `status.resource`, so that a reader of the object alone gets the same result. A field that the status does not show, or that refers to what is not known, is not judged.
 *
 * @param resource  what `status.resource` says, or is about to say
 */
export function unappliedFieldsOf(
  kind: Pick<TableKind, 'resource' | 'status' | 'immutable'>,
  object: KubeObject,
  resource: JsonObject,
  known: KnownDependencies,
): readonly string[] {
  // Whatever was there from the beginning was sent.
  if (kind.immutable === true) return [];
  // mutant: unheeded-from-beginning if -> $2
  if ((object.metadata.generation ?? 1) <= 1 || object.spec?.['managementPolicy'] === 'unmanaged') return [];
  const names = Object.entries(kind.resource).flatMap(([name, field]) => {
    if (field.change.kind !== 'never' || field.schema.required || field.moves) return [];
    const wired = wiredOf(name, field, object, known);
    if (wired === undefined || wired.missing.length > 0) return [];
    return isShown(kind, field.encode(wired.value), resource) === false ? [name] : [];
  });
  return names.map((name) => pathsOf([name]));
}

/** Whether the status shows these attributes; undefined if it contains none of them. */
export function isShown(
  { status }: Pick<TableKind, 'status'>,
  attributes: JsonObject,
  resource: JsonObject,
): boolean | undefined {
  const judged = Object.entries(status).flatMap(([name, { projection, read }]) => {
    const reads = Object.keys(projection);
    if (reads.length === 0 || !reads.every((attribute) => attribute in attributes)) return [];
    const wanted = read(attributes);
    return wanted === undefined ? [] : [covers(resource[name], wanted)];
  });
  return judged.length === 0 ? undefined : judged.every((each) => each);
}

/** Whether all that is wanted is there; the cloud may have added to it, and spells in its own way. */
function covers(found: Json | undefined, wanted: Json): boolean {
  if (isEmpty(wanted) || wanted === false) return isEmpty(found) || found === false;
  if (Array.isArray(wanted))
    return Array.isArray(found) && wanted.every((item: Json) => found.some((other: Json) => covers(other, item)));
  if (isJsonObject(wanted))
    return (
      isJsonObject(found) &&
      Object.entries(wanted).every(([name, member]) => isEmpty(member) || covers(found[name], member))
    );
  return String(found).toLowerCase() === String(wanted).toLowerCase();
}
