// Definitions that are made of a model: what an API server has to say of them and of their objects.
import { existsSync } from 'node:fs';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import type { KubeClient } from '../../../../adapters/kubernetes/mod.ts';
import type { Binding } from '../../../../adapters/ocm/kinds/bindings.ts';
import { definitionOf } from '../../../../adapters/ocm/kinds/definition.ts';
import { bindingsOfAll, bindKinds } from '../../../../adapters/ocm/kinds/kinds.ts';
import type { Model } from '../../../../adapters/ocm/model/mod.ts';
import { type Clock, type JsonObject, TerminalError } from '../../../../bus/mod.ts';
import { rejection } from '../../../world/rejection.ts';
import { REFERENCE } from '../corpus.ts';
import { MODELS as GATEWAY_MODELS, modelOf } from '../gateway/model.ts';
import { MODELS } from './models.ts';

/** An API server without the definitions, as a suite opens it. */
export interface Opened {
  readonly clock: Clock;
  /** Closed by whoever asks for it. */
  client(): KubeClient;
  close(): Promise<void>;
}

const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS: readonly Binding[] = [
  { ...FLEET, class: 'Cluster', statusAttributes: ['State', 'Nodes.Ready'], overrides: { name: { minLength: 3 } } },
  { ...FLEET, class: 'NodePool', statusAttributes: ['State'] },
];
const API = '/apis/fleet-mgmt.models.troupe.dev/v1alpha1';

export function crdsSuite(test: Test, open: () => Promise<Opened>): void {
  const on = (title: string, run: (client: KubeClient, clock: Clock) => Promise<void>): void => {
    test(title, async () => {
      const { clock, close, ...opened } = await open();
      const client = opened.client();
      try {
        await run(client, clock);
      } finally {
        await client.close();
        await close();
      }
    });
  };

  const install = async (
    client: KubeClient,
    clock: Clock,
    model: Model,
    bindings: readonly Binding[],
  ): Promise<number> => {
    const { kinds, problems } = bindKinds(model, bindings);
    assert.equal(problems, []);
    await installCrds(client, clock, () => undefined, kinds.map(definitionOf));
    return kinds.length;
  };

  on('36.4b: objects are checked as the model and the bindings say', async (client, clock) => {
    await install(client, clock, modelOf(MODELS), BINDINGS);
    const namespace = `models-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
    await client.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    const place = `${API}/namespaces/${namespace}`;
    const create = async (kind: string, plural: string, name: string, spec: JsonObject, more: JsonObject = {}) => {
      const body = { apiVersion: 'fleet-mgmt.models.troupe.dev/v1alpha1', kind, metadata: { name }, spec, ...more };
      return (await client.call({ method: 'POST', path: `${place}/${plural}`, body })).body;
    };
    const refused = async (spec: JsonObject, words: RegExp, kind = 'Cluster', plural = 'clusters'): Promise<void> => {
      const error = await rejection(create(kind, plural, 'wrong', spec));
      assert.instance(error, TerminalError);
      assert.match(error.message, words);
    };
    try {
      const spec = {
        name: 'first',
        multiAZ: true,
        cores: 12,
        load: 0.5,
        expiresAt: '2030-01-01T00:00:00Z',
        extra: { any: ['thing', 1] },
        flavor: 'one that came later',
        labels: { 'Some/Key': 'x' },
        addresses: [{ ip: '10.0.0.1' }],
        owner: { id: 'o1', email: 'a@example.com' },
        nodes: { compute: 3 },
        network: { zoneRef: 'z' },
        regionRef: 'here',
      };
      const made = await create('Cluster', 'clusters', 'a', spec, { status: { state: 'ready' } });
      assert.equal(made['spec'], spec);
      // Only the status subresource says what is the owner's to say.
      assert.is(made['status'], undefined);
      const { body } = await client.call({
        method: 'PATCH',
        path: `${place}/clusters/a/status`,
        contentType: 'application/merge-patch+json',
        body: { spec: { name: 'other' }, status: { state: 'ready', nodes: { ready: 2 } } },
      });
      assert.equal(body['status'], { state: 'ready', nodes: { ready: 2 } });
      assert.equal(body['spec'], spec);

      await refused({ name: 'ab' }, /spec\.name/);
      await refused({ name: 'abc', cores: 'many' }, /spec\.cores/);
      await refused({ name: 'x'.repeat(1_025) }, /spec\.name/);
      await refused({ addresses: Array.from({ length: 101 }, () => ({ ip: '1' })) }, /spec\.addresses/);
      await refused({ expiresAt: 'tomorrow' }, /spec\.expiresAt/);
      await refused({ regionRef: '' }, /spec\.regionRef/);
      await refused({ replicas: 1 }, /spec\.clusterRef: Required value/, 'NodePool', 'nodepools');
      await create('NodePool', 'nodepools', 'p', { clusterRef: 'a', replicas: 1 });
      const moved = await rejection(
        client.call({
          method: 'PATCH',
          path: `${place}/nodepools/p`,
          contentType: 'application/merge-patch+json',
          body: { spec: { clusterRef: 'b' } },
        }),
      );
      assert.match(moved.message, 'clusterRef is immutable');
    } finally {
      await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    }
  });

  on('36.4b: every class of the models that the gateway is tried with becomes a kind', async (client, clock) => {
    const model = modelOf(GATEWAY_MODELS);
    // Two services have a class of that name: both can be kinds when one is called otherwise.
    const bindings = bindingsOfAll(model).map((binding) => ({
      ...binding,
      ...(binding.service === 'clusters_mgmt' &&
        binding.class === 'Subscription' && { names: { kind: 'ClusterSubscription' } }),
    }));
    assert.is(await install(client, clock, model, bindings), bindings.length);
  });

  if (!existsSync(REFERENCE)) {
    process.stdout.write(`skipped: the published models are not at ${REFERENCE}\n`);
    return;
  }
  on('36.4b: every class of the published models becomes a kind', async (client, clock) => {
    const model = modelOf(REFERENCE);
    const { kinds, problems } = bindKinds(model, bindingsOfAll(model));
    assert.equal(problems, []);
    await installCrds(client, clock, () => undefined, kinds.map(definitionOf));
    assert.ok(kinds.length > 20, `${kinds.length}`);
  });
}
