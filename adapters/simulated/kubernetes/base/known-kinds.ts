// The kinds that a kube-apiserver knows, served here or not: what it says about a misplaced object depends on that.

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  v1: words(
    'Binding ComponentStatus ConfigMap ConfigMapList Endpoints EndpointsList Event EventList LimitRange LimitRangeList List Namespace NamespaceList Node NodeList PersistentVolume PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod PodList PodTemplate PodTemplateList ReplicationController ReplicationControllerList ResourceQuota ResourceQuotaList Secret SecretList Service ServiceAccount ServiceAccountList ServiceList Status',
  ),
  'apps/v1': words('ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet'),
  'batch/v1': words('CronJob Job'),
  'networking.k8s.io/v1': words('Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR'),
  'rbac.authorization.k8s.io/v1': words('ClusterRole ClusterRoleBinding Role RoleBinding'),
  'coordination.k8s.io/v1': words('Lease LeaseList'),
  'events.k8s.io/v1': words('Event EventList'),
};

export function isKnownKind(apiVersion: string, kind: string): boolean {
  return KNOWN[apiVersion]?.has(kind) ?? false;
}
