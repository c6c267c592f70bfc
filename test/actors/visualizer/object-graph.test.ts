// The objects as the page lists them, from what the API server has.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectGraph } from '../../../actors/visualizer/object-graph.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { NAMESPACE, REGISTRY } from './company.ts';

const test = suite('object graph');

test('35.A: what an object waits for is one line, with a semicolon between two dependencies', () => {
  const graph = new ObjectGraph(REGISTRY);
  const kind = REGISTRY.kinds.find((each) => each.kind === 'FloatingIP');
  if (kind === undefined) throw new Error('no kind');
  const message = 'Waiting for Network/public to be ready\n  Waiting for Port/shop to be ready';
  const condition = { type: 'Progressing', status: 'True', reason: 'Progressing', message, observedGeneration: 1 };
  const object = {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'FloatingIP',
    metadata: { namespace: NAMESPACE, name: 'shop', uid: '1', generation: 1, resourceVersion: '1' },
    spec: {},
    status: { conditions: [condition] },
  };
  graph.put(kind, object as unknown as KubeObject);
  const [tree] = graph.changes(0).trees;
  assert.is(tree?.said, 'Waiting for Network/public to be ready; Waiting for Port/shop to be ready');
});

test.run();
