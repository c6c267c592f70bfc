// The store in Kubernetes: the contract of all stores, and what is specific to it, on any API server.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { delegatedObjects, type KubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { type Collection, Collections } from '../../../../adapters/ocm/gateway/store/collections.ts';
import { typeKey } from '../../../../adapters/ocm/gateway/store/links.ts';
import type { Address, Change, Outcome, Table, Value } from '../../../../adapters/ocm/gateway/store/store.ts';
import type { Binding } from '../../../../adapters/ocm/kinds/bindings.ts';
import { bindingsOfAll, type ModelKind } from '../../../../adapters/ocm/kinds/kinds.ts';
import { modelResource } from '../../../../adapters/ocm/kinds/resource.ts';
import { toProperties } from '../../../../adapters/ocm/kinds/values.ts';
import { kubernetesStore } from '../../../../adapters/ocm/kubernetes-store/store.ts';
import type { Model } from '../../../../adapters/ocm/model/mod.ts';
import { type JsonObject, TransientError, UnknownOutcomeError } from '../../../../bus/mod.ts';
import { type Ground, type ModelWorld, newNamespace, openModelWorld, type WorldOptions } from '../kinds/world.ts';
import { collectionAt, testModel } from './model.ts';
import { CLUSTERS, type MakeStore, POOLS, PROVIDERS, type StoreUnderTest, storeSuite } from './store.suite.ts';

const CLUSTERS_MGMT = { service: 'clusters_mgmt', version: 'v1' } as const;
const BINDINGS: readonly Binding[] = [
  {
    ...CLUSTERS_MGMT,
    class: 'Cluster',
    statusAttributes: ['State', 'Status'],
    overrides: { 'nodes.compute': { maximum: 500 } },
  },
  { ...CLUSTERS_MGMT, class: 'MachinePool', statusAttributes: ['Status'] },
  { ...CLUSTERS_MGMT, class: 'CloudProvider' },
];
const caller = { name: 'tester', groups: ['testers'] } as const;
const at = (id: string, ...outer: string[]): Address => ({ outer, id });

export function kubernetesStoreSuite(test: Test, where: string, openGround: () => Promise<Ground>): void {
  const open = async (options: Partial<WorldOptions> = {}): Promise<ModelWorld> =>
    openModelWorld(await openGround(), { model: testModel(), bindings: BINDINGS, ...options });

  storeSuite(`kubernetes, ${where}`, async ({ model }) => {
    const world = await open({ model });
    return { ...storeUnderTest(world, world), close: world.close };
  });

  const on = (title: string, run: (world: ModelWorld) => Promise<void>, options: Partial<WorldOptions> = {}): void => {
    test(title, async () => {
      const world = await open(options);
      try {
        await run(world);
      } finally {
        await world.close();
      }
    });
  };
  const tableOf = ({ store }: ModelWorld, path: string): Table => {
    const bound = store.bind(collectionAt(testModel(), path));
    if (bound === undefined) throw new Error(`'${path}' is not bound`);
    return bound;
  };
  const create = async (table: Table, address: Address, value: Value = {}): Promise<Outcome> =>
    table.create({ address, value, dryRun: false, caller });

  on(
    '36.4b: what is bound, and as what',
    async ({ store }) => {
      const at = (path: string): Collection => collectionAt(testModel(), path);
      assert.is(store.describe(at(POOLS)), 'machinepools.clusters-mgmt.models.troupe.dev');
      assert.is(store.describe(at(`${CLUSTERS}/{cluster_id}/ingresses`)), undefined);
      assert.is(store.bind(at(`${CLUSTERS}/{cluster_id}/status`)), undefined);
      assert.equal([...(store.bind(at(CLUSTERS))?.serverOwned ?? [])].sort(), ['state', 'status']);
    },
    { hasActors: false },
  );

  on(
    '36.4b: kinds come and go while the process runs',
    async ({ store, kinds }) => {
      const clusters = collectionAt(testModel(), CLUSTERS);
      const providers = store.bind(collectionAt(testModel(), PROVIDERS));
      assert.ok(providers);
      let told = 0;
      const stop = store.onBindingsChanged?.(() => {
        told += 1;
      });
      store.setKinds(kinds.filter(({ kind }) => kind !== 'Cluster'));
      assert.is(store.bind(clusters), undefined);
      // Without the kind of those around them objects have no place.
      assert.is(store.bind(collectionAt(testModel(), POOLS)), undefined);
      assert.is(store.bind(collectionAt(testModel(), PROVIDERS)), providers);
      store.setKinds(kinds);
      assert.ok(store.bind(clusters));
      stop?.();
      assert.is(told, 2);
    },
    { hasActors: false },
  );

  on(
    '36.4b: what the API server refuses is told in the words of the model',
    async (world) => {
      const clusters = tableOf(world, CLUSTERS);
      const reasons: string[] = [];
      const refused = async (outcome: Promise<Outcome>): Promise<void> => {
        const { kind, ...rest } = await outcome;
        assert.is(kind, 'invalid');
        reasons.push((rest as { reason: string }).reason);
      };
      await refused(create(clusters, at('a'), { nodes: { compute: 501 } }));
      await refused(create(clusters, at('a'), { name: 'x'.repeat(2_000) }));
      await refused(create(clusters, at('a'), { aws: { sts: { operator_iam_roles: [{ name: 3 }] } } }));
      await refused(create(clusters, at('A_b')));
      await create(clusters, at('a'));
      await refused(
        clusters.update({ address: at('a'), caller, edit: () => ({ value: { creation_timestamp: 'today' } }) }),
      );
      assert.match(reasons[0] ?? '', /^Attribute 'nodes\.compute' is not valid: .*500/);
      assert.match(reasons[1] ?? '', /^Attribute 'name' is not valid/);
      assert.match(reasons[2] ?? '', /^Attribute 'aws\.sts\.operator_iam_roles\[0\]\.name' is not valid/);
      assert.match(reasons[3] ?? '', "Identifier 'A_b' has other characters");
      assert.match(reasons[4] ?? '', "Attribute 'creation_timestamp' is not valid");
      for (const reason of reasons) assert.not.match(reason, /spec|kubernetes|operatorIAM|models\.troupe/i);
    },
    { hasActors: false },
  );

  on('36.4b: a request is named at the object that it changed', async (world) => {
    const clusters = tableOf(world, CLUSTERS);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await clusters.create({ address: at('a'), value: {}, dryRun: false, caller, traceparent });
    const annotations = async () => {
      const { body } = await world.client.call({ method: 'GET', path: world.path('Cluster', 'a') });
      return (body as unknown as { metadata: { annotations: unknown } }).metadata.annotations;
    };
    assert.equal(await annotations(), { 'troupe/traceparent': traceparent, 'troupe/traceparent-generation': '1' });
    const other = traceparent.replace('b7ad', 'c8be');
    await clusters.update({
      address: at('a'),
      caller,
      traceparent: other,
      edit: () => ({ value: { name: 'A' } }),
    });
    assert.equal(await annotations(), { 'troupe/traceparent': other, 'troupe/traceparent-generation': '2' });
  });

  on('36.4b: writes of others arrive, with what they say in the status', async (world) => {
    const changes: Change[] = [];
    const stop = tableOf(world, POOLS).watch((change) => changes.push(change));
    await world.create('Cluster', 'a');
    await world.create('MachinePool', 'p', { clusterRef: 'a', replicas: 2 });
    await world.client.call({
      method: 'PATCH',
      path: `${world.path('MachinePool', 'p')}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { status: { phase: 'Up', percent: 100 } } },
    });
    await world.until('MachinePool', 'p', isReady);
    const isIn = (change: Change): boolean =>
      change.kind === 'stored' &&
      change.object.outer[0] === 'a' &&
      (change.object.value['status'] as { phase?: string } | undefined)?.phase === 'Up';
    while (!changes.some(isIn)) await world.clock.sleep(20);
    await world.client.call({ method: 'DELETE', path: world.path('MachinePool', 'p') });
    while (!changes.some(({ kind }) => kind === 'removed')) await world.clock.sleep(20);
    const removed = changes.find(({ kind }) => kind === 'removed');
    assert.equal(removed?.kind === 'removed' && removed.address, { outer: ['a'], id: 'p' });
    stop();
  });

  on(
    '36.4b: an object is found only where it is',
    async (world) => {
      const pools = tableOf(world, POOLS);
      await create(tableOf(world, CLUSTERS), at('a'));
      await create(pools, at('p', 'a'), { replicas: 1 });
      const edit = () => ({ value: {} });
      assert.equal(await pools.update({ address: at('p', 'b'), caller, edit }), { kind: 'notFound' });
      assert.equal(await pools.remove({ address: at('p', 'b'), caller }), { kind: 'notFound' });
      // Deleted by somebody else, and not heard of yet.
      await world.client.call({ method: 'DELETE', path: world.path('MachinePool', 'p') });
      assert.equal(await pools.remove({ address: at('p', 'a'), caller }), { kind: 'notFound' });
    },
    { hasActors: false },
  );

  on('36.4b: nothing is made in what is being deleted', async (world) => {
    const [clusters, pools] = [tableOf(world, CLUSTERS), tableOf(world, POOLS)];
    await create(clusters, at('a'));
    await create(pools, at('p', 'a'));
    await world.until('MachinePool', 'p', isReady);
    await clusters.remove({ address: at('a'), caller });
    const outcome = await create(pools, at('q', 'a'));
    assert.equal(outcome, { kind: 'conflict', reason: "Cluster 'a' is being deleted" });
  });

  on(
    '36.4b: a deletion is of the incarnation that was seen, and of no later one',
    async (world) => {
      const resource = modelResource(world.kinds[0] as ModelKind);
      const objects = delegatedObjects({ client: world.client, clock: world.clock, manager: 'test' });
      const place = { resource, namespace: world.namespace };
      const first = await world.create('Cluster', 'a');
      const { name, uid } = first.metadata;
      assert.is((await objects.remove(place, { name, uid }, { as: undefined })).kind, 'gone');
      assert.is((await objects.remove(place, { name, uid }, { as: undefined })).kind, 'absent');
      await world.create('Cluster', 'a');
      assert.is((await objects.remove(place, { name, uid }, { as: undefined })).kind, 'conflict');
      assert.ok(await world.read('Cluster', 'a'));
    },
    { hasActors: false },
  );

  on(
    'OCM-TABLE-4: a write without an answer is never unavailable, and a create that was made is found',
    async (world) => {
      const { client, clock, kinds, namespace } = world;
      /** Loses the answer to the next write, before or after it was made. */
      let loses: { before: boolean } | undefined;
      const losing: KubeClient = {
        ...client,
        stream: (...given) => client.stream(...given),
        async call(call) {
          const lost = call.method === 'GET' ? undefined : loses;
          if (lost?.before !== true) {
            const answer = await client.call(call);
            if (lost === undefined) return answer;
          }
          loses = undefined;
          throw new UnknownOutcomeError('the answer was lost');
        },
      };
      const objects = delegatedObjects({ client: losing, clock, manager: 'test' });
      const store = kubernetesStore({ objects, clock, namespace, writesAs: 'self', onRefused: () => undefined }, kinds);
      const clusters = tableOf({ ...world, store }, CLUSTERS);
      const lost = async <Result>(before: boolean, work: () => Promise<Result>): Promise<Result> => {
        loses = { before };
        return work();
      };
      try {
        const made = await lost(false, () => create(clusters, at('a'), { name: 'A' }));
        assert.is(made.kind === 'stored' && made.object.value['name'], 'A');
        assert.equal(await lost(true, () => create(clusters, at('b'))), { kind: 'unknown' });
        // The object of another client, made earlier or with other values, is not the one that was sent.
        assert.equal(await lost(true, () => create(clusters, at('a'), { name: 'A' })), { kind: 'unknown' });
        await world.create('Cluster', 'c', { name: 'C' });
        assert.equal(await lost(true, () => create(clusters, at('c'), { name: 'D' })), { kind: 'unknown' });
        const edit = () => ({ value: { name: 'B' } });
        assert.equal(await lost(false, () => clusters.update({ address: at('a'), caller, edit })), { kind: 'unknown' });
        assert.equal(await lost(false, () => clusters.remove({ address: at('a'), caller })), { kind: 'unknown' });
        assert.is(await world.read('Cluster', 'a'), undefined);
      } finally {
        await store.close();
      }
    },
    { hasActors: false },
  );

  on(
    'OCM-STORE-3: an answer without a write is of the state that the API server has, not of a watch that is behind',
    async (world) => {
      const { client, clock, kinds, namespace } = world;
      const real = delegatedObjects({ client, clock, manager: 'test' });
      let isBehind = false;
      const objects: typeof real = {
        ...real,
        follow(place, listener, signal) {
          const onChange: typeof listener.onChange = (object) => isBehind || listener.onChange(object);
          const onGone: typeof listener.onGone = (object) => isBehind || listener.onGone(object);
          real.follow(place, { ...listener, onList: listener.onList, onChange, onGone }, signal);
        },
      };
      const store = kubernetesStore({ objects, clock, namespace, writesAs: 'self', onRefused: () => undefined }, kinds);
      const [clusters, pools] = [CLUSTERS, POOLS].map((path) => tableOf({ ...world, store }, path)) as [Table, Table];
      const patched = async (table: Table, address: Address, value: Value): Promise<Outcome> =>
        table.update({ address, caller, edit: ({ value: before }) => ({ value: { ...before, ...value } }) });
      try {
        await Promise.all([delivered(clusters), delivered(pools)]);
        for (const id of ['a', 'b']) await create(clusters, at(id), { name: 'A' });
        await create(pools, at('p', 'a'), { replicas: 3 });
        isBehind = true;
        await setSpec(world, 'Cluster', 'a', { name: 'B' });
        const outcome = await patched(clusters, at('a'), { name: 'A' });
        assert.is(outcome.kind === 'stored' && outcome.object.value['name'], 'A');
        assert.is((await world.read('Cluster', 'a'))?.spec?.['name'], 'A');
        // An edit that refuses the state of the watch is asked again.
        await setSpec(world, 'Cluster', 'a', { name: 'C' });
        const edited = await clusters.update({
          address: at('a'),
          caller,
          edit: ({ value }) => (value['name'] === 'C' ? { value } : { kind: 'invalid', reason: 'No' }),
        });
        assert.is(edited.kind, 'stored');
        // Another incarnation may be elsewhere.
        for (const [replace, change] of [
          ['b', () => patched(pools, at('p', 'b'), { replicas: 4 })],
          ['a', () => pools.remove({ address: at('p', 'a'), caller })],
        ] as const) {
          await client.call({ method: 'DELETE', path: world.path('MachinePool', 'p') });
          await world.create('MachinePool', 'p', { clusterRef: replace });
          assert.not.equal(await change(), { kind: 'notFound' }, replace);
        }
      } finally {
        await store.close();
      }
    },
    { hasActors: false },
  );

  on(
    'OCM-TABLE-4: where the API server is away, it is unavailable whether a caller may read, until it is back',
    async (world) => {
      const { client, clock, kinds, namespace } = world;
      let error: Error | undefined = new TransientError('no answer', { retryAfterMs: 3_000 });
      const failing: KubeClient = {
        ...client,
        stream: (...given) => client.stream(...given),
        call: async (call) => (error === undefined ? client.call(call) : Promise.reject(error)),
      };
      const objects = delegatedObjects({ client: failing, clock, manager: 'test' });
      const deps = { objects, clock, namespace, writesAs: 'caller', onRefused: () => undefined } as const;
      const store = kubernetesStore(deps, kinds);
      const { mayRead } = tableOf({ ...world, store }, CLUSTERS);
      try {
        for (const id of ['a', undefined]) {
          assert.equal(await mayRead?.(caller, { outer: [], id }), { kind: 'unavailable', retryAfterMs: 3_000 });
        }
        error = new UnknownOutcomeError('the answer was lost');
        assert.equal(await mayRead?.(caller, at('a')), { kind: 'unavailable', retryAfterMs: undefined });
        error = undefined;
        assert.is(await mayRead?.(caller, at('a')), false);
      } finally {
        await store.close();
      }
    },
    { hasActors: false },
  );

  on(
    '36.4b: as the caller, what he may not do is refused, and what he may not read is not shown',
    async (world) => {
      const clusters = tableOf(world, CLUSTERS);
      const group = 'clusters-mgmt.models.troupe.dev';
      const bind = async (name: string, user: string, verbs: readonly string[]): Promise<void> => {
        const place = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.namespace}`;
        const apiVersion = 'rbac.authorization.k8s.io/v1';
        const rules = [{ apiGroups: [group], resources: ['clusters'], verbs: [...verbs] }];
        await world.client.call({
          method: 'POST',
          path: `${place}/roles`,
          body: { apiVersion, kind: 'Role', metadata: { name }, rules },
        });
        await world.client.call({
          method: 'POST',
          path: `${place}/rolebindings`,
          body: {
            apiVersion,
            kind: 'RoleBinding',
            metadata: { name },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
            subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
          },
        });
      };
      await bind('writes', 'writer', ['create', 'patch', 'get', 'list']);
      await bind('reads', 'reader', ['get']);
      await bind('deletes', 'deleter', ['delete', 'get']);
      const as = (name: string) => ({ name, groups: [] });
      const request = { address: at('a'), value: {}, dryRun: false };
      const forbidden = await clusters.create({ ...request, caller: as('reader') });
      assert.equal(forbidden, { kind: 'forbidden', reason: 'This Cluster may not be created by the caller' });
      assert.is((await clusters.create({ ...request, caller: as('') })).kind, 'forbidden');
      const admin = { name: 'somebody', groups: ['system:masters'] };
      assert.is((await clusters.create({ ...request, caller: admin })).kind, 'forbidden');
      // The API server strips blanks around the value of a header.
      for (const caller of [
        { name: 'somebody', groups: [' system:masters'] },
        { name: 'somebody', groups: ['\tsystem:masters'] },
        { name: 'somebody', groups: ['\u0000system:masters', ''] },
        as(' writer'),
        as('\twriter'),
        as(' system:serviceaccount:kube-system:generic-garbage-collector'),
      ]) {
        assert.is((await clusters.create({ ...request, caller })).kind, 'forbidden', JSON.stringify(caller));
      }
      const controller = as('system:serviceaccount:kube-system:generic-garbage-collector');
      assert.is((await clusters.create({ ...request, caller: controller })).kind, 'forbidden');
      assert.is((await clusters.create({ ...request, caller: as('writer') })).kind, 'stored');
      const deletion = { address: at('a'), traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` };
      const removed = await clusters.remove({ ...deletion, caller: as('writer') });
      assert.equal(removed, { kind: 'forbidden', reason: 'This Cluster may not be deleted by the caller' });
      // 36.7b: of a deletion that was refused nothing is left that another one would be taken for.
      assert.equal((await world.read('Cluster', 'a'))?.metadata.annotations ?? {}, {});
      const { mayRead } = clusters;
      const one = { outer: [], id: 'a' };
      const all = { outer: [], id: undefined };
      const answers = await Promise.all([
        mayRead?.(as('reader'), one),
        mayRead?.(as('reader'), all),
        mayRead?.(as('writer'), all),
        mayRead?.(as('nobody'), one),
      ]);
      assert.equal(answers, [true, false, true, false]);
      // 36.7b: a caller with the right to delete alone deletes, without a trace.
      assert.is((await clusters.remove({ ...deletion, caller: as('deleter') })).kind, 'removed');
    },
    { hasActors: false, writesAs: 'caller' },
  );
}

async function setSpec({ client, path }: ModelWorld, kind: string, name: string, spec: JsonObject): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await client.call({ method: 'PATCH', path: path(kind, name), contentType, body: { spec } });
}

function isReady(object: { readonly status?: unknown } | undefined): boolean {
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** One API server with the actors of all namespaces; each store has a namespace of its own. */
export function sharedStores(openGround: () => Promise<Ground>): { make: MakeStore; close(): Promise<void> } {
  let shared: Promise<ModelWorld> | undefined;
  return {
    async make({ model, serverOwned }) {
      shared ??= openGround().then((ground) =>
        openModelWorld(ground, { model, bindings: bindingsOf(model, serverOwned), isForAll: true }),
      );
      const world = await shared;
      const { client, clock, kinds } = world;
      const namespace = await newNamespace(client, clock);
      const objects = delegatedObjects({ client, clock, manager: 'troupe-gateway' });
      const store = kubernetesStore({ objects, clock, namespace, writesAs: 'self', onRefused: () => undefined }, kinds);
      await Promise.all(
        collectionsIn(model)
          .flatMap((each) => store.bind(each) ?? [])
          .map(delivered),
      );
      return {
        ...storeUnderTest(world, { store, namespace }),
        async close() {
          await store.close();
          await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
        },
      };
    },
    close: async () => (await shared)?.close(),
  };
}

function collectionsIn(model: Model): readonly Collection[] {
  const versions = model.services.flatMap((service) => service.versions);
  return versions.flatMap((version) => new Collections(version).all());
}

/** Resolves when all objects of a table were told: what asks for them then is told at once. */
async function delivered(table: Table): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = table.watch(() => resolve());
  await promise;
  stop();
}

/** Every class is a kind; what is said of a collection holds for its class. */
function bindingsOf(model: Model, serverOwned: Readonly<Record<string, readonly string[]>>): readonly Binding[] {
  return bindingsOfAll(model).map((binding) => {
    const found = Object.entries(serverOwned).find(
      ([path]) => collectionAt(model, path).type.name.text === binding.class && path.includes(binding.service),
    );
    const isTwice = binding.class === 'Subscription' && binding.service === 'clusters_mgmt';
    return {
      ...binding,
      ...(found && { statusAttributes: found[1].map((name) => name.charAt(0).toUpperCase() + name.slice(1)) }),
      ...(isTwice && { names: { kind: 'ClusterSubscription' } }),
    };
  });
}

function storeUnderTest(
  world: ModelWorld,
  { store, namespace }: Pick<ModelWorld, 'store' | 'namespace'>,
): Omit<StoreUnderTest, 'close'> {
  const kindOf = ({ type }: Collection): ModelKind =>
    world.kinds.find((each) => typeKey(each.type) === typeKey(type)) as ModelKind;
  const pathOf = (kind: string, name?: string): string =>
    world.path(kind, name).replace(`/namespaces/${world.namespace}/`, `/namespaces/${namespace}/`);
  const has = async (path: string): Promise<boolean> =>
    world.client.call({ method: 'GET', path }).then(
      () => true,
      () => false,
    );
  return {
    store,
    takesAnyId: false,
    async put(collection, { outer, id }, value) {
      const { kind, group, version, ...of } = kindOf(collection);
      const path = pathOf(kind, id);
      const spec = { ...toProperties(of.spec, value), ...(of.parent && { [of.parent.property]: outer.at(-1) ?? '' }) };
      const contentType = 'application/merge-patch+json';
      if (await has(path)) await world.client.call({ method: 'PATCH', path, contentType, body: { spec } });
      else {
        const body = { apiVersion: `${group}/${version}`, kind, metadata: { name: id }, spec };
        await world.client.call({ method: 'POST', path: pathOf(kind), body });
      }
      const body = { status: toProperties(of.status, value) };
      await world.client.call({ method: 'PATCH', path: `${path}/status`, contentType, body });
    },
    async settled(collection, { id }) {
      const path = pathOf(kindOf(collection).kind, id);
      for (;;) {
        const { body } = await world.client.call({ method: 'GET', path });
        if (isReady(body)) return;
        await world.clock.sleep(20);
      }
    },
  };
}
