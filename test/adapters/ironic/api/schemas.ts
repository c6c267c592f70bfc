// Definitions as tests look into them: fields by their paths, and where two of anything differ.
import {
  type CustomResourceDefinition,
  definitions,
  type Phase,
  type Version,
} from '../../../../adapters/ironic/api/definitions.ts';

export const WEBHOOK = { service: { namespace: 'troupe', name: 'convert' }, caBundle: 'Y2E=' };

/** A schema that a test reads without narrowing every step. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly [keyword: string]: unknown;
}

export interface Field {
  /** `spec.raid.softwareRAIDVolumes[].level`, `spec.schema{}.unique`; empty for the whole. */
  readonly path: string;
  /** None: it is an item, a value of a map, or the whole. */
  readonly name: string | undefined;
  readonly schema: Schema;
}

/** Of all phases, made once. */
export const DEFINITIONS: Readonly<Record<Phase, readonly CustomResourceDefinition[]>> = {
  0: definitions({ phase: 0 }),
  1: definitions({ phase: 1, webhook: WEBHOOK }),
  2: definitions({ phase: 2, webhook: WEBHOOK }),
  3: definitions({ phase: 3, webhook: WEBHOOK }),
  4: definitions({ phase: 4 }),
};

export const KINDS = DEFINITIONS[0].map(({ spec }) => spec.names.kind);

export function definitionOf(phase: Phase, kind: string): CustomResourceDefinition {
  const found = DEFINITIONS[phase].find(({ spec }) => spec.names.kind === kind);
  if (found === undefined) throw new Error(`no definition of ${kind}`);
  return found;
}

export function schemaOf({ spec }: CustomResourceDefinition, version: Version): Schema {
  const found = spec.versions.find(({ name }) => name === version);
  if (found === undefined) throw new Error(`no ${version} of ${spec.names.kind}`);
  return found.schema.openAPIV3Schema as Schema;
}

/** The schema and all within. */
export function fieldsOf(schema: Schema, path = '', name?: string): readonly Field[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    { path, name, schema },
    ...Object.entries(properties).flatMap(([key, field]) => fieldsOf(field, path === '' ? key : `${path}.${key}`, key)),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : fieldsOf(additionalProperties, `${path}{}`)),
  ];
}

/** Where two values differ, a line for each place; empty: nowhere. */
export function differences(ours: unknown, theirs: unknown, path = ''): readonly string[] {
  if (isCollection(ours) && isCollection(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...keys].flatMap((key) => differences(ours[key], theirs[key], `${path}/${key}`));
  }
  return Object.is(ours, theirs) ? [] : [`${path}: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`];
}

function isCollection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
