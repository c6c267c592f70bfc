// The fields of a contract with where they are, and what a complaint about one is.
import type { Schema, Shape } from '../contract.ts';
import type { KindContract } from '../crds.ts';

/** Rules of contracts. */
export const ContractRule = {
  /** No field that nothing implements. */
  Implemented: 'implemented',
  /** Every string and list has a bound. */
  Bounded: 'bounded',
  /** Constants of the external system keep its spelling. */
  Verbatim: 'verbatim',
  /** Every field is described, beginning with its JSON name. */
  Documented: 'documented',
  /** Integers have a size and, in a spec, a lower end; there is nothing unsigned. */
  Sized: 'sized',
  /** An optional field that is empty is left out. */
  Omitted: 'omitted',
  /** Filters know no ids. */
  FilterIds: 'filter-ids',
  /** `name` can be chosen where the resource has one. */
  Name: 'name',
  /** References are named `fooRef`, hold a name of the same namespace, and are the only way to say what they say. */
  References: 'references',
  /** A status is not judged, does not repeat the id, has atomic lists, and may leave out anything. */
  Status: 'status',
  /** Lists of a spec are sets, or maps where their items have a key. */
  Lists: 'lists',
} as const;
export type ContractRule = (typeof ContractRule)[keyof typeof ContractRule];

export interface ContractProblem {
  readonly kind: string;
  /** `spec.resource.allocationPools[].start`. */
  readonly path: string;
  readonly rule: ContractRule;
  /** Problem and its solution. */
  readonly message: string;
}

export interface Field {
  readonly path: string;
  /** JSON name; items of lists and values of maps have none. */
  readonly name: string | undefined;
  readonly schema: Schema;
  /** All fields of the object that this is one of. */
  readonly siblings: Shape;
}

export const RESOURCE = 'spec.resource';
export const FILTER = 'spec.import.filter';
export const CONDITIONS = 'status.conditions';

/** Every field of spec and status, with items and values; the outer ones before what is in them. */
export function fieldsOf({ spec, status }: Pick<KindContract, 'spec' | 'status'>): readonly Field[] {
  return [...within('spec', 'spec', spec, {}), ...within('status', 'status', status, {})];
}

function within(path: string, name: string | undefined, schema: Schema, siblings: Shape): readonly Field[] {
  const { properties = {}, items, values } = schema;
  return [
    { path, name, schema, siblings },
    ...Object.entries(properties).flatMap(([key, field]) => within(`${path}.${key}`, key, field, properties)),
    ...(items === undefined ? [] : within(`${path}[]`, undefined, items, {})),
    ...(values === undefined ? [] : within(`${path}{}`, undefined, values, {})),
  ];
}

/** Whether `path` is `of`, or a part of it. */
export function isIn(path: string, of: string): boolean {
  return path.startsWith(of) && ['', '.', '[', '{'].includes(path.charAt(of.length));
}

/** Whether the field is judged as a whole: a scalar, or a list or map of them. */
export function isLeaf({ properties, items, values }: Schema): boolean {
  return properties === undefined && (items === undefined || isLeaf(items)) && (values === undefined || isLeaf(values));
}
