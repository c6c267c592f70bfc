// The adapter on an embedded API server and a simulated service, under simulated time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAdapter, type Manifest, openWorld, scriptedSystem, simulate, type World } from 'troupe/adapter/testing';
import { lightingAdapter } from '../src/mod.ts';
import { simulatedLighting, TOKEN } from '../src/simulator.ts';

const SECRETS = { lighting: { token: TOKEN } };

/** A Lamp; behind another one if that is named. */
function manifest(name: string, behindRef?: string, watts = 40): Manifest {
  const spec = { tokenRef: 'lighting', watts, ...(behindRef !== undefined && { behindRef }) };
  return { apiVersion: 'lighting.example.org/v1alpha1', kind: 'Lamp', metadata: { name }, spec };
}

async function open() {
  const service = simulatedLighting();
  const system = await scriptedSystem(({ method, path, query, headers, body }) =>
    service.answer({ method, path, name: query.get('name'), token: String(headers['authorization'] ?? ''), body }),
  );
  return { service, system, env: { LIGHTING_URL: system.url }, contents: () => [...service.lamps.keys()] };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function within(run: (world: World, opened: Opened) => Promise<void>): Promise<void> {
  const opened = await open();
  const world = await openWorld({ adapter: lightingAdapter, env: opened.env });
  try {
    await run(world, opened);
    assert.deepEqual(world.errors, []);
  } finally {
    await world.close();
    await opened.system.close();
  }
}

test('the contract and the parts of the adapter are in order', async () => {
  assert.deepEqual(await checkAdapter(lightingAdapter({ fetch })), []);
});

test('a Lamp waits for its Secret and for the lamp that it depends on, is edited, repaired, and deleted in order', () =>
  within(async (world, { service }) => {
    await world.apply(manifest('second', 'first'), manifest('first'));
    await world.progressing('Lamp', 'first', /Secret\/lighting/);
    await world.secret('lighting', SECRETS.lighting);
    await world.available('Lamp', 'second');
    const id = String((await world.available('Lamp', 'first')).status?.['id']);

    await world.apply(manifest('first', undefined, 60));
    await world.until('Lamp', 'first', 'of 60 watts', ({ status }) => JSON.stringify(status).includes('"watts":60'));
    service.change(id, 7);
    await world.clock.sleep(90_000);
    assert.equal(service.lamps.get(id)?.watts, 60, 'what drifts is brought back');

    await world.remove('Lamp', 'first');
    await world.clock.sleep(5_000);
    assert.ok(service.lamps.has(id), 'what another one is behind stays');
    await world.remove('Lamp', 'second');
    await world.gone('Lamp', 'first');
    assert.equal(service.lamps.size, 0);
  }));

test('a create whose answer is lost is not made twice, a wrong token is reported, and a killed process is followed by another', () =>
  within(async (world, { service, system }) => {
    await world.secret('lighting', { token: 'of-yesterday' });
    await world.apply(manifest('one'));
    await world.progressing('Lamp', 'one', /refuses GET \/lamps with 401/);
    await world.secret('lighting', SECRETS.lighting);
    system.loseAnswer({ method: 'POST' });
    await world.available('Lamp', 'one');
    assert.equal(service.lamps.size, 1);
    system.hang({ method: 'POST' });
    await world.apply(manifest('two'));
    await world.clock.sleep(1_000);
    await world.crash();
    await world.start();
    await world.available('Lamp', 'two');
    assert.equal(service.lamps.size, 2);
  }));

test('whatever dies, hangs or is lost, each object ends with one Lamp of its own, and nothing is left', () =>
  simulate({
    adapter: lightingAdapter,
    open,
    secrets: SECRETS,
    objects: [manifest('one'), manifest('two', 'one'), manifest('three', 'one')],
    edit: (before, random) => ({ ...before, spec: { ...before.spec, watts: 1 + Math.floor(random() * 100) } }),
    histories: 2,
  }));
