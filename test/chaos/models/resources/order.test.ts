// A breach of the order is found in what was seen, and what was not seen is no breach.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Raw } from '../../../world/watched-objects.ts';
import { judgeOrder } from './order.ts';

const test = suite('chaos: the order');

const GUARD = 'openstack.k-orc.cloud/subnet';

function version(kind: string, resourceVersion: string, more: { guarded?: true; built?: true } = {}): Raw {
  const { guarded, built } = more;
  return {
    kind,
    metadata: {
      name: 'one',
      namespace: 'ns',
      uid: kind,
      resourceVersion,
      generation: 1,
      ...(guarded && { finalizers: [GUARD] }),
    },
    spec: kind === 'Subnet' ? { resource: { networkRef: 'one' } } : { resource: {} },
    ...(built && { status: { id: kind } }),
  };
}

function judged(network: readonly Raw[], subnet: readonly Raw[], gaps: readonly string[] = []): readonly unknown[] {
  const found: string[] = [];
  const histories = new Map([
    ['Network/one', network],
    ['Subnet/one', subnet],
  ]);
  const looked = judgeOrder(
    {
      everSeen: () => [...histories.keys()],
      history: (kind, name) => histories.get(`${kind}/${name}`) ?? [],
      gaps: () => gaps,
    },
    (what) => void found.push(what),
  );
  return [looked, ...found];
}

const built = version('Subnet', '5', { built: true });

test('what is built on a resource that is guarded is in order', () => {
  const network = [version('Network', '1'), version('Network', '4', { guarded: true, built: true })];
  assert.equal(judged(network, [version('Subnet', '2'), built]), [1]);
  // What becomes of it later is another matter.
  assert.equal(judged([...network, version('Network', '9')], [built, version('Subnet', '8', { built: true })]), [1]);
});

test('what is built before the resource, or before the guard, is not (I1)', () => {
  const late = version('Network', '6', { guarded: true, built: true });
  const [, unbuilt] = judged([version('Network', '1', { guarded: true }), late], [built]);
  assert.is(unbuilt, 'I1: Subnet/one has its resource, and Network/one has no resource');
  const [, unguarded] = judged([version('Network', '1', { built: true }), late], [built]);
  assert.is(unguarded, `I1: Subnet/one has its resource, and Network/one has no guard '${GUARD}'`);
  assert.is(judged([], [built]).length, 2);
});

test('what a watch missed is not judged', () => {
  assert.equal(judged([version('Network', '1'), version('Network', '7', { guarded: true })], [built], ['7']), [0]);
  assert.is(judged([version('Network', '1')], [built], ['3']).length, 2, 'it missed nothing after that');
});

test('what only an update needs may be on its way still', () => {
  const server = {
    ...version('Server', '5', { built: true }),
    spec: { resource: { volumes: [{ volumeRef: 'one' }] } },
  };
  const histories = new Map([
    ['Server/one', [server]],
    ['Volume/one', [version('Volume', '4', { built: true })]],
  ]);
  const found: string[] = [];
  const seen = {
    everSeen: () => [...histories.keys()],
    history: (kind: string, name: string) => histories.get(`${kind}/${name}`) ?? [],
    gaps: () => [],
  };
  judgeOrder(seen, (what) => void found.push(what));
  assert.equal(
    found.filter((what) => what.includes('Volume')),
    [],
  );
});

test.run();
