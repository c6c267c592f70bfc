// From an HTTP request to the change of an object: what carries its trace context, and where it ends.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeTraceparent, traceIdOf } from '../../../../actors/base/change-trace.ts';
import { modelOf } from '../gateway/model.ts';
import { serving } from '../gateway/served.ts';
import { MODELS } from './models.ts';
import { embeddedInRealTime, type ModelWorld, openModelWorld } from './world.ts';

const test = suite('traces of requests to a model');
const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS = [{ ...FLEET, class: 'Cluster', statusAttributes: ['State', 'Nodes.Ready'] }] as const;
const CLUSTERS = '/api/fleet_mgmt/v1_alpha1/clusters';
const MERGE = 'application/merge-patch+json';
const [FIRST, SECOND] = [1, 2].map((n) => `00-${String(n).repeat(32)}-${String(n).repeat(16)}-01`) as [string, string];

/** Links of the transitions of an object's generation. */
async function linksOf(world: ModelWorld, name: string, generation: number): Promise<readonly string[]> {
  const object = await world.until('Cluster', name, (each) => each?.status?.['observedGeneration'] === generation);
  const trace = traceIdOf(changeTraceparent(object));
  const own = world.events.filter(
    ({ actor, type, traceparent }) => actor.name === name && type === 'transition' && traceIdOf(traceparent) === trace,
  );
  assert.ok(own.length > 0, `generation ${generation}`);
  return [...new Set(own.flatMap(({ data }) => (data['links'] ?? []) as readonly string[]))];
}

test('36.7: the first transitions of a change link to the request that made it, and to no other one', async () => {
  const model = modelOf(MODELS);
  const world = await openModelWorld(await embeddedInRealTime(), { model, bindings: BINDINGS });
  const served = await serving(world.store, { model });
  const send = async (method: string, path: string, body: object, traceparent?: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', ...(traceparent !== undefined && { traceparent }) };
    const url = `http://127.0.0.1:${served.port}${path}`;
    for (;;) {
      const { status } = await fetch(url, { method, headers, body: JSON.stringify(body) });
      if (status !== 503) return status;
      await world.clock.sleep(20);
    }
  };
  try {
    assert.is(await send('POST', CLUSTERS, { id: 'one', name: 'one' }, FIRST), 201);
    assert.equal(await linksOf(world, 'one', 1), [FIRST]);
    assert.is(await send('PATCH', `${CLUSTERS}/one`, { name: 'another' }, SECOND), 200);
    assert.equal(await linksOf(world, 'one', 2), [SECOND]);
    const { metadata } = (await world.read('Cluster', 'one')) ?? {};
    assert.equal(metadata?.annotations, {
      'troupe/traceparent': SECOND,
      'troupe/traceparent-generation': '2',
    });
    // Neither an edit by somebody else nor a request that tells no trace is that of the annotation.
    await world.client.call({
      method: 'PATCH',
      path: world.path('Cluster', 'one'),
      contentType: MERGE,
      body: { spec: { name: 'by-kubectl' } },
    });
    assert.equal(await linksOf(world, 'one', 3), []);
    assert.is(await send('PATCH', `${CLUSTERS}/one`, { name: 'untold' }), 200);
    assert.equal(await linksOf(world, 'one', 4), []);
    // A caller's text that is no trace context gets nowhere.
    assert.is(await send('POST', CLUSTERS, { id: 'two' }, 'nonsense'), 201);
    assert.equal(await linksOf(world, 'two', 1), []);
    assert.equal(world.errors, []);
  } finally {
    await served.close();
    await world.close();
  }
});

test('36.7b: the first transitions of a deletion link to the request that asked for it, and to no other one', async () => {
  const model = modelOf(MODELS);
  const world = await openModelWorld(await embeddedInRealTime(), { model, bindings: BINDINGS });
  const served = await serving(world.store, { model });
  const url = (name: string): string => `http://127.0.0.1:${served.port}${CLUSTERS}/${name}`;
  /** Waits until the object is deleted. @returns links of its transitions since `ask` */
  const deleted = async (name: string, ask: () => Promise<unknown>): Promise<readonly string[]> => {
    await world.create('Cluster', name);
    await world.until('Cluster', name, (each) => each?.status?.['observedGeneration'] === 1);
    while ((await fetch(url(name))).status !== 200) await world.clock.sleep(20);
    const before = world.events.length;
    await ask();
    await world.until('Cluster', name, (each) => each === undefined);
    const own = world.events.slice(before).filter(({ actor, type }) => actor.name === name && type === 'transition');
    assert.ok(own.length > 0, name);
    return [...new Set(own.flatMap(({ data }) => (data['links'] ?? []) as readonly string[]))];
  };
  const remove = (name: string, traceparent?: string) => async (): Promise<void> => {
    const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
    assert.is((await fetch(url(name), { method: 'DELETE', headers })).status, 202);
  };
  const byKubectl = (name: string) => (): Promise<unknown> =>
    world.client.call({ method: 'DELETE', path: world.path('Cluster', name) });
  try {
    assert.equal(await deleted('one', remove('one', FIRST)), [FIRST]);
    assert.equal(await deleted('two', remove('two')), []);
    assert.equal(await deleted('three', remove('three', 'nonsense')), []);
    assert.equal(await deleted('four', byKubectl('four')), []);
    // An edit that comes between what the request wrote and its deletion is not the request's.
    const annotations = { 'troupe/deletion-traceparent': SECOND, 'troupe/deletion-traceparent-generation': '2' };
    const edit = async (): Promise<void> => {
      const call = { method: 'PATCH', path: world.path('Cluster', 'five'), contentType: MERGE } as const;
      await world.client.call({ ...call, body: { metadata: { annotations } } });
      await world.client.call({ ...call, body: { spec: { name: 'by-kubectl' } } });
      await world.until('Cluster', 'five', (each) => each?.status?.['observedGeneration'] === 2);
      await byKubectl('five')();
    };
    assert.equal(await deleted('five', edit), []);
    assert.equal(world.errors, []);
  } finally {
    await served.close();
    await world.close();
  }
});

test.run();
