// How a host stands for those who refer to it, whether they may ask Ironic for its node; and what it marks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, type PromiseActorLogic, toPromise } from 'xstate';
import { bareMetalHost } from '../../../../adapters/ironic/kinds/bare-metal-host.ts';
import { hostEffects } from '../../../../adapters/ironic/kinds/host-effects.ts';
import { unmarkedOf } from '../../../../adapters/ironic/kinds/host-relations.ts';
import { hostUpdatePolicy } from '../../../../adapters/ironic/kinds/host-update-policy.ts';
import type { Dependency, LifecyclePorts } from '../../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../../machines/object.ts';

const test = suite('how a host stands');

const kind = bareMetalHost({ maxProvisioningRetries: 5, preprovisioningImages: 'none', speed: 1 });
const DETACHED = 'baremetalhost.metal3.io/detached';

function host(state: string, annotations?: Record<string, string>, operationalStatus = 'OK'): KubeObject {
  const metadata = { name: 'host', uid: 'u', resourceVersion: '1', ...(annotations !== undefined && { annotations }) };
  const status = { operationalStatus, provisioning: { state, ID: 'node' } };
  return { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata, spec: {}, status };
}

const ROWS: readonly (readonly [string, KubeObject, boolean])[] = [
  ['available', host('available'), true],
  ['registering', host('registering'), true],
  ['new', host(''), false],
  ['unmanaged', host('unmanaged'), false],
  ['paused', host('available', { 'baremetalhost.metal3.io/paused': '' }), false],
  ['with other annotations', host('available', { 'reboot.metal3.io': '' }), true],
  ['detached', host('available', { [DETACHED]: '' }, 'detached'), false],
  ['detached, and to be attached again', host('available', {}, 'detached'), false],
  ['being detached', host('provisioned', { [DETACHED]: '' }), false],
  ['being detached by force', host('preparing', { [DETACHED]: '{"force": true}' }), false],
  // What is applied to it waits for its firmware to be known.
  ['to be detached once it is prepared', host('preparing', { [DETACHED]: '' }), true],
  ['to be detached once it is inspected', host('inspecting', { [DETACHED]: '' }), true],
];
for (const [title, object, isManaged] of ROWS) {
  test(`a host ${title} is ${isManaged ? 'worked with' : 'left alone'}`, () => {
    const { ready, attributes } = kind.publicState(object);
    assert.is(ready, isManaged);
    assert.is(attributes?.['isDetached'], title.includes('detached') && !isManaged);
  });
}

test('nobody works with a host before its node is known', () => {
  const { status, ...rest } = host('registering');
  assert.is(kind.publicState({ ...rest, status: { ...status, provisioning: { state: 'registering' } } }).ready, false);
});

const HOLDS: readonly (readonly [string, boolean, boolean])[] = [
  ['', false, true],
  ['registering', false, true],
  ['provisioned', false, true],
  ['', true, false],
  ['unmanaged', true, false],
  ['registering', true, false],
  ['available', true, true],
  ['deprovisioning', true, true],
  ['powering off before delete', true, true],
  ['deleting', true, false],
];
for (const [state, isDeleted, isHeld] of HOLDS) {
  test(`33.D: the Secrets of a host in '${state}'${isDeleted ? ' that is being deleted' : ''} are ${isHeld ? '' : 'not '}held`, () => {
    const object = host(state);
    const metadata = { ...object.metadata, ...(isDeleted && { deletionTimestamp: '2026-08-20T10:00:00Z' }) };
    const spec = { bmc: { credentialsName: 'bmc' }, preprovisioningNetworkDataName: 'network' };
    const secrets = kind.references({ ...object, metadata, spec }).filter((each) => each.kind === 'Secret');
    const finalizers = isHeld ? ['baremetalhost.metal3.io/secret'] : [];
    assert.equal(
      secrets.map((each) => [each.name, each.finalizers]),
      [
        ['bmc', finalizers],
        ['network', finalizers],
      ],
    );
  });
}

const FOUND = { hostname: 'found' };
const STALE = { hostname: 'stale' };

test('33.D: HardwareData is made of the status, and is not overwritten with it', () => {
  const object = host('provisioned');
  const children = kind.children({ ...object, status: { ...object.status, hardware: STALE } });
  assert.equal(
    children.filter((child) => child.kind === 'HardwareData'),
    [{ kind: 'HardwareData', name: 'host', content: { spec: { hardware: STALE } }, onDrift: 'keep' }],
  );
});

test('33.D: what an inspection has found is in HardwareData before it is over, unless the host is going', async () => {
  for (const [isDeleted, answer, expected] of [
    [false, { kind: 'done', at: 0, hardware: FOUND }, [FOUND]],
    [false, { kind: 'waiting', at: 0, pollAfterMs: 0 }, []],
    [true, { kind: 'done', at: 0, hardware: FOUND }, []],
  ] as const) {
    const made: unknown[] = [];
    const object = host('inspecting');
    const metadata = { ...object.metadata, ...(isDeleted && { deletionTimestamp: '2026-08-20T10:00:00Z' }) };
    const ports = {
      object: () => ({ ...object, metadata }),
      recordMetrics: () => undefined,
      call: async () => answer,
      async ensureChildren(more: readonly { readonly content: { readonly spec: { readonly hardware: unknown } } }[]) {
        made.push(...more.map(({ content }) => content.spec.hardware));
      },
    } as unknown as LifecyclePorts;
    const { inspect } = hostEffects(() => ports, { speed: 1 }).implementations.actors as {
      inspect: PromiseActorLogic<unknown>;
    };
    await toPromise(createActor(inspect, { input: { key: 'key', node: undefined } as never }).start());
    assert.equal(made, expected);
  }
});

function policy(owners: readonly string[]): Dependency {
  const { attributes } = hostUpdatePolicy.publicState({
    ...host('available'),
    metadata: {
      name: 'host',
      uid: 'p',
      resourceVersion: '1',
      ownerReferences: owners.map((uid) => ({ apiVersion: 'v1', kind: 'Any', name: 'any', uid })),
    },
  });
  const answer = { readiness: 'ready', uid: 'p', ...(attributes && { attributes }) } as const;
  return { kind: 'HostUpdatePolicy', name: 'host', finalizers: [], neededFor: 'never', answer };
}
const SECRET: Dependency = {
  kind: 'Secret',
  name: 'bmc',
  finalizers: ['f'],
  neededFor: 'always',
  answer: { readiness: 'ready', uid: 's' },
};
const USING = { ...host('available'), spec: { bmc: { credentialsName: 'bmc' } } };

test('a policy that its host owns is not marked, nor is the Secret that it was registered with', () => {
  const registered = { ...USING, status: { goodCredentials: { credentials: { name: 'bmc' } } } };
  assert.equal(unmarkedOf(USING, [policy(['other']), SECRET]), [
    { kind: 'HostUpdatePolicy', name: 'host', uid: 'p', isOwned: true },
    { kind: 'Secret', name: 'bmc', uid: 's', isOwned: true },
  ]);
  assert.equal(unmarkedOf(registered, [policy(['other', 'u']), SECRET]), []);
});

test('each is marked once in a life, whatever comes to be used beside it, and again where that was not stored', async () => {
  const marked: string[] = [];
  let dependencies: readonly Dependency[] = [SECRET];
  let isAway = true;
  const ports = {
    object: () => USING,
    dependencies: () => dependencies,
    recordMetrics: () => undefined,
    call: async () => ({ kind: 'waiting', at: 0, pollAfterMs: 0 }),
    async labelReferenced({ kind }: { kind: string }) {
      marked.push(kind);
      if (kind === 'HostUpdatePolicy' && isAway) throw { code: 'transient', message: 'the API server is away' };
    },
  } as unknown as LifecyclePorts;
  const { register } = hostEffects(() => ports, { speed: 1 }).implementations.actors as {
    register: PromiseActorLogic<unknown>;
  };
  const pass = () => toPromise(createActor(register, { input: { key: 'key', node: undefined } as never }).start());
  await pass();
  dependencies = [SECRET, policy([])];
  await pass().catch(() => undefined);
  isAway = false;
  for (let passes = 0; passes < 2; passes++) await pass();
  assert.equal(marked, ['Secret', 'HostUpdatePolicy', 'HostUpdatePolicy']);
});

test('33.2: what a host marks is marked once by passes at one time, and when the removal of its predecessor is answered late (I8)', async () => {
  let marks = 0;
  let uid = 'before';
  const removed = Promise.withResolvers<void>();
  const ports = {
    object: () => ({ ...USING, metadata: { ...USING.metadata, uid } }),
    dependencies: () => [SECRET],
    recordMetrics: () => undefined,
    call: async () => ({ kind: 'waiting', at: 0, pollAfterMs: 0 }),
    removeOwnFinalizer: () => removed.promise,
    async labelReferenced() {
      marks += 1;
    },
  } as unknown as LifecyclePorts;
  const actors = hostEffects(() => ports, { speed: 1 }).implementations.actors as Readonly<
    Record<'register' | 'removeOwnFinalizer', PromiseActorLogic<unknown>>
  >;
  const run = (logic: PromiseActorLogic<unknown>) =>
    toPromise(createActor(logic, { input: { key: 'key', node: undefined } as never }).start());
  const removal = run(actors.removeOwnFinalizer);
  uid = 'after';
  await Promise.all([run(actors.register), run(actors.register)]);
  assert.is(marks, 1);
  removed.resolve();
  await removal;
  await run(actors.register);
  assert.is(marks, 1);
});

test.run();
