// Objects in Kubernetes: a collection is served where its class, and those of the objects around it, are kinds.
import type { Clock } from '../../../bus/time.ts';
import { crdName } from '../../api/contract/crds.ts';
import { isHeaderValue } from '../../text/header-value.ts';
import type { Collection } from '../gateway/store/collections.ts';
import { typeKey } from '../gateway/store/links.ts';
import { Serial } from '../gateway/store/serial.ts';
import type { Caller, Store } from '../gateway/store/store.ts';
import type { ModelKind } from '../kinds/kinds.ts';
import { modelResource } from '../kinds/resource.ts';
import { ChangeFeed } from './feed.ts';
import { type BoundKind, type BoundPath, boundPathOf } from './place.ts';
import type { DelegatedObjects, User } from './port.ts';
import { ReadAccess } from './read-access.ts';
import { KubernetesTable } from './table.ts';

export interface KubernetesStoreDeps {
  readonly objects: DelegatedObjects;
  readonly clock: Clock;
  /** The namespace that the objects are in. */
  readonly namespace: string;
  /** `caller`: with the rights of the caller, by impersonation; `self`: with those of this process. */
  readonly writesAs: 'caller' | 'self';
  /** Refusals that may be tried again, for the log. */
  readonly onRefused: (message: string) => void;
}

export interface KubernetesStore extends Store {
  /** Serves these kinds from now on, and no others. */
  setKinds(kinds: readonly ModelKind[]): void;
  close(): Promise<void>;
}

export function kubernetesStore(deps: KubernetesStoreDeps, kinds: readonly ModelKind[]): KubernetesStore {
  const { objects, namespace, writesAs, onRefused } = deps;
  const serial = new Serial();
  const access = new ReadAccess(deps);
  const observers = new Set<() => void>();
  const tables = new Map<string, { readonly table: KubernetesTable; readonly path: BoundPath }>();
  let bound = new Map<string, BoundKind>();

  const setKinds = (next: readonly ModelKind[]): void => {
    const before = [...bound.values()];
    const kept = new Map<string, BoundKind>();
    for (const kind of next) {
      const known = before.find((each) => crdName(each.kind) === crdName(kind) && each.kind.version === kind.version);
      const feed = known?.feed ?? new ChangeFeed(objects, { resource: modelResource(kind), namespace });
      kept.set(typeKey(kind.type), known?.kind === kind ? known : { kind, feed });
    }
    const all = new Set(kept.values());
    const feeds = new Set([...all].map(({ feed }) => feed));
    for (const { feed } of before) if (!feeds.has(feed)) feed.close();
    bound = kept;
    // A kind that stays as it was keeps its tables, and with them its watches.
    for (const [key, { path }] of tables) if (!path.kinds.every((each) => all.has(each))) tables.delete(key);
    for (const observer of observers) observer();
  };
  setKinds(kinds);

  const pathOf = (collection: Collection): BoundPath | undefined => boundPathOf(collection, (key) => bound.get(key));
  return {
    name: 'kubernetes',
    setKinds,
    bind(collection) {
      const path = pathOf(collection);
      if (path === undefined) return undefined;
      const key = `${collection.path} ${collection.singleton}`;
      const known = tables.get(key);
      if (known !== undefined) return known.table;
      const table = new KubernetesTable({
        objects,
        path,
        serial,
        onRefused,
        userOf: writesAs === 'caller' ? userOf : () => undefined,
        mayRead:
          writesAs === 'caller'
            ? (caller, name, feed) => access.isAllowed(userOf(caller), feed.place, name)
            : undefined,
      });
      tables.set(key, { table, path });
      return table;
    },
    describe(collection) {
      const own = pathOf(collection)?.own;
      return own && crdName(own.kind);
    },
    onBindingsChanged(onChange) {
      observers.add(onChange);
      return () => observers.delete(onChange);
    },
    async close() {
      for (const { feed } of bound.values()) feed.close();
    },
  };
}

/**
 * The user for a caller. Users and groups of the cluster itself (`system:masters`) are never taken from a caller's token: who
 * issues tokens does not rule the cluster.
 */
function userOf({ name, groups }: Caller): User {
  if (name === '' || isOfCluster(name)) return { user: 'system:anonymous', groups: ['system:unauthenticated'] };
  // mutant: gateway-impersonates-masters ()#1 -> groups
  const own = groups.filter((group) => !isOfCluster(group));
  return { user: name, groups: [...own, 'system:authenticated'] };
}

/** Names that change in a header count as the cluster's own: the API server takes ` system:masters` for `system:masters`. */
function isOfCluster(name: string): boolean {
  // mutant: gateway-impersonates-blank ||.1 -> false
  return !isHeaderValue(name) || name.startsWith('system:');
}
