// The part of `services.suite.ts` about subnets and about Neutron's lists.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { type Cloud, type Like, mustHaveKeys, neutronError, type Register } from './probe.ts';

const ABSENT_ID = '11111111-1111-4111-8111-111111111111';

const SUBNET_KEYS =
  'id name tenant_id project_id network_id ip_version subnetpool_id enable_dhcp ipv6_ra_mode ipv6_address_mode gateway_ip cidr allocation_pools host_routes dns_nameservers description service_types dns_publish_fixed_ip tags created_at updated_at revision_number'.split(
    ' ',
  );

const invalid = (message: string | RegExp): Like =>
  neutronError('InvalidInput', typeof message === 'string' ? `Invalid input for operation: ${message}` : message);
const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);

/** A network and the way to ask for subnets in it. */
async function inNetwork({ prefix, expect, make }: Cloud): Promise<{
  network_id: string;
  create(attributes: JsonObject, like: Like): Promise<void>;
  refuse(attributes: JsonObject, status: number, like: Like): Promise<void>;
}> {
  const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
  return {
    network_id,
    async create(attributes, like) {
      const subnet = { network_id, name: `${prefix}subnet`, ip_version: 4, ...attributes };
      const made = await expect('POST /subnets', { body: { subnet } }, 201, { subnet: like });
      await expect(`DELETE /subnets/${(made['subnet'] as JsonObject)['id']}`, {}, 204, {});
    },
    async refuse(attributes, status, like) {
      const subnet = { network_id, name: `${prefix}subnet`, ip_version: 4, ...attributes };
      await expect('POST /subnets', { body: { subnet } }, status, like);
    },
  };
}

export function subnets(test: Register): void {
  test('subnets get gateways and pools as Neutron computes them', async (cloud) => {
    const { create } = await inNetwork(cloud);
    const cidr = '10.2.0.0/24';
    const whole = [{ start: '10.2.0.1', end: '10.2.0.254' }];
    await create(
      { cidr },
      { cidr, gateway_ip: '10.2.0.1', allocation_pools: [{ start: '10.2.0.2', end: '10.2.0.254' }] },
    );
    await create({ cidr: '10.2.0.5/24' }, { cidr });
    await create({ cidr: '10.2.0.0/30' }, { allocation_pools: [{ start: '10.2.0.2', end: '10.2.0.2' }] });
    await create({ cidr, gateway_ip: null }, { gateway_ip: null, allocation_pools: whole });
    await create({ cidr, gateway_ip: '10.3.0.1' }, { gateway_ip: '10.3.0.1', allocation_pools: whole });
    await create({ cidr, allocation_pools: [] }, { allocation_pools: [{ start: '10.2.0.2', end: '10.2.0.254' }] });
    const around = [
      { start: '10.2.0.1', end: '10.2.0.9' },
      { start: '10.2.0.11', end: '10.2.0.254' },
    ];
    await create({ cidr, gateway_ip: '10.2.0.10' }, { gateway_ip: '10.2.0.10', allocation_pools: around });
    const given = {
      enable_dhcp: false,
      dns_publish_fixed_ip: true,
      dns_nameservers: ['9.9.9.9', '1.1.1.1'],
      host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.2.0.9' }],
      description: 'd',
    };
    await create({ cidr, ...given }, given);
    const six = { ip_version: 6, cidr: 'fd00:1::/64' };
    const pool = { start: 'fd00:1::1', end: 'fd00:1::ffff:ffff:ffff:ffff' };
    await create(six, { gateway_ip: 'fd00:1::', allocation_pools: [pool], ipv6_ra_mode: null });
    await create(
      { ...six, gateway_ip: null, ipv6_ra_mode: 'slaac' },
      { gateway_ip: null, allocation_pools: [pool], ipv6_ra_mode: 'slaac' },
    );
    await create({ ...six, gateway_ip: 'fd00:1::1' }, { allocation_pools: [{ ...pool, start: 'fd00:1::2' }] });
    await create({ ...six, cidr: 'FD00:1:0::/64' }, { cidr: 'fd00:1::/64' });
  });

  test('subnets that are refused', async (cloud) => {
    const { network_id, refuse } = await inNetwork(cloud);
    await cloud.make('subnets', { network_id, ip_version: 4, cidr: '10.1.0.0/24', name: `${cloud.prefix}first` });
    const cidr = '10.2.0.0/24';
    const overlapping = `Requested subnet with cidr: 10.1.0.128/25 for network: ${network_id} overlaps with another subnet.`;
    await refuse({ cidr: '10.1.0.128/25' }, 400, invalid(overlapping));
    await refuse({ cidr, ip_version: 6 }, 400, invalid(`cidr '${cidr}' does not match the ip_version '6'.`));
    await refuse({ cidr, ip_version: 5 }, 400, bad('Invalid input for ip_version. Reason: 5 is not in valid_values.'));
    await refuse({ cidr: '10.2.0.300/24' }, 400, invalid('10.2.0.300/24 is not in a CIDR format.'));
    await refuse({ cidr: '10.2.0.0/33' }, 400, invalid('10.2.0.0/33 is not in a CIDR format.'));
    await refuse(
      { cidr: '10.2.0.0' },
      400,
      invalid('Subnet has a prefix length that is incompatible with DHCP service enabled.'),
    );
    await refuse(
      { cidr: '224.0.0.0/24' },
      400,
      invalid('Multicast IP subnet is not supported if enable_dhcp is True.'),
    );
    await refuse({ cidr: '127.0.0.0/24' }, 400, invalid('Loopback IP subnet is not supported if enable_dhcp is True.'));
    await refuse({ cidr: '0.0.0.0/0' }, 400, invalid(/First IP '0\.0\.0\.0' of network is not supported/));
    const poolless = 'Bad subnets request: a subnetpool must be specified in the absence of a cidr.';
    await refuse({}, 400, neutronError('BadRequest', poolless));
    await refuse({ cidr, gateway_ip: '10.2.0.0' }, 400, invalid('Gateway is not valid on subnet.'));
    await refuse({ cidr, gateway_ip: '10.2.0.255' }, 400, invalid('Gateway is not valid on subnet.'));
    await refuse(
      { cidr, gateway_ip: 'fd00::1' },
      400,
      invalid("gateway_ip 'fd00::1' does not match the ip_version '4'."),
    );
    await refuse(
      { cidr, gateway_ip: 'x' },
      400,
      bad("Invalid input for gateway_ip. Reason: 'x' is not a valid IP address."),
    );
    const pools = (...ranges: readonly (readonly [string, string])[]): JsonObject => ({
      cidr,
      allocation_pools: ranges.map(([start, end]) => ({ start, end })),
    });
    await refuse(
      { ...pools(['10.2.0.5', '10.2.0.20']), gateway_ip: '10.2.0.10' },
      409,
      neutronError(
        'GatewayConflictWithAllocationPools',
        'Gateway ip 10.2.0.10 conflicts with allocation pool 10.2.0.5-10.2.0.20.',
      ),
    );
    const beyond = `The allocation pool 10.2.0.5-10.2.1.20 spans beyond the subnet cidr ${cidr}.`;
    await refuse(pools(['10.2.0.5', '10.2.1.20']), 400, neutronError('OutOfBoundsAllocationPool', beyond));
    const reversed = "The allocation pool {'start': '10.2.0.50', 'end': '10.2.0.20'} is not valid.";
    await refuse(pools(['10.2.0.50', '10.2.0.20']), 400, neutronError('InvalidAllocationPool', reversed));
    const overlap = `Found overlapping allocation pools: 10.2.0.5-10.2.0.20 10.2.0.15-10.2.0.30 for subnet ${cidr}.`;
    await refuse(
      pools(['10.2.0.5', '10.2.0.20'], ['10.2.0.15', '10.2.0.30']),
      409,
      neutronError('OverlappingAllocationPools', overlap),
    );
    await refuse(
      { cidr, allocation_pools: [{ start: '10.2.0.5' }] },
      400,
      bad(/^Invalid input for allocation_pools\. Reason: Validation of dictionary's keys failed\./),
    );
    await refuse(
      { cidr, dns_nameservers: ['x'] },
      400,
      bad(/'x' is not a valid nameserver\. 'x' is not a valid IP address\.$/),
    );
    await refuse({ cidr, dns_nameservers: ['1.1.1.1', '1.1.1.1'] }, 400, bad(/Duplicate nameserver '1\.1\.1\.1'\.$/));
    const route = { destination: '10.9.0.1/16', nexthop: '10.2.0.9' };
    await refuse(
      { cidr, host_routes: [{ ...route, destination: 'x' }] },
      400,
      bad("Invalid input for host_routes. Reason: 'x' is not a valid CIDR."),
    );
    await refuse(
      { cidr, host_routes: [route] },
      400,
      bad(/'10\.9\.0\.1\/16' is not a recognized CIDR, '10\.9\.0\.0\/16' is recommended\.$/),
    );
    await refuse({ cidr, host_routes: [{ nexthop: '10.2.0.9' }] }, 400, bad(/Validation of dictionary's keys failed/));
    await refuse({ cidr, ipv6_ra_mode: 'slaac' }, 400, invalid('ipv6_ra_mode is not valid when ip_version is 4.'));
    const six = { ip_version: 6, cidr: 'fd00:1::/64', ipv6_ra_mode: 'slaac' };
    await refuse(
      { ...six, ipv6_address_mode: 'dhcpv6-stateful' },
      400,
      invalid(/If both attributes are set, they must be the same value\.$/),
    );
    await refuse(
      { ...six, cidr: 'fd00:1::/60' },
      400,
      invalid(/^Invalid input for operation: Invalid CIDR fd00:1::\/60 for IPv6 address mode\./),
    );
    await refuse(
      { ...six, ipv6_ra_mode: 'bogus' },
      400,
      bad('Invalid input for ipv6_ra_mode. Reason: bogus is not in valid_values.'),
    );
    await refuse({ ...six, enable_dhcp: false }, 400, invalid(/cannot be set when enable_dhcp is set to False\.$/));
    await refuse({ cidr, network_id: 'x' }, 400, bad("Invalid input for network_id. Reason: 'x' is not a valid UUID."));
    await refuse(
      { cidr, network_id: ABSENT_ID },
      404,
      neutronError('NetworkNotFound', `Network ${ABSENT_ID} could not be found.`),
    );
    await refuse({ cidr, bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'"));
    const missing = (attribute: string): Like =>
      bad(`Failed to parse request. Required attribute '${attribute}' not specified`);
    await cloud.expect('POST /subnets', { body: { subnet: { network_id, cidr } } }, 400, missing('ip_version'));
    await cloud.expect('POST /subnets', { body: { subnet: { ip_version: 4, cidr } } }, 400, missing('network_id'));
  });

  test('a subnet is changed, and its network counts the changes', async ({ prefix, expect, make }) => {
    const network = await make('networks', { name: `${prefix}network` });
    const subnet = await make('subnets', {
      network_id: network['id'] ?? '',
      ip_version: 4,
      cidr: '10.1.0.0/24',
      name: `${prefix}subnet`,
    });
    mustHaveKeys(subnet, SUBNET_KEYS);
    const path = `/subnets/${subnet['id']}` as const;
    const put = async (body: JsonObject, status: number, like: Like, headers = {}): Promise<void> => {
      await expect(`PUT ${path}`, { body: { subnet: body }, headers }, status, like);
    };
    const networkIs = async (revision_number: number): Promise<void> => {
      await expect(`GET /networks/${network['id']}`, {}, 200, {
        network: { revision_number, subnets: [String(subnet['id'])] },
      });
    };
    assert.is(subnet['revision_number'], 0);
    await networkIs(2);
    await put({ name: `${prefix}renamed` }, 200, { subnet: { name: `${prefix}renamed`, revision_number: 1 } });
    await networkIs(3);
    await expect(`PUT ${path}/tags`, { body: { tags: ['z'] } }, 200, { tags: ['z'] });
    await networkIs(3);
    await put({ gateway_ip: null }, 200, {
      subnet: { gateway_ip: null, allocation_pools: [{ start: '10.1.0.2', end: '10.1.0.254' }] },
    });
    await put({ gateway_ip: '10.9.0.7' }, 200, { subnet: { gateway_ip: '10.9.0.7' } });
    const conflict = (message: string): Like => neutronError('GatewayConflictWithAllocationPools', message);
    await put(
      { gateway_ip: '10.1.0.7' },
      409,
      conflict('Gateway ip 10.1.0.7 conflicts with allocation pool 10.1.0.2-10.1.0.254.'),
    );
    const pools = [{ start: '10.1.0.50', end: '10.1.0.60' }];
    await put({ allocation_pools: pools, gateway_ip: '10.1.0.1' }, 200, {
      subnet: { allocation_pools: pools, gateway_ip: '10.1.0.1' },
    });
    const servers = { dns_nameservers: ['8.8.8.8', '8.8.4.4'], enable_dhcp: false };
    await put(servers, 200, { subnet: servers });
    await put({ dns_nameservers: [] }, 200, { subnet: { dns_nameservers: [] } });
    for (const attribute of ['cidr', 'ip_version', 'network_id', 'ipv6_ra_mode']) {
      await put({ [attribute]: 'x' }, 400, bad(`Cannot update read-only attribute ${attribute}`));
    }
    await put(
      { name: 'x' },
      412,
      neutronError('RevisionNumberConstraintFailed', /^Constrained to 0, but current revision is \d+$/),
      {
        'if-match': 'revision_number=0',
      },
    );
    await expect(
      `GET /subnets/${ABSENT_ID}`,
      {},
      404,
      neutronError('SubnetNotFound', `Subnet ${ABSENT_ID} could not be found.`),
    );
  });

  test('ports hold subnets and networks; subnets do not hold networks', async ({ prefix, expect, make }) => {
    const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
    const subnet = await make('subnets', { network_id, ip_version: 4, cidr: '10.1.0.0/24', name: `${prefix}subnet` });
    const port = await make('ports', { network_id, name: `${prefix}port` });
    const used = `Unable to complete operation on network ${network_id}. There are one or more ports still in use on the network, id for these ports is: ${port['id']}.`;
    await expect(`DELETE /networks/${network_id}`, {}, 409, neutronError('NetworkInUse', used));
    const allocated = `Unable to complete operation on subnet ${subnet['id']}: One or more ports have an IP allocation from this subnet.`;
    await expect(`DELETE /subnets/${subnet['id']}`, {}, 409, neutronError('SubnetInUse', allocated));
    await expect(`DELETE /ports/${port['id']}`, {}, 204, {});
    await expect(`DELETE /networks/${network_id}`, {}, 204, {});
    await expect(`GET /subnets/${subnet['id']}`, {}, 404, neutronError('SubnetNotFound', /could not be found\.$/));
  });
}

export function lists(test: Register): void {
  test('lists of networks are filtered as asked', async ({ prefix, expect, make }) => {
    const [one, two] = [`${prefix}one`, `${prefix}two`];
    const first = await make('networks', { name: one, description: `${prefix}text` });
    const second = await make('networks', { name: two, admin_state_up: false });
    await expect(`PUT /networks/${first['id']}/tags`, { body: { tags: [`${prefix}a`, `${prefix}b`] } }, 200);
    await expect(`PUT /networks/${second['id']}/tags`, { body: { tags: [`${prefix}a`] } }, 200);
    const both = `name=${one}&name=${two}`;
    const found = async (query: string, names: readonly string[]): Promise<void> => {
      const order = 'sort_key=name&sort_dir=asc&fields=name';
      await expect('GET /networks', { query: `${query}&${order}` }, 200, { networks: names.map((name) => ({ name })) });
    };
    await found(`name=${one}`, [one]);
    await found(`name=${one.toUpperCase()}`, [one]);
    await found(both, [one, two]);
    await found(`name=${one},${two}`, []);
    await found(`name=${one}&name=${two}&description=${prefix}text`, [one]);
    await found(`${both}&admin_state_up=False`, [two]);
    await found(`${both}&router:external=true`, []);
    await found(`${both}&shared=0`, [one, two]);
    await found(`${both}&project_id=nosuch`, []);
    await found(`id=${first['id']}`, [one]);
    await found(`tags=${prefix}a`, [one, two]);
    await found(`tags=${prefix}A,${prefix}b`, [one]);
    await found(`tags=${prefix}a&tags=${prefix}b`, [one]);
    await found(`tags-any=${prefix}b,zz`, [one]);
    await found(`${both}&not-tags=${prefix}a,${prefix}b`, [two]);
    await found(`${both}&not-tags-any=${prefix}a`, []);
    await found(`tags=${prefix}a&not-tags=${prefix}b`, [two]);
    await expect(
      'GET /networks',
      { query: `tags=a&tags-any=b` },
      500,
      neutronError('HTTPInternalServerError', /internal server error/),
    );
    await expect('GET /networks', { query: 'bogus=1' }, 400, bad("['bogus'] is invalid attribute for filtering"));
    await expect('GET /networks', { query: 'shared=x' }, 400, invalid("'x' cannot be converted to boolean."));
    await expect('GET /networks', { query: 'mtu=x' }, 400, invalid("'x' is not an integer."));
    await expect(
      'GET /networks',
      { query: 'sort_key=name' },
      400,
      bad('The number of sort_keys and sort_dirs must be same'),
    );
    await expect(
      'GET /networks',
      { query: 'sort_key=bogus&sort_dir=asc' },
      400,
      bad("['bogus'] is invalid attribute for sort_keys"),
    );
  });

  test('pages follow each other by marker, and a session reads them all', async ({
    prefix,
    expect,
    make,
  }, session, clock) => {
    const names = ['1', '2', '3', '4', '5'].map((each) => `${prefix}${each}`);
    for (const name of names) await make('networks', { name });
    const mine = names.map((name) => `name=${name}`).join('&');
    const page = await expect('GET /networks', { query: `limit=2&${mine}` }, 200);
    const [first, last] = page['networks'] as readonly JsonObject[];
    const links = page['networks_links'] as readonly JsonObject[];
    assert.equal(
      links.map(({ rel }) => rel),
      ['next', 'previous'],
    );
    assert.match(String(links[0]?.['href']), new RegExp(`/v2\\.0/networks\\?.*limit=2.*marker=${last?.['id']}`));
    assert.match(String(links[1]?.['href']), new RegExp(`marker=${first?.['id']}.*page_reverse=True`));
    const whole = await expect('GET /networks', { query: `limit=10&${mine}` }, 200);
    assert.equal(
      (whole['networks_links'] as readonly JsonObject[]).map(({ rel }) => rel),
      ['previous'],
    );
    const unlimited = await expect('GET /networks', { query: mine }, 200);
    assert.is(unlimited['networks_links'], undefined);
    for (const limit of ['-1', 'a']) {
      const message = `Bad limit request: Limit must be an integer 0 or greater and not '${limit}'.`;
      await expect('GET /networks', { query: `limit=${limit}` }, 400, neutronError('BadRequest', message));
    }
    await expect(
      'GET /networks',
      { query: `limit=1&marker=${ABSENT_ID}` },
      404,
      neutronError('NetworkNotFound', /could not be found/),
    );
    const query = [...new URLSearchParams(`limit=2&${mine}`)];
    const call = {
      service: 'network',
      path: '/networks',
      query,
      deadlineAt: clock.now() + 20_000,
      traceparent: `00-${'6'.repeat(32)}-${'6'.repeat(16)}-01`,
    };
    const all = await session.list(call, 'networks');
    assert.equal(all.map(({ name }) => name).sort(), names);
  });

  test('lists of subnets are filtered as asked', async ({ prefix, expect, make }) => {
    const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
    await make('subnets', { network_id, name: `${prefix}4`, ip_version: 4, cidr: '10.0.0.0/24' });
    await make('subnets', { network_id, name: `${prefix}6`, ip_version: 6, cidr: 'fd00::/64', ipv6_ra_mode: 'slaac' });
    const found = async (query: string, versions: readonly number[]): Promise<void> => {
      const asked = `network_id=${network_id}&fields=ip_version&sort_key=name&sort_dir=asc&${query}`;
      await expect('GET /subnets', { query: asked }, 200, { subnets: versions.map((ip_version) => ({ ip_version })) });
    };
    await found('', [4, 6]);
    await found('ip_version=6', [6]);
    await found('cidr=10.0.0.0/24', [4]);
    await found('gateway_ip=10.0.0.1', [4]);
    await found('ipv6_ra_mode=slaac', [6]);
    await found('ipv6_ra_mode=bogus', []);
    await found('enable_dhcp=true', [4, 6]);
    await found(`name=${prefix}4&name=${prefix}6`, [4, 6]);
    await expect('GET /subnets', { query: 'ip_version=x' }, 400, invalid("'x' is not an integer."));
  });
}
