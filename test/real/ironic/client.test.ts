// needs: ironic
// The client and the poller on a real Ironic: IRONIC_URL, with IRONIC_USERNAME and IRONIC_PASSWORD where it wants them, and
// BMC_URL of a Redfish BMC with BMC_USERNAME and BMC_PASSWORD. It makes nodes named `troupe-...`, and removes them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import type { CallRecord } from '../../../adapters/api/adapter.ts';
import { type IronicClient, ironicClient } from '../../../adapters/ironic/client/client.ts';
import type { Credentials } from '../../../adapters/ironic/client/connection.ts';
import { BusyError, NotReadyError } from '../../../adapters/ironic/client/errors.ts';
import type { Node } from '../../../adapters/ironic/client/node.ts';
import { SHORT_PACE_MS } from '../../../adapters/ironic/client/pace.ts';
import { type NodePoller, nodePoller } from '../../../adapters/ironic/client/poller.ts';
import type { Asking } from '../../../adapters/ironic/client/session.ts';
import { Feature } from '../../../adapters/ironic/client/versions.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { AbsentError, TerminalError } from '../../../bus/errors.ts';
import { rejection } from '../../world/rejection.ts';

const { IRONIC_URL, IRONIC_USERNAME, IRONIC_PASSWORD, BMC_URL, BMC_USERNAME, BMC_PASSWORD } = process.env;

const CALL_MS = 60_000;
const CREDENTIALS: Credentials | undefined =
  IRONIC_USERNAME && IRONIC_PASSWORD ? { username: IRONIC_USERNAME, password: IRONIC_PASSWORD } : undefined;
const SYSTEM = '/redfish/v1/Systems/00000000-0000-4000-8000-000000000001';

interface Scene {
  readonly ironic: IronicClient;
  readonly poller: NodePoller;
  readonly records: CallRecord[];
  asking(): Asking;
  create(node?: JsonObject): Promise<Node>;
  /** What is new of it. */
  next(known: Node): Promise<Node | undefined>;
  /** Until the node is in a state, and nobody holds it. */
  until(uuid: string, state: string): Promise<Node>;
}

async function withIronic(
  run: (scene: Scene) => Promise<void>,
  credentials: Credentials | undefined = CREDENTIALS,
): Promise<void> {
  const clock = systemClock();
  const records: CallRecord[] = [];
  const log = { info: () => undefined, warn: () => undefined };
  const trust = { ca: undefined, verify: 'verified' } as const;
  const ironic = ironicClient({
    clock,
    log,
    version: '0.0.0',
    connection: async () => ({ endpoint: IRONIC_URL ?? '', trust, credentials }),
    timeoutMs: 30_000,
    cacheTtlMs: 5_000,
    callsInFlight: 4,
    onCall: (record) => void records.push(record),
  });
  const poller = nodePoller({ clock, log, ironic });
  const made = new Set<string>();
  const asking = (): Asking => ({ namespace: 'ns', deadlineAt: clock.now() + CALL_MS, traceparent: '' });
  const watch = (uuid: string, known: Node | undefined) =>
    poller.watch({ uuid, known, signal: AbortSignal.timeout(CALL_MS), paceMs: SHORT_PACE_MS / 10 });
  const scene: Scene = {
    ironic,
    poller,
    records,
    asking,
    async create(node = { driver: 'fake-hardware' }) {
      const name = `troupe-${Math.floor(clock.random() * 1e9)}~host.example`;
      const { uuid } = await ironic.createNode({ name, ...node }, asking());
      made.add(uuid);
      return (await ironic.node(name, asking())) as Node;
    },
    async next(known) {
      const news = await watch(known.uuid, known);
      return 'node' in news ? news.node : undefined;
    },
    async until(uuid, state) {
      for (let known: Node | undefined; ; ) {
        const news = await watch(uuid, known);
        if (!('node' in news)) throw new Error('it is gone');
        if (news.node.provision_state === state && news.node.reservation === null) return news.node;
        known = news.node;
      }
    },
  };
  try {
    await run(scene);
  } finally {
    for (const uuid of made) await remove(ironic, uuid, asking);
    poller.close();
    await ironic.close();
  }
}

async function remove(ironic: IronicClient, uuid: string, asking: () => Asking): Promise<void> {
  if ((await ironic.node(uuid, asking())) === undefined) return;
  await patiently(() => ironic.setMaintenance(uuid, 'the test is over', asking()));
  await patiently(() => ironic.deleteNode(uuid, asking()));
}

/** Again while the node is held. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
    }
  }
}

const test = suite('real Ironic');

test('it is ready, in a version that fits', () =>
  withIronic(async ({ ironic, asking, records }) => {
    const { drivers, features, missing } = await ironic.ready(asking());
    assert.ok(drivers.includes('fake-hardware'));
    assert.is(features.length + missing.length, Object.keys(Feature).length);
    assert.ok(records.every(({ requestId }) => requestId?.startsWith('req-')));
  }));

test('it does not let everybody in', async () => {
  if (CREDENTIALS === undefined) return;
  await withIronic(
    async ({ ironic, asking }) => {
      const error = await rejection(ironic.ready(asking()));
      assert.instance(error, NotReadyError);
      assert.is((error as NotReadyError).fault, 'credentials');
      assert.not.match(error.message, /hunter22/);
    },
    { ...CREDENTIALS, password: 'hunter22' },
  );
});

test('a node is made, found, changed, and told as gone once it is', () =>
  withIronic(async ({ ironic, asking, create, next }) => {
    const node = await create({ driver: 'fake-hardware', driver_info: { redfish_password: 'hunter22' } });
    assert.is(node.provision_state, 'enroll');
    assert.equal(node.driver_info, { redfish_password: '******' });
    const { uuid } = node;
    const changed = await patiently(() =>
      ironic.patchNode(
        uuid,
        [
          { op: 'add', path: '/properties/capabilities', value: 'boot_mode:uefi' },
          { op: 'add', path: '/automated_clean', value: true },
        ],
        asking(),
      ),
    );
    assert.equal([changed.properties, changed.automated_clean], [{ capabilities: 'boot_mode:uefi' }, true]);
    // Known from before the change: a list tells of it.
    assert.equal((await next(node))?.properties, { capabilities: 'boot_mode:uefi' });
    const again = await rejection(ironic.createNode({ name: node.name, driver: 'fake-hardware' }, asking()));
    assert.instance(again, BusyError);
    assert.match(again.message, /already exists/);
    await patiently(() => ironic.deleteNode(uuid, asking()));
    assert.is(await next(changed), undefined);
    assert.is(await ironic.node(uuid, asking()), undefined);
    assert.instance(await rejection(ironic.deleteNode(uuid, asking())), AbsentError);
  }));

test('states, power, RAID, maintenance and ports are as the table has them', () =>
  withIronic(async ({ ironic, asking, create, until }) => {
    const { uuid } = await create();
    await patiently(() => ironic.setProvisionState(uuid, { target: 'manage' }, asking()));
    await until(uuid, 'manageable');
    const refused = await rejection(patiently(() => ironic.setProvisionState(uuid, { target: 'active' }, asking())));
    assert.instance(refused, TerminalError);
    assert.match(refused.message, /answered 400: The requested action "active" can not be performed on node/);
    await patiently(() => ironic.setPowerState(uuid, { target: 'soft power off', timeout: 180 }, asking()));
    await patiently(() => ironic.setRaid(uuid, [{ size_gb: 'MAX', raid_level: '1' }], asking()));
    await patiently(() => ironic.setMaintenance(uuid, 'because', asking()));
    await patiently(() => ironic.clearMaintenance(uuid, asking()));
    assert.is((await ironic.validateNode(uuid, asking()))['boot']?.result, true);
    assert.is(await ironic.inventory(uuid, asking()), undefined);
    assert.equal(await ironic.biosSettings(uuid, asking()), []);
    assert.ok(Array.isArray(await ironic.history(uuid, asking())));
    assert.ok(Array.isArray(await ironic.firmwareComponents(uuid, asking())));
    const address = `52:54:00:${uuid.slice(0, 2)}:${uuid.slice(2, 4)}:${uuid.slice(4, 6)}`;
    const port = { node_uuid: uuid, address, pxe_enabled: true };
    const made = await patiently(() => ironic.createPort(port, asking()));
    assert.equal(await ironic.ports({ address }, asking()), [made]);
    assert.equal(await ironic.ports({ nodeUuid: uuid }, asking()), [made]);
  }));

test('a deployment is told by lists, and its config drive is taken', () =>
  withIronic(async ({ ironic, poller, asking, create, until }) => {
    const { uuid } = await create();
    await patiently(() => ironic.setProvisionState(uuid, { target: 'manage' }, asking()));
    await until(uuid, 'manageable');
    assert.is(await poller.capacity.take(uuid, 1_000, asking()), true);
    await patiently(() => ironic.setProvisionState(uuid, { target: 'provide' }, asking()));
    await until(uuid, 'available');
    const configdrive = { meta_data: { uuid }, user_data: '#cloud-config' };
    await patiently(() => ironic.setProvisionState(uuid, { target: 'active', configdrive }, asking()));
    await until(uuid, 'active');
  }));

test('pages hold all nodes, each once', () =>
  withIronic(async ({ ironic, asking, create }) => {
    const made = [await create(), await create(), await create()].map(({ uuid }) => uuid);
    const seen: string[] = [];
    for await (const page of ironic.nodePages(['name'], asking())) seen.push(...page.map(({ uuid }) => uuid));
    assert.is(new Set(seen).size, seen.length);
    assert.ok(made.every((uuid) => seen.includes(uuid)));
    const two = await ironic.call({ method: 'GET', path: '/v1/nodes', query: { limit: '2' } }, asking());
    assert.is((two.body['nodes'] as readonly JsonObject[]).length, 2);
    assert.match(`${two.body['next']}`, /marker=/);
  }));

test('virtual media of a BMC are a list', async () => {
  if (BMC_URL === undefined) return;
  await withIronic(async ({ ironic, asking, create, until }) => {
    const { features } = await ironic.ready(asking());
    if (!features.includes(Feature.VirtualMediaQuery)) return;
    const { uuid } = await create({
      driver: 'redfish',
      driver_info: {
        redfish_address: BMC_URL,
        redfish_system_id: SYSTEM,
        redfish_username: BMC_USERNAME ?? '',
        redfish_password: BMC_PASSWORD ?? '',
      },
    });
    await patiently(() => ironic.setProvisionState(uuid, { target: 'manage' }, asking()));
    await until(uuid, 'manageable');
    const media = await ironic.virtualMedia(uuid, asking());
    assert.ok(media.length > 0);
    assert.ok(media.every(({ inserted, media_types: types }) => inserted === false && types.length > 0));
    assert.ok((await ironic.biosSettings(uuid, asking())).length > 0);
  });
});

if (IRONIC_URL === undefined || IRONIC_URL === '') process.stdout.write('skipped: IRONIC_URL is not set\n');
else test.run();
