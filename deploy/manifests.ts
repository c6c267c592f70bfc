// The manifests that follow from the adapters and their kinds.
import { parse, stringify } from 'yaml';
import { rolesWith, WEBHOOKS } from '../actors/base/config.ts';
import { kindsOf, migrationRules, rule, rulesOf } from '../actors/process/cluster-rules.ts';
import type { Adapter } from '../adapters/api/adapter.ts';
import { crdFile } from '../adapters/api/contract/crds.ts';
import type { JsonObject } from '../bus/bus.ts';

const HEADER = '# Generated from the kinds by `npm run generate`; changes made here are lost.\n';
export const RBAC = 'rbac.authorization.k8s.io/v1';

/** All CustomResourceDefinitions, for kustomize. */
export function crdsKustomization(adapters: readonly Adapter[]): string {
  const contracts = adapters.flatMap((adapter) => adapter.contracts);
  const resources = contracts.map((contract) => crdFile(contract).name).sort();
  return yaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
}

/**
 * What a pod may do in the cluster: no more than the kinds of the adapters ask for.
 *
 * @param roles  that it plays; one that plays all of them gets the ClusterRole `troupe`, others one of their own
 */
export function clusterRole(adapters: readonly Adapter[], roles = rolesWith(adapters)): string {
  const rules = rulesOf(adapters, roles);
  const all = rolesWith(adapters).every((role) => roles.includes(role));
  const metadata = { name: all ? 'troupe' : `troupe-${roles.join('-')}` };
  return yaml({ apiVersion: RBAC, kind: 'ClusterRole', metadata, rules });
}

/** For whoever runs `troupe migrate`, and for nobody else: no pod has it. */
export function migrationRole(adapters: readonly Adapter[]): string {
  const metadata = { name: 'troupe-migrate' };
  return yaml({ apiVersion: RBAC, kind: 'ClusterRole', metadata, rules: migrationRules(adapters) });
}

/** Which role the pods of a Deployment play, if it is one alone. */
export const ROLE_LABEL = 'troupe/role';

/** For kustomize: in place of pods that play all roles, pods for each. */
export function rolesComponent(adapters: readonly Adapter[], version: string): string {
  const roles = rolesWith(adapters);
  const all = [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'v1', kind: 'ServiceAccount' },
    { apiVersion: RBAC, kind: 'ClusterRole' },
    { apiVersion: RBAC, kind: 'ClusterRoleBinding' },
  ];
  return yaml({
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    resources: roles.flatMap((role) => [`${role}.yaml`, `${role}-pods.yaml`]),
    patches: all.map((each) => ({ patch: stringify({ $patch: 'delete', ...each, metadata: { name: 'troupe' } }) })),
    images: [{ name: 'troupe', newTag: version }],
  });
}

/** What the Secret with the key of a user of the bus is called. */
export function userSecret(user: string): string {
  return `troupe-bus-${user}`;
}

/** What the pods of a role have beside those of all roles. */
export interface RoleExtras {
  /** What they are part of, where that is not what those of all roles are: nothing that selects those selects them. */
  readonly component?: string;
  readonly args?: readonly string[];
  /** They have nothing to do with it: neither its address nor a key. */
  readonly bus?: 'none';
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  /** Secrets that the user makes, mounted as files: in which folder. */
  readonly secrets?: readonly { readonly name: string; readonly secretName: string; readonly folder: string }[];
}

/** Where the page is served in a cluster, and what a reader has to show there. */
const PAGE_PORT = 8090;
const TOKEN = { name: 'token', secretName: 'troupe-visualizer-token', folder: '/etc/troupe/visualizer' };

/** Of the pods that show the others. */
export const VISUALIZER_PODS: RoleExtras = {
  component: 'visualizer',
  args: [`--visualizer-bind-address=:${PAGE_PORT}`, `--visualizer-token-file=${TOKEN.folder}/token`],
  ports: [{ name: 'page', containerPort: PAGE_PORT }],
  secrets: [TOKEN],
};

/** Where the API server asks in a cluster; the Service leads there. */
const WEBHOOK_PORT = 9443;

/** Of the pods that answer the API server. */
export const WEBHOOK_PODS: RoleExtras = {
  component: WEBHOOKS,
  args: [`--webhook-address=:${WEBHOOK_PORT}`],
  bus: 'none',
  ports: [{ name: 'webhooks', containerPort: WEBHOOK_PORT }],
};

/** For kustomize: pods that answer the API server, and what leads it to them. */
export function webhooksComponent(adapters: readonly Adapter[], version: string): string {
  const isAsked = webhookConfigurations(adapters, '').length > 0;
  return yaml({
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    resources: [
      'cluster-role.yaml',
      'role.yaml',
      'pods.yaml',
      'service.yaml',
      'network-policy.yaml',
      'disruption-budget.yaml',
      ...(isAsked ? ['configuration.yaml'] : []),
    ],
    images: [{ name: 'troupe', newTag: version }],
  });
}

/** What tells the API server to ask before it stores; whom to trust is put in by the pods. */
export function webhookConfigurations(adapters: readonly Adapter[], namespace: string): readonly JsonObject[] {
  const service = { namespace, name: `troupe-${WEBHOOKS}` };
  return adapters.flatMap(({ webhooks }) => webhooks?.admission?.manifests(service) ?? []);
}

export function webhookConfigurationsFile(adapters: readonly Adapter[], namespace: string): string {
  return yaml(...webhookConfigurations(adapters, namespace));
}

/** The pods of one role: those of all roles, told to play one, with an account of their own. */
export function rolePods(role: string, deployment: string, namespace: string, extras: RoleExtras = {}): string {
  const { component, args = [], bus, ports = [], secrets = [] } = extras;
  const isOfBus = ({ name }: { readonly name: string }): boolean => name === 'bus' || name.startsWith('NATS_');
  const kept = <Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] =>
    items.filter((item) => bus !== 'none' || !isOfBus(item));
  const { metadata, spec, ...type } = parse(deployment) as Deployment;
  const name = `troupe-${role}`;
  const label = {
    ...(component !== undefined && { 'app.kubernetes.io/component': component }),
    [ROLE_LABEL]: role,
  };
  const labels = { 'app.kubernetes.io/name': 'troupe' };
  const selecting = ({ matchLabels }: Selector): Selector => ({ matchLabels: { ...matchLabels, ...label } });
  const { template } = spec;
  const account = { name, namespace };
  const pods = {
    ...template.spec,
    serviceAccountName: name,
    topologySpreadConstraints: template.spec.topologySpreadConstraints.map((constraint) => ({
      ...constraint,
      labelSelector: selecting(constraint.labelSelector),
    })),
    containers: template.spec.containers.map((container) =>
      container.name === 'troupe'
        ? {
            ...container,
            args: [...container.args, `--roles=${role}`, ...args],
            env: kept(container.env),
            ports: [...container.ports, ...ports],
            volumeMounts: [
              ...kept(container.volumeMounts),
              ...secrets.map(({ name, folder }) => ({ name, mountPath: folder, readOnly: true })),
            ],
          }
        : container,
    ),
    // Each role is a user of the bus.
    volumes: [
      ...kept(template.spec.volumes).map((volume) =>
        volume.secret?.secretName === userSecret('alone')
          ? { ...volume, secret: { ...volume.secret, secretName: userSecret(role) } }
          : volume,
      ),
      ...secrets.map(({ name, secretName }) => ({ name, secret: { secretName, defaultMode: 0o440 } })),
    ],
  };
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
      ...type,
      metadata: { ...metadata, ...account, labels: { ...labels, ...metadata.labels, ...label } },
      spec: {
        ...spec,
        selector: selecting(spec.selector),
        template: {
          ...template,
          metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...label } },
          spec: pods,
        },
      },
    },
  );
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** As far as pods are made of it. */
export interface Deployment {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly selector: Selector;
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly topologySpreadConstraints: readonly { readonly labelSelector: Selector }[];
        readonly containers: readonly {
          readonly name: string;
          readonly args: readonly string[];
          readonly securityContext?: object;
          readonly env: readonly { readonly name: string }[];
          readonly ports: readonly object[];
          readonly volumeMounts: readonly { readonly name: string }[];
        }[];
        readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
      };
    };
  };
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/**
 * What people may do with the kinds: added to the cluster's own ClusterRoles `view`, `edit` and `admin`, and good for a
 * binding of its own. Nobody is given the status: it says which resource of the cloud an object has.
 *
 * What an adapter does on machines of the cluster is done there for all who use them: to write such objects is a ClusterRole of its own,
 * which nobody has before he is bound to it.
 */
export function aggregatedRoles(adapters: readonly Adapter[]): string {
  const rules = (of: readonly Adapter[], verbs: readonly string[]) =>
    of.flatMap(kindsOf).map(({ group, plurals }) => rule(group, plurals, verbs));
  const write = (of: readonly Adapter[]) => rules(of, [...READ, ...WRITE].sort());
  // Where the cluster asks for it before an owner reference may block the owner's deletion.
  const own = (of: readonly Adapter[]) =>
    of.flatMap(kindsOf).map(({ group, plurals }) =>
      rule(
        group,
        plurals.map((plural) => `${plural}/finalizers`),
        ['update'],
      ),
    );
  // mutant: editors-of-machines === -> true
  const everybodys = adapters.filter(({ route }) => route === undefined);
  const onMachines = adapters.filter(({ route }) => route !== undefined);
  const roles = [
    // mutant: viewers-write ()#1.2 -> WRITE
    { name: 'view', to: ['view', 'edit', 'admin'], rules: rules(adapters, READ) },
    { name: 'edit', to: ['edit', 'admin'], rules: write(everybodys) },
    { name: 'admin', to: ['admin'], rules: [...write(everybodys), ...own(everybodys)] },
    ...onMachines.map((adapter) => ({
      ...{ name: `${adapter.realm}-edit`, to: [] },
      rules: [...write([adapter]), ...own([adapter])],
    })),
  ];
  return yaml(
    ...roles.map(({ name, to, rules }) => {
      const labels = to.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']);
      return {
        apiVersion: RBAC,
        kind: 'ClusterRole',
        metadata: { name: `troupe-${name}`, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
        rules,
      };
    }),
  );
}

export function yaml(...manifests: readonly object[]): string {
  const options = { version: '1.1', lineWidth: 120, aliasDuplicateObjects: false } as const;
  return HEADER + manifests.map((manifest) => stringify(manifest, options)).join('---\n');
}
