// Which kinds there are, and how their names become addresses.
import { type Resource, SECRETS } from '../../adapters/kubernetes/mod.ts';
import { type Address, sharedAddress } from '../../bus/mod.ts';
import type { FollowedKind, JsonObject, KubeObject, ManagedKind, Reference } from '../../machines/kind.ts';

export interface Registry {
  /** All resources whose objects are actors: kinds with a life of their own first, then what they only refer to. */
  readonly resources: readonly Resource[];
  readonly kinds: readonly ManagedKind[];
  resource(address: Pick<Address, 'realm' | 'plural'>): Resource | undefined;
  kind(address: Pick<Address, 'realm' | 'plural'>): ManagedKind | undefined;
  /** Where the other side of a reference lives. @throws {Error} a kind file names a kind that nobody knows */
  target(from: Address, reference: Pick<Reference, 'kind' | 'name'>): Address;
  /** Finalizers that other kinds put on objects of this one, ours to remove. */
  guards(address: Pick<Address, 'realm' | 'plural'>): readonly string[];
  /** The kinds whose objects may carry claims under a finalizer. */
  claimants(finalizer: string): readonly ManagedKind[];
  /** Whether an object without a life of its own counts as ready for those who refer to it. */
  isAvailable(address: Pick<Address, 'realm' | 'plural'>, object: KubeObject): boolean;
  /** What those who refer to an object without a life of its own are told beyond its id. */
  published(address: Pick<Address, 'realm' | 'plural'>, object: KubeObject): JsonObject | undefined;
}

/** The resource of a kind. */
export function resourceOf({ realm, group, version, kind, plural }: ManagedKind | FollowedKind): Resource {
  return { realm, group, version, kind, plural };
}

export function registry(kinds: readonly ManagedKind[], others: readonly FollowedKind[]): Registry {
  const resources = [...kinds.map(resourceOf), SECRETS, ...others.map(resourceOf)];
  const id = ({ realm, plural }: Pick<Address, 'realm' | 'plural'>): string => `${realm}/${plural}`;
  const byId = new Map(resources.map((resource) => [id(resource), resource]));
  const followedById = new Map(others.map((other) => [id(other), other]));
  const kindById = new Map(kinds.map((kind) => [id(kind), kind]));
  const guards = new Map(
    resources.map((resource) => [
      id(resource),
      kinds.filter((kind) => id(kind) !== id(resource)).map(({ finalizer }) => finalizer),
    ]),
  );
  return {
    resources,
    kinds,
    resource: (address) => byId.get(id(address)),
    kind: (address) => kindById.get(id(address)),
    target(from, { kind, name }) {
      const resource =
        resources.find((candidate) => candidate.kind === kind && candidate.realm === from.realm) ??
        resources.find((candidate) => candidate.kind === kind);
      if (resource === undefined) throw new Error(`kind '${kind}', which '${from.plural}' refers to, is not known`);
      return sharedAddress({ realm: resource.realm, plural: resource.plural, namespace: from.namespace, name });
    },
    guards: (address) => guards.get(id(address)) ?? [],
    claimants: (finalizer) => kinds.filter((kind) => kind.finalizer === finalizer),
    isAvailable: (address, object) => followedById.get(id(address))?.isAvailable(object) ?? true,
    published: (address, object) => followedById.get(id(address))?.published(object),
  };
}
