// The contract that all kinds share, around the tables of one (openstack-common, 1.1 and 1.4).
import {
  immutable,
  integer,
  list,
  object,
  type Rule,
  required,
  type Schema,
  string,
} from '../../api/contract/contract.ts';
import type { KindContract, PrinterColumn } from '../../api/contract/crds.ts';
import { schemasOf } from '../base/fields.ts';
import { instant, text } from '../base/values.ts';
import type { KindTable, StatusFields } from './table.ts';

export const REALM = 'openstack';
export const GROUP = 'openstack.k-orc.cloud';
export const VERSION = 'v1alpha1';

/** The contract of a kind: what all kinds have, and the kind's own fields in it. */
export function contractOf(table: Omit<KindTable, 'adoption'>): KindContract {
  const {
    resource,
    specRules = [],
    filter,
    fewestFiltered = 1,
    importId = UUID,
    status,
    columns = [],
    identity,
    content,
    ...others
  } = table;
  const { immutable: isFixed, ...named } = others;
  const fixed: Rule = { message: `${table.kind}ResourceSpec is immutable`, rule: 'self == oldSelf' };
  const rules = [...(table.rules ?? []), ...(isFixed === true ? [fixed] : [])];
  const id: PrinterColumn = { name: 'ID', description: 'Identifier in OpenStack', jsonPath: '.status.id' };
  return frameOf({
    ...named,
    spec: specOf({
      resource,
      rules,
      specRules,
      filter,
      fewestFiltered,
      importId: identity === undefined ? importId : undefined,
    }),
    status,
    content: content?.fields ?? {},
    hasId: identity === undefined,
    columns: { before: identity === undefined ? [id] : [], after: columns },
  });
}

/** Parts of a contract that differ between kinds. */
export interface Frame extends Pick<KindContract, 'kind' | 'description' | 'spec'> {
  /** `status.resource`; undefined for a kind without one. */
  readonly status?: StatusFields;
  /** Fields of `status` about the content of the resource. */
  readonly content?: Readonly<Record<string, Schema>>;
  /** Whether `status.id` identifies the resource; true by default. */
  readonly hasId?: boolean;
  /** Columns before and after Available. */
  readonly columns?: { readonly before: readonly PrinterColumn[]; readonly after: readonly PrinterColumn[] };
}

/** The contract of a kind around its own spec. */
export function frameOf({
  kind,
  description,
  spec,
  status,
  content = {},
  hasId = true,
  columns = { before: [], after: [] },
}: Frame): KindContract {
  return {
    group: GROUP,
    version: VERSION,
    kind,
    plural: `${kind.toLowerCase()}s`,
    categories: ['openstack'],
    description,
    columns: [
      ...columns.before,
      {
        name: 'Available',
        description: 'Whether the resource can be used',
        jsonPath: conditionPath('Available', 'status'),
      },
      ...columns.after,
      {
        name: 'Message',
        description: 'What is being done or waited for',
        jsonPath: conditionPath('Progressing', 'message'),
      },
    ],
    spec,
    status: statusOf(status, { content, hasId }),
  };
}

function conditionPath(type: string, member: string): string {
  return `.status.conditions[?(@.type=='${type}')].${member}`;
}

const credentials = object('cloudCredentialsRef says with which credentials, and to which cloud, the calls are made.', {
  secretName: required(
    string(
      'secretName is the Secret of this namespace that holds a clouds.yaml under the key `clouds.yaml` and, optionally, a PEM bundle of certificate authorities under `cacert`.',
      { minLength: 1, maxLength: 253 },
    ),
  ),
  cloudName: required(string('cloudName is the entry of that clouds.yaml.', { minLength: 1, maxLength: 256 })),
});

const managementPolicy = string(
  'managementPolicy is `managed` for a resource that is created, kept as specified and deleted, and `unmanaged` for one that exists already and is only looked at.',
  { enum: ['managed', 'unmanaged'], default: 'managed' },
);

const managedOptions = object('managedOptions adjusts how a managed resource is treated.', {
  onDelete: string(
    'onDelete says what becomes of the OpenStack resource when the object is deleted: `delete` removes it too, `detach` leaves it alone. `delete` unless stated.',
    { enum: ['delete', 'detach'], default: 'delete' },
  ),
});

export const resyncPeriod = string(
  'resyncPeriod is the time after which an object that is up to date is compared with OpenStack again, as a Go duration: `10m`, `1h30m`; `0s` for never. Unset, the period of the whole installation applies.',
);

const SPEC_RULES: readonly Rule[] = [
  specRule('managed', 'has(self.resource)', 'resource must be specified when policy is managed'),
  specRule('managed', '!has(self.__import__)', 'import may not be specified when policy is managed'),
  specRule('unmanaged', '!has(self.resource)', 'resource may not be specified when policy is unmanaged'),
  specRule('unmanaged', 'has(self.__import__)', 'import must be specified when policy is unmanaged'),
  {
    rule: "has(self.managedOptions) ? self.managementPolicy == 'managed' : true",
    message: 'managedOptions may only be provided when policy is managed',
  },
];

function specRule(policy: string, then: string, message: string): Rule {
  return { rule: `self.managementPolicy == '${policy}' ? ${then} : true`, message };
}

const UUID = string(
  'id is the identifier of a resource that exists; one that does not is an error that is not tried again.',
  { format: 'uuid', maxLength: 36 },
);

function specOf({
  resource,
  rules,
  specRules,
  filter,
  fewestFiltered,
  importId,
}: Required<Pick<KindTable, 'resource' | 'rules' | 'specRules' | 'filter' | 'fewestFiltered'>> & {
  readonly importId: Schema | undefined;
}): Schema {
  const byFilter = object(
    'filter is a query that one resource matches. While none does, it is repeated; several are an error that is not tried again.',
    schemasOf(filter),
    { minProperties: fewestFiltered },
  );
  return object(
    'spec is what the user wants.',
    {
      cloudCredentialsRef: required(credentials),
      managementPolicy: immutable(managementPolicy),
      managedOptions,
      resource: object(
        'resource is how a managed resource shall be; given for managed objects, and only for them.',
        schemasOf(resource),
        { rules },
      ),
      import: object(
        'import says which resource an unmanaged object stands for, by its id or by a filter.',
        importId === undefined ? { filter: byFilter } : { id: importId, filter: byFilter },
        importId === undefined ? { minProperties: 1 } : { minProperties: 1, maxProperties: 1 },
      ),
      resyncPeriod,
    },
    { rules: [...SPEC_RULES, ...specRules] },
  );
}

function statusOf(
  fields: StatusFields | undefined,
  { content, hasId }: Required<Pick<Frame, 'content' | 'hasId'>>,
): Schema {
  const resource =
    fields === undefined
      ? {}
      : { resource: object('resource is what OpenStack last answered about the resource.', schemasOf(fields)) };
  return object('status is what is known of the resource.', {
    conditions: list(
      'conditions tell where the object stands. Available is True while the resource can be used. Progressing is True while something is still done or waited for; it is False once the resource is as specified, and after an error that only a change of the spec can clear.',
      condition,
      { type: 'map', keys: ['type'], maxItems: 32 },
    ),
    ...(hasId && { id: text('id is the identifier of the resource in OpenStack.') }),
    lastSyncTime: instant('lastSyncTime is when the object was last found, or made, fully as specified.'),
    ...content,
    ...resource,
  });
}

const condition = object('One aspect of the state of the object.', {
  type: required(
    string('type is the name of the aspect.', {
      maxLength: 316,
      pattern: String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    }),
  ),
  status: required(string('status is the answer.', { enum: ['True', 'False', 'Unknown'] })),
  observedGeneration: integer('observedGeneration is the generation of the object that the answer is about.', {
    format: 'int64',
    minimum: 0,
  }),
  lastTransitionTime: required(instant('lastTransitionTime is since when the answer has been the same.')),
  reason: required(
    string('reason is the cause of the answer, in one CamelCase word for programs.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  message: required(string('message is the cause of the answer, for people.', { maxLength: 32768 })),
});
