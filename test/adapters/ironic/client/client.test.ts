// Calls to Ironic, each as it is on the wire, and what its answers amount to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OversizeError } from '../../../../adapters/http/response.ts';
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import type { ENDPOINTS } from '../../../../adapters/ironic/client/endpoints.ts';
import { BusyError, refusalIn } from '../../../../adapters/ironic/client/errors.ts';
import { nodeIn } from '../../../../adapters/ironic/client/node.ts';
import type { Asking } from '../../../../adapters/ironic/client/session.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';
import { AbsentError, TerminalError, TransientError, UnknownOutcomeError } from '../../../../bus/errors.ts';
import { TRACEPARENT } from '../../../world/ironic.ts';
import { rejection } from '../../../world/rejection.ts';
import { fault, REQUEST_ID, type Scene, type Scripted, withIronic } from './scripted-ironic.ts';

const test = suite('Ironic client');

const UUID = 'd0318ef1-011c-4741-b5e7-cef2bdda5cd8';
const NODE = { uuid: UUID, name: 'ns~host', provision_state: 'enroll', driver_info: { redfish_password: '******' } };
const PATCH = [
  { op: 'add', path: '/name', value: 'a' },
  { op: 'remove', path: '/instance_uuid' },
] as const;
const PORT = { uuid: 'p', address: '52:54:00:00:01:01', node_uuid: UUID };
const MEDIA = [{ image: 'http://x/y.iso', inserted: true, media_types: ['CD'] }];
const DRIVE = { meta_data: { uuid: 'u' }, user_data: '#cloud-config' };

/** Of a row: how it is called, and what is on the wire. */
interface Row {
  readonly call: (client: IronicClient, asking: Asking) => Promise<unknown>;
  readonly asked: string;
  readonly body?: Json;
  readonly answer: Scripted;
  readonly result?: unknown;
}

const ROWS: Readonly<Record<keyof typeof ENDPOINTS, Row>> = {
  createNode: {
    call: (client, asking) => client.createNode({ name: 'ns~host', driver: 'redfish' }, asking),
    asked: 'POST /v1/nodes',
    body: { name: 'ns~host', driver: 'redfish' },
    answer: { status: 201, body: NODE },
    result: nodeIn(NODE),
  },
  listNodes: {
    call: async (client, asking) => {
      const all: unknown[] = [];
      const fields = ['name', 'provision_state', 'boot_interface'] as const;
      for await (const page of client.nodePages(fields, asking)) all.push(...page);
      return all;
    },
    asked: 'GET /v1/nodes?fields=uuid%2Cname%2Cprovision_state%2Cboot_interface&limit=500',
    answer: { body: { nodes: [NODE] } },
    result: [nodeIn(NODE)],
  },
  getNode: {
    call: (client, asking) => client.node('ns~host.a', asking),
    asked: 'GET /v1/nodes/ns~host.a',
    answer: { body: NODE },
    result: nodeIn(NODE),
  },
  patchNode: {
    call: (client, asking) => client.patchNode(UUID, PATCH, asking),
    asked: `PATCH /v1/nodes/${UUID}`,
    body: PATCH,
    answer: { body: NODE },
    result: nodeIn(NODE),
  },
  deleteNode: {
    call: (client, asking) => client.deleteNode(UUID, asking),
    asked: `DELETE /v1/nodes/${UUID}`,
    answer: { status: 204 },
  },
  validateNode: {
    call: (client, asking) => client.validateNode(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/validate`,
    answer: { body: { boot: { result: true }, deploy: { result: false, reason: 'no image' }, odd: 5 } },
    result: { boot: { result: true, reason: null }, deploy: { result: false, reason: 'no image' } },
  },
  setProvisionState: {
    call: (client, asking) => client.setProvisionState(UUID, { target: 'active', configdrive: DRIVE }, asking),
    asked: `PUT /v1/nodes/${UUID}/states/provision`,
    body: { target: 'active', configdrive: DRIVE },
    answer: { status: 202 },
  },
  setPowerState: {
    call: (client, asking) => client.setPowerState(UUID, { target: 'soft power off', timeout: 180 }, asking),
    asked: `PUT /v1/nodes/${UUID}/states/power`,
    body: { target: 'soft power off', timeout: 180 },
    answer: { status: 202 },
  },
  setRaid: {
    call: (client, asking) => client.setRaid(UUID, [{ size_gb: 'MAX', raid_level: '1' }], asking),
    asked: `PUT /v1/nodes/${UUID}/states/raid`,
    body: { logical_disks: [{ size_gb: 'MAX', raid_level: '1' }] },
    answer: { status: 204 },
  },
  setMaintenance: {
    call: (client, asking) => client.setMaintenance(UUID, 'because', asking),
    asked: `PUT /v1/nodes/${UUID}/maintenance`,
    body: { reason: 'because' },
    answer: { status: 202 },
  },
  clearMaintenance: {
    call: (client, asking) => client.clearMaintenance(UUID, asking),
    asked: `DELETE /v1/nodes/${UUID}/maintenance`,
    answer: { status: 202 },
  },
  getInventory: {
    call: (client, asking) => client.inventory(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/inventory`,
    answer: { body: { inventory: { cpu: {} }, plugin_data: null } },
    result: { inventory: { cpu: {} }, plugin_data: {} },
  },
  listBiosSettings: {
    call: (client, asking) => client.biosSettings(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/bios?detail=true`,
    answer: { body: { bios: [{ name: 'a', value: 'b' }, null] } },
    result: [{ name: 'a', value: 'b' }],
  },
  listHistory: {
    call: (client, asking) => client.history(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/history?detail=true`,
    answer: { body: { history: [{ event: 'a' }] } },
    result: [{ event: 'a' }],
  },
  listFirmware: {
    call: (client, asking) => client.firmwareComponents(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/firmware`,
    answer: { body: { firmware: [{ component: 'bios' }] } },
    result: [{ component: 'bios' }],
  },
  listVirtualMedia: {
    call: (client, asking) => client.virtualMedia(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/vmedia`,
    answer: { body: [...MEDIA, { image: 5, media_types: 'CD' }] },
    result: [...MEDIA, { image: null, inserted: null, media_types: [] }],
  },
  attachVirtualMedia: {
    call: (client, asking) => client.attachVirtualCd(UUID, 'http://x/y.iso', asking),
    asked: `POST /v1/nodes/${UUID}/vmedia`,
    body: { device_type: 'cdrom', image_url: 'http://x/y.iso' },
    answer: { status: 204 },
  },
  detachVirtualMedia: {
    call: (client, asking) => client.detachVirtualCd(UUID, asking),
    asked: `DELETE /v1/nodes/${UUID}/vmedia?device_types=cdrom`,
    answer: { status: 204 },
  },
  createSubscription: {
    call: (client, asking) => client.createSubscription(UUID, { Destination: 'https://x', HttpHeaders: [] }, asking),
    asked: `POST /v1/nodes/${UUID}/vendor_passthru?method=create_subscription`,
    body: { Destination: 'https://x', HttpHeaders: [] },
    answer: { body: { Id: '7', Destination: 'https://x' } },
    result: '7',
  },
  listSubscriptions: {
    call: (client, asking) => client.subscriptions(UUID, asking),
    asked: `GET /v1/nodes/${UUID}/vendor_passthru?method=get_all_subscriptions`,
    answer: { body: { Members: [{ '@odata.id': '/redfish/v1/S/7' }, { Id: '8' }, { '@odata.id': '/S/9/' }, {}, 5] } },
    result: ['7', '8', '9'],
  },
  getSubscription: {
    call: (client, asking) => client.subscription(UUID, '7', asking),
    asked: `GET /v1/nodes/${UUID}/vendor_passthru?method=get_subscription`,
    body: { id: '7' },
    answer: { body: { Id: '7', Destination: 'https://x/', Context: null } },
    result: { destination: 'https://x/', context: '' },
  },
  deleteSubscription: {
    call: (client, asking) => client.deleteSubscription(UUID, '7', asking),
    asked: `DELETE /v1/nodes/${UUID}/vendor_passthru?method=delete_subscription`,
    body: { id: '7' },
    answer: { status: 202, body: null },
  },
  listPorts: {
    call: (client, asking) => client.ports({ address: PORT.address }, asking),
    asked: 'GET /v1/ports?fields=node_uuid%2Cuuid%2Caddress&address=52%3A54%3A00%3A00%3A01%3A01',
    answer: { body: { ports: [PORT] } },
    result: [PORT],
  },
  createPort: {
    call: (client, asking) => client.createPort({ node_uuid: UUID, address: PORT.address, pxe_enabled: true }, asking),
    asked: 'POST /v1/ports',
    body: { node_uuid: UUID, address: PORT.address, pxe_enabled: true },
    answer: { status: 201, body: PORT },
    result: PORT,
  },
  listDrivers: {
    call: (client, asking) => client.call({ method: 'GET', path: '/v1/drivers' }, asking),
    asked: 'GET /v1/drivers',
    answer: {},
    result: { status: 200, body: { drivers: [{ name: 'redfish' }] } },
  },
};

for (const [name, { call, asked, body, answer, result }] of Object.entries(ROWS)) {
  test(`${name} is ${asked.replace(UUID, 'N')}`, () =>
    withIronic(async (scene) => {
      scene.answer = () => answer;
      const reported = await call(scene.client, scene.asking());
      const last = scene.heard.at(-1);
      assert.equal([`${last?.method} ${last?.path}`, last?.body], [asked, body]);
      assert.equal(reported, result);
    }));
}

test('any other status than that of its row is no success', () =>
  withIronic(async (scene) => {
    const cases = [
      [200, () => scene.client.setProvisionState(UUID, { target: 'manage' }, scene.asking())],
      [202, () => scene.client.setRaid(UUID, [], scene.asking())],
      [200, () => scene.client.createNode({}, scene.asking())],
      [204, () => scene.client.createSubscription(UUID, {}, scene.asking())],
    ] as const;
    for (const [status, call] of cases) {
      scene.answer = () => ({ status });
      const error = await rejection(call());
      // Something was done, perhaps.
      assert.instance(error, UnknownOutcomeError);
      assert.is(refusalIn(error)?.status, status);
    }
  }));

test('what every call carries', () =>
  withIronic(
    async (scene) => {
      scene.answer = () => ({ body: NODE });
      await scene.client.node(UUID, scene.asking());
      const { headers = {} } = scene.asked[0] ?? {};
      assert.is(headers['x-openstack-ironic-api-version'], '1.110');
      assert.is(headers['openstack-api-version'], 'baremetal 1.110');
      assert.is(headers['authorization'], `Basic ${Buffer.from('admin:se cret').toString('base64')}`);
      assert.is(headers['user-agent'], 'troupe/1.2.3');
      assert.is(headers['traceparent'], TRACEPARENT);
      assert.is(headers['x-openstack-request-id'], 'req-01234567-89ab-cdef-0123-456789abcdef');
      assert.is(headers['accept'], 'application/json');
    },
    { with: { credentials: { username: 'admin', password: 'se cret' } } },
  ));

test('every call is told with its path, its status and the id that Ironic gave it; not with its query', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ body: { ports: [] } });
    await scene.client.ports({ nodeUuid: UUID }, scene.asking());
    const { durationMs, ...last } = scene.records.at(-1) ?? { durationMs: -1 };
    assert.ok(durationMs >= 0);
    assert.equal(last, {
      service: 'ironic',
      method: 'GET',
      path: '/v1/ports',
      status: 200,
      traceparent: TRACEPARENT,
      requestId: REQUEST_ID,
    });
    // The look for the version is nobody's.
    assert.equal([scene.records[0]?.path, scene.records[0]?.traceparent], ['/v1/', '']);
  }));

const get = (scene: Scene): Promise<unknown> => scene.client.patchNode(UUID, PATCH, scene.asking());

test('409 is busy, with the short pause', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ status: 409, body: fault('Node is locked by host conductor0') });
    const error = await rejection(get(scene));
    assert.instance(error, BusyError);
    assert.is((error as BusyError).retryAfterMs, 3_000);
    assert.is(error.message, `PATCH /v1/nodes/${UUID} of Ironic answered 409: Node is locked by host conductor0`);
    scene.answer = () => ({ status: 409, body: {}, headers: { 'retry-after': '7' } });
    assert.is(((await rejection(get(scene))) as BusyError).retryAfterMs, 7_000);
  }));

test('404 is absence where Ironic says so, of a node and an inventory a value', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ status: 404, body: fault(`Node ${UUID} could not be found.`) });
    assert.instance(await rejection(get(scene)), AbsentError);
    assert.is(await scene.client.node(UUID, scene.asking()), undefined);
    assert.is(await scene.client.inventory(UUID, scene.asking()), undefined);
  }));

test('404 of a proxy, of a router, or without a word proves nothing (IRONIC-ERRORS-1)', () =>
  withIronic(async (scene) => {
    const others: readonly Scripted[] = [
      { text: '<html>Not Found</html>' },
      { text: '' },
      { body: { detail: 'Not Found' } },
      { body: {} },
      { body: { error_message: JSON.stringify({ code: 404, title: 'Not Found', description: '' }) } },
    ];
    for (const other of others) {
      scene.answer = () => ({ status: 404, ...other });
      const error = await rejection(scene.client.node(UUID, scene.asking()));
      assert.instance(error, TransientError);
      assert.not.instance(error, AbsentError);
    }
  }));

test('400 is refused as it is, with the words of the fault', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ status: 400, body: fault('Cannot patch /nonsense.') });
    const error = await rejection(get(scene));
    assert.instance(error, TerminalError);
    assert.is(error.message, `PATCH /v1/nodes/${UUID} of Ironic answered 400: Cannot patch /nonsense.`);
    const { status, detail } = refusalIn(error) ?? {};
    assert.equal([status, detail], [400, 'Cannot patch /nonsense.']);
  }));

test('401 and 403 are of the credentials, and the password is in no message (IRONIC-SESSION-2)', () =>
  withIronic(
    async (scene) => {
      for (const status of [401, 403]) {
        const body = { error: { message: 'no hunter22, YWRtaW46aHVudGVyMjI=', code: status } };
        scene.answer = () => ({ status, body });
        const error = await rejection(get(scene));
        assert.instance(error, TransientError);
        assert.is((error as TransientError).fault, 'credentials');
        assert.match(error.message, /answered 40[13]: no \*\*\*, \*\*\*$/);
      }
      // Of what stands before Ironic.
      scene.answer = () => ({ status: 401, text: '<html>hunter22</html>' });
      assert.match((await rejection(get(scene))).message, /answered 401$/);
    },
    { with: { credentials: { username: 'admin', password: 'hunter22' } } },
  ));

test('nothing that is not asked for in JSON is quoted', () =>
  withIronic(async (scene) => {
    for (const status of [400, 404, 409, 500, 200]) {
      scene.answer = () => ({ status, text: 'hunter22' });
      const error = await rejection(get(scene));
      assert.instance(error, TransientError);
      assert.not.match(error.message, /hunter22/);
    }
  }));

test('5xx and whatever else is none of these passes; of a gateway, what was asked for may be done', () =>
  withIronic(async (scene) => {
    for (const status of [402, 405, 410, 413, 422, 500, 501, 503]) {
      scene.answer = () => ({ status, body: fault('no') });
      const error = await rejection(get(scene));
      assert.instance(error, TransientError, `${status}`);
      assert.not.instance(error, UnknownOutcomeError, `${status}`);
      assert.match(error.message, / of Ironic answered \d+: no$/);
    }
    for (const status of [502, 504]) {
      scene.answer = () => ({ status, body: fault('no') });
      const error = await rejection(get(scene));
      assert.instance(error, UnknownOutcomeError, `${status}`);
      assert.is((error as TransientError).fault, 'unreachable');
    }
  }));

test('no redirection is followed (IRONIC-SESSION-1)', () =>
  withIronic(
    async (scene) => {
      scene.answer = () => ({ status: 302, headers: { location: `${scene.url}/v1/elsewhere` } });
      const error = await rejection(scene.client.node(UUID, scene.asking()));
      assert.match(error.message, /answered 302: redirections are not followed/);
      assert.is(scene.asked.length, 1);
    },
    { with: { credentials: { username: 'a', password: 'b' } } },
  ));

test('a connection that breaks leaves it open what was done; one that is refused does not', async () => {
  let dead = '';
  await withIronic(async (scene) => {
    dead = scene.url;
    await scene.client.ready(scene.asking());
    scene.answer = () => ({ breaks: true });
    const error = await rejection(get(scene));
    assert.instance(error, UnknownOutcomeError);
    assert.is((error as TransientError).fault, 'unreachable');
    assert.is(scene.asked.length, 1, 'sent once (IRONIC-SESSION-3)');
    const { status } = scene.records.at(-1) ?? {};
    assert.is(status, undefined);
  });
  await withIronic(
    async (scene) => {
      const error = await rejection(get(scene));
      assert.instance(error, TransientError);
      assert.not.instance(error, UnknownOutcomeError);
      assert.is((error as TransientError).fault, 'unreachable');
      assert.match(error.message, /^GET \/v1\/ of Ironic failed: .*ENOTFOUND/);
    },
    { with: { endpoint: dead } },
  );
});

test('a call ends with its deadline, and with the timeout where that is sooner', async () => {
  const never = Promise.withResolvers<void>();
  for (const [timeoutMs, withinMs] of [
    [100, 60_000],
    [60_000, 100],
  ] as const) {
    await withIronic(
      async (scene) => {
        await scene.client.ready(scene.asking());
        scene.answer = () => ({ until: never.promise });
        const error = await rejection(scene.client.node(UUID, scene.asking(withinMs)));
        assert.instance(error, UnknownOutcomeError);
        assert.match(error.message, /was not answered by its deadline$/);
        assert.is((error as TransientError).fault, 'unreachable');
      },
      { timeoutMs },
    );
  }
  never.resolve();
});

test('who is asked to wait waits: 429 for the namespace, 503 for all', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ status: 429, body: fault('slow down'), headers: { 'retry-after': '20' } });
    assert.is(((await rejection(get(scene))) as TransientError).retryAfterMs, 20_000);
    assert.match((await rejection(get(scene))).message, /^Ironic answered with Retry-After; pausing its requests$/);
    assert.is(scene.asked.length, 1);
    const other = { ...scene.asking(), namespace: 'other' };
    scene.answer = () => ({ status: 503, body: fault('maintenance'), headers: { 'retry-after': '20' } });
    assert.instance(await rejection(scene.client.node(UUID, other)), TransientError);
    assert.match(
      (await rejection(scene.client.node(UUID, other))).message,
      /^service 'ironic' returned 503 with Retry-After; pausing its requests until/,
    );
    assert.is(scene.asked.length, 2);
  }));

test('no more calls are under way than the option says, of all processes together', async () => {
  let listener = (): void => undefined;
  const replicaCount = {
    count: 2 as number | undefined,
    onChange: (each: () => void) => {
      listener = each;
      return () => undefined;
    },
  };
  await withIronic(
    async (scene) => {
      await scene.client.ready(scene.asking());
      const gate = Promise.withResolvers<void>();
      scene.answer = () => ({ body: NODE, until: gate.promise });
      const calls = Array.from({ length: 6 }, () => scene.client.node(UUID, scene.asking()));
      while (scene.asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(scene.client.load(), { underWay: 3, waiting: 3, limit: 3 });
      gate.resolve();
      await Promise.all(calls);
      replicaCount.count = undefined;
      listener();
      assert.is(scene.client.load().limit, 1);
      replicaCount.count = 1;
      listener();
      assert.is(scene.client.load().limit, 6);
    },
    { callsInFlight: 6, replicaCount },
  );
});

test('pages are followed by the query of the next one, at the endpoint alone (IRONIC-SESSION-1)', () =>
  withIronic(
    async (scene) => {
      const at = (marker: string): string =>
        `https://elsewhere.example/other/nodes?fields=uuid&limit=500&marker=${marker}`;
      scene.answer = ({ path }) => {
        const marker = new URL(path, scene.url).searchParams.get('marker');
        if (marker === null) return { body: { nodes: [{ uuid: 'a' }, { uuid: 'b' }], next: at('b') } };
        if (marker === 'b') return { body: { nodes: [{ uuid: 'c' }], next: at('c') } };
        return { body: { nodes: [] } };
      };
      const pages: string[][] = [];
      for await (const page of scene.client.nodePages([], scene.asking())) pages.push(page.map(({ uuid }) => uuid));
      assert.equal(pages, [['a', 'b'], ['c'], []]);
      const paths = scene.asked.map(({ path }) => path);
      assert.equal(paths, [
        '/v1/nodes?fields=uuid&limit=500',
        '/v1/nodes?fields=uuid&limit=500&marker=b',
        '/v1/nodes?fields=uuid&limit=500&marker=c',
      ]);
      assert.ok(scene.asked.every(({ headers }) => headers['authorization'] !== undefined));
    },
    { with: { credentials: { username: 'a', password: 'b' } } },
  ));

test('a list that is none, or comes to no end, is no list', () =>
  withIronic(async (scene) => {
    const list = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const page of scene.client.nodePages([], scene.asking())) all.push(...page);
      return all;
    };
    const next = '/v1/nodes?marker=a';
    const cases: readonly (readonly [JsonObject, RegExp])[] = [
      [{}, /answered without a list 'nodes'/],
      [{ nodes: {} }, /answered without a list 'nodes'/],
      [{ nodes: [{ uuid: 'a' }], next: 'page 2' }, /a next page that is none/],
      [{ nodes: [{ uuid: 'a' }], next: 5 }, /a next page that is none/],
      [{ nodes: [{ uuid: 'a' }], next }, /pages that come to no end/],
      [{ nodes: [{ name: 'a' }] }, /no node with a uuid/],
    ];
    for (const [body, expected] of cases) {
      scene.answer = () => ({ body });
      const error = await rejection(list());
      assert.instance(error, TransientError);
      assert.match(error.message, expected);
    }
  }));

for (const [version, has] of [
  ['1.82', false],
  ['1.115', true],
] as const) {
  test(`of an Ironic up to ${version} all fields are asked for that it has`, () =>
    withIronic(async (scene) => {
      scene.version = version;
      scene.answer = () => ({ body: { nodes: [] } });
      for await (const _ of scene.client.nodePages('all', scene.asking()));
      const fields = new URL(scene.asked[0]?.path ?? '', scene.url).searchParams.get('fields')?.split(',') ?? [];
      assert.equal([fields.includes('health'), fields.includes('provision_state')], [has, true]);
    }));
}

test('an answer that is too long is read no further', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ body: { ...NODE, name: 'a'.repeat(2_000_000) } });
    assert.instance(await rejection(scene.client.node(UUID, scene.asking())), OversizeError);
    // Of what may be long, more is read.
    scene.answer = () => ({ body: { inventory: { text: 'a'.repeat(2_000_000) }, plugin_data: {} } });
    assert.ok((await scene.client.inventory(UUID, scene.asking())) !== undefined);
  }));

test('no request leads where no row leads (IRONIC-ENDPOINTS-1)', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ body: NODE });
    for (const ident of ['', '.', '..', 'a/b', '../drivers', 'a?b', 'a#b', 'a%2Fb', 'a b', 'ä', 'a'.repeat(256)]) {
      assert.instance(await rejection(scene.client.node(ident, scene.asking())), TerminalError, ident);
      const request = { method: 'GET', path: `/v1/nodes/${ident}` } as const;
      assert.instance(await rejection(scene.client.call(request, scene.asking())), TerminalError, ident);
    }
    for (const [method, path] of [
      ['POST', `/v1/nodes/${UUID}`],
      ['GET', '/v1/chassis'],
      ['GET', '/v1'],
      ['GET', 'v1/nodes'],
      ['GET', '//v1/nodes'],
      ['GET', '/v1/nodes/'],
      ['PUT', `/v1/nodes/${UUID}/states/provision/`],
    ] as const) {
      assert.instance(await rejection(scene.client.call({ method, path }, scene.asking())), TerminalError, path);
    }
    assert.equal(scene.heard, []);
  }));

test('a request as data is the same call; a list that comes in pages is answered whole, unless it has a limit', () =>
  withIronic(async (scene) => {
    const { client } = scene;
    scene.answer = () => ({ status: 202 });
    const provide = { method: 'PUT', path: `/v1/nodes/${UUID}/states/provision`, body: { target: 'provide' } } as const;
    assert.equal(await client.call(provide, scene.asking()), { status: 202, body: {} });
    assert.equal(scene.asked.at(-1)?.body, { target: 'provide' });
    scene.answer = ({ path }) =>
      path.includes('marker')
        ? { body: { ports: [{ uuid: 'b' }] } }
        : { body: { ports: [{ uuid: 'a' }], next: `${scene.url}/v1/ports?marker=a` } };
    const ports = { method: 'GET', path: '/v1/ports', query: { address: 'a:b' } } as const;
    assert.equal(await client.call(ports, scene.asking()), {
      status: 200,
      body: { ports: [{ uuid: 'a' }, { uuid: 'b' }] },
    });
    const few = { ...ports, query: { limit: '1' } };
    assert.equal((await client.call(few, scene.asking())).body['ports'], [{ uuid: 'a' }]);
    assert.is(scene.asked.at(-1)?.path, '/v1/ports?limit=1');
    scene.answer = () => ({ body: MEDIA });
    const media = { method: 'GET', path: `/v1/nodes/${UUID}/vmedia` } as const;
    assert.equal(await client.call(media, scene.asking()), { status: 200, body: {}, items: MEDIA });
  }));

test('a subscription without an id may be there all the same', () =>
  withIronic(async (scene) => {
    scene.answer = () => ({ body: {} });
    const error = await rejection(scene.client.createSubscription(UUID, {}, scene.asking()));
    assert.instance(error, UnknownOutcomeError);
  }));

test.run();
