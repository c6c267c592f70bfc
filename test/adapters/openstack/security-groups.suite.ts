// What the operations of security groups must do, whoever implements the cloud. Their rules are a set.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, fails, type Tenant } from '../../world/tenant.ts';

interface Rule extends JsonObject {
  readonly ethertype: 'IPv4' | 'IPv6';
}
type Rules = readonly Rule[];

const ABSENT_ID = '00000000-0000-4000-8000-000000000000';
const HTTPS = {
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  portRange: { min: 443, max: 443 },
} as const;

/** The rules of a group as its status has them, each as one line, sorted. */
function linesOf({ resource }: Pick<Observation, 'resource'>): readonly string[] {
  return ((resource['rules'] ?? []) as readonly JsonObject[])
    .map(({ direction, ethertype, protocol, portRange, remoteIPPrefix, description }) => {
      const { min, max } = (portRange ?? {}) as { readonly min?: number; readonly max?: number };
      const ports = portRange === undefined ? '' : `${min}-${max}`;
      return [direction, ethertype, protocol, ports, remoteIPPrefix, description].filter((part) => part).join(' ');
    })
    .sort();
}

/** Ids of rules by their lines. */
function idsOf({ resource }: Pick<Observation, 'resource'>): readonly string[] {
  return ((resource['rules'] ?? []) as readonly JsonObject[]).map(({ id }) => String(id)).sort();
}

/** A group `name` with these rules, settled. */
async function settled(tenant: Tenant, suffix: string, rules: Rules): Promise<Observation> {
  const object = tenant.managed('SecurityGroup', suffix, { rules });
  return (await tenant.settle(object, await tenant.create(object))).observation;
}

export function describeSecurityGroups(check: Check): void {
  check('a security group with every field', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const known = { 'Project/owner': project.id };
    const object = tenant.managed('SecurityGroup', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      projectRef: 'owner',
      stateful: false,
      rules: [
        { ...HTTPS, description: 'the web', remoteIPPrefix: '192.0.2.0/24' },
        { direction: 'egress', ethertype: 'IPv6' },
      ],
      tags: ['b', 'a'],
    });
    const created = await tenant.create(object, known);
    assert.equal([created.available, created.pollAfterMs], [false, 15_000]);
    const { passes, observation } = await tenant.settle(object, created, known);
    assert.is(passes, 1);
    const { tags, createdAt, updatedAt, rules, ...rest } = observation.resource;
    assert.equal(tags, ['a', 'b']);
    for (const instant of [createdAt, updatedAt]) assert.match(String(instant), /^\d{4}-.*Z$/);
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      projectID: project.id,
      stateful: false,
    });
    const [web] = (rules as readonly JsonObject[]).filter(({ direction }) => direction === 'ingress');
    const { id, ...stated } = web ?? {};
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.equal(stated, {
      description: 'the web',
      direction: 'ingress',
      ethertype: 'IPv4',
      portRange: { min: 443, max: 443 },
      protocol: 'tcp',
      remoteGroupID: '',
      remoteIPPrefix: '192.0.2.0/24',
    });
    assert.equal([observation.available, observation.pollAfterMs], [true, undefined]);
    const own = await tenant.list('security-group-rules', `security_group_id=${observation.id}`);
    assert.equal([...new Set(own.map(({ project_id: id }) => id))], [project.id]);
  });

  check('without rules in the spec a group has none, and is available all the same', async (tenant) => {
    for (const resource of [{}, { rules: [] }]) {
      const object = tenant.managed('SecurityGroup', 'bare', resource);
      const created = await tenant.create(object);
      assert.is(linesOf(created).length, 2);
      const { passes, observation } = await tenant.settle(object, created);
      assert.equal([passes, linesOf(observation), observation.available], [1, [], true]);
      const { name, stateful, description, tags } = observation.resource;
      assert.equal([name, stateful, description, tags], [tenant.name('bare'), true, undefined, undefined]);
      await tenant.operations('SecurityGroup').remove({ ...tenant.request(object), id: observation.id });
    }
  });

  check('each field of a security group is updated, and its default restored', async (tenant) => {
    const bare = tenant.managed('SecurityGroup', 'changing');
    let { observation } = await tenant.settle(bare, await tenant.create(bare));
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const changed = await tenant.settle(tenant.managed('SecurityGroup', 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await tenant.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
  });

  check('rules that are there stay as they are; new ones have their own ports, not those of others', async (tenant) => {
    const at = (port: number): Rule => ({ ...HTTPS, portRange: { min: port, max: port } });
    const first = await settled(tenant, 'growing', [at(1), at(2)]);
    const object = tenant.managed('SecurityGroup', 'growing', { rules: [at(2), at(3), at(1), at(4)] });
    const { passes, observation } = await tenant.settle(object, first);
    assert.is(passes, 1);
    assert.equal(
      linesOf(observation),
      [1, 2, 3, 4].map((port) => `ingress IPv4 tcp ${port}-${port}`),
    );
    for (const id of idsOf(first)) assert.ok(idsOf(observation).includes(id));
    const fewer = tenant.managed('SecurityGroup', 'growing', { rules: [at(4)] });
    const last = await tenant.settle(fewer, observation);
    assert.equal([last.passes, linesOf(last.observation)], [1, ['ingress IPv4 tcp 4-4']]);
  });

  check('rules are compared as a set, however they are spelled', async (tenant) => {
    const rules: Rules = [
      { direction: 'ingress', ethertype: 'IPv6', protocol: 'icmpv6' },
      { direction: 'ingress', ethertype: 'IPv6', protocol: 'tcp', remoteIPPrefix: 'FD00:0:0:2::7/64' },
      { direction: 'ingress', ethertype: 'IPv4', protocol: 'icmp', portRange: { min: 8, max: 0 } },
      { direction: 'ingress', ethertype: 'IPv4', protocol: 'udp' },
      { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', remoteIPPrefix: '10.0.0.7/24' },
      { direction: 'ingress', ethertype: 'IPv4', remoteIPPrefix: '0.0.0.0/0', protocol: 'vrrp' },
      { direction: 'egress', ethertype: 'IPv4', remoteIPPrefix: '0.0.0.0/0' },
    ];
    const observation = await settled(tenant, 'spelled', rules);
    assert.is(linesOf(observation).length, rules.length);
    const turned = tenant.managed('SecurityGroup', 'spelled', { rules: rules.toReversed() });
    assert.is((await tenant.settle(turned, observation)).passes, 0);
    for (const protocol of ['ipv6-icmp', 'icmp']) {
      const otherwise = tenant.managed('SecurityGroup', 'spelled', {
        rules: [
          { direction: 'ingress', ethertype: 'IPv6', protocol },
          { direction: 'ingress', ethertype: 'IPv6', protocol: 'tcp', remoteIPPrefix: 'fd00:0:0:2::7/64' },
          ...rules.slice(2),
        ],
      });
      assert.is((await tenant.settle(otherwise, observation)).passes, 0, protocol);
    }
  });

  check('a protocol is the same by its name, its number and what Neutron calls it for IPv6', async (tenant) => {
    const icmp: Rule = { direction: 'ingress', ethertype: 'IPv6', protocol: 'icmp', portRange: { min: 0, max: 0 } };
    const observation = await settled(tenant, 'numbered', [icmp, HTTPS]);
    assert.equal(linesOf(observation), ['ingress IPv4 tcp 443-443', 'ingress IPv6 ipv6-icmp 0-0']);
    const rules = (await tenant.list('security-group-rules', `security_group_id=${observation.id}`)).map((rule) => ({
      ...rule,
      protocol: rule['protocol'] === 'tcp' ? '6' : '58',
    }));
    const read = { ...observation, attributes: { ...observation.attributes, security_group_rules: rules } };
    const object = tenant.managed('SecurityGroup', 'numbered', { rules: [icmp, HTTPS] });
    assert.equal(await tenant.update(object, read), { changed: false });
  });

  check(
    'type 0 and code 0 of ICMP are sent, compared and shown as they are (OS-SECURITY-GROUP-RULES-3)',
    async (tenant) => {
      const icmp = (min: number, max: number, protocol = 'icmp', ethertype: Rule['ethertype'] = 'IPv4'): Rule => ({
        direction: 'ingress',
        ethertype,
        protocol,
        portRange: { min, max },
      });
      const rules = [
        ...[icmp(0, 0), icmp(8, 0), icmp(0, 3)],
        ...[icmp(0, 0, 'icmpv6', 'IPv6'), icmp(128, 0, 'ipv6-icmp', 'IPv6')],
      ];
      const observation = await settled(tenant, 'pinged', rules);
      assert.equal(linesOf(observation), [
        'ingress IPv4 icmp 0-0',
        'ingress IPv4 icmp 0-3',
        'ingress IPv4 icmp 8-0',
        'ingress IPv6 ipv6-icmp 0-0',
        'ingress IPv6 ipv6-icmp 128-0',
      ]);
      const own = await tenant.list('security-group-rules', `security_group_id=${observation.id}`);
      const bounds = own.map(({ port_range_min: min, port_range_max: max }) => `${min}-${max}`).sort();
      assert.equal(bounds, ['0-0', '0-0', '0-3', '128-0', '8-0']);
      assert.is((await tenant.settle(tenant.managed('SecurityGroup', 'pinged', { rules }), observation)).passes, 0);
    },
  );

  check('a rule for all of ICMP is not one for its type 0: it is replaced', async (tenant) => {
    const all = { direction: 'ingress', ethertype: 'IPv4', protocol: 'icmp' } as const;
    const wide = await settled(tenant, 'wide', [all]);
    assert.equal(linesOf(wide), ['ingress IPv4 icmp']);
    const narrow = tenant.managed('SecurityGroup', 'wide', { rules: [{ ...all, portRange: { min: 0, max: 0 } }] });
    const { passes, observation } = await tenant.settle(narrow, wide);
    assert.equal([passes, linesOf(observation)], [1, ['ingress IPv4 icmp 0-0']]);
    const back = await tenant.settle(tenant.managed('SecurityGroup', 'wide', { rules: [all] }), observation);
    assert.equal([back.passes, linesOf(back.observation)], [1, ['ingress IPv4 icmp']]);
  });

  check(
    'port 0 is refused, and never means all ports, even where all are open already (OS-SECURITY-GROUP-RULES-3)',
    async (tenant) => {
      for (const protocol of ['tcp', 'udp', 'sctp', 'dccp', 'udplite', 'gre', undefined]) {
        const open: Rule = { direction: 'ingress', ethertype: 'IPv4', ...(protocol && { protocol }) };
        const suffix = `zero-${protocol ?? 'any'}`;
        const first = await settled(tenant, suffix, [open]);
        for (const [min, max, bound] of [
          [0, 0, 'min'],
          [0, 443, 'min'],
          [443, 0, 'max'],
        ] as const) {
          const rules = [HTTPS, { ...open, portRange: { min, max } }];
          const refused = tenant.update(tenant.managed('SecurityGroup', suffix, { rules }), first);
          const words = `^invalid configuration creating resource: rules\\[1\\]\\.portRange\\.${bound} is 0, .*: leave portRange out .*`;
          await fails(refused, 'terminal', new RegExp(words), 'InvalidConfiguration');
          const after = (await tenant.observe(
            tenant.managed('SecurityGroup', suffix, { rules }),
            first.id,
          )) as Observation;
          assert.equal([linesOf(after), after.available], [linesOf(first), false], `${protocol} ${min}-${max}`);
        }
      }
    },
  );

  check('direction and description count only where the spec states them', async (tenant) => {
    const observation = await settled(tenant, 'loose', [{ ...HTTPS, description: 'the web' }]);
    const { direction, ...undirected } = HTTPS;
    assert.is(direction, 'ingress');
    for (const rule of [HTTPS, undirected, { ...undirected, description: 'the web' }]) {
      const object = tenant.managed('SecurityGroup', 'loose', { rules: [rule] });
      assert.equal(await tenant.update(object, observation), { changed: false });
    }
    const object = tenant.managed('SecurityGroup', 'loose', { rules: [{ ethertype: 'IPv6' }] });
    const refused = tenant.update(object, observation);
    await fails(refused, 'terminal', /^invalid configuration creating resource: .*direction/, 'InvalidConfiguration');
    assert.equal(linesOf((await tenant.observe(object, observation.id)) as Observation), linesOf(observation));
  });

  check('a new description replaces the rule, which Neutron would not take beside the old one', async (tenant) => {
    const untold = { ...HTTPS, portRange: { min: 80, max: 80 } };
    const first = await settled(tenant, 'reported', [{ ...HTTPS, description: 'old' }, untold]);
    const object = tenant.managed('SecurityGroup', 'reported', { rules: [{ ...HTTPS, description: 'new' }, untold] });
    const { passes, observation } = await tenant.settle(object, first);
    assert.is(passes, 1);
    assert.equal(linesOf(observation), ['ingress IPv4 tcp 443-443 new', 'ingress IPv4 tcp 80-80']);
    assert.is(idsOf(observation).filter((id) => idsOf(first).includes(id)).length, 1);
    const egress = { direction: 'egress', ethertype: 'IPv4', description: 'all of it' } as const;
    assert.equal(linesOf(await settled(tenant, 'default', [egress])), ['egress IPv4 all of it']);
  });

  check('what the spec says twice is one rule; what it says in two ways is refused', async (tenant) => {
    assert.equal(linesOf(await settled(tenant, 'twice', [HTTPS, HTTPS])), ['ingress IPv4 tcp 443-443']);
    const described = await settled(tenant, 'half', [HTTPS, { ...HTTPS, description: 'the web' }]);
    assert.is(linesOf(described).length, 1);
    const rules: Rules = [
      { ...HTTPS, description: 'one' },
      { ...HTTPS, description: 'two' },
    ];
    const object = tenant.managed('SecurityGroup', 'both', { rules });
    const created = await tenant.create(object);
    await fails(
      tenant.update(object, created),
      'terminal',
      /^invalid configuration creating resource: ./,
      'InvalidConfiguration',
    );
  });

  check('rules of others go; one that names a group is never one of the spec', async (tenant) => {
    const any = { direction: 'ingress', ethertype: 'IPv4' } as const;
    const object = tenant.managed('SecurityGroup', 'meddled', { rules: [HTTPS] });
    const { observation } = await tenant.settle(object, await tenant.create(object));
    const theirs = { security_group_id: observation.id, ...any };
    await tenant.call('POST', '/security-group-rules', {
      security_group_rules: [
        { ...theirs, protocol: 'udp' },
        { ...theirs, remote_group_id: observation.id },
      ],
    });
    const meddled = (await tenant.observe(object, observation.id)) as Observation;
    assert.is(meddled.available, false);
    const wider = tenant.managed('SecurityGroup', 'meddled', { rules: [HTTPS, any] });
    const { observation: restored } = await tenant.settle(wider, meddled);
    assert.equal(linesOf(restored), ['ingress IPv4', 'ingress IPv4 tcp 443-443']);
    assert.equal(
      (restored.resource['rules'] as readonly JsonObject[]).map(({ remoteGroupID }) => remoteGroupID),
      ['', ''],
    );
  });

  check('the rules need the project of their group', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const object = tenant.managed('SecurityGroup', 'owned', { projectRef: 'owner', rules: [HTTPS] });
    const created = await tenant.create(object, { 'Project/owner': project.id });
    const waiting = ['Waiting for Project/owner to be ready'];
    const unready = { 'Project/owner': { id: project.id, ready: false } };
    assert.equal(await tenant.update(object, created, unready), { changed: false, waiting });
    assert.is(linesOf((await tenant.observe(object, created.id)) as Observation).length, 2);
    assert.equal(
      tenant
        .kind('SecurityGroup')
        .references(object)
        .map(({ kind, name, finalizers }) => [kind, name, finalizers]),
      [
        ['Secret', 'credentials', ['openstack.k-orc.cloud/securitygroup']],
        ['Project', 'owner', ['openstack.k-orc.cloud/securitygroup']],
      ],
    );
  });

  check('what Neutron says to rules: senseless ones and quotas are tried again', async (tenant) => {
    const rules: Rules = [{ ...HTTPS, ethertype: 'IPv6', remoteIPPrefix: '192.0.2.0/24' }];
    const object = tenant.managed('SecurityGroup', 'senseless', { rules });
    const created = await tenant.create(object);
    await fails(tenant.update(object, created), 'transient', /^creating security group rules: ./);
    const project = await tenant.create(tenant.managed('Project', 'poor'));
    const known = { 'Project/poor': project.id };
    const poor = tenant.managed('SecurityGroup', 'poor', { projectRef: 'poor', rules: [HTTPS] });
    const group = await tenant.create(poor, known);
    await tenant.limit(project.id, { security_group: 0, security_group_rule: 0 });
    await fails(tenant.update(poor, group, known), 'transient', /OverQuota|Quota exceeded/);
    await fails(tenant.create(poor, known), 'transient', /OverQuota|Quota exceeded/);
    const taken = tenant.managed('SecurityGroup', 'taken', { name: 'default' });
    await fails(
      tenant.create(taken),
      'terminal',
      /^invalid configuration creating resource: ./,
      'InvalidConfiguration',
    );
  });

  check('an import of a security group: by id, and by each field of a filter', async (tenant) => {
    const name = tenant.name('wanted');
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const id = await tenant.outside('SecurityGroup', { name, description: 'reported', project_id: project.id });
    await tenant.call('PUT', `/security-groups/${id}/tags`, { tags: ['a', 'b'] });
    await tenant.outside('SecurityGroup', { name });
    const { import: find } = tenant.operations('SecurityGroup');
    const found = await find(tenant.request(tenant.imported('SecurityGroup', { id })));
    // The rules of what is not managed are what they are.
    assert.equal([found?.id, found?.available, linesOf(found as Observation).length], [id, true, 2]);
    const unknown = find(tenant.request(tenant.imported('SecurityGroup', { id: ABSENT_ID })));
    await fails(unknown, 'terminal', /^referenced resource does not exist in OpenStack$/, 'UnrecoverableError');
    for (const [filter, isFound] of [
      [{ name, description: 'reported' }, true],
      [{ name, description: 'other' }, false],
      [{ name, projectRef: 'p' }, true],
      [{ name, tags: ['a', 'b'] }, true],
      [{ name, tagsAny: ['c'] }, false],
      [{ name, projectRef: 'p', notTags: ['a', 'c'] }, true],
      [{ name, projectRef: 'p', notTagsAny: ['a', 'c'] }, false],
    ] as const) {
      const object: KubeObject = tenant.imported('SecurityGroup', { filter });
      const match = await find(tenant.request(object, { 'Project/p': project.id }));
      assert.is(match?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const several = find(tenant.request(tenant.imported('SecurityGroup', { filter: { name } })));
    await fails(several, 'terminal', /^found more than one matching OpenStack resource during import$/);
  });

  check(
    'what an interrupted create of a group left behind is found by name, project and statefulness',
    async (tenant) => {
      const name = tenant.name('lost');
      const { find } = tenant.operations('SecurityGroup');
      const id = await tenant.outside('SecurityGroup', { name });
      await tenant.outside('SecurityGroup', { name: `${name}-too` });
      const found = async (resource: Parameters<typeof tenant.managed<'SecurityGroup'>>[2]): Promise<string[]> => {
        const known = { 'Project/p': tenant.name('project') };
        const request = tenant.request(tenant.managed('SecurityGroup', 'lost', resource), known);
        return (await find(request)).matches.map((match) => match.id);
      };
      assert.equal(await found({ rules: [HTTPS], description: 'of no account' }), [id]);
      assert.equal(await found({ stateful: true }), [id]);
      assert.equal(await found({ stateful: false }), []);
      assert.equal(await found({ projectRef: 'p' }), []);
    },
  );
}
