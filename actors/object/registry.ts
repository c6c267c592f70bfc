// Registry of kinds: maps their names to addresses.
import type { DeclaredKind } from '../../adapters/api/adapter.ts';
import { type Resource, SECRETS } from '../../adapters/kubernetes/mod.ts';
import { type Address, internAddress } from '../../bus/mod.ts';
import type { Kind, PublicState, Reference, ReferencedKind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';

type Plural = Pick<Address, 'realm' | 'plural'>;

export interface Registry {
  /** All resources whose objects are actors: kinds with a lifecycle first, then those that are only referred to. */
  readonly resources: readonly Resource[];
  readonly kinds: readonly Kind[];
  resource(address: Plural): Resource | undefined;
  kind(address: Plural): Kind | undefined;
  /** Address of a reference's target. @throws {Error} a kind file names an unknown kind */
  target(from: Address, reference: Pick<Reference, 'kind' | 'name' | 'namespace'>): Address;
  /** Finalizers that other kinds put on objects of this one, ours to remove. */
  guards(address: Plural): readonly string[];
  /** Those that a field manager may put on objects of this kind. */
  guardsOf(address: Plural, manager: string): readonly string[];
  /** The kinds whose objects may carry claims under a finalizer. */
  claimants(finalizer: string): readonly Kind[];
  /**
   * Public state of an object for its dependents. An object of an undeclared kind is ready as soon as it exists.
   *
   * @param isAvailable availability in the lifecycle, ahead of its status
   */
  standing(address: Plural, object: KubeObject, isAvailable?: boolean): PublicState;
}

/** The resource of a kind. */
export function resourceOf(kind: ReferencedKind | DeclaredKind): Resource {
  const { realm, group, version, kind: name, plural, scope, retains, metadataOnly } = kind;
  return {
    realm,
    group,
    version,
    kind: name,
    plural,
    ...(scope !== undefined && { scope }),
    ...(retains !== undefined && { retains }),
    ...(metadataOnly !== undefined && { metadataOnly }),
  };
}

export function registry(kinds: readonly Kind[], others: readonly ReferencedKind[]): Registry {
  const resources = [...kinds.map(resourceOf), SECRETS, ...others.map(resourceOf)];
  const id = ({ realm, plural }: Plural): string => `${realm}/${plural}`;
  const byId = new Map(resources.map((resource) => [id(resource), resource]));
  const knownById = new Map<string, ReferencedKind>([...others, ...kinds].map((each) => [id(each), each]));
  const kindById = new Map(kinds.map((kind) => [id(kind), kind]));
  // One of its own kind may hold an object too, though never by the finalizer that the object has for itself.
  const guardsOn = (resource: Plural): readonly string[] =>
    kinds.flatMap((kind) =>
      id(kind) === id(resource) ? kind.guards.filter((guard) => guard !== kind.finalizer) : kind.guards,
    );
  const named = new Map<string, Resource>();
  /** The kind in the own API group, if it has such a kind. */
  const resourceNamed = (kind: string, realm: string): Resource | undefined => {
    const key = `${realm}/${kind}`;
    const known = named.get(key);
    if (known !== undefined) return known;
    const all = resources.filter((candidate) => candidate.kind === kind);
    const found = all.find((candidate) => candidate.realm === realm) ?? all[0];
    if (found !== undefined) named.set(key, found);
    return found;
  };
  const guards = new Map(resources.map((resource) => [id(resource), [...new Set(guardsOn(resource))]]));
  return {
    resources,
    kinds,
    resource: (address) => byId.get(id(address)),
    kind: (address) => kindById.get(id(address)),
    target(from, { kind, name, namespace = from.namespace }) {
      if (namespace !== from.namespace && kindById.get(id(from))?.allowsCrossNamespace !== true)
        throw new Error(`kind '${from.plural}' refers to namespace '${namespace}' and does not say that it may`);
      const resource = resourceNamed(kind, from.realm);
      if (resource === undefined) throw new Error(`kind '${kind}', which '${from.plural}' refers to, is not known`);
      const { realm, plural, scope } = resource;
      return internAddress({ realm, plural, namespace: scope === 'Cluster' ? '' : namespace, name });
    },
    guards: (address) => guards.get(id(address)) ?? [],
    guardsOf: (address, manager) => {
      const own = kinds.flatMap((kind) => (kind.fieldManagers.guards === manager ? kind.guards : []));
      return (guards.get(id(address)) ?? []).filter((guard) => own.includes(guard));
    },
    claimants: (finalizer) => kinds.filter((kind) => kind.guards.includes(finalizer)),
    standing: (address, object, isAvailable) =>
      knownById.get(id(address))?.publicState(object, isAvailable) ?? { ready: true },
  };
}
