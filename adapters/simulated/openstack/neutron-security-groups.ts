// Security groups of the simulated Neutron. Each comes with rules that let everything out.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal } from './exchange.ts';
import { type AttributeTable, asGiven, toBoolean, toText } from './neutron-attributes.ts';
import { bump, type NeutronDeps, type NeutronResource } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;

const ATTRIBUTES: AttributeTable = {
  id: NEVER,
  name: { convert: toText, preset: '', allowed: 'always' },
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  security_group_rules: NEVER,
  stateful: { convert: toBoolean, preset: true, allowed: 'always' },
  description: { convert: toText, preset: '', allowed: 'always' },
  shared: NEVER,
  tags: NEVER,
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function securityGroups({ store }: NeutronDeps): NeutronResource {
  const rules = store.collection(CollectionName.SecurityGroupRules);
  return {
    collection: CollectionName.SecurityGroups,
    singular: 'security_group',
    attributes: ATTRIBUTES,
    filters: ['name', 'description', 'shared'],
    sortKeys: ['name'],
    create(item) {
      if (String(item['name']).toLowerCase() === 'default') {
        const message = 'Default security group already exists.';
        throw neutronRefusal(409, 'SecurityGroupDefaultAlreadyExists', message);
      }
      defaultGroup(String(item['project_id']), store);
      item['revision_number'] = 1;
      for (const ethertype of ['IPv4', 'IPv6']) addRule(item, { direction: 'egress', ethertype }, store);
    },
    update(item, change) {
      if (item['name'] === 'default' && change['name'] !== undefined && change['name'] !== 'default') {
        const message = 'Updating default security group not allowed.';
        throw neutronRefusal(409, 'SecurityGroupCannotUpdateDefault', message);
      }
      Object.assign(item, change);
      if (Object.keys(change).length > 0) bump(item, store);
    },
    remove(item) {
      for (const { security_groups: groups } of store.collection(CollectionName.Ports).values()) {
        if (!Array.isArray(groups) || !groups.includes(item['id'] as Json)) continue;
        throw neutronRefusal(409, 'SecurityGroupInUse', `Security Group ${item['id']} in use.`);
      }
      for (const [id, rule] of rules) if (rule['security_group_id'] === item['id']) rules.delete(id);
    },
    show: (item) => ({ ...item, shared: false, security_group_rules: rulesOf(item, store) }),
  };
}

/** The group that ports of a project are in unless they say otherwise; made when it is first needed. */
export function defaultGroup(projectId: string, store: Store): Item {
  const groups = store.collection(CollectionName.SecurityGroups);
  for (const group of groups.values()) {
    if (group['project_id'] === projectId && group['name'] === 'default') return group;
  }
  const now = store.now();
  const group: Item = {
    id: store.newUuid(),
    name: 'default',
    tenant_id: projectId,
    project_id: projectId,
    stateful: true,
    description: 'Default security group',
    tags: [],
    created_at: now,
    updated_at: now,
    revision_number: 1,
  };
  groups.set(String(group['id']), group);
  for (const ethertype of ['IPv4', 'IPv6']) {
    addRule(group, { direction: 'egress', ethertype }, store);
    addRule(group, { direction: 'ingress', ethertype, remote_group_id: group['id'] ?? null }, store);
  }
  return group;
}

/** A rule that a group comes with. */
function addRule(group: Item, attributes: JsonObject, store: Store): void {
  const rule: Item = {
    id: store.newUuid(),
    tenant_id: group['tenant_id'] ?? '',
    security_group_id: group['id'] ?? null,
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_address_group_id: null,
    normalized_cidr: null,
    remote_group_id: null,
    description: null,
    ...attributes,
    project_id: group['project_id'] ?? '',
    created_at: group['created_at'] ?? '',
    updated_at: group['updated_at'] ?? '',
    revision_number: 0,
  };
  store.collection(CollectionName.SecurityGroupRules).set(String(rule['id']), rule);
}

function rulesOf(group: Item, store: Store): readonly JsonObject[] {
  return store
    .sorted(CollectionName.SecurityGroupRules)
    .filter((rule) => rule['security_group_id'] === group['id'])
    .map((rule, index) => ({ ...rule, tags: [], standard_attr_id: index + 1 }));
}
