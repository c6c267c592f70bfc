// The caller's permissions in the cluster, compared with what the roles of a process need there.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { type JsonObject, TroupeError } from '../../../bus/mod.ts';
import { rolesOfNodes } from '../../base/config.ts';
import { rulesOf } from '../../process/cluster-rules.ts';
import { Area, type Check, unknown, well, wrong } from './checks.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
/** Number of refusals that are named per role. */
const NAMED = 4;

interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly verb: string;
  readonly namespace?: string;
}

type Client = Pick<KubeClient, 'call'>;

/** @param namespaces  undefined: all; whether Secrets are read on a node is asked of those that are named */
export async function examineAccess(
  client: Client,
  adapters: readonly Adapter[],
  roles: readonly string[],
  namespaces: readonly string[] | undefined,
): Promise<readonly Check[]> {
  const who = await userOf(client);
  const answers = new Map<string, Promise<boolean>>();
  const may = (attributes: Attributes): Promise<boolean> => {
    const key = JSON.stringify(attributes);
    const known = answers.get(key) ?? review(client, attributes);
    answers.set(key, known);
    return known;
  };
  const checks: Check[] = [];
  for (const role of roles) {
    const place = `role ${role}, as ${who}`;
    const isOfNodes = rolesOfNodes(adapters).includes(role);
    // No cluster lets a node read all of them.
    const isMeant = (each: Attributes): boolean => !(isOfNodes && namespaces === undefined && isOfSecrets(each));
    const wanted = wantedBy(adapters, role, namespaces).filter(isMeant);
    try {
      const allowed = await Promise.all(wanted.map(may));
      const refused = wanted.filter((_, index) => allowed[index] !== true);
      checks.push(
        refused.length === 0
          ? well(Area.Access, place, `may do all ${wanted.length}`)
          : lacking(place, role, refused, isOfNodes),
      );
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      checks.push(
        unknown(Area.Access, place, error.message, 'look with an account that may create selfsubjectaccessreviews'),
      );
    }
  }
  return checks;
}

function lacking(place: string, role: string, refused: readonly Attributes[], isOfNodes: boolean): Check {
  const byResource = Map.groupBy(refused, ({ group, resource, subresource }) => {
    const plural = subresource === undefined ? resource : `${resource}/${subresource}`;
    return group === '' ? plural : `${plural}.${group}`;
  });
  const reported = [...byResource].map(
    ([name, of]) => `${[...new Set(of.map(({ verb }) => verb))].join(', ')} ${name}`,
  );
  const more = reported.length > NAMED ? `; and ${reported.length - NAMED} more` : '';
  const what = `may not ${reported.slice(0, NAMED).join('; ')}${more}`;
  const binding = refused.every(isOfSecrets)
    ? `troupe-${role}-secrets, where Secrets are meant for it,`
    : `troupe-${role} of deploy/chart`;
  const rules = isOfNodes ? binding : 'of deploy/install.yaml';
  const todo = `a process that plays '${role}' needs it: bind the ClusterRole ${rules} to whom it runs as`;
  return wrong(Area.Access, place, what, todo);
}

function wantedBy(
  adapters: readonly Adapter[],
  role: string,
  namespaces: readonly string[] | undefined,
): readonly Attributes[] {
  const attributes = rulesOf(adapters, [role]).flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((full) => {
        const [resource = '', subresource] = full.split('/');
        const named = (resourceNames ?? [undefined]).map((name) => (name === undefined ? {} : { name }));
        const below = subresource !== undefined && { subresource };
        return verbs.flatMap((verb) => named.map((name) => ({ group, resource, ...below, ...name, verb })));
      }),
    ),
  );
  const places = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
  return attributes.flatMap((each) => (isBeyond(each) ? [each] : places.map((place) => ({ ...each, ...place }))));
}

function isOfSecrets({ group, resource }: Attributes): boolean {
  return group === '' && resource === 'secrets';
}

/** Resources without a namespace, or in one that is not a tenant's. */
function isBeyond({ group }: Attributes): boolean {
  return ['authentication.k8s.io', 'authorization.k8s.io', 'coordination.k8s.io'].includes(group);
}

async function review(client: Client, resourceAttributes: Attributes): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...resourceAttributes } },
  };
  const { body: answer } = await client.call({ method: 'POST', path: REVIEWS, body });
  return (answer['status'] as JsonObject | undefined)?.['allowed'] === true;
}

/** Servers before 1.28 do not tell. */
async function userOf(client: Client): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const { body: answer } = await client.call({ method: 'POST', path: SELF, body });
    const { userInfo } = (answer['status'] ?? {}) as { readonly userInfo?: { readonly username?: string } };
    return `'${userInfo?.username ?? ''}'`;
  } catch (error) {
    if (error instanceof TroupeError) return 'the user of the kubeconfig';
    throw error;
  }
}
