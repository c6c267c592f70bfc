// What it costs to wait for a cloud that is at work: one list an interval, however many wait, and nothing else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import { checkIn, type World } from '../world/world.ts';

const test = suite('watching a cloud');
const check = checkIn(test, inMemory);

const BUILDING = 50;
/** How long they are watched, in milliseconds. */
const WATCHED_MS = 4_000;

check(
  'fifty that are being built are one list a second, and nobody hears of a look that found nothing new',
  async (world) => {
    const names = Array.from({ length: BUILDING }, (_, index) => world.name(`building${index}`));
    const ids = names.map((name) => {
      const { projectId, drift } = world.simulator;
      return drift.add('networks', network(name, projectId));
    });
    await world.apply(...names.map((name) => world.unmanaged('Network', name, { filter: { name } })));
    for (const name of names)
      await world.progressing('Network', name, 'Progressing', 'Waiting for OpenStack resource to be ready');
    await world.eventually('everybody waits', () => {
      const others = names.filter((name) => stateOf(world, name) !== 'reconciling.awaitingReady');
      return others.length === 0 ? undefined : others.join();
    });

    world.simulator.resetCounts();
    const before = seen(world);
    const beganAt = world.clock.now();
    await world.clock.sleep(WATCHED_MS);
    const calls = world.simulator.calls();
    const tookMs = world.clock.now() - beganAt;
    const lists = calls['network GET /networks'] ?? 0;
    assert.ok(lists >= 2 && lists <= tookMs / 1_000 + 1, `${lists} lists in ${tookMs} ms`);
    assert.equal(Object.keys(calls), ['network GET /networks'], 'no other request');
    assert.equal(seen(world), before);

    for (const id of ids) world.simulator.drift.change('networks', id, { status: 'ACTIVE' });
    for (const name of names) await world.available('Network', name);
    assert.ok((world.simulator.calls()['network GET /networks'] ?? 0) < lists + 10);
    assert.is(world.simulator.calls()['network GET /networks/{id}'] ?? 0, 0, 'what was told is not read again');
    assert.equal(world.lines('warn'), []);
  },
);

check(
  'what goes while it is waited for is noticed, and so is what comes back to a runtime that began anew (I9)',
  async (world) => {
    const name = world.name('building');
    await world.apply(world.managed('Network', name));
    const { status } = await world.available('Network', name);
    const id = String(status?.['id']);
    world.simulator.drift.change('networks', id, { status: 'BUILD' });
    await world.patch('Network', name, { spec: { resource: { description: 'looked at again' } } });
    await world.progressing('Network', name, 'Progressing', 'Waiting for OpenStack resource to be ready');
    await world.stop();
    await world.start();
    await world.eventually('it is waited for', () => {
      const state = stateOf(world, name);
      return state === 'reconciling.awaitingReady' ? undefined : String(state);
    });
    world.simulator.drift.change('networks', id, { status: 'ACTIVE' });
    await world.available('Network', name);
    world.simulator.drift.change('networks', id, { status: 'BUILD' });
    await world.patch('Network', name, { spec: { resource: { description: 'and again' } } });
    await world.progressing('Network', name, 'Progressing', 'Waiting for OpenStack resource to be ready');
    world.simulator.drift.remove('networks', id);
    const { status: anew } = await world.until(
      'Network',
      name,
      'made anew',
      ({ status: now }) => now?.['id'] !== undefined && now['id'] !== id,
    );
    assert.is.not(anew?.['id'], id);
  },
);

function network(name: string, projectId: string): JsonObject {
  return {
    name,
    status: 'BUILD',
    project_id: projectId,
    tenant_id: projectId,
    admin_state_up: true,
    shared: false,
    tags: [],
  };
}

function stateOf(world: World, name: string): unknown {
  return world.eventsOf('Network', name, 'transition').at(-1)?.data['to'];
}

/** All that a look could have led to. */
function seen(world: World): JsonObject {
  return {
    events: world.events.length,
    lines: world.lines('info').length,
    versions: world.follower.all().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`),
  };
}

test.run();
