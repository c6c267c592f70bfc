// A node that was seen just now is not asked for again, by whoever knows that very sight of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConcurrencyLimiter } from '../../../../adapters/http/concurrency-limiter.ts';
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { NodeCache } from '../../../../adapters/ironic/client/node-cache.ts';
import { nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import { type HostRequest, passes } from '../../../../adapters/ironic/steps/host-reconciler.ts';
import { watchHost } from '../../../../adapters/ironic/steps/host-watch.ts';
import { patchNode, type Step, send } from '../../../../adapters/ironic/steps/step.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import type { HostNode } from '../../../../machines/bare-metal-host/outcome.ts';
import { ManualClock } from '../../../bus/manual-clock.ts';
import { FakeIronic } from './fake-ironic.ts';

const test = suite('sights of nodes');
const FRESH_MS = 3_000;
const N1 = '00000000-0000-4000-8000-000000000001';
const N2 = '00000000-0000-4000-8000-000000000002';

type Decide = (node: IronicNode) => Step;
const done: Decide = () => ({ step: 'done' });
const manage: Decide = () =>
  send(
    [
      {
        method: 'PUT',
        path: `/v1/nodes/${N1}/states/provision`,
        body: { target: 'manage' },
        expects: [202],
        failure: 'no',
      },
    ],
    'short',
  );
const patchOnce: Decide = (node) =>
  node['automated_clean'] === true
    ? { step: 'done' }
    : send([patchNode(node, [{ op: 'add', path: '/automated_clean', value: true }], 'configured')], 'onward');

function scene() {
  const clock = new ManualClock();
  const nodes = new FakeIronic();
  nodes.put(N1, { name: 'ns~h', provision_state: 'manageable' });
  const asked: string[] = [];
  const call: IronicClient['call'] = async ({ method, path }) => {
    asked.push(`${method} ${path}`);
    if (method === 'PUT') return { status: 202, body: {} };
    if (method === 'PATCH') nodes.put(N1, { automated_clean: true });
    return { status: 200, body: nodes.nodes.get(N1) as unknown as JsonObject };
  };
  const sights = new NodeCache(clock);
  const all = passes({
    clock,
    ironic: { call } as IronicClient,
    sights,
    turns: new ConcurrencyLimiter({ clock, slots: 4, name: 'Ironic' }),
    options: { speed: 1 },
    listObjects: async () => [],
    readObject: async () => undefined,
  });
  /** One operation of the host, which knows the node so. @returns what it knows after that */
  const pass = async (node: HostNode | undefined, decide = done, id = N1): Promise<HostNode | undefined> => {
    const metadata = { name: 'h', namespace: 'ns', uid: 'h', resourceVersion: '1', generation: 1 };
    const object = { apiVersion: '', kind: '', metadata, spec: {}, status: { provisioning: { ID: id } } };
    const request: HostRequest = { object, dependencies: {}, deadlineAt: clock.now() + 1_000, traceparent: '', node };
    return all.outcome(await all.onNode(request, (each) => decide(each ?? {})), request).node;
  };
  /** Looks on until the node is in the state. @returns what is told of it */
  const reported = async (state: string): Promise<HostNode> => {
    const poller = nodePoller({ clock, log: { info: () => undefined, warn: () => undefined }, ironic: nodes });
    const seen: HostNode[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    const progress = (news: JsonObject): void => void seen.push(news['node'] as unknown as HostNode);
    const watch = { node: { id: N1 }, pollAfterMs: 1_000, signal, progress };
    const end = watchHost(poller, watch, (node) => sights.keep('h', { node, at: clock.now() })).catch(() => undefined);
    nodes.put(N1, { provision_state: state });
    await clock.advance(1_250);
    controller.abort();
    await end;
    return seen.at(-1) as HostNode;
  };
  return { clock, asked, sights, nodes, pass, reported };
}

test('what a look has told is what the next operation begins with (IRONIC-NODE-CACHE-1)', async () => {
  const { asked, pass, reported } = scene();
  const node = await reported('available');
  let state: unknown;
  await pass(node, (each) => {
    state = each['provision_state'];
    return { step: 'done' };
  });
  assert.is(state, 'available');
  assert.equal(asked, []);
});

test('operations that follow each other ask for the node once, also when it was changed and answered', async () => {
  const { asked, pass } = scene();
  const first = await pass(undefined);
  const second = await pass(first, patchOnce);
  await pass(second);
  assert.equal(asked, [`GET /v1/nodes/${N1}`, `PATCH /v1/nodes/${N1}`]);
});

test('after something was asked of it, it is looked at (IRONIC-NODE-CACHE-1)', async () => {
  const { asked, pass, reported } = scene();
  const node = await reported('available');
  const after = await pass(node, manage);
  // Whoever has not heard of that knows the sight of before.
  await pass(node);
  await pass(after);
  const get = `GET /v1/nodes/${N1}`;
  assert.equal(asked, [`PUT /v1/nodes/${N1}/states/provision`, get, get]);
});

test('who knows another sight of it, or another node, is not given this one (IRONIC-NODE-CACHE-1)', async () => {
  const { clock, asked, nodes, pass, reported, sights } = scene();
  const node = await reported('available');
  const { revision: _, ...brief } = node;
  for (const [known, id] of [
    [undefined, N1],
    [brief, N1],
    [{ ...node, revision: 'another' }, N1],
    [{ ...node, id: N2 }, N1],
    [node, N2],
  ] as const) {
    sights.keep('h', { node: nodes.nodes.get(N1) ?? {}, at: clock.now() });
    await pass(known, done, id);
  }
  assert.is(asked.length, 5);
});

test('it is handed over soon or not at all, and not kept (IRONIC-NODE-CACHE-2, IRONIC-NODE-CACHE-3)', async () => {
  const { clock, asked, pass, reported } = scene();
  const node = await reported('available');
  assert.is(clock.armed, 1);
  await clock.advance(FRESH_MS);
  assert.is(clock.armed, 0, 'nothing is kept');
  await pass(node);
  assert.equal(asked, [`GET /v1/nodes/${N1}`]);
});

test('what is used again is not younger for that (IRONIC-NODE-CACHE-2)', async () => {
  const { clock, asked, pass, reported } = scene();
  let node: HostNode | undefined = await reported('available');
  for (let turn = 0; turn < 4; turn += 1) {
    await clock.advance(FRESH_MS / 4);
    node = await pass(node);
  }
  assert.equal(asked, [`GET /v1/nodes/${N1}`]);
});

test('closed, it keeps nothing and waits for nothing', async () => {
  const { clock, asked, pass, reported, sights } = scene();
  const node = await reported('available');
  sights.close();
  assert.is(clock.armed, 0);
  await pass(node);
  assert.is(asked.length, 1);
});

test.run();
