// Cluster roles made of others: their rules are those of the roles that their selectors find.

import { canonical, isMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import { CLUSTER_ROLES_KEY } from '../access/rbac.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Api } from '../resources/api.ts';

/** Follows the store. Work is done after the write that caused it has returned, once for many writes. */
export function aggregateRoles(api: Api): void {
  const roles = api.store.collection(CLUSTER_ROLES_KEY);
  let scheduled = false;
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      const all = roles.list(undefined, '').map(({ object }) => object);
      // A write here is received here again, until nothing changes any more: roles may aggregate aggregated ones.
      for (const role of all) {
        if (!isMap(role['aggregationRule'])) continue;
        const rules = rulesFrom(role, all);
        if (!same(rules, role['rules'])) roles.put({ ...role, rules });
      }
    });
  };
  roles.follow(schedule);
}

/** In the order of the selectors and of the names, each rule once; null for none. */
function rulesFrom(role: KubeObject, all: readonly KubeObject[]): unknown[] | null {
  const found = new Map<string, unknown>();
  for (const selector of listOf(mapOf(role['aggregationRule'])['clusterRoleSelectors'])) {
    for (const other of all) {
      if (other.metadata.name === role.metadata.name || !selects(selector, other.metadata.labels ?? {})) continue;
      for (const rule of listOf(other['rules'])) found.set(canonical(rule), rule);
    }
  }
  return found.size === 0 ? null : [...found.values()];
}

function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels, matchExpressions } = mapOf(selector);
  return (
    Object.entries(mapOf(matchLabels)).every(([key, value]) => labels[key] === value) &&
    listOf(matchExpressions).every((raw) => {
      const { key, operator, values } = mapOf(raw);
      const label = labels[stringOf(key)];
      const isIn = label !== undefined && listOf(values).includes(label);
      switch (operator) {
        case 'In':
          return isIn;
        case 'NotIn':
          return !isIn;
        case 'Exists':
          return label !== undefined;
        default:
          return label === undefined;
      }
    })
  );
}
