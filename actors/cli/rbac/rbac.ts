// `troupe rbac`: what a process may do in the cluster, no more than its roles and the kinds of its adapters ask for.
import { stringify } from 'yaml';
import type { Adapter, ClusterRule as Rule } from '../../../adapters/api/adapter.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { rulesOf } from '../../process/cluster-rules.ts';

export interface RbacDeps {
  readonly adapters: readonly Adapter[];
  readonly roles: readonly string[];
  /** Roles of these in place of a ClusterRole; undefined: one for the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  readonly out: NodeJS.WritableStream;
}

/** Groups whose resources are in no namespace: no Role can grant them, nor who is impersonated. */
const OF_CLUSTER: ReadonlySet<string> = new Set([
  'authentication.k8s.io',
  'authorization.k8s.io',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
]);
const API_VERSION = 'rbac.authorization.k8s.io/v1';

/** @throws {TerminalError} namespaces are asked for, and none is named */
export function rbac({ adapters, roles, namespaces, out }: RbacDeps): number {
  const rules = rulesOf(adapters, roles);
  if (namespaces === undefined) {
    out.write(documents([{ kind: 'ClusterRole', metadata: { name: 'troupe' }, rules }]));
    return 0;
  }
  if (namespaces.length === 0) throw new TerminalError("'rbac --namespaced' needs the namespaces: name them with -n");
  const isOfCluster = ({ apiGroups, verbs }: Rule): boolean =>
    verbs.includes('impersonate') || apiGroups.every((group) => OF_CLUSTER.has(group));
  const own = rules.filter((rule) => !isOfCluster(rule));
  out.write(
    documents([
      ...namespaces.map((namespace) => ({ kind: 'Role', metadata: { name: 'troupe', namespace }, rules: own })),
      { kind: 'ClusterRole', metadata: { name: 'troupe' }, rules: rules.filter(isOfCluster) },
    ]),
  );
  return 0;
}

function documents(all: readonly object[]): string {
  return all
    .map((each) => stringify({ apiVersion: API_VERSION, ...each }, { aliasDuplicateObjects: false }))
    .join('---\n');
}
