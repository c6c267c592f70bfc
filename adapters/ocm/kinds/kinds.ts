// Classes of a model as kinds of the Kubernetes API (contract: composition.md, 2.3).
//
// Invariants:
//   OCM-KINDS-1. Status and spec come from the declaration alone: no attribute is taken for the server's own by its name.
//   OCM-KINDS-2. Within a set of kinds a class, a kind and a plural occur once: actors and references are distinguished by them.
import type { JsonObject } from '../../../bus/bus.ts';
import { type Collection, Collections } from '../gateway/store/collections.ts';
import { typeKey } from '../gateway/store/links.ts';
import { directoryName, type Model, nameOf, type StructType, type Version } from '../model/mod.ts';
import type { Binding } from './bindings.ts';
import { BindingError, type Field, fieldsOf, referenceOf, splitFields } from './fields.ts';
import { nameSchema, objectSchema, overridden } from './schema.ts';

/** A class as a kind. */
export interface ModelKind {
  readonly type: StructType;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly parent: Parent | undefined;
  /** Attributes that clients set. */
  readonly spec: readonly Field[];
  /** Attributes that the owner of the objects sets. */
  readonly status: readonly Field[];
  readonly schemas: { readonly spec: JsonObject; readonly status: JsonObject };
  /** Columns of `kubectl get` that were declared; undefined for the usual ones. */
  readonly columns: readonly JsonObject[] | undefined;
}

/** The object that an object belongs to. */
export interface Parent {
  readonly type: StructType;
  /** Property of the spec that has its name. */
  readonly property: string;
  /** It has one such object at most, which goes with it. */
  readonly isOfOne: boolean;
}

/** Kinds, and why a binding became none. */
export interface Bound {
  readonly kinds: readonly ModelKind[];
  readonly problems: readonly string[];
}

/** Members of the status that are the runtime's. */
export const RESERVED: readonly string[] = [
  'conditions',
  'observedGeneration',
  'revision',
  'children',
  'inventory',
  'references',
];

const GROUP_SUFFIX = 'models.troupe.dev';
/** Names of finalizers are made of it. */
const LONGEST_KIND = 50;
const FOREIGN_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;
const DNS_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Every class of a model, for want of bindings. */
export function bindingsOfAll(model: Model): readonly Binding[] {
  return model.services.flatMap((service) =>
    service.versions.flatMap((version) =>
      version.types.flatMap(({ kind, name }) =>
        kind === 'class' ? [{ service: service.name.snake, version: version.name.snake, class: name.text }] : [],
      ),
    ),
  );
}

/** Makes kinds of the classes that bindings name. */
export function bindKinds(model: Model, bindings: readonly Binding[]): Bound {
  const kinds: ModelKind[] = [];
  const problems: string[] = [];
  const taken = new Map<string, string>();
  const places = new Map<Version, Collections>();
  for (const binding of bindings) {
    const place = `${binding.service}/${binding.version} ${binding.class}`;
    try {
      const kind = kindOf(model, binding, places);
      const named = [`class ${typeKey(kind.type)}`, `kind '${kind.kind}'`, `plural '${kind.plural}'`];
      for (const name of named) {
        const other = taken.get(name);
        if (other === undefined) continue;
        const what = name.startsWith('class')
          ? 'it is bound already'
          : `'${other}' has the ${name} too: give it 'names'`;
        throw new BindingError(what);
      }
      for (const name of named) taken.set(name, place);
      kinds.push(kind);
    } catch (error) {
      if (!(error instanceof BindingError)) throw error;
      problems.push(`${place}: ${error.message}`);
    }
  }
  return { kinds, problems };
}

function kindOf(model: Model, binding: Binding, places: Map<Version, Collections>): ModelKind {
  const type = classOf(model, binding);
  const { version } = type;
  const group = binding.group ?? `${version.service.name.snake.replaceAll('_', '-')}.${GROUP_SUFFIX}`;
  if (!DNS_SUBDOMAIN.test(group)) throw new BindingError(`group '${group}' is no DNS name with a dot`);
  if (FOREIGN_GROUP.test(group)) throw new BindingError(`group '${group}' is one of Kubernetes`);
  const { kind = type.name.camel, ...names } = binding.names ?? {};
  const singular = names.singular ?? kind.toLowerCase();
  const plural = names.plural ?? pluralOf(singular);
  const apiVersion = version.name.words.join('');
  for (const [what, name] of Object.entries({ version: apiVersion, kind: kind.toLowerCase(), plural, singular })) {
    if (!DNS_LABEL.test(name)) throw new BindingError(`${what} '${name}' has other characters than a DNS label`);
  }
  if (kind.length > LONGEST_KIND) throw new BindingError(`kind '${kind}' has more than ${LONGEST_KIND} characters`);
  const all = fieldsOf(type, binding.attributes);
  const [spec, status] = splitFields(type, all, binding.statusAttributes ?? []);
  const reserved = status.find(({ property }) => RESERVED.includes(property));
  if (reserved !== undefined) {
    throw new BindingError(
      `attribute '${reserved.attribute.name.text}' would be 'status.${reserved.property}', which is Troupe's`,
    );
  }
  const parent = parentOf(type, binding, places);
  const [specSchema = {}, statusSchema = {}] = overridden(
    [withParent(objectSchema(spec), parent, spec), objectSchema(status)],
    binding.overrides ?? {},
  );
  return {
    type,
    group,
    version: apiVersion,
    kind,
    plural,
    singular,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? ['modeled'],
    parent,
    spec,
    status,
    schemas: { spec: specSchema, status: statusSchema },
    columns: binding.printerColumns,
  };
}

function classOf(model: Model, binding: Binding): StructType {
  const service = model.services.find(({ name }) => name.key === directoryName(binding.service).key);
  if (service === undefined) throw new BindingError(`there is no service '${binding.service}'`);
  const version = service.versions.find(({ name }) => name.key === directoryName(binding.version).key);
  if (version === undefined) throw new BindingError(`service '${binding.service}' has no version '${binding.version}'`);
  return classIn(version, binding.class);
}

function classIn(version: Version, name: string): StructType {
  const { key } = nameOf(name);
  const type = version.types.find((each) => each.name.key === key);
  if (type === undefined || type.kind === 'enum') throw new BindingError(`there is no class '${name}'`);
  return type;
}

function parentOf(type: StructType, { parent }: Binding, places: Map<Version, Collections>): Parent | undefined {
  if (parent === '') return undefined;
  const own = collectionsOf(type, places);
  const found = parent === undefined ? parentInTree(own) : classIn(type.version, parent);
  const isOfOne = own.length > 0 && own.every(({ singleton }) => singleton);
  return found && { type: found, property: referenceOf(found.name), isOfOne };
}

/** The class around the collections of a class; undefined where one of them is in no object. */
function parentInTree(own: readonly Collection[]): StructType | undefined {
  if (own.some(({ outer }) => outer.length === 0)) return undefined;
  const parents = [...new Set(own.flatMap(({ outer }) => outer.at(-1)?.type ?? []))];
  if (parents.length <= 1) return parents[0];
  const names = parents.map(({ name }) => name.camel).join(', ');
  throw new BindingError(`it belongs to ${names}: say which with 'parent'`);
}

/** Places of the objects of a class; those without an identifier count where there are no others. */
function collectionsOf(type: StructType, places: Map<Version, Collections>): readonly Collection[] {
  const { version } = type;
  const collections = places.get(version) ?? new Collections(version);
  places.set(version, collections);
  const all = collections.all().filter((each) => each.type === type);
  const many = all.filter(({ singleton }) => !singleton);
  return many.length > 0 ? many : all.filter(({ outer }) => outer.length > 0);
}

/** An object cannot be moved to another parent. */
function withParent(schema: JsonObject, parent: Parent | undefined, fields: readonly Field[]): JsonObject {
  if (parent === undefined) return schema;
  const { property, type } = parent;
  const same = fields.find((field) => field.property === property);
  if (same !== undefined && (!same.attribute.link || same.attribute.type !== type)) {
    throw new BindingError(
      `attribute '${same.attribute.name.text}' and the parent '${type.name.camel}' are both '${property}'`,
    );
  }
  const reference = {
    description: `Name of the ${type.name.camel} that the object belongs to.`,
    ...nameSchema(),
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${property} is immutable` }],
  };
  const properties = { ...(schema['properties'] as JsonObject | undefined), [property]: reference };
  return { ...schema, properties, required: [property] };
}

function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
