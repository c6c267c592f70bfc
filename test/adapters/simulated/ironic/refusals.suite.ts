// What Ironic answers at once, whoever plays it: versions, documents, lists, patches and refusals.
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../../bus/json.ts';
import { enrol, faultOf, type OpenIronic, objectOf, provision, remove } from './open.ts';

const ABSENT = '11111111-1111-4111-8111-111111111111';
const MAC = '52:54:00:ff:00:01';

/** Request, body, status, and the text of the fault; `U` stands for the node's UUID. */
type Refused = readonly [request: string, body: Json | undefined, status: number, fault: string, version?: string];

const PATCH = 'PATCH /v1/nodes/U';
const AT = 'PUT /v1/nodes/U/states';
const inEnroll = (target: string): Refused => [
  `${AT}/provision`,
  { target },
  400,
  `The requested action "${target}" can not be performed on node "U" while it is in state "enroll".`,
];

const REFUSED: readonly Refused[] = [
  ['GET /v1/nothing', undefined, 404, ''],
  ['POST /v1/drivers', {}, 405, ''],
  ['DELETE /v1/nodes', undefined, 400, 'Missing mandatory parameter: node_ident'],
  ['GET /v1/nodes/absent', undefined, 404, 'Node absent could not be found.'],
  [`GET /v1/nodes/${ABSENT}`, undefined, 404, `Node ${ABSENT} could not be found.`],
  ['GET /v1/nodes/a%20b', undefined, 400, 'Expected UUID or name for node: a b'],
  ['GET /v1/nodes/troupe-refused', undefined, 404, 'Node troupe-refused could not be found.', '1.1'],
  ['GET /v1/nodes?fields=health', undefined, 406, 'Request not acceptable.'],
  [
    'GET /v1/nodes?detail=true&fields=uuid',
    undefined,
    400,
    'Can not specify ?detail=True and fields in the same request.',
  ],
  ['GET /v1/nodes?limit=0', undefined, 400, 'Limit must be positive'],
  ['GET /v1/nodes?limit=x', undefined, 400, 'Expected an integer for limit: x'],
  [`GET /v1/nodes?marker=${ABSENT}`, undefined, 404, `Node ${ABSENT} could not be found.`],
  ['GET /v1/nodes?provision_state=nope', undefined, 400, 'Provision state "nope" is not valid'],
  ['GET /v1/nodes?bogus=1', undefined, 400, 'Unexpected arguments: bogus'],
  ['GET /v1/nodes/U/bogus', undefined, 400, 'Field bogus is not a valid field.'],
  ['GET /v1/nodes/U/vmedia', undefined, 404, 'The resource could not be found.', '1.89'],
  [
    'GET /v1/nodes/U/vmedia',
    undefined,
    400,
    'Driver fake-hardware does not support get_virtual_media (disabled or not implemented).',
  ],
  ['GET /v1/nodes/U/firmware', undefined, 404, '', '1.85'],
  ['GET /v1/nodes/U/inventory', undefined, 404, '', '1.80'],
  ['GET /v1/nodes/troupe-refused/ports', undefined, 404, 'Portgroup None could not be found.'],
  ['POST /v1/nodes', {}, 400, "Schema error for node: 'driver' is a required property"],
  [
    'POST /v1/nodes',
    { driver: 'nope' },
    400,
    'No valid host was found. Reason: No conductor service registered which supports driver nope for conductor group "". Ensure the driver is valid and enabled.',
  ],
  [
    'POST /v1/nodes',
    { driver: 'fake-hardware', bogus: 1 },
    400,
    "Schema error for node: Additional properties are not allowed ('bogus' was unexpected)",
  ],
  ['POST /v1/nodes', { driver: 'fake-hardware', name: 'a b' }, 400, "Cannot create node with invalid name 'a b'"],
  [
    'POST /v1/nodes',
    { driver: 'fake-hardware', name: 'troupe-refused' },
    409,
    'A node with name troupe-refused already exists.',
  ],
  ['POST /v1/nodes', { driver: 'fake-hardware', uuid: 'U' }, 409, 'A node with UUID U already exists.'],
  ['POST /v1/nodes', { driver: 'redfish', disable_power_off: true }, 406, 'Request not acceptable.', '1.90'],
  [
    PATCH,
    [{ op: 'remove', path: '/driver_info/nothing' }],
    400,
    "Couldn't apply patch '{'op': 'remove', 'path': '/driver_info/nothing'}'. Reason: can't remove a non-existent object 'nothing'",
  ],
  [
    PATCH,
    [{ op: 'replace', path: '/driver_info/nothing', value: 1 }],
    400,
    "Couldn't apply patch '{'op': 'replace', 'path': '/driver_info/nothing', 'value': 1}'. Reason: can't replace a non-existent object 'nothing'",
  ],
  [
    PATCH,
    [{ op: 'add', path: '/properties/x/y', value: 1 }],
    400,
    "Couldn't apply patch '{'op': 'add', 'path': '/properties/x/y', 'value': 1}'. Reason: member 'x' not found in {'capabilities': 'a:b'}",
  ],
  [
    PATCH,
    [{ op: 'add', path: '/driver_info', value: 'x' }],
    400,
    "Schema error for patch: 'x' is not of type 'object', 'null'",
  ],
  [PATCH, [{ op: 'add', path: '/name', value: 'a b' }], 400, "Node U: Cannot change name to invalid name 'a b'"],
  [
    PATCH,
    [{ op: 'bogus', path: '/name', value: 'a' }],
    400,
    "Schema error for patch: 'bogus' is not one of ['add', 'replace', 'remove']",
  ],
  [PATCH, { x: 1 }, 400, "Schema error for patch: {'x': 1} is not of type 'array'"],
  [PATCH, [{ op: 'remove', path: '/driver' }], 400, "Schema error for patch: 'driver' is a required property"],
  [PATCH, [{ op: 'add', path: '/instance_uuid', value: 'zz' }], 400, 'Expected UUID for instance_uuid: zz'],
  ['GET /v1/ports?address=zz', undefined, 400, 'Expected valid MAC address for address: zz'],
  ['GET /v1/ports?node_uuid=zz', undefined, 400, 'Expected UUID for node_uuid: zz'],
  [`GET /v1/ports?node_uuid=${ABSENT}`, undefined, 404, `Node ${ABSENT} could not be found.`],
  ['POST /v1/ports', { node_uuid: 'U', address: MAC }, 409, `A port with MAC address ${MAC} already exists.`],
  ['POST /v1/ports', { node_uuid: 'U', address: 'zz' }, 400, 'Expected valid MAC address for address: zz'],
  ['POST /v1/ports', { node_uuid: 'U' }, 400, "Schema error for port: 'address' is a required property"],
  ['POST /v1/ports', { node_uuid: ABSENT, address: '52:54:00:ff:00:02' }, 400, `Node ${ABSENT} could not be found.`],
  ...['provide', 'active', 'bogus', 'abort', 'deleted', 'adopt', 'rebuild', 'service', 'clean'].map(inEnroll),
  [`${AT}/provision`, {}, 400, 'Missing mandatory parameter: target'],
  [`${AT}/power`, {}, 400, 'Missing mandatory parameter: target'],
  [`${AT}/power`, { target: 'power on', timeout: 0 }, 400, 'timeout has to be positive integer'],
  [`${AT}/power`, { target: 'power on', timeout: 'x' }, 400, 'Expected an integer for timeout: x'],
  ['POST /v1/nodes/U/vmedia', {}, 400, "Schema error for vmedia: 'device_type' is a required property"],
  [
    'POST /v1/nodes/U/vmedia',
    { device_type: 'bogus', image_url: 'http://x' },
    400,
    "Schema error for vmedia: 'bogus' is not one of ['disk', 'cdrom', 'floppy']",
  ],
  [
    'POST /v1/nodes/U/vendor_passthru?method=create_subscription',
    { Destination: 'https://x/y' },
    400,
    'No handler for method create_subscription',
  ],
  [
    `${AT}/raid`,
    { logical_disks: [{ size_gb: 'x', raid_level: '1' }] },
    400,
    "RAID config validation error: 'x' is not one of ['MAX']",
  ],
];

/** The suite of one implementation; the caller runs it. */
export function refusalsSuite(name: string, open: () => Promise<OpenIronic>): Test {
  const all = suite(name);
  const withNode = (title: string, run: (on: OpenIronic, uuid: string) => Promise<void>): void => {
    all(title, async () => {
      const on = await open();
      const body = { name: 'troupe-refused', driver: 'fake-hardware', properties: { capabilities: 'a:b' } };
      const uuid = await enrol(on, { ...body, driver_info: { ipmi_password: 'x', other: 'y' } });
      await on.ask('POST /v1/ports', { node_uuid: uuid, address: MAC.toUpperCase(), pxe_enabled: true });
      await run(on, uuid);
      await remove(on, uuid);
    });
  };

  withNode('each refusal has its status and its text', async (on, uuid) => {
    const own = (text: string): string => text.replaceAll(/\bU\b/g, uuid);
    for (const [request, body, status, fault, version] of REFUSED) {
      const sent = body === undefined ? undefined : (JSON.parse(own(JSON.stringify(body))) as Json);
      const answer = await on.ask(own(request), sent, version ?? '1.95');
      const where = `${request} ${JSON.stringify(body)} -> ${JSON.stringify(answer.body)}`;
      assert.is(answer.status, status, where);
      // Names of nodes are said as they were asked for.
      assert.is(faultOf(answer), own(fault), where);
    }
    const bogus = await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/provision_state', value: 'active' }]);
    assert.is(bogus.status, 400);
    assert.match(
      faultOf(bogus),
      /^Cannot patch \/provision_state\. Only the following can be updated: automated_clean, /,
    );
  });

  withNode('versions are agreed upon by headers', async (on, uuid) => {
    const root = objectOf(await on.ask('GET /', undefined, null));
    const v1 = objectOf(await on.ask('GET /v1', undefined, null));
    assert.equal(v1['version'], root['default_version']);
    const none = await on.ask('GET /v1/nodes', undefined, null);
    const header = (answer: typeof none, end: string): string | undefined =>
      Object.entries(answer.headers).find(([key]) => key.toLowerCase() === `x-openstack-ironic-api-${end}`)?.[1];
    assert.equal(
      ['version', 'minimum-version', 'maximum-version'].map((end) => header(none, end)),
      ['1.1', '1.1', '1.115'],
    );
    const latest = await on.ask('GET /v1/nodes', undefined, 'latest');
    assert.is(header(latest, 'version'), '1.115');
    const range = 'The supported version range is: [1.1, 1.115].';
    const beyond = await on.ask('GET /v1/nodes', undefined, '1.200');
    assert.is(beyond.status, 406);
    assert.is(header(beyond, 'maximum-version'), '1.115');
    assert.is(
      faultOf(beyond),
      `Version 1.200 was requested but the minor version is not supported by this service. ${range}`,
    );
    assert.is((await on.ask('GET /v1/nodes', undefined, '2.1')).status, 406);
    assert.is(
      faultOf(await on.ask('GET /v1/nodes', undefined, 'abc')),
      'Invalid value for X-OpenStack-Ironic-API-Version header',
    );
    const fields = async (version: string): Promise<string> =>
      Object.keys(objectOf(await on.ask(`GET /v1/nodes/${uuid}`, undefined, version)))
        .sort()
        .join(' ');
    assert.is(
      await fields('1.1'),
      'chassis_uuid console_enabled created_at driver driver_info extra instance_info instance_uuid last_error links maintenance maintenance_reason ports power_state properties provision_state provision_updated_at reservation target_power_state target_provision_state updated_at uuid',
    );
    assert.not((await fields('1.82')).includes('firmware_interface'));
    assert.ok((await fields('1.95')).includes('disable_power_off'));
    assert.not((await fields('1.95')).includes('health'));
    assert.ok((await fields('1.115')).includes('health'));
  });

  withNode('lists have pages, and fields that are asked for', async (on, uuid) => {
    const others = [];
    for (const number of [1, 2])
      others.push(await enrol(on, { name: `troupe-page-${number}`, driver: 'fake-hardware' }));
    const seen: JsonObject[] = [];
    let next = '/v1/nodes?fields=uuid,name,provision_state,boot_interface&limit=1';
    for (let pages = 0; next !== '' && pages < 50; pages++) {
      const body = objectOf(await on.ask(`GET ${next}`));
      seen.push(...(body['nodes'] as readonly JsonObject[]));
      next = String(body['next'] ?? '').replace(/^https?:\/\/[^/]+/, '');
    }
    for (const id of [uuid, ...others]) assert.is(seen.filter((node) => node['uuid'] === id).length, 1);
    assert.equal(Object.keys(seen[0] ?? {}).sort(), ['boot_interface', 'links', 'name', 'provision_state', 'uuid']);
    const plain = objectOf(await on.ask('GET /v1/nodes'))['nodes'] as readonly JsonObject[];
    const summary = ['instance_uuid', 'links', 'maintenance', 'name', 'power_state', 'provision_state', 'uuid'];
    assert.equal(Object.keys(plain[0] ?? {}).sort(), summary);
    const ports = objectOf(await on.ask(`GET /v1/ports?fields=node_uuid,uuid,address&address=${MAC.toUpperCase()}`));
    const [port] = ports['ports'] as readonly JsonObject[];
    assert.equal([port?.['address'], port?.['node_uuid']], [MAC, uuid]);
    for (const id of others) await remove(on, id);
  });

  withNode('a patch changes what it names, and passwords are shown to nobody', async (on, uuid) => {
    const path = `/v1/nodes/${uuid}`;
    const patched = async (...patch: readonly JsonObject[]): Promise<JsonObject> => {
      const answer = await on.ask(`PATCH ${path}`, patch);
      assert.is(answer.status, 200, JSON.stringify(answer.body));
      return objectOf(answer);
    };
    assert.equal(objectOf(await on.ask(`GET ${path}`))['driver_info'], { ipmi_password: '******', other: 'y' });
    const info = { image_pull_secret: 'a:b', configdrive: 'x', image_url: 'http://x', root_device: { wwn: '1' } };
    const hidden = {
      image_pull_secret: '******',
      configdrive: '******',
      image_url: '******',
      root_device: { wwn: '1' },
    };
    assert.equal((await patched({ op: 'add', path: '/instance_info', value: info }))['instance_info'], hidden);
    const instance = '21111111-1111-4111-8111-111111111111';
    assert.is((await patched({ op: 'add', path: '/instance_uuid', value: instance }))['instance_uuid'], instance);
    const again = await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/instance_uuid', value: ABSENT }]);
    assert.is(again.status, 409);
    assert.is(faultOf(again), `Node ${uuid} is associated with instance ${instance}.`);
    const refused = await on.ask(`DELETE ${path}`);
    assert.equal([refused.status, faultOf(refused)], [409, `Node ${uuid} is associated with instance ${instance}.`]);
    // The answer to a patch is made while the node is held for it.
    const freed = await patched({ op: 'remove', path: '/instance_uuid' });
    assert.equal([freed['instance_uuid'], freed['reservation']], [null, 'conductor0']);
    assert.is(objectOf(await on.ask(`GET ${path}`))['reservation'], null);
    const extra = await patched(
      { op: 'add', path: '/extra/a', value: [1] },
      { op: 'add', path: '/extra/a/-', value: 2 },
      { op: 'add', path: '/automated_clean', value: false },
    );
    assert.equal([extra['extra'], extra['automated_clean']], [{ a: [1, 2] }, false]);
    assert.equal((await patched({ op: 'remove', path: '/extra' }))['extra'], {});
    assert.is((await patched({ op: 'add', path: '/deploy_interface', value: 'direct' }))['deploy_interface'], 'direct');
    assert.is((await patched({ op: 'remove', path: '/deploy_interface' }))['deploy_interface'], 'fake');
    assert.is((await patched({ op: 'remove', path: '/name' }))['name'], null);
  });

  withNode('maintenance keeps a node from what would change it', async (on, uuid) => {
    const path = `/v1/nodes/${uuid}`;
    await provision(on, uuid, 'manage');
    assert.is((await on.ask(`PUT ${path}/maintenance`, { reason: 'why' })).status, 202);
    const node = objectOf(await on.ask(`GET ${path}`));
    assert.equal([node['maintenance'], node['maintenance_reason'], node['fault']], [true, 'why', null]);
    const cannot = (operation: string): string =>
      `The ${operation} operation can't be performed on node ${uuid} because it's in maintenance mode.`;
    const steps = [{ interface: 'deploy', step: 'erase_devices' }];
    for (const [target, operation, more] of [
      ['clean', 'cleaning', { clean_steps: steps }],
      ['active', 'provisioning', {}],
    ] as const) {
      const answer = await on.ask(`PUT ${path}/states/provision`, { target, ...more });
      assert.equal([answer.status, faultOf(answer)], [400, cannot(operation)]);
    }
    assert.is((await on.ask(`DELETE ${path}/maintenance`)).status, 202);
    const missing = await on.ask(`PUT ${path}/states/provision`, { target: 'clean' });
    assert.is(faultOf(missing), '"clean_steps" is required when setting target provision state to clean');
    const wrong = await on.ask(`PUT ${path}/states/provision`, { target: 'provide', clean_steps: steps });
    assert.is(faultOf(wrong), '"clean_steps" is only valid when setting target provision state to clean');
    await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/disable_power_off', value: true }]);
    const off = await on.ask(`PUT ${path}/states/power`, { target: 'power off' });
    assert.equal([off.status, faultOf(off)], [409, 'Failed to set node power state to power off.']);
  });
  return all;
}
