// The references in a spec: which there are, and their ids in place of their names.
import type { Json } from '../../bus/bus.ts';
import type { KubeObject, Reference } from '../../machines/kind.ts';
import type { ReferenceTarget, Schema } from '../kubernetes/contract.ts';
import { canonicalAddress } from './addresses.ts';
import type { OpenStackKind } from './kinds/kind.ts';

/** A value of a spec as the cloud is told it. */
export interface Wired {
  readonly value: Json;
  /** References whose id is not known, as `<Kind>/<name>`; their names are still in `value`. */
  readonly missing: readonly string[];
}

/** External ids by `<Kind>/<name>`. */
export type Ids = Readonly<Record<string, string>>;

/** The value with ids for names and the canonical spelling of addresses. Secrets have no id and keep their name. */
export function toWire(schema: Schema, value: Json, ids: Ids): Wired {
  const missing: string[] = [];
  const wire = (part: Schema, given: Json): Json => {
    if (part.reference !== undefined && part.reference.kind !== 'Secret') {
      const key = `${part.reference.kind}/${given}`;
      const id = ids[key];
      if (id === undefined) missing.push(key);
      return id ?? given;
    }
    if (part.address === true && typeof given === 'string') return canonicalAddress(given);
    return mapParts(part, given, wire);
  };
  return { value: wire(schema, value), missing };
}

/** The references of an object: its credentials first, then those of its resource or of its import filter. */
export function referencesOf(kind: OpenStackKind, { spec }: KubeObject): readonly Reference[] {
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
  return [...secret, ...resource];
}

/** References to one object are one reference, guarded by the finalizers of all. */
function collect(
  kind: OpenStackKind,
  fields: Readonly<Record<string, { readonly schema: Schema }>>,
  values: Json | undefined,
  neededFor: Reference['neededFor'],
): readonly Reference[] {
  const found = new Map<string, Reference>();
  const note = ({ kind: target, guarded, finalizer = kind.finalizer }: ReferenceTarget, name: string): void => {
    const key = `${target}/${name}`;
    const finalizers = new Set(found.get(key)?.finalizers);
    if (guarded && neededFor !== 'import') finalizers.add(finalizer);
    found.set(key, { kind: target, name, finalizers: [...finalizers], neededFor });
  };
  const visit = (schema: Schema, value: Json): Json => {
    if (schema.reference !== undefined && typeof value === 'string') note(schema.reference, value);
    return mapParts(schema, value, visit);
  };
  const given = (values ?? {}) as Readonly<Record<string, Json>>;
  for (const [name, { schema }] of Object.entries(fields)) {
    const value = given[name];
    if (value !== undefined) visit(schema, value);
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
