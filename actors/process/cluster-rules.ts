// Permissions of a process in the cluster: no more than its roles and the adapters' kinds need. The manifests grant
// them, and `troupe doctor` checks them.
import type { Adapter, ClusterRule } from '../../adapters/api/adapter.ts';
import { Role, VISUALIZER, WEBHOOKS } from '../base/config.ts';

/** @param roles  that it plays */
export function rulesOf(adapters: readonly Adapter[], roles: readonly string[]): readonly ClusterRule[] {
  return merged([
    ...(roles.includes(Role.Watch) ? watching(adapters) : []),
    ...(roles.includes(Role.Actors) ? acting(adapters) : []),
    ...adapters.flatMap((adapter) => (roles.includes(adapter.role) ? (adapter.roleRules ?? serving(adapter)) : [])),
    ...(roles.includes(VISUALIZER) ? showing(adapters) : []),
    ...(roles.includes(WEBHOOKS) ? answering(adapters) : []),
    // Access to the metrics.
    rule('authentication.k8s.io', ['tokenreviews'], ['create']),
    rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  ]);
}

/**
 * Rules for users of `troupe migrate`, for adapters whose objects are converted: their definitions are read, annotated,
 * and set to a single stored version; each object is listed and patched, and companion objects are created before.
 */
export function migrationRules(adapters: readonly Adapter[]): readonly ClusterRule[] {
  return merged(
    adapters.flatMap((adapter) => {
      if (adapter.webhooks?.conversion === undefined) return [];
      // Kinds that the API server converts itself have several versions too.
      const resourceNames = adapter.contracts.map(({ plural, group }) => `${plural}.${group}`).sort();
      const group = 'apiextensions.k8s.io';
      return [
        // Lists cannot be bound to names.
        rule(group, ['customresourcedefinitions'], ['list']),
        { ...rule(group, ['customresourcedefinitions'], ['get', 'patch']), resourceNames },
        { ...rule(group, ['customresourcedefinitions/status'], ['patch']), resourceNames },
        ...kindsOf(adapter).map(({ group, plurals }) => rule(group, plurals, ['get', 'list', 'patch'])),
        ...(adapter.companions ?? []).map(({ group, companions }) => rule(group, [companions], ['create', 'update'])),
      ];
    }),
  );
}

/** Every object is read, and published. */
function watching(adapters: readonly Adapter[]): readonly ClusterRule[] {
  const verbs = ['list', 'watch'];
  return [
    // Metadata alone is asked for; the rules of a cluster have no verb for that.
    rule('', ['secrets'], verbs),
    ...adapters.flatMap(livingOf).map(({ group, plurals }) => rule(group, plurals, verbs)),
    ...adapters.flatMap(followedOf).map(({ group, plurals }) => rule(group, plurals, verbs)),
  ];
}

function acting(adapters: readonly Adapter[]): readonly ClusterRule[] {
  return [
    // Held by finalizers while they are needed; of these, too, only metadata is asked for.
    rule('', ['secrets'], ['get', 'list', 'patch']),
    ...adapters.flatMap((adapter) => [
      ...livingOf(adapter).flatMap(({ group, plurals }) => [
        rule(group, plurals, ['get', 'list', 'patch']),
        rule(
          group,
          plurals.map((plural) => `${plural}/status`),
          ['patch'],
        ),
      ]),
      ...(adapter.createsKinds ?? []).flatMap(({ owner, owned }) => [
        // Objects that others make for themselves, and apply again when they are not as they should be.
        rule(
          groupOf(adapter, owned),
          [owned],
          isFollowed(adapter, owned) ? ['create', 'delete', 'patch'] : ['create', 'delete'],
        ),
        // Some clusters require it before an owner reference may block the owner's deletion.
        rule(groupOf(adapter, owner), [`${owner}/finalizers`], ['update']),
      ]),
      ...followedOf(adapter).map(({ group, plurals }) => rule(group, plurals, ['get', 'list'])),
      ...legacyControllerOf(adapter, ['list', 'watch']),
    ]),
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}

/** Credentials are read, the objects for which something is asked, and those that say more about it. */
function serving(adapter: Adapter): readonly ClusterRule[] {
  return [
    rule('', ['secrets'], adapter.writesSecrets ? ['get', 'patch'] : ['get']),
    ...livingOf(adapter).map(({ group, plurals }) => rule(group, plurals, ['get'])),
    ...followedOf(adapter).map(({ group, plurals }) => rule(group, plurals, ['get', 'list'])),
    ...byGroup(adapter.reads ?? []).map(({ group, plurals }) => rule(group, plurals, ['get'])),
    ...byGroup(adapter.lists ?? []).map(({ group, plurals }) => rule(group, plurals, ['list'])),
  ];
}

/** Objects are read on demand; Secrets are never read. */
function showing(adapters: readonly Adapter[]): readonly ClusterRule[] {
  const verbs = ['get', 'list', 'watch'];
  return [
    ...adapters.flatMap((adapter) => [
      ...[...livingOf(adapter), ...followedOf(adapter)].map(({ group, plurals }) => rule(group, plurals, verbs)),
      ...legacyControllerOf(adapter, ['list']),
    ]),
    rule('', ['events'], ['list']),
  ];
}

/**
 * Those objects that lead the API server to the webhooks say whom to trust, and no others are touched; what an answer hangs on is
 * read. The Secret of the certificates is a matter of Troupe's own namespace.
 */
function answering(adapters: readonly Adapter[]): readonly ClusterRule[] {
  const verbs = ['get', 'list', 'patch', 'watch'];
  const named = (group: string, plural: string, resourceNames: readonly string[]): readonly ClusterRule[] =>
    resourceNames.length === 0 ? [] : [{ ...rule(group, [plural], verbs), resourceNames }];
  const all = adapters.flatMap(({ webhooks }) => webhooks ?? []);
  return [
    ...named(
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      all.flatMap(({ conversion }) => conversion?.definitions ?? []),
    ),
    ...named(
      'admissionregistration.k8s.io',
      'validatingwebhookconfigurations',
      all.flatMap(({ admission }) => admission?.configurations ?? []),
    ),
    ...byGroup(all.flatMap(({ admission }) => admission?.reads ?? [])).map(({ group, plurals }) =>
      rule(group, plurals, ['list']),
    ),
  ];
}

/** Whether the predecessor leads. */
function legacyControllerOf({ legacyController }: Adapter, verbs: readonly string[]): readonly ClusterRule[] {
  if (legacyController === undefined) return [];
  return [{ ...rule('coordination.k8s.io', ['leases'], verbs), resourceNames: [legacyController.lease] }];
}

export interface GroupPlurals {
  readonly group: string;
  readonly plurals: readonly string[];
}

/** Plurals of all kinds of the adapter. */
export function kindsOf({ contracts }: Adapter): readonly GroupPlurals[] {
  return byGroup(contracts);
}

/** Plurals of managed kinds: objects of watched kinds are not managed. */
function livingOf(adapter: Adapter): readonly GroupPlurals[] {
  return byGroup(adapter.contracts.filter(({ plural }) => !isFollowed(adapter, plural)));
}

function isFollowed({ referencedKinds = [] }: Adapter, plural: string): boolean {
  return referencedKinds.some((other) => other.plural === plural);
}

function followedOf({ referencedKinds = [] }: Adapter): readonly GroupPlurals[] {
  return byGroup(referencedKinds);
}

function byGroup(kinds: readonly { readonly group: string; readonly plural: string }[]): readonly GroupPlurals[] {
  const groups = Map.groupBy(kinds, ({ group }) => group);
  return [...groups].map(([group, of]) => ({ group, plurals: of.map(({ plural }) => plural).sort() }));
}

/** @throws {Error} the adapter says that objects of a kind are made which it does not have */
function groupOf({ realm, contracts, referencedKinds = [] }: Adapter, plural: string): string {
  const found = [...contracts, ...referencedKinds].find((kind) => kind.plural === plural);
  if (found === undefined) throw new Error(`adapter '${realm}' has no kind '${plural}'`);
  return found.group;
}

export function rule(group: string, resources: readonly string[], verbs: readonly string[]): ClusterRule {
  return { apiGroups: [group], resources, verbs };
}

/** One rule for each set of resources, in the order of their first mention. */
function merged(rules: readonly ClusterRule[]): readonly ClusterRule[] {
  const byPlace = Map.groupBy(rules, ({ verbs: _, ...place }) => JSON.stringify(place));
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    const { verbs: _, ...place } = first as ClusterRule;
    return { ...place, verbs: [...new Set(same.flatMap(({ verbs }) => verbs))].sort() };
  });
}
