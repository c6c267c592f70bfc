// The roles and bindings that a cluster has from its start: those that people give to others, and those that all clients need
// for discovery. Roles of components that are not here (nodes, scheduler, controllers) are left out.

import type { JsonMap } from '../../../text/json.ts';
import { CLUSTER_ROLE_BINDINGS_KEY, CLUSTER_ROLES_KEY, RBAC_GROUP } from '../access/rbac.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { type Api, fillSystemFields } from '../resources/api.ts';

const READ = ['get', 'list', 'watch'];
const CHANGE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

/** @param groups  API groups, separated by spaces; `core` for the one without a name */
const rule = (verbs: readonly string[], groups: string, resources: string): JsonMap => ({
  verbs,
  apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
  resources: resources.split(' '),
});

const paths = (urls: string): JsonMap => ({ verbs: ['get'], nonResourceURLs: urls.split(' ') });

interface Role {
  /** `admin`, `edit` or `view`: the role that has these rules too. */
  readonly aggregateTo?: string;
  readonly rules?: readonly JsonMap[];
  /** The label of the roles that make up this one. */
  readonly aggregated?: string;
}

const ROLES: Readonly<Record<string, Role>> = {
  admin: { aggregated: 'admin' },
  'cluster-admin': { rules: [rule(['*'], '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }] },
  edit: { aggregated: 'edit', aggregateTo: 'admin' },
  'system:aggregate-to-admin': {
    aggregateTo: 'admin',
    rules: [
      rule(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
      rule(ALL, RBAC_GROUP, 'rolebindings roles'),
    ],
  },
  'system:aggregate-to-edit': {
    aggregateTo: 'edit',
    rules: [
      rule(READ, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
      rule(['impersonate'], 'core', 'serviceaccounts'),
      rule(CHANGE, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
      rule(['create'], 'core', 'pods/eviction'),
      rule(
        CHANGE,
        'core',
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      rule(['create'], 'core', 'serviceaccounts/token'),
      rule(CHANGE, 'core events.k8s.io', 'events'),
      rule(
        CHANGE,
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      rule(CHANGE, 'autoscaling', 'horizontalpodautoscalers'),
      rule(CHANGE, 'batch', 'cronjobs jobs'),
      rule(
        CHANGE,
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      rule(CHANGE, 'policy', 'poddisruptionbudgets'),
      rule(CHANGE, 'networking.k8s.io', 'ingresses networkpolicies'),
      rule(ALL, 'coordination.k8s.io', 'leases'),
      rule(CHANGE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
    ],
  },
  'system:aggregate-to-view': {
    aggregateTo: 'view',
    rules: [
      rule(
        READ,
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      rule(
        READ,
        'core',
        'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      rule(READ, 'core', 'namespaces'),
      rule(READ, 'core events.k8s.io', 'events'),
      rule(READ, 'discovery.k8s.io', 'endpointslices'),
      rule(
        READ,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      rule(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      rule(READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      rule(
        READ,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      rule(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      rule(READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
      rule(READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
    ],
  },
  'system:auth-delegator': {
    rules: [
      rule(['create'], 'authentication.k8s.io', 'tokenreviews'),
      rule(['create'], 'authorization.k8s.io', 'subjectaccessreviews'),
    ],
  },
  'system:basic-user': {
    rules: [
      rule(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  'system:discovery': {
    rules: [paths('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/')],
  },
  'system:monitoring': {
    rules: [
      paths('/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
      rule(['get'], 'core', 'nodes/metrics'),
    ],
  },
  'system:public-info-viewer': { rules: [paths('/healthz /livez /readyz /version /version/')] },
  'system:service-account-issuer-discovery': {
    rules: [
      paths('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'),
    ],
  },
  view: { aggregated: 'view', aggregateTo: 'edit' },
};

/** Role to the groups that have it. */
const BINDINGS: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
  'system:service-account-issuer-discovery': ['system:serviceaccounts'],
};

/** Stores what is missing of them. */
export function addBootstrapRoles(api: Api): void {
  const add = (key: string, kind: string, name: string, labels: Record<string, string>, body: JsonMap): void => {
    const collection = api.store.collection(key);
    if (collection.get('', name) !== undefined) return;
    const object: KubeObject = {
      apiVersion: `${RBAC_GROUP}/v1`,
      kind,
      metadata: {
        name,
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      },
      ...body,
    };
    fillSystemFields(api, object.metadata);
    collection.put(object);
  };
  for (const [name, { aggregateTo, rules = null, aggregated }] of Object.entries(ROLES)) {
    add(
      CLUSTER_ROLES_KEY,
      'ClusterRole',
      name,
      aggregateTo === undefined ? {} : { [AGGREGATE + aggregateTo]: 'true' },
      {
        rules,
        ...(aggregated === undefined
          ? {}
          : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE + aggregated]: 'true' } }] } }),
      },
    );
  }
  for (const [name, groups] of Object.entries(BINDINGS)) {
    add(
      CLUSTER_ROLE_BINDINGS_KEY,
      'ClusterRoleBinding',
      name,
      {},
      {
        subjects: groups.map((group) => ({ kind: 'Group', apiGroup: RBAC_GROUP, name: group })),
        roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
      },
    );
  }
}
