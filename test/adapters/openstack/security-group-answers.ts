// The part of `services.suite.ts` about security groups and their rules.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { type Cloud, type Like, mustHaveKeys, neutronError, type Register } from './probe.ts';

const ABSENT_ID = '11111111-1111-4111-8111-111111111111';
const GROUP_KEYS =
  'id name tenant_id project_id stateful description shared security_group_rules tags created_at updated_at revision_number'.split(
    ' ',
  );
const RULE_KEYS =
  'id tenant_id project_id security_group_id ethertype direction protocol port_range_min port_range_max remote_ip_prefix remote_address_group_id normalized_cidr remote_group_id description created_at updated_at revision_number'.split(
    ' ',
  );

const invalid = (message: string | RegExp): Like =>
  neutronError('InvalidInput', typeof message === 'string' ? `Invalid input for operation: ${message}` : message);
const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);
const noGroup = (id: string): Like => neutronError('SecurityGroupNotFound', `Security group ${id} does not exist`);
const EXISTS = neutronError('SecurityGroupRuleExists', /^Security group rule already exists\. Rule id is \S+\.$/);

interface Rules {
  readonly security_group_id: string;
  add(rule: JsonObject, like: Like): Promise<string>;
  refuse(rule: JsonObject, status: number, like: Like): Promise<void>;
}

/** A group, and the way to ask for rules in it. */
async function inGroup({ prefix, expect, make }: Cloud): Promise<Rules> {
  const security_group_id = String((await make('security-groups', { name: `${prefix}group` }))['id']);
  const body = (rule: JsonObject): { readonly body: JsonObject } => ({
    body: { security_group_rule: { security_group_id, direction: 'ingress', ...rule } },
  });
  return {
    security_group_id,
    async add(rule, like) {
      const answer = await expect('POST /security-group-rules', body(rule), 201, { security_group_rule: like });
      return String((answer['security_group_rule'] as JsonObject)['id']);
    },
    async refuse(rule, status, like) {
      await expect('POST /security-group-rules', body(rule), status, like);
    },
  };
}

export function securityGroups(test: Register): void {
  test('a security group as it is made, shown, changed and removed', async ({ prefix, expect, make }) => {
    const name = `${prefix}group`;
    const made = await make('security-groups', { name });
    mustHaveKeys(made, GROUP_KEYS);
    const rules = made['security_group_rules'] as readonly JsonObject[];
    mustHaveKeys(rules[0], [...RULE_KEYS, 'tags', 'standard_attr_id']);
    assert.equal(
      rules
        .map(({ direction, ethertype, protocol, description }) => [direction, ethertype, protocol, description])
        .sort(),
      [
        ['egress', 'IPv4', null, null],
        ['egress', 'IPv6', null, null],
      ],
    );
    const path = `/security-groups/${made['id']}` as const;
    await expect(`GET ${path}`, {}, 200, {
      security_group: { name, description: '', stateful: true, shared: false, tags: [], revision_number: 1 },
    });
    const put = async (body: JsonObject, status: number, like: Like, headers = {}): Promise<void> => {
      await expect(`PUT ${path}`, { body: { security_group: body }, headers }, status, like);
    };
    await put(
      { description: 'reported' },
      200,
      { security_group: { description: 'reported' } },
      { 'if-match': 'revision_number=1' },
    );
    const stale = neutronError('RevisionNumberConstraintFailed', /^Constrained to 1, but current revision is /);
    await put({ description: 'reported' }, 412, stale, { 'if-match': 'revision_number=1' });
    await put({ stateful: false }, 200, { security_group: { stateful: false } });
    await put({ stateful: null }, 400, invalid("'None' cannot be converted to boolean."));
    await put({ project_id: 'x' }, 400, bad('Cannot update read-only attribute tenant_id'));
    await expect(`PUT ${path}/tags`, { body: { tags: ['b', 'a'] } }, 200, { tags: ['b', 'a'] });
    await expect(`GET ${path}`, {}, 200, { security_group: { tags: ['a', 'b'] } });
    const gone = neutronError('TagResourceNotFound', `Resource security_groups ${ABSENT_ID} could not be found.`);
    await expect(`PUT /security-groups/${ABSENT_ID}/tags`, { body: { tags: ['a'] } }, 404, gone);
    await expect(`DELETE ${path}`, {}, 204, {});
    for (const method of ['GET', 'DELETE'] as const)
      await expect(`${method} ${path}`, {}, 404, noGroup(String(made['id'])));
    await expect('GET /security-group-rules', { query: `security_group_id=${made['id']}` }, 200, {
      security_group_rules: [],
    });
  });

  test('security groups that are refused, and the default one', async ({ prefix, expect, make }) => {
    const project_id = `${prefix}project`;
    await make('security-groups', { name: `${prefix}one`, project_id });
    const found = await expect('GET /security-groups', { query: `project_id=${project_id}&name=default` }, 200, {
      security_groups: [{ description: 'Default security group', revision_number: 1 }],
    });
    const [group] = found['security_groups'] as readonly JsonObject[];
    const rules = group?.['security_group_rules'] as readonly JsonObject[];
    assert.equal(
      rules
        .map(({ direction, ethertype, remote_group_id: from }) => [direction, ethertype, from === group?.['id']])
        .sort(),
      [
        ['egress', 'IPv4', false],
        ['egress', 'IPv6', false],
        ['ingress', 'IPv4', true],
        ['ingress', 'IPv6', true],
      ],
    );
    const path = `/security-groups/${group?.['id']}` as const;
    await expect(
      `PUT ${path}`,
      { body: { security_group: { name: 'other' } } },
      409,
      neutronError('SecurityGroupCannotUpdateDefault', 'Updating default security group not allowed.'),
    );
    await expect(`PUT ${path}`, { body: { security_group: { description: 'reported' } } }, 200);
    const exists = neutronError('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.');
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ name: 'default' }, 409, exists],
      [{ name: 'Default' }, 409, exists],
      [{ stateful: 'x' }, 400, invalid("'x' cannot be converted to boolean.")],
      [{ name: 5 }, 400, bad("Invalid input for name. Reason: '5' is not a valid string.")],
      [{ bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [{ security_group_rules: [] }, 400, bad("Attribute 'security_group_rules' not allowed in POST")],
      [{ shared: true }, 400, bad("Attribute 'shared' not allowed in POST")],
      [{ description: 'x'.repeat(256) }, 400, bad(/^Invalid input for description\. Reason: 'x+' exceeds maximum/)],
    ];
    for (const [attributes, status, like] of refused) {
      const security_group = { name: `${prefix}bad`, project_id, ...attributes };
      await expect('POST /security-groups', { body: { security_group } }, status, like);
    }
  });

  test('rules are stored in a spelling of their own', async (cloud) => {
    const { add, security_group_id } = await inGroup(cloud);
    const { expect } = cloud;
    const tcp = { protocol: 'tcp', port_range_min: 22, port_range_max: 22 };
    const open = { protocol: null, remote_ip_prefix: null, description: '', ethertype: 'IPv4' };
    const id = await add({}, { ...open, port_range_min: null, port_range_max: null });
    const shown = (await expect(`GET /security-group-rules/${id}`, {}, 200))['security_group_rule'];
    mustHaveKeys(shown, RULE_KEYS);
    await add({ ethertype: 'ipv6' }, { ethertype: 'IPv6' });
    await add(
      { ...tcp, remote_ip_prefix: '10.0.0.7/24', description: 'reported' },
      {
        ...tcp,
        remote_ip_prefix: '10.0.0.7/24',
        normalized_cidr: '10.0.0.0/24',
        description: 'reported',
      },
    );
    await add({ ...tcp, protocol: 'TCP', remote_ip_prefix: '10.0.0.0/24' }, { protocol: 'tcp' });
    await add({ ...tcp, protocol: 6 }, { protocol: '6' });
    await add({ remote_ip_prefix: '10.1.1.1' }, { remote_ip_prefix: '10.1.1.1/32' });
    await add({ remote_ip_prefix: 'FD00:0:0:2::7/64', ethertype: 'IPv6' }, { remote_ip_prefix: 'fd00:0:0:2::7/64' });
    await add({ protocol: 'icmp', port_range_min: 8, port_range_max: 0 }, { port_range_min: 8, port_range_max: 0 });
    await add({ protocol: 'icmp', port_range_min: 8 }, { port_range_min: 8, port_range_max: null });
    await add({ protocol: 'icmp', port_range_min: 0, port_range_max: 0 }, { port_range_min: 0, port_range_max: 0 });
    await add({ protocol: 'icmpv6', ethertype: 'IPv6' }, { protocol: 'ipv6-icmp' });
    await add({ protocol: '58', ethertype: 'IPv6', port_range_min: 128 }, { protocol: '58', port_range_min: 128 });
    await add({ remote_group_id: security_group_id }, { remote_group_id: security_group_id });
    for (const protocol of [
      ...['ah', 'dccp', 'egp', 'esp', 'gre', 'igmp', 'ipip', 'ospf', 'pgm', 'rsvp', 'sctp', 'udp', 'udplite', 'vrrp'],
      ...['0', '255'],
    ]) {
      await add({ protocol, direction: 'egress' }, { protocol });
    }
    for (const protocol of ['ipv6-encap', 'ipv6-frag', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route']) {
      await add({ protocol, ethertype: 'IPv6' }, { protocol });
    }
  });

  test('a rule that lets through what another does is refused', async (cloud) => {
    const { add, refuse } = await inGroup(cloud);
    const tcp = { protocol: 'tcp', port_range_min: 22, port_range_max: 22 };
    await add({}, {});
    await add({ ...tcp, remote_ip_prefix: '10.0.0.0/24' }, {});
    await add({ protocol: 'icmpv6', ethertype: 'IPv6' }, {});
    await add({ remote_ip_prefix: 'fd00::/64', ethertype: 'IPv6' }, {});
    for (const rule of [
      {},
      { description: 'other' },
      { remote_ip_prefix: '0.0.0.0/0' },
      { remote_ip_prefix: '' },
      { direction: 'egress', remote_ip_prefix: '::/0', ethertype: 'IPv6' },
      { ...tcp, protocol: '6', remote_ip_prefix: '10.0.0.0/24' },
      { protocol: 'ipv6-icmp', ethertype: 'IPv6' },
      { protocol: 'icmp', ethertype: 'IPv6' },
      { remote_ip_prefix: 'FD00:0::/64', ethertype: 'IPv6' },
    ]) {
      await refuse(rule, 409, EXISTS);
    }
  });

  test('rules that are refused', async (cloud) => {
    const { refuse, security_group_id } = await inGroup(cloud);
    const error = (type: string, message: string | RegExp): Like => neutronError(`SecurityGroup${type}`, message);
    const ports = (protocol: string, port_range_min: JsonObject[string], port_range_max?: number): JsonObject => ({
      protocol,
      ...(port_range_min === null ? {} : { port_range_min }),
      ...(port_range_max === undefined ? {} : { port_range_max }),
    });
    const order = error('InvalidPortRange', 'For TCP/UDP protocols, port_range_min must be <= port_range_max');
    const port = (value: number | string): Like => error('InvalidPortValue', `Invalid value for port ${value}`);
    const protocol = (name: string): Like =>
      error('RuleInvalidProtocol', new RegExp(`^Security group rule protocol ${name} not supported\\. Only protocol`));
    const conflict = (name: string): Like =>
      error('EthertypeConflictWithProtocol', `Invalid ethertype IPv4 for protocol ${name}.`);
    const remotes = 'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.';
    const icmp = (what: string, field: string): Like =>
      error('InvalidIcmpValue', `Invalid value for ICMP ${what} (${field}) 256. It must be 0 to 255.`);
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ direction: 'sideways' }, 400, bad('Invalid input for direction. Reason: sideways is not in valid_values.')],
      [{ direction: null }, 400, bad('Invalid input for direction. Reason: None is not in valid_values.')],
      [{ bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [
        { ethertype: 'IPv5' },
        400,
        error(
          'RuleInvalidEtherType',
          "Security group rule for ethertype 'IPv5' not supported. Allowed values are ['IPv4', 'IPv6'].",
        ),
      ],
      [{ protocol: 'bogus' }, 400, protocol('bogus')],
      [{ protocol: 'any' }, 400, protocol('any')],
      [{ protocol: '256' }, 400, protocol('256')],
      [{ protocol: '-1' }, 400, protocol('-1')],
      [{ protocol: '' }, 400, protocol('')],
      [
        { port_range_min: 1, port_range_max: 2 },
        400,
        error('ProtocolRequiredWithPorts', 'Must also specify protocol if port range is given.'),
      ],
      [ports('tcp', 22), 400, order],
      [ports('tcp', null, 22), 400, order],
      [ports('udp', 23, 22), 400, order],
      [ports('tcp', 0, 22), 400, port(0)],
      [ports('tcp', 0, 0), 400, port(0)],
      [ports('udp', 1, 70_000), 400, port(70_000)],
      [ports('udp', -1, 1), 400, port(-1)],
      [ports('udp', 'a', 1), 400, port('a')],
      [ports('gre', 1, 1), 400, error('InvalidProtocolForPort', /^Ports cannot be specified for protocol 47\. Ports/)],
      [ports('icmp', null, 8), 400, error('MissingIcmpType', /^ICMP code \(port-range-max\) 8 is provided but ICMP/)],
      [ports('icmp', 256, 0), 400, icmp('type', 'port_range_min')],
      [ports('icmp', 3, 256), 400, icmp('code', 'port_range_max')],
      [{ protocol: 'icmpv6' }, 400, conflict('icmpv6')],
      [{ protocol: 'ipv6-frag' }, 400, conflict('ipv6-frag')],
      [{ remote_ip_prefix: 'x' }, 400, neutronError('InvalidCIDR', 'Invalid CIDR x given as IP prefix.')],
      [
        { remote_ip_prefix: '10.0.0.0/24', ethertype: 'IPv6' },
        400,
        error('RuleParameterConflict', 'Conflicting value ethertype IPv6 for CIDR 10.0.0.0/24'),
      ],
      [
        { remote_group_id: security_group_id, remote_ip_prefix: '10.0.0.0/24' },
        400,
        error('MultipleRemoteEntites', remotes),
      ],
      [{ remote_group_id: ABSENT_ID }, 404, noGroup(ABSENT_ID)],
      [{ remote_group_id: 'x' }, 404, noGroup('x')],
      [{ security_group_id: ABSENT_ID }, 404, noGroup(ABSENT_ID)],
      [{ security_group_id: 'x' }, 404, noGroup('x')],
    ];
    for (const [rule, status, like] of refused) await refuse(rule, status, like);
    const required = (name: string): Like => bad(`Failed to parse request. Required attribute '${name}' not specified`);
    const post = async (security_group_rule: JsonObject, like: Like): Promise<void> => {
      await cloud.expect('POST /security-group-rules', { body: { security_group_rule } }, 400, like);
    };
    await post({ security_group_id }, required('direction'));
    await post({ direction: 'ingress' }, required('security_group_id'));
  });

  test('rules are made together or not at all, are removed, and change the revision of their group', async (cloud) => {
    const { security_group_id } = await inGroup(cloud);
    const { expect, prefix, make } = cloud;
    const other = String((await make('security-groups', { name: `${prefix}other` }))['id']);
    const tcp = (port: number): JsonObject => ({
      security_group_id,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: port,
      port_range_max: port,
    });
    const post = (security_group_rules: readonly JsonObject[], status: number, like: Like): Promise<JsonObject> =>
      expect('POST /security-group-rules', { body: { security_group_rules } }, status, like);
    const ports = async (found: readonly number[]): Promise<void> => {
      const answer = await expect(
        'GET /security-group-rules',
        { query: `security_group_id=${security_group_id}&direction=ingress` },
        200,
      );
      const rules = answer['security_group_rules'] as readonly { readonly port_range_min: number }[];
      assert.equal(rules.map(({ port_range_min: port }) => port).sort(), found);
    };
    const revision = async (): Promise<number> => {
      const { security_group: group } = await expect(`GET /security-groups/${security_group_id}`, {}, 200);
      return (group as { readonly revision_number: number }).revision_number;
    };
    const before = await revision();
    const made = await post([tcp(80), tcp(81)], 201, {
      security_group_rules: [{ port_range_min: 80 }, { port_range_min: 81 }],
    });
    assert.ok((await revision()) > before);
    const twice = neutronError('DuplicateSecurityGroupRuleInPost', 'Duplicate Security Group Rule in POST.');
    await post([tcp(82), tcp(82)], 409, twice);
    await post([tcp(82), { ...tcp(82), description: 'other' }], 409, twice);
    await post([tcp(83), tcp(81)], 409, EXISTS);
    await post(
      [tcp(84), { ...tcp(85), protocol: 'bogus' }],
      400,
      neutronError('SecurityGroupRuleInvalidProtocol', /./),
    );
    await post(
      [tcp(85), { ...tcp(86), security_group_id: other }],
      400,
      neutronError(
        'SecurityGroupNotSingleGroupRules',
        'Only allowed to update rules for one security profile at a time',
      ),
    );
    await post([], 400, bad('Resources required'));
    await expect('POST /security-group-rules', { body: {} }, 400, bad('Resource body required'));
    await ports([80, 81]);
    const [{ id } = { id: '' }] = made['security_group_rules'] as readonly { readonly id: string }[];
    const settled = await revision();
    await expect(`DELETE /security-group-rules/${id}`, {}, 204, {});
    assert.ok((await revision()) > settled);
    const gone = neutronError('SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`);
    for (const method of ['GET', 'DELETE'] as const)
      await expect(`${method} /security-group-rules/${id}`, {}, 404, gone);
    await ports([81]);
  });

  test('lists of groups and rules are filtered as asked', async (cloud) => {
    const { expect, make, prefix } = cloud;
    const { security_group_id, add } = await inGroup(cloud);
    await make('security-groups', { name: `${prefix}other`, description: `${prefix}told` });
    const groups = async (query: string, found: Like): Promise<void> => {
      await expect('GET /security-groups', { query: `${query}&fields=name` }, 200, { security_groups: found });
    };
    const [group, other] = [{ name: `${prefix}group` }, { name: `${prefix}other` }];
    await groups(`name=${prefix}group&name=${prefix}other&sort_key=name&sort_dir=asc`, [group, other]);
    await groups(`name=${prefix.toUpperCase()}GROUP`, [group]);
    await groups(`id=${security_group_id}&shared=false`, [group]);
    await groups(`description=${prefix}told`, [other]);
    for (const name of ['stateful', 'security_group_rules', 'bogus']) {
      const like = bad(`['${name}'] is invalid attribute for filtering`);
      await expect('GET /security-groups', { query: `${name}=true` }, 400, like);
    }
    for (const name of ['stateful', 'description', 'shared']) {
      const like = bad(`['${name}'] is invalid attribute for sort_keys`);
      await expect('GET /security-groups', { query: `sort_key=${name}&sort_dir=asc` }, 400, like);
    }
    await add({ protocol: 'tcp', port_range_min: 22, port_range_max: 23, remote_ip_prefix: '10.0.0.0/24' }, {});
    await add({ ethertype: 'IPv6', description: 'reported', remote_group_id: security_group_id }, {});
    const rules = async (query: string, count: number): Promise<void> => {
      const asked = `security_group_id=${security_group_id}&${query}`;
      const { security_group_rules: found } = await expect('GET /security-group-rules', { query: asked }, 200);
      assert.is((found as readonly unknown[]).length, count, query);
    };
    await rules('direction=egress', 2);
    await rules('direction=ingress&ethertype=IPv6', 1);
    await rules('protocol=tcp', 1);
    await rules('port_range_min=22', 1);
    await rules('remote_ip_prefix=10.0.0.0/24', 1);
    await rules(`remote_group_id=${security_group_id}`, 1);
    await rules('description=reported', 1);
    for (const name of ['tags', 'bogus']) {
      const like = bad(`['${name}'] is invalid attribute for filtering`);
      await expect('GET /security-group-rules', { query: `${name}=x` }, 400, like);
    }
  });
}
