// Roles and bindings as kinds of the API: schemas, defaults, rules, tables.

import { dig, isMap, type JsonMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import { keyProblems, labelValueProblems, pathSegmentProblems, subdomainProblems } from '../../../text/names.ts';
import { RBAC_GROUP } from '../access/rbac.ts';
import { type FieldError, forbidden, invalidValue, notSupported, required } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { builtin } from '../kinds/builtins.ts';
import type { Column, Resource, Strategy } from '../resources/api.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../wire/columns.ts';
import { admitBinding, admitRole } from './escalation.ts';

const CREATED_COLUMN: Column = {
  name: 'Created At',
  type: 'date',
  format: '',
  description: 'When the object was created.',
  priority: 0,
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

const ROLE_COLUMNS: readonly Column[] = [NAME_COLUMN, CREATED_COLUMN];

const subjectColumn = (name: string, kind: string): Column => ({
  name,
  type: 'string',
  format: '',
  description: `The subjects of the kind ${kind}.`,
  priority: 1,
  cell: (object) => subjectNames(object, kind),
});

function subjectNames(object: KubeObject, kind: string): string {
  const named = listOf(object['subjects'])
    .map(mapOf)
    .filter((subject) => subject['kind'] === kind);
  const names = named.map(({ name, namespace }) =>
    kind === 'ServiceAccount' ? `${stringOf(namespace)}/${stringOf(name)}` : stringOf(name),
  );
  return names.join(', ');
}

const BINDING_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  {
    name: 'Role',
    type: 'string',
    format: '',
    description: 'The role that is given.',
    priority: 0,
    cell: (object) => `${stringOf(dig(object, 'roleRef', 'kind'))}/${stringOf(dig(object, 'roleRef', 'name'))}`,
  },
  AGE_COLUMN,
  subjectColumn('Users', 'User'),
  subjectColumn('Groups', 'Group'),
  subjectColumn('ServiceAccounts', 'ServiceAccount'),
];

const common: Partial<Strategy> = { nameProblems: pathSegmentProblems, createsOnUpdate: true };

function roleStrategy(namespaced: boolean): Partial<Strategy> {
  return {
    ...common,
    admit: admitRole,
    prepare(next) {
      if (listOf(next['rules']).length === 0) next['rules'] = null;
    },
    validate: (next) => [
      ...listOf(next['rules']).flatMap((rule, index) => ruleErrors(mapOf(rule), `rules[${index}]`, namespaced)),
      ...(isMap(next['aggregationRule']) ? aggregationErrors(next['aggregationRule']) : []),
    ],
  };
}

function ruleErrors(rule: JsonMap, field: string, namespaced: boolean): FieldError[] {
  const count = (name: string): number => listOf(rule[name]).length;
  const errors: FieldError[] = [];
  if (count('verbs') === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (count('nonResourceURLs') > 0) {
    const wrong = (why: string): void =>
      void errors.push(invalidValue(`${field}.nonResourceURLs`, rule['nonResourceURLs'], why));
    if (namespaced) wrong('namespaced rules cannot apply to non-resource URLs');
    if (count('apiGroups') + count('resources') + count('resourceNames') > 0) {
      wrong('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (count('apiGroups') === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (count('resources') === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function aggregationErrors({ clusterRoleSelectors }: JsonMap): FieldError[] {
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = listOf(clusterRoleSelectors);
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const errors = selectorErrors(mapOf(selector), `${field}[${index}]`);
    if (errors.length > 0) errors.push(invalidValue(`${field}[${index}]`, null, 'invalid label selector.'));
    return errors;
  });
}

function selectorErrors({ matchLabels, matchExpressions }: JsonMap, field: string): FieldError[] {
  const labels = Object.entries(mapOf(matchLabels)).flatMap(([key, value]) => [
    ...keyProblems(key).map((why) => invalidValue(`${field}.matchLabels`, key, why)),
    ...labelValueProblems(stringOf(value)).map((why) => invalidValue(`${field}.matchLabels`, value, why)),
  ]);
  const expressions = listOf(matchExpressions).flatMap((one, index) =>
    expressionErrors(mapOf(one), `${field}.matchExpressions[${index}]`),
  );
  return [...labels, ...expressions];
}

function expressionErrors({ key, operator, values }: JsonMap, field: string): FieldError[] {
  const keyErrors = keyProblems(stringOf(key)).map((why) => invalidValue(`${field}.key`, stringOf(key), why));
  const count = listOf(values).length;
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const why = "must be specified when `operator` is 'In' or 'NotIn'";
      return count === 0 ? [required(`${field}.values`, why), ...keyErrors] : keyErrors;
    }
    case 'Exists':
    case 'DoesNotExist': {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count > 0 ? [forbidden(`${field}.values`, why), ...keyErrors] : keyErrors;
    }
    default:
      return [invalidValue(`${field}.operator`, stringOf(operator), 'not a valid selector operator'), ...keyErrors];
  }
}

function bindingStrategy(roleKinds: readonly string[]): Partial<Strategy> {
  const isLocal = roleKinds.includes('Role');
  return {
    ...common,
    admit: admitBinding,
    complete(next) {
      const roleRef = mapOf(next['roleRef']);
      next['roleRef'] = { ...roleRef, apiGroup: stringOf(roleRef['apiGroup']) || RBAC_GROUP };
      if (next['subjects'] !== undefined) next['subjects'] = listOf(next['subjects']).map(completedSubject);
      if (listOf(next['subjects']).length === 0) delete next['subjects'];
    },
    validate(next, old) {
      const errors = [
        ...roleRefErrors(mapOf(next['roleRef']), roleKinds),
        ...listOf(next['subjects']).flatMap((subject, index) =>
          subjectErrors(mapOf(subject), `subjects[${index}]`, isLocal),
        ),
      ];
      if (old === undefined || same(next['roleRef'], old['roleRef'])) return errors;
      const { apiGroup, kind, name } = mapOf(next['roleRef']);
      const shown = { APIGroup: stringOf(apiGroup), Kind: stringOf(kind), Name: stringOf(name) };
      return [...errors, invalidValue('roleRef', shown, 'cannot change roleRef')];
    },
  };
}

function completedSubject(raw: unknown): JsonMap {
  const subject = mapOf(raw);
  const isBare = stringOf(subject['apiGroup']) === '';
  const isNamed = subject['kind'] === 'User' || subject['kind'] === 'Group';
  return isBare && isNamed ? { ...subject, apiGroup: RBAC_GROUP } : subject;
}

function roleRefErrors({ apiGroup, kind, name }: JsonMap, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const role = stringOf(name);
  if (apiGroup !== RBAC_GROUP) errors.push(notSupported('roleRef.apiGroup', apiGroup, [RBAC_GROUP]));
  if (!kinds.includes(stringOf(kind))) errors.push(notSupported('roleRef.kind', stringOf(kind), kinds));
  if (role === '') errors.push(required('roleRef.name'));
  else for (const why of pathSegmentProblems(role)) errors.push(invalidValue('roleRef.name', role, why));
  return errors;
}

function subjectErrors({ apiGroup, kind, name, namespace }: JsonMap, field: string, isLocal: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const group = stringOf(apiGroup);
  const subject = stringOf(name);
  if (subject === '') errors.push(required(`${field}.name`));
  switch (kind) {
    case 'ServiceAccount':
      if (subject !== '') {
        for (const why of subdomainProblems(subject)) errors.push(invalidValue(`${field}.name`, subject, why));
      }
      if (group !== '') errors.push(notSupported(`${field}.apiGroup`, group, ['']));
      if (!isLocal && stringOf(namespace) === '') errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      return group === RBAC_GROUP ? errors : [...errors, notSupported(`${field}.apiGroup`, group, [RBAC_GROUP])];
    default:
      return [...errors, notSupported(`${field}.kind`, stringOf(kind), ['ServiceAccount', 'User', 'Group'])];
  }
}

export function roleResources(): Resource[] {
  const rbac = { group: RBAC_GROUP, version: 'v1' } as const;
  return [
    builtin({
      ...rbac,
      plural: 'clusterrolebindings',
      kind: 'ClusterRoleBinding',
      namespaced: false,
      columns: BINDING_COLUMNS,
      strategy: bindingStrategy(['ClusterRole']),
    }),
    builtin({
      ...rbac,
      plural: 'clusterroles',
      kind: 'ClusterRole',
      namespaced: false,
      columns: ROLE_COLUMNS,
      strategy: roleStrategy(false),
    }),
    builtin({
      ...rbac,
      plural: 'rolebindings',
      kind: 'RoleBinding',
      namespaced: true,
      columns: BINDING_COLUMNS,
      strategy: bindingStrategy(['Role', 'ClusterRole']),
    }),
    builtin({
      ...rbac,
      plural: 'roles',
      kind: 'Role',
      namespaced: true,
      columns: ROLE_COLUMNS,
      strategy: roleStrategy(true),
    }),
  ];
}
