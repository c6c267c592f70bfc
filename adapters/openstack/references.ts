// The references in a spec: which there are, and their ids in place of their names.
import type { Json, JsonObject } from '../../bus/bus.ts';
import type { KnownDependencies, Reference } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { ReferenceTarget, Schema } from '../kubernetes/contract.ts';
import { canonicalAddress } from './addresses.ts';
import type { TableKind } from './kinds/table.ts';

/** A value of a spec as the cloud is told it. */
export interface Wired {
  readonly value: Json;
  /** Of the references in it, the members that are read of what their kinds publish. */
  readonly published: JsonObject;
  /** References whose id is not known, as `<Kind>/<name>`; their names are still in `value`. */
  readonly missing: readonly string[];
  /** References that are not ready, as `<Kind>/<name>`: fine for what was built on them already. */
  readonly unready: readonly string[];
}

/** The value with ids for names and the canonical spelling of addresses. Secrets have no id and keep their name. */
export function toWire(schema: Schema, value: Json, known: KnownDependencies): Wired {
  const missing: string[] = [];
  const unready: string[] = [];
  const published: Record<string, Json> = {};
  const wire = (part: Schema, given: Json): Json => {
    if (part.reference !== undefined && part.reference.kind !== 'Secret') {
      const { kind, attribute, reads = [] } = part.reference;
      const key = `${kind}/${given}`;
      const found = known[key];
      const stands = attribute === undefined ? found?.id : found?.attributes?.[attribute];
      for (const name of reads) {
        const read = found?.attributes?.[name];
        if (read !== undefined) published[name] = read;
      }
      if (stands === undefined || reads.some((name) => published[name] === undefined)) missing.push(key);
      if (found?.ready !== true) unready.push(key);
      return stands ?? given;
    }
    if (part.address === true && typeof given === 'string') return canonicalAddress(given);
    return mapParts(part, given, wire);
  };
  return { value: wire(schema, value), published, missing, unready };
}

/** The references of an object: its credentials first, then those of its resource or of its import filter. */
export function referencesOf(kind: TableKind, object: KubeObject): readonly Reference[] {
  const { spec } = object;
  const credentials = spec?.['cloudCredentialsRef'] as { readonly secretName?: string } | undefined;
  const secret: readonly Reference[] =
    credentials?.secretName === undefined
      ? []
      : [{ kind: 'Secret', name: credentials.secretName, finalizers: [kind.finalizer], neededFor: 'always' }];
  const filter = (spec?.['import'] as { readonly filter?: Json } | undefined)?.filter;
  const resource =
    spec?.['managementPolicy'] === 'unmanaged'
      ? collect(kind, kind.filter, filter, 'import')
      : collect(kind, kind.resource, spec?.['resource'], 'create');
  const children = kind
    .children(object)
    .map(({ kind: of, name }): Reference => ({ kind: of, name, finalizers: [], neededFor: 'never' }));
  return [...secret, ...resource, ...children];
}

/** References to one object are one reference, guarded by the finalizers of all. */
function collect(
  kind: TableKind,
  fields: Readonly<Record<string, { readonly schema: Schema }>>,
  values: Json | undefined,
  neededFor: Reference['neededFor'],
): readonly Reference[] {
  const found = new Map<string, Reference>();
  const note = (
    { kind: target, guarded, finalizer = kind.finalizer }: ReferenceTarget,
    name: string,
    isFixed: boolean,
  ): void => {
    const key = `${target}/${name}`;
    const known = found.get(key);
    const finalizers = new Set(known?.finalizers);
    if (guarded && neededFor !== 'import') finalizers.add(finalizer);
    const fixed = isFixed || known?.fixed === true;
    found.set(key, { kind: target, name, finalizers: [...finalizers], neededFor, ...(fixed && { fixed }) });
  };
  const given = (values ?? {}) as Readonly<Record<string, Json>>;
  for (const [name, { schema: field }] of Object.entries(fields)) {
    const visit = (schema: Schema, value: Json): Json => {
      // A required field of the resource has been there from the beginning.
      const isFixed = schema === field && field.required && field.immutable;
      if (schema.reference !== undefined && typeof value === 'string') note(schema.reference, value, isFixed);
      return mapParts(schema, value, visit);
    };
    const value = given[name];
    if (value !== undefined) visit(field, value);
  }
  return [...found.values()];
}

/** The value with each item or member replaced; a value that has none as it is. */
function mapParts(schema: Schema, value: Json, each: (schema: Schema, value: Json) => Json): Json {
  const { items, properties } = schema;
  if (items !== undefined && Array.isArray(value)) return value.map((item) => each(items, item));
  if (properties === undefined || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const field = properties[name];
    return [name, field === undefined ? member : each(field, member)];
  });
  return Object.fromEntries(entries);
}
