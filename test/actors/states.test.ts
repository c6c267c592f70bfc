// long
// What the cloud says of a resource passes: each status that Nova, Cinder, Glance and Neutron know, on objects that are Available, and
// back again, while nobody edits anything.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FLOATING_IP_STATES,
  IMAGE_STATES,
  NETWORK_STATES,
  PORT_STATES,
  ROUTER_STATES,
  SERVER_STATES,
  type States,
  VOLUME_STATES,
} from '../../adapters/openstack/base/states.ts';
import type { CollectionName } from '../../adapters/simulated/openstack/store.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { checkIn, condition, isDone, type Kind, said, type World } from '../world/world.ts';

const test = suite('states of resources in memory');
const check = checkIn(test, inMemory);

/** How often the objects are looked at: what goes wrong is seen by that, and what gets well again must be seen without. */
const RESYNC = { resyncPeriod: '10s' };

interface Subject {
  readonly kind: Kind;
  readonly name: string;
  readonly collection: CollectionName;
  readonly states: States;
}

function someImage(world: World): string {
  const { simulator } = world;
  return simulator.drift.add('images', {
    name: world.name('image'),
    status: 'active',
    visibility: 'private',
    protected: false,
    tags: [],
    owner: simulator.projectId,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  });
}

/** One of each kind that the cloud tells a state of. */
async function subjects(world: World): Promise<readonly Subject[]> {
  const name = (suffix: string): string => world.name(suffix);
  const managed = (kind: Kind, suffix: string, resource: JsonObject = {}): JsonObject =>
    world.managed(kind, name(suffix), resource, RESYNC);
  const { drift, projectId } = world.simulator;
  const external = drift.add('networks', {
    name: name('outside'),
    status: 'ACTIVE',
    'router:external': true,
    project_id: projectId,
  });
  await world.apply(
    world.unmanaged('Network', name('outside'), { id: external }),
    world.managed('Subnet', name('pool'), { networkRef: name('outside'), ipVersion: 4, cidr: '198.51.100.0/24' }),
    world.managed('Flavor', name('size'), { ram: 64, vcpus: 1, disk: 1 }),
    world.unmanaged('Image', name('image'), { id: someImage(world) }, RESYNC),
    managed('Network', 'net'),
    managed('Port', 'port', { networkRef: name('net') }),
    managed('Router', 'router'),
    managed('Volume', 'volume', { size: 1 }),
    managed('Server', 'vm', { imageRef: name('image'), flavorRef: name('size'), ports: [] }),
    managed('FloatingIP', 'ip', { floatingNetworkRef: name('outside') }),
  );
  const all: readonly Subject[] = [
    { kind: 'Network', name: name('net'), collection: 'networks', states: NETWORK_STATES },
    { kind: 'Port', name: name('port'), collection: 'ports', states: PORT_STATES },
    { kind: 'Router', name: name('router'), collection: 'routers', states: ROUTER_STATES },
    { kind: 'Volume', name: name('volume'), collection: 'volumes', states: VOLUME_STATES },
    { kind: 'Server', name: name('vm'), collection: 'servers', states: SERVER_STATES },
    { kind: 'FloatingIP', name: name('ip'), collection: 'floatingips', states: FLOATING_IP_STATES },
    { kind: 'Image', name: name('image'), collection: 'images', states: IMAGE_STATES },
  ];
  for (const { kind, name: of } of all) await world.available(kind, of);
  return all;
}

const stateIn = ({ status }: Raw): unknown => (status?.['resource'] as JsonObject | undefined)?.['status'];

check(
  '33.A8: whatever the cloud says of a resource for a while, it is Available again when that is over',
  async (world) => {
    const all = await subjects(world);
    const usual = new Map(all.map(({ kind }) => [kind, '' as string]));
    const idOf = new Map<Kind, string>();
    for (const { kind, name, collection } of all) {
      const id = String((await world.read(kind, name))?.status?.id);
      idOf.set(kind, id);
      usual.set(kind, String(world.simulator.resources(collection).find((each) => each['id'] === id)?.['status']));
    }
    const rounds = Math.max(...all.map(({ states }) => Object.keys(states).length));
    for (let round = 0; round < rounds; round += 1) {
      const now = all.flatMap((subject) => {
        const [status, state] = Object.entries(subject.states)[round] ?? [];
        return status === undefined || state === undefined ? [] : [{ ...subject, status, state }];
      });
      // Nor does the cloud end by itself what it seems to be at.
      for (const { kind, collection, status } of now)
        world.simulator.drift.change(collection, String(idOf.get(kind)), { status, done_at: Number.MAX_SAFE_INTEGER });
      for (const { kind, name, status, state } of now) {
        const seen = await world.until(kind, name, `${status} is seen`, (object) => stateIn(object) === status);
        const isUsable = state.decision === 'usable';
        assert.is(condition(seen, 'Available').status, isUsable ? 'True' : 'False', `${kind} ${status}`);
      }
      for (const { kind, collection } of now)
        world.simulator.drift.change(collection, String(idOf.get(kind)), { status: usual.get(kind) ?? null });
      for (const { kind, name, status } of now) {
        const well = await world.until(
          kind,
          name,
          `well after ${status}`,
          (object) => isDone(object) && condition(object, 'Available').status === 'True',
        );
        assert.is(String(well.status?.id), idOf.get(kind), `${kind} after ${status}: ${JSON.stringify(said(well))}`);
      }
    }
  },
);

check(
  '33.A8: a server that is in ERROR for nine seconds is Available again though nobody set a resync period',
  async (world) => {
    const name = (suffix: string): string => world.name(suffix);
    await world.apply(
      world.unmanaged('Image', name('image'), { id: someImage(world) }),
      world.managed('Flavor', name('size'), { ram: 64, vcpus: 1, disk: 1 }),
      world.managed('Server', name('vm'), { imageRef: name('image'), flavorRef: name('size'), ports: [] }),
    );
    const id = String((await world.available('Server', name('vm'))).status?.id);
    world.simulator.drift.change('servers', id, { status: 'ERROR' });
    await world.patch('Server', name('vm'), { spec: { resource: { tags: ['looked-at'] } } });
    await world.progressing('Server', name('vm'), 'UnrecoverableError', 'Server is in ERROR state');
    await world.clock.sleep(9_000);
    world.simulator.drift.change('servers', id, { status: 'ACTIVE' });
    await world.available('Server', name('vm'));
    // The same after a restart that finds it so.
    world.simulator.drift.change('servers', id, { status: 'ERROR' });
    await world.patch('Server', name('vm'), { spec: { resource: { tags: ['looked-at-again'] } } });
    await world.progressing('Server', name('vm'), 'UnrecoverableError', 'Server is in ERROR state');
    await world.stop();
    world.simulator.drift.change('servers', id, { status: 'ACTIVE' });
    await world.start();
    const again = await world.available('Server', name('vm'));
    assert.is(again.status?.id, id);
  },
);

test.run();
