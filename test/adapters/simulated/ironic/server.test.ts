// The simulated Ironic's HTTP: faults, latency, what is counted, and its patience with nodes that are held.

import type { Response } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ServedCall,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../../adapters/simulated/ironic/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { simulatedIronic } from '../../../world/ironic.ts';
import { rejection } from '../../../world/rejection.ts';
import { Wire } from '../../../world/wire.ts';

const test = suite('simulated Ironic, server');

interface Served {
  readonly simulator: Simulator;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Runs a test with a simulated Ironic of its own. */
async function served(run: (served: Served) => Promise<void>, options: Partial<SimulatorOptions> = {}): Promise<void> {
  const clock = simulatedClock({ seed: 7 });
  const { ironic: simulator, ask } = await simulatedIronic({ clock, wire: new Wire(), ...options });
  try {
    await run({ simulator, send: (method, path, ...more) => ask(method, `/v1/${path}`, ...more) });
  } finally {
    await simulator.close();
    clock.stop();
  }
}

const NODE = { driver: 'fake-hardware', name: 'n' };

test('a connection that drops before the work leaves nothing behind, one that drops after it does', () =>
  served(async ({ simulator, send }) => {
    const match = { method: 'POST', path: /^\/nodes$/ };
    const fault = simulator.faults.inject({ match, dropBeforeWork: true });
    await rejection(send('POST', 'nodes', NODE));
    assert.equal([fault.hits, simulator.nodes().length], [1, 0]);
    simulator.faults.inject({ match, dropAfterWork: true });
    await rejection(send('POST', 'nodes', NODE));
    assert.is(simulator.nodes().length, 1);
    assert.is((await send('POST', 'nodes', NODE)).status, 409);
    assert.is(simulator.abandoned(), 2);
  }));

test('a fault answers in place of Ironic, or spoils its answer', () =>
  served(async ({ simulator, send }) => {
    simulator.faults.inject({ status: 503, headers: { 'Retry-After': '7' }, times: 2 });
    const refused = await send('GET', 'nodes');
    assert.equal([refused.status, refused.headers.get('retry-after')], [503, '7']);
    assert.is((await send('GET', 'nodes')).status, 503);
    simulator.faults.inject({ match: { method: 'GET' }, garbage: '<html>' });
    assert.is(await (await send('GET', 'nodes')).text(), '<html>');
    const left = simulator.faults.inject({ status: 500 });
    left.remove();
    simulator.faults.inject({ status: 500 });
    simulator.faults.clear();
    assert.equal(await (await send('GET', 'nodes')).json(), { nodes: [] });
  }));

test('what was served is told and counted; each answer names its request', async () => {
  const calls: ServedCall[] = [];
  await served(
    async ({ simulator, send }) => {
      const given = `req-${'a'.repeat(8)}-bbbb-4ccc-8ddd-${'e'.repeat(12)}`;
      const answer = await send('POST', 'nodes', NODE, { 'X-OpenStack-Request-Id': given });
      assert.is(answer.headers.get('x-openstack-request-id'), given);
      assert.is(answer.headers.get('openstack-request-id'), given);
      assert.match(String((await send('GET', 'nodes/n')).headers.get('openstack-request-id')), /^req-[0-9a-f-]{36}$/);
      await send('GET', 'nodes/n/validate?x=1');
      assert.equal(simulator.calls(), { 'POST /nodes': 1, 'GET /nodes/{id}': 1, 'GET /nodes/{id}/validate': 1 });
      simulator.resetCounts();
      assert.equal(simulator.calls(), {});
    },
    { onServed: (call) => calls.push(call) },
  );
  assert.equal(
    calls.map(({ method, path, status }) => `${method} ${path} ${status}`),
    ['POST /nodes 201', 'GET /nodes/n 200', 'GET /nodes/n/validate 200'],
  );
});

test('a request waits two seconds for a node that is held, and is then refused', () =>
  served(async ({ simulator, send }) => {
    await send('POST', 'nodes', NODE);
    simulator.hold('n');
    const refused = await send('DELETE', 'nodes/n');
    assert.is(refused.status, 409);
    // A node that is free again a moment later is one that was never seen to be held.
    await send('PUT', 'nodes/n/maintenance', {});
    simulator.release('n');
    assert.is((await send('PUT', 'nodes/n/states/provision', { target: 'manage' })).status, 202);
    assert.is((await send('DELETE', 'nodes/n')).status, 204);
  }));

test('links lead to where clients find it, when something stands before its port', async () => {
  const clock = simulatedClock();
  const simulator = await startSimulator({ clock, publicOrigin: 'http://ironic.test' });
  try {
    assert.is(simulator.endpoint, 'http://ironic.test/v1/');
    const root = await fetch(`http://127.0.0.1:${simulator.port}/`);
    assert.match(await root.text(), 'http://ironic.test/v1/');
  } finally {
    await simulator.close();
    clock.stop();
  }
});

test.run();
