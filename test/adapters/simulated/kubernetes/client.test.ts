// The server seen by @kubernetes/client-node: typed clients, custom objects, an informer.
import { CoreV1Api, CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Harness, serverChecks } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: client library');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

function configured({ server }: Harness): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig());
  return config;
}

onServer(
  'typed clients create, read, replace and delete',
  async (harness) => {
    const core = configured(harness).makeApiClient(CoreV1Api);
    const namespace = 'default';
    await core.createNamespacedSecret({ namespace, body: { metadata: { name: 's' }, stringData: { a: 'b' } } });
    const secret = await core.readNamespacedSecret({ namespace, name: 's' });
    assert.equal(secret.data, { a: 'Yg==' });
    await core.replaceNamespacedSecret({ namespace, name: 's', body: { ...secret, data: { a: 'Yw==' } } });
    const { items } = await core.listNamespacedSecret({ namespace });
    assert.equal(
      items.map(({ data }) => data),
      [{ a: 'Yw==' }],
    );
    await core.deleteNamespacedSecret({ namespace, name: 's' });
    try {
      await core.readNamespacedSecret({ namespace, name: 's' });
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code?: unknown }).code, 404);
    }
  },
  'sockets',
);

onWidgets(
  'custom objects are listed',
  async (harness) => {
    await harness.call('POST', WIDGET_PATH, { body: widget('a') });
    const client = configured(harness).makeApiClient(CustomObjectsApi);
    const list = await client.listNamespacedCustomObject({
      group: 'example.org',
      version: 'v1',
      namespace: 'default',
      plural: 'widgets',
    });
    assert.equal(
      (list as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name),
      ['a'],
    );
  },
  'sockets',
);

onWidgets(
  'an informer sees what is there and what comes',
  async (harness) => {
    const { call } = harness;
    await call('POST', WIDGET_PATH, { body: widget('a') });
    const config = configured(harness);
    const client = config.makeApiClient(CustomObjectsApi);
    const place = { group: 'example.org', version: 'v1', namespace: 'default', plural: 'widgets' };
    const list = async (): Promise<{ apiVersion: string; kind: string; metadata: object; items: KubernetesObject[] }> =>
      (await client.listNamespacedCustomObject(place)) as never;
    const informer = makeInformer(config, WIDGET_PATH, list);
    const seen: string[] = [];
    const both = new Promise<void>((resolve) => {
      informer.on('add', ({ metadata }) => {
        seen.push(metadata?.name ?? '');
        if (seen.length === 2) resolve();
      });
    });
    await informer.start();
    await call('POST', WIDGET_PATH, { body: widget('b') });
    await both;
    await informer.stop();
    assert.equal(seen, ['a', 'b']);
  },
  'sockets',
);

test.run();
