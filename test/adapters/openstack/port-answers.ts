// The part of `services.suite.ts` about ports.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { type Cloud, type Like, mustHaveKeys, neutronError, type Register } from './probe.ts';

export const ABSENT_ID = '11111111-1111-4111-8111-111111111111';
const PORT_KEYS =
  'id name network_id tenant_id project_id mac_address admin_state_up status device_id device_owner fixed_ips allowed_address_pairs extra_dhcp_opts security_groups description binding:vnic_type binding:profile binding:host_id binding:vif_type binding:vif_details port_security_enabled dns_name dns_assignment dns_domain propagate_uplink_status tags created_at updated_at revision_number'.split(
    ' ',
  );
const MAC = /^fa:16:3e:([0-9a-f]{2}:){2}[0-9a-f]{2}$/;

export const invalid = (message: string | RegExp): Like =>
  neutronError('InvalidInput', typeof message === 'string' ? `Invalid input for operation: ${message}` : message);
export const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);
export const NO_GROUP = neutronError('SecurityGroupNotFound', `Security group ${ABSENT_ID} does not exist`);
export const NO_SECURITY = neutronError(
  'PortSecurityAndIPRequiredForSecurityGroups',
  'Port security must be enabled and port must have an IP address in order to use security groups.',
);
export const NO_PAIRS = neutronError(
  'AddressPairAndPortSecurityRequired',
  'Port Security must be enabled in order to have allowed address pairs on a port.',
);

interface Stage {
  readonly network_id: string;
  readonly v4: string;
  readonly v6: string;
  make(attributes: JsonObject): Promise<JsonObject>;
  refuse(attributes: JsonObject, status: number, like: Like): Promise<void>;
}

/** A network with five free addresses of IPv4, and many of IPv6. */
export async function stage({ prefix, expect, make }: Cloud): Promise<Stage> {
  const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
  const subnet = async (ip_version: number, cidr: string): Promise<string> =>
    String((await make('subnets', { name: `${prefix}subnet`, network_id, ip_version, cidr }))['id']);
  const v4 = await subnet(4, '10.2.0.0/29');
  const v6 = await subnet(6, 'fd00:2::/64');
  const named = (attributes: JsonObject): JsonObject => ({ network_id, name: `${prefix}port`, ...attributes });
  return {
    network_id,
    v4,
    v6,
    make: (attributes) => make('ports', named(attributes)),
    async refuse(attributes, status, like) {
      await expect('POST /ports', { body: { port: named(attributes) } }, status, like);
    },
  };
}

export function ports(test: Register): void {
  test('a port without wishes has an address of each version, the default group and port security', async (cloud) => {
    const { make, network_id, v4, v6 } = await stage(cloud);
    const { expect, prefix } = cloud;
    const port = await make({});
    mustHaveKeys(port, PORT_KEYS);
    const path = `/ports/${port['id']}` as const;
    const shown = (await expect(`GET ${path}`, {}, 200))['port'] as JsonObject;
    mustHaveKeys(shown, PORT_KEYS);
    const [group] = shown['security_groups'] as readonly string[];
    await expect(`GET /security-groups/${group}`, {}, 200, {
      security_group: { name: 'default', project_id: String(shown['project_id']), stateful: true, shared: false },
    });
    await expect(`GET ${path}`, {}, 200, {
      port: {
        name: `${prefix}port`,
        network_id,
        mac_address: MAC,
        admin_state_up: true,
        status: 'DOWN',
        device_id: '',
        device_owner: '',
        fixed_ips: [
          { subnet_id: v4, ip_address: /^10\.2\.0\.[2-6]$/ },
          { subnet_id: v6, ip_address: /^fd00:2::/ },
        ].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
        allowed_address_pairs: [],
        'binding:vnic_type': 'normal',
        'binding:profile': {},
        'binding:host_id': '',
        'binding:vif_type': 'unbound',
        'binding:vif_details': {},
        port_security_enabled: true,
        propagate_uplink_status: true,
        dns_name: '',
        description: '',
        tags: [],
        revision_number: 1,
      },
    });
    const [{ ip_address: address, fqdn }] = shown['dns_assignment'] as [{ ip_address: string; fqdn: string }];
    assert.is(fqdn, `host-${address.replaceAll(/[.:]/g, '-')}.test.example.`);
    await expect(`DELETE ${path}`, {}, 204, {});
    const gone = neutronError('PortNotFound', `Port ${port['id']} could not be found.`);
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, gone);
    await expect(`PUT ${path}`, { body: { port: { name: 'x' } } }, 404, gone);
  });

  test('addresses of ports: those that are asked for, and what is refused', async (cloud) => {
    const { make, refuse, network_id, v4, v6 } = await stage(cloud);
    const { expect } = cloud;
    const addresses = async (fixed_ips: readonly JsonObject[]): Promise<readonly JsonObject[]> =>
      (await make({ fixed_ips }))['fixed_ips'] as readonly JsonObject[];
    assert.equal(await addresses([]), []);
    assert.equal(await addresses([{ subnet_id: v4, ip_address: '10.2.0.6' }]), [
      { subnet_id: v4, ip_address: '10.2.0.6' },
    ]);
    // The gateway's address is out of the pools, not out of reach.
    assert.equal(await addresses([{ ip_address: '10.2.0.1' }]), [{ subnet_id: v4, ip_address: '10.2.0.1' }]);
    assert.equal(await addresses([{ subnet_id: v6, ip_address: 'FD00:2::00ab' }]), [
      { subnet_id: v6, ip_address: 'fd00:2::ab' },
    ]);
    assert.equal(await addresses([{ subnet_id: v6, ip_address: 'fd00:2::' }]), [
      { subnet_id: v6, ip_address: 'fd00:2::' },
    ]);
    const taken = `IP address 10.2.0.6 already allocated in subnet ${v4}`;
    const inSubnet = (address: string): Like =>
      neutronError('InvalidIpForSubnet', `IP address ${address} is not a valid IP for the specified subnet.`);
    const inNetwork = (address: string): Like => {
      const message = `IP address ${address} is not a valid IP for any of the subnets on the specified network.`;
      return neutronError('InvalidIpForNetwork', message);
    };
    const two = { subnet_id: v4, ip_address: '10.2.0.5' };
    const refused: readonly (readonly [JsonObject['fixed_ips'] | string, number, Like])[] = [
      [[{ subnet_id: v4, ip_address: '10.2.0.6' }], 409, neutronError('IpAddressAlreadyAllocated', taken)],
      [[{ subnet_id: v4, ip_address: '10.2.1.6' }], 400, inSubnet('10.2.1.6')],
      [[{ subnet_id: v4, ip_address: '10.2.0.7' }], 400, inSubnet('10.2.0.7')],
      [[{ ip_address: '10.2.1.6' }], 400, inNetwork('10.2.1.6')],
      [[{ ip_address: '10.2.0.0' }], 400, inNetwork('10.2.0.0')],
      [[{ subnet_id: ABSENT_ID }], 404, neutronError('SubnetNotFound', `Subnet ${ABSENT_ID} could not be found.`)],
      [[{ subnet_id: 'x' }], 400, bad("Invalid input for fixed_ips. Reason: 'x' is not a valid UUID.")],
      [[{}], 400, invalid('IP allocation requires subnet_id or ip_address.')],
      ['x', 400, bad("Invalid input for fixed_ips. Reason: Invalid data format for fixed IP: 'x'.")],
      [
        [{ subnet_id: v4, ip_address: 'x' }],
        400,
        bad("Invalid input for fixed_ips. Reason: 'x' is not a valid IP address."),
      ],
      [[two, two], 400, bad("Invalid input for fixed_ips. Reason: Duplicate IP address '10.2.0.5'.")],
    ];
    for (const [fixed_ips, status, like] of refused) await refuse({ fixed_ips: fixed_ips ?? null }, status, like);
    const seen = new Set(['10.2.0.6']);
    for (let left = 0; left < 4; left++) {
      const [first] = await addresses([{ subnet_id: v4 }]);
      seen.add(String(first?.['ip_address']));
    }
    assert.is(seen.size, 5);
    const full = neutronError('IpAddressGenerationFailure', `No more IP addresses available on network ${network_id}.`);
    await refuse({ fixed_ips: [{ subnet_id: v4 }] }, 409, full);
    await refuse({}, 409, full);
    const inUse = 'One or more ports have an IP allocation from this subnet';
    await expect(
      `DELETE /subnets/${v4}`,
      {},
      409,
      neutronError('SubnetInUse', `Unable to complete operation on subnet ${v4}: ${inUse}.`),
    );
    await expect(
      `DELETE /networks/${network_id}`,
      {},
      409,
      neutronError('NetworkInUse', /^Unable to complete operation on network \S+\. There are one or more ports still/),
    );
  });

  test('on subnets that configure themselves, addresses come from the hardware', async (cloud) => {
    const { expect, make, prefix } = cloud;
    const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
    const slaac = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
    const subnet = { name: `${prefix}subnet`, network_id, ip_version: 6, cidr: 'fd00:3::/64', ...slaac };
    const subnet_id = String((await make('subnets', subnet))['id']);
    const fixed = [{ subnet_id, ip_address: 'fd00:3::f816:3eff:fe00:1' }];
    const port = { name: `${prefix}port`, network_id, mac_address: 'fa:16:3e:00:00:01' };
    const made = await make('ports', port);
    assert.equal(made['fixed_ips'], fixed);
    const stated = await make('ports', { ...port, mac_address: 'fa:16:3e:00:00:02', fixed_ips: [{ subnet_id }] });
    assert.equal(stated['fixed_ips'], [{ subnet_id, ip_address: 'fd00:3::f816:3eff:fe00:2' }]);
    const chosen = { ...port, mac_address: 'fa:16:3e:00:00:03', fixed_ips: [{ subnet_id, ip_address: 'fd00:3::3' }] };
    await expect(
      'POST /ports',
      { body: { port: chosen } },
      400,
      neutronError('AllocationOnAutoAddressSubnet', /^IPv6 address fd00:3::3 cannot be directly assigned to a port on/),
    );
    const third = [{ subnet_id, ip_address: 'fd00:3::f816:3eff:fe00:3' }];
    const none = await make('ports', { ...chosen, fixed_ips: [] });
    assert.equal(none['fixed_ips'], third);
    // Whatever else a port has.
    const plain = await make('subnets', { name: `${prefix}plain`, network_id, ip_version: 4, cidr: '10.3.0.0/24' });
    const both = await make('ports', {
      ...chosen,
      mac_address: 'fa:16:3e:00:00:04',
      fixed_ips: [{ subnet_id: String(plain['id']) }],
    });
    assert.is((both['fixed_ips'] as readonly unknown[]).length, 2);
    // A subnet that comes later gives an address to all that are there, and takes it along when it goes.
    const late = { ...subnet, cidr: 'fd00:4::/64' };
    const { subnet: second } = await expect('POST /subnets', { body: { subnet: late } }, 201);
    const { id } = second as { readonly id: string };
    await expect(`GET /ports/${none['id']}`, {}, 200, {
      port: {
        fixed_ips: [...third, { subnet_id: id, ip_address: 'fd00:4::f816:3eff:fe00:3' }],
      },
    });
    await expect(`DELETE /subnets/${id}`, {}, 204, {});
    await expect(`GET /ports/${none['id']}`, {}, 200, { port: { fixed_ips: third } });
  });

  test('hardware addresses are unlike within a network', async (cloud) => {
    const { make, refuse, network_id } = await stage(cloud);
    const port = await make({ mac_address: 'FA:16:3E:00:00:AA', fixed_ips: [] });
    assert.is(port['mac_address'], 'FA:16:3E:00:00:AA');
    const used = `Unable to complete operation for network ${network_id}. The mac address fa:16:3e:00:00:aa is in use.`;
    await refuse({ mac_address: 'fa:16:3e:00:00:aa', fixed_ips: [] }, 409, neutronError('MacAddressInUse', used));
    await refuse(
      { mac_address: 'x', fixed_ips: [] },
      400,
      bad("Invalid input for mac_address. Reason: 'x' is not a valid MAC address."),
    );
  });

  test('ports: what is refused', async (cloud) => {
    const { refuse } = await stage(cloud);
    const pair = { ip_address: '10.0.0.1' };
    const many = Array.from({ length: 65 }, (_, n) => ({ ip_address: `10.0.${n}.1` }));
    const uuid = (name: string): Like => bad(`Invalid input for ${name}. Reason: 'x' is not a valid UUID.`);
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [{ trusted: true }, 400, bad("Unrecognized attribute(s) 'trusted'")],
      [{ status: 'ACTIVE' }, 400, bad("Attribute 'status' not allowed in POST")],
      [{ 'binding:vif_type': 'ovs' }, 400, bad("Attribute 'binding:vif_type' not allowed in POST")],
      [{ network_id: 'x' }, 400, uuid('network_id')],
      [{ network_id: ABSENT_ID }, 404, neutronError('NetworkNotFound', `Network ${ABSENT_ID} could not be found.`)],
      [{ security_groups: [ABSENT_ID] }, 404, NO_GROUP],
      [{ security_groups: ['x'] }, 400, uuid('security_groups')],
      [{ security_groups: 'x' }, 400, bad("Invalid input for security_groups. Reason: 'x' is not a list.")],
      [{ admin_state_up: null }, 400, invalid("'None' cannot be converted to boolean.")],
      [{ port_security_enabled: 'x' }, 400, invalid("'x' cannot be converted to boolean.")],
      [{ propagate_uplink_status: 'x' }, 400, invalid("'x' cannot be converted to boolean.")],
      [{ port_security_enabled: false, security_groups: [ABSENT_ID] }, 400, NO_SECURITY],
      [{ port_security_enabled: false, allowed_address_pairs: [pair] }, 409, NO_PAIRS],
      [
        { allowed_address_pairs: [pair, pair] },
        400,
        neutronError(
          'DuplicateAddressPairInRequest',
          'Request contains duplicate address pair: mac_address None ip_address 10.0.0.1.',
        ),
      ],
      [{ allowed_address_pairs: [{ ip_address: 'x' }] }, 400, bad("'x' is not a valid IP address")],
      [{ allowed_address_pairs: [{ ...pair, mac_address: 'x' }] }, 400, bad("'x' is not a valid MAC address")],
      [{ allowed_address_pairs: [{ ...pair, bogus: 'x' }] }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [{ allowed_address_pairs: 'x' }, 400, bad('Allowed address pairs must be a list.')],
      [
        { allowed_address_pairs: [{ mac_address: 'fa:16:3e:00:00:bb' }] },
        400,
        neutronError('AllowedAddressPairsMissingIP', 'AllowedAddressPair must contain ip_address'),
      ],
      [
        { allowed_address_pairs: many },
        400,
        neutronError('AllowedAddressPairExhausted', 'The number of allowed address pair exceeds the maximum 64.'),
      ],
      [
        { 'binding:vnic_type': 'bogus' },
        400,
        bad('Invalid input for binding:vnic_type. Reason: bogus is not in valid_values.'),
      ],
      [{ 'binding:profile': 'x' }, 400, bad("Invalid input for binding:profile. Reason: 'x' is not a dictionary.")],
      [{ device_id: 'd'.repeat(256) }, 400, bad(/^Invalid input for device_id\. Reason: 'd+' exceeds maximum length/)],
      [{ dns_name: 'bad_host!' }, 400, bad(/^Invalid input for dns_name\. Reason: 'bad_host!' not a valid PQDN or/)],
    ];
    for (const [attributes, status, like] of refused) await refuse({ fixed_ips: [], ...attributes }, status, like);
  });
}
