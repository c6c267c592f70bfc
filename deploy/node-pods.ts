// The pods of a role that is played for nodes: one on each node of Windows, as a HostProcess container, since what it looks after
// is the node itself.
import { parse } from 'yaml';
import { rulesOf } from '../actors/process/cluster-rules.ts';
import type { Adapter } from '../adapters/api/adapter.ts';
import { type Deployment, RBAC, ROLE_LABEL, userSecret, yaml } from './manifests.ts';

/** What its pods are part of: nothing that selects those of other roles selects them. */
const COMPONENT = 'windows';
/** Of Troupe for Windows; another name, as another tool makes it. */
const IMAGE = 'troupe-windows';
/** A process that looks after disks, and what may be done to them nobody else may do. */
const USER = 'NT AUTHORITY\\SYSTEM';
const OS = 'kubernetes.io/os';
/** By which several providers keep other pods away from nodes of Windows. */
const TAINTS = ['node.kubernetes.io/os', 'os'];

/**
 * Where the bus is for who knows the names of his node's network and not the cluster's, as all HostProcess containers: at the
 * address that Kubernetes tells of windows/service.yaml. The certificate is for the name that others know.
 */
const BUS_URL = 'tls://$(TROUPE_NATS_WINDOWS_SERVICE_HOST):4222';
const BUS_NAME = 'troupe-nats';

/**
 * What such pods may do, in two parts, since they are on many machines, and whoever has one of these may do what its pod may: the first
 * part is bound to their account; the second, Secrets, by the user, in the namespaces whose Secrets are meant for them.
 */
export function nodeRoles(adapters: readonly Adapter[], role: string): string {
  const rules = rulesOf(adapters, [role]);
  const ofSecrets = rules.filter(({ resources }) => resources.includes('secrets'));
  // mutant: node-reads-all-secrets () -> $0.1
  const others = rules.filter((rule) => !ofSecrets.includes(rule));
  return yaml(
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: `troupe-${role}` }, rules: others },
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: `troupe-${role}-secrets` }, rules: ofSecrets },
  );
}

/** A DaemonSet with an account, made of the pods that play all roles. */
export function nodePods(role: string, deployment: string, namespace: string): string {
  const { spec } = parse(deployment) as Deployment;
  const { template } = spec;
  const container = template.spec.containers.find((each) => each.name === 'troupe');
  if (container === undefined) throw new Error('the Deployment has no container of Troupe');
  const name = `troupe-${role}`;
  const own = { 'app.kubernetes.io/component': COMPONENT, [ROLE_LABEL]: role };
  const labels = { 'app.kubernetes.io/name': 'troupe' };
  const account = { name, namespace };
  const { securityContext: _, ...process } = container;
  return yaml(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account, labels } },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { ...account, labels: { ...labels, ...own } },
      spec: {
        selector: { matchLabels: own },
        // A machine's storage is at rest while its pod is replaced, and no more than one machine's at a time.
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        template: {
          metadata: { labels: own, annotations: template.metadata.annotations },
          spec: {
            serviceAccountName: name,
            terminationGracePeriodSeconds: template.spec.terminationGracePeriodSeconds,
            os: { name: 'windows' },
            nodeSelector: { [OS]: 'windows' },
            tolerations: TAINTS.map((key) => ({ key, value: 'windows', effect: 'NoSchedule' })),
            priorityClassName: 'system-node-critical',
            hostNetwork: true,
            securityContext: { windowsOptions: { hostProcess: true, runAsUserName: USER } },
            containers: [
              {
                ...process,
                image: IMAGE,
                args: [...process.args, `--roles=${role}`],
                env: process.env.flatMap((variable) => {
                  if (variable.name === 'POD_NAME') return [variable, NODE_NAME];
                  if (variable.name !== 'NATS_URL') return [variable];
                  return [
                    { name: variable.name, value: BUS_URL },
                    { name: 'NATS_SERVER_NAME', value: BUS_NAME },
                  ];
                }),
              },
            ],
            volumes: template.spec.volumes.map((volume) =>
              volume.name === 'bus'
                ? { ...volume, secret: { ...volume.secret, secretName: userSecret(role) } }
                : volume,
            ),
          },
        },
      },
    },
  );
}

const NODE_NAME = { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } };
