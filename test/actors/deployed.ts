// A runtime that may do in its cluster what the manifests of deploy/ allow, and nothing else.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, ConflictError, type JsonObject } from '../../bus/mod.ts';
import { everything, INSTALL_FILE, installed, one } from '../deploy/manifests.ts';
import type { Ground, OpenGround } from '../world/environments.ts';

export const NAMESPACE = 'troupe-system';

/** The same ground, with the manifests applied, and the runtime's own service account. */
export function deployed(openGround: OpenGround, { withKubectl }: { readonly withKubectl: boolean }): OpenGround {
  return async (options) => {
    const ground = await openGround(options);
    const { clock, kubeconfig, wire: dispatcher } = ground;
    const client = kubeClient({ clock, kubeconfig, dispatcher });
    try {
      if (withKubectl) await applyOnce(kubeconfig);
      else await applyAccount(client);
      const runtimeKubeconfig = join(ground.folder, 'kubeconfig-troupe');
      await writeFile(runtimeKubeconfig, await asAccount(client, clock, kubeconfig, 'troupe'), { mode: 0o600 });
      return { ...ground, runtimeKubeconfig };
    } finally {
      await client.close();
    }
  };
}

/** Applications of the manifests, by the kubeconfig of the cluster: each takes kubectl some seconds. */
const applied = new Map<string, Promise<string>>();

function applyOnce(kubeconfig: string): Promise<string> {
  const known = applied.get(kubeconfig) ?? kubectl(kubeconfig, 'apply', '--server-side', '-f', INSTALL_FILE);
  applied.set(kubeconfig, known);
  return known;
}

/** What was applied with kubectl goes again, but for the definitions. */
export async function undeploy(kubeconfig: string): Promise<void> {
  const roles = [
    'troupe',
    'troupe-metrics-reader',
    'troupe-migrate',
    'troupe-view',
    'troupe-edit',
    'troupe-admin',
    'troupe-windows-edit',
  ];
  const rest = [...roles.map((name) => `clusterrole/${name}`), 'clusterrolebinding/troupe'];
  const policies = ['validatingadmissionpolicy', 'validatingadmissionpolicybinding'].map(
    (kind) => `${kind}/troupe-secrets`,
  );
  await kubectl(kubeconfig, 'delete', '--ignore-not-found', ...rest, ...policies);
  await kubectl(kubeconfig, 'delete', '--ignore-not-found', `namespace/${NAMESPACE}`);
}

export async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('kubectl', [...args], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    // All definitions together are more than the megabyte of Node's default.
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Makes an account of the cluster for a pod that plays these roles, with their rules and no others. @returns its kubeconfig */
export async function accountFor(
  roles: readonly string[],
  { kubeconfig, clock, wire: dispatcher }: Pick<Ground, 'kubeconfig' | 'clock'> & Partial<Pick<Ground, 'wire'>>,
): Promise<string> {
  const client = kubeClient({ clock, kubeconfig, dispatcher });
  const name = `troupe-${roles.join('-')}`;
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const metadata = { name };
  try {
    await create(client, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await create(client, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata });
    const apart = everything();
    for (const role of roles) {
      const rules = one(apart, 'ClusterRole', `troupe-${role}`);
      await create(client, `${rbac}/clusterroles`, rules);
      await create(client, `${rbac}/clusterrolebindings`, {
        metadata: { name: `${name}-${role}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: rules.metadata.name },
        subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
      });
    }
    return await asAccount(client, clock, kubeconfig, name);
  } finally {
    await client.close();
  }
}

/** What is there already stays. */
async function create(client: KubeClient, path: string, body: JsonObject): Promise<void> {
  try {
    await client.call({ method: 'POST', path, body });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** Namespace, account and rules, without what takes kubectl. */
async function applyAccount(client: KubeClient): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const places = [
    ['Namespace', NAMESPACE, '/api/v1/namespaces'],
    ['ServiceAccount', 'troupe', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`],
    ['ClusterRole', 'troupe', `${rbac}/clusterroles`],
    ['ClusterRoleBinding', 'troupe', `${rbac}/clusterrolebindings`],
  ] as const;
  const manifests = installed();
  for (const [kind, name, path] of places) {
    await client.call({ method: 'POST', path, body: one(manifests, kind, name) });
  }
}

/** A kubeconfig that leads to the same server with a token of a service account. */
export async function asAccount(
  client: KubeClient,
  clock: Clock,
  kubeconfig: string,
  account: string,
): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  let token: unknown;
  for (let attempt = 0; token === undefined; attempt++) {
    try {
      const answer = await client.call({ method: 'POST', path, body });
      token = (answer.body['status'] as JsonObject)['token'];
    } catch (error) {
      if (!(error instanceof AbsentError) || attempt >= 50) throw error;
      await clock.sleep(100);
    }
  }
  const config = parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
    users: unknown[];
    contexts: { context: { user: string } }[];
  };
  const [user = { context: { user: 'troupe' } }] = config.contexts;
  return stringify({ ...config, users: [{ name: user.context.user, user: { token } }] });
}
