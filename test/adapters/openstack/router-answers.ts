// The part of `services.suite.ts` about routers, their gateways and interfaces.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { type Cloud, type Like, mustHaveKeys, neutronError, type Register } from './probe.ts';

const ABSENT_ID = '11111111-1111-4111-8111-111111111111';
const ROUTER_KEYS =
  'id name tenant_id project_id admin_state_up status external_gateway_info description availability_zones distributed ha availability_zone_hints routes flavor_id tags created_at updated_at revision_number'.split(
    ' ',
  );
const PLUG_KEYS = ['id', 'tenant_id', 'port_id', 'network_id', 'subnet_id', 'subnet_ids'];

const invalid = (message: string | RegExp): Like =>
  neutronError('InvalidInput', typeof message === 'string' ? `Invalid input for operation: ${message}` : message);
const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);
const badRouter = (message: string): Like => neutronError('BadRequest', `Bad router request: ${message}`);
const noRouter = (id: unknown): Like => neutronError('RouterNotFound', `Router ${id} could not be found`);
const noSubnet = neutronError('SubnetNotFound', `Subnet ${ABSENT_ID} could not be found.`);

async function subnetIn(cloud: Cloud, network_id: string, cidr: string, more: JsonObject = {}): Promise<string> {
  const ip_version = cidr.includes(':') ? 6 : 4;
  const { id } = await cloud.make('subnets', { name: `${cloud.prefix}subnet`, network_id, ip_version, cidr, ...more });
  return String(id);
}

export function routers(test: Register): void {
  test('a router as it is made, shown, changed and removed', async (cloud) => {
    const { prefix, expect, make } = cloud;
    const name = `${prefix}router`;
    const made = await make('routers', { name });
    mustHaveKeys(made, ROUTER_KEYS);
    const path = `/routers/${made['id']}` as const;
    mustHaveKeys((await expect(`GET ${path}`, {}, 200))['router'], ROUTER_KEYS);
    await expect(`GET ${path}`, {}, 200, {
      router: {
        name,
        admin_state_up: true,
        status: 'ACTIVE',
        external_gateway_info: null,
        description: '',
        distributed: false,
        ha: false,
        availability_zone_hints: [],
        availability_zones: [],
        routes: [],
        flavor_id: null,
        tags: [],
        revision_number: 1,
      },
    });
    const put = async (body: JsonObject, status: number, like: Like, headers = {}): Promise<void> => {
      await expect(`PUT ${path}`, { body: { router: body }, headers }, status, like);
    };
    await put(
      { description: 'reported' },
      200,
      { router: { revision_number: 2 } },
      { 'if-match': 'revision_number=1' },
    );
    await put(
      { description: 'reported' },
      412,
      neutronError('RevisionNumberConstraintFailed', 'Constrained to 1, but current revision is 2'),
      { 'if-match': 'revision_number=1' },
    );
    await put({}, 200, { router: { revision_number: 2 } });
    await put({ distributed: false }, 200, { router: { revision_number: 2 } });
    const active = 'of active routers. Please set router admin_state_up to False prior to upgrade.';
    await put({ distributed: true }, 400, badRouter(`Cannot change the 'distributed' attribute ${active}`));
    await put({ ha: true }, 400, badRouter(`Cannot change HA attribute ${active}`));
    await put({ admin_state_up: false, name }, 200, { router: { admin_state_up: false, revision_number: 3 } });
    const readOnly = (attribute: string): Like => bad(`Cannot update read-only attribute ${attribute}`);
    await put({ availability_zone_hints: [] }, 400, readOnly('availability_zone_hints'));
    await put({ project_id: 'x' }, 400, readOnly('tenant_id'));
    await expect(`PUT ${path}/tags`, { body: { tags: ['b', 'a'] } }, 200, { tags: ['b', 'a'] });
    await expect(`GET ${path}`, {}, 200, { router: { tags: ['a', 'b'], revision_number: 4 } });
    await expect(`DELETE ${path}`, {}, 204, {});
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, noRouter(made['id']));
    await expect(`PUT ${path}`, { body: { router: { name } } }, 404, noRouter(made['id']));
    const gone = neutronError('TagResourceNotFound', `Resource routers ${made['id']} could not be found.`);
    await expect(`PUT ${path}/tags`, { body: { tags: ['a'] } }, 404, gone);
  });

  test('routers that are refused', async ({ prefix, expect, make }) => {
    const inner = String((await make('networks', { name: `${prefix}network` }))['id']);
    const gateway = (reason: string): Like => bad(`Invalid input for external_gateway_info. Reason: ${reason}`);
    const via = (external_gateway_info: JsonObject | string): JsonObject => ({ external_gateway_info });
    const keys =
      "Validation of dictionary's keys failed. Expected keys: {'network_id'} Provided keys: {'enable_snat'}.";
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [{ status: 'ACTIVE' }, 400, bad("Attribute 'status' not allowed in POST")],
      [{ routes: [] }, 400, bad("Attribute 'routes' not allowed in POST")],
      [{ name: 5 }, 400, bad("Invalid input for name. Reason: '5' is not a valid string.")],
      [{ admin_state_up: 'perhaps' }, 400, invalid("'perhaps' cannot be converted to boolean.")],
      [
        { availability_zone_hints: ['nozone'] },
        404,
        neutronError('AvailabilityZoneNotFound', 'AvailabilityZone nozone could not be found.'),
      ],
      [via({ network_id: inner }), 400, badRouter(`Network ${inner} is not an external network.`)],
      [
        via({ network_id: ABSENT_ID }),
        404,
        neutronError('NetworkNotFound', `Network ${ABSENT_ID} could not be found.`),
      ],
      [via({ network_id: 'x' }), 400, gateway("'x' is not a valid UUID.")],
      [via({ network_id: inner, bogus: 1 }), 400, gateway('Unexpected keys supplied: bogus.')],
      [via({ enable_snat: false }), 400, gateway(keys)],
      [via('x'), 400, gateway("'x' is not a dictionary.")],
    ];
    for (const [attributes, status, like] of refused) {
      await expect('POST /routers', { body: { router: { name: `${prefix}bad`, ...attributes } } }, status, like);
    }
    await expect('GET /routers', { query: `name=${prefix}bad` }, 200, { routers: [] });
  });

  test('a gateway holds its network, and has an address as soon as there is a subnet', async (cloud) => {
    const { prefix, expect, make } = cloud;
    const network_id = String((await make('networks', { name: `${prefix}outside`, 'router:external': true }))['id']);
    const external_gateway_info = { network_id };
    const router = await make('routers', { name: `${prefix}router`, external_gateway_info });
    const path = `/routers/${router['id']}` as const;
    const shown = async (like: Like): Promise<void> => {
      await expect(`GET ${path}`, {}, 200, { router: { external_gateway_info: like } });
    };
    await shown({ network_id, external_fixed_ips: [], enable_snat: true });
    await expect('GET /ports', { query: `device_id=${router['id']}` }, 200, {
      ports: [
        {
          device_owner: 'network:router_gateway',
          status: 'ACTIVE',
          project_id: '',
          fixed_ips: [],
          port_security_enabled: false,
          security_groups: [],
        },
      ],
    });
    const subnet_id = await subnetIn(cloud, network_id, '203.0.113.0/24');
    await shown({ network_id, external_fixed_ips: [{ subnet_id, ip_address: /^203\.0\.113\./ }] });
    const used = /^Unable to complete operation on network \S+\. There are one or more ports still in use/;
    await expect(`DELETE /networks/${network_id}`, {}, 409, neutronError('NetworkInUse', used));
    await expect(
      `DELETE /subnets/${subnet_id}`,
      {},
      409,
      neutronError('SubnetInUse', /IP allocation from this subnet/),
    );
    const why = 'cannot be updated to be made non-external, since it has existing gateway ports';
    await expect(
      `PUT /networks/${network_id}`,
      { body: { network: { 'router:external': false } } },
      409,
      neutronError('ExternalNetworkInUse', `External network ${network_id} ${why}.`),
    );
    for (const none of [{}, null]) {
      await expect(`PUT ${path}`, { body: { router: { external_gateway_info } } }, 200, {
        router: { external_gateway_info: { network_id, enable_snat: true } },
      });
      await expect(`PUT ${path}`, { body: { router: { external_gateway_info: none } } }, 200, {
        router: { external_gateway_info: null },
      });
    }
    const address = [{ subnet_id, ip_address: '203.0.113.77' }];
    const chosen = { network_id, external_fixed_ips: address, enable_snat: false };
    await expect(`PUT ${path}`, { body: { router: { external_gateway_info: chosen } } }, 200, {
      router: { external_gateway_info: chosen },
    });
    await expect(`DELETE ${path}`, {}, 204, {});
    await expect('GET /ports', { query: `network_id=${network_id}` }, 200, { ports: [] });
  });

  test('interfaces are put on a router and taken off', async (cloud) => {
    const { prefix, expect, make } = cloud;
    const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
    const subnet_id = await subnetIn(cloud, network_id, '10.2.0.0/24');
    const v6 = await subnetIn(cloud, network_id, 'fd00:2::/64');
    const router = await make('routers', { name: `${prefix}router` });
    const path = `/routers/${router['id']}` as const;
    const ask = async (what: 'add' | 'remove', body: JsonObject, status: number, like: Like): Promise<JsonObject> =>
      expect(`PUT ${path}/${what}_router_interface`, { body }, status, like);
    const plug = { id: String(router['id']), network_id, subnet_id, subnet_ids: [subnet_id] };
    const answer = await ask('add', { subnet_id }, 200, plug);
    mustHaveKeys(answer, PLUG_KEYS);
    await expect(`GET ${path}`, {}, 200, { router: { revision_number: 2 } });
    const port_id = String(answer['port_id']);
    await expect(`GET /ports/${port_id}`, {}, 200, {
      port: {
        name: '',
        device_id: plug.id,
        device_owner: 'network:router_interface',
        status: 'ACTIVE',
        project_id: String(router['project_id']),
        fixed_ips: [{ subnet_id, ip_address: '10.2.0.1' }],
        security_groups: [],
        port_security_enabled: false,
      },
    });
    await ask('add', { subnet_id: v6 }, 200, { subnet_id: v6 });
    await expect('GET /ports', { query: `device_id=${plug.id}&fixed_ips=subnet_id%3D${v6}` }, 200, {
      ports: [{ fixed_ips: [{ subnet_id: v6, ip_address: 'fd00:2::' }] }],
    });
    await ask('add', { subnet_id }, 400, badRouter(`Router already has a port on subnet ${subnet_id}.`));
    await ask('add', { subnet_id: ABSENT_ID }, 404, noSubnet);
    await ask('add', { subnet_id: 'x' }, 400, badRouter("'x' is not a valid UUID."));
    const nothing = badRouter('Either subnet_id or port_id must be specified.');
    await ask('add', {}, 400, nothing);
    await ask('add', { bogus: 'x' }, 400, nothing);
    await ask('add', { subnet_id, port_id }, 400, badRouter('Cannot specify both subnet-id and port-id.'));
    await ask(
      'add',
      { port_id: ABSENT_ID },
      404,
      neutronError('PortNotFound', `Port ${ABSENT_ID} could not be found.`),
    );
    await expect(`PUT /routers/${ABSENT_ID}/add_router_interface`, { body: { subnet_id } }, 404, noRouter(ABSENT_ID));
    await expect(`PUT ${path}/bogus`, { body: { subnet_id } }, 404, neutronError('HTTPNotFound', /could not be found/));
    await expect(`GET ${path}/add_router_interface`, {}, 405);
    await expect(`DELETE ${path}`, {}, 409, neutronError('RouterInUse', /has ports still attached: \S+, \S+$/));
    const held = `Port ${port_id} cannot be deleted directly via the port API: has device owner network:router_interface.`;
    await expect(`DELETE /ports/${port_id}`, {}, 409, neutronError('ServicePortInUse', held));
    await expect(`DELETE /subnets/${subnet_id}`, {}, 409, neutronError('SubnetInUse', /allocation from this subnet/));
    await ask('remove', {}, 400, nothing);
    await ask('remove', { subnet_id: ABSENT_ID }, 404, noSubnet);
    const unknown = `Router ${plug.id} does not have an interface with id ${ABSENT_ID}`;
    await ask('remove', { port_id: ABSENT_ID }, 404, neutronError('RouterInterfaceNotFound', unknown));
    await ask('remove', { subnet_id }, 200, { ...plug, port_id });
    const off = `Router ${plug.id} has no interface on subnet ${subnet_id}`;
    await ask('remove', { subnet_id }, 404, neutronError('RouterInterfaceNotFoundForSubnet', off));
    await expect(`GET /ports/${port_id}`, {}, 404);
  });

  test('what cannot be put on a router, and what its interfaces are called', async (cloud) => {
    const { prefix, expect, make } = cloud;
    const network_id = String((await make('networks', { name: `${prefix}network` }))['id']);
    const other = String((await make('networks', { name: `${prefix}other` }))['id']);
    const subnet_id = await subnetIn(cloud, network_id, '10.2.0.0/24');
    const half = await subnetIn(cloud, other, '10.2.0.0/25');
    const closed = await subnetIn(cloud, network_id, '10.3.0.0/24', { gateway_ip: null });
    const add = (router: JsonObject, body: JsonObject, status: number, like: Like): Promise<JsonObject> =>
      expect(`PUT /routers/${router['id']}/add_router_interface`, { body }, status, like);
    const owners = async (router: JsonObject, like: Like): Promise<void> => {
      await expect('GET /ports', { query: `device_id=${router['id']}` }, 200, { ports: like });
    };
    const plain = await make('routers', { name: `${prefix}plain` });
    await add(plain, { subnet_id: closed }, 400, badRouter('Subnet for router interface must have a gateway IP.'));
    await add(plain, { subnet_id }, 200, {});
    const overlaps = `Cidr 10.2.0.0/25 of subnet ${half} overlaps with cidr 10.2.0.0/24 of subnet ${subnet_id}.`;
    await add(plain, { subnet_id: half }, 400, badRouter(overlaps));
    const available = await make('routers', { name: `${prefix}ha`, ha: true });
    assert.equal([available['ha'], available['distributed']], [true, false]);
    const taken = `IP address 10.2.0.1 already allocated in subnet ${subnet_id}`;
    await add(available, { subnet_id }, 409, neutronError('IpAddressAlreadyAllocated', taken));
    await add(available, { subnet_id: half }, 200, {});
    await owners(available, [{ device_owner: 'network:ha_router_replicated_interface', status: 'DOWN' }]);
    const distributed = await make('routers', { name: `${prefix}distributed`, distributed: true });
    const port = await make('ports', { name: `${prefix}port`, network_id, fixed_ips: [{ subnet_id }] });
    await add(distributed, { port_id: String(port['id']) }, 200, { port_id: String(port['id']) });
    await owners(distributed, [{ device_owner: 'network:router_interface_distributed', status: 'DOWN' }]);
  });

  test('lists of routers are filtered as asked', async ({ prefix, expect, make }) => {
    await make('routers', { name: `${prefix}a`, description: `${prefix}one` });
    await make('routers', { name: `${prefix}b`, description: `${prefix}one`, admin_state_up: false });
    const [a, b] = [{ name: `${prefix}a` }, { name: `${prefix}b` }];
    const list = async (query: string, found: Like): Promise<void> => {
      const asked = `${query}&sort_key=name&sort_dir=asc&fields=name`;
      await expect('GET /routers', { query: asked }, 200, { routers: found });
    };
    await list(`name=${prefix}a&name=${prefix}b`, [a, b]);
    await list(`name=${prefix.toUpperCase()}A`, [a]);
    await list(`description=${prefix}one&admin_state_up=false`, [b]);
    for (const name of ['distributed', 'ha', 'status', 'external_gateway_info', 'availability_zone_hints', 'routes']) {
      await expect('GET /routers', { query: `${name}=x` }, 400, bad(`['${name}'] is invalid attribute for filtering`));
    }
    const sort = (name: string): string => `sort_key=${name}&sort_dir=asc`;
    await expect('GET /routers', { query: sort('ha') }, 400, bad("['ha'] is invalid attribute for sort_keys"));
  });
}
