// Resources without an id of their own: they are known by their parts, the ids of others, and the id by which all the rest of
// the adapter speaks of them is made of these.
//
// Invariants:
//   OS-IDENTITY-1. One resource has one id, and an id names one resource: the parts in their order, each with its name.
//   OS-IDENTITY-2. What is no part of an id, or not wholly there, makes none.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Criterion, equalTo } from '../base/criteria.ts';
import { isJsonObject, readFields, type StatusField } from '../base/fields.ts';
import { isId } from './ids.ts';

/** Identity of the resources of a kind without ids. */
export interface Identity {
  /**
   * Parts of the identity, by their names in a query: `scope.project.id` is the member `id` of `project` of `scope`. A
   * resource has one of each group.
   */
  readonly parts: readonly (readonly string[])[];
  /** Member that marks a resource of another sort. */
  readonly except?: string;
  /** Path below the service's endpoint: a PUT there creates the resource idempotently, and a DELETE removes it. */
  readonly path: (part: (name: string) => string | undefined) => string;
}

/** Between the names and the values of an id; no value holds one. */
const BETWEEN = ':';

/** The id of what has these attributes; undefined: it is none (OS-IDENTITY-2). */
export function identityOf({ parts }: Identity, attributes: JsonObject): string | undefined {
  const named = parts.map((group) => group.filter((name) => isPart(attributes[name])));
  const names = named.flatMap((group) => (group.length === 1 ? group : []));
  if (names.length < parts.length) return undefined;
  return names.flatMap((name) => [name, String(attributes[name])]).join(BETWEEN);
}

/** Attributes that form an id. @throws {TerminalError} the id is invalid */
export function partsOf(identity: Identity, id: string): JsonObject {
  const words = id.split(BETWEEN);
  const pairs = words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1] ?? ''] as const] : []));
  const attributes = Object.fromEntries(pairs);
  // mutant: identity-any-path if -> false
  if (identityOf(identity, attributes) !== id) throw new TerminalError('the id of the resource is not one of its kind');
  return attributes;
}

/** Resources of a kind without ids in a list, each with the id that its parts make. */
export function resourcesIn(identity: Identity, list: readonly JsonObject[]): readonly JsonObject[] {
  const names = identity.parts.flat();
  return list.flatMap((item) => {
    const found = names.flatMap((name): (readonly [string, Json])[] => {
      const value = memberOf(item, name.split('.'));
      return value === undefined ? [] : [[name, value]];
    });
    const attributes = Object.fromEntries(found);
    const id = identityOf(identity, attributes);
    const isOther = identity.except !== undefined && memberOf(item, identity.except.split('.')) !== undefined;
    // mutant: inherited-assignment || -> $1
    return id === undefined || isOther ? [] : [{ ...attributes, id }];
  });
}

/** Criteria that find the resource of an id. @throws as `partsOf` */
export function idCriteria(
  { identity }: { readonly identity?: Identity | undefined },
  id: string,
): readonly Criterion[] {
  if (identity === undefined) return [equalTo('id', id)];
  return Object.entries(partsOf(identity, id)).map(([name, value]) => equalTo(name, value));
}

/** A kind, as far as the id of its objects is concerned. */
export interface Identified {
  readonly identity?: Identity;
  readonly status: Readonly<Record<string, StatusField>>;
}

/** The id that `status.resource` of an object tells. */
export function recordedIdentity({ identity, status }: Identified, object: KubeObject): string | undefined {
  const resource = object.status?.['resource'];
  if (identity === undefined || !isJsonObject(resource)) return undefined;
  const attributes = Object.entries(status).flatMap(([field, { projection }]) => {
    const value = resource[field];
    return value === undefined ? [] : Object.keys(projection).map((name) => [name, value] as const);
  });
  return identityOf(identity, Object.fromEntries(attributes));
}

/** What `status.resource` says of an id. @throws as `partsOf` */
export function resourceOfIdentity({ identity, status }: Identified, id: string): JsonObject {
  return identity === undefined ? {} : readFields(status, partsOf(identity, id));
}

function isPart(value: Json | undefined): value is string {
  return isId(value) && !value.includes(BETWEEN);
}

function memberOf(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value;
  return isJsonObject(value) ? memberOf(value[name], rest) : undefined;
}
