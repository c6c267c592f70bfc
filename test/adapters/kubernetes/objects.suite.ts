// What reads, writes and watches of objects must do on any API server.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecretContent } from '../../../adapters/api/adapter.ts';
import { type KubeClient, objects, type Resource, SECRETS, watchResource } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, ConflictError, type JsonObject, TerminalError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { rejection } from '../../world/rejection.ts';

const NETWORKS: Resource = {
  realm: 'openstack',
  group: 'openstack.k-orc.cloud',
  version: 'v1alpha1',
  kind: 'Network',
  plural: 'networks',
};
const GUARD = 'example.org/guard';
const API = '/apis/openstack.k-orc.cloud/v1alpha1';

/** An API server with the definitions of OpenStack, as a suite opens it. */
export interface Opened {
  readonly clock: Clock;
  /** Closed by whoever asks for it. */
  client(): KubeClient;
  close(): Promise<void>;
}

interface Place {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  create(name: string): Promise<KubeObject>;
}

/** A namespace for one test. */
async function inNamespace({ clock, ...opened }: Opened, run: (place: Place) => Promise<void>): Promise<void> {
  const client = opened.client();
  const namespace = `objects-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  try {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await client.call({ method: 'POST', path: '/api/v1/namespaces', body });
    await run({
      client,
      clock,
      namespace,
      async create(name) {
        const object = {
          apiVersion: 'openstack.k-orc.cloud/v1alpha1',
          kind: 'Network',
          metadata: { name },
          spec: { cloudCredentialsRef: { secretName: 's', cloudName: 'c' }, resource: {} },
        };
        const path = `${API}/namespaces/${namespace}/networks`;
        return (await client.call({ method: 'POST', path, body: object })).body as unknown as KubeObject;
      },
    });
  } finally {
    await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    await client.close();
  }
}

export function objectsSuite(test: Test, open: () => Promise<Opened>): void {
  const on = (title: string, run: (place: Place) => Promise<void>): void => {
    test(title, async () => {
      const opened = await open();
      await inNamespace(opened, run).finally(opened.close);
    });
  };

  on(
    'finalizers are added by apply: those of each manager, beside those of others',
    async ({ client, namespace, create }) => {
      const writes = objects({ client });
      const { metadata } = await create('a');
      const reference = { namespace, name: 'a', uid: metadata.uid };
      await writes.addFinalizers(NETWORKS, reference, 'one', ['example.org/one']);
      const both = await writes.addFinalizers(NETWORKS, reference, 'two', ['example.org/two']);
      assert.equal([...(both.metadata.finalizers ?? [])].sort(), ['example.org/one', 'example.org/two']);
      await writes.removeFinalizers(NETWORKS, both, ['example.org/one', 'example.org/two'], { exact: true });
    },
  );

  on('a finalizer for another incarnation is refused', async ({ client, namespace, create }) => {
    const writes = objects({ client });
    await create('a');
    const reference = { namespace, name: 'a', uid: '00000000-0000-0000-0000-000000000000' };
    assert.instance(
      await rejection(writes.addFinalizers(NETWORKS, reference, 'one', ['example.org/one'])),
      ConflictError,
    );
  });

  on('an object that is not there is not made by an apply', async ({ client, namespace }) => {
    const reference = { namespace, name: 'nobody', uid: '00000000-0000-0000-0000-000000000000' };
    const error = await rejection(objects({ client }).addFinalizers(NETWORKS, reference, 'one', ['example.org/one']));
    assert.ok(error instanceof AbsentError || error instanceof ConflictError, String(error));
    assert.is(await objects({ client }).get(NETWORKS, namespace, 'nobody'), undefined);
  });

  on('no finalizer is added to an object that is being deleted', async ({ client, namespace, create }) => {
    const writes = objects({ client });
    const { metadata } = await create('a');
    const reference = { namespace, name: 'a', uid: metadata.uid };
    await writes.addFinalizers(NETWORKS, reference, 'one', ['example.org/one']);
    await client.call({ method: 'DELETE', path: `${API}/namespaces/${namespace}/networks/a` });
    const error = await rejection(writes.addFinalizers(NETWORKS, reference, 'two', ['example.org/two']));
    assert.instance(error, ConflictError);
    const object = await writes.get(NETWORKS, namespace, 'a');
    assert.ok(object?.metadata.deletionTimestamp);
    await writes.removeFinalizers(NETWORKS, object as KubeObject, ['example.org/one'], { exact: true });
    assert.is(await writes.get(NETWORKS, namespace, 'a'), undefined);
  });

  on('a finalizer is not removed by a view that is out of date', async ({ client, namespace, create }) => {
    const writes = objects({ client });
    const { metadata } = await create('a');
    const reference = { namespace, name: 'a', uid: metadata.uid };
    const old = await writes.addFinalizers(NETWORKS, reference, 'one', ['example.org/one']);
    const now = await writes.addFinalizers(NETWORKS, reference, 'two', ['example.org/two']);
    const exact = writes.removeFinalizers(NETWORKS, old, ['example.org/one'], { exact: true });
    assert.instance(await rejection(exact), ConflictError);
    // Both are there in either order; a view that knows only one of them may have the wrong position.
    const wrong = { ...now, metadata: { ...now.metadata, finalizers: [...(now.metadata.finalizers ?? [])].reverse() } };
    assert.instance(
      await rejection(writes.removeFinalizers(NETWORKS, wrong, ['example.org/one'], { exact: false })),
      ConflictError,
    );
    await writes.removeFinalizers(NETWORKS, now, ['example.org/one', 'example.org/two'], { exact: false });
  });

  on('what a status manager states no more vanishes, `status.id` stays', async ({ client, create }) => {
    const writes = objects({ client });
    const created = await create('a');
    const first = await writes.applyStatus(NETWORKS, created, 'status', { resource: { name: 'a', mtu: 1500 } });
    const recorded = await writes.recordId(NETWORKS, first, 'id-1');
    const applied = await writes.applyStatus(NETWORKS, recorded, 'status', { resource: { name: 'b' } });
    assert.equal(applied.status, { id: 'id-1', resource: { name: 'b' } });
    const cleared = await writes.recordId(NETWORKS, applied, null);
    assert.is(cleared.status?.['id'], undefined);
  });

  on('what is recorded with the id stays beside what a status manager states', async ({ client, create }) => {
    const writes = objects({ client });
    const created = await create('a');
    const recorded = await writes.recordId(NETWORKS, created, 'id-1', { description: 'recorded' });
    const applied = await writes.applyStatus(NETWORKS, recorded, 'status', { resource: { name: 'b' } });
    assert.equal(applied.status, { id: 'id-1', resource: { description: 'recorded', name: 'b' } });
    const again = await writes.applyStatus(NETWORKS, applied, 'status', { resource: { name: 'b' } });
    assert.is(again.metadata.resourceVersion, applied.metadata.resourceVersion);
  });

  on('an id is recorded only on the object as it was seen (I4)', async ({ client, create }) => {
    const writes = objects({ client });
    const seen = await create('a');
    await writes.recordId(NETWORKS, seen, 'id-1');
    assert.instance(await rejection(writes.recordId(NETWORKS, seen, 'id-2')), ConflictError);
  });

  on('the same status again is no new version (I8)', async ({ client, create }) => {
    const writes = objects({ client });
    const one = await writes.applyStatus(NETWORKS, await create('a'), 'status', { resource: { name: 'a' } });
    const two = await writes.applyStatus(NETWORKS, one, 'status', { resource: { name: 'a' } });
    assert.is(one.metadata.resourceVersion, two.metadata.resourceVersion);
  });

  on('a status is stored only on the object as it was seen', async ({ client, namespace, create }) => {
    const writes = objects({ client });
    const seen = await create('a');
    await writes.applyStatus(NETWORKS, seen, 'status', { resource: { name: 'a' } });
    const late = writes.applyStatus(NETWORKS, seen, 'status', { resource: { name: 'b' } });
    assert.instance(await rejection(late), ConflictError);
    await client.call({ method: 'DELETE', path: `${API}/namespaces/${namespace}/networks/a` });
    await create('a');
    const stale = writes.applyStatus(NETWORKS, seen, 'status', { resource: { name: 'c' } });
    assert.instance(await rejection(stale), ConflictError);
  });

  on('a status is made to say just what is wanted, whoever said what before', async ({ client, create }) => {
    const writes = objects({ client });
    const created = await create('a');
    const others = await writes.applyStatus(NETWORKS, created, 'others', {
      id: 'i',
      resource: { name: 'a', mtu: 1500 },
    });
    const wanted = { resource: { name: 'b', description: null } };
    const stored = await writes.storeStatus(NETWORKS, others, 'own', wanted);
    assert.equal(stored.status, { resource: { name: 'b' } });
    const again = await writes.storeStatus(NETWORKS, stored, 'own', wanted);
    assert.is(again.metadata.resourceVersion, stored.metadata.resourceVersion);
    const late = writes.storeStatus(NETWORKS, others, 'own', { resource: { name: 'c' } });
    assert.instance(await rejection(late), ConflictError);
  });

  on('a member of the spec is changed, and the others stay', async ({ client, create }) => {
    const writes = objects({ client });
    const created = await create('a');
    const patched = await writes.patchSpec(NETWORKS, created, 'own', { resource: { description: 'x' } });
    assert.equal(patched.spec, { ...created.spec, managementPolicy: 'managed', resource: { description: 'x' } });
    assert.instance(await rejection(writes.patchSpec(NETWORKS, created, 'own', { resource: {} })), ConflictError);
  });

  on('a member of the status is changed, whoever says what beside it', async ({ client, create }) => {
    const writes = objects({ client });
    const created = await create('a');
    const said = await writes.applyStatus(NETWORKS, created, 'status', { resource: { name: 'a', mtu: 1500 } });
    const change = { resource: { mtu: null, description: 'x' } };
    const patched = await writes.patchStatus(NETWORKS, said, 'own', change);
    assert.equal(patched.status, { resource: { name: 'a', description: 'x' } });
    assert.instance(await rejection(writes.patchStatus(NETWORKS, said, 'own', change)), ConflictError);
  });

  on('labels and owners are put on what is there, and on nothing else', async ({ client, namespace, create }) => {
    const writes = objects({ client });
    const [a, b] = [await create('a'), await create('b')];
    const labeled = { ...NETWORKS, retains: { labels: ['example.org/*'] } };
    const owner = { apiVersion: a.apiVersion, kind: a.kind, name: 'a', uid: a.metadata.uid };
    const marks = { labels: { 'example.org/used': 'yes' }, owners: [owner] };
    const marked = await writes.mark(labeled, { namespace, name: 'b', uid: b.metadata.uid }, 'own/marks', marks);
    assert.equal(marked.metadata.labels, { 'example.org/used': 'yes' });
    assert.equal(marked.metadata.ownerReferences, [{ ...owner, controller: false }]);
    const other = { ...owner, name: 'b', uid: '0cd5fb4e-0000-4000-8000-000000000001' };
    const moved = await writes.mark(labeled, { namespace, name: 'b', uid: b.metadata.uid }, 'own/marks', {
      labels: {},
      owners: [other],
    });
    assert.equal(moved.metadata.ownerReferences, [{ ...other, controller: false }], 'in place of the one before');
    assert.is(moved.metadata.labels, undefined);
    const gone = writes.mark(labeled, { namespace, name: 'c', uid: b.metadata.uid }, 'own/marks', marks);
    assert.instance(await rejection(gone), ConflictError);
  });

  on('a refused object is terminal, and says which field', async ({ client, namespace }) => {
    const body = {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind: 'Network',
      metadata: { name: 'bad' },
      spec: { cloudCredentialsRef: { secretName: 's', cloudName: 'c' }, resource: { mtu: 1 } },
    };
    const error = await rejection(
      client.call({ method: 'POST', path: `${API}/namespaces/${namespace}/networks`, body }),
    );
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, 'spec.resource.mtu');
  });

  on('of a Secret only metadata is read, and of that nothing a user wrote (I5)', async ({ client, namespace }) => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"k":"aHVzaA=="}}' };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations }, data: { k: 'aHVzaA==' } };
    await client.call({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets`, body });
    const { items } = await objects({ client }).list(SECRETS, namespace);
    const text = JSON.stringify([items, await objects({ client }).get(SECRETS, namespace, 's')]);
    assert.is(items.length, 1);
    assert.not.match(text, 'aHVzaA');
    const content = await objects({ client }).readSecret(namespace, 's');
    assert.equal(content?.data, { k: 'aHVzaA==' });
  });

  on('33.D: the data of a Secret is replaced as it was read, and not after a change', async ({ client, namespace }) => {
    const api = objects({ client });
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels: { kept: 'yes' } } };
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await client.call({ method: 'POST', path, body });
    const read = async () => (await api.readSecret(namespace, 's')) as SecretContent;
    const empty = await read();
    assert.equal(empty.data, {});
    await api.writeSecret(namespace, 's', empty, { a: 'YQ==', b: 'Yg==' });
    const full = await read();
    assert.equal(full.data, { a: 'YQ==', b: 'Yg==' });
    assert.instance(await rejection(api.writeSecret(namespace, 's', empty, { a: '' })), ConflictError);
    await api.writeSecret(namespace, 's', full, { b: 'Yw==' });
    assert.equal((await read()).data, { b: 'Yw==' });
    const { body: now } = await client.call({ method: 'GET', path: `${path}/s` });
    assert.equal((now['metadata'] as JsonObject)['labels'], { kept: 'yes' });
    const another = { ...(await read()), uid: '0cd5fb4e-0000-4000-8000-000000000001' };
    assert.instance(await rejection(api.writeSecret(namespace, 's', another, {})), ConflictError);
  });

  on('the version of a Secret’s content is another when it changes, and no other for its guards', async (on) => {
    const { client, namespace } = on;
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    const api = objects({ client });
    const write = (k: string): Promise<unknown> =>
      client.call({
        method: 'PATCH',
        path: `${path}/s`,
        contentType: 'application/merge-patch+json',
        body: { stringData: { k } },
      });
    const read = async (): Promise<KubeObject> => (await api.get(SECRETS, namespace, 's')) as KubeObject;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'first' } };
    await client.call({ method: 'POST', path, body });
    const first = await read();
    assert.type(first.contentVersion, 'string');
    const { uid } = first.metadata;
    const guarded = await api.addFinalizers(SECRETS, { namespace, name: 's', uid }, 'example.org/guards', [GUARD]);
    assert.ok(guarded.metadata.finalizers?.includes(GUARD));
    const [listed] = (await api.list(SECRETS, namespace)).items;
    assert.equal([guarded.contentVersion, listed?.contentVersion], [first.contentVersion, first.contentVersion]);
    // It is told of by the second.
    await on.clock.sleep(1_100);
    await write('second');
    const second = (await read()).contentVersion;
    assert.type(second, 'string');
    assert.is.not(second, first.contentVersion);
    const released = await api.removeFinalizers(SECRETS, await read(), [GUARD], { exact: true });
    assert.is(released.contentVersion, second);
  });

  on(
    'owners who come at once are all put beside those that are there, whatever each knows',
    async ({ client, namespace, create }) => {
      const api = objects({ client });
      const [first, ...others] = await Promise.all(['a', 'b', 'c', 'd'].map(create));
      const ownerOf = (object: KubeObject | undefined) => ({
        apiVersion: 'openstack.k-orc.cloud/v1alpha1',
        kind: 'Network',
        name: object?.metadata.name ?? '',
        uid: object?.metadata.uid ?? '',
      });
      const shared = await create('shared');
      assert.instance(await rejection(api.addOwner(NETWORKS, shared, ownerOf(first))), ConflictError);
      const marks = { labels: {}, owners: [ownerOf(first)] };
      await api.mark(NETWORKS, { namespace, name: 'shared', uid: shared.metadata.uid }, 'own/marks', marks);
      await Promise.all(others.map((object) => api.addOwner(NETWORKS, shared, ownerOf(object))));
      const now = await api.get(NETWORKS, namespace, 'shared');
      const owners = now?.metadata.ownerReferences?.map(({ uid }) => uid).sort();
      assert.equal(owners, [first, ...others].map((object) => object?.metadata.uid).sort());
      const anew = { ...shared, metadata: { ...shared.metadata, uid: 'another' } };
      assert.instance(await rejection(api.addOwner(NETWORKS, anew, ownerOf(first))), ConflictError);
    },
  );

  on('an empty list of Secrets is empty', async ({ client, namespace }) => {
    assert.equal((await objects({ client }).list(SECRETS, namespace)).items, []);
  });

  on('a watch lists, follows changes and tells of what is gone', async ({ client, clock, namespace, create }) => {
    const stop = new AbortController();
    const heard: string[] = [];
    let wake = (): void => undefined;
    const note = (what: string, { metadata }: KubeObject): void => {
      if (metadata.namespace === namespace) heard.push(`${what} ${metadata.name}`);
      wake();
    };
    const until = async (line: string): Promise<void> => {
      while (!heard.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
    };
    await create('before');
    const watching = watchResource(
      { client, objects: objects({ client }), clock },
      { resource: NETWORKS },
      {
        onList: (items) => {
          for (const item of items) note('listed', item);
        },
        onChange: (object) => note('changed', object),
        onGone: (object) => note('gone', object),
        onTrouble: (message) => heard.push(`trouble ${message}`),
        onRecovery: () => undefined,
      },
      stop.signal,
    );
    await until('listed before');
    await create('after');
    await until('changed after');
    await client.call({ method: 'DELETE', path: `${API}/namespaces/${namespace}/networks/before` });
    await until('gone before');
    stop.abort();
    await watching;
    assert.not.ok(heard.some((line) => line.startsWith('problem')));
  });
}
