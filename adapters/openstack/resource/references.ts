// References in a spec: their names replaced by ids, and those whose dependency has another id since the resource was made.
// An update sends the ids that can be changed (`Change`); the others are reported and stay. They are recognized from
// `status.resource` (`ReferenceTarget.shownBy`), so every process finds the same.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KnownDependencies, Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { ReferenceTarget, Schema, SecretKey } from '../../api/contract/contract.ts';
import { canonicalAddress } from '../base/values.ts';
import { anew, pathsOf } from '../status/messages.ts';
import type { OpenStackKind, TableKind } from './table.ts';

/** Contents of Secrets in the form in which they are sent, by Secret and key. */
export type Contents = Readonly<Record<string, string>>;

/** Member of `Contents` for a Secret. */
export function contentKey(name: string, { key }: Pick<SecretKey, 'key'>): string {
  return `${name}/${key}`;
}

/** Value of a spec in the form of the cloud. */
export interface Wired {
  readonly value: Json;
  /** Published attributes of its references that are read. */
  readonly published: JsonObject;
  /** References whose id is not known, as `<Kind>/<name>`; their names are still in `value`. */
  readonly missing: readonly string[];
  /** References that are not ready, as `<Kind>/<name>`: fine for what was built on them already. */
  readonly unready: readonly string[];
}

/**
 * The value with ids for names and the canonical spelling of addresses. A Secret has no id: its content replaces it if
 * it was read, otherwise its name.
 */
export function toWire(schema: Schema, value: Json, known: KnownDependencies, contents: Contents = {}): Wired {
  const missing: string[] = [];
  const unready: string[] = [];
  const published: Record<string, Json> = {};
  const wire = (part: Schema, given: Json): Json => {
    if (part.reference?.content !== undefined && typeof given === 'string') {
      const content = contents[contentKey(given, part.reference.content)];
      if (content === undefined) missing.push(`Secret/${given}`);
      return content ?? given;
    }
    if (part.reference !== undefined && part.reference.kind !== 'Secret') {
      const { kind, attribute, reads = [] } = part.reference;
      const key = `${kind}/${given}`;
      const found = known[key];
      const stands = attribute === undefined ? found?.id : found?.attributes?.[attribute];
      for (const name of reads) {
        const read = found?.attributes?.[name];
        if (read !== undefined) published[name] = read;
      }
      const isKnown = stands !== undefined && reads.every((name) => published[name] !== undefined);
      if (!isKnown && part.reference.neededFor !== 'update') missing.push(key);
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
  const children = (kind.children?.(object) ?? []).map(
    ({ kind: of, name }): Reference => ({ kind: of, name, finalizers: [], neededFor: 'never' }),
  );
  // The Secret of the credentials may hold more than these.
  const others = resource
    .filter(({ kind: of, name }) => of !== 'Secret' || name !== credentials?.secretName)
    .map((reference) => {
      const attributes = kind.tells?.(object, reference.kind);
      return attributes === undefined ? reference : { ...reference, attributes };
    });
  return [...secret, ...others, ...children];
}

/** References to one object are one reference, guarded by the finalizers of all. */
function collect(
  kind: TableKind,
  fields: Readonly<Record<string, { readonly schema: Schema }>>,
  values: Json | undefined,
  neededFor: Reference['neededFor'],
): readonly Reference[] {
  const found = new Map<string, Reference>();
  const note = (use: Reference['neededFor'], target: ReferenceTarget, name: string, isFixed: boolean): void => {
    const key = `${target.kind}/${name}`;
    const known = found.get(key);
    const finalizers = new Set(known?.finalizers);
    if (target.guarded && neededFor !== 'import') finalizers.add(target.finalizer ?? kind.finalizer);
    const fixed = isFixed || known?.fixed === true;
    // The earliest of several uses counts.
    const isLater = target.neededFor === 'update' && use === 'create' && known?.neededFor !== 'create';
    const needed = known?.neededFor === 'always' ? 'always' : isLater ? 'update' : use;
    found.set(key, {
      kind: target.kind,
      name,
      finalizers: [...finalizers],
      neededFor: needed,
      ...(fixed && { fixed }),
    });
  };
  const given = (values ?? {}) as Readonly<Record<string, Json>>;
  for (const [name, { schema: field }] of Object.entries(fields)) {
    // A required field of the resource has been there from the beginning.
    const isFixed = (schema: Schema): boolean => schema === field && field.required && field.immutable;
    const value = given[name];
    const needed = name === kind.ofUser ? 'always' : neededFor;
    if (value !== undefined)
      eachReference(field, value, (target, of, schema) => note(needed, target, of, isFixed(schema)));
  }
  return [...found.values()];
}

/** All finalizers that objects of a kind put on what they refer to, the kind's own first. */
export function guardsOf({ finalizer, contract }: Pick<OpenStackKind, 'finalizer' | 'contract'>): readonly string[] {
  const others = ({ reference, items, values, properties = {} }: Schema): readonly string[] => [
    ...(reference?.finalizer === undefined ? [] : [reference.finalizer]),
    ...[items, values, ...Object.values(properties)].flatMap((part) => (part === undefined ? [] : others(part))),
  ];
  return [...new Set([finalizer, ...others(contract.spec)])];
}

/** Visits every reference in a value, with the name that is referred to and the schema that says so. */
export function eachReference(
  schema: Schema,
  value: Json,
  visit: (target: ReferenceTarget, name: string, schema: Schema) => void,
): void {
  const within = (part: Schema, given: Json): Json => {
    if (part.reference !== undefined && typeof given === 'string') visit(part.reference, given, part);
    return mapParts(part, given, within);
  };
  within(schema, value);
}

/** The value with each item or member replaced; a value that has none as it is. */
function mapParts(schema: Schema, value: Json, each: (schema: Schema, value: Json) => Json): Json {
  const { items, properties } = schema;
  if (items !== undefined && Array.isArray(value)) return value.map((item) => each(items, item));
  if (properties === undefined || typeof value !== 'object' || value === null) return value;
  // In the order of the schema, which is that in which references are reported.
  const given = value as JsonObject;
  const names = new Set([...Object.keys(properties), ...Object.keys(given)]);
  const entries = [...names].flatMap((name) => {
    const [field, member] = [properties[name], given[name]];
    return member === undefined ? [] : [[name, field === undefined ? member : each(field, member)] as const];
  });
  return Object.fromEntries(entries);
}

type Shown = Pick<TableKind, 'resource'>;

/** A reference whose id the status shows. */
interface Use {
  /** Of `spec.resource`. */
  readonly field: string;
  /** As `<Kind>/<name>`. */
  readonly label: string;
  /** Of `status.resource`. */
  readonly shownBy: string;
  /** An update brings the new one to the resource. */
  readonly follows: boolean;
}

/**
 * Notes for people about references whose new id the resource does not follow.
 *
 * @param resource  what `status.resource` says, or is about to say
 */
export function outdatedRemarks(
  kind: Shown,
  object: KubeObject,
  resource: JsonObject,
  known: KnownDependencies,
): readonly string[] {
  const uses = usesOf(kind, object).filter(({ follows }) => !follows);
  return uses.flatMap(({ field, label, shownBy }) => {
    const id = known[label]?.id;
    const { [shownBy]: shown } = resource;
    if (id === undefined || shown === undefined || holds(shown, id)) return [];
    const old = typeof shown === 'string' && shown !== '' ? shown : 'another';
    return [`it was made of ${old}, ${label} ${nowIs(id)}: to follow ${pathsOf([field])}, ${anew(object)}`];
  });
}

const nowIs = (id: string): string => `is ${id} by now`;

/** The hint in such a note; undefined if the message has none. */
export function replacedDependencyHint(message: string): string | undefined {
  return /; it was made of .* by now: (to follow .*)$/s.exec(message)?.[1];
}

/** Whether the status shows that the resource was made of another one than this; an object that has said so says nothing new. */
export function isBuiltOnReplaced(
  kind: Shown,
  object: KubeObject,
  { kind: of, name }: Pick<Reference, 'kind' | 'name'>,
  id: string,
): boolean {
  const { resource } = object.status ?? {};
  if (resource === undefined || object.spec?.['managementPolicy'] === 'unmanaged') return false;
  const uses = usesOf(kind, object).filter(({ label }) => label === `${of}/${name}`);
  const isShown = uses.every(({ shownBy, follows }) => {
    const shown = (resource as JsonObject)[shownBy];
    // A field that is not shown is empty, or was written by a client that does not show it.
    return shown === undefined ? !follows : holds(shown, id);
  });
  return !isShown && !JSON.stringify(object.status?.['conditions'] ?? []).includes(nowIs(id));
}

function usesOf({ resource: fields }: Shown, { spec }: KubeObject): readonly Use[] {
  const given = (spec?.['resource'] ?? {}) as JsonObject;
  return Object.entries(fields).flatMap(([field, { schema, change }]) => {
    const value = given[field];
    const uses: Use[] = [];
    if (value === undefined) return uses;
    eachReference(schema, value, ({ kind, shownBy }, name) => {
      if (shownBy !== undefined)
        uses.push({ field, label: `${kind}/${name}`, shownBy, follows: change.kind !== 'never' });
    });
    return uses;
  });
}

/** Whether an id is anywhere in what is shown. */
function holds(shown: Json | undefined, id: string): boolean {
  if (typeof shown === 'object' && shown !== null)
    return Object.values(shown as JsonObject).some((part) => holds(part, id));
  return shown === id;
}
