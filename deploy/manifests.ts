// The manifests that follow from the kinds.
import { stringify } from 'yaml';
import { crdFile } from '../adapters/kubernetes/crds.ts';
import { openstackContracts, openstackFollowed, openstackOwned } from '../adapters/openstack/mod.ts';

const HEADER = '# Generated from the kinds by `npm run generate`; changes made here are lost.\n';

/** All CustomResourceDefinitions, for kustomize. */
export function crdsKustomization(): string {
  const resources = openstackContracts.map((contract) => crdFile(contract).name).sort();
  return yaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
}

/** What a pod may do in the cluster: no more than the kinds that it cares for ask for. */
export function clusterRole(): string {
  const [{ group = '' } = {}] = openstackContracts;
  const plurals = openstackContracts.map(({ plural }) => plural).sort();
  const followed = openstackFollowed.map(({ plural }) => plural).sort();
  const rules = [
    // Credentials of clouds: read, and held by finalizers while they are needed.
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'patch', 'watch'] },
    { apiGroups: [group], resources: plurals, verbs: ['get', 'list', 'patch', 'watch'] },
    { apiGroups: [group], resources: plurals.map((plural) => `${plural}/status`), verbs: ['patch'] },
    // Objects that others make for themselves.
    { apiGroups: [group], resources: openstackOwned.map(({ owned }) => owned), verbs: ['create', 'delete'] },
    // Where the cluster asks for it before an owner reference may block the owner's deletion.
    { apiGroups: [group], resources: openstackOwned.map(({ owner }) => `${owner}/finalizers`), verbs: ['update'] },
    { apiGroups: [group], resources: followed, verbs: ['get', 'list', 'watch'] },
    // Whether ORC leads.
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['f35396c5.k-orc.cloud'],
      verbs: ['list', 'watch'],
    },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    // Who may read the metrics.
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ];
  const metadata = { name: 'troupe' };
  return yaml({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules });
}

function yaml(manifest: object): string {
  return HEADER + stringify(manifest, { version: '1.1', lineWidth: 120, aliasDuplicateObjects: false });
}
