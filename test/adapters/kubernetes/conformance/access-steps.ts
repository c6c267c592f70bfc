// Paths, bodies and steps of the cases about access. Other users are those that the administrator acts as, and service
// accounts with tokens of their own.
import { type Answer, CORE, post, type Request } from './case.ts';

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const ROLES = `${RBAC}/namespaces/{ns}/roles`;
export const BINDINGS = `${RBAC}/namespaces/{ns}/rolebindings`;
export const CLUSTER_ROLES = `${RBAC}/clusterroles`;
export const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`;
export const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
export const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
export const WHOAMI = `${AUTHENTICATION}/selfsubjectreviews`;
export const TOKEN_REVIEWS = `${AUTHENTICATION}/tokenreviews`;
export const ACCOUNTS = `${CORE}/serviceaccounts`;

export type Headers = Readonly<Record<string, string>>;

export const asUser = (user: string, more: Headers = {}): { readonly headers: Headers } => ({
  headers: { 'impersonate-user': user, ...more },
});
export const withToken = (token: string): { readonly headers: Headers } => ({
  headers: { authorization: `Bearer ${token}` },
});
export const ANONYMOUS = { headers: { authorization: '' } };
export const WITHOUT_RIGHTS = asUser('{ns}-nobody');

export const rule = (
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): unknown => ({
  apiGroups,
  resources,
  verbs,
});
export const role = (name: string, rules: unknown, more: Readonly<Record<string, unknown>> = {}): unknown => ({
  metadata: { name },
  ...(rules === undefined ? {} : { rules }),
  ...more,
});
export const binding = (name: string, kind: string, to: string, subjects: readonly unknown[]): unknown => ({
  metadata: { name },
  roleRef: { kind, name: to },
  subjects,
});
export const user = (name: string): unknown => ({ kind: 'User', name });

export const applied = (kind: string, name: string, more: Readonly<Record<string, unknown>>): unknown => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...more,
});

export const mayOf = (attributes: unknown): unknown => ({ spec: attributes });
export const resource = (verb: string, plural: string, more: Headers = {}): unknown => ({
  resourceAttributes: { verb, resource: plural, namespace: '{ns}', ...more },
});

export const isAllowed = ({ body }: Answer): boolean =>
  (body as { status?: { allowed?: unknown } }).status?.allowed === true;

/** Waits until a new binding is known everywhere. */
export const awaitRight = (name: string, verb: string, plural: string, more: Headers = {}): Request =>
  post(
    `${AUTHORIZATION}/subjectaccessreviews`,
    { spec: { user: name, ...(resource(verb, plural, more) as object) } },
    {
      until: isAllowed,
    },
  );

export const token = (account: string, name: string, spec: unknown = {}): Request =>
  post(`${ACCOUNTS}/${account}/token`, { spec }, { save: { [name]: 'status.token' } });

export interface ObjectBody {
  readonly metadata: { readonly labels?: unknown; readonly annotations?: unknown; readonly name: unknown };
  readonly [field: string]: unknown;
}

export function withoutManagers({ body }: Answer): unknown {
  const { metadata, ...rest } = body as ObjectBody;
  return { ...rest, name: metadata.name, labels: metadata.labels, annotations: metadata.annotations };
}

export function aggregationOf({ body }: Answer): unknown {
  const { metadata, aggregationRule } = body as ObjectBody;
  return { aggregationRule, name: metadata.name, labels: metadata.labels };
}

export function rowsOf({ body }: Answer): unknown {
  const { columnDefinitions, rows } = body as {
    columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
    rows: readonly { readonly cells: readonly unknown[] }[];
  };
  return {
    columns: columnDefinitions.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
    rows: rows.map(({ cells }) => cells.map((cell) => (/^\d+s$/.test(String(cell)) ? '<age>' : cell))),
  };
}

/** Bindings are looked at in no certain order. */
export function resourceRulesOf({ body }: Answer): unknown {
  const { status } = body as { readonly status: { readonly resourceRules: readonly unknown[] } };
  return status.resourceRules.map((one) => JSON.stringify(Object.entries(one as object).sort())).sort();
}
