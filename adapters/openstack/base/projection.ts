// Projection of the cloud's responses: the attributes that a kind's tables read, and nothing else.
//
// Invariant:
//   OS-PROJECTION-1. Of what the cloud answered only declared attributes leave the operation: no body is kept, mailed or logged.
import type { Json, JsonObject } from '../../../bus/bus.ts';

/** Attributes by name, and of those that are objects, or lists of objects, the members. A name with none is a plain value. */
export interface Projection {
  readonly [attribute: string]: Projection;
}

/** In place of names: every member of an object whose members the user of the cloud names. */
export const EVERY = '*';

/** An attribute that is a map with plain values. */
export function mapped<Name extends string>(name: Name): Readonly<Record<Name, Projection>> {
  const members: Projection = { [EVERY]: {} };
  return { [name]: members } as Record<Name, Projection>;
}

/** Attributes with plain values. */
export function plain<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, Projection>> {
  return Object.fromEntries(names.map((name) => [name, {}])) as Record<Name, Projection>;
}

/** Union of projections. */
export function merged(projections: readonly Projection[]): Projection {
  const members = projections.flatMap((projection) => Object.entries(projection));
  const names = Map.groupBy(members, ([name]) => name);
  return Object.fromEntries([...names].map(([name, all]) => [name, merged(all.map(([, inner]) => inner))]));
}

export function projectionOf(fields: Readonly<Record<string, { readonly projection: Projection }>>): Projection {
  return merged(Object.values(fields).map(({ projection }) => projection));
}

/** If the names are known as types, no others can be read. */
export type Projected<Declared extends Projection> = string extends keyof Declared
  ? JsonObject
  : { readonly [Name in keyof Declared]?: Json };

/** A copy of what is declared (OS-PROJECTION-1). An object where a plain value is declared has no members left. */
export function projected<Declared extends Projection>(
  projection: Declared,
  attributes: JsonObject,
): Projected<Declared> {
  const { [EVERY]: every } = projection as Projection;
  const declared =
    every === undefined ? projection : Object.fromEntries(Object.keys(attributes).map((name) => [name, every]));
  const members = Object.entries(declared).flatMap(([name, inner]) => {
    const value = attributes[name];
    return value === undefined ? [] : [[name, kept(inner, value)] as const];
  });
  // mutant: projection-keeps-all () -> attributes
  return Object.fromEntries(members) as Projected<Declared>;
}

function kept(projection: Projection, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => kept(projection, item));
  // mutant: projection-keeps-nested ?: -> $3
  return typeof value === 'object' && value !== null ? projected(projection, value as JsonObject) : value;
}
